//! The possible places of an ambiguous address, the most likely first: 中央1-1-1 is in some hundred municipalities.
//!
//! A place with more records is likelier: first the records of the town (including large businesses), then the records
//! of the municipality; among equals the lower code. For a request from a location the nearest comes first instead.
//! Computed only for an explanation, so that other requests do not pay for it.

use std::cmp::Reverse;

use super::gazetteer::{ArchivedAreaForm as AreaForm, ArchivedGazetteer};
use super::name_match::{Hit, Tolerance, match_names};
use super::points::location::metres_key;
use super::reference::ReferenceData;
use super::result::{Address, Component, MatchLevel, Span, SpanKind};
use super::rows::{self, RowScratch};
use super::town::{CityText, name_continues};
use super::units::{Unit, folded_units};

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
    /// A record of the part of the town that may be meant, if the parts have different codes.
    pub row: Option<u32>,
}

/// Metres from a location to a place.
pub type Distance<'a> = &'a dyn Fn(&PossiblePlace) -> f64;

/// The possible places; empty if the address is unambiguous, or names nothing. For an address that was corrected, the
/// other places that it may mean. In the order of their distance if it is given, else the most likely first.
pub fn places(
    reference: ReferenceData<'_>,
    text: &str,
    address: &Address,
    distance: Option<Distance<'_>>,
) -> Vec<PossiblePlace> {
    let mut places = all_places(reference, text, address);
    if let Some(distance) = distance {
        places.sort_by_cached_key(|place| metres_key(distance(place)));
    }
    let is_resolved = matches!(address.level(), MatchLevel::City(_) | MatchLevel::Town(_));
    if !is_resolved && places.iter().any(|place| place.town.is_some()) {
        places.truncate(TOWNS_MAX);
    }
    places
}

/// The possible places, the most likely first.
fn all_places(reference: ReferenceData<'_>, text: &str, address: &Address) -> Vec<PossiblePlace> {
    let gazetteer = reference.gazetteer;
    let suspects = address.suspects.iter().map(|place| PossiblePlace {
        city: place.city,
        town: place.town,
        row: None,
    });
    let mut places: Vec<PossiblePlace> = match address.level() {
        MatchLevel::Cities => {
            let towns = address.towns.iter().map(|town| Some(*town as usize));
            let cities = address.cities().iter().zip(towns.chain(std::iter::repeat(None)));
            let place = |(city, town): (&u32, Option<usize>)| PossiblePlace {
                city: *city as usize,
                town,
                row: None,
            };
            cities.map(place).collect()
        }
        MatchLevel::City(_) => return suspects.collect(),
        MatchLevel::Town(_) => {
            return parts_of_town(reference, address).into_iter().chain(suspects).collect();
        }
        _ if !address.suspects.is_empty() => return suspects.collect(),
        MatchLevel::None => towns(gazetteer, text, address, None),
        MatchLevel::Prefecture(code) => towns(gazetteer, text, address, Some(code)),
    };
    let of_city = |city: usize| gazetteer.rows_of_city(city).len();
    let of_town =
        |place: &PossiblePlace| place.town.map_or(0, |town| gazetteer.rows_of(town).len());
    // Municipalities are numbered in the order of their codes.
    places.sort_by_key(|place| (Reverse(of_town(place)), Reverse(of_city(place.city)), place.city));
    places
}

/// The parts of the town with different codes, between which the text does not decide.
fn parts_of_town(reference: ReferenceData<'_>, address: &Address) -> Vec<PossiblePlace> {
    if !address.has_open_code() {
        return Vec::new();
    }
    let rows = rows::open_rows(reference, address, &mut RowScratch::default());
    let MatchLevel::Town(town) = address.level() else { return Vec::new() };
    let place = |row: u32| {
        let city = reference.record(row)?.city_number();
        Some(PossiblePlace { city, town: Some(town as usize), row: Some(row) })
    };
    rows.into_iter().filter_map(place).collect()
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
        (whole && named).then_some(PossiblePlace { city, town: Some(hit.name), row: None })
    };
    match prefecture {
        Some(prefecture) => gazetteer.cities_in(prefecture).filter_map(town_of).collect(),
        None => {
            let towns = (0..gazetteer.city_count()).filter_map(town_of);
            towns.chain(municipalities(gazetteer, &text)).collect()
        }
    }
}

/// The municipalities that the text names without their county.
fn municipalities<'a>(
    gazetteer: &'a ArchivedGazetteer,
    text: &[Unit],
) -> impl Iterator<Item = PossiblePlace> + 'a {
    let keys = &gazetteer.areas;
    let found = match_names(keys, 0..keys.count(), text, 0, Tolerance::Literal).longest();
    let names = found.map_or(0..0, Hit::names).map(|name| &gazetteer.area_of[name]);
    let named = names.filter(|name| name.form == AreaForm::WithoutCounty);
    named.map(|name| PossiblePlace { city: name.city.to_native().into(), town: None, row: None })
}
