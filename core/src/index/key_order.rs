//! Rows sorted by a key: finds the rows whose key equals a text or begins with it.
//!
//! It has four bytes per row: the row and a fingerprint of its key; and the first letters of every 128th key. The letters
//! lead a search to within 128 places. Among these a search for a beginning computes the keys of a dozen; a search for a
//! whole key computes only those with its fingerprint, one or two. The keys are not stored: the caller makes the key of
//! a row from its record. So build, renewal and search must make the same keys. Rows with an empty key are not in the
//! order. Damaged bytes are faults and never panic. Does not know what a key is.

use std::ops::Range;

use super::name_order::partition_point;
use super::renumbering::Renumbering;
use super::{ROW_BITS, chunks_by_core};
use crate::snapshot::{Blocks, Fault};

/// Bytes per place: three of the row, and the fingerprint. A place is a position in the order.
pub const PLACE_BYTES: usize = 4;

/// Places between samples.
pub const SAMPLE_INTERVAL: usize = 128;

/// Rows that are compared with a range at once.
const COMPARED_AT_ONCE: usize = 64;

/// A row, and the fingerprint of its key in the bits above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPlace(u32);

impl KeyPlace {
    fn new(row: u32, key: &str) -> KeyPlace {
        assert!(row >> ROW_BITS == 0, "rows are numbered in three bytes");
        KeyPlace(u32::from(fingerprint(key)) << ROW_BITS | row)
    }

    pub fn row(self) -> u32 {
        self.0 & ((1 << ROW_BITS) - 1)
    }

    fn fingerprint(self) -> u8 {
        self.0.to_le_bytes()[PLACE_BYTES - 1]
    }

    fn from_bytes(bytes: [u8; PLACE_BYTES]) -> KeyPlace {
        KeyPlace(u32::from_le_bytes(bytes))
    }

    pub fn to_bytes(self) -> [u8; PLACE_BYTES] {
        self.0.to_le_bytes()
    }
}

/// A byte that tells most unequal keys apart: the hash FNV-1a, folded.
fn fingerprint(key: &str) -> u8 {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let [first, second, third, fourth] = key.bytes().fold(0x811c_9dc5, mix).to_le_bytes();
    first ^ second ^ third ^ fourth
}

/// The order after building: its places, and the first letters of every 128th key.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KeyRows {
    pub places: Vec<KeyPlace>,
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
            places: all
                .iter()
                .map(|(chunk, key)| KeyPlace::new(key.row, &text(*chunk)[key.start..key.end]))
                .collect(),
        }
    }

    /// Makes the order from the order of an earlier table: only the keys of new rows are sorted. `position` tells where the
    /// record of a row is: many keys are read in the order of their positions.
    pub fn renew(
        earlier: KeyOrder<'_>,
        renumbering: &Renumbering,
        key: impl Fn(u32) -> Option<String>,
        position: impl Fn(u32) -> usize,
    ) -> Result<KeyRows, Fault> {
        let key = |row: u32| key(row).unwrap_or_default();
        let mut kept = Vec::with_capacity(earlier.places);
        let mut removed: Vec<usize> = Vec::new();
        for (number, place) in earlier.read(0..earlier.places)?.enumerate() {
            match renumbering.row(place.row()) {
                Some(row) => kept.push(KeyPlace(place.0 ^ place.row() | row)),
                None => removed.push(number),
            }
        }
        let kept_before = |place: usize| place - removed.partition_point(|it| *it < place);
        let added = renumbering.added().iter().map(|row| (key(*row), *row));
        let mut added: Vec<(String, u32)> = added.filter(|(key, _)| !key.is_empty()).collect();
        added.sort_unstable();
        let mut places = Vec::with_capacity(kept.len() + added.len());
        let mut merged = 0;
        for (own, row) in added {
            let is_before =
                |other: &KeyPlace| (key(other.row()).as_str(), other.row()) < (own.as_str(), row);
            let Range { start, end } = earlier.around(&own);
            let [start, end] = [start, end.max(start)].map(|place| kept_before(place).max(merged));
            let until = start + kept[start..end].partition_point(is_before);
            places.extend_from_slice(&kept[merged..until]);
            places.push(KeyPlace::new(row, &own));
            merged = until;
        }
        places.extend_from_slice(&kept[merged..]);
        let samples = samples(&places, key, position);
        Ok(KeyRows { places, samples })
    }
}

