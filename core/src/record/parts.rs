//! Addresses of corporations, invoice issuers and schools below the municipality; see [`Parts`] for the byte layout.
//!
//! Towns and buildings are slices of the street, and lot numbers have only digits and hyphens, so a part costs two or
//! three bytes. An address has fourteen members: the municipality, the rest, and the parts of the rest. Many addresses
//! share a municipality, so municipalities are in a table of the snapshot.

use rkyv::{Archive, Deserialize, Serialize};

use super::codec::{Cursor, push_number};
use super::coded_text::{CodedText, StoredText};
use super::strings::Text;

/// The number of parts: town, Kyoto street, lot numbers, building, floor or room.
pub const PARTS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'s> {
    /// A slice of the street.
    Slice(&'s str),
    /// A slice of a coded street, in bytes of its UTF-8.
    CodedSlice { street: CodedText<'s>, start: usize, length: usize },
    /// A text that is not in the street.
    Text(&'s str),
    /// This many digits and hyphens, four bits each.
    Lot(&'s [u8], usize),
}

/// Digits and the hyphen by their four-bit codes; the other codes are never written.
const NIBBLES: &[u8; 16] = b"0123456789-?????";

impl Part<'_> {
    pub fn push_to(self, out: &mut Vec<u8>) {
        match self {
            Part::Slice(text) | Part::Text(text) => out.extend_from_slice(text.as_bytes()),
            Part::CodedSlice { street, start, length } => {
                street.push_slice_to(start, length, out);
            }
            Part::Lot(bytes, count) => {
                let end = out.len() + count;
                for byte in bytes {
                    let digit = |bits: u8| NIBBLES[usize::from(bits)];
                    out.extend_from_slice(&[digit(byte & 15), digit(byte >> 4)]);
                }
                out.truncate(end);
            }
        }
    }
}

impl std::fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut bytes = Vec::new();
        self.push_to(&mut bytes);
        f.write_str(&String::from_utf8_lossy(&bytes))
    }
}

/// The parts before they are packed. As bytes:
///
/// ```text
/// byte 0      which parts exist, one bit each in the order of [`PARTS`]
/// each part   a varint: the length times four, plus the kind in the lowest two bits:
///             0  a slice of the street; its first byte follows
///             1  a text of its own, which follows
///             2  digits and hyphens, four bits each, which follow
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts<'a> {
    pub values: [Option<&'a str>; PARTS],
}

/// The kinds of parts, in the lowest two bits of a part's varint.
mod kind {
    pub const SLICE: u32 = 0;
    pub const TEXT: u32 = 1;
    pub const LOT: u32 = 2;
}

impl Parts<'_> {
    /// Appends the parts of an address with this street.
    pub fn append(&self, out: &mut Vec<u8>, street: &str) {
        let values = || self.values.iter().enumerate();
        let present = values().filter(|(_, value)| value.is_some_and(|value| !value.is_empty()));
        out.push(present.fold(0, |bits, (index, _)| bits | 1 << index));
        let mut search_start = 0;
        for value in self.values.iter().flatten().filter(|value| !value.is_empty()) {
            // Search from the end of the previous part first: parts are consecutive in most streets, and a name may
            // occur twice.
            let rest = street.get(search_start..).unwrap_or_default();
            let after_previous = rest.find(value).map(|offset| search_start + offset);
            let length = value.len() as u32;
            if is_lot(value) {
                push_number(out, length << 2 | kind::LOT);
                push_nibbles(out, value);
            } else if let Some(offset) = after_previous.or_else(|| street.find(value)) {
                push_number(out, length << 2 | kind::SLICE);
                push_number(out, offset as u32);
                search_start = offset + value.len();
            } else {
                push_number(out, length << 2 | kind::TEXT);
                out.extend_from_slice(value.as_bytes());
            }
        }
    }
}

fn is_lot(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

fn push_nibbles(out: &mut Vec<u8>, value: &str) {
    let bits = |byte: &u8| NIBBLES.iter().position(|known| known == byte).unwrap_or(15) as u8;
    for pair in value.as_bytes().chunks(2) {
        out.push(bits(&pair[0]) | pair.get(1).map_or(0xf0, |second| bits(second) << 4));
    }
}

/// The parts in the order of [`PARTS`]. From the first unreadable one on, `None`.
pub fn read_parts<'s>(bytes: &'s [u8], street: StoredText<'s>) -> [Option<Part<'s>>; PARTS] {
    let mut parts = [None; PARTS];
    let mut cursor = Cursor { rest: bytes };
    let present = cursor.byte().unwrap_or_default();
    for (index, part) in parts.iter_mut().enumerate() {
        if present & 1 << index != 0 {
            *part = read_part(&mut cursor, street);
            if part.is_none() {
                break;
            }
        }
    }
    parts
}

#[inline]
fn read_part<'s>(cursor: &mut Cursor<'s>, street: StoredText<'s>) -> Option<Part<'s>> {
    let head = cursor.number()?;
    let length = (head >> 2) as usize;
    match head & 3 {
        kind::SLICE => {
            let start = cursor.number()? as usize;
            match street {
                StoredText::Text(street) => {
                    Some(Part::Slice(street.text.get(start..start.checked_add(length)?)?))
                }
                StoredText::Coded(street) => Some(Part::CodedSlice { street, start, length }),
            }
        }
        kind::TEXT => Some(Part::Text(std::str::from_utf8(cursor.take(length)?).ok()?)),
        kind::LOT => Some(Part::Lot(cursor.take(length.div_ceil(2))?, length)),
        _ => None,
    }
}

/// The municipality of an address. A code with several names gives several places.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Archive, Deserialize, Serialize,
)]
pub struct AddressPlace {
    /// JIS X 0401 and 0402, five digits. The digits of a code that the source lacks are 0.
    pub code: u32,
    /// Name, katakana, Roman letters; empty if unknown.
    pub prefecture: [String; 3],
    pub city: [String; 3],
}

/// An address read in place.
#[derive(Clone, Copy)]
pub struct AddressView<'s> {
    pub place: &'s ArchivedAddressPlace,
    pub street: Text<'s>,
    /// 0 for none.
    pub postal_code: u32,
    /// `None` if the address was not normalised.
    pub parts: Option<&'s [u8]>,
}

impl<'s> AddressView<'s> {
    pub fn postal_code(self) -> Option<u32> {
        Some(self.postal_code).filter(|code| *code != 0)
    }

    /// In the order of [`PARTS`]; all `None` if the address was not normalised.
    pub fn parts(self) -> [Option<Part<'s>>; PARTS] {
        self.parts.map_or([None; PARTS], |parts| read_parts(parts, StoredText::Text(self.street)))
    }
}

impl ArchivedAddressPlace {
    /// JIS X 0401 and 0402, see [`AddressPlace::code`].
    pub fn code(&self) -> u32 {
        self.code.to_native()
    }

    /// The municipality's code, five digits.
    pub fn jisx0402(&self) -> Option<u32> {
        Some(self.code()).filter(|code| code % 1_000 != 0)
    }

    /// Name, katakana, Roman letters; empty if unknown.
    pub fn prefecture(&self) -> [&str; 3] {
        self.prefecture.each_ref().map(|text| text.as_str())
    }

    pub fn city(&self) -> [&str; 3] {
        self.city.each_ref().map(|text| text.as_str())
    }
}
