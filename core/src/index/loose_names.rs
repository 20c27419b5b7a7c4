//! Rows by the loose keys of their names ([`loose_name`](crate::text::loose_name)): equal to a text, beginning with it,
//! or ending with it. With the weight of each row ([`prominence`](super::prominence)), so that of thousands of
//! names with a common beginning the likeliest are found without reading the others.
//!
//! The section has one byte for each row, its weight; one byte for each place of the order of names, the weight of its
//! row; and three bytes for each place of each order ([`LooseOrder`]). That is eight bytes for a row, and three more for
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
    let names = &orders[LooseOrder::Name as usize].rows;
    let name_weights: Vec<u8> = names.iter().map(|row| row_weights[*row as usize]).collect();
    let largest = maxima(&name_weights);
    let mut bytes = row_weights;
    let places: usize = orders.iter().map(|order| order.rows.len()).sum();
    bytes.reserve(name_weights.len() + places * PLACE_BYTES);
    bytes.extend(name_weights);
    let orders = orders.map(|KeyRows { rows, samples }| {
        let row_bytes = |row: &u32| <[u8; PLACE_BYTES]>::try_from(&row.to_le_bytes()[..3]);
        bytes.extend(rows.iter().flat_map(|row| row_bytes(row).expect("three bytes")));
        OrderDirectory { places: number(rows.len()), samples }
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
