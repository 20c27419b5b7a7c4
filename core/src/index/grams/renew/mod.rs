//! Makes an index from the index of the previous table: rows in its lists get their new numbers, removed rows are
//! dropped, and added rows are inserted. The result has the bytes that `builder` would write for the texts of the new
//! table.
//!
//! It proceeds by gram length, as `builder` does. A gram that the previous index lists needs only the texts of the
//! removed and the added rows. A gram that it does not list had few rows or none; the new index lists it if enough
//! added rows have it, or if a shorter gram in it became frequent or common.

mod added;
mod previous;
mod unlisted;

use std::sync::Arc;

use self::added::{AddedTexts, Key};
use self::previous::Previous;
pub use self::previous::RenewFault;
use self::unlisted::{GramRows, PromotedGram};
use super::dictionary::{Dictionary, LONGEST, LetterIndex};
use super::find::Reader;
use super::writer::{IndexWriter, NewGram, Numbers};
use super::{BuildFault, RowLists, UNIVERSE_MAX};
use crate::index::renumbering::Renumbering;
use crate::snapshot::OpenError;

const NONE: u32 = u32::MAX;

/// Makes the index that lists the rows of grams by this rule. `text` writes the folded text of
/// a row of the new table, `removed` the folded text of a removed row of the previous table.
pub fn renew(
    previous: Reader<'_>,
    renumbering: &Renumbering,
    rule: RowLists,
    mut text: impl FnMut(u32, &mut Vec<char>),
    removed: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
) -> Result<(Dictionary, Vec<u8>), RenewFault> {
    let rows = renumbering.rows();
    if rows > UNIVERSE_MAX {
        return Err(BuildFault::Rows { found: rows }.into());
    }
    let bytes = previous.lists.byte_length();
    let previous = Previous::read(previous, renumbering, rule, removed)?;
    let mut added = AddedTexts::read(renumbering.added(), &mut text)?;
    let alphabet = alphabet(&previous, &added)?;
    added.renumber_letters(&alphabet);
    let new_letter =
        |character| alphabet.binary_search(&character).map_or(NONE, |letter| letter as u32);
    let renewal = Renewal {
        new_letters: previous.dictionary().alphabet().map(new_letter).collect(),
        new_grams: vec![NONE; previous.dictionary().grams() as usize],
        previous_grams: Vec::new(),
        previous,
        added,
        text,
        index: IndexWriter::new(rows, rule, Numbers::Rows, alphabet, bytes),
        promoted: Vec::new(),
        rows: Vec::new(),
    };
    renewal.build()
}

/// The characters of the new texts, ascending: every character that an added or a kept row has.
fn alphabet(previous: &Previous<'_>, added: &AddedTexts<'_>) -> Result<Vec<u32>, BuildFault> {
    let dictionary = previous.dictionary();
    let mut is_kept: Vec<bool> = (0..dictionary.alphabet().count())
        .map(|letter| previous.kept_single_letter(letter as LetterIndex) > 0)
        .collect();
    for (gram, letters) in (0..).zip(dictionary.bigrams()) {
        if previous.kept(gram) > 0 {
            letters.into_iter().for_each(|letter| is_kept[usize::from(letter)] = true);
        }
    }
    let kept = dictionary.alphabet().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    let kept = kept.map(|(character, _)| character);
    let mut alphabet: Vec<u32> = kept.chain(added.alphabet().iter().copied()).collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    if alphabet.len() > usize::from(LetterIndex::MAX) {
        return Err(BuildFault::Alphabet);
    }
    Ok(alphabet)
}

struct Renewal<'s, T> {
    previous: Previous<'s>,
    added: AddedTexts<'s>,
    text: T,
    index: IndexWriter,
    /// For each previous letter its new number, or [`NONE`].
    new_letters: Vec<u32>,
    /// For each previous gram its new number, or [`NONE`] if it is not listed any more.
    new_grams: Vec<u32>,
    /// For each new gram its previous number, or [`NONE`] if it was not listed.
    previous_grams: Vec<u32>,
    /// The grams of the current length that became frequent or common.
    promoted: Vec<PromotedGram>,
    /// The rows of the list that is being written.
    rows: Vec<u32>,
}

