//! Makes an index from that of the previous table: rows in its lists get their new numbers, removed rows are dropped, and
//! added rows are inserted. The result has the bytes that `builder` would write for the texts of the new table.
//!
//! It proceeds by gram length, as `builder` does. A gram that the previous index lists needs only the texts of the removed
//! and the added rows. A gram that it does not list had few rows or none; the new index lists it if enough added rows have
//! it, or if a shorter gram in it became frequent or common.

mod added;
mod grown;
mod previous;
mod unlisted;

use std::sync::Arc;

use self::added::{AddedTexts, Key};
use self::grown::Grown;
use self::previous::Previous;
pub use self::previous::RenewFault;
use super::dictionary::{Dictionary, LONGEST, Letter, common};
use super::find::Reader;
use super::growing::{Growing, NewGram};
use super::texts::{BuildFault, NUMBERS_MAX};
use crate::index::renumbering::Renumbering;
use crate::snapshot::OpenError;

const NONE: u32 = u32::MAX;

/// Makes the index that lists the rows of each gram with more rows than the threshold. `text` writes the folded text of a
/// row of the new table, `removed` that of a removed row of the previous table.
pub fn renew(
    previous: Reader<'_>,
    renumbering: &Renumbering,
    threshold: u32,
    mut text: impl FnMut(u32, &mut Vec<char>),
    removed: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
) -> Result<(Dictionary, Vec<u8>), RenewFault> {
    let rows = renumbering.rows();
    if rows > NUMBERS_MAX {
        return Err(BuildFault::Rows { found: rows }.into());
    }
    let bytes = previous.lists().bytes();
    let previous = Previous::read(previous, renumbering, threshold, removed)?;
    let mut added = AddedTexts::read(renumbering.added(), &mut text)?;
    let alphabet = alphabet(&previous, &added)?;
    added.number(&alphabet);
    let known = previous.dictionary().alphabet();
    let letters =
        known.map(|it| alphabet.binary_search(&it).map_or(NONE, |it| it as u32)).collect();
    let renewal = Renewal {
        now: vec![NONE; previous.dictionary().grams() as usize],
        previous,
        added,
        text,
        index: Growing::begin(rows, threshold, alphabet, bytes),
        letters,
        origins: Vec::new(),
        grown: Vec::new(),
        rows: Vec::new(),
    };
    renewal.finish()
}

/// The characters of the new texts, ascending: those of the added rows, and those that a kept row still has.
fn alphabet(previous: &Previous<'_>, added: &AddedTexts<'_>) -> Result<Vec<u32>, BuildFault> {
    let dictionary = previous.dictionary();
    let mut stays: Vec<bool> = (0..dictionary.alphabet().count())
        .map(|letter| previous.kept_alone(letter as Letter) > 0)
        .collect();
    for (gram, letters) in (0..).zip(dictionary.bigrams()) {
        if previous.kept(gram) > 0 {
            letters.into_iter().for_each(|letter| stays[usize::from(letter)] = true);
        }
    }
    let kept = dictionary.alphabet().zip(stays).filter_map(|(it, stays)| stays.then_some(it));
    let mut alphabet: Vec<u32> = kept.chain(added.alphabet().iter().copied()).collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    let fits = alphabet.len() <= usize::from(Letter::MAX);
    if fits { Ok(alphabet) } else { Err(BuildFault::Alphabet) }
}

struct Renewal<'s, T> {
    previous: Previous<'s>,
    added: AddedTexts<'s>,
    text: T,
    index: Growing,
    /// For each previous letter its new number, or [`NONE`].
    letters: Vec<u32>,
    /// For each previous gram its new number, or [`NONE`] if it is not listed any more.
    now: Vec<u32>,
    /// For each new gram its previous number, or [`NONE`] if it was not listed.
    origins: Vec<u32>,
    /// The grams of the current length that became frequent or common.
    grown: Vec<Grown>,
    rows: Vec<u32>,
}

/// A gram that may be listed.
struct Candidate {
    key: Key,
    source: Source,
}

enum Source {
    /// The previous index lists it; with the added rows that have it.
    Previous(u32, Vec<u32>),
    /// All its rows.
    Rows(Vec<u32>),
}

