//! Prominence: how likely each row of an order is the intended one. Each place has a weight of one byte, and each run
//! of places its largest weight. A place is a position in the order.
//!
//! So the heaviest of a million names with a common beginning are found without reading most weights. [`weight`]
//! computes a weight, [`PlaceWeights`] reads them. Does not know which order it is.
//!
//! The section of a corporate snapshot has one byte per place in the order of names, then a
//! [`KeyPlace`](super::key_order::KeyPlace) of four bytes per place in the order of readings, then one byte per place
//! of the readings. [`SuggestedNames`] is stored beside it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rkyv::{Archive, Serialize};

use super::key_order::{KeyOrder, KeyRows, PLACE_BYTES, SAMPLE_INTERVAL};
use super::name_order::Family;
use super::standing::Standing;
use crate::snapshot::{Blocks, Fault};

/// Places per run.
pub const RUN: usize = 128;

/// The weight of a closed corporation; all others have more.
pub const CLOSED: u8 = 0;

/// The weight of an organisation that is named after an employer: nobody who types the employer's name means it.
const ORGANISATION: u8 = 1;

/// The weight of a corporation: how likely the beginning of its name means it.
pub fn weight(family: Family, standing: Standing, has_english_name: bool) -> u8 {
    match standing {
        Standing::Closed => return CLOSED,
        Standing::Organisation => return ORGANISATION,
        Standing::Employer | Standing::Open => {}
    }
    let digits = |number: u32, most: u32| (u32::BITS - number.leading_zeros()).min(most);
    // Employers with their own health insurance society or union come first.
    let employer = if family.employees > 0 { 120 } else { 0 };
    let weight = 2
        + employer
        + 16 * digits(family.employees, 4)
        + 2 * digits(family.names, 16)
        + if has_english_name { 20 } else { 0 }
        + if standing == Standing::Employer { 16 } else { 0 };
    u8::try_from(weight).expect("2 + 120 + 64 + 32 + 20 + 16 is less than 256")
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

#[derive(Debug, Default, Archive, Serialize)]
pub struct SuggestedNames {
    names: u32,
    readings: u32,
    /// The largest weight of each run of names, and of readings.
    largest_names: Vec<u8>,
    largest_readings: Vec<u8>,
    /// The first letters of every 128th key in the order of readings.
    samples: Vec<u64>,
}

/// Builds the section and its table from the weights in name order, the readings, and the weight of a row.
pub fn build_suggested_names(
    names: Vec<u8>,
    readings: KeyRows,
    weight: impl Fn(u32) -> u8,
) -> (SuggestedNames, Vec<u8>) {
    let reading_weights: Vec<u8> =
        readings.places.iter().map(|place| weight(place.row())).collect();
    let number = |count: usize| u32::try_from(count).expect("rows are numbered in three bytes");
    let directory = SuggestedNames {
        names: number(names.len()),
        readings: number(readings.places.len()),
        largest_names: maxima(&names),
        largest_readings: maxima(&reading_weights),
        samples: readings.samples,
    };
    let mut bytes = names;
    bytes.reserve(reading_weights.len() * (PLACE_BYTES + 1));
    bytes.extend(readings.places.iter().flat_map(|place| place.to_bytes()));
    bytes.extend(reading_weights);
    (directory, bytes)
}

impl ArchivedSuggestedNames {
    /// Checks all invariants that a suggestion relies on, for an order of this many names and a section of this
    /// many bytes.
    pub fn check(&self, names: usize, bytes: usize) -> Result<(), &'static str> {
        let readings = self.reading_count();
        if self.name_count() != names || bytes != names + readings * (PLACE_BYTES + 1) {
            return Err("a weight for each name, and a row and a weight for each reading");
        }
        if self.largest_names.len() != names.div_ceil(RUN)
            || self.largest_readings.len() != readings.div_ceil(RUN)
        {
            return Err("the largest weight of every 128 places");
        }
        if self.samples.len() != readings.div_ceil(SAMPLE_INTERVAL)
            || !self.samples.is_sorted_by_key(|sample| sample.to_native())
        {
            return Err("a sample of every 128 readings, ascending");
        }
        Ok(())
    }

    fn name_count(&self) -> usize {
        self.names.to_native() as usize
    }

    fn reading_count(&self) -> usize {
        self.readings.to_native() as usize
    }

    pub fn name_weights<'s>(&'s self, bytes: &'s Blocks) -> PlaceWeights<'s> {
        PlaceWeights { bytes, start: 0, maxima: &self.largest_names }
    }

    pub fn reading_order<'s>(&'s self, bytes: &'s Blocks) -> KeyOrder<'s> {
        let (start, places) = (self.name_count(), self.reading_count());
        KeyOrder { bytes, start, places, samples: &self.samples }
    }

    pub fn reading_weights<'s>(&'s self, bytes: &'s Blocks) -> PlaceWeights<'s> {
        let start = self.name_count() + self.reading_count() * PLACE_BYTES;
        PlaceWeights { bytes, start, maxima: &self.largest_readings }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn employers_come_before_common_beginnings() {
        let family = |names, employees| Family { names, employees, ..Family::default() };
        let open = |family, english| weight(family, Standing::Open, english);
        let weights = [
            weight(family(u32::MAX, u32::MAX), Standing::Closed, true),
            weight(family(u32::MAX, u32::MAX), Standing::Organisation, true),
            open(family(1, 0), false),
            open(family(u32::MAX, 0), false),
            open(family(u32::MAX, 0), true),
            open(family(0, 1), false),
            weight(family(0, 1), Standing::Employer, false),
            open(family(u32::MAX, u32::MAX), true),
            weight(family(u32::MAX, u32::MAX), Standing::Employer, true),
        ];
        assert!(weights.is_sorted_by(|left, right| left < right), "{weights:?}");
        let least = open(Family::default(), false);
        assert!(least > ORGANISATION, "an organisation comes behind every other one");
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

#[cfg(test)]
mod suggested_names_tests {
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn check(directory: &SuggestedNames, names: usize, bytes: usize) -> Result<(), &'static str> {
        let archived = rkyv::to_bytes::<rancor::Error>(directory).expect("archives");
        let section: Section<ArchivedSuggestedNames> =
            Section::validate(OwnMemory::of(archived)).expect("archived data are valid");
        section.root().check(names, bytes)
    }

    #[test]
    fn data_that_contradict_the_orders_are_refused() {
        let built = || {
            let readings = KeyRows::build(200, |row| Some(format!("{row:03}")));
            build_suggested_names(vec![5; 300], readings, |_| 5)
        };
        let length = built().1.len();
        assert_eq!(check(&built().0, 300, length), Ok(()));
        assert!(check(&built().0, 299, length).is_err());
        assert!(check(&built().0, 300, length - 1).is_err());
        let wrong: [fn(&mut SuggestedNames); 4] = [
            |it| it.largest_names.truncate(2),
            |it| it.largest_readings.push(9),
            |it| it.samples.reverse(),
            |it| it.samples.truncate(1),
        ];
        for change in wrong {
            let (mut directory, _) = built();
            change(&mut directory);
            assert!(check(&directory, 300, length).is_err(), "{directory:?}");
        }
    }
}
