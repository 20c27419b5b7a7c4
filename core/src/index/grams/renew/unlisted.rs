//! The rows of grams that the previous index does not list.
//!
//! If a shorter gram in it became frequent or common, such a gram may have to be listed for that, so the texts of the
//! shorter gram's rows are read ([`PromotedGram`]). Else it had too few rows, and is listed now only if the added rows
//! make them enough, which is rare: in most cases the lists of its shorter grams rule that out, and no text has to be
//! read ([`rows`]).

use super::added::Key;
use super::previous::{Previous, RenewFault};
use crate::index::grams::dictionary::{Dictionary, is_listed_if_rare};
use crate::index::grams::writer::IndexWriter;

/// A gram with rows that have it.
pub type GramRows = (Key, Vec<u32>);

/// A gram that became frequent or common, and all its rows.
pub struct PromotedGram {
    pub gram: u32,
    pub rows: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Side {
    Before,
    After,
}

impl PromotedGram {
    /// The grams that are one letter longer and whose other shorter gram is frequent, each with all its rows. `text`
    /// writes the folded text of a row.
    pub fn longer_grams(
        &self,
        index: &IndexWriter,
        mut text: impl FnMut(u32, &mut Vec<char>),
    ) -> Vec<GramRows> {
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

/// A gram that may have enough rows. Any kept rows that have it had both of its shorter grams.
struct Candidate {
    key: Key,
    added: Vec<u32>,
    /// The previous numbers of its shorter grams, the more frequent one first.
    shorter: [u32; 2],
    /// How many kept rows it needs to be listed.
    kept_min: usize,
}

/// Finds all rows of the grams that may have to be listed, given their added rows. `previous_number` gives the previous
/// number of a gram, `text` writes the folded text of a row.
pub fn rows(
    grams: Vec<GramRows>,
    previous: &Previous<'_>,
    index: &IndexWriter,
    previous_number: impl Fn(u32) -> Option<u32>,
    mut text: impl FnMut(u32, &mut Vec<char>),
) -> Result<Vec<GramRows>, RenewFault> {
    let Dictionary { threshold, common, .. } = *index.dictionary();
    let (mut found, mut candidates) = (Vec::new(), Vec::new());
    for (key, added) in grams {
        let Some(shorter) = previous_number(key.parent).zip(previous_number(key.suffix)) else {
            return Err(RenewFault::Previous { expected: "the texts of its grams" });
        };
        let mut shorter = <[u32; 2]>::from(shorter);
        shorter.sort_by_key(|gram| std::cmp::Reverse((previous.count(*gram), *gram)));
        let inner = shorter.map(|gram| previous.count(gram));
        if is_listed_if_rare(threshold, common, inner, shorter[0] == shorter[1]) {
            // The previous index would have listed it, however rare it was: no kept row has it.
            found.push((key, added));
        } else {
            let kept_min = (threshold as usize + 1).saturating_sub(added.len());
            candidates.push(Candidate { key, added, shorter, kept_min });
        }
    }
    candidates.sort_by_key(|candidate| candidate.shorter);
    for group in candidates.chunk_by_mut(|left, right| left.shorter[0] == right.shorter[0]) {
        let Some(first) = group.first() else { continue };
        let set = previous.row_set(first.shorter[0])?;
        for Candidate { key, added, shorter, kept_min } in group {
            let kept = previous.rows_among(&set, shorter[1], *kept_min)?;
            let Some(mut rows) = kept else { continue };
            let mut gram = index.dictionary().letters(key.parent);
            gram.push(key.last);
            retain(&mut rows, &index.dictionary().characters(&gram), &mut text);
            rows.append(added);
            rows.sort_unstable();
            found.push((*key, rows));
        }
    }
    Ok(found)
}

/// Keeps the rows whose text has a gram.
fn retain(rows: &mut Vec<u32>, gram: &[char], mut text: impl FnMut(u32, &mut Vec<char>)) {
    let mut letters = Vec::new();
    rows.retain(|row| {
        letters.clear();
        text(*row, &mut letters);
        letters.windows(gram.len()).any(|window| window == gram)
    });
}
