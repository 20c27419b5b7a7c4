//! Rows by the loose keys of their names ([`loose_name`](crate::text::loose_name)): equal to a text, beginning with it,
//! or ending with it. With the weight of each row ([`prominence`](super::prominence)), so that of thousands of
//! names with a common beginning the likeliest are found without reading the others.
//!
//! The section has one byte for each row, its weight; one byte for each place of the order of names, the weight of its
//! row; and four bytes for each place of each order ([`LooseOrder`]). That is ten bytes for a row, and four more for
//! the few rows with an English name, or with a name in kana but no reading. [`LooseDirectory`] is stored beside it.
//!
//! The keys are not stored: the caller makes the key of a row. Former names are not here. Damaged bytes are faults and
//! never panic.

use rkyv::{Archive, Serialize};

use super::key_order::{KeyOrder, KeyRows, PLACE_BYTES, SAMPLE_INTERVAL};
use super::prominence::{PlaceWeights, RUN, maxima};
use crate::snapshot::{Blocks, Fault};

/// The key by which the rows of an order are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LooseOrder {
    /// The loose key.
    Name,
    /// The loose key from its end.
    End,
    /// The English name.
    English,
    /// The Roman key of a name in kana, where the record has no reading.
    Sound,
}

impl LooseOrder {
    pub const ALL: [LooseOrder; 4] =
        [LooseOrder::Name, LooseOrder::End, LooseOrder::English, LooseOrder::Sound];
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct LooseDirectory {
    rows: u32,
    /// The largest weight of each run of places in the order of names.
    largest: Vec<u8>,
    /// In the order of [`LooseOrder::ALL`].
    orders: [OrderDirectory; 4],
}

#[derive(Debug, Default, Archive, Serialize)]
struct OrderDirectory {
    places: u32,
    /// The first letters of every 128th key.
    samples: Vec<u64>,
}

/// Builds the section and its directory from the weight of each row and the orders, as in [`LooseOrder::ALL`].
pub fn build(row_weights: Vec<u8>, orders: [KeyRows; 4]) -> (LooseDirectory, Vec<u8>) {
    let number = |count: usize| u32::try_from(count).expect("rows are numbered in three bytes");
    let rows = number(row_weights.len());
    let names = &orders[LooseOrder::Name as usize].places;
    let name_weights: Vec<u8> =
        names.iter().map(|place| row_weights[place.row() as usize]).collect();
    let largest = maxima(&name_weights);
    let mut bytes = row_weights;
    let places: usize = orders.iter().map(|order| order.places.len()).sum();
    bytes.reserve(name_weights.len() + places * PLACE_BYTES);
    bytes.extend(name_weights);
    let orders = orders.map(|KeyRows { places, samples }| {
        bytes.extend(places.iter().flat_map(|place| place.to_bytes()));
        OrderDirectory { places: number(places.len()), samples }
    });
    (LooseDirectory { rows, largest, orders }, bytes)
}

impl ArchivedLooseDirectory {
    /// Checks all invariants that a search relies on, for this many rows and a section of this many bytes.
    pub fn check(&self, rows: usize, bytes: usize) -> Result<(), &'static str> {
        let names = self.orders[LooseOrder::Name as usize].count();
        let places: usize = self.orders.iter().map(ArchivedOrderDirectory::count).sum();
        if self.rows.to_native() as usize != rows || bytes != rows + names + places * PLACE_BYTES {
            return Err("a weight for each row and each name, and a row for each place");
        }
        if self.largest.len() != names.div_ceil(RUN) {
            return Err("the largest weight of every 128 names");
        }
        let is_sound = |order: &ArchivedOrderDirectory| {
            order.samples.len() == order.count().div_ceil(SAMPLE_INTERVAL)
                && order.samples.is_sorted_by_key(|sample| sample.to_native())
        };
        match self.orders.iter().all(is_sound) {
            true => Ok(()),
            false => Err("a sample of every 128 keys of each order, ascending"),
        }
    }
}

impl ArchivedOrderDirectory {
    fn count(&self) -> usize {
        self.places.to_native() as usize
    }
}

/// A stored index of loose names.
#[derive(Clone, Copy)]
pub struct LooseNames<'s> {
    pub directory: &'s ArchivedLooseDirectory,
    pub bytes: &'s Blocks,
}

