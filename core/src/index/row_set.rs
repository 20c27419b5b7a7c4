//! A set of rows: one bit per row.
//!
//! Not `fixedbitset`: it counts the bits of each word. For the sets of a postal search with their counts of 47 prefectures,
//! it takes up to 2.6 times as long (bench `structures`). Rows beyond the table are ignored, so that damaged lists cannot panic.

use std::ops::{ControlFlow, Range};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowSet {
    words: Vec<u64>,
    rows: usize,
}

const BITS: usize = u64::BITS as usize;

/// Of lists with at least one row in so many, most words get several rows.
const DENSE_WORD_ROWS: usize = 16;

impl RowSet {
    /// A set without rows, for a table of this many.
    pub fn empty(rows: usize) -> RowSet {
        RowSet { words: vec![0; rows.div_ceil(BITS)], rows }
    }

    /// A set without rows, for the table of this one.
    pub fn none_of_table(&self) -> RowSet {
        RowSet::empty(self.rows)
    }

    pub fn full(rows: usize) -> RowSet {
        let mut set = RowSet::empty(rows);
        set.insert_range(0..rows);
        set
    }

    #[cfg(test)]
    pub fn of(rows: usize, members: impl IntoIterator<Item = usize>) -> RowSet {
        let mut set = RowSet::empty(rows);
        members.into_iter().for_each(|row| set.insert(row));
        set
    }

    /// Adds a row; one beyond the table is ignored.
    #[inline]
    pub fn insert(&mut self, row: usize) {
        if row < self.rows {
            or_word(&mut self.words, row / BITS, 1 << (row % BITS));
        }
    }

    /// Adds the rows with which `visit` calls its argument; those beyond the table are ignored.
    pub fn insert_visited(&mut self, visit: impl FnOnce(RowInserter<'_>)) {
        visit(RowInserter { words: &mut self.words });
        self.clear_spare_bits();
    }

    /// Removes what was inserted beyond the table.
    fn clear_spare_bits(&mut self) {
        if let (Some(last), spare @ 1..) = (self.words.last_mut(), self.rows % BITS) {
            *last &= u64::MAX >> (BITS - spare);
        }
    }

    /// Adds ascending rows; those beyond the table are ignored.
    pub fn insert_ascending(&mut self, rows: &[u32]) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        let is_sparse = last.saturating_sub(*first) as usize / DENSE_WORD_ROWS > rows.len();
        if is_sparse || *last as usize >= self.rows {
            rows.iter().for_each(|row| self.insert(*row as usize));
            return;
        }
        // Writes a word once for all its rows: to write it again would wait for the write before.
        let (mut index, mut bits) = (*first as usize / BITS, 0u64);
        for row in rows {
            let row = *row as usize;
            if row / BITS != index {
                or_word(&mut self.words, index, bits);
                (index, bits) = (row / BITS, 0);
            }
            bits |= 1 << (row % BITS);
        }
        or_word(&mut self.words, index, bits);
    }

    #[inline]
    pub fn remove(&mut self, row: usize) {
        if let Some(word) = self.words.get_mut(row / BITS) {
            *word &= !(1 << (row % BITS));
        }
    }

    pub fn insert_range(&mut self, range: Range<usize>) {
        let Some(masked) = MaskedWords::new(range.start..range.end.min(self.rows)) else { return };
        match self.words.get_mut(masked.words) {
            Some([only]) => *only |= masked.first & masked.last,
            Some([first, inside @ .., last]) => {
                *first |= masked.first;
                inside.fill(u64::MAX);
                *last |= masked.last;
            }
            _ => {}
        }
    }

    #[inline]
    pub fn contains(&self, row: usize) -> bool {
        self.words.get(row / BITS).is_some_and(|word| word >> (row % BITS) & 1 == 1)
    }

