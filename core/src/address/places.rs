//! The possible places of an ambiguous address, the most likely first: 中央1-1-1 is in some hundred municipalities.
//!
//! A place with more records is likelier: first the records of the town (including large businesses), then the records
//! of the municipality; among equals the lower code. Computed only for an explanation, so that other requests do not
//! pay for it.

use std::cmp::Reverse;

use super::gazetteer::ArchivedGazetteer;
use super::normalize::ReferenceData;
use super::result::{Address, Component, MatchLevel, Span, SpanKind};
use super::town::{CityText, name_continues};
use super::units::folded_units;

/// Most towns of one name that are listed; no answer needs more.
const TOWNS_MAX: usize = 20;
/// A town with a shorter name, in units, cannot be distinguished from other words.
const NAME_MIN: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PossiblePlace {
    /// Municipality, by its index in the tables.
    pub city: usize,
    /// `None` if only the municipality is meant.
    pub town: Option<usize>,
}

/// The possible places; empty if the address is unambiguous, or names nothing.
pub fn places(reference: ReferenceData<'_>, text: &str, address: &Address) -> Vec<PossiblePlace> {
    let gazetteer = reference.gazetteer;
    let mut places = match address.level() {
        MatchLevel::Cities => {
            let cities = address.cities().iter();
            cities.map(|city| PossiblePlace { city: *city as usize, town: None }).collect()
        }
        MatchLevel::None => towns(gazetteer, text, address, None),
        MatchLevel::Prefecture(code) => towns(gazetteer, text, address, Some(code)),
        MatchLevel::City(_) | MatchLevel::Town(_) => Vec::new(),
    };
    let of_city = |city: usize| gazetteer.rows_of_city(city).len();
    let of_town =
        |place: &PossiblePlace| place.town.map_or(0, |town| gazetteer.rows_of(town).len());
    // Municipalities are numbered in the order of their codes.
    places.sort_by_key(|place| (Reverse(of_town(place)), Reverse(of_city(place.city)), place.city));
    if matches!(places.first(), Some(PossiblePlace { town: Some(_), .. })) {
        places.truncate(TOWNS_MAX);
    }
    places
}

/// The towns that the text may name at its beginning, or after its postal code and prefecture.
fn towns(
    gazetteer: &ArchivedGazetteer,
    text: &str,
    address: &Address,
    prefecture: Option<u32>,
) -> Vec<PossiblePlace> {
    let is_before_town = |span: &&Span| {
        use SpanKind::{Part, PostalCode, Separator};
        matches!(span.kind, Part(Component::Prefecture) | PostalCode | Separator)
    };
    let start = address.spans().iter().take_while(is_before_town).last().map_or(0, |span| span.end);
    let rest = text.get(start as usize..).unwrap_or_default();
    let (_, text) = folded_units(rest);
    let town_of = |city: usize| {
        let hit = CityText { gazetteer, city, text: &text }.town(0)?;
        let whole = hit.cost == 0 && !name_continues(&text, hit.end);
        let named = gazetteer.towns.length(hit.name) >= NAME_MIN;
        (whole && named).then_some(PossiblePlace { city, town: Some(hit.name) })
    };
    match prefecture {
        Some(prefecture) => gazetteer.cities_in(prefecture).filter_map(town_of).collect(),
        None => (0..gazetteer.city_count()).filter_map(town_of).collect(),
    }
}
