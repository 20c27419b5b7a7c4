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

use crate::index::packing::{push_varint, varint};

/// Places per group; the last group may have fewer.
pub const GROUP: usize = 128;

/// Bytes of a place without its body.
pub const PLACE: usize = 4;

/// Lengths below this fit into half a byte.
const HALF: usize = 15;

/// The row at a place, and the number of its form.
pub type Placed = (u32, u8);

/// Writes groups. The places must be pushed in order.
#[derive(Debug)]
pub struct GroupWriter {
    out: Vec<u8>,
    /// The offset of the first group in `out`.
    first: usize,
    starts: Vec<u64>,
    places: usize,
    /// The encoded bodies of the last group, which follow its places.
    bodies: Vec<u8>,
    /// The body of the previous place.
    before: Vec<u8>,
}

/// Finished groups.
pub struct Groups {
    pub bytes: Vec<u8>,
    /// The offset of each group, counted from the first.
    pub starts: Vec<u64>,
    pub places: usize,
}

impl GroupWriter {
    /// Appends groups to these bytes.
    pub fn behind(out: Vec<u8>) -> GroupWriter {
        let (first, starts, bodies, before) = (out.len(), Vec::new(), Vec::new(), Vec::new());
        GroupWriter { out, first, starts, places: 0, bodies, before }
    }

    /// Whether the next place is the first of a group.
    pub fn begins_group(&self) -> bool {
        self.places.is_multiple_of(GROUP)
    }

    pub fn push(&mut self, (row, form): Placed, body: &[u8]) {
        if self.begins_group() {
            self.out.append(&mut self.bodies);
            self.starts.push((self.out.len() - self.first) as u64);
            self.before.clear();
        }
        self.places += 1;
        let [low, middle, high, _] = row.to_le_bytes();
        self.out.extend_from_slice(&[low, middle, high, form]);
        let both = self.before.iter().zip(body);
        let shared = both.take_while(|(left, right)| left == right).count();
        let own = &body[shared..];
        self.bodies.push((shared.min(HALF) << 4 | own.len().min(HALF)) as u8);
        for length in [shared, own.len()] {
            if let Some(more) = length.checked_sub(HALF) {
                push_varint(&mut self.bodies, more);
            }
        }
        self.bodies.extend_from_slice(own);
        self.before.truncate(shared);
        self.before.extend_from_slice(own);
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
    pub fn of(places: usize, bytes: &'s [u8]) -> Group<'s> {
        let (places, bodies) = bytes.split_at_checked(places * PLACE).unwrap_or_default();
        Group { places, bodies }
    }

    /// The rows and forms at a range of its places.
    pub fn placed(self, places: Range<usize>) -> impl Iterator<Item = Placed> + use<'s> {
        let bytes = self.places.get(places.start * PLACE..places.end * PLACE);
        bytes.unwrap_or_default().chunks_exact(PLACE).map(|bytes| {
            let bytes: [u8; PLACE] = bytes.try_into().unwrap_or_default();
            (u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]), bytes[3])
        })
    }

    /// The number of leading bodies for which `holds` is true.
    pub fn count_while(self, holds: impl Fn(&[u8]) -> bool) -> usize {
        let mut bodies = self.bodies();
        let places = self.places.len() / PLACE;
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
        let mut at = 1;
        let [shared, own] = [lengths >> 4, lengths & HALF].map(|half| match half {
            HALF => HALF + varint(self.rest, &mut at),
            length => length,
        });
        let behind = self.rest.get(at..).unwrap_or_default();
        let (own, rest) = behind.split_at(own.min(behind.len()));
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
        prop::collection::vec(body, 0..GROUP)
    }

    proptest! {
        #[test]
        fn written_groups_read_back(mut bodies in bodies(), of in any::<prop::sample::Index>()) {
            bodies.sort_unstable();
            let placed: Vec<Placed> = (0..bodies.len()).map(|at| (at as u32 * 70_000, at as u8)).collect();
            let mut writer = GroupWriter::behind(Vec::new());
            placed.iter().zip(&bodies).for_each(|(placed, body)| writer.push(*placed, body.as_bytes()));
            let Groups { bytes, starts, places } = writer.finish();
            prop_assert_eq!((starts.len(), places), (bodies.len().div_ceil(GROUP), bodies.len()));
            let group = Group::of(bodies.len(), &bytes);
            let mut reader = group.bodies();
            for body in &bodies {
                prop_assert_eq!(reader.next(), Some(body.as_bytes()));
            }
            prop_assert_eq!(reader.next(), None);
            prop_assert_eq!(group.placed(0..bodies.len()).collect::<Vec<_>>(), placed.as_slice());
            if !bodies.is_empty() {
                let probe = of.index(bodies.len());
                let below = |body: &[u8]| body < bodies[probe].as_bytes();
                let expected = bodies.iter().filter(|body| below(body.as_bytes())).count();
                prop_assert_eq!(group.count_while(below), expected);
                prop_assert_eq!(group.placed(probe..bodies.len()).next(), Some(placed[probe]));
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), places in 0usize..GROUP) {
            let group = Group::of(places, &bytes);
            prop_assert!(group.count_while(|_| true) <= places);
            prop_assert!(group.placed(0..places + 1).count() <= places);
            let mut bodies = group.bodies();
            while let Some(body) = bodies.next() {
                prop_assert!(body.len() <= bytes.len(), "a body has no more bytes than were read");
            }
        }
    }
}
