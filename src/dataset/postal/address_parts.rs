//! Address parts of corporations and invoice issuers, from the normaliser over a postal snapshot.

use crate::address::{Address, AddressScratch, Component, SpanKind};
use crate::compile::error::Result;
use crate::dataset::postal::PostalData;
use crate::record::parts::Parts;
use crate::snapshot::Dataset;
use crate::text::fold::{Folded, Level, fold};

const COMPONENTS: [Component; 5] = [
    Component::Town,
    Component::KyotoStreet,
    Component::BlockLotNum,
    Component::Building,
    Component::FloorRoom,
];

/// Normalises one address after the other.
pub struct Normaliser<'a> {
    postal: &'a PostalData,
    /// The text of the last address.
    text: String,
    scratch: AddressScratch,
    address: Address,
    rows: Vec<u32>,
    /// The town of the last address with the name after it that the postal data lack; empty if it has no such name.
    town: String,
    /// Floor and room of the last address, in half-width letters; empty if it has none.
    floor_room: String,
    letters: Vec<Folded>,
}

/// Version and fingerprint of the postal snapshot by which addresses are normalised; 0 for none.
pub fn version_and_fingerprint(postal: Option<&PostalData>) -> (u32, u32) {
    postal.map(Dataset::file).map_or((0, 0), |file| (file.version().number(), file.fingerprint()))
}

impl<'a> Normaliser<'a> {
    pub fn new(postal: &'a PostalData) -> Normaliser<'a> {
        Normaliser {
            postal,
            text: String::new(),
            scratch: AddressScratch::default(),
            address: Address::default(),
            rows: Vec::new(),
            town: String::new(),
            floor_room: String::new(),
            letters: Vec::new(),
        }
    }

    /// Normalises an address, of which `place` is the prefecture and the city and `street` the rest, and returns its
    /// parts. Floor and room are in half-width letters (docs/rules.md#corporations).
    pub fn normalise(&mut self, place: &str, street: &str) -> Result<Parts<'_>> {
        self.text.clear();
        self.text.push_str(place);
        self.text.push_str(street);
        self.postal.normalize(&self.text, &mut self.scratch, &mut self.address)?;
        self.letters.clear();
        let floor_room = self.address.get(Component::FloorRoom).unwrap_or_default();
        fold(floor_room, Level::Width, &mut self.letters);
        self.town.clear();
        if let Some(name) = self.address.unknown_name() {
            self.town.push_str(self.address.get(Component::Town).unwrap_or_default());
            self.town.push_str(name);
        }
        self.floor_room.clear();
        self.floor_room.extend(self.letters.iter().map(|letter| letter.character));
        Ok(self.parts())
    }

    /// The parts of the last normalised address.
    pub fn parts(&self) -> Parts<'_> {
        let mut values = COMPONENTS.map(|component| self.address.get(component));
        if let [Some(town), ..] = &mut values
            && !self.town.is_empty()
        {
            *town = &self.town;
        }
        if let [.., Some(floor_room)] = &mut values {
            *floor_room = &self.floor_room;
        }
        Parts { values }
    }

    /// The municipality of the last normalised address, and the byte at which it ends in the text; `None` if the
    /// text is ambiguous.
    pub fn municipality(&mut self) -> Result<Option<(u32, usize)>> {
        let is_area = |kind| {
            use Component::{City, CityWard, County, Prefecture};
            [Prefecture, County, City, CityWard].map(SpanKind::Part).contains(&kind)
        };
        let end = self.address.spans().iter().rfind(|span| is_area(span.kind)).map(|span| span.end);
        let Some(end) = end else { return Ok(None) };
        self.postal.address_rows(&self.address, &mut self.scratch, &mut self.rows)?;
        let mut cities = self.postal.rows(&self.rows)?.map(|row| row.city().jisx0402());
        let first = cities.next();
        let only = first.filter(|first| cities.all(|other| other == *first));
        Ok(only.map(|code| (code, end as usize)))
    }

    /// The postal code of the last normalised address.
    pub fn postal_code(&mut self) -> Result<Option<u32>> {
        Ok(self.postal.postal_code(&self.address, &mut self.scratch, &mut self.rows)?)
    }
}
