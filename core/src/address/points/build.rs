//! Builds the points of a version's towns, rows and municipalities from a file of coordinates.
//!
//! A row of the file names a town of a municipality. It is matched first by the town's key, then by a former name
//! or a name in another register, then by normalising it as an address; if several rows match one town or
//! chome, the first in that order counts. A municipality that the version does not have is searched among the former
//! names, and its towns in the present municipality.

use std::collections::{BTreeMap, HashMap};

use rkyv::rancor;

use super::{Coordinates, MIDDLE, NO_COORDINATES, Points, TOWN, index_of_lot};
use crate::address::gazetteer::build::koaza_kind;
use crate::address::gazetteer::{ArchivedGazetteer, DetailKind, Gazetteer};
use crate::address::town::CityText;
use crate::address::units::{codes, folded_units, is_digit, key, unit, without_mark};
use crate::record::postal::{CityRow, PostalRow};

/// A point of the file with its names.
#[derive(Debug, Clone)]
pub struct NamedPoint<'a> {
    pub jisx0402: u32,
    /// Municipality with county and ward.
    pub city: &'a str,
    /// Town with its chome.
    pub town: &'a str,
    /// Empty if the point is for the town.
    pub koaza: &'a str,
    pub lat: i32,
    pub lon: i32,
}

/// Statistics of the points of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointCounts {
    /// Towns of the version with a point, and all of them.
    pub towns: [usize; 2],
    /// Records whose town has a point, and all records with a town.
    pub records: [usize; 2],
    /// Municipalities with a point, and all.
    pub cities: [usize; 2],
    /// Points of towns and chome in the file, and how many of them match no town of the version.
    pub points: usize,
    pub unplaced: usize,
    /// How many of those have an unknown municipality, too.
    pub unknown_cities: usize,
}