    /// The set as words of 64 rows, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Like [`and`](Self::and), with another set's words of 64 rows each.
    pub fn and_words(&mut self, words: impl Iterator<Item = u64>) {
        let words = words.chain(std::iter::repeat(0));
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word &= other);
    }

    pub fn and(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub fn and_not(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    pub fn or(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Adds the rows of another set's words of 64 rows each.
    pub fn or_words(&mut self, words: impl Iterator<Item = u64>) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
        self.clear_spare_bits();
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn count(&self) -> u64 {
        count_ones(&self.words)
    }

    pub fn count_range(&self, range: Range<usize>) -> u64 {
        let Some(masked) = MaskedWords::new(range.start..range.end.min(self.rows)) else {
            return 0;
        };
        match self.words.get(masked.words) {
            Some([only]) => u64::from((only & masked.first & masked.last).count_ones()),
            Some([first, inside @ .., last]) => {
                let ends = [first & masked.first, last & masked.last];
                count_small(&ends) + count_ones(inside)
            }
            _ => 0,
        }
    }

    /// Calls `each` with the rows, ascending, until it breaks.
    #[inline]
    pub fn visit(&self, mut each: impl FnMut(usize) -> ControlFlow<()>) {
        for (index, word) in self.words.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                if each(index * BITS + word.trailing_zeros() as usize).is_break() {
                    return;
                }
                word &= word - 1;
            }
        }
    }

    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(usize)) {
        self.visit(|row| {
            each(row);
            ControlFlow::Continue(())
        });
    }
}

/// Adds rows to a set one by one.
pub struct RowInserter<'w> {
    words: &'w mut [u64],
}

impl RowInserter<'_> {
    #[inline]
    pub fn insert(&mut self, row: u32) {
        or_word(self.words, row as usize / BITS, 1 << (row as usize % BITS));
    }
}

#[inline]
fn or_word(words: &mut [u64], index: usize, bits: u64) {
    if let Some(word) = words.get_mut(index) {
        *word |= bits;
    }
}

/// Words that are combined side by side: with two, the compiler uses no vectors, and counting takes 1.4 times as long.
const LANES: usize = 4;

/// Words whose bits are added before any are counted.
const STRETCH: usize = 8 * LANES;

/// How many bits of the words are set. A program for every processor takes a dozen instructions to count the bits of a word.
/// So bits at the same place of several words are added first, which takes a few, and one word of eight is counted.
fn count_ones(words: &[u64]) -> u64 {
    let (stretches, rest) = words.as_chunks::<STRETCH>();
    let (mut ones, mut twos, mut fours) = ([0; LANES], [0; LANES], [0; LANES]);
    let mut eights = 0;
    for stretch in stretches {
        let words = stretch.as_chunks::<LANES>().0;
        let pairs = [
            add_bits(&mut ones, words[0], words[1]),
            add_bits(&mut ones, words[2], words[3]),
            add_bits(&mut ones, words[4], words[5]),
            add_bits(&mut ones, words[6], words[7]),
        ];
        let fourfold =
            [add_bits(&mut twos, pairs[0], pairs[1]), add_bits(&mut twos, pairs[2], pairs[3])];
        eights += count_each(&add_bits(&mut fours, fourfold[0], fourfold[1]));
    }
    8 * eights
        + 4 * count_each(&fours)
        + 2 * count_each(&twos)
        + count_each(&ones)
        + count_small(rest)
}

/// Adds the bits at each place of two words to a sum, whose bits become the lower digit. Returns the higher digit.
#[inline]
fn add_bits(sum: &mut [u64; LANES], left: [u64; LANES], right: [u64; LANES]) -> [u64; LANES] {
    let mut carry = [0; LANES];
    for lane in 0..LANES {
        let differ = left[lane] ^ right[lane];
        carry[lane] = left[lane] & right[lane] | differ & sum[lane];
        sum[lane] ^= differ;
    }
    carry
}