/// The first letters of every 128th key. Asks for the keys in the order of the records: in another order each would read
/// other pages.
fn samples(
    places: &[KeyPlace],
    key: impl Fn(u32) -> String,
    position: impl Fn(u32) -> usize,
) -> Vec<u64> {
    let sampled = places.iter().step_by(SAMPLE_INTERVAL).map(|place| place.row());
    let mut sampled: Vec<(usize, u32, usize)> =
        sampled.zip(0..).map(|(row, sample)| (position(row), row, sample)).collect();
    sampled.sort_unstable();
    let mut samples = vec![0; sampled.len()];
    for (_, row, sample) in sampled {
        samples[sample] = first_letters(&key(row), 0);
    }
    samples
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
        Ok(self.place(place)?.row())
    }

    /// The rows of places, in their order. Checks their bytes once.
    pub fn rows(&self, places: Range<usize>) -> Result<impl Iterator<Item = u32>, Fault> {
        Ok(self.read(places)?.map(KeyPlace::row))
    }

    /// The rows of places that are in one of the ranges of rows. Much faster than a look at each row of
    /// [`rows`](KeyOrder::rows) where few of them are.
    pub fn rows_within(
        &self,
        places: Range<usize>,
        wanted: &[Range<u32>],
    ) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        for places in self.place_bytes(places)?.chunks(COMPARED_AT_ONCE) {
            let mut rows = [0; COMPARED_AT_ONCE];
            for (row, bytes) in rows.iter_mut().zip(places) {
                *row = KeyPlace::from_bytes(*bytes).row();
            }
            let rows = &rows[..places.len()];
            for range in wanted {
                let length = range.end.saturating_sub(range.start);
                let is_in = |row: &&u32| row.wrapping_sub(range.start) < length;
                // Without a branch for each row, several are compared at once.
                if rows.iter().filter(is_in).count() > 0 {
                    found.extend(rows.iter().filter(is_in));
                }
            }
        }
        Ok(found)
    }

    fn place(&self, place: usize) -> Result<KeyPlace, Fault> {
        Ok(KeyPlace::from_bytes(self.place_bytes(place..place + 1)?[0]))
    }

    fn read(&self, places: Range<usize>) -> Result<impl Iterator<Item = KeyPlace>, Fault> {
        Ok(self.place_bytes(places)?.iter().map(|bytes| KeyPlace::from_bytes(*bytes)))
    }

    fn place_bytes(&self, places: Range<usize>) -> Result<&[[u8; PLACE_BYTES]], Fault> {
        let byte = |place: usize| self.start + place * PLACE_BYTES;
        let bytes = self.bytes.get(byte(places.start)..byte(places.end))?;
        Ok(bytes.as_chunks().0)
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

    /// The places whose keys equal a key. Computes only keys with its fingerprint, and a few where more than 256 keys have
    /// its first letters.
    pub fn find_equal(
        &self,
        wanted: &str,
        key: impl Fn(u32) -> Result<String, Fault>,
    ) -> Result<Range<usize>, Fault> {
        let Range { mut start, mut end } = self.around_start(wanted);
        while end - start > 2 * SAMPLE_INTERVAL {
            let middle = start.midpoint(end);
            match &*key(self.row(middle)?)? < wanted {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        let wanted_fingerprint = fingerprint(wanted);
        let is_equal = |place: KeyPlace| {
            let may_be = place.fingerprint() == wanted_fingerprint;
            Ok(may_be && key(place.row())? == wanted)
        };
        // The first equal key may stand at the end of the range.
        for (at, place) in (start..).zip(self.read(start..(end + 1).min(self.places))?) {
            if is_equal(place)? {
                return Ok(at..gallop(at + 1..self.places, |place| is_equal(self.place(place)?))?);
            }
        }
        Ok(end..end)
    }

    /// The first place whose key is not before this one.
    fn start_of(
        &self,
        wanted: &str,
        key: impl Fn(usize) -> Result<String, Fault>,
    ) -> Result<usize, Fault> {
        partition_point(self.around_start(wanted), |place| Ok(&*key(place)? < wanted))
    }

    /// Places among which is the first whose key is not before this one; it may also be their end.
    fn around_start(&self, wanted: &str) -> Range<usize> {
        let low = first_letters(wanted, 0);
        let before = self.samples.partition_point(|sample| sample.to_native() < low);
        let same = self.samples[before..].iter().take_while(|sample| sample.to_native() == low);
        let first = before.saturating_sub(1) * SAMPLE_INTERVAL;
        first..place_after(before + same.count(), self.places)
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
            let bytes = built.places.iter().flat_map(|place| place.to_bytes()).collect();
            StoredOrder {
                bytes: Blocks::in_memory(bytes),
                places: built.places.len(),
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
            let renewed = KeyRows::renew(earlier.order(), &renumbering, |row| key(&readings[row as usize]), |row| 1_000 - row as usize);
            prop_assert_eq!(renewed.expect("sound"), built(&readings));
        }

        #[test]
        fn finds_what_a_scan_finds(
            readings in prop::collection::vec(prop::option::of("(アイカキアイ)?[アイカキャッンー]{0,12}"), 1..1200),
            beginning in "(アイカキアイ)?[アイカキ]{1,10}",
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
            let each: Vec<u32> =
                around.clone().map(|place| order.row(place).expect("sound")).collect();
            prop_assert_eq!(&read, &each);
            let wanted = [3..readings.len().min(600) as u32, 600..700];
            let mut within = order.rows_within(around, &wanted).expect("sound");
            let mut expected = each;
            expected.retain(|row| wanted.iter().any(|range| range.contains(row)));
            within.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(within, expected);
            prop_assert_eq!(rows(equal), rows_of_keys(&|key| key == beginning));
            prop_assert_eq!(rows(found.equal), rows_of_keys(&|key| key == beginning));
            prop_assert_eq!(rows(found.longer), rows_of_keys(&|key| key.starts_with(&*beginning) && key != beginning));
        }
    }
}
