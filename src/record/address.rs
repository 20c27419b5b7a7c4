//! Addresses of invoice issuers and schools, which have fourteen members: the municipality, the rest, and the parts
//! of the rest.
//!
//! Many addresses share a municipality, so municipalities are in a table of the snapshot. The parts are packed as
//! in [`crate::record::corporate::address`].

use rkyv::{Archive, Serialize};

use super::corporate::address::read_parts;
use super::corporate::{PARTS, Part};
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
    pub place: AddressPlaceView<'s>,
    pub street: Text<'s>,
    postal_code: u32,
    parts: Option<&'s [u8]>,
}

#[derive(Clone, Copy)]
pub struct AddressPlaceView<'s>(&'s ArchivedAddressPlace);

impl<'s> AddressView<'s> {
    /// `postal_code` is 0 for none; `parts` are `None` if the address was not normalised.
    pub(in crate::record) fn new(
        place: &'s ArchivedAddressPlace,
        street: Text<'s>,
        postal_code: u32,
        parts: Option<&'s [u8]>,
    ) -> AddressView<'s> {
        AddressView { place: AddressPlaceView(place), street, postal_code, parts }
    }

    /// The same address with the postal code and the packed parts that its normalisation gave.
    pub(in crate::record) fn with_parts(self, postal_code: u32, parts: &'s [u8]) -> Self {
        AddressView { postal_code, parts: Some(parts), ..self }
    }

    pub fn postal_code(self) -> Option<u32> {
        Some(self.postal_code).filter(|code| *code != 0)
    }

    /// In the order of [`PARTS`]; all `None` if the address was not normalised.
    pub fn parts(self) -> [Option<Part<'s>>; PARTS] {
        match self.parts {
            Some(parts) => read_parts(parts, self.street.text),
            None => [None; PARTS],
        }
    }
}

impl<'s> AddressPlaceView<'s> {
    pub(in crate::record) fn new(place: &'s ArchivedAddressPlace) -> AddressPlaceView<'s> {
        AddressPlaceView(place)
    }

    /// JIS X 0401 and 0402, five digits. The digits of a code that the source lacks are 0.
    pub fn code(self) -> u32 {
        self.0.code.to_native()
    }

    /// The municipality's code, five digits.
    pub fn jisx0402(self) -> Option<u32> {
        Some(self.code()).filter(|code| code % 1_000 != 0)
    }

    /// Name, katakana, Roman letters; empty if unknown.
    pub fn prefecture(self) -> [&'s str; 3] {
        self.0.prefecture.each_ref().map(|text| text.as_str())
    }

    pub fn city(self) -> [&'s str; 3] {
        self.0.city.each_ref().map(|text| text.as_str())
    }
}
