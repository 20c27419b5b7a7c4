//! How long the fields of each unit are. A thousand combinations serve a whole month.

use std::collections::BTreeMap;

use rkyv::rend::u16_le;
use rkyv::{Archive, Serialize};

use super::IndexFault;

/// The lengths of a part's fields.
#[derive(Debug, Default, Archive, Serialize)]
pub struct Shapes {
    /// The combinations, in order of first use: so many ends as the part has fields, each the
    /// letters up to there.
    ends: Vec<u16>,
    /// Of each unit: the number of its combination.
    units: Vec<u16>,
    /// Fields of a unit.
    fields: u16,
}

/// Shapes in the making.
pub struct ShapesBuilder {
    known: BTreeMap<Vec<u16>, u16>,
    shapes: Shapes,
}

impl ShapesBuilder {
    /// No unit yet, each to come with so many fields.
    pub fn begin(fields: usize) -> ShapesBuilder {
        let fields = u16::try_from(fields).expect("a part has a handful of fields");
        ShapesBuilder { known: BTreeMap::new(), shapes: Shapes { fields, ..Shapes::default() } }
    }

    /// Adds the next unit: the lengths of its fields, 65,535 in all at most.
    pub fn add(&mut self, lengths: &[u16]) -> Result<(), IndexFault> {
        assert_eq!(lengths.len(), usize::from(self.shapes.fields), "each unit has all fields");
        if let Some(shape) = self.known.get(lengths) {
            self.shapes.units.push(*shape);
            return Ok(());
        }
        let shape = u16::try_from(self.known.len()).ok().ok_or(IndexFault::Shapes)?;
        self.known.insert(lengths.to_vec(), shape);
        let ends = lengths.iter().scan(0, |end: &mut u16, length| {
            *end = end.saturating_add(*length);
            Some(*end)
        });
        self.shapes.ends.extend(ends);
        self.shapes.units.push(shape);
        Ok(())
    }

    /// The shapes of the units that were added.
    pub fn finish(self) -> Shapes {
        self.shapes
    }
}

/// Shapes whose places in memory are known.
#[derive(Clone, Copy)]
pub struct ShapeReader<'s> {
    ends: &'s [u16_le],
    units: &'s [u16_le],
    fields: usize,
}

impl<'s> ShapeReader<'s> {
    /// As [`ArchivedShapes::ends`].
    #[inline]
    pub fn ends(self, unit: u32) -> &'s [u16_le] {
        let Some(shape) = self.units.get(unit as usize) else { return &[] };
        let start = usize::from(shape.to_native()) * self.fields;
        self.ends.get(start..start + self.fields).unwrap_or_default()
    }
}

impl ArchivedShapes {
    /// Checks that each of `units` units has a shape of `fields` fields.
    pub fn check(&self, fields: usize, units: usize) -> Result<(), &'static str> {
        let width = usize::from(self.fields.to_native());
        if width != fields || !self.ends.len().is_multiple_of(fields) {
            return Err("lengths of each field");
        }
        let ascending = |ends: &[u16_le]| ends.is_sorted_by_key(|end| end.to_native());
        if !self.ends.chunks(fields).all(ascending) {
            return Err("fields one behind the other");
        }
        let shapes = self.ends.len() / fields;
        let known = |shape: &u16_le| usize::from(shape.to_native()) < shapes;
        if self.units.len() != units || !self.units.iter().all(known) {
            return Err("lengths of each unit");
        }
        Ok(())
    }

    /// Where each field of a unit ends, in letters; nothing past the last unit.
    #[inline]
    pub fn ends(&self, unit: u32) -> &[u16_le] {
        self.reader().ends(unit)
    }

    /// For many units one behind the other.
    #[inline]
    pub fn reader(&self) -> ShapeReader<'_> {
        let fields = usize::from(self.fields.to_native());
        ShapeReader { ends: &self.ends, units: &self.units, fields }
    }

    /// Letters of a unit's whole text; `None` past the last unit.
    #[inline]
    pub fn length(&self, unit: u32) -> Option<u32> {
        self.ends(unit).last().map(|end| u32::from(end.to_native()))
    }

    /// Bytes that they take.
    pub fn size(&self) -> usize {
        (self.ends.len() + self.units.len()) * 2
    }
}
