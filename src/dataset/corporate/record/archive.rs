//! The sections of a corporate snapshot: places, offsets, provenance, and the records as stored.
//!
//! A stored record has a header with what is known from its row and number, then its length and bytes; see
//! [`StoredRecord`] for the layout. A look-up by number finds all of it in one read, without the tables by row.

use rkyv::rend::u32_le;
use rkyv::{Archive, Serialize};

use crate::record::Day;
use crate::record::codec::{Cursor, push_bytes};
use crate::snapshot::SectionTag;
use crate::text::codes::CorporateNumber;

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const TABLES: SectionTag = SectionTag::new("tables");
    /// The records, concatenated; verified block by block.
    pub const RECORDS: SectionTag = SectionTag::new("records");
    pub const SUMS: SectionTag = SectionTag::new("sums");
    /// Numbers to the offsets of their records, see [`crate::index::numbers`].
    pub const NUMBERS: SectionTag = SectionTag::new("numbers");
    /// Rows in the order of their names, see [`crate::index::name_order`]; verified block by block.
    pub const NAME_ORDER: SectionTag = crate::index::name_order::SECTION;
    pub const NAME_ORDER_SUMS: SectionTag = SectionTag::new("order.s");
    pub const NAME_DIRECTORY: SectionTag = SectionTag::new("order.d");
    /// Weights of names and readings, see [`crate::index::prominence`]; verified block by block.
    pub const SUGGESTED: SectionTag = SectionTag::new("likely");
    pub const SUGGESTED_SUMS: SectionTag = SectionTag::new("likely.s");
    pub const SUGGESTED_DIRECTORY: SectionTag = SectionTag::new("likely.d");
    /// Rows by their loose names, see [`crate::index::loose_names`]; verified block by block.
    pub const LOOSE: SectionTag = SectionTag::new("loose");
    pub const LOOSE_SUMS: SectionTag = SectionTag::new("loose.s");
    pub const LOOSE_DIRECTORY: SectionTag = SectionTag::new("loose.d");
    /// [`crate::index::attributes`]; verified block by block.
    pub const VALUES: SectionTag = SectionTag::new("values");
    pub const VALUES_SUMS: SectionTag = SectionTag::new("values.s");
    pub const ATTRIBUTES: SectionTag = SectionTag::new("values.d");
    /// [`super::super::former_names`]; only in a snapshot that was built with differences.
    pub const FORMER_NAMES: SectionTag = SectionTag::new("former");
}

/// The inputs of a snapshot. The way it was built is not part of it: a base with differences gives the same bytes
/// as a full file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Serialize)]
pub struct CorporateProvenance {
    /// Prefectures that the snapshot is limited to, 99 for corporations abroad; empty for all.
    pub prefectures: Vec<u8>,
    /// Version of the postal snapshot by which addresses were normalised, as 20260630; 0 for none.
    pub postal_version: u32,
    pub postal_fingerprint: u32,
    /// The date of the register of qualified invoice issuers, as 20260731; 0 for none.
    pub issuers_date: u32,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct CorporateTables {
    pub places: Vec<OfficePlace>,
    /// Start of each record in the order of rows, and the end of the last.
    pub offsets: Vec<u32>,
    pub closed: u32,
}

/// Prefecture and city of a registered office. A code with several names gives several places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Archive, Serialize)]
pub struct OfficePlace {
    /// JIS X 0401; [`ABROAD`] if there is none.
    pub prefecture_code: u8,
    /// JIS X 0402; 0 if there is none.
    pub city_code: u16,
    pub prefecture: String,
    pub city: String,
    /// Its first row; its rows end where the next place's begin.
    pub first: u32,
}

/// In [`OfficePlace::prefecture_code`]: abroad. Sorts last, as in the tax agency's file names.
pub const ABROAD: u8 = 99;

#[derive(Clone, Copy)]
pub struct OfficePlaceView<'s>(Option<(usize, &'s ArchivedOfficePlace)>);

impl<'s> OfficePlaceView<'s> {
    /// An empty place, for a record that is read without one.
    pub fn none() -> OfficePlaceView<'static> {
        OfficePlaceView(None)
    }

    /// Its index in the table of places of its version.
    pub fn number(self) -> Option<usize> {
        self.0.map(|(number, _)| number)
    }

    fn archived(self) -> Option<&'s ArchivedOfficePlace> {
        self.0.map(|(_, place)| place)
    }

    /// Empty if there is none, as the city.
    pub fn prefecture(self) -> &'s str {
        self.archived().map_or("", |place| place.prefecture.as_str())
    }

    pub fn city(self) -> &'s str {
        self.archived().map_or("", |place| place.city.as_str())
    }

    pub fn prefecture_code(self) -> Option<u8> {
        self.archived().map(|place| place.prefecture_code).filter(|code| *code != ABROAD)
    }

    /// JIS X 0401 and 0402: five digits.
    pub fn jisx0402(self) -> Option<u32> {
        let city = self.archived()?.city_code.to_native();
        let prefecture = self.prefecture_code().filter(|_| city != 0)?;
        Some(u32::from(prefecture) * 1_000 + u32::from(city))
    }
}

