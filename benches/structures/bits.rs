//! Compares the project's set of rows with `fixedbitset`, in the operations of a postal search.

use std::hint::black_box;

use daicho::index::row_set::RowSet;
use fixedbitset::FixedBitSet;

use super::support::source::SeededRandom;
use super::support::{measure, ratio};

/// Number of rows of a month.
const ROWS: usize = 151_000;

/// Number of prefectures, whose rows a search counts for the facets.
const RANGES: usize = 47;

pub fn compare() {
    println!("a set of {ROWS} rows: ours and fixedbitset");
    for count in [100, 5_000, 50_000] {
        let mut random = SeededRandom::new(13);
        let sets: Vec<Vec<usize>> =
            (0..40).map(|_| (0..count).map(|_| random.below(ROWS)).collect()).collect();
        let ranges = || (0..RANGES).map(|n| n * ROWS / RANGES..(n + 1) * ROWS / RANGES);
        let own = measure(&format!("ours: insert {count}, count ranges"), &sets, |rows| {
            let mut set = RowSet::empty(ROWS);
            rows.iter().for_each(|row| set.insert(*row));
            ranges().map(|range| set.count_range(range)).max()
        });
        let other = measure("fixedbitset", &sets, |rows| {
            let mut set = FixedBitSet::with_capacity(ROWS);
            rows.iter().for_each(|row| set.insert(*row));
            ranges().map(|range| set.count_ones(range)).max()
        });
        ratio("ours", own, other);
        let made: Vec<(RowSet, FixedBitSet)> = sets
            .iter()
            .map(|rows| {
                let mut own = RowSet::empty(ROWS);
                rows.iter().for_each(|row| own.insert(*row));
                let mut other = FixedBitSet::with_capacity(ROWS);
                rows.iter().for_each(|row| other.insert(*row));
                (own, other)
            })
            .collect();
        let own = measure("ours: union, difference, visit", &made, |(set, _)| {
            let mut all = made[0].0.clone();
            all.or(set);
            all.and_not(&made[1].0);
            let mut sum = 0;
            all.for_each(|row| sum += row);
            black_box(sum)
        });
        let other = measure("fixedbitset", &made, |(_, set)| {
            let mut all = made[0].1.clone();
            all.union_with(set);
            all.difference_with(&made[1].1);
            let mut sum = 0;
            all.ones().for_each(|row| sum += row);
            black_box(sum)
        });
        ratio("ours", own, other);
    }
}
