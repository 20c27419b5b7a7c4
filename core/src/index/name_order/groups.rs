//! The layout of the order: groups of 128 places, so that a search reads one or two groups.
//!
//! A group has four bytes per place (three for the row, one for its form), then the bodies at these places. A body is
//! written without the bytes that it shares with the previous body of its group:
//!
//! ```text
//! byte 0   high half: the number of shared bytes; low half: the number of own bytes; 15 means 15 plus a varint
//! varints  of the shared and of the own bytes, if the half is 15
//! own      the own bytes
//! ```
//!
//! Any bytes can be read without a panic. Does not know how bodies are ordered.

use std::ops::Range;

use crate::index::{push_varint, varint};

/// Places per group; the last group may have fewer.
pub const GROUP_PLACES: usize = 128;

/// Bytes of a place without its body.
pub const PLACE_BYTES: usize = 4;

/// Lengths below this fit into half a byte.
const NIBBLE_MAX: usize = 15;

/// The row at a place, and the number of its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacedRow {
    pub row: u32,
    pub form: u8,
}

/// Writes groups. The places must be pushed in order.
#[derive(Debug, Default)]
pub struct GroupWriter {
    out: Vec<u8>,
    /// The offset of the first group in `out`.
    first_group: usize,
    starts: Vec<u64>,
    places: usize,
    /// The encoded bodies of the last group, which follow its places.
    bodies: Vec<u8>,
    /// The body of the previous place.
    previous: Vec<u8>,
}

pub struct Groups {
    pub bytes: Vec<u8>,
    /// The offset of each group, counted from the first.
    pub starts: Vec<u64>,
    pub places: usize,
}

impl GroupWriter {
    /// Appends groups to these bytes.
    pub fn append_to(out: Vec<u8>) -> GroupWriter {
        GroupWriter { first_group: out.len(), out, ..GroupWriter::default() }
    }

    /// Whether the next place is the first of a group.
    pub fn is_at_group_start(&self) -> bool {
        self.places.is_multiple_of(GROUP_PLACES)
    }

    pub fn push(&mut self, PlacedRow { row, form }: PlacedRow, body: &[u8]) {
        if self.is_at_group_start() {
            self.out.append(&mut self.bodies);
            self.starts.push((self.out.len() - self.first_group) as u64);
            self.previous.clear();
        }
        self.places += 1;
        let [low, middle, high, _] = row.to_le_bytes();
        self.out.extend_from_slice(&[low, middle, high, form]);
        let pairs = self.previous.iter().zip(body);
        let shared = pairs.take_while(|(left, right)| left == right).count();
        let own = &body[shared..];
        self.bodies.push((shared.min(NIBBLE_MAX) << 4 | own.len().min(NIBBLE_MAX)) as u8);
        for length in [shared, own.len()] {
            if let Some(more) = length.checked_sub(NIBBLE_MAX) {
                push_varint(&mut self.bodies, more);
            }
        }
        self.bodies.extend_from_slice(own);
        self.previous.truncate(shared);
        self.previous.extend_from_slice(own);
    }

    pub fn finish(mut self) -> Groups {
        self.out.append(&mut self.bodies);
        Groups { bytes: self.out, starts: self.starts, places: self.places }
    }
}

/// A group in its stored form.
#[derive(Debug, Clone, Copy)]
pub struct Group<'s> {
    places: &'s [u8],
    bodies: &'s [u8],
}

impl<'s> Group<'s> {
    /// Reads a group of this many places.
    pub fn new(places: usize, bytes: &'s [u8]) -> Group<'s> {
        let (places, bodies) = bytes.split_at_checked(places * PLACE_BYTES).unwrap_or_default();
        Group { places, bodies }
    }

    /// The rows and forms at a range of its places.
    pub fn placed_rows(self, places: Range<usize>) -> impl Iterator<Item = PlacedRow> + use<'s> {
        let bytes = self.places.get(places.start * PLACE_BYTES..places.end * PLACE_BYTES);
        let (places, _) = bytes.unwrap_or_default().as_chunks();
        places.iter().map(|[low, middle, high, form]| PlacedRow {
            row: u32::from_le_bytes([*low, *middle, *high, 0]),
            form: *form,
        })
    }

