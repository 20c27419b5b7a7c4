//! Rows sorted by a key: finds the rows whose key equals a text or begins with it.
//!
//! It has three bytes per row, and the first letters of every 128th key, so that a search computes a dozen keys
//! instead of two dozen. The keys are not stored: the caller makes the key of a row from its record. So build, renewal
//! and search must make the same keys. Rows with an empty key are not in the order. Damaged bytes are faults and never
//! panic. Does not know what a key is.

use std::ops::Range;

use super::chunks_by_core;
use super::name_order::partition_point;
use super::renumbering::Renumbering;
use crate::snapshot::{Blocks, Fault};

/// Bytes per place. A place is a position in the order.
pub const PLACE_BYTES: usize = 3;

/// Places between samples.
pub const SAMPLE_INTERVAL: usize = 128;

/// The order after building: its rows, and the first letters of every 128th key.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeyRows {
    pub rows: Vec<u32>,
    pub samples: Vec<u64>,
}

impl KeyRows {
    /// Orders this many rows; `key` gives a row's key, `None` if it has none or is hidden.
    pub fn build(rows: u32, key: impl Fn(u32) -> Option<String> + Sync) -> KeyRows {
        let (chunks, _) = chunks_by_core(rows, |rows| SortedChunk::build(rows, &key));
        let mut all: Vec<(usize, &Key)> = Vec::new();
        for (number, chunk) in chunks.iter().enumerate() {
            all.extend(chunk.keys.iter().map(|key| (number, key)));
        }
        // The standard sort recognises the sorted chunks as runs and merges them.
        let text = |chunk: usize| &*chunks[chunk].text;
        all.sort_by(|left, right| left.1.compare(text(left.0), right.1, text(right.0)));
        KeyRows {
            samples: all.iter().step_by(SAMPLE_INTERVAL).map(|(_, key)| key.letters).collect(),
            rows: all.iter().map(|(_, key)| key.row).collect(),
        }
    }

    /// Makes the order from the order of an earlier table: only the keys of new rows are sorted.
    pub fn renew(
        earlier: KeyOrder<'_>,
        renumbering: &Renumbering,
        key: impl Fn(u32) -> Option<String>,
    ) -> Result<KeyRows, Fault> {
        let key = |row: u32| key(row).unwrap_or_default();
        let mut kept = Vec::with_capacity(earlier.places);
        for place in 0..earlier.places {
            kept.extend(renumbering.row(earlier.row(place)?));
        }
        let added = renumbering.added().iter().map(|row| (key(*row), *row));
        let mut added: Vec<(String, u32)> = added.filter(|(key, _)| !key.is_empty()).collect();
        added.sort_unstable();
        let mut rows = Vec::with_capacity(kept.len() + added.len());
        let mut rest = &kept[..];
        for (own, row) in added {
            let is_before = |other: &u32| (key(*other).as_str(), *other) < (own.as_str(), row);
            let (before, after) = rest.split_at(rest.partition_point(is_before));
            rows.extend_from_slice(before);
            rows.push(row);
            rest = after;
        }
        rows.extend_from_slice(rest);
        let samples =
            rows.iter().step_by(SAMPLE_INTERVAL).map(|row| first_letters(&key(*row), 0)).collect();
        Ok(KeyRows { rows, samples })
    }
}

/// The sorted keys of consecutive rows, made by one thread.
#[derive(Default)]
struct SortedChunk {
    /// The keys, concatenated.
    text: String,
    keys: Vec<Key>,
}

/// A key in the text of its chunk. Most comparisons need only the first letters.
struct Key {
    letters: u64,
    start: usize,
    end: usize,
    row: u32,
}

impl SortedChunk {
    fn build(rows: Range<u32>, key: impl Fn(u32) -> Option<String>) -> SortedChunk {
        let mut chunk = SortedChunk::default();
        for row in rows {
            if let Some(key) = key(row).filter(|key| !key.is_empty()) {
                let start = chunk.text.len();
                chunk.text.push_str(&key);
                let (letters, end) = (first_letters(&key, 0), chunk.text.len());
                chunk.keys.push(Key { letters, start, end, row });
            }
        }
        let SortedChunk { text, keys } = &mut chunk;
        keys.sort_unstable_by(|left, right| left.compare(text, right, text));
        chunk
    }
}

