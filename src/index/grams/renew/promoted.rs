//! Grams that became frequent or common. Grams that are one letter longer may have to be listed for the first time because
//! of that, so the texts of their rows are read.

use super::added::Key;
use crate::index::grams::writer::IndexWriter;

/// A gram that became frequent or common, and all its rows.
pub struct PromotedGram {
    pub gram: u32,
    pub rows: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Before,
    After,
}

impl PromotedGram {
    /// The grams that are one letter longer and whose other shorter gram is frequent, each with all its rows. `text` writes
    /// the folded text of a row.
    pub fn longer_grams(
        &self,
        index: &IndexWriter,
        mut text: impl FnMut(u32, &mut Vec<char>),
    ) -> Vec<(Key, Vec<u32>)> {
        let dictionary = index.dictionary();
        let letters = dictionary.letters(self.gram);
        let gram = dictionary.characters(&letters);
        let (mut neighbours, mut buffer) = (Vec::new(), Vec::new());
        for row in &self.rows {
            buffer.clear();
            text(*row, &mut buffer);
            for (start, window) in buffer.windows(gram.len()).enumerate() {
                if window != gram {
                    continue;
                }
                if let Some(before) = start.checked_sub(1) {
                    neighbours.push((Side::Before, buffer[before], *row));
                }
                if let Some(after) = buffer.get(start + gram.len()) {
                    neighbours.push((Side::After, *after, *row));
                }
            }
        }
        neighbours.sort_unstable();
        neighbours.dedup();
        let groups = neighbours.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1));
        let longer = groups.filter_map(|group| {
            let (side, character, _) = *group.first()?;
            let letter = dictionary.letter(character)?;
            let (parent, last, suffix) = match side {
                Side::Before => {
                    let (last, front) = letters.split_last()?;
                    (dictionary.gram(&[&[letter], front].concat())?, *last, self.gram)
                }
                Side::After => {
                    let suffix = dictionary.gram(&[&letters[1..], &[letter]].concat())?;
                    (self.gram, letter, suffix)
                }
            };
            let rows = group.iter().map(|(_, _, row)| *row).collect();
            let both_frequent = index.is_frequent(parent) && index.is_frequent(suffix);
            both_frequent.then_some((Key { parent, last, suffix }, rows))
        });
        longer.collect()
    }
}
