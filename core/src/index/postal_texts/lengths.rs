//! The position of each unit's text in its part, and the ends of its fields. About a thousand combinations of
//! lengths occur in a whole month's data.

use std::collections::BTreeMap;

use rkyv::rend::u16_le;
use rkyv::{Archive, Serialize};

use crate::index::grams::BuildFault;

/// The records cannot be indexed: they exceed the official files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexFault {
    #[error(transparent)]
    Grams(#[from] BuildFault),
    #[error(
        "expected at most 65,536 combinations of lengths, found more; check that the sources are the official files"
    )]
    Lengths,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct Lengths {
    /// The combinations in order of first use. Each has one end per field of the part, in letters.
    ends: Vec<u16>,
    /// The combination of each unit.
    units: Vec<u16>,
    /// The start positions of the units. One position after each unit is unused.
    starts: Vec<StartBlock>,
    /// One more than the last position.
    positions: u32,
    fields: u16,
}

/// Positions per [`StartBlock`].
const BITS: u32 = u64::BITS;

/// Which of 64 positions start a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Archive, Serialize)]
struct StartBlock {
    /// How many units start before this block.
    rank: u32,
    /// The first position is the lowest bit. Two halves, so that a block needs only 4-byte alignment.
    bits: [u32; 2],
    /// Distance from the last start before this block to the block. Reading the block that has it would cost a
    /// tenth of a keyword search.
    distance: u32,
}

impl StartBlock {
    fn build(starts: impl Iterator<Item = u32>, positions: u32) -> Vec<StartBlock> {
        let mut blocks = vec![StartBlock::default(); positions.div_ceil(BITS) as usize];
        for start in starts {
            if let Some(block) = blocks.get_mut((start / BITS) as usize) {
                block.bits[(start % BITS / 32) as usize] |= 1 << (start % 32);
            }
        }
        let (mut rank, mut distance) = (0, 0);
        for block in &mut blocks {
            (block.rank, block.distance) = (rank, distance);
            rank += block.bits().count_ones();
            let last = block.bits().checked_ilog2();
            distance = last.map_or(distance + BITS, |last| BITS - last);
        }
        blocks
    }

    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.bits[0]) | u64::from(self.bits[1]) << 32
    }
}

impl ArchivedStartBlock {
    #[inline]
    fn native(&self) -> StartBlock {
        let ArchivedStartBlock { rank, bits: [low, high], distance } = self;
        let bits = [low.to_native(), high.to_native()];
        StartBlock { rank: rank.to_native(), bits, distance: distance.to_native() }
    }
}

/// A position in a part as a unit and an offset in its text, in letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitOffset {
    pub unit: u32,
    pub offset: u32,
}

impl Lengths {
    /// The lengths of units of this many fields: for each unit the lengths of its fields, 65,535 in total at most.
    pub fn build<'u>(
        fields: usize,
        units: impl Iterator<Item = &'u [u16]>,
    ) -> Result<Lengths, IndexFault> {
        let mut built = Lengths { fields: fields as u16, ..Lengths::default() };
        let (mut known, mut starts) = (BTreeMap::new(), Vec::new());
        for lengths in units {
            assert_eq!(lengths.len(), fields, "each unit has all fields");
            starts.push(built.positions);
            let length = lengths.iter().map(|it| u32::from(*it)).sum::<u32>();
            built.positions = built.positions.saturating_add(1 + length);
            if let Some(combination) = known.get(lengths) {
                built.units.push(*combination);
                continue;
            }
            let combination = u16::try_from(known.len()).ok().ok_or(IndexFault::Lengths)?;
            known.insert(lengths, combination);
            built.ends.extend(lengths.iter().scan(0, |end: &mut u16, length| {
                *end = end.saturating_add(*length);
                Some(*end)
            }));
            built.units.push(combination);
        }
        built.starts = StartBlock::build(starts.into_iter(), built.positions);
        Ok(built)
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
        let is_known = |unit: &u16_le| usize::from(unit.to_native()) < combinations;
        if self.units.len() != units || !self.units.iter().all(is_known) {
            return Err("lengths of each unit");
        }
        let (mut next, lengths) = (0u32, self.reader());
        let mut starts = Vec::with_capacity(units);
        for unit in 0..units as u32 {
            starts.push(next);
            next = next.saturating_add(1 + lengths.length(unit));
        }
        let expected = StartBlock::build(starts.into_iter(), next);
        if self.positions != next || !self.starts.iter().map(|it| it.native()).eq(expected) {
            return Err("units one after the other");
        }
        Ok(())
    }

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
    starts: &'s [ArchivedStartBlock],
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

    /// The unit at a position, and the offset in its text; `None` past the last unit.
    #[inline]
    pub fn locate(self, position: u32) -> Option<UnitOffset> {
        let block = self.starts.get((position / BITS) as usize)?.native();
        let within = position % BITS;
        let bits = block.bits() & u64::MAX >> (BITS - 1 - within);
        let unit = (block.rank + bits.count_ones()).checked_sub(1)?;
        let start = bits.checked_ilog2();
        let offset = start.map_or(within.wrapping_add(block.distance), |start| within - start);
        Some(UnitOffset { unit, offset })
    }

    /// The units and offsets of these positions; those past the last unit are skipped.
    #[inline]
    pub fn locate_all(self, positions: &[u32]) -> impl Iterator<Item = UnitOffset> {
        positions.iter().filter_map(move |position| self.locate(*position))
    }
}
