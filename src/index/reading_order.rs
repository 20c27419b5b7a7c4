//! Rows sorted by the Roman keys of their readings ([`roman_key`]): finds the readings that begin with typed text,
//! in kana or Roman letters.
//!
//! It has three bytes per row, and the first letters of every 128th key, so that a search computes a dozen keys
//! instead of two dozen. The readings are not stored: the caller gives the reading of a row. Damaged bytes are
//! faults and never panic.

use std::num::NonZero;
use std::ops::Range;
use std::thread;

use super::name_order::bisect;
use super::renumbering::Renumbering;
use crate::snapshot::{Blocks, Fault};
use crate::text::roman_key::roman_key;

/// Bytes per place.
pub const PLACE: usize = 3;

/// Places between samples.
pub const SAMPLE: usize = 128;

/// The order after building: its rows, and the first letters of every 128th key.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadingRows {
    pub rows: Vec<u32>,
    pub samples: Vec<u64>,
}

impl ReadingRows {
    /// Orders this many rows; `reading` gives a row's reading, `None` if it has none or is hidden.
    pub fn build(rows: u32, reading: impl Fn(u32) -> Option<String> + Sync) -> ReadingRows {
        let threads = thread::available_parallelism().map_or(1, NonZero::get) as u32;
        let size = rows.div_ceil(threads).max(1);
        let share = |first: u32| {
            let mut share = Share::default();
            for row in first..rows.min(first + size) {
                if let Some(key) = reading(row).map(|reading| roman_key(&reading))
                    && !key.is_empty()
                {
                    let start = share.text.len();
                    share.text.push_str(&key);
                    share.keys.push(Key {
                        letters: first_letters(&key, 0),
                        start,
                        end: share.text.len(),
                        row,
                    });
                }
            }
            let Share { text, keys } = &mut share;
            keys.sort_unstable_by(|left, right| left.compare(text, right, text));
            share
        };
        let shares: Vec<Share> = thread::scope(|scope| {
            let share = &share;
            let shares: Vec<_> = (0..rows)
                .step_by(size as usize)
                .map(|first| scope.spawn(move || share(first)))
                .collect();
            let join = |share: thread::ScopedJoinHandle<'_, _>| {
                share.join().expect("a share of readings is sorted without panic")
            };
            shares.into_iter().map(join).collect()
        });
        let mut all: Vec<(usize, &Key)> = Vec::new();
        for (number, share) in shares.iter().enumerate() {
            all.extend(share.keys.iter().map(|key| (number, key)));
        }
        // The standard sort recognises the sorted shares as runs and merges them.
        let text = |share: usize| &*shares[share].text;
        all.sort_by(|left, right| left.1.compare(text(left.0), right.1, text(right.0)));
        ReadingRows {
            samples: all.iter().step_by(SAMPLE).map(|(_, key)| key.letters).collect(),
            rows: all.iter().map(|(_, key)| key.row).collect(),
        }
    }

    /// The same, made from the order of an earlier table: only the readings of new rows are sorted.
    pub fn renew(
        before: ReadingOrder<'_>,
        renumbering: &Renumbering,
        reading: impl Fn(u32) -> Option<String>,
    ) -> Result<ReadingRows, Fault> {
        let key = |row: u32| reading(row).map(|reading| roman_key(&reading)).unwrap_or_default();
        let mut kept = Vec::with_capacity(before.places);
        for place in 0..before.places {
            kept.extend(renumbering.row(before.row(place)?));
        }
        let added = renumbering.added().iter().map(|row| (key(*row), *row));
        let mut added: Vec<(String, u32)> = added.filter(|(key, _)| !key.is_empty()).collect();
        added.sort_unstable();
        let mut rows = Vec::with_capacity(kept.len() + added.len());
        let mut rest = &kept[..];
        for (own, row) in added {
            let below = |other: &u32| (key(*other).as_str(), *other) < (own.as_str(), row);
            let (in_front, behind) = rest.split_at(rest.partition_point(below));
            rows.extend_from_slice(in_front);
            rows.push(row);
            rest = behind;
        }
        rows.extend_from_slice(rest);
        let samples = rows.iter().step_by(SAMPLE).map(|row| first_letters(&key(*row), 0)).collect();
        Ok(ReadingRows { rows, samples })
    }
}

#[derive(Default)]
struct Share {
    /// The keys, concatenated.
    text: String,
    keys: Vec<Key>,
}

struct Key {
    letters: u64,
    start: usize,
    end: usize,
    row: u32,
}

impl Key {
    fn compare(&self, text: &str, other: &Key, others: &str) -> std::cmp::Ordering {
        let keys = || text[self.start..self.end].cmp(&others[other.start..other.end]);
        self.letters.cmp(&other.letters).then_with(keys).then(self.row.cmp(&other.row))
    }
}

const LETTERS: usize = 8;

/// The first eight letters as a number that sorts like the key, padded with `fill`.
fn first_letters(key: &str, fill: u8) -> u64 {
    let letters = key.bytes().chain(std::iter::repeat(fill));
    letters.take(LETTERS).fold(0, |number, letter| number << 8 | u64::from(letter))
}

