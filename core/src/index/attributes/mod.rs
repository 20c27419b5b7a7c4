//! Kind, process and cause of closing of every row, for filters and for exact facet counts over any set of rows.
//!
//! The section has two parts. `column` has two bytes per row: the indexes of its three codes, and its standing (all
//! ones for a hidden row). `bitmaps` has one bit per row for each common value. The rows of rare values are lists in the table beside
//! it ([`Attributes`]). Sparse sets are counted by the column, dense ones by intersection with the bitmap of each
//! value.

use rkyv::{Archive, Serialize};

use super::row_set::RowSet;
use super::standing::Standing;
use crate::snapshot::{Blocks, Fault};
use crate::text::codes::corporate_number::{CLOSE_CAUSES, KINDS, PROCESSES};
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    pub enum Attribute {
        Kind = "kind",
        Process = "process",
        /// Cause of closing. Code 0 means that the register is open, or closed without a cause.
        CloseCause = "close_cause",
    }
}

const VALUES_MAX: usize = 10;

const _: () = assert!(KINDS.len() <= VALUES_MAX && PROCESSES.len() <= VALUES_MAX);
const _: () = assert!(CLOSE_CAUSES.len() <= 7, "three bits, and not all of them set");

impl Attribute {
    pub fn codes(self) -> impl Iterator<Item = u16> + Clone {
        let (wide, narrow): (&[u16], &[u8]) = match self {
            Attribute::Kind => (&KINDS, &[]),
            Attribute::Process => (&[], &PROCESSES),
            Attribute::CloseCause => (&[], &CLOSE_CAUSES),
        };
        wide.iter().copied().chain(narrow.iter().map(|code| u16::from(*code)))
    }

    /// The index of a code; `None` if there is no such value.
    pub fn index_of(self, code: u16) -> Option<usize> {
        self.codes().position(|known| known == code)
    }

    /// The shift and the mask of its index in a value of the column.
    fn bits(self) -> (u32, u16) {
        match self {
            Attribute::Kind => (0, 15),
            Attribute::Process => (4, 15),
            Attribute::CloseCause => (8, 7),
        }
    }

    /// The index of its code in a value of the column.
    fn index_in(self, packed: u16) -> usize {
        let (shift, mask) = self.bits();
        usize::from(packed >> shift & mask)
    }
}

/// Marks a hidden row in the column.
const HIDDEN: u16 = u16::MAX;

/// Bytes per row of the column.
const VALUE_BYTES: usize = 2;
/// Bytes per word of a bitmap.
const WORD_BYTES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeValues {
    pub kind: u16,
    pub process: u8,
    /// Cause of closing; 0 for none.
    pub close_cause: u8,
    pub standing: Standing,
}

/// The shift of a row's standing in a value of the column: three bits after the codes. 0 means that the snapshot is
/// older than standings, else it is the standing's number from 1.
const STANDING_SHIFT: u32 = 11;

/// The process of an entry that closes a register.
const CLOSING: u16 = 21;

impl AttributeValues {
    /// As a value of the column.
    fn packed(self) -> u16 {
        let codes = [self.kind, u16::from(self.process), u16::from(self.close_cause)];
        let standing = (self.standing as u16 + 1) << STANDING_SHIFT;
        Attribute::ALL.into_iter().zip(codes).fold(standing, |packed, (attribute, code)| {
            // Readers of the sources accept no other code.
            packed | (attribute.index_of(code).unwrap_or_default() as u16) << attribute.bits().0
        })
    }
}

/// The table beside the section: the hidden rows, and for each attribute its values in the order of their codes.
#[derive(Debug, Default, Archive, Serialize)]
pub struct Attributes {
    rows: u32,
    /// Ascending.
    hidden: Vec<u32>,
    values: Vec<Vec<Value>>,
}

#[derive(Debug, Default, Archive, Serialize)]
struct Value {
    count: u32,
    /// The index of its bitmap, or [`NO_BITMAP`].
    bitmap: u32,
    /// The rows, ascending, if there is no bitmap.
    list: Vec<u32>,
}

