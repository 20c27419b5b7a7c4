//! The address normaliser: any text to the components of a Japanese address, with the bytes that
//! each came from.
//!
//! [`gazetteer`] is what the names are compared with. Total: every text gives an answer, and the
//! spans of the answer cover the text without gap or overlap. Pure: knows no file, clock or HTTP.

pub mod gazetteer;

mod area;
mod building;
mod detail;
mod kyoto;
pub mod normalize;
pub mod rows;
pub mod tail;
mod town;
mod units;
mod walk;

use std::cell::RefCell;

use crate::text::codes::PostalCode;

/// A part of an address, in the order of the API's `query` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Component {
    Prefecture,
    County,
    /// 市町村 or special ward; of a designated city, the city.
    City,
    CityWard,
    /// Town without chome.
    Town,
    KyotoStreet,
    /// Lot numbers, half-width digits joined by hyphens.
    BlockLotNum,
    Building,
    /// Floor or room, as the text gives it.
    FloorRoom,
}

impl Component {
    pub const ALL: [Component; 9] = [
        Component::Prefecture,
        Component::County,
        Component::City,
        Component::CityWard,
        Component::Town,
        Component::KyotoStreet,
        Component::BlockLotNum,
        Component::Building,
        Component::FloorRoom,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Component::Prefecture => "prefecture",
            Component::County => "county",
            Component::City => "city",
            Component::CityWard => "city_ward",
            Component::Town => "town",
            Component::KyotoStreet => "kyoto_street",
            Component::BlockLotNum => "block_lot_num",
            Component::Building => "building",
            Component::FloorRoom => "floor_room",
        }
    }
}

/// What a stretch of the input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    Part(Component),
    PostalCode,
    /// 〒, spaces, line breaks, and punctuation between parts.
    Separator,
    /// In front of or behind an address; all of a text without address.
    Unplaced,
}

/// A stretch of the input, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub piece: Piece,
    pub start: u32,
    pub end: u32,
}

/// How deep an address was resolved, as numbers of the gazetteer it was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Place {
    #[default]
    Nowhere,
    Prefecture(u32),
    City(u32),
    /// Several municipalities fit alike: the wards of a city, or namesakes.
    Cities,
    Town(u32),
}

/// An address in its components. Reusable: one that has grown to its size allocates no more.
#[derive(Debug, Clone, Default)]
pub struct Address {
    text: String,
    parts: [Option<(u32, u32)>; Component::ALL.len()],
    spans: Vec<Span>,
    place: Place,
    /// The municipalities of [`Place::Cities`].
    cities: Vec<u32>,
    /// What was found of the town.
    town: town::Found,
    postal_code: Option<PostalCode>,
    /// Where the text keeps what stands unplaced behind the parts.
    behind: Option<(u32, u32)>,
    scratch: normalize::Scratch,
    /// Room for its rows, taken while they are found.
    rows: RefCell<rows::Scratch>,
}

impl Address {
    /// The normalised value of a component; `None` where the text has none.
    pub fn get(&self, component: Component) -> Option<&str> {
        let (start, end) = self.parts[component as usize]?;
        self.text.get(start as usize..end as usize)
    }

    /// The stretches of the input in order, without gap or overlap, from its first byte to its last.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// How deep it was resolved.
    pub fn place(&self) -> Place {
        self.place
    }

    pub fn postal_code(&self) -> Option<PostalCode> {
        self.postal_code
    }

    /// Forgets everything; all of `text` is unplaced.
    pub(crate) fn clear(&mut self, text: &str) {
        self.text.clear();
        self.parts = Default::default();
        self.spans.clear();
        self.place = Place::Nowhere;
        self.cities.clear();
        self.town = town::Found::default();
        self.postal_code = None;
        self.behind = None;
        if let Ok(end @ 1..) = u32::try_from(text.len()) {
            self.spans.push(Span { piece: Piece::Unplaced, start: 0, end });
        }
    }

    /// Whether the text is a postal code and nothing else.
    fn is_code_alone(&self) -> bool {
        self.postal_code.is_some() && self.spans.iter().all(|span| span.piece != Piece::Unplaced)
    }

    /// What stands unplaced behind the parts: a tenant, a remark.
    fn behind(&self) -> Option<&str> {
        let (start, end) = self.behind?;
        self.text.get(start as usize..end as usize)
    }

    /// Keeps what stands unplaced behind the parts.
    fn set_behind(&mut self, text: &str) {
        let range = self.write(|out| out.push_str(text));
        self.behind = Some(range);
    }

    /// Writes a value behind the others and gives its place.
    fn write(&mut self, write: impl FnOnce(&mut String)) -> (u32, u32) {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let start = self.text.len();
        write(&mut self.text);
        (offset(start), offset(self.text.len()))
    }

    fn set(&mut self, component: Component, value: &str) {
        self.set_with(component, |out| out.push_str(value));
    }

    /// Gives a component the value that is written behind the others.
    fn set_with(&mut self, component: Component, write: impl FnOnce(&mut String)) {
        let (start, end) = self.write(write);
        self.parts[component as usize] = (start < end).then_some((start, end));
    }

    fn extend(&mut self, component: Component, write: impl FnOnce(&mut String)) {
        let before = self.parts[component as usize];
        self.set_with(component, |out| {
            if let Some((start, end)) = before {
                out.extend_from_within(start as usize..end as usize);
            }
            write(out);
        });
    }
}

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