/// A gram that may be listed.
struct Candidate {
    key: Key,
    /// Its number in the previous index, if that lists it.
    previous: Option<u32>,
    /// The added rows that have it; all its rows if the previous index does not list it.
    rows: Vec<u32>,
}

impl<T: FnMut(u32, &mut Vec<char>)> Renewal<'_, T> {
    fn build(mut self) -> Result<(Dictionary, Vec<u8>), RenewFault> {
        self.write_single_letters()?;
        for length in 2..=LONGEST {
            let candidates = self.candidates(length)?;
            if candidates.is_empty() && length > 2 {
                break;
            }
            for candidate in candidates {
                self.add(length, candidate)?;
            }
            let index = &mut self.index;
            if length == 2 {
                index.end_bigrams();
            }
            self.added.advance(length, |Key { parent, last, .. }| {
                let dictionary = index.dictionary();
                let gram = match length {
                    2 => dictionary.bigram(parent as LetterIndex, last),
                    _ => dictionary.child(parent, last),
                };
                gram.filter(|gram| index.is_frequent(*gram))
            });
        }
        Ok(self.index.finish())
    }

    fn write_single_letters(&mut self) -> Result<(), RenewFault> {
        let added = self.added.single_letters();
        let dictionary = self.previous.dictionary();
        for (letter, character) in (0..).zip(self.index.dictionary().alphabet.clone()) {
            self.rows.clear();
            let mut count = 0;
            if let Some(previous) = char::from_u32(character).and_then(|it| dictionary.letter(it)) {
                self.previous.rows(dictionary.single_letter(previous), &mut self.rows)?;
                count = self.previous.kept_single_letter(previous);
            }
            let start = added.partition_point(|(other, _)| *other < letter);
            let end = added.partition_point(|(other, _)| *other <= letter);
            let added = &added[start..end];
            let added: Vec<u32> = added.iter().map(|(_, row)| *row).collect();
            merge(&mut self.rows, &added);
            self.check_rows(count + added.len() as u32)?;
            if !self.rows.is_empty() {
                self.index.write_single_letter(letter, &self.rows)?;
            }
        }
        Ok(())
    }

    /// Checks that the rows ascend, exist, and are as many as were counted.
    fn check_rows(&self, count: u32) -> Result<(), RenewFault> {
        let ascending = self.rows.is_sorted_by(|left, right| left < right);
        let inside = self.rows.last().is_none_or(|last| *last < self.index.dictionary().universe);
        if self.rows.len() == count as usize && ascending && inside {
            return Ok(());
        }
        Err(RenewFault::Previous { expected: "the rows of its texts in each list" })
    }

    /// The grams of this length that may be listed, in the order of an index.
    fn candidates(&mut self, length: usize) -> Result<Vec<Candidate>, RenewFault> {
        let mut candidates = if length == 2 { self.bigrams() } else { self.longer(length) };
        let mut unlisted = Vec::new();
        for group in self.added.grams(length).chunk_by(|left, right| left.0 == right.0) {
            let key = group[0].0;
            let rows = group.iter().map(|(_, row)| *row).collect();
            match candidates.binary_search_by_key(&key, |candidate| candidate.key) {
                Ok(index) => candidates[index].rows = rows,
                Err(_) => unlisted.push((key, rows)),
            }
        }
        let listed = candidates.len();
        let is_unlisted =
            |key: &Key| candidates.binary_search_by_key(key, |candidate| candidate.key).is_err();
        let mut new: Vec<GramRows> = Vec::new();
        for promoted in std::mem::take(&mut self.promoted) {
            let longer = promoted.longer_grams(&self.index, &mut self.text);
            new.extend(longer.into_iter().filter(|(key, _)| is_unlisted(key)));
        }
        new.sort_unstable();
        new.dedup_by_key(|(key, _)| *key);
        unlisted.retain(|(key, _)| new.binary_search_by_key(key, |(key, _)| *key).is_err());
        if length > 2 {
            let previous_gram = |gram: u32| {
                let previous = self.previous_grams[gram as usize];
                (previous != NONE).then_some(previous)
            };
            let (previous, index) = (&self.previous, &self.index);
            unlisted = unlisted::rows(unlisted, previous, index, previous_gram, &mut self.text)?;
        }
        new.append(&mut unlisted);
        let unlisted = |(key, rows)| Candidate { key, previous: None, rows };
        candidates.extend(new.into_iter().map(unlisted));
        if candidates.len() > listed {
            candidates.sort_by_key(|candidate| candidate.key);
        }
        Ok(candidates)
    }

    /// The previous grams of two letters whose letters still exist.
    fn bigrams(&self) -> Vec<Candidate> {
        let bigrams = (0..).zip(self.previous.dictionary().bigrams());
        let candidates = bigrams.filter_map(|(gram, letters)| {
            let [parent, suffix] = letters.map(|letter| self.new_letters[usize::from(letter)]);
            let key = Key { parent, last: suffix as LetterIndex, suffix };
            let exist = parent != NONE && suffix != NONE;
            exist.then_some(Candidate { key, previous: Some(gram), rows: Vec::new() })
        });
        candidates.collect()
    }

    /// The previous grams of this length, three or more, whose two shorter grams are frequent.
    fn longer(&self, length: usize) -> Vec<Candidate> {
        let frequent = |gram: u32| {
            let new = self.new_grams[gram as usize];
            (new != NONE && self.index.is_frequent(new)).then_some(new)
        };
        let candidates = self.previous.longer(length).filter_map(|(gram, parent, last)| {
            let [parent, suffix] = [frequent(parent)?, frequent(self.previous.suffix(gram))?];
            let last = self.new_letters[usize::from(last)];
            let key = Key { parent, last: last as LetterIndex, suffix };
            (last != NONE).then_some(Candidate { key, previous: Some(gram), rows: Vec::new() })
        });
        candidates.collect()
    }

    /// Adds a gram with its list, if it has to be listed.
    fn add(&mut self, length: usize, candidate: Candidate) -> Result<(), RenewFault> {
        let Candidate { key: Key { parent, last, suffix }, previous, rows } = candidate;
        let previous_count = previous.map_or(0, |gram| self.previous.count(gram));
        let kept = previous.map_or(0, |gram| self.previous.kept(gram));
        let count = kept + rows.len() as u32;
        if count == 0 {
            return Ok(());
        }
        let added = match length {
            2 => Some(self.index.add_bigram(parent as LetterIndex, last, count)),
            _ => self.index.add_longer([parent, suffix], last, count),
        };
        let Some(NewGram { gram, is_shared }) = added else { return Ok(()) };
        self.previous_grams.push(previous.unwrap_or(NONE));
        if let Some(previous) = previous {
            self.new_grams[previous as usize] = gram;
        }
        let Dictionary { threshold, common, .. } = *self.index.dictionary();
        let crosses = |bound: u32| previous_count <= bound && count > bound;
        let is_promoted = crosses(threshold) || crosses(common);
        if is_shared && !is_promoted {
            return Ok(());
        }
        self.rows.clear();
        if let Some(previous) = previous {
            let list = self.previous.dictionary().list(previous);
            self.previous.rows(list, &mut self.rows)?;
        }
        merge(&mut self.rows, &rows);
        self.check_rows(count)?;
        if is_promoted {
            self.promoted.push(PromotedGram { gram, rows: self.rows.clone() });
        }
        if !is_shared {
            self.index.write_list(gram, &self.rows)?;
        }
        Ok(())
    }
}

/// Merges ascending rows into others. No row is in both.
fn merge(rows: &mut Vec<u32>, added: &[u32]) {
    let (mut end, mut unmerged) = (rows.len(), added.len());
    rows.resize(end + unmerged, 0);
    for row in added.iter().rev() {
        let start = rows[..end].partition_point(|known| known < row);
        rows.copy_within(start..end, start + unmerged);
        unmerged -= 1;
        rows[start + unmerged] = *row;
        end = start;
    }
}

#[cfg(test)]
mod tests;
