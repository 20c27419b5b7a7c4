//! Builds an index of beginnings from names and their items.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::{Beginnings, LAST, LETTERS_MAX, bytes};
use crate::text::spellings::Letter;

/// A key ends where this few names remain.
const BUCKET: usize = 16;
/// Where more names remain, next letters with at most `RARE` names share one run, up to the second bound in all.
const RARE: usize = 4;
const RARE_ALL: usize = 48;

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
        let mut cut =
            Cut { ranks: &ranks, bucket: if whole { 0 } else { BUCKET }, runs: &mut runs };
        cut.split(&names, 0);
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

struct Cut<'a> {
    ranks: &'a BTreeMap<Letter, Letter>,
    bucket: usize,
    runs: &'a mut Vec<Run>,
}

impl Cut<'_> {
    /// Divides names that are equal up to `depth` into runs.
    fn split(&mut self, names: &[NamedItem], depth: usize) {
        if depth > 0 && names.len() <= self.bucket {
            return self.push(&names.iter().collect::<Vec<_>>(), depth);
        }
        let ended = names.partition_point(|name| name.letters.len() == depth);
        let mut here: Vec<&NamedItem> = names[..ended].iter().collect();
        let next = |name: &NamedItem| name.letters[depth];
        for group in names[ended..].chunk_by(|left, right| next(left) == next(right)) {
            let is_rare =
                group.len() <= RARE.min(self.bucket) && here.len() + group.len() <= RARE_ALL;
            if is_rare && depth > 0 {
                here.extend(group);
            } else {
                self.split(group, depth + 1);
            }
        }
        self.push(&here, depth);
    }

    fn push(&mut self, names: &[&NamedItem], depth: usize) {
        let Some(first) = names.first() else { return };
        let mut key = Vec::new();
        for letter in &first.letters[..depth] {
            let (bytes, count) = bytes(self.ranks[letter]);
            key.extend_from_slice(&bytes[..count]);
        }
        let items = names.iter().map(|name| (Reverse(name.weight), name.item));
        let mut items: Vec<_> = items.collect();
        items.sort_unstable();
        items.dedup();
        self.runs.push(Run { key, items });
    }
}