impl ArchivedCorporateTables {
    /// Checks all invariants that a view relies on, for records of this many bytes.
    pub fn check(&self, bytes: usize) -> Result<(), &'static str> {
        let rows = self.rows();
        let end = self.offsets.last().map(|end| end.to_native() as usize);
        let ascending = self.offsets.is_sorted_by_key(|offset| offset.to_native());
        if end != Some(bytes) || !ascending {
            return Err("offsets that ascend to the end of the records");
        }
        let first = |place: &ArchivedOfficePlace| place.first.to_native() as usize;
        if !self.places.is_sorted_by(|left, right| first(left) < first(right))
            || self.places.first().is_some_and(|place| first(place) != 0)
            || self.places.last().is_some_and(|place| first(place) >= rows)
            || self.places.is_empty() != (rows == 0)
        {
            return Err("places that ascend, each with rows");
        }
        Ok(())
    }

    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The byte range of a row's record; `None` past the end.
    #[inline]
    pub fn range(&self, row: u32) -> Option<std::ops::Range<usize>> {
        let offset =
            |index: usize| self.offsets.get(index).map(|offset| offset.to_native() as usize);
        Some(offset(row as usize)?..offset(row as usize + 1)?)
    }

    /// The row of the record that begins at an offset.
    pub fn row_at(&self, offset: u32) -> Option<u32> {
        let row = self.offsets.binary_search_by_key(&offset, |offset| offset.to_native()).ok()?;
        (row < self.rows()).then_some(row as u32)
    }

    /// A table for looking up many offsets: building it takes longer than one look-up.
    pub fn rows_by_offset(&self) -> RowsByOffset<'_> {
        RowsByOffset::new(&self.offsets)
    }

    #[inline]
    pub fn place(&self, number: u16) -> Option<OfficePlaceView<'_>> {
        let number = usize::from(number);
        self.places.get(number).map(|place| OfficePlaceView(Some((number, place))))
    }

    pub fn places(&self) -> impl Iterator<Item = (OfficePlaceView<'_>, std::ops::Range<u32>)> {
        let end = self.rows() as u32;
        self.places.iter().enumerate().map(move |(number, place)| {
            let next = self.places.get(number + 1).map_or(end, |next| next.first.to_native());
            (OfficePlaceView(Some((number, place))), place.first.to_native()..next)
        })
    }
}

/// Bits of an offset within its block: a block has 512 bytes. A record has about a hundred.
const BLOCK_BITS: u32 = 9;

/// Looks up the rows of millions of offsets in any order. For each block of bytes it has the first row that begins
/// there, so that a look-up compares a few offsets instead of all.
pub struct RowsByOffset<'t> {
    /// Start of each record, and the end of the last.
    offsets: &'t [u32_le],
    /// For each block the first row that begins in or after it; at the end the number of rows.
    blocks: Vec<u32>,
}

impl<'t> RowsByOffset<'t> {
    /// The offsets must ascend.
    pub fn new(offsets: &'t [u32_le]) -> RowsByOffset<'t> {
        let (rows, end) = match offsets {
            [starts @ .., end] => (starts.len(), end.to_native()),
            [] => (0, 0),
        };
        let mut blocks = Vec::with_capacity((end >> BLOCK_BITS) as usize + 2);
        for (row, offset) in offsets.iter().take(rows).enumerate() {
            let block = (offset.to_native() >> BLOCK_BITS) as usize;
            if blocks.len() <= block {
                blocks.resize(block + 1, row as u32);
            }
        }
        blocks.push(rows as u32);
        RowsByOffset { offsets, blocks }
    }

    /// The row of the record that begins at an offset.
    #[inline]
    pub fn row(&self, offset: u32) -> Option<u32> {
        let block = (offset >> BLOCK_BITS) as usize;
        let (first, end) = (*self.blocks.get(block)?, *self.blocks.get(block + 1)?);
        let near = self.offsets.get(first as usize..end as usize)?;
        let index = near.iter().position(|start| start.to_native() == offset)?;
        Some(first + index as u32)
    }
}

/// Places are numbered in fifteen bits.
pub const PLACES_MAX: usize = 1 << 15;

/// Flag in the number of the place: the corporation is a qualified invoice issuer.
const ISSUER: u16 = 1 << 15;

/// ```text
/// bytes    field
///     2    the row's place, an index into the table of places; highest bit: whether the corporation is a
///          qualified invoice issuer
///     3    the rank of its number among all numbers, from 0
///     2    the date of the file that it came from, as days since 2015-10-05
///   1–2    length of the record
///     …    the record, see [`super::fields`]
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredRecord<'s> {
    pub place: u16,
    /// Whether the corporation is a qualified invoice issuer. Also true if that is unknown.
    pub issuer: bool,
    /// The rank of its number among all numbers, from 0.
    pub rank: u32,
    /// The date of the full file or difference that it came from.
    pub published: Day,
    pub bytes: &'s [u8],
}

