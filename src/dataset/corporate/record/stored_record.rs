//! A record as stored in its section: a header with what is known from its row and number, then its length and
//! bytes. See [`StoredRecord`] for the layout.
//!
//! A look-up by number finds all of it in one read, without the tables by row.

use crate::record::Day;
use crate::record::codec::{Cursor, push_bytes};
use crate::text::codes::CorporateNumber;

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