impl Points {
    /// Builds the points of a version from its gazetteer, municipalities and current records, all in the order of
    /// its tables.
    pub fn build(
        gazetteer: &Gazetteer,
        cities: &[CityRow],
        records: &[PostalRow],
        rows: &[NamedPoint<'_>],
    ) -> (Points, PointCounts) {
        let bytes = rkyv::to_bytes::<rancor::Error>(gazetteer).expect("some megabytes of numbers");
        let gazetteer = rkyv::access::<ArchivedGazetteer, rancor::Error>(&bytes)
            .expect("archived data are valid");
        let finder = Finder::new(gazetteer, cities);
        let (mut found, mut counts) = (MatchedPoints::default(), PointCounts::default());
        for row in rows {
            found.add(&finder, row, &mut counts);
        }
        let mut points = Points { starts: vec![0], ..Points::default() };
        points.fill_towns(&mut found, gazetteer.towns.count());
        points.fill_cities(&found, cities.len());
        points.fill_rows(&found, gazetteer, records, &mut counts);
        let named = |town: &usize| gazetteer.towns.length(*town) > 0;
        let has = |town: &usize| points.starts[*town] < points.starts[town + 1];
        let towns = (0..gazetteer.towns.count()).filter(named);
        counts.towns = [towns.clone().filter(has).count(), towns.count()];
        counts.cities = [points.cities.iter().flatten().count(), points.cities.len()];
        (points, counts)
    }

    /// Fills the points of towns and chome, in the order of the gazetteer.
    fn fill_towns(&mut self, found: &mut MatchedPoints, towns: usize) {
        let mut koaza: HashMap<usize, Vec<Coordinates>> = HashMap::new();
        for ((town, _), coordinates) in &found.koaza {
            koaza.entry(*town).or_default().push(*coordinates);
        }
        for town in 0..towns {
            let parts = found.towns.entry(town).or_default();
            if !parts.contains_key(&TOWN) {
                let of_koaza = koaza.get(&town).map_or(&[][..], Vec::as_slice).iter().copied();
                let of_chome = middle(parts.values().map(|(_, coordinates)| *coordinates));
                let middle = of_chome.or_else(|| middle(of_koaza));
                parts.extend(middle.map(|coordinates| (MIDDLE, (0, coordinates))));
            }
            self.numbers.extend(parts.keys());
            self.coordinates.extend(parts.values().map(|(_, coordinates)| *coordinates));
            self.starts.push(number(self.numbers.len()));
        }
    }

    /// Fills the points of municipalities.
    fn fill_cities(&mut self, found: &MatchedPoints, cities: usize) {
        let none = Vec::new();
        let coordinates = |city| found.cities.get(&city).unwrap_or(&none).iter().copied();
        self.cities = (0..cities).map(|city| middle(coordinates(city))).collect();
    }

    /// Fills the points of rows, and appends the points of koaza.
    fn fill_rows(
        &mut self,
        found: &MatchedPoints,
        gazetteer: &ArchivedGazetteer,
        records: &[PostalRow],
        counts: &mut PointCounts,
    ) {
        self.rows = vec![NO_COORDINATES; records.len()];
        let mut koaza_indexes = HashMap::new();
        for town in 0..gazetteer.towns.count() {
            if gazetteer.towns.length(town) == 0 {
                continue;
            }
            let (start, end) = (self.starts[town] as usize, self.starts[town + 1] as usize);
            for row in gazetteer.rows_of(town) {
                let row = row.to_native() as usize;
                let record = &records[row];
                counts.records[1] += 1;
                let koaza = key(&record.koaza);
                let koaza = (koaza_kind(&koaza).0 == DetailKind::Koaza).then_some((town, koaza));
                if let Some(coordinates) = koaza.as_ref().and_then(|koaza| found.koaza.get(koaza)) {
                    let index = *koaza_indexes.entry(koaza).or_insert_with(|| {
                        self.coordinates.push(*coordinates);
                        number(self.coordinates.len() - 1)
                    });
                    self.rows[row] = index;
                } else {
                    let numbers = self.numbers[start..end].iter().copied();
                    let (first, has_chome) = chome_of(record);
                    let found = index_of_lot(numbers, first, has_chome);
                    self.rows[row] = found.map_or(NO_COORDINATES, |found| number(start + found));
                }
                counts.records[0] += usize::from(self.rows[row] != NO_COORDINATES);
            }
        }
    }
}

/// The chome of a record, and whether its number is certainly a chome.
fn chome_of(record: &PostalRow) -> (Option<u16>, bool) {
    if record.corporation.is_none() {
        let (kind, number) = koaza_kind(&key(&record.koaza));
        let chome = (kind == DetailKind::Chome).then(|| u16::try_from(number).ok()).flatten();
        return (chome, chome.is_some());
    }
    let lot = key(record.lot_below_town());
    let text: String = String::from_utf16_lossy(&lot);
    let digits = text.len() - text.trim_start_matches(|next: char| next.is_ascii_digit()).len();
    let (first, rest) = text.split_at(digits);
    (first.parse().ok(), rest.starts_with("丁目"))
}

/// The point nearest to the mean of these points. The mean itself could be in the sea between them.
fn middle(coordinates: impl Iterator<Item = Coordinates> + Clone) -> Option<Coordinates> {
    let (mut count, mut lat, mut lon) = (0_i64, 0_i64, 0_i64);
    for point in coordinates.clone() {
        (count, lat, lon) = (count + 1, lat + i64::from(point.lat), lon + i64::from(point.lon));
    }
    let (lat, lon) = (lat.checked_div(count)?, lon / count);
    // In Japan a degree of longitude is about four fifths of one of latitude.
    let distance = |point: &Coordinates| {
        let (north, east) = (i64::from(point.lat) - lat, (i64::from(point.lon) - lon) * 4 / 5);
        north * north + east * east
    };
    coordinates.min_by_key(|point| (distance(point), *point))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a month has 150,000 records and 200,000 chome")
}

/// How uncertain the match of a row to a town is; smaller is surer. A match without the chome adds one.
type Doubt = u8;
const SURE: Doubt = 0;
/// Matched by a former name, or a name in another register.
const BY_OTHER_NAME: Doubt = 2;
/// Matched as an address: a letter missing between the parts of the name, another suffix.
const AS_ADDRESS: Doubt = 4;
/// Matched by the name of a koaza of another town.
const DOUBTFUL: Doubt = 5;

/// The points of the file by what they stand for.
#[derive(Default)]
struct MatchedPoints {
    /// By town, then by the number of the chome.
    towns: HashMap<usize, BTreeMap<u16, (Doubt, Coordinates)>>,
    /// Points of koaza, by town and key.
    koaza: HashMap<(usize, Vec<u16>), Coordinates>,
    /// All points of towns and chome in a municipality.
    cities: HashMap<usize, Vec<Coordinates>>,
}

impl MatchedPoints {
    /// Adds the point of a row of the file.
    fn add(&mut self, finder: &Finder<'_>, row: &NamedPoint<'_>, counts: &mut PointCounts) {
        let coordinates = Coordinates { lat: row.lat, lon: row.lon };
        let cities = finder.cities(row);
        let hits = cities.iter().filter_map(|city| Some((*city, finder.find(*city, row)?)));
        let mut hits: Vec<(usize, Hit)> = hits.collect();
        hits.sort_by_key(|(_, hit)| hit.doubt);
        // A town of a ward that was divided must be in one of its successors, otherwise it is unknown.
        let one = match hits.as_slice() {
            [one] => Some(*one),
            [one, next, ..] if one.1.doubt < next.1.doubt => Some(*one),
            _ => None,
        };
        let only_city = if let [city] = cities[..] { Some(city) } else { None };
        let city = one.map(|(city, _)| city).or(only_city);
        let of_town = row.koaza.is_empty();
        counts.points += usize::from(of_town);
        if let Some(city) = city.filter(|_| of_town) {
            self.cities.entry(city).or_default().push(coordinates);
        }
        match one {
            Some((_, hit)) if !hit.is_koaza => {
                let parts = self.towns.entry(hit.town).or_default();
                let known = parts.entry(hit.chome).or_insert((hit.doubt, coordinates));
                if hit.doubt < known.0 {
                    *known = (hit.doubt, coordinates);
                }
            }
            Some((_, hit)) => {
                self.koaza.entry((hit.town, key(without_mark(row.koaza)))).or_insert(coordinates);
            }
            None if of_town => {
                counts.unplaced += 1;
                counts.unknown_cities += usize::from(cities.is_empty());
            }
            None => {}
        }
    }
}

/// The town that a row of the file names.
#[derive(Clone, Copy)]
struct Hit {
    town: usize,
    /// [`TOWN`] for the town itself.
    chome: u16,
    /// Whether the row is for a koaza of the town.
    is_koaza: bool,
    doubt: Doubt,
}

/// Finds the town that a row of the file names.
struct Finder<'a> {
    gazetteer: &'a ArchivedGazetteer,
    by_code: HashMap<u32, usize>,
    by_name: HashMap<(u32, Vec<u16>), usize>,
}