    /// The number of leading bodies for which `holds` is true.
    pub fn count_while(self, holds: impl Fn(&[u8]) -> bool) -> usize {
        let mut bodies = self.bodies();
        let places = self.places.len() / PLACE_BYTES;
        (0..places).take_while(|_| bodies.next().is_some_and(&holds)).count()
    }

    pub fn bodies(self) -> BodyReader<'s> {
        BodyReader { rest: self.bodies, body: Vec::new() }
    }
}

/// Reads the bodies of a group in order.
#[derive(Debug)]
pub struct BodyReader<'s> {
    rest: &'s [u8],
    body: Vec<u8>,
}

impl BodyReader<'_> {
    /// The next body; `None` after the last.
    pub fn next(&mut self) -> Option<&[u8]> {
        let lengths = usize::from(*self.rest.first()?);
        let mut offset = 1;
        let [shared, own] = [lengths >> 4, lengths & NIBBLE_MAX].map(|half| match half {
            NIBBLE_MAX => NIBBLE_MAX + varint(self.rest, &mut offset),
            length => length,
        });
        let bytes = self.rest.get(offset..).unwrap_or_default();
        let (own, rest) = bytes.split_at(own.min(bytes.len()));
        self.body.truncate(shared);
        self.body.extend_from_slice(own);
        self.rest = rest;
        Some(&self.body)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bodies() -> impl Strategy<Value = Vec<String>> {
        let body = prop_oneof!["[あい𠮷]{0,3}", "[あい]{0,60}", "(あ){80,100}[いう]{0,2}"];
        prop::collection::vec(body, 0..GROUP_PLACES)
    }

    proptest! {
        #[test]
        fn written_groups_read_back(mut bodies in bodies(), of in any::<prop::sample::Index>()) {
            bodies.sort_unstable();
            let placed = |index: usize| PlacedRow { row: index as u32 * 70_000, form: index as u8 };
            let placed: Vec<PlacedRow> = (0..bodies.len()).map(placed).collect();
            let mut writer = GroupWriter::append_to(Vec::new());
            placed.iter().zip(&bodies).for_each(|(placed, body)| writer.push(*placed, body.as_bytes()));
            let Groups { bytes, starts, places } = writer.finish();
            prop_assert_eq!((starts.len(), places), (bodies.len().div_ceil(GROUP_PLACES), bodies.len()));
            let group = Group::new(bodies.len(), &bytes);
            let mut reader = group.bodies();
            for body in &bodies {
                prop_assert_eq!(reader.next(), Some(body.as_bytes()));
            }
            prop_assert_eq!(reader.next(), None);
            prop_assert_eq!(group.placed_rows(0..bodies.len()).collect::<Vec<_>>(), placed.as_slice());
            if !bodies.is_empty() {
                let probe = of.index(bodies.len());
                let below = |body: &[u8]| body < bodies[probe].as_bytes();
                let expected = bodies.iter().filter(|body| below(body.as_bytes())).count();
                prop_assert_eq!(group.count_while(below), expected);
                prop_assert_eq!(group.placed_rows(probe..bodies.len()).next(), Some(placed[probe]));
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), places in 0usize..GROUP_PLACES) {
            let group = Group::new(places, &bytes);
            prop_assert!(group.count_while(|_| true) <= places);
            prop_assert!(group.placed_rows(0..places + 1).count() <= places);
            let mut bodies = group.bodies();
            while let Some(body) = bodies.next() {
                prop_assert!(body.len() <= bytes.len(), "a body has no more bytes than were read");
            }
        }
    }
}