#[inline]
fn count_each(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Most words of a small set are empty.
#[inline]
fn count_small(words: &[u64]) -> u64 {
    words.iter().filter(|word| **word != 0).map(|word| u64::from(word.count_ones())).sum()
}

/// The words that a range overlaps, and masks of the range for the first and the last word.
struct MaskedWords {
    words: Range<usize>,
    first: u64,
    last: u64,
}

impl MaskedWords {
    /// `None` for an empty range.
    fn new(range: Range<usize>) -> Option<MaskedWords> {
        let end = range.end.checked_sub(1).filter(|end| *end >= range.start)?;
        Some(MaskedWords {
            words: range.start / BITS..end / BITS + 1,
            first: u64::MAX << (range.start % BITS),
            last: u64::MAX >> (BITS - 1 - end % BITS),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ROWS: usize = 300;

    fn set(rows: &BTreeSet<usize>) -> RowSet {
        RowSet::of(ROWS, rows.iter().copied())
    }

    proptest! {
        #[test]
        fn bits_are_counted_together(
            words in prop::collection::vec(
                prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>()],
                0..5 * STRETCH,
            ),
        ) {
            let expected: u32 = words.iter().map(|word| word.count_ones()).sum();
            prop_assert_eq!(count_ones(&words), u64::from(expected));
        }

        #[test]
        fn row_set_behaves_like_a_set(
            left in prop::collection::btree_set(0usize..ROWS, 0..60),
            right in prop::collection::btree_set(0usize..ROWS, 0..60),
            start in 0usize..ROWS + 100,
            length in 0usize..ROWS,
        ) {
            let range = start..start + length;
            let rows = |set: &RowSet| {
                let mut rows = BTreeSet::new();
                set.for_each(|row| _ = rows.insert(row));
                rows
            };
            let changed = |change: &dyn Fn(&mut RowSet)| {
                let mut changed = set(&left);
                change(&mut changed);
                rows(&changed)
            };
            prop_assert_eq!(changed(&|it| it.and(&set(&right))), &left & &right);
            prop_assert_eq!(changed(&|it| it.or(&set(&right))), &left | &right);
            prop_assert_eq!(changed(&|it| it.and_not(&set(&right))), &left - &right);
            let ranged: BTreeSet<usize> = range.clone().filter(|row| *row < ROWS).collect();
            let words = || set(&right).words.into_iter();
            prop_assert_eq!(changed(&|it| it.and_words(words())), &left & &right);
            prop_assert_eq!(changed(&|it| it.and_words(words().take(2))).len(),
                (&left & &right).range(..128).count());
            prop_assert_eq!(changed(&|it| it.or_words(words())), &left | &right);
            prop_assert_eq!(changed(&|it| it.or_words([u64::MAX; 9].into_iter())).len(), ROWS);
            prop_assert_eq!(changed(&|it| it.insert_range(range.clone())), &left | &ranged);
            let listed: Vec<u32> = right.iter().map(|row| *row as u32 + 9).collect();
            let inserted: BTreeSet<usize> =
                right.iter().map(|row| row + 9).filter(|row| *row < ROWS).collect();
            prop_assert_eq!(changed(&|it| it.insert_ascending(&listed)), &left | &inserted);
            let visit = |mut set: RowInserter<'_>| listed.iter().for_each(|row| set.insert(*row));
            prop_assert_eq!(changed(&|it| it.insert_visited(visit)), &left | &inserted);
            let dense: Vec<u32> = range.clone().map(|row| row as u32).collect();
            prop_assert_eq!(changed(&|it| it.insert_ascending(&dense)), &left | &ranged);
            prop_assert_eq!(set(&left).count(), left.len() as u64);
            prop_assert_eq!(set(&left).is_empty(), left.is_empty());
            prop_assert_eq!(set(&left).count_range(range.clone()), (&left & &ranged).len() as u64);
            prop_assert!((0..ROWS + 70).all(|row| set(&left).contains(row) == left.contains(&row)));
            prop_assert_eq!(rows(&RowSet::full(ROWS)).len(), ROWS);
        }
    }
}