/// Places of the matching keys in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingPlaces {
    /// Keys that equal the text.
    pub equal: Range<usize>,
    /// Keys that continue after it.
    pub longer: Range<usize>,
}

/// A stored order: this many places of a section from `start` on.
#[derive(Clone, Copy)]
pub struct ReadingOrder<'s> {
    pub bytes: &'s Blocks,
    pub start: usize,
    pub places: usize,
    pub samples: &'s [rkyv::rend::u64_le],
}

impl ReadingOrder<'_> {
    pub fn row(&self, place: usize) -> Result<u32, Fault> {
        let start = self.start + place * PLACE;
        let bytes = self.bytes.get(start..start + PLACE)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]))
    }

    /// The places whose keys begin with `beginning`, which is a Roman key; `reading` gives a row's reading.
    pub fn find(
        &self,
        beginning: &str,
        reading: impl Fn(u32) -> Result<String, Fault>,
    ) -> Result<ReadingPlaces, Fault> {
        let key =
            |place: usize| -> Result<String, Fault> { Ok(roman_key(&reading(self.row(place)?)?)) };
        let behind = |samples: usize| (samples * SAMPLE).min(self.places);
        let [low, high] = [0, u8::MAX].map(|fill| first_letters(beginning, fill));
        let before = self.samples.partition_point(|sample| sample.to_native() < low);
        let until = self.samples.partition_point(|sample| sample.to_native() <= low);
        let around = before.saturating_sub(1) * SAMPLE..behind(until);
        let start = bisect(around, |place| Ok(&*key(place)? < beginning))?;
        let until = self.samples.partition_point(|sample| sample.to_native() <= high);
        // For up to eight letters the samples bound the end to within 128 places.
        let known = if beginning.len() <= LETTERS { until.saturating_sub(1) * SAMPLE } else { 0 };
        let around = known.max(start)..behind(until).max(start);
        let end = bisect(around, |place| Ok(key(place)?.starts_with(beginning)))?;
        let whole = bisect(start..end, |place| Ok(key(place)? == beginning))?;
        Ok(ReadingPlaces { equal: start..whole, longer: whole..end })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rend::u64_le;

    use super::*;

    /// An order in its stored form.
    struct Stored {
        bytes: Blocks,
        places: usize,
        samples: Vec<u64_le>,
    }

    impl Stored {
        fn of(built: &ReadingRows) -> Stored {
            let row = |row: &u32| row.to_le_bytes()[..PLACE].to_vec();
            Stored {
                bytes: Blocks::in_memory(built.rows.iter().flat_map(row).collect()),
                places: built.rows.len(),
                samples: built.samples.iter().map(|it| u64_le::from_native(*it)).collect(),
            }
        }

        fn order(&self) -> ReadingOrder<'_> {
            let Stored { bytes, places, samples } = self;
            ReadingOrder { bytes, start: 0, places: *places, samples }
        }
    }

    proptest! {
        #[test]
        fn a_renewed_order_equals_one_built_from_all_readings(
            before in prop::collection::vec(prop::option::of("[アイ]{0,3}"), 1..400),
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of("[アイカ]{0,3}")), 0..20),
            added in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of("[アイカ]{0,3}")), 0..20),
        ) {
            let built = |readings: &[Option<String>]| {
                ReadingRows::build(readings.len() as u32, |row| readings[row as usize].clone())
            };
            let earlier = Stored::of(&built(&before));
            let (renumbering, readings) = Renumbering::sample(&before, changes, added);
            let renewed = ReadingRows::renew(earlier.order(), &renumbering, |row| readings[row as usize].clone());
            prop_assert_eq!(renewed.expect("sound"), built(&readings));
        }

        #[test]
        fn finds_what_a_scan_finds(
            readings in prop::collection::vec(prop::option::of("[アイカキャッンー]{0,12}"), 1..700),
            beginning in "[アイカキ]{1,10}",
        ) {
            let built = ReadingRows::build(readings.len() as u32, |row| readings[row as usize].clone());
            let stored = Stored::of(&built);
            let order = stored.order();
            let reading = |row: u32| Ok::<_, Fault>(readings[row as usize].clone().unwrap_or_default());
            let beginning = roman_key(&beginning);
            let found = order.find(&beginning, reading).expect("sound");
            let rows = |range: Range<usize>| {
                let mut rows: Vec<u32> = range.map(|place| order.row(place).expect("sound")).collect();
                rows.sort_unstable();
                rows
            };
            let of_keys = |passes: &dyn Fn(&str) -> bool| -> Vec<u32> {
                let keys = (0..).zip(&readings).filter_map(|(row, it)| Some((row, roman_key(it.as_deref()?))));
                keys.filter(|(_, key)| passes(key)).map(|(row, _)| row).collect()
            };
            prop_assert_eq!(rows(found.equal), of_keys(&|key| key == beginning));
            prop_assert_eq!(rows(found.longer), of_keys(&|key| key.starts_with(&*beginning) && key != beginning));
        }
    }
}
