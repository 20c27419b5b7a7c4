//! Addresses of invoice issuers and schools, which have fourteen members: the municipality, the rest, and the parts
//! of the rest.
//!
//! Many addresses share a municipality, so municipalities are in a table of the snapshot. The parts are packed as
//! in the records of corporations.

use rkyv::{Archive, Serialize};

use super::parts::{PARTS, Part, read_parts};
use super::strings::Text;

/// The municipality of an address. A code with several names gives several places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Archive, Serialize)]
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
        self.parts.map_or([None; PARTS], |parts| read_parts(parts, self.street.text))
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