/// In [`Value::bitmap`]: the rows are listed instead.
const NO_BITMAP: u32 = u32::MAX;

/// Builds the table and the section's bytes from the rows; a hidden row has no values.
pub fn build(
    values: impl ExactSizeIterator<Item = Option<AttributeValues>>,
) -> (Attributes, Vec<u8>) {
    let column: Vec<u16> =
        values.map(|values| values.map_or(HIDDEN, AttributeValues::packed)).collect();
    let rows = || (0u32..).zip(&column);
    let hidden = rows().filter(|(_, row)| **row == HIDDEN).map(|(row, _)| row).collect();
    let mut bytes: Vec<u8> = column.iter().flat_map(|row| row.to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(WORD_BYTES), 0);
    let mut bitmaps = 0;
    let mut table = Vec::new();
    for attribute in Attribute::ALL {
        let index_in = |row: u16| (row != HIDDEN).then(|| attribute.index_in(row));
        let none = || Value { count: 0, bitmap: NO_BITMAP, list: Vec::new() };
        let mut values: Vec<Value> = attribute.codes().map(|_| none()).collect();
        for index in column.iter().filter_map(|row| index_in(*row)) {
            values[index].count += 1;
        }
        for (index, value) in values.iter_mut().enumerate() {
            // A row costs 32 bits in a list; a bitmap costs one bit for every row of the table.
            if value.count as usize * 32 >= column.len() {
                value.bitmap = bitmaps;
                bitmaps += 1;
                let has_value = |row: &u16| u64::from(index_in(*row) == Some(index));
                bytes.extend(column.chunks(64).flat_map(|rows| {
                    let bits = rows.iter().rev().fold(0, |bits, row| bits << 1 | has_value(row));
                    bits.to_le_bytes()
                }));
            }
        }
        for (row, packed) in rows() {
            if let Some(value) = index_in(*packed).map(|index| &mut values[index])
                && value.bitmap == NO_BITMAP
            {
                value.list.push(row);
            }
        }
        table.push(values);
    }
    (Attributes { rows: column.len() as u32, hidden, values: table }, bytes)
}

/// Bytes of the column of this many rows, up to the first bitmap.
fn column_bytes(rows: usize) -> usize {
    (rows * VALUE_BYTES).next_multiple_of(WORD_BYTES)
}

fn bitmap_bytes(rows: usize) -> usize {
    rows.div_ceil(64) * WORD_BYTES
}

impl ArchivedAttributes {
    /// Checks all invariants that a search relies on, for a section of this many bytes.
    pub fn check(&self, rows: usize, bytes: usize) -> Result<(), &'static str> {
        if self.rows.to_native() as usize != rows {
            return Err("values of each row");
        }
        let is_sound = |list: &rkyv::vec::ArchivedVec<rkyv::rend::u32_le>| {
            let is_ascending = list.is_sorted_by(|left, right| left < right);
            is_ascending && list.last().is_none_or(|last| (last.to_native() as usize) < rows)
        };
        if !is_sound(&self.hidden) {
            return Err("hidden rows that ascend");
        }
        let counts = Attribute::ALL.map(|attribute| attribute.codes().count());
        if !self.values.iter().map(|values| values.len()).eq(counts) {
            return Err("every value of three attributes");
        }
        let mut bitmaps = 0;
        for values in self.values.iter() {
            let mut sum = self.hidden.len();
            for value in values.iter() {
                let count = value.count.to_native() as usize;
                sum += count;
                if value.bitmap == NO_BITMAP {
                    if value.list.len() != count || !is_sound(&value.list) {
                        return Err("lists that ascend and are as long as their counts");
                    }
                } else if value.bitmap != bitmaps || !value.list.is_empty() {
                    return Err("bitmaps in order");
                } else {
                    bitmaps += 1;
                }
            }
            if sum != rows {
                return Err("counts that add up");
            }
        }
        if bytes != column_bytes(rows) + bitmaps as usize * bitmap_bytes(rows) {
            return Err("a column and the bitmaps");
        }
        Ok(())
    }
}

