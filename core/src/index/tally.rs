//! Counts for every row of a table how many of several sets contain it.
//!
//! The counts are kept as bitmaps, one for each binary digit, so that adding a set takes a few operations for 64 rows
//! at once. Up to 64 sets, as many as a query has words, need seven bitmaps.

use super::row_set::RowSet;

#[derive(Debug, Clone)]
pub struct Tally {
    /// The digits of the counts, the lowest first.
    digits: Vec<RowSet>,
    rows: usize,
    sets: usize,
}

impl Tally {
    /// Counts of zero, for a table of this many rows.
    pub fn new(rows: usize) -> Tally {
        Tally { digits: Vec::new(), rows, sets: 0 }
    }

    /// Adds one to the count of each row of a set.
    pub fn add(&mut self, set: &RowSet) {
        self.sets += 1;
        let mut carried = set.clone();
        for digit in &mut self.digits {
            let mut both = carried.clone();
            both.and(digit);
            digit.or(&carried);
            digit.and_not(&both);
            carried = both;
        }
        if self.sets.is_power_of_two() {
            self.digits.push(carried);
        }
    }

    /// The number of sets that were added.
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// How many bitmaps a count has.
    pub fn digits(&self) -> usize {
        self.digits.len()
    }

    /// The rows among these that `count` of the sets contain.
    pub fn counted(&self, count: usize, among: &RowSet) -> RowSet {
        if count > self.sets {
            return RowSet::empty(self.rows);
        }
        let mut found = among.clone();
        for (position, digit) in self.digits.iter().enumerate() {
            match count >> position & 1 {
                1 => found.and(digit),
                _ => found.and_not(digit),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ROWS: usize = 200;

    fn set(rows: &BTreeSet<usize>) -> RowSet {
        RowSet::of(ROWS, rows.iter().copied())
    }

    proptest! {
        #[test]
        fn every_row_has_the_count_of_its_sets(
            sets in prop::collection::vec(prop::collection::btree_set(0usize..ROWS, 0..90), 0..12),
            among in prop::collection::btree_set(0usize..ROWS, 0..90),
        ) {
            let mut tally = Tally::new(ROWS);
            sets.iter().for_each(|rows| tally.add(&set(rows)));
            prop_assert_eq!(tally.sets(), sets.len());
            for count in 0..14 {
                let of = |row: &usize| sets.iter().filter(|rows| rows.contains(row)).count();
                let expected: BTreeSet<usize> =
                    among.iter().copied().filter(|row| of(row) == count).collect();
                prop_assert_eq!(tally.counted(count, &set(&among)), set(&expected), "{}", count);
            }
        }
    }
}
