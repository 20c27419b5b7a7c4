//! Names by their beginnings, the heaviest first: an fst from beginnings to runs of items.
//!
//! ```text
//! letters  sorted, with the rank of each by frequency in names: a rank is one or two bytes of a key
//! fst      keys are beginnings; a value is the index of a run's first item in `runs`
//! runs     three bytes per item, with a flag on the last of a run; sorted by first item; items by weight, then number
//! ```
//!
//! An fst arc carries the smallest value below it, and runs are sorted by their heaviest item. So the arcs lead to
//! the heaviest item first, without sorting at query time. A key ends where few enough names remain to compare
//! their letters one by one; with `whole` every key is a full name. Does not know what an item is, nor its letters:
//! the caller provides them.

mod find;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use fst::Streamer;
use fst::raw::Fst;
use rkyv::{Archive, Serialize};

use crate::text::spellings::Letter;

pub use find::{BeginningsReader, ItemRun, Match, NearMatch, Subtree};

#[derive(Debug, Default, Archive, Serialize)]
pub struct Beginnings {
    letters: Vec<u16>,
    ranks: Vec<u16>,
    fst: Vec<u8>,
    runs: Vec<u8>,
    /// Whether every key is a full name.
    whole: bool,
}

/// Ranks below this take one byte.
const ONE_BYTE_RANKS: usize = 256 - LEAD_BYTES;
/// Larger ranks take two bytes, the first of which is below this.
const LEAD_BYTES: usize = 32;
/// The limit on distinct letters: no ranks are left for more.
const LETTERS_MAX: usize = ONE_BYTE_RANKS + LEAD_BYTES * 256;

/// Flag in `runs`: the last item of a run.
const LAST: u32 = 1 << 23;

/// The bytes of a rank in a key, and how many of them it has.
fn rank_bytes(rank: Letter) -> ([u8; 2], usize) {
    let rank = usize::from(rank);
    match rank.checked_sub(ONE_BYTE_RANKS) {
        None => ([(LEAD_BYTES + rank) as u8, 0], 1),
        Some(long) => ([(long >> 8) as u8, long as u8], 2),
    }
}

/// A key ends where at most this many names remain.
const BUCKET_MAX: usize = 16;
/// Where more names remain, the names with a rare next letter share one run: a letter that at most this many have.
const RARE_MAX: usize = 4;
/// Most names in such a shared run.
const SHARED_MAX: usize = 48;

/// A name of an item. Items of equal weight are returned by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedItem {
    pub letters: Vec<Letter>,
    pub weight: u8,
    pub item: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error("an index of names: expected at most {LETTERS_MAX} different letters, found {0}")]
    Letters(usize),
    #[error("an index of names: expected items below {LAST}, found {0}")]
    Item(u32),
}

/// A future key, and its items in order.
struct Run {
    key: Vec<u8>,
    items: Vec<(Reverse<u8>, u32)>,
}

impl Beginnings {
    /// Indexes names. With `whole` every key is a full name, otherwise a beginning that few names share.
    pub fn build(mut names: Vec<NamedItem>, whole: bool) -> Result<Beginnings, BuildError> {
        if let Some(large) = names.iter().find(|name| name.item >= LAST) {
            return Err(BuildError::Item(large.item));
        }
        names.retain(|name| !name.letters.is_empty());
        names.sort_by(|left, right| (&left.letters, left.item).cmp(&(&right.letters, right.item)));
        names.dedup_by(|next, before| (&next.letters, next.item) == (&before.letters, before.item));
        let ranks = ranks(&names)?;
        let mut runs = Vec::new();
        let bucket_max = if whole { 0 } else { BUCKET_MAX };
        RunSplitter { ranks: &ranks, bucket_max, runs: &mut runs }.split(&names, 0);
        // Sorted by first item, so that the smallest value below an arc belongs to the heaviest item.
        runs.sort_by(|left, right| (left.items[0], &left.key).cmp(&(right.items[0], &right.key)));
        let mut built = Beginnings { whole, ..Beginnings::default() };
        let mut keys = BTreeMap::new();
        for run in runs {
            keys.insert(run.key, (built.runs.len() / 3) as u64);
            let last = run.items.len() - 1;
            for (number, (_, item)) in run.items.into_iter().enumerate() {
                let entry = item | if number == last { LAST } else { 0 };
                built.runs.extend_from_slice(&entry.to_le_bytes()[..3]);
            }
        }
        let map = fst::Map::from_iter(keys).expect("keys of a sorted map, written to memory");
        built.fst = map.into_fst().into_inner();
        for (letter, rank) in ranks {
            built.letters.push(letter);
            built.ranks.push(rank);
        }
        Ok(built)
    }
}

