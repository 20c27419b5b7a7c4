//! The texts of the added rows and the grams in them, length by length as in `builder`.

use crate::index::grams::dictionary::Letter;
use crate::index::grams::texts::{BuildFault, Texts};

const NONE: u32 = u32::MAX;

pub struct AddedTexts<'r> {
    rows: &'r [u32],
    texts: Texts,
    /// For each letter of the texts: the gram of the current length that begins there, if it is frequent.
    begun: Vec<u32>,
}

/// A gram, given by the two grams inside it that are one letter shorter. Sorts in the order of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The gram without its last letter, and that letter. For two letters these are the first and the second.
    pub parent: u32,
    pub last: Letter,
    /// The gram without its first letter; for two letters the second. The other fields determine it.
    pub suffix: u32,
}

impl<'r> AddedTexts<'r> {
    /// Reads the texts of rows. `text` appends a row's text to the empty buffer that it gets.
    pub fn read(
        rows: &'r [u32],
        mut text: impl FnMut(u32, &mut Vec<char>),
    ) -> Result<AddedTexts<'r>, BuildFault> {
        let texts = Texts::read(rows.len() as u32, |place, out| text(rows[place as usize], out))?;
        Ok(AddedTexts { rows, texts, begun: Vec::new() })
    }

    /// The characters of the texts, ascending.
    pub fn alphabet(&self) -> &[u32] {
        &self.texts.alphabet
    }

    /// Renumbers the letters by an alphabet that has all characters of the texts, and begins with single letters.
    pub fn number(&mut self, alphabet: &[u32]) {
        let place = |character| alphabet.partition_point(|known| known < character) as Letter;
        let letters: Vec<Letter> = self.texts.alphabet.iter().map(place).collect();
        for letter in &mut self.texts.letters {
            *letter = letters[usize::from(*letter)];
        }
        self.begun = self.texts.letters.iter().map(|letter| u32::from(*letter)).collect();
    }

    /// The rows whose text is a single letter, sorted by letter and row.
    pub fn alone(&self) -> Vec<(Letter, u32)> {
        let mut alone = Vec::new();
        for (place, row) in (0..).zip(self.rows) {
            if let [only] = self.texts.letters[self.texts.range(place)] {
                alone.push((only, *row));
            }
        }
        alone.sort_unstable();
        alone
    }

    /// The grams of this length whose two shorter grams are frequent, with their rows, sorted by gram and row.
    pub fn grams(&self, length: usize) -> Vec<(Key, u32)> {
        let mut found = Vec::new();
        for (place, row) in (0..).zip(self.rows) {
            let keys = self.texts.grams(place, length).filter_map(|at| self.key(at, length));
            found.extend(keys.map(|key| (key, *row)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The gram that begins at a letter, if its two shorter grams are frequent.
    fn key(&self, at: usize, length: usize) -> Option<Key> {
        let [parent, suffix] = [self.begun[at], self.begun[at + 1]];
        let both = parent != NONE && suffix != NONE;
        both.then(|| Key { parent, last: self.texts.letters[at + length - 1], suffix })
    }

    /// Proceeds to the next length. `frequent` returns the number of a gram if it is frequent.
    pub fn advance(&mut self, length: usize, frequent: impl Fn(Key) -> Option<u32>) {
        for place in 0..self.texts.rows() {
            for at in self.texts.grams(place, length) {
                self.begun[at] = self.key(at, length).and_then(&frequent).unwrap_or(NONE);
            }
        }
    }
}