impl<'a> Finder<'a> {
    fn new(gazetteer: &'a ArchivedGazetteer, cities: &[CityRow]) -> Finder<'a> {
        let name_of = |city: &CityRow| (city.jisx0402 / 1000, key(&city.city.name));
        let numbered = || cities.iter().zip(0..);
        Finder {
            gazetteer,
            by_code: numbered().map(|(city, number)| (city.jisx0402, number)).collect(),
            by_name: numbered().map(|(city, number)| (name_of(city), number)).collect(),
        }
    }

    /// The municipalities of the version to which a row may belong.
    fn cities(&self, row: &NamedPoint<'_>) -> Vec<usize> {
        if let Some(&city) = self.by_code.get(&row.jisx0402) {
            return vec![city];
        }
        let (prefecture, name) = (row.jisx0402 / 1000, key(row.city));
        if let Some(&city) = self.by_name.get(&(prefecture, name.clone())) {
            return vec![city];
        }
        let gazetteer = self.gazetteer;
        let former = &gazetteer.former;
        let whole = former.with_rest(0..former.count(), 0, name.into_iter());
        let cities = whole.map(|former| usize::from(gazetteer.former_of[former].city.to_native()));
        let here = |city: &usize| u32::from(gazetteer.cities[*city].prefecture) == prefecture;
        cities.filter(here).collect()
    }

    /// The town that a row names. A town of Japan Post may be a town and a koaza in the file, or only a koaza.
    fn find(&self, city: usize, row: &NamedPoint<'_>) -> Option<Hit> {
        let bare = without_mark(row.town);
        let town = || self.named(city, row.town).or_else(|| self.as_address(city, bare));
        if row.koaza.is_empty() {
            return town();
        }
        let koaza = without_mark(row.koaza);
        let with_name = |name: &str, doubt| {
            let town = self.gazetteer.town_with_key(city, &key(name))?;
            Some(Hit { town, chome: TOWN, is_koaza: false, doubt })
        };
        let inside = || town().filter(|hit| hit.chome == TOWN);
        with_name(&[bare, koaza].concat(), SURE)
            .or_else(|| inside().map(|hit| Hit { is_koaza: true, ..hit }))
            .or_else(|| with_name(koaza, DOUBTFUL))
    }

    /// The town with this key, or with this former or other name; with a chome, the town without it.
    fn named(&self, city: usize, name: &str) -> Option<Hit> {
        let gazetteer = self.gazetteer;
        let town = |key: &[u16]| gazetteer.town_with_key(city, key);
        let town_of_alias = |key: &[u16]| {
            let (aliases, names) = (&gazetteer.aliases, gazetteer.aliases_of(city));
            let alias = aliases.with_rest(names, 0, key.iter().copied()).next()?;
            Some(gazetteer.alias_of[alias].to_native() as usize)
        };
        let keys = [key(name), key(without_mark(name))];
        let find = |doubt, town: &dyn Fn(&[u16]) -> Option<usize>| {
            keys.iter().find_map(|key| {
                if let Some(town) = town(key) {
                    return Some(Hit { town, chome: TOWN, is_koaza: false, doubt });
                }
                let (base, chome) = split_chome(key);
                let town = if chome == TOWN { None } else { town(base) };
                town.map(|town| Hit { town, chome, is_koaza: false, doubt: doubt + 1 })
            })
        };
        find(SURE, &town).or_else(|| find(BY_OTHER_NAME, &town_of_alias))
    }

    /// The town of this name read as an address, if at most a chome remains after it.
    fn as_address(&self, city: usize, name: &str) -> Option<Hit> {
        let (_, text) = folded_units(name);
        let found = CityText { gazetteer: self.gazetteer, city, text: &text }.below(0);
        let town = found.town.filter(|_| found.koaza.is_none() && !found.name.is_empty())?;
        let rest: Vec<u16> = codes(&text[found.end..]).collect();
        let (base, chome) = split_chome(&rest);
        base.is_empty().then_some(Hit { town, chome, is_koaza: false, doubt: AS_ADDRESS })
    }
}

/// A key without its chome (丁目, 丁, 丁目北), and the chome's number.
fn split_chome(key: &[u16]) -> (&[u16], u16) {
    let side = ['北', '南', '東', '西'].map(unit);
    let sided = key.split_last().filter(|(last, _)| side.contains(last)).map(|(_, base)| base);
    let base = [Some(key), sided].into_iter().flatten().find_map(|key| {
        key.strip_suffix(&[unit('丁'), unit('目')]).or_else(|| key.strip_suffix(&[unit('丁')]))
    });
    let Some(base) = base else { return (key, TOWN) };
    let digits = base.iter().rev().take_while(|code| is_digit(**code)).count();
    let (base, digits) = base.split_at(base.len() - digits);
    let number = String::from_utf16_lossy(digits).parse().ok().filter(|number| *number < MIDDLE);
    number.map_or((key, TOWN), |number| (base, number))
}
