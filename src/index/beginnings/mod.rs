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

mod build;
mod find;
#[cfg(test)]
mod tests;

use fst::Streamer;
use fst::raw::Fst;
use rkyv::{Archive, Serialize};

use crate::text::spellings::Letter;

pub use build::{BuildError, NamedItem};
pub use find::{BeginningsReader, ItemRun, Match, NearMatch, Subtree, WeightedItem};

/// The index.
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

impl ArchivedBeginnings {
    /// Checks all invariants that a search relies on; items are below `items`.
    pub fn check(&self, items: usize) -> Result<(), &'static str> {
        let are_sorted = self.letters.windows(2).all(|pair| pair[0] < pair[1]);
        let are_ranks = self.ranks.iter().all(|rank| usize::from(rank.to_native()) < LETTERS_MAX);
        if !are_sorted || !are_ranks || self.letters.len() != self.ranks.len() {
            return Err("a rank for every letter");
        }
        let entries = self.runs.len() / 3;
        let are_items =
            (0..entries as u32).all(|index| ((self.entry(index) & !LAST) as usize) < items);
        let has_end = entries == 0 || self.entry(entries as u32 - 1) & LAST != 0;
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
        let offset = index as usize * 3;
        let bytes = self.runs.get(offset..offset + 3).unwrap_or(&[0, 0, 0x80]);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0])
    }

    fn rank(&self, letter: Letter) -> Option<Letter> {
        let index = self.letters.binary_search_by_key(&letter, |known| known.to_native()).ok()?;
        Some(self.ranks[index].to_native())
    }
}
