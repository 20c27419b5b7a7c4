//! The suggestion data of a corporate snapshot: the weight of each name, and the readings in order with their
//! weights.
//!
//! The section has one byte per place in the order of names, then three bytes (the row) per place in the order of
//! readings, then one byte per place of the readings. [`SuggestedNames`] is stored beside it.

use rkyv::{Archive, Serialize};

use super::prominence::{PlaceWeights, RUN, maxima};
use super::reading_order::{PLACE_BYTES, ReadingOrder, ReadingRows, SAMPLE_INTERVAL};
use crate::snapshot::Blocks;

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
pub fn build(
    names: Vec<u8>,
    readings: ReadingRows,
    weight: impl Fn(u32) -> u8,
) -> (SuggestedNames, Vec<u8>) {
    let reading_weights: Vec<u8> = readings.rows.iter().map(|row| weight(*row)).collect();
    let number = |count: usize| u32::try_from(count).expect("rows are numbered in three bytes");
    let directory = SuggestedNames {
        names: number(names.len()),
        readings: number(readings.rows.len()),
        largest_names: maxima(&names),
        largest_readings: maxima(&reading_weights),
        samples: readings.samples,
    };
    let mut bytes = names;
    bytes.reserve(reading_weights.len() * (PLACE_BYTES + 1));
    bytes.extend(readings.rows.iter().flat_map(|row| {
        let [low, middle, high, _] = row.to_le_bytes();
        [low, middle, high]
    }));
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

    pub fn reading_order<'s>(&'s self, bytes: &'s Blocks) -> ReadingOrder<'s> {
        let (start, places) = (self.name_count(), self.reading_count());
        ReadingOrder { bytes, start, places, samples: &self.samples }
    }

    pub fn reading_weights<'s>(&'s self, bytes: &'s Blocks) -> PlaceWeights<'s> {
        let start = self.name_count() + self.reading_count() * PLACE_BYTES;
        PlaceWeights { bytes, start, maxima: &self.largest_readings }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::Section;

    fn check(directory: &SuggestedNames, names: usize, bytes: usize) -> Result<(), &'static str> {
        let archived = rkyv::to_bytes::<rancor::Error>(directory).expect("archives");
        let section: Section<ArchivedSuggestedNames> =
            Section::validate(Bytes::from_owner(archived)).expect("archived data are valid");
        section.root().check(names, bytes)
    }

    #[test]
    fn data_that_contradict_the_orders_are_refused() {
        let built = || {
            let readings = ReadingRows { rows: (0..200).collect(), samples: vec![1, 2] };
            build(vec![5; 300], readings, |_| 5)
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