impl<'s> StoredRecord<'s> {
    pub fn append(&self, out: &mut Vec<u8>) {
        let issuer = if self.issuer { ISSUER } else { 0 };
        out.extend_from_slice(&(self.place & !ISSUER | issuer).to_le_bytes());
        out.extend_from_slice(&self.rank.to_le_bytes()[..3]);
        let days = u16::try_from(self.published.0).unwrap_or_default();
        out.extend_from_slice(&days.to_le_bytes());
        push_bytes(out, self.bytes);
    }

    /// Reads from the front of these bytes; `None` if they end too soon.
    #[inline]
    pub fn read(bytes: &'s [u8]) -> Option<StoredRecord<'s>> {
        let (front, rest) = bytes.split_first_chunk::<7>()?;
        let place = u16::from_le_bytes([front[0], front[1]]);
        let rank = u32::from_le_bytes([front[2], front[3], front[4], 0]);
        let published = Day(i32::from(u16::from_le_bytes([front[5], front[6]])));
        let (place, issuer) = (place & !ISSUER, place & ISSUER != 0);
        Some(StoredRecord { place, issuer, rank, published, bytes: bytes_after_length(rest)? })
    }

    #[inline]
    pub fn has_number(&self, number: CorporateNumber) -> bool {
        Cursor { rest: self.bytes }.body() == Some(number.body())
    }
}

/// The bytes after a length of one or two bytes, read without a branch: a mispredicted branch would wait for memory
/// twice.
#[inline]
fn bytes_after_length(bytes: &[u8]) -> Option<&[u8]> {
    let with_any_length = || Cursor { rest: bytes }.bytes();
    let Some([low, high]) = bytes.first_chunk().copied() else { return with_any_length() };
    let is_long = usize::from(low >> 7);
    if is_long & usize::from(high >> 7) != 0 {
        return with_any_length();
    }
    let length = usize::from(low & 0x7f) | ((usize::from(high) << 7) * is_long);
    bytes.get(1 + is_long..)?.get(..length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(lengths in prop::collection::vec(1u32..2_000, 0..60), near in 0u32..3) {
            let mut offsets = vec![u32_le::from_native(0)];
            for length in &lengths {
                offsets.push(u32_le::from_native(offsets[offsets.len() - 1].to_native() + length));
            }
            let by_offset = RowsByOffset::new(&offsets);
            for offset in offsets.iter().map(|offset| offset.to_native() + near) {
                let expected = offsets[..lengths.len()].iter().position(|it| it.to_native() == offset);
                prop_assert_eq!(by_offset.row(offset), expected.map(|row| row as u32));
            }
        }
    }

    #[test]
    fn an_empty_table_finds_no_row() {
        assert_eq!(RowsByOffset::new(&[]).row(0), None);
        assert_eq!(RowsByOffset::new(&[u32_le::from_native(0)]).row(0), None);
    }
}

#[cfg(test)]
mod stored_record_tests {
    use super::*;
    use crate::index::ROWS_MAX;

    #[test]
    fn a_stored_record_reads_back_unless_truncated() {
        for length in [0, 1, 127, 128, 20_000] {
            let record = vec![7; length];
            let place = (PLACES_MAX - 1 - length) as u16;
            let rank = ROWS_MAX as u32 - 1;
            let (issuer, published) = (length % 2 == 0, Day::from_date(20_260_731));
            let stored = StoredRecord { place, issuer, rank, published, bytes: &record };
            let mut out = Vec::new();
            stored.append(&mut out);
            for end in 0..out.len() {
                assert_eq!(StoredRecord::read(&out[..end]), None);
            }
            assert_eq!(StoredRecord::read(&out), Some(stored));
            out.extend_from_slice(b"the next one");
            assert_eq!(StoredRecord::read(&out), Some(stored));
        }
    }
}
