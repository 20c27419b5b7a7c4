//! The position of each unit's text in its part, and the ends of its fields. About a thousand combinations of
//! lengths occur in a whole month's data.

use std::collections::BTreeMap;

use rkyv::rend::u16_le;
use rkyv::{Archive, Serialize};

use crate::index::grams::BuildFault;
use crate::index::ranked::{self, BITS, Block};

/// The records cannot be indexed: they exceed the official files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexFault {
    #[error(transparent)]
    Grams(#[from] BuildFault),
    #[error("expected at most 65,536 combinations of lengths, found more; are these the files?")]
    Lengths,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct Lengths {
    /// The combinations in order of first use. Each has one end per field of the part, in letters.
    ends: Vec<u16>,
    units: Vec<u16>,
    /// The start positions of the units. One position after each unit is unused.
    starts: Vec<Starts>,
    /// One more than the last position.
    positions: u32,
    fields: u16,
}

/// Which of 64 positions start a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Archive, Serialize)]
struct Starts {
    block: Block,
    /// Distance from the last start before this block to the block. Reading the block that has it would cost a
    /// tenth of a keyword search.
    back: u32,
}

impl Starts {
    fn of(starts: impl Iterator<Item = u32>, positions: u32) -> Vec<Starts> {
        let mut blocks = vec![Block::default(); positions.div_ceil(BITS) as usize];
        for start in starts {
            if let Some(block) = blocks.get_mut((start / BITS) as usize) {
                block.set(start);
            }
        }
        ranked::rank(&mut blocks);
        let mut next = 0;
        let with_back = |block: Block| {
            let back = next;
            next = block.bits().checked_ilog2().map_or(back + BITS, |last| BITS - last);
            Starts { block, back }
        };
        blocks.into_iter().map(with_back).collect()
    }
}

/// A place in a part: a unit, and an offset in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub unit: u32,
    pub position: u32,
}

pub struct LengthsBuilder {
    known: BTreeMap<Vec<u16>, u16>,
    lengths: Lengths,
    starts: Vec<u32>,
}

impl LengthsBuilder {
    pub fn begin(fields: usize) -> LengthsBuilder {
        let fields = u16::try_from(fields).expect("a part has a handful of fields");
        let lengths = Lengths { fields, ..Lengths::default() };
        LengthsBuilder { known: BTreeMap::new(), lengths, starts: Vec::new() }
    }

    /// Adds the next unit with the lengths of its fields, 65,535 in total at most.
    pub fn add(&mut self, lengths: &[u16]) -> Result<(), IndexFault> {
        assert_eq!(lengths.len(), usize::from(self.lengths.fields), "each unit has all fields");
        self.starts.push(self.lengths.positions);
        let length = lengths.iter().map(|it| u32::from(*it)).sum::<u32>();
        self.lengths.positions = self.lengths.positions.saturating_add(1 + length);
        if let Some(known) = self.known.get(lengths) {
            self.lengths.units.push(*known);
            return Ok(());
        }
        let combination = u16::try_from(self.known.len()).ok().ok_or(IndexFault::Lengths)?;
        self.known.insert(lengths.to_vec(), combination);
        let ends = lengths.iter().scan(0, |end: &mut u16, length| {
            *end = end.saturating_add(*length);
            Some(*end)
        });
        self.lengths.ends.extend(ends);
        self.lengths.units.push(combination);
        Ok(())
    }

    pub fn finish(mut self) -> Lengths {
        self.lengths.starts = Starts::of(self.starts.into_iter(), self.lengths.positions);
        self.lengths
    }
}

impl ArchivedLengths {
    /// Checks that each of `units` units has lengths of `fields` fields and follows the one before.
    pub fn check(&self, fields: usize, units: usize) -> Result<(), &'static str> {
        let width = usize::from(self.fields.to_native());
        if width != fields || !self.ends.len().is_multiple_of(fields) {
            return Err("lengths of each field");
        }
        let ascending = |ends: &[u16_le]| ends.is_sorted_by_key(|end| end.to_native());
        if !self.ends.chunks(fields).all(ascending) {
            return Err("fields one after the other");
        }
        let combinations = self.ends.len() / fields;
        let known = |unit: &u16_le| usize::from(unit.to_native()) < combinations;
        if self.units.len() != units || !self.units.iter().all(known) {
            return Err("lengths of each unit");
        }
        let (mut next, lengths) = (0u32, self.reader());
        let mut starts = Vec::with_capacity(units);
        for unit in 0..units as u32 {
            starts.push(next);
            next = next.saturating_add(1 + lengths.length(unit));
        }
        let same = |(found, expected): (&ArchivedStarts, &Starts)| {
            found.block.native() == expected.block && found.back == expected.back
        };
        let expected = Starts::of(starts.into_iter(), next);
        let whole = self.positions == next && self.starts.len() == expected.len();
        if !whole || !self.starts.iter().zip(&expected).all(same) {
            return Err("units one after the other");
        }
        Ok(())
    }

    /// One more than the last position.
    pub fn positions(&self) -> usize {
        self.positions.to_native() as usize
    }

    /// A reader for many units, which looks up the memory addresses once.
    pub fn reader(&self) -> LengthsReader<'_> {
        LengthsReader {
            ends: &self.ends,
            units: &self.units,
            starts: &self.starts,
            fields: usize::from(self.fields.to_native()),
        }
    }
}

#[derive(Clone, Copy)]
pub struct LengthsReader<'s> {
    ends: &'s [u16_le],
    units: &'s [u16_le],
    starts: &'s [ArchivedStarts],
    fields: usize,
}

impl<'s> LengthsReader<'s> {
    /// The end of each field of a unit, in letters; empty past the last unit.
    #[inline]
    pub fn ends(self, unit: u32) -> &'s [u16_le] {
        let Some(combination) = self.units.get(unit as usize) else { return &[] };
        let start = usize::from(combination.to_native()) * self.fields;
        self.ends.get(start..start + self.fields).unwrap_or_default()
    }

    /// Letters of a unit's whole text; 0 past the last unit.
    #[inline]
    pub fn length(self, unit: u32) -> u32 {
        self.ends(unit).last().map_or(0, |end| u32::from(end.to_native()))
    }

    /// The unit at a position and the offset in its text; `None` past the last unit.
    #[inline]
    pub fn spot(self, position: u32) -> Option<Spot> {
        let starts = self.starts.get((position / BITS) as usize)?;
        let (block, within) = (starts.block.native(), position % BITS);
        let bits = block.bits() & u64::MAX >> (BITS - 1 - within);
        let unit = (block.rank + bits.count_ones()).checked_sub(1)?;
        let back = starts.back.to_native();
        let position =
            bits.checked_ilog2().map_or(within.wrapping_add(back), |start| within - start);
        Some(Spot { unit, position })
    }

    /// The units and offsets of these positions; those past the last unit are skipped.
    #[inline]
    pub fn spots(self, positions: &[u32]) -> impl Iterator<Item = Spot> {
        positions.iter().filter_map(move |position| self.spot(*position))
    }
}