/// The attributes of all rows, read in place.
#[derive(Clone, Copy)]
pub struct AttributeReader<'s> {
    table: &'s ArchivedAttributes,
    blocks: &'s Blocks,
    rows: usize,
}

impl<'s> AttributeReader<'s> {
    /// For a table that was checked against the length of these blocks.
    pub fn new(table: &'s ArchivedAttributes, blocks: &'s Blocks) -> AttributeReader<'s> {
        AttributeReader { table, blocks, rows: table.rows.to_native() as usize }
    }

    /// The hidden rows, ascending.
    pub fn hidden(&self) -> impl ExactSizeIterator<Item = u32> + use<'s> {
        self.table.hidden.iter().map(|row| row.to_native())
    }

    fn value(&self, attribute: Attribute, index: usize) -> Option<&'s ArchivedValue> {
        self.table.values.get(attribute as usize)?.get(index)
    }

    pub fn count(&self, attribute: Attribute, index: usize) -> u64 {
        self.value(attribute, index).map_or(0, |value| u64::from(value.count.to_native()))
    }

    pub fn rows(self, attribute: Attribute, index: usize) -> ValueRows<'s> {
        ValueRows { reader: self, attribute, index }
    }

    /// The words of a value's bitmap; `None` if its rows are listed.
    fn bitmap(
        &self,
        value: &ArchivedValue,
    ) -> Result<Option<impl Iterator<Item = u64> + use<'s>>, Fault> {
        if value.bitmap == NO_BITMAP {
            return Ok(None);
        }
        let length = bitmap_bytes(self.rows);
        let start = column_bytes(self.rows) + value.bitmap.to_native() as usize * length;
        let bytes = self.blocks.get(start..start + length)?;
        Ok(Some(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word))))
    }

    /// The standings of all rows.
    pub fn standings(&self) -> Result<Standings<'s>, Fault> {
        Ok(Standings { column: self.column()? })
    }

    /// The whole column. Its blocks are verified on the first call only.
    fn column(&self) -> Result<&'s [[u8; VALUE_BYTES]], Fault> {
        Ok(self.blocks.get(0..self.rows * VALUE_BYTES)?.as_chunks().0)
    }
}

/// The standing of each row, read in place.
#[derive(Clone, Copy)]
pub struct Standings<'s> {
    column: &'s [[u8; VALUE_BYTES]],
}

impl Standings<'_> {
    /// The standing of a row. A snapshot without standings still has the codes of closing.
    #[inline]
    pub fn of(&self, row: u32) -> Standing {
        let value = value_of(self.column, row);
        match value >> STANDING_SHIFT {
            0 => Standings::from_codes(value),
            number => Standing::ALL.get(usize::from(number - 1)).copied().unwrap_or_default(),
        }
    }

    #[cold]
    fn from_codes(value: u16) -> Standing {
        let closing = Attribute::Process.index_of(CLOSING);
        let has_cause = Attribute::CloseCause.index_in(value) != 0;
        let is_closed = has_cause || Some(Attribute::Process.index_in(value)) == closing;
        if is_closed { Standing::Closed } else { Standing::Open }
    }
}

#[derive(Clone, Copy)]
pub struct ValueRows<'s> {
    reader: AttributeReader<'s>,
    attribute: Attribute,
    index: usize,
}