impl<'s> LooseNames<'s> {
    pub fn order(self, order: LooseOrder) -> KeyOrder<'s> {
        let orders = &self.directory.orders;
        let before = orders[..order as usize].iter().map(ArchivedOrderDirectory::count);
        let weights = self.directory.rows.to_native() as usize + orders[0].count();
        let start = weights + before.sum::<usize>() * PLACE_BYTES;
        let order = &orders[order as usize];
        KeyOrder { bytes: self.bytes, start, places: order.count(), samples: &order.samples }
    }

    /// The weights of the order of names.
    pub fn name_weights(self) -> PlaceWeights<'s> {
        let start = self.directory.rows.to_native() as usize;
        PlaceWeights { bytes: self.bytes, start, maxima: &self.directory.largest }
    }

    pub fn weight(self, row: u32) -> Result<u8, Fault> {
        let row = row as usize;
        // A row past the last is damage of another section, which its reader finds.
        let weight = self.bytes.get(row..row + 1)?;
        Ok(weight.first().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn archived(directory: &LooseDirectory) -> Section<ArchivedLooseDirectory> {
        let bytes = rkyv::to_bytes::<rancor::Error>(directory).expect("archives");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
    }

    fn built(keys: &[String], weights: &[u8]) -> (LooseDirectory, Vec<u8>) {
        let key = |row: u32| Some(keys[row as usize].clone());
        let rows = keys.len() as u32;
        let backwards = |row| key(row).map(|key| key.chars().rev().collect());
        let orders = [
            KeyRows::build(rows, key),
            KeyRows::build(rows, backwards),
            KeyRows::default(),
            KeyRows::default(),
        ];
        build(weights.to_vec(), orders)
    }

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            keys in prop::collection::vec("[あい]{1,4}", 1..300),
            wanted in "[あい]{1,3}",
        ) {
            let weights: Vec<u8> = (0..keys.len()).map(|row| row as u8).collect();
            let (directory, bytes) = built(&keys, &weights);
            let section = archived(&directory);
            prop_assert_eq!(section.root().check(keys.len(), bytes.len()), Ok(()));
            let bytes = Blocks::in_memory(bytes);
            let names = LooseNames { directory: section.root(), bytes: &bytes };
            let scan = |passes: &dyn Fn(&str) -> bool| -> Vec<u32> {
                (0..keys.len() as u32).filter(|row| passes(&keys[*row as usize])).collect()
            };
            let rows = |order: LooseOrder, places: std::ops::Range<usize>| -> Vec<u32> {
                let order = names.order(order);
                let mut rows: Vec<u32> = places.map(|it| order.row(it).expect("sound")).collect();
                rows.sort_unstable();
                rows
            };
            let key = |row: u32| Ok(keys[row as usize].clone());
            let found = names.order(LooseOrder::Name).find(&wanted, key).expect("sound");
            prop_assert_eq!(rows(LooseOrder::Name, found.equal), scan(&|key| key == wanted));
            let longer = scan(&|key| key.starts_with(&*wanted) && key != wanted);
            prop_assert_eq!(rows(LooseOrder::Name, found.longer), longer);
            let backwards = |row: u32| Ok(keys[row as usize].chars().rev().collect());
            let end: String = wanted.chars().rev().collect();
            let found = names.order(LooseOrder::End).find(&end, backwards).expect("sound");
            let ending = scan(&|key| key.ends_with(&*wanted));
            prop_assert_eq!(rows(LooseOrder::End, found.equal.start..found.longer.end), ending);
            for row in 0..keys.len() as u32 {
                prop_assert_eq!(names.weight(row).expect("sound"), weights[row as usize]);
            }
            prop_assert!(names.order(LooseOrder::English).find("a", key).expect("sound").equal.is_empty());
        }
    }

    #[test]
    fn data_that_contradict_the_rows_are_refused() {
        let keys: Vec<String> = (0..300).map(|row| format!("{row:03}")).collect();
        let weights = vec![1; 300];
        let length = built(&keys, &weights).1.len();
        let check =
            |directory: &LooseDirectory, rows, bytes| archived(directory).root().check(rows, bytes);
        assert_eq!(check(&built(&keys, &weights).0, 300, length), Ok(()));
        assert!(check(&built(&keys, &weights).0, 299, length).is_err());
        assert!(check(&built(&keys, &weights).0, 300, length + 1).is_err());
        let wrong: [fn(&mut LooseDirectory); 4] = [
            |it| it.largest.truncate(2),
            |it| it.orders[0].samples.reverse(),
            |it| it.orders[1].samples.truncate(1),
            |it| it.orders[2].places = 1,
        ];
        for change in wrong {
            let (mut directory, _) = built(&keys, &weights);
            change(&mut directory);
            assert!(check(&directory, 300, length).is_err(), "{directory:?}");
        }
    }
}
