//! The texts of the added rows and the grams in them, length by length as in `builder`.

use crate::index::grams::dictionary::LetterIndex;
use crate::index::grams::{BuildFault, Texts};

const NONE: u32 = u32::MAX;

pub struct AddedTexts<'r> {
    rows: &'r [u32],
    texts: Texts,
    /// For each letter of the texts: the frequent gram of the current length that begins there, or [`NONE`].
    grams: Vec<u32>,
}

/// A gram, given by the two grams inside it that are one letter shorter. Sorts as in the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The gram without its last letter, and that letter. For two letters these are the first and the second.
    pub parent: u32,
    pub last: LetterIndex,
    /// The gram without its first letter; for two letters the second. The other fields determine it.
    pub suffix: u32,
}

impl<'r> AddedTexts<'r> {
    /// Reads the texts of rows. `text` appends a row's text to the empty buffer that it gets.
    pub fn read(
        rows: &'r [u32],
        mut text: impl FnMut(u32, &mut Vec<char>),
    ) -> Result<AddedTexts<'r>, BuildFault> {
        let texts = Texts::read(rows.len() as u32, |index, out| text(rows[index as usize], out))?;
        Ok(AddedTexts { rows, texts, grams: Vec::new() })
    }

    /// The characters of the texts, ascending.
    pub fn alphabet(&self) -> &[u32] {
        &self.texts.alphabet
    }

    /// Renumbers the letters by an alphabet that has all characters of the texts, and begins with single letters.
    pub fn renumber_letters(&mut self, alphabet: &[u32]) {
        let letter = |character| alphabet.partition_point(|known| known < character) as LetterIndex;
        let letters: Vec<LetterIndex> = self.texts.alphabet.iter().map(letter).collect();
        for letter in &mut self.texts.letters {
            *letter = letters[usize::from(*letter)];
        }
        self.grams = self.texts.letters.iter().map(|letter| u32::from(*letter)).collect();
    }

    /// The rows whose text is a single letter, sorted by letter and row.
    pub fn single_letters(&self) -> Vec<(LetterIndex, u32)> {
        let mut single_letters = Vec::new();
        for (index, row) in (0..).zip(self.rows) {
            if let [letter] = self.texts.letters[self.texts.range(index)] {
                single_letters.push((letter, *row));
            }
        }
        single_letters.sort_unstable();
        single_letters
    }

    /// The grams of this length whose two shorter grams are frequent, with their rows, sorted by gram and row.
    pub fn grams(&self, length: usize) -> Vec<(Key, u32)> {
        let mut grams = Vec::new();
        for (index, row) in (0..).zip(self.rows) {
            let starts = self.texts.gram_starts(index, length);
            grams.extend(starts.filter_map(|start| Some((self.key(start, length)?, *row))));
        }
        grams.sort_unstable();
        grams.dedup();
        grams
    }

    /// The gram that begins at a letter, if its two shorter grams are frequent.
    fn key(&self, start: usize, length: usize) -> Option<Key> {
        let [parent, suffix] = [self.grams[start], self.grams[start + 1]];
        let last = self.texts.letters[start + length - 1];
        (parent != NONE && suffix != NONE).then_some(Key { parent, last, suffix })
    }

    /// Proceeds to the next length. `frequent` returns the number of a gram if it is frequent.
    pub fn advance(&mut self, length: usize, frequent: impl Fn(Key) -> Option<u32>) {
        for index in 0..self.texts.rows() {
            for start in self.texts.gram_starts(index, length) {
                self.grams[start] = self.key(start, length).and_then(&frequent).unwrap_or(NONE);
            }
        }
    }
}