impl Key {
    fn compare(&self, text: &str, other: &Key, other_text: &str) -> std::cmp::Ordering {
        let keys = || text[self.start..self.end].cmp(&other_text[other.start..other.end]);
        self.letters.cmp(&other.letters).then_with(keys).then(self.row.cmp(&other.row))
    }
}

/// Bytes of a key that a sample has.
pub const SAMPLED_BYTES: usize = 8;

/// The first eight letters as a number that sorts like the key, padded with `fill`.
fn first_letters(key: &str, fill: u8) -> u64 {
    let letters = key.bytes().chain(std::iter::repeat(fill));
    letters.take(SAMPLED_BYTES).fold(0, |number, letter| number << 8 | u64::from(letter))
}

/// Places of the matching keys in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlaces {
    /// Keys that equal the text.
    pub equal: Range<usize>,
    /// Keys that continue after it.
    pub longer: Range<usize>,
}

/// A stored order: this many places of a section from `start` on.
#[derive(Clone, Copy)]
pub struct KeyOrder<'s> {
    pub bytes: &'s Blocks,
    pub start: usize,
    pub places: usize,
    pub samples: &'s [rkyv::rend::u64_le],
}

impl KeyOrder<'_> {
    pub fn row(&self, place: usize) -> Result<u32, Fault> {
        let start = self.start + place * PLACE_BYTES;
        let bytes = self.bytes.get(start..start + PLACE_BYTES)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]))
    }

    /// The rows of places, in their order. Checks their bytes once.
    pub fn rows(&self, places: Range<usize>) -> Result<impl Iterator<Item = u32>, Fault> {
        let byte = |place: usize| self.start + place * PLACE_BYTES;
        let bytes = self.bytes.get(byte(places.start)..byte(places.end))?;
        let row = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        Ok(bytes.chunks_exact(PLACE_BYTES).map(row))
    }

    /// Places among which are all whose keys begin with the first eight letters of `beginning`, and at most 128 more at
    /// each end. Computes no key.
    pub fn around(&self, beginning: &str) -> Range<usize> {
        let [low, high] = [0, u8::MAX].map(|fill| first_letters(beginning, fill));
        let before = self.samples.partition_point(|sample| sample.to_native() < low);
        let until = self.samples.partition_point(|sample| sample.to_native() <= high);
        before.saturating_sub(1) * SAMPLE_INTERVAL..place_after(until, self.places)
    }

    /// The places whose keys begin with `beginning`, which is a key; `key` gives a row's key.
    pub fn find(
        &self,
        beginning: &str,
        key: impl Fn(u32) -> Result<String, Fault>,
    ) -> Result<KeyPlaces, Fault> {
        let key = |place: usize| key(self.row(place)?);
        let high = first_letters(beginning, u8::MAX);
        let start = self.start_of(beginning, key)?;
        let until = self.samples.partition_point(|sample| sample.to_native() <= high);
        let limit = place_after(until, self.places).max(start);
        let begins = |place: usize| Ok(key(place)?.starts_with(beginning));
        // For up to eight letters the samples bound the end to within 128 places.
        let known = until.saturating_sub(1) * SAMPLE_INTERVAL;
        let end = match beginning.len() <= SAMPLED_BYTES && known > start {
            true => partition_point(known..limit, begins)?,
            false => gallop(start..limit, begins)?,
        };
        let whole = gallop(start..end, |place| Ok(key(place)? == beginning))?;
        Ok(KeyPlaces { equal: start..whole, longer: whole..end })
    }

    /// The places whose keys equal a key. Computes half as many keys as [`find`](KeyOrder::find).
    pub fn find_equal(
        &self,
        wanted: &str,
        key: impl Fn(u32) -> Result<String, Fault>,
    ) -> Result<Range<usize>, Fault> {
        let key = |place: usize| key(self.row(place)?);
        let start = self.start_of(wanted, key)?;
        Ok(start..gallop(start..self.places, |place| Ok(key(place)? == wanted))?)
    }

    /// The first place whose key is not before this one.
    fn start_of(
        &self,
        wanted: &str,
        key: impl Fn(usize) -> Result<String, Fault>,
    ) -> Result<usize, Fault> {
        let low = first_letters(wanted, 0);
        let before = self.samples.partition_point(|sample| sample.to_native() < low);
        let until = self.samples.partition_point(|sample| sample.to_native() <= low);
        let first = before.saturating_sub(1) * SAMPLE_INTERVAL;
        let range = first..place_after(until, self.places);
        partition_point(range, |place| Ok(&*key(place)? < wanted))
    }
}

