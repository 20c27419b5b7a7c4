//! Where the text of each unit stands among the positions of its part, and where its fields end. A
//! thousand combinations of lengths serve a whole month.

use std::collections::BTreeMap;

use rkyv::rend::u16_le;
use rkyv::{Archive, Serialize};

use crate::index::grams::BuildFault;

/// The records cannot be indexed: they are not what the official files have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexFault {
    #[error(transparent)]
    Grams(#[from] BuildFault),
    #[error("expected at most 65,536 combinations of lengths, found more; are these the files?")]
    Lengths,
}

/// Where the units of a part and their fields lie.
#[derive(Debug, Default, Archive, Serialize)]
pub struct Lengths {
    /// The combinations, in order of first use: as many ends as the part has fields, each the
    /// letters up to there.
    ends: Vec<u16>,
    /// Of each unit: the number of its combination.
    units: Vec<u16>,
    /// Of each unit: its first position; and one more than the last unit's last. Between two units
    /// one position is not used.
    starts: Vec<u32>,
    /// Fields of a unit.
    fields: u16,
}

/// A place in a part: a unit, and a position in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub unit: u32,
    pub position: u32,
}

/// Lengths of the units that were added so far.
pub struct LengthsBuilder {
    known: BTreeMap<Vec<u16>, u16>,
    lengths: Lengths,
    next: u32,
}

impl LengthsBuilder {
    pub fn begin(fields: usize) -> LengthsBuilder {
        let fields = u16::try_from(fields).expect("a part has a handful of fields");
        let lengths = Lengths { fields, starts: vec![0], ..Lengths::default() };
        LengthsBuilder { known: BTreeMap::new(), lengths, next: 0 }
    }

    /// Adds the next unit: the lengths of its fields, 65,535 in all at most.
    pub fn add(&mut self, lengths: &[u16]) -> Result<(), IndexFault> {
        assert_eq!(lengths.len(), usize::from(self.lengths.fields), "each unit has all fields");
        self.next += 1 + lengths.iter().map(|length| u32::from(*length)).sum::<u32>();
        self.lengths.starts.push(self.next);
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

    pub fn finish(self) -> Lengths {
        self.lengths
    }
}

impl ArchivedLengths {
    /// Checks that each of `units` units has lengths of `fields` fields and lies behind the one before.
    pub fn check(&self, fields: usize, units: usize) -> Result<(), &'static str> {
        let width = usize::from(self.fields.to_native());
        if width != fields || !self.ends.len().is_multiple_of(fields) {
            return Err("lengths of each field");
        }
        let ascending = |ends: &[u16_le]| ends.is_sorted_by_key(|end| end.to_native());
        if !self.ends.chunks(fields).all(ascending) {
            return Err("fields one behind the other");
        }
        let combinations = self.ends.len() / fields;
        let known = |unit: &u16_le| usize::from(unit.to_native()) < combinations;
        if self.units.len() != units || !self.units.iter().all(known) {
            return Err("lengths of each unit");
        }
        let mut next = 0;
        for (unit, start) in (0..).zip(self.starts.iter()) {
            if start.to_native() != next {
                return Err("units one behind the other");
            }
            next = next.saturating_add(1 + self.length(unit));
        }
        if self.starts.len() != units + 1 {
            return Err("a start of each unit");
        }
        Ok(())
    }

    /// One more than the last position.
    pub fn positions(&self) -> usize {
        self.starts.last().map_or(0, |end| end.to_native() as usize)
    }

    /// Where each field of a unit ends, in letters; nothing past the last unit.
    #[inline]
    pub fn ends(&self, unit: u32) -> &[u16_le] {
        let Some(combination) = self.units.get(unit as usize) else { return &[] };
        let fields = usize::from(self.fields.to_native());
        let start = usize::from(combination.to_native()) * fields;
        self.ends.get(start..start + fields).unwrap_or_default()
    }

    /// Letters of a unit's whole text; none past the last unit.
    #[inline]
    pub fn length(&self, unit: u32) -> u32 {
        self.ends(unit).last().map_or(0, |end| u32::from(end.to_native()))
    }

    /// The units and places of ascending positions; one past the last unit is skipped.
    #[inline]
    pub fn spots(&self, positions: &[u32]) -> impl Iterator<Item = Spot> {
        let starts = self.starts.as_slice();
        // The number of units that begin at or before the position.
        let mut unit = 0;
        positions.iter().filter_map(move |position| {
            let before = |start: &rkyv::rend::u32_le| start.to_native() <= *position;
            // Near ones are found in few steps, far ones in the logarithm of the distance.
            let mut step = 1;
            while starts.get(unit + step - 1).is_some_and(before) {
                unit += step;
                step *= 2;
            }
            let near = starts.get(unit..(unit + step).min(starts.len()))?;
            unit += near.partition_point(before);
            if unit == starts.len() {
                return None;
            }
            let own = unit.checked_sub(1)?;
            let start = starts.get(own)?.to_native();
            Some(Spot { unit: own as u32, position: position - start })
        })
    }

    /// Bytes that they take.
    pub fn size(&self) -> usize {
        (self.ends.len() + self.units.len()) * 2 + self.starts.len() * 4
    }
}
