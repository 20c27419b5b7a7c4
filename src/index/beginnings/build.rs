//! Builds an index of beginnings from names and their items.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::{Beginnings, LAST, LETTERS_MAX, rank_bytes};
use crate::text::spellings::Letter;

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
        // Sorted by first item, so that the smallest value below an arc is that of the heaviest item.
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