impl ValueRows<'_> {
    pub fn add_to(&self, set: &mut RowSet) -> Result<(), Fault> {
        let value = self.reader.value(self.attribute, self.index);
        let Some(value) = value else { return Ok(()) };
        match self.reader.bitmap(value)? {
            Some(words) => set.or_words(words),
            None => value.list.iter().for_each(|row| set.insert(row.to_native() as usize)),
        }
        Ok(())
    }

    /// Removes all other rows from a set.
    pub fn restrict(&self, set: &mut RowSet) -> Result<(), Fault> {
        let value = self.reader.value(self.attribute, self.index);
        match value.map(|value| self.reader.bitmap(value)).transpose()?.flatten() {
            Some(words) => set.and_words(words),
            None => {
                let mut kept = RowSet::empty(self.reader.rows);
                let listed = value.into_iter().flat_map(|value| value.list.iter());
                let listed = listed.map(|row| row.to_native() as usize);
                listed.filter(|row| set.contains(*row)).for_each(|row| kept.insert(row));
                *set = kept;
            }
        }
        Ok(())
    }

    /// Removes all other rows from a list.
    pub fn retain(&self, rows: &mut Vec<u32>) -> Result<(), Fault> {
        let column = self.reader.column()?;
        rows.retain(|row| {
            let value = value_of(column, *row);
            value != HIDDEN && self.attribute.index_in(value) == self.index
        });
        Ok(())
    }
}

/// The column's value of a row. A row beyond the table counts as hidden.
#[inline]
fn value_of(column: &[[u8; VALUE_BYTES]], row: u32) -> u16 {
    column.get(row as usize).map_or(HIDDEN, |bytes| u16::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributeCounts {
    counts: [[u64; VALUES_MAX]; 3],
}

impl AttributeCounts {
    /// Codes and counts of an attribute, including zero counts.
    pub fn of_attribute(&self, attribute: Attribute) -> impl Iterator<Item = (u16, u64)> {
        attribute.codes().zip(self.counts[attribute as usize])
    }
}

/// Distinct values of the column's bits. The marker of hidden rows, cut to these bits, is among them.
const PACKED: usize = 1 << 11;

impl AttributeReader<'_> {
    /// Counts these rows, each of which is given once.
    pub fn count_rows(&self, rows: impl Iterator<Item = u32>) -> Result<AttributeCounts, Fault> {
        let column = self.column()?;
        // All three attributes at once: one read of the column and one increment per row.
        let mut packed = [0u32; PACKED];
        for row in rows {
            let value = value_of(column, row);
            if value != HIDDEN {
                packed[usize::from(value) % PACKED] += 1;
            }
        }
        let mut counts = AttributeCounts::default();
        for (value, count) in (0u16..).zip(packed).filter(|(_, count)| *count > 0) {
            for attribute in Attribute::ALL {
                // Builders write only values that an attribute has.
                let index = attribute.index_in(value);
                if let Some(total) = counts.counts[attribute as usize].get_mut(index) {
                    *total += u64::from(count);
                }
            }
        }
        Ok(counts)
    }

    /// Counts a set, at the same cost for any set; [`count_rows`](Self::count_rows) is faster for few rows.
    pub fn count_set(&self, set: &RowSet) -> Result<AttributeCounts, Fault> {
        let hidden = self.hidden().filter(|row| set.contains(*row as usize)).count() as u64;
        let visible = set.count().saturating_sub(hidden);
        let mut counts = AttributeCounts::default();
        for attribute in Attribute::ALL {
            let indexes = 0..attribute.codes().count();
            // The count of the most common value follows from the others; its bitmap covers half the rows.
            let most_common = indexes.clone().max_by_key(|index| self.count(attribute, *index));
            let mut rest = visible;
            for index in indexes.filter(|index| Some(*index) != most_common) {
                let count = self.count_value(attribute, index, set)?;
                rest = rest.saturating_sub(count);
                counts.counts[attribute as usize][index] = count;
            }
            if let Some(index) = most_common {
                counts.counts[attribute as usize][index] = rest;
            }
        }
        Ok(counts)
    }

    fn count_value(&self, attribute: Attribute, index: usize, set: &RowSet) -> Result<u64, Fault> {
        let Some(value) = self.value(attribute, index) else { return Ok(0) };
        let common = |(left, right): (&u64, u64)| u64::from((left & right).count_ones());
        Ok(match self.bitmap(value)? {
            Some(words) => set.words().iter().zip(words).map(common).sum(),
            None => {
                let listed = value.list.iter().map(|row| row.to_native() as usize);
                listed.filter(|row| set.contains(*row)).count() as u64
            }
        })
    }
}