/// The place of a sample, or the end of the order.
fn place_after(samples: usize, places: usize) -> usize {
    (samples * SAMPLE_INTERVAL).min(places)
}

/// The partition point of a range in which a condition mostly holds for few places: it looks at the first ones before
/// those in the middle.
fn gallop(
    range: Range<usize>,
    mut holds: impl FnMut(usize) -> Result<bool, Fault>,
) -> Result<usize, Fault> {
    let Range { mut start, end } = range;
    let mut step = 1;
    while start < end {
        let place = start.saturating_add(step - 1).min(end - 1);
        if !holds(place)? {
            return partition_point(start..place, holds);
        }
        start = place + 1;
        step *= 2;
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rend::u64_le;

    use super::*;
    use crate::text::roman_key::roman_key;

    fn key(reading: &Option<String>) -> Option<String> {
        reading.as_deref().map(roman_key)
    }

    /// An order in its stored form.
    struct StoredOrder {
        bytes: Blocks,
        places: usize,
        samples: Vec<u64_le>,
    }

    impl StoredOrder {
        fn new(built: &KeyRows) -> StoredOrder {
            let row = |row: &u32| row.to_le_bytes()[..PLACE_BYTES].to_vec();
            StoredOrder {
                bytes: Blocks::in_memory(built.rows.iter().flat_map(row).collect()),
                places: built.rows.len(),
                samples: built.samples.iter().map(|it| u64_le::from_native(*it)).collect(),
            }
        }

        fn order(&self) -> KeyOrder<'_> {
            let StoredOrder { bytes, places, samples } = self;
            KeyOrder { bytes, start: 0, places: *places, samples }
        }
    }

    proptest! {
        #[test]
        fn a_renewed_order_equals_one_built_from_all_keys(
            before in prop::collection::vec(prop::option::of("[アイ]{0,3}"), 1..400),
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of("[アイカ]{0,3}")), 0..20),
            added in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of("[アイカ]{0,3}")), 0..20),
        ) {
            let built = |readings: &[Option<String>]| {
                KeyRows::build(readings.len() as u32, |row| key(&readings[row as usize]))
            };
            let earlier = StoredOrder::new(&built(&before));
            let (renumbering, readings) = Renumbering::sample(&before, changes, added);
            let renewed = KeyRows::renew(earlier.order(), &renumbering, |row| key(&readings[row as usize]));
            prop_assert_eq!(renewed.expect("sound"), built(&readings));
        }

        #[test]
        fn finds_what_a_scan_finds(
            readings in prop::collection::vec(prop::option::of("[アイカキャッンー]{0,12}"), 1..700),
            beginning in "[アイカキ]{1,10}",
        ) {
            let built = KeyRows::build(readings.len() as u32, |row| key(&readings[row as usize]));
            let stored = StoredOrder::new(&built);
            let order = stored.order();
            let key_of_row = |row: u32| Ok::<_, Fault>(key(&readings[row as usize]).unwrap_or_default());
            let beginning = roman_key(&beginning);
            let found = order.find(&beginning, key_of_row).expect("sound");
            let rows = |range: Range<usize>| {
                let mut rows: Vec<u32> = range.map(|place| order.row(place).expect("sound")).collect();
                rows.sort_unstable();
                rows
            };
            let rows_of_keys = |passes: &dyn Fn(&str) -> bool| -> Vec<u32> {
                let keys = (0..).zip(&readings).filter_map(|(row, it)| Some((row, roman_key(it.as_deref()?))));
                keys.filter(|(_, key)| passes(key)).map(|(row, _)| row).collect()
            };
            let equal = order.find_equal(&beginning, key_of_row).expect("sound");
            let around = order.around(&beginning);
            prop_assert!(around.start <= found.equal.start && found.longer.end <= around.end);
            let read: Vec<u32> = order.rows(around.clone()).expect("sound").collect();
            let each: Vec<u32> = around.map(|place| order.row(place).expect("sound")).collect();
            prop_assert_eq!(read, each);
            prop_assert_eq!(rows(equal), rows_of_keys(&|key| key == beginning));
            prop_assert_eq!(rows(found.equal), rows_of_keys(&|key| key == beginning));
            prop_assert_eq!(rows(found.longer), rows_of_keys(&|key| key.starts_with(&*beginning) && key != beginning));
        }
    }
}
