//! Suggestions while an address is typed: the prefectures, municipalities and towns of a version, by the beginnings
//! of their names and readings, with weights.
//!
//! Built from the gazetteer and the records ([`build`]), read in place from the section `suggest`; [`find`]
//! searches it. Towns, municipalities and rows have the indexes of the gazetteer and the tables. All references are
//! checked once, at the first use of the section. Does not know postal codes beyond their order, nor JSON.

pub mod build;
mod candidate;
mod find;
mod forms;
mod inside;
mod mark;
mod names;
mod near;

use rkyv::{Archive, Serialize};

use super::gazetteer::ArchivedGazetteer;
use super::gazetteer::check::{Checked, expect};
use crate::index::beginnings::Beginnings;

pub use build::Counts;
pub use candidate::{Candidate, SuggestedPlace};
pub use find::{NearArea, PlaceQuery, find};
pub use mark::{Marks, Names as MarkedNames, highlight};

/// Numbers of forms per area, see [`forms`].
const FORMS: usize = 8;

#[derive(Debug, Default, Archive, Serialize)]
pub struct Suggestions {
    /// Prefectures, designated cities and municipalities, by code.
    areas: Vec<Area>,
    /// Municipalities by code, as indexes of the tables.
    cities: Vec<u16>,
    /// By current row of the tables: the weight of its town.
    weights: Vec<u8>,
    /// By town: the first letter of its reading, see [`names::initial`].
    initials: Vec<u8>,
    /// Items are forms of areas, see [`forms`].
    written_areas: Beginnings,
    read_areas: Beginnings,
    /// Items are towns of the gazetteer.
    written_towns: Beginnings,
    read_towns: Beginnings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Archive, Serialize)]
#[rkyv(derive(Debug, Clone, Copy, PartialEq, Eq))]
#[repr(u8)]
pub enum AreaKind {
    Prefecture = 0,
    /// A city with wards, which the sources list by ward.
    DesignatedCity = 1,
    Municipality = 2,
}

/// A prefecture, a designated city or a municipality.
#[derive(Debug, Clone, Copy, Archive, Serialize)]
pub struct Area {
    pub kind: AreaKind,
    weight: u8,
    /// One of its municipalities, which has its names.
    pub city: u16,
    /// Its first municipality in the order of codes.
    first: u16,
    /// The end of its municipalities in that order.
    end: u16,
    pub jisx0402: u32,
    /// The number of its postal codes.
    pub codes: u32,
    /// The smallest of them.
    pub postal_code: u32,
}

impl ArchivedSuggestions {
    /// Checks every reference, for this gazetteer and tables of this many municipalities and rows.
    pub fn check(&self, gazetteer: &ArchivedGazetteer, cities: usize, rows: usize) -> Checked {
        let towns = gazetteer.towns.count();
        let of_all = self.weights.len() == rows && self.initials.len() == towns;
        expect(of_all, "a weight for every row and an initial for every town")?;
        let in_tables = |city: u16| usize::from(city) < cities;
        let are_known = self.cities.iter().all(|city| in_tables(city.to_native()));
        expect(are_known, "municipalities of the tables")?;
        let is_sound = |area: &ArchivedArea| {
            let (first, end) = (area.first.to_native(), area.end.to_native());
            let is_inside = first < end && usize::from(end) <= self.cities.len();
            is_inside && in_tables(area.city.to_native())
        };
        expect(self.areas.iter().all(is_sound), "areas of those municipalities")?;
        let forms = self.areas.len() * FORMS;
        self.written_areas.check(forms)?;
        self.read_areas.check(forms)?;
        self.written_towns.check(towns)?;
        self.read_towns.check(towns)
    }

    pub fn area(&self, area: u32) -> Option<&ArchivedArea> {
        self.areas.get(area as usize)
    }

    /// The weight of the town of a current row.
    pub fn weight_of_row(&self, row: u32) -> u8 {
        self.weights.get(row as usize).copied().unwrap_or_default()
    }

    /// The weight of each municipality, by its index in the tables.
    pub fn weights_of_cities(&self) -> impl Iterator<Item = (usize, u8)> {
        self.municipalities().map(|(_, area)| (usize::from(area.city.to_native()), area.weight))
    }

    /// The areas that are municipalities, with their indexes.
    fn municipalities(&self) -> impl Iterator<Item = (u32, &ArchivedArea)> {
        let areas = (0..).zip(self.areas.iter());
        areas.filter(|(_, area)| area.kind == ArchivedAreaKind::Municipality)
    }

    /// A municipality as a place, by its index in the tables.
    pub fn municipality(&self, city: usize) -> Option<SuggestedPlace> {
        let mut municipalities = self.municipalities();
        let found = municipalities.find(|(_, area)| usize::from(area.city.to_native()) == city);
        found.map(|(area, _)| SuggestedPlace::Area(area))
    }

    /// The town with this name in the municipality with this code.
    pub fn town_named(
        &self,
        gazetteer: &ArchivedGazetteer,
        jisx0402: u32,
        town: &str,
    ) -> Option<u32> {
        let mut of_code =
            self.municipalities().filter(|(_, area)| area.jisx0402.to_native() == jisx0402);
        of_code.find_map(|(_, area)| gazetteer.town_named(usize::from(area.city.to_native()), town))
    }

    /// The municipalities of an area, by code.
    fn cities_of(&self, area: &ArchivedArea) -> impl Iterator<Item = usize> {
        let (first, end) = (area.first.to_native(), area.end.to_native());
        let cities = &self.cities[usize::from(first)..usize::from(end)];
        cities.iter().map(|city| usize::from(city.to_native()))
    }

    fn weight_of_town(&self, gazetteer: &ArchivedGazetteer, town: u32) -> u8 {
        gazetteer.first_row(town as usize).map_or(0, |row| self.weight_of_row(row))
    }
}

impl ArchivedArea {
    /// Whether this area is inside the other one, and not equal to it.
    fn is_within(&self, other: &ArchivedArea) -> bool {
        let range = |area: &ArchivedArea| (area.first.to_native(), area.end.to_native());
        let ((first, end), (from, to)) = (range(self), range(other));
        from <= first && end <= to && self.kind as u8 > other.kind as u8
    }
}
