//! Coordinates: one point per town, chome, koaza and municipality, in snapshots built with a file of them.
//!
//! Built from the rows of that file ([`build`]), read in place from the section `points`. Towns, municipalities and
//! rows have the indexes of the gazetteer and the tables. All references are checked once, at the first use of the
//! section. Does not know how an address was read, only what it names.

pub mod build;

use std::fmt;

use rkyv::{Archive, Serialize};

use super::gazetteer::ArchivedGazetteer;
use super::result::{Address, MatchLevel};
use crate::text::named::named;

named! {
    fn name;
    /// The place that a point stands for.
    pub enum PointLevel {
        Koaza = "koaza",
        Chome = "chome",
        Town = "town",
        /// A municipality; in a designated city the ward.
        City = "city",
    }
}

/// Degrees in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degrees(pub i32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    pub lat: Degrees,
    pub lon: Degrees,
    pub level: PointLevel,
}

/// Decimal degrees without trailing zeros, and with at least one decimal.
impl fmt::Display for Degrees {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, value) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (mut decimals, mut width) = (value % 1_000_000, 6);
        while width > 1 && decimals.is_multiple_of(10) {
            (decimals, width) = (decimals / 10, width - 1);
        }
        write!(out, "{sign}{}.{decimals:0width$}", value / 1_000_000)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Archive, Serialize)]
#[rkyv(derive(Clone, Copy))]
struct Place {
    lat: i32,
    lon: i32,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct Points {
    /// By the index of a municipality.
    cities: Vec<Option<Place>>,
    /// Start of each town's places in `numbers`, and the end of the last.
    starts: Vec<u32>,
    /// By town, ascending: [`TOWN`] for the town itself, [`MIDDLE`] if the file has only its parts, else the number
    /// of a chome.
    numbers: Vec<u16>,
    /// For each of `numbers` its place, followed by the places of koaza.
    places: Vec<Place>,
    /// By current row of the tables: an index into `places`, or [`NO_PLACE`].
    rows: Vec<u32>,
}

/// No chome has these numbers.
const TOWN: u16 = 0;
const MIDDLE: u16 = u16::MAX;
const NO_PLACE: u32 = u32::MAX;

impl ArchivedPoints {
    /// Checks every reference, for this gazetteer and tables of this many rows.
    pub fn check(&self, gazetteer: &ArchivedGazetteer, rows: usize) -> Result<(), &'static str> {
        let towns = gazetteer.towns.count();
        if self.cities.len() + 1 != gazetteer.cities.len() {
            return Err("a place for every municipality");
        }
        let ascending = self.starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let last = self.starts.last().map(|end| end.to_native() as usize);
        if self.starts.len() != towns + 1 || !ascending || last != Some(self.numbers.len()) {
            return Err("places grouped by town");
        }
        if self.numbers.len() > self.places.len() {
            return Err("a place for every number");
        }
        let known = |place: u32| place == NO_PLACE || (place as usize) < self.places.len();
        if self.rows.len() != rows || !self.rows.iter().all(|place| known(place.to_native())) {
            return Err("a place for every row");
        }
        Ok(())
    }

    /// The point of a row of this municipality.
    pub fn of_row(&self, row: usize, city: usize) -> Option<Point> {
        let place = self.rows.get(row).map(|place| place.to_native());
        match place.filter(|place| *place != NO_PLACE) {
            Some(place) => Some(self.at(place as usize)),
            None => self.of_city(city),
        }
    }

    /// The point of the place that an address names; `None` if it names no municipality or several.
    pub fn of_address(&self, gazetteer: &ArchivedGazetteer, address: &Address) -> Option<Point> {
        match address.level() {
            MatchLevel::City(city) => self.of_city(city as usize),
            MatchLevel::Town(town) => {
                let town = town as usize;
                let koaza = address.details.koaza;
                let koaza = koaza.and_then(|detail| self.of_koaza(gazetteer, detail));
                koaza.or_else(|| self.of_town(town, address)).or_else(|| {
                    let up_to = |city: &crate::address::gazetteer::ArchivedCityTowns| {
                        city.first_town.to_native() as usize <= town
                    };
                    self.of_city(gazetteer.cities.partition_point(up_to).checked_sub(1)?)
                })
            }
            MatchLevel::None | MatchLevel::Prefecture(_) | MatchLevel::Cities => None,
        }
    }

    fn of_koaza(&self, gazetteer: &ArchivedGazetteer, detail: usize) -> Option<Point> {
        let row = gazetteer.details.get(detail)?.row.to_native() as usize;
        let place = self.rows.get(row)?.to_native();
        let is_koaza = place != NO_PLACE && place as usize >= self.numbers.len();
        is_koaza.then(|| self.at(place as usize))
    }

    fn of_town(&self, town: usize, address: &Address) -> Option<Point> {
        let places = self.places_of(town)?;
        let numbers = &self.numbers[places.clone()];
        let details = &address.details;
        let first = details.lot.as_slice().first().and_then(|first| u16::try_from(*first).ok());
        let found = place_of(numbers.len(), |at| numbers[at].to_native(), first, details.has_chome);
        Some(self.at(places.start + found?))
    }

    fn of_city(&self, city: usize) -> Option<Point> {
        let place = self.cities.get(city)?.as_ref()?;
        Some(place.point(PointLevel::City))
    }

    fn places_of(&self, town: usize) -> Option<std::ops::Range<usize>> {
        let (start, end) = (self.starts.get(town)?, self.starts.get(town + 1)?);
        Some(start.to_native() as usize..end.to_native() as usize)
    }

    fn at(&self, place: usize) -> Point {
        let level = match self.numbers.get(place).map(|number| number.to_native()) {
            Some(TOWN | MIDDLE) => PointLevel::Town,
            Some(_) => PointLevel::Chome,
            None => PointLevel::Koaza,
        };
        self.places[place].point(level)
    }
}

/// The place for a lot whose first number this is: the chome if the text marks it as one, or if the town has only
/// chome; else the town.
fn place_of(
    count: usize,
    number: impl Fn(usize) -> u16,
    first: Option<u16>,
    has_chome: bool,
) -> Option<usize> {
    let town = match count.checked_sub(1).map(&number)? {
        MIDDLE => count - 1,
        _ => (number(0) == TOWN).then_some(0)?,
    };
    let divided = number(town) == MIDDLE;
    let chome = first.filter(|first| *first != TOWN && *first != MIDDLE && (has_chome || divided));
    let chome = chome.and_then(|chome| (0..count).find(|at| number(*at) == chome));
    Some(chome.unwrap_or(town))
}

impl ArchivedPlace {
    fn point(&self, level: PointLevel) -> Point {
        Point { lat: Degrees(self.lat.to_native()), lon: Degrees(self.lon.to_native()), level }
    }
}