/// The rank of each letter: 0 for the letter that occurs in most names.
fn ranks(names: &[NamedItem]) -> Result<BTreeMap<Letter, Letter>, BuildError> {
    let mut counts: HashMap<Letter, usize> = HashMap::new();
    for letter in names.iter().flat_map(|name| &name.letters) {
        *counts.entry(*letter).or_default() += 1;
    }
    if counts.len() > LETTERS_MAX {
        return Err(BuildError::Letters(counts.len()));
    }
    let mut letters: Vec<(Letter, usize)> = counts.into_iter().collect();
    letters.sort_by_key(|(letter, count)| (Reverse(*count), *letter));
    Ok((0..).zip(letters).map(|(rank, (letter, _))| (letter, rank)).collect())
}

/// Divides sorted names into runs.
struct RunSplitter<'a> {
    ranks: &'a BTreeMap<Letter, Letter>,
    bucket_max: usize,
    runs: &'a mut Vec<Run>,
}

impl RunSplitter<'_> {
    /// Divides names whose first `depth` letters are equal.
    fn split(&mut self, names: &[NamedItem], depth: usize) {
        if depth > 0 && names.len() <= self.bucket_max {
            return self.push(&names.iter().collect::<Vec<_>>(), depth);
        }
        let ended_count = names.partition_point(|name| name.letters.len() == depth);
        let mut here: Vec<&NamedItem> = names[..ended_count].iter().collect();
        let next = |name: &NamedItem| name.letters[depth];
        for group in names[ended_count..].chunk_by(|left, right| next(left) == next(right)) {
            let is_rare = group.len() <= RARE_MAX.min(self.bucket_max)
                && here.len() + group.len() <= SHARED_MAX;
            if is_rare && depth > 0 {
                here.extend(group);
            } else {
                self.split(group, depth + 1);
            }
        }
        self.push(&here, depth);
    }

    /// Adds the run of these names, whose key is their first `depth` letters.
    fn push(&mut self, names: &[&NamedItem], depth: usize) {
        let Some(first) = names.first() else { return };
        let mut key = Vec::new();
        for letter in &first.letters[..depth] {
            let (bytes, count) = rank_bytes(self.ranks[letter]);
            key.extend_from_slice(&bytes[..count]);
        }
        let items = names.iter().map(|name| (Reverse(name.weight), name.item));
        let mut items: Vec<_> = items.collect();
        items.sort_unstable();
        items.dedup();
        self.runs.push(Run { key, items });
    }
}

impl ArchivedBeginnings {
    /// Checks all invariants that a search relies on; items are below `items`.
    pub fn check(&self, items: usize) -> Result<(), &'static str> {
        let are_sorted = self.letters.windows(2).all(|pair| pair[0] < pair[1]);
        let are_ranks = self.ranks.iter().all(|rank| usize::from(rank.to_native()) < LETTERS_MAX);
        if !are_sorted || !are_ranks || self.letters.len() != self.ranks.len() {
            return Err("a rank for every letter");
        }
        let entries = self.runs.len() / 3;
        let mut all = (0..entries as u32).map(|index| self.entry(index));
        let has_end = all.clone().next_back().is_none_or(|last| last & LAST != 0);
        let are_items = all.all(|entry| ((entry & !LAST) as usize) < items);
        if !are_items || !has_end || !self.runs.len().is_multiple_of(3) {
            return Err("runs of items");
        }
        // The fst's own checksum covers every byte that a walk follows.
        let fst = Fst::new(&self.fst[..]).ok().filter(|fst| fst.verify().is_ok());
        let Some(fst) = fst else { return Err("an fst") };
        let mut keys = fst.stream();
        while let Some((_key, run)) = keys.next() {
            if run.value() >= entries as u64 {
                return Err("a run for every beginning");
            }
        }
        Ok(())
    }

    /// An entry of `runs`: an item, and the flag [`LAST`]. Entries past the end are the last of their run.
    fn entry(&self, index: u32) -> u32 {
        let bytes = self.runs.as_chunks().0.get(index as usize);
        let [low, middle, high] = bytes.copied().unwrap_or([0, 0, 0x80]);
        u32::from_le_bytes([low, middle, high, 0])
    }

    fn rank(&self, letter: Letter) -> Option<Letter> {
        let index = self.letters.binary_search_by_key(&letter, |known| known.to_native()).ok()?;
        Some(self.ranks[index].to_native())
    }
}
