//! Prominence: how likely each row of an order is the intended one. Each place has a weight of one byte, and each
//! run of places its largest weight. A place is a position in the order.
//!
//! So the heaviest of a million names with a common beginning are found without reading most weights. [`weight`]
//! computes a weight, [`PlaceWeights`] reads them. Does not know which order it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::name_order::Family;
use crate::snapshot::{Blocks, Fault};

/// Places per run.
pub const RUN: usize = 128;

/// The weight of a closed corporation; all others have more.
pub const CLOSED: u8 = 0;

/// The weight of an open corporation: how likely the beginning of its name means it.
pub fn weight(family: Family, has_english_name: bool) -> u8 {
    let digits = |number: u32, most: u32| (u32::BITS - number.leading_zeros()).min(most);
    // Employers with their own health insurance society or union come first.
    let employer = if family.employees > 0 { 120 } else { 0 };
    let weight = 1
        + employer
        + 16 * digits(family.employees, 4)
        + 2 * digits(family.names, 16)
        + if has_english_name { 20 } else { 0 };
    u8::try_from(weight).expect("1 + 120 + 64 + 32 + 20 is less than 256")
}

/// The largest weight of each run.
pub fn maxima(weights: &[u8]) -> Vec<u8> {
    weights.chunks(RUN).map(|run| run.iter().copied().max().unwrap_or_default()).collect()
}

/// The weights of one order: this many bytes of a section from `start` on, and the maxima of the runs.
#[derive(Clone, Copy)]
pub struct PlaceWeights<'s> {
    pub bytes: &'s Blocks,
    pub start: usize,
    pub maxima: &'s [u8],
}

impl PlaceWeights<'_> {
    /// Calls `each` with the places of a range and their weights, the heaviest first, then by place, until it
    /// returns false.
    pub fn visit_heaviest_first(
        &self,
        range: Range<usize>,
        mut each: impl FnMut(usize, u8) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        if range.is_empty() {
            return Ok(());
        }
        // A run enters the queue with the maximum of its places.
        let runs = range.start / RUN..range.end.div_ceil(RUN);
        let run = |run: usize| {
            let largest = self.maxima.get(run).copied().unwrap_or_default();
            (largest, Reverse((run * RUN).max(range.start)), EntryKind::Run)
        };
        let mut queue: BinaryHeap<_> = runs.map(run).collect();
        while let Some((weight, Reverse(place), kind)) = queue.pop() {
            match kind {
                EntryKind::Place => {
                    if !each(place, weight)? {
                        return Ok(());
                    }
                }
                EntryKind::Run => {
                    let end = ((place / RUN + 1) * RUN).min(range.end);
                    let weights = self.bytes.get(self.start + place..self.start + end)?;
                    let places = (place..end).zip(weights);
                    queue.extend(places.map(|(place, it)| (*it, Reverse(place), EntryKind::Place)));
                }
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EntryKind {
    Place,
    Run,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn employers_come_before_common_beginnings() {
        let family = |names, employees| Family { names, employees };
        let weights = [
            weight(Family::default(), false),
            weight(family(1, 0), false),
            weight(family(u32::MAX, 0), false),
            weight(family(u32::MAX, 0), true),
            weight(family(0, 1), false),
            weight(family(0, 2), false),
            weight(family(u32::MAX, u32::MAX), true),
        ];
        assert!(weights.is_sorted_by(|left, right| left < right), "{weights:?}");
        assert!(weights[0] > CLOSED);
    }

    proptest! {
        #[test]
        fn visiting_gives_the_order_of_a_full_sort(
            weights in prop::collection::vec(0u8..9, 1..600),
            from in 0usize..600,
            length in 0usize..600,
            wanted in 1usize..40,
        ) {
            let range = from.min(weights.len())..(from + length).min(weights.len());
            let mut expected: Vec<usize> = range.clone().collect();
            expected.sort_by_key(|place| Reverse(weights[*place]));
            expected.truncate(wanted);
            let maxima = maxima(&weights);
            let other = vec![7; 3];
            let bytes = Blocks::in_memory([other, weights.clone()].concat());
            let place_weights = PlaceWeights { bytes: &bytes, start: 3, maxima: &maxima };
            let mut found = Vec::new();
            place_weights
                .visit_heaviest_first(range, |place, weight| {
                    assert_eq!(weight, weights[place]);
                    found.push(place);
                    Ok(found.len() < wanted)
                })
                .expect("sound");
            prop_assert_eq!(found, expected);
        }
    }
}
