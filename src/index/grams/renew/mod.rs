//! Makes an index from that of an earlier table: the rows of its lists get their present numbers, those that went fall out,
//! and those that came are added. It has the bytes that `builder` would give the present texts.
//!
//! It goes length by length as `builder` does. A gram that the earlier index lists needs no text but those that went and
//! came. One that it does not list was in few rows or in none; it is listed now where a row that came has it, or where a
//! shorter gram in it passed a bound.

mod came;
mod earlier;
mod risen;
mod unlisted;

use std::sync::Arc;

use self::came::{Came, Key};
use self::earlier::Earlier;
pub use self::earlier::RenewFault;
use self::risen::Risen;
use super::dictionary::{Dictionary, LONGEST, Letter, common};
use super::find::Reader;
use super::growing::{Added, Growing};
use super::texts::{BuildFault, NUMBERS_MAX};
use crate::index::renumbering::Renumbering;
use crate::snapshot::OpenError;

const NONE: u32 = u32::MAX;

/// Makes the index of the rows that a gram is in where more than the threshold have it. `text` writes the folded text of a
/// present row, `gone` of an earlier row that went.
pub fn renew(
    earlier: Reader<'_>,
    renumbering: &Renumbering,
    threshold: u32,
    mut text: impl FnMut(u32, &mut Vec<char>),
    gone: impl FnMut(u32, &mut Vec<char>) -> Result<(), Arc<OpenError>>,
) -> Result<(Dictionary, Vec<u8>), RenewFault> {
    let rows = renumbering.rows();
    if rows > NUMBERS_MAX {
        return Err(BuildFault::Rows { found: rows }.into());
    }
    let bytes = earlier.lists().bytes();
    let earlier = Earlier::read(earlier, renumbering, threshold, gone)?;
    let mut came = Came::read(renumbering.came(), &mut text)?;
    let alphabet = alphabet(&earlier, &came)?;
    came.number(&alphabet);
    let known = earlier.dictionary().alphabet();
    let letters =
        known.map(|it| alphabet.binary_search(&it).map_or(NONE, |it| it as u32)).collect();
    let renewal = Renewal {
        now: vec![NONE; earlier.dictionary().grams() as usize],
        earlier,
        came,
        text,
        index: Growing::begin(rows, threshold, alphabet, bytes),
        letters,
        origins: Vec::new(),
        risen: Vec::new(),
        rows: Vec::new(),
    };
    renewal.finish()
}

/// The characters of the present texts, ascending: those of the rows that came, and those that a list still has.
fn alphabet(earlier: &Earlier<'_>, came: &Came<'_>) -> Result<Vec<u32>, BuildFault> {
    let dictionary = earlier.dictionary();
    let mut stays: Vec<bool> = (0..dictionary.alphabet().count())
        .map(|letter| earlier.stayed_alone(letter as Letter) > 0)
        .collect();
    for (gram, letters) in (0..).zip(dictionary.bigrams()) {
        if earlier.stayed(gram) > 0 {
            letters.into_iter().for_each(|letter| stays[usize::from(letter)] = true);
        }
    }
    let stayed = dictionary.alphabet().zip(stays).filter_map(|(it, stays)| stays.then_some(it));
    let mut alphabet: Vec<u32> = stayed.chain(came.alphabet().iter().copied()).collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    let fits = alphabet.len() <= usize::from(Letter::MAX);
    if fits { Ok(alphabet) } else { Err(BuildFault::Alphabet) }
}

struct Renewal<'s, T> {
    earlier: Earlier<'s>,
    came: Came<'s>,
    text: T,
    index: Growing,
    /// Of each earlier letter the present one, if there is one.
    letters: Vec<u32>,
    /// Of each earlier gram the present one, if it is listed.
    now: Vec<u32>,
    /// Of each present gram the earlier one, if it was listed.
    origins: Vec<u32>,
    /// The grams of the present length that passed a bound.
    risen: Vec<Risen>,
    rows: Vec<u32>,
}

/// A gram that may be listed.
struct Candidate {
    key: Key,
    source: Source,
}

