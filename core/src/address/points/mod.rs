//! Coordinates: one point per town, chome, koaza and municipality, in snapshots built with a file of them.
//!
//! Built from the rows of that file ([`build`]), read in place from the section `points`. Towns, municipalities and
//! rows have the indexes of the gazetteer and the tables. All references are checked once, at the first use of the
//! section. Does not know how an address was read, only what it names. [`tree`] finds the points near a location.

pub mod build;
mod carry;
pub mod location;
pub mod tree;

use std::fmt;

use rkyv::{Archive, Serialize};

use super::gazetteer::check::{Checked, are_starts, expect};
use super::gazetteer::{ArchivedCityTowns, ArchivedGazetteer};
use super::result::{Address, MatchLevel};
use crate::text::named_enum::named_enum;

named_enum! {
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

/// A point, and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    pub lat: Degrees,
    pub lon: Degrees,
    pub level: PointLevel,
}

/// The points of a town and of its chome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TownPoints {
    /// The point of the town as a whole; if the file has only parts of it, a point in their middle.
    pub whole: Option<Point>,
    /// By the number of the chome.
    pub chome: Vec<(u16, Point)>,
    /// Whether the file has only its chome, not the town itself.
    pub is_divided: bool,
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
struct Coordinates {
    lat: i32,
    lon: i32,
}

/// The points of a version.
#[derive(Debug, Default, Archive, Serialize)]
pub struct Points {
    /// By the index of a municipality.
    cities: Vec<Option<Coordinates>>,
    /// Start of each town's range in `numbers`, and the end of the last.
    starts: Vec<u32>,
    /// By town, ascending: [`TOWN`] for the town itself, [`MIDDLE`] if the file has only its parts, else the number
    /// of a chome.
    numbers: Vec<u16>,
    /// The point of each of `numbers`, then the points of koaza.
    coordinates: Vec<Coordinates>,
    /// By current row of the tables: an index into `coordinates`, or [`NO_COORDINATES`].
    rows: Vec<u32>,
}

/// Numbers that no chome has, see [`Points::numbers`].
const TOWN: u16 = 0;
const MIDDLE: u16 = u16::MAX;
const NO_COORDINATES: u32 = u32::MAX;

impl ArchivedPoints {
    /// Checks every reference, for this gazetteer and tables of this many rows.
    pub fn check(&self, gazetteer: &ArchivedGazetteer, rows: usize) -> Checked {
        let of_cities = self.cities.len() == gazetteer.city_count();
        expect(of_cities, "a place for every municipality")?;
        let are_grouped = are_starts(self.starts.iter().copied(), self.numbers.len());
        let of_towns = self.starts.len() == gazetteer.towns.count() + 1;
        expect(of_towns && are_grouped, "places grouped by town")?;
        let places = self.coordinates.len();
        expect(self.numbers.len() <= places, "a place for every number")?;
        let mut indexes = self.rows.iter().map(|index| index.to_native());
        let are_known = indexes.all(|index| index == NO_COORDINATES || (index as usize) < places);
        expect(self.rows.len() == rows && are_known, "a place for every row")
    }

    /// The point of a row of this municipality.
    pub fn of_row(&self, row: usize, city: usize) -> Option<Point> {
        let index = self.rows.get(row).map(|index| index.to_native());
        match index.filter(|index| *index != NO_COORDINATES) {
            Some(index) => Some(self.point_at(index as usize)),
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
                    let up_to =
                        |city: &ArchivedCityTowns| city.first_town.to_native() as usize <= town;
                    self.of_city(gazetteer.cities.partition_point(up_to).checked_sub(1)?)
                })
            }
            MatchLevel::None | MatchLevel::Prefecture(_) | MatchLevel::Cities => None,
        }
    }

    fn of_koaza(&self, gazetteer: &ArchivedGazetteer, detail: usize) -> Option<Point> {
        let row = gazetteer.details.get(detail)?.row.to_native() as usize;
        let index = self.rows.get(row)?.to_native();
        let is_koaza = index != NO_COORDINATES && index as usize >= self.numbers.len();
        is_koaza.then(|| self.point_at(index as usize))
    }

    fn of_town(&self, town: usize, address: &Address) -> Option<Point> {
        let (start, end) = (self.starts.get(town)?, self.starts.get(town + 1)?);
        let (start, end) = (start.to_native() as usize, end.to_native() as usize);
        let numbers = self.numbers[start..end].iter().map(|number| number.to_native());
        let details = &address.details;
        let first = details.lot.as_slice().first().and_then(|first| u16::try_from(*first).ok());
        Some(self.point_at(start + index_of_lot(numbers, first, details.has_chome)?))
    }

    /// The points of a town, by its index in the gazetteer.
    pub fn of_parts(&self, town: usize) -> TownPoints {
        let mut points = TownPoints::default();
        let end = town.checked_add(1).and_then(|next| self.starts.get(next));
        let (Some(start), Some(end)) = (self.starts.get(town), end) else { return points };
        let mut has_middle = false;
        for index in start.to_native() as usize..end.to_native() as usize {
            let point = self.point_at(index);
            match self.numbers[index].to_native() {
                TOWN => points.whole = Some(point),
                MIDDLE => {
                    points.whole = Some(point);
                    has_middle = true;
                }
                chome => points.chome.push((chome, point)),
            }
        }
        points.is_divided = has_middle && !points.chome.is_empty();
        points
    }

    /// The point of a municipality, by its index in the tables.
    pub fn of_city(&self, city: usize) -> Option<Point> {
        let coordinates = self.cities.get(city)?.as_ref()?;
        Some(coordinates.point(PointLevel::City))
    }

    fn point_at(&self, index: usize) -> Point {
        let level = match self.numbers.get(index).map(|number| number.to_native()) {
            Some(TOWN | MIDDLE) => PointLevel::Town,
            Some(_) => PointLevel::Chome,
            None => PointLevel::Koaza,
        };
        self.coordinates[index].point(level)
    }
}

/// Among the numbers of a town, the index for a lot with this first number: the index of the chome if the text marks it
/// as one, or if the town has only chome; else the index of the town.
fn index_of_lot(
    mut numbers: impl ExactSizeIterator<Item = u16> + DoubleEndedIterator + Clone,
    first: Option<u16>,
    has_chome: bool,
) -> Option<usize> {
    let is_divided = numbers.clone().next_back()? == MIDDLE;
    let town = if is_divided { numbers.len() - 1 } else { 0 };
    if !is_divided && numbers.clone().next() != Some(TOWN) {
        return None;
    }
    let may_be_chome = has_chome || is_divided;
    let chome = first.filter(|first| may_be_chome && ![TOWN, MIDDLE].contains(first));
    let chome = chome.and_then(|chome| numbers.position(|number| number == chome));
    Some(chome.unwrap_or(town))
}

impl ArchivedCoordinates {
    fn point(&self, level: PointLevel) -> Point {
        Point { lat: Degrees(self.lat.to_native()), lon: Degrees(self.lon.to_native()), level }
    }
}