impl<T: FnMut(u32, &mut Vec<char>)> Renewal<'_, T> {
    fn finish(mut self) -> Result<(Dictionary, Vec<u8>), RenewFault> {
        self.alone()?;
        for length in 2..=LONGEST {
            let candidates = self.candidates(length)?;
            if candidates.is_empty() && length > 2 {
                break;
            }
            for Candidate { key, source } in candidates {
                self.add(length, key, source)?;
            }
            let index = &mut self.index;
            if length == 2 {
                index.end_bigrams();
            }
            self.added.advance(length, |Key { parent, last, .. }| {
                let dictionary = index.dictionary();
                let gram = match length {
                    2 => dictionary.bigram(parent as Letter, last),
                    _ => dictionary.child(parent, last),
                };
                gram.filter(|gram| index.is_frequent(*gram))
            });
        }
        Ok(self.index.finish())
    }

    fn alone(&mut self) -> Result<(), RenewFault> {
        let added = self.added.alone();
        let mut previous = vec![NONE; self.index.dictionary().alphabet().len()];
        for (letter, now) in (0..).zip(&self.letters) {
            if let Some(previous) = previous.get_mut(*now as usize) {
                *previous = letter;
            }
        }
        for (letter, previous) in (0..).zip(previous) {
            self.rows.clear();
            let mut count = 0;
            if previous != NONE {
                self.previous.rows_alone(previous as Letter, &mut self.rows)?;
                count = self.previous.kept_alone(previous as Letter);
            }
            let start = added.partition_point(|(known, _)| *known < letter);
            let end = added.partition_point(|(known, _)| *known <= letter);
            let added = &added[start..end];
            let added: Vec<u32> = added.iter().map(|(_, row)| *row).collect();
            merge(&mut self.rows, &added);
            self.check(count + added.len() as u32)?;
            if !self.rows.is_empty() {
                self.index.put_alone(letter, &self.rows)?;
            }
        }
        Ok(())
    }

    /// Checks that the rows ascend, exist, and are as many as were counted.
    fn check(&self, count: u32) -> Result<(), RenewFault> {
        let ascending = self.rows.is_sorted_by(|left, right| left < right);
        let inside = self.rows.last().is_none_or(|last| *last < self.index.dictionary().numbers());
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
            match candidates.binary_search_by_key(&key, |it| it.key) {
                Ok(place) => {
                    if let Source::Previous(_, added) = &mut candidates[place].source {
                        *added = rows;
                    }
                }
                Err(_) => unlisted.push((key, rows)),
            }
        }
        let listed = candidates.len();
        let is_new = |key: &Key| candidates.binary_search_by_key(key, |it| it.key).is_err();
        let mut new: Vec<(Key, Vec<u32>)> = Vec::new();
        for grown in std::mem::take(&mut self.grown) {
            let around = grown.around(&self.index, &mut self.text);
            new.extend(around.into_iter().filter(|(key, _)| is_new(key)));
        }
        new.sort_unstable();
        new.dedup_by_key(|it| it.0);
        unlisted.retain(|(key, _)| new.binary_search_by_key(key, |it| it.0).is_err());
        if length > 2 {
            let origin = |gram: u32| Some(self.origins[gram as usize]).filter(|it| *it != NONE);
            let (previous, index) = (&self.previous, &self.index);
            unlisted = unlisted::rows(unlisted, previous, index, origin, &mut self.text)?;
        }
        new.append(&mut unlisted);
        let new = new.into_iter().map(|(key, rows)| Candidate { key, source: Source::Rows(rows) });
        candidates.extend(new);
        if candidates.len() > listed {
            candidates.sort_by_key(|it| it.key);
        }
        Ok(candidates)
    }

    /// The previous grams of two letters whose letters still exist.
    fn bigrams(&self) -> Vec<Candidate> {
        let bigrams = (0..).zip(self.previous.dictionary().bigrams());
        let candidates = bigrams.filter_map(|(gram, letters)| {
            let [parent, suffix] = letters.map(|letter| self.letters[usize::from(letter)]);
            let key = Key { parent, last: suffix as Letter, suffix };
            let known = parent != NONE && suffix != NONE;
            known.then_some(Candidate { key, source: Source::Previous(gram, Vec::new()) })
        });
        candidates.collect()
    }

    /// The previous grams of this length, three or more, whose two shorter grams are frequent.
    fn longer(&self, length: usize) -> Vec<Candidate> {
        let frequent = |gram: u32| {
            let now = self.now[gram as usize];
            Some(now).filter(|now| *now != NONE && self.index.is_frequent(*now))
        };
        let candidates = self.previous.longer(length).filter_map(|(gram, parent, last)| {
            let [parent, suffix] = [frequent(parent)?, frequent(self.previous.suffix(gram))?];
            let last = Some(self.letters[usize::from(last)]).filter(|last| *last != NONE)?;
            let key = Key { parent, last: last as Letter, suffix };
            Some(Candidate { key, source: Source::Previous(gram, Vec::new()) })
        });
        candidates.collect()
    }

    /// Adds a gram with its list, if it has to be listed.
    fn add(&mut self, length: usize, key: Key, source: Source) -> Result<(), RenewFault> {
        let (origin, before, count) = match &source {
            Source::Previous(gram, added) => {
                let count = self.previous.kept(*gram) + added.len() as u32;
                (*gram, self.previous.count(*gram), count)
            }
            Source::Rows(rows) => (NONE, 0, rows.len() as u32),
        };
        if count == 0 {
            return Ok(());
        }
        let Key { parent, last, suffix } = key;
        let added = match length {
            2 => Some(self.index.add_bigram(parent as Letter, last, count)),
            _ => self.index.add_longer([parent, suffix], last, count),
        };
        let Some(NewGram { gram, is_shared }) = added else { return Ok(()) };
        self.origins.push(origin);
        if let Some(now) = self.now.get_mut(origin as usize) {
            *now = gram;
        }
        let threshold = self.index.threshold();
        let rises = |bound: u32| before <= bound && count > bound;
        let rises = rises(threshold) || rises(common(threshold));
        if is_shared && !rises {
            return Ok(());
        }
        self.rows.clear();
        match source {
            Source::Previous(gram, added) => {
                self.previous.rows(gram, &mut self.rows)?;
                merge(&mut self.rows, &added);
            }
            Source::Rows(rows) => self.rows = rows,
        }
        self.check(count)?;
        if rises {
            self.grown.push(Grown { gram, rows: self.rows.clone() });
        }
        if !is_shared {
            self.index.put_list(gram, &self.rows)?;
        }
        Ok(())
    }
}

/// Merges ascending rows into others. No row is in both.
fn merge(rows: &mut Vec<u32>, added: &[u32]) {
    let (mut end, mut left) = (rows.len(), added.len());
    rows.resize(end + left, 0);
    for row in added.iter().rev() {
        let start = rows[..end].partition_point(|known| known < row);
        rows.copy_within(start..end, start + left);
        left -= 1;
        rows[start + left] = *row;
        end = start;
    }
}

#[cfg(test)]
mod tests;