enum Source {
    /// The earlier index lists it; and the rows that came and have it.
    Earlier(u32, Vec<u32>),
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
            self.came.advance(length, |Key { parent, last, .. }| {
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
        let came = self.came.alone();
        let mut earlier = vec![NONE; self.index.dictionary().alphabet().len()];
        for (letter, now) in (0..).zip(&self.letters) {
            if let Some(earlier) = earlier.get_mut(*now as usize) {
                *earlier = letter;
            }
        }
        for (letter, earlier) in (0..).zip(earlier) {
            self.rows.clear();
            let mut count = 0;
            if earlier != NONE {
                self.earlier.rows_alone(earlier as Letter, &mut self.rows)?;
                count = self.earlier.stayed_alone(earlier as Letter);
            }
            let start = came.partition_point(|(known, _)| *known < letter);
            let end = came.partition_point(|(known, _)| *known <= letter);
            let came = &came[start..end];
            let came: Vec<u32> = came.iter().map(|(_, row)| *row).collect();
            merge(&mut self.rows, &came);
            self.check(count + came.len() as u32)?;
            if !self.rows.is_empty() {
                self.index.put_alone(letter, &self.rows)?;
            }
        }
        Ok(())
    }

    /// Whether the rows are as many as were counted, and rows of the table.
    fn check(&self, count: u32) -> Result<(), RenewFault> {
        let ascending = self.rows.is_sorted_by(|left, right| left < right);
        let inside = self.rows.last().is_none_or(|last| *last < self.index.dictionary().numbers());
        if self.rows.len() == count as usize && ascending && inside {
            return Ok(());
        }
        Err(RenewFault::Earlier { expected: "the rows of its texts in each list" })
    }

    /// The grams of a length that may be listed, in their order.
    fn candidates(&mut self, length: usize) -> Result<Vec<Candidate>, RenewFault> {
        let mut candidates = if length == 2 { self.bigrams() } else { self.longer(length) };
        let mut unlisted = Vec::new();
        for group in self.came.grams(length).chunk_by(|left, right| left.0 == right.0) {
            let key = group[0].0;
            let rows = group.iter().map(|(_, row)| *row).collect();
            match candidates.binary_search_by_key(&key, |it| it.key) {
                Ok(place) => {
                    if let Source::Earlier(_, came) = &mut candidates[place].source {
                        *came = rows;
                    }
                }
                Err(_) => unlisted.push((key, rows)),
            }
        }
        let listed = candidates.len();
        let is_new = |key: &Key| candidates.binary_search_by_key(key, |it| it.key).is_err();
        let mut new: Vec<(Key, Vec<u32>)> = Vec::new();
        for risen in std::mem::take(&mut self.risen) {
            let around = risen.around(&self.index, &mut self.text);
            new.extend(around.into_iter().filter(|(key, _)| is_new(key)));
        }
        new.sort_unstable();
        new.dedup_by_key(|it| it.0);
        unlisted.retain(|(key, _)| new.binary_search_by_key(key, |it| it.0).is_err());
        if length > 2 {
            let origin = |gram: u32| Some(self.origins[gram as usize]).filter(|it| *it != NONE);
            let (earlier, index) = (&self.earlier, &self.index);
            unlisted = unlisted::rows(unlisted, earlier, index, origin, &mut self.text)?;
        }
        new.append(&mut unlisted);
        let new = new.into_iter().map(|(key, rows)| Candidate { key, source: Source::Rows(rows) });
        candidates.extend(new);
        if candidates.len() > listed {
            candidates.sort_by_key(|it| it.key);
        }
        Ok(candidates)
    }

    /// The earlier grams of two letters, without those of letters that are no more.
    fn bigrams(&self) -> Vec<Candidate> {
        let bigrams = (0..).zip(self.earlier.dictionary().bigrams());
        let candidates = bigrams.filter_map(|(gram, letters)| {
            let [parent, suffix] = letters.map(|letter| self.letters[usize::from(letter)]);
            let key = Key { parent, last: suffix as Letter, suffix };
            let known = parent != NONE && suffix != NONE;
            known.then_some(Candidate { key, source: Source::Earlier(gram, Vec::new()) })
        });
        candidates.collect()
    }

    /// The earlier grams of a length from three letters on whose shorter ones are frequent.
    fn longer(&self, length: usize) -> Vec<Candidate> {
        let frequent = |gram: u32| {
            let now = self.now[gram as usize];
            Some(now).filter(|now| *now != NONE && self.index.is_frequent(*now))
        };
        let candidates = self.earlier.longer(length).filter_map(|(gram, parent, last)| {
            let [parent, suffix] = [frequent(parent)?, frequent(self.earlier.suffix(gram))?];
            let last = Some(self.letters[usize::from(last)]).filter(|last| *last != NONE)?;
            let key = Key { parent, last: last as Letter, suffix };
            Some(Candidate { key, source: Source::Earlier(gram, Vec::new()) })
        });
        candidates.collect()
    }

    /// Adds a gram with its list, if it is listed.
    fn add(&mut self, length: usize, key: Key, source: Source) -> Result<(), RenewFault> {
        let (origin, before, count) = match &source {
            Source::Earlier(gram, came) => {
                let count = self.earlier.stayed(*gram) + came.len() as u32;
                (*gram, self.earlier.count(*gram), count)
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
        let Some(Added { gram, is_shared }) = added else { return Ok(()) };
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
            Source::Earlier(gram, came) => {
                self.earlier.rows(gram, &mut self.rows)?;
                merge(&mut self.rows, &came);
            }
            Source::Rows(rows) => self.rows = rows,
        }
        self.check(count)?;
        if rises {
            self.risen.push(Risen { gram, rows: self.rows.clone() });
        }
        if !is_shared {
            self.index.put_list(gram, &self.rows)?;
        }
        Ok(())
    }
}

/// Adds ascending rows to others, of which none is the same.
fn merge(rows: &mut Vec<u32>, came: &[u32]) {
    let (mut end, mut left) = (rows.len(), came.len());
    rows.resize(end + left, 0);
    for row in came.iter().rev() {
        let start = rows[..end].partition_point(|known| known < row);
        rows.copy_within(start..end, start + left);
        left -= 1;
        rows[start + left] = *row;
        end = start;
    }
}

#[cfg(test)]
mod tests;
