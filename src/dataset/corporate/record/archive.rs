//! The sections of a corporate snapshot: places, where each record begins, provenance, and the records as stored.
//!
//! Rows are in the order of places. Records are in the order of names: a search shows names that begin alike, so on a cold
//! disk it reads few blocks. Records of rows without a place in that order come last.
//!
//! A stored record has a header with what is known from its row and number, then its length and bytes; see
//! [`StoredRecord`] for the layout. So one read finds all of a record.

use rkyv::{Archive, Serialize};

use crate::record::Day;
use crate::record::codec::{Cursor, LENGTH_BYTES_MAX, push_bytes, stored_length};
use crate::snapshot::SectionTag;
use crate::text::codes::CorporateNumber;

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const TABLES: SectionTag = SectionTag::new("tables");
    /// The records, concatenated; verified block by block.
    pub const RECORDS: SectionTag = SectionTag::new("records");
    pub const SUMS: SectionTag = SectionTag::new("sums");
    /// Numbers to rows, see [`crate::index::numbers`].
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
    /// For each row the start of its record.
    pub starts: Vec<u32>,
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
        if !self.starts.iter().all(|start| (start.to_native() as usize) < bytes) {
            return Err("records that begin inside their section");
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
        self.starts.len()
    }

    /// Where a row's record begins; `None` past the last row.
    #[inline]
    pub fn start(&self, row: u32) -> Option<usize> {
        self.starts.get(row as usize).map(|start| start.to_native() as usize)
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
        let (front, rest) = bytes.split_first_chunk::<FIELDS_BYTES>()?;
        let place = u16::from_le_bytes([front[0], front[1]]);
        let rank = u32::from_le_bytes([front[2], front[3], front[4], 0]);
        let published = Day(i32::from(u16::from_le_bytes([front[5], front[6]])));
        let (place, issuer) = (place & !ISSUER, place & ISSUER != 0);
        Some(StoredRecord { place, issuer, rank, published, bytes: bytes_after_length(rest)? })
    }

    /// Bytes of the fields before a record, and of the largest length of one, at most.
    pub const FRONT_MAX: usize = FIELDS_BYTES + LENGTH_BYTES_MAX;

    /// The length of the stored record that begins with these bytes; `None` if they end too soon.
    pub fn length(front: &[u8]) -> Option<usize> {
        let (length, length_bytes) = stored_length(front.get(FIELDS_BYTES..)?)?;
        Some(FIELDS_BYTES + length_bytes + length)
    }

    #[inline]
    pub fn has_number(&self, number: CorporateNumber) -> bool {
        Cursor { rest: self.bytes }.body() == Some(number.body())
    }

    /// The number at the front of the record; `None` if other bytes are there.
    pub fn number(&self) -> Option<CorporateNumber> {
        Cursor { rest: self.bytes }.body().and_then(CorporateNumber::from_body)
    }
}

/// Bytes of the fields of a stored record before its length.
const FIELDS_BYTES: usize = 7;

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
            let front = &out[..out.len().min(StoredRecord::FRONT_MAX)];
            assert_eq!(StoredRecord::length(front), Some(out.len()));
            assert_eq!(StoredRecord::length(&out[..FIELDS_BYTES]), None);
            out.extend_from_slice(b"the next one");
            assert_eq!(StoredRecord::read(&out), Some(stored));
        }
    }
}
