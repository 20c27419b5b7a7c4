//! A posting list as a bitmap, used when it is smaller than the packed form, or not much larger. First `ranks`: a u32 per 512 rows, the
//! number of rows set before them. Then `words`: a u64 per 64 rows.
//!
//! Any bytes can be read without a panic and in bounded time.

use crate::index::word;

/// Rows per rank: the bits of one cache line.
const RANK_ROWS: usize = 512;

const BITS: usize = u64::BITS as usize;

/// The size of a bitmap of rows below `universe`.
pub fn byte_length(universe: u32) -> usize {
    let rows = universe as usize;
    rows.div_ceil(RANK_ROWS) * size_of::<u32>() + rows.div_ceil(BITS) * size_of::<u64>()
}

pub fn encode(rows: &[u32], universe: u32, out: &mut Vec<u8>) {
    let mut words = vec![0u64; (universe as usize).div_ceil(BITS)];
    for row in rows {
        words[*row as usize / BITS] |= 1 << (*row as usize % BITS);
    }
    let mut rank = 0u32;
    for stretch in words.chunks(RANK_ROWS / BITS) {
        out.extend_from_slice(&rank.to_le_bytes());
        rank += stretch.iter().map(|word| word.count_ones()).sum::<u32>();
    }
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

#[derive(Debug, Clone, Copy)]
pub struct Bitmap<'s> {
    pub count: usize,
    /// One more than the largest row that may be set.
    universe: usize,
    ranks: &'s [[u8; 4]],
    words: &'s [u8],
}

impl<'s> Bitmap<'s> {
    /// The bitmap with `count` rows below `universe`, at the beginning of these bytes.
    pub fn of(count: usize, universe: u32, bytes: &'s [u8]) -> Bitmap<'s> {
        let universe = universe as usize;
        let ranks = universe.div_ceil(RANK_ROWS) * size_of::<u32>();
        let (ranks, words) = bytes.split_at_checked(ranks).unwrap_or_default();
        Bitmap { count, universe, ranks: ranks.as_chunks().0, words }
    }

    /// Sixty-four rows. Bits past the last row may be set in damaged data.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        word(self.words, at * size_of::<u64>())
    }

    /// All words, the lowest rows first.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        (0..self.universe.div_ceil(BITS)).map(|at| self.word(at))
    }

    /// How many rows are set before a stretch of [`RANK_ROWS`] rows.
    fn stretch_rank(&self, stretch: usize) -> usize {
        u32::from_le_bytes(self.ranks.get(stretch).copied().unwrap_or_default()) as usize
    }

    #[inline]
    pub fn contains(&self, row: u32) -> bool {
        let row = row as usize;
        row < self.universe && self.word(row / BITS) >> (row % BITS) & 1 == 1
    }

    pub fn rank(&self, row: u32) -> usize {
        let row = row as usize;
        if row >= self.universe {
            return self.count;
        }
        let stretch = row / RANK_ROWS;
        let whole = stretch * (RANK_ROWS / BITS)..row / BITS;
        let inside: u32 = whole.map(|at| self.word(at).count_ones()).sum();
        let below = self.word(row / BITS) & !(u64::MAX << (row % BITS));
        self.stretch_rank(stretch) + (inside + below.count_ones()) as usize
    }

    /// The row with this rank; past the last row if the rank is too large.
    pub fn select(&self, rank: usize) -> u32 {
        let is_at_most = |it: &[u8; 4]| u32::from_le_bytes(*it) as usize <= rank;
        let stretch = self.ranks.partition_point(is_at_most).saturating_sub(1);
        let mut remaining = rank.saturating_sub(self.stretch_rank(stretch));
        for at in stretch * (RANK_ROWS / BITS)..self.universe.div_ceil(BITS) {
            let mut word = self.word(at);
            let ones = word.count_ones() as usize;
            if remaining < ones {
                for _ in 0..remaining {
                    word &= word - 1;
                }
                return (at * BITS) as u32 + word.trailing_zeros();
            }
            remaining -= ones;
        }
        self.universe as u32
    }

    /// Reads the rows at or after `start` until `rows` is full. Returns how many, and where to continue.
    pub fn read(&self, start: usize, rows: &mut [u32]) -> (usize, usize) {
        let mut filled = 0;
        let mut next = start;
        for at in start / BITS..self.universe.div_ceil(BITS) {
            let mut word = self.word(at) & u64::MAX << (next % BITS);
            while word != 0 {
                let row = at * BITS + word.trailing_zeros() as usize;
                let Some(out) = rows.get_mut(filled) else { return (filled, row) };
                *out = row as u32;
                filled += 1;
                word &= word - 1;
            }
            next = (at + 1) * BITS;
        }
        (filled, next.max(start))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::index::SLACK;

    const UNIVERSE: u32 = 2_000;

    proptest! {
        #[test]
        fn bitmap_is_a_set_with_ranks(
            rows in prop::collection::btree_set(0u32..UNIVERSE, 1..900),
            size in 1usize..200,
            from in 0u32..UNIVERSE + 100,
        ) {
            let rows: BTreeSet<u32> = rows;
            let ascending: Vec<u32> = rows.iter().copied().collect();
            let mut bytes = Vec::new();
            encode(&ascending, UNIVERSE, &mut bytes);
            prop_assert_eq!(bytes.len(), byte_length(UNIVERSE));
            bytes.extend([0; SLACK]);
            let list = Bitmap::of(rows.len(), UNIVERSE, &bytes);
            for row in 0..UNIVERSE + 70 {
                prop_assert_eq!(list.contains(row), rows.contains(&row));
                prop_assert_eq!(list.rank(row), rows.range(..row).count());
            }
            for (rank, row) in ascending.iter().enumerate() {
                prop_assert_eq!(list.select(rank), *row);
            }
            prop_assert!(list.select(rows.len()) >= UNIVERSE);
            let (mut read, mut place, mut buffer) = (Vec::new(), from as usize, vec![0; size]);
            loop {
                let (filled, next) = list.read(place, &mut buffer);
                read.extend_from_slice(&buffer[..filled]);
                if filled == 0 {
                    break;
                }
                place = next;
            }
            prop_assert_eq!(read, rows.range(from..).copied().collect::<Vec<_>>());
        }

        #[test]
        fn damage_never_panics(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            count in 0usize..5_000,
            row in any::<u32>(),
        ) {
            let list = Bitmap::of(count, UNIVERSE, &bytes);
            prop_assert!(!list.contains(row) || row < UNIVERSE);
            list.rank(row % UNIVERSE);
            prop_assert!(list.select(count) <= UNIVERSE + BITS as u32);
            let (filled, next) = list.read(row as usize % 3_000, &mut [0; 100]);
            prop_assert!(filled <= 100 && next >= row as usize % 3_000);
        }
    }
}
