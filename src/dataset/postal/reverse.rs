//! From a location to the nearest towns, each with its postal codes.
//!
//! What is near is decided by one point a place. No border is known, so the location may lie in the neighbouring town.

use super::PostalData;
use crate::address::PointLevel;
use crate::address::gazetteer::DetailKind;
use crate::address::points::location::Location;
use crate::address::points::tree::{NearPlace, Place};
use crate::address::reference::ReferenceData;
use crate::dataset::member::shape::Shape::{self, Decimal, List, OneOf, OrNull, Text, Whole};
use crate::dataset::member::shape::{COUNT, JISX0402, POSTAL_CODE};
use crate::dataset::member::{Digits, ListOf, members};
use crate::record::postal::{CityView, NameView, PostalView};
use crate::snapshot::Result;
use crate::text::named_enum::named_enum;
use crate::text::numerals;

/// A place near a location: a municipality, a town of it, or a part of the town.
#[derive(Clone)]
pub struct NearTown<'s> {
    pub city: CityView<'s>,
    /// A record of the town; `None` for a municipality.
    pub record: Option<PostalView<'s>>,
    pub chome: Option<u16>,
    /// The codes of the place, each once, in the order of its records; none of large businesses.
    pub codes: Vec<u32>,
    pub near: NearPlace,
}

named_enum! {
    fn name;
    /// Why no place was found.
    pub enum NoPlace {
        /// The location is outside the rectangle around Japan.
        OutsideJapan = "outside_japan",
        TooFar = "no_place_within_10_km",
    }
}

impl NoPlace {
    pub fn of(location: Location) -> NoPlace {
        if location.is_near_japan() { NoPlace::TooFar } else { NoPlace::OutsideJapan }
    }
}

impl<'s> NearTown<'s> {
    pub fn level(&self) -> PointLevel {
        self.near.point.level
    }

    /// Town with its reading; empty for a municipality.
    pub fn town(&self) -> [&'s str; 2] {
        self.record.map_or(["", ""], |record| both(record.town()))
    }

    /// Koaza; empty if the place is larger.
    pub fn koaza(&self) -> &'s str {
        let record = self.record.filter(|_| self.level() == PointLevel::Koaza);
        record.map_or("", |record| record.koaza().text)
    }

    /// The town with its chome in kanji, and the koaza.
    pub fn town_with_part(&self) -> String {
        let mut text = self.town()[0].to_owned();
        if let Some(chome) = self.chome {
            numerals::write(chome.into(), &mut text);
            text.push_str("丁目");
        }
        text + self.koaza()
    }

    /// The whole place in one line.
    pub fn address(&self) -> String {
        let [prefecture, city] = [self.city.prefecture(), self.city.city()].map(|it| it.name.text);
        [prefecture, city, &self.town_with_part()].concat()
    }

    /// Metres to the point, rounded.
    pub fn metres(&self) -> u32 {
        self.near.metres.round() as u32
    }
}

fn both(name: NameView<'_>) -> [&str; 2] {
    [name.name.text, name.kana.text]
}

/// Numbers of chome, of which the smallest is 1.
const CHOME: Shape = Whole { min: 1, max: u16::MAX as u64 };

members! {
    /// A place near a location.
    pub const NEAR_TOWN: "NearTown" of it: &NearTown<'_>;
    "jisx0402": JISX0402 => Digits::<5>(it.city.jisx0402()), "Code of the municipality", "市区町村コード（JIS X 0402）";
    "address": Text => it.address(), "The place in one line", "場所を1行で書いたもの";
    "prefecture": Text => it.city.prefecture().name, "Prefecture", "都道府県";
    "prefecture_kana": Text => it.city.prefecture().kana, "Its reading", "都道府県の読み";
    "city": Text => it.city.city().name, "County, city and ward in one", "市区町村（郡・区を含む）";
    "city_kana": Text => it.city.city().kana, "Its reading", "市区町村の読み";
    "town": Text => it.town()[0], "Town area; empty if only the municipality has a point", "町域。座標が市区町村にしかなければ空";
    "town_kana": Text => it.town()[1], "Its reading", "町域の読み";
    "chome": OrNull(&CHOME) => it.chome, "Number of the chome, or null", "丁目の番号。なければnull";
    "koaza": Text => it.koaza(), "Koaza, or empty", "小字。なければ空";
    "postal_codes": List(&POSTAL_CODE) => ListOf(it.codes.iter().map(|code| Digits::<7>(*code))), "Postal codes of the place; several if the town is divided", "郵便番号。町域の中で分かれていれば複数";
    "level": OneOf(&["koaza", "chome", "town", "city"]) => it.level().name(), "The area that the point represents", "座標が表す範囲";
    "lat": Decimal => it.near.point.lat, "Latitude of the point in degrees", "代表点の緯度（度）";
    "lon": Decimal => it.near.point.lon, "Longitude of the point in degrees", "代表点の経度（度）";
    "distance": COUNT => it.metres(), "Metres from the location to the point", "指定した座標から代表点までの距離（メートル）";
}

/// The location that a request asks for.
#[derive(Clone, Copy)]
pub struct AskedLocation(pub Location);

members! {
    pub const ASKED_LOCATION: "Location" of it: AskedLocation;
    "lat": Decimal => it.0.lat, "Latitude in degrees, rounded to a millionth", "緯度（度）。100万分の1度に丸めた値";
    "lon": Decimal => it.0.lon, "Longitude in degrees, rounded to a millionth", "経度（度）。100万分の1度に丸めた値";
}

impl PostalData {
    /// Whether the snapshot can find places by their points: it was built with coordinates, and since there is this index.
    pub fn has_nearest(&self) -> Result<bool> {
        Ok(self.nearest_points()?.is_some())
    }

    /// The nearest places, the nearest first; `None` if the snapshot cannot find places by their points.
    pub fn nearest(&self, from: Location, limit: usize) -> Result<Option<Vec<NearPlace>>> {
        let points = self.nearest_points()?;
        Ok(points.map(|(points, tree)| tree.nearest(points, from, limit).collect()))
    }

    /// Every place that has a point.
    pub fn places_with_points(&self) -> Result<Vec<(Place, Location)>> {
        let Some((points, tree)) = self.nearest_points()? else { return Ok(Vec::new()) };
        Ok(tree.places(points).map(|(place, point)| (place, point.into())).collect())
    }

    /// What a place is called, and its codes; `None` if the snapshot names no such place.
    pub fn near_town(&self, near: NearPlace) -> Result<Option<NearTown<'_>>> {
        let reference = self.reference()?;
        let named = |row: u32| record_of(reference, row);
        let town_of = |town: u32| {
            let town = town as usize;
            Some((town, named(reference.gazetteer.first_row(town)?)?))
        };
        let found = match near.place {
            Place::City(city) => return Ok(near_city(reference, city as usize, near)),
            Place::Town(town) => town_of(town)
                .map(|(town, record)| (record, None, codes(reference, town, |_, _| true))),
            Place::Chome(town, chome) => town_of(town).map(|(town, record)| {
                (record, Some(chome), codes_of_chome(reference, town, chome))
            }),
            Place::Koaza(row) => named(row).map(|record| {
                let (city, name) = (record.city_number(), record.town().name.text);
                let town = reference.gazetteer.town_named(city, name);
                let is_of = |_, it: PostalView<'_>| it.koaza().text == record.koaza().text;
                let codes = town.map(|town| codes(reference, town as usize, is_of));
                (record, None, codes.unwrap_or_default())
            }),
        };
        Ok(found.map(|(record, chome, codes)| NearTown {
            city: record.city(),
            record: Some(record),
            chome,
            codes,
            near,
        }))
    }
}

fn near_city(reference: ReferenceData<'_>, city: usize, near: NearPlace) -> Option<NearTown<'_>> {
    let unnamed = reference.gazetteer.unnamed_town(city);
    let codes = unnamed.map(|town| codes(reference, town, |_, _| true)).unwrap_or_default();
    let city = CityView::read(reference.tables, reference.strings, city)?;
    Some(NearTown { city, record: None, chome: None, codes, near })
}

/// The codes of a chome; if it has no record of its own, those of its town outside the other chome and koaza.
fn codes_of_chome(reference: ReferenceData<'_>, town: usize, chome: u16) -> Vec<u32> {
    let details = reference.gazetteer.rows_of_details(town, DetailKind::Chome);
    let own = details.filter(|(_, number)| u16::try_from(*number) == Ok(chome));
    let own: Vec<u32> = own.map(|(row, _)| row).collect();
    let found = codes(reference, town, |row, _| own.contains(&row));
    if !found.is_empty() {
        return found;
    }
    let rest = codes(reference, town, |_, record| record.koaza().text.is_empty());
    if rest.is_empty() { codes(reference, town, |_, _| true) } else { rest }
}

fn record_of(reference: ReferenceData<'_>, row: u32) -> Option<PostalView<'_>> {
    PostalView::read(reference.tables, reference.strings, row as usize)
}

/// The codes of the records of a town that `is_of` selects, each once; those of buildings only if there are no others.
fn codes<'s>(
    reference: ReferenceData<'s>,
    town: usize,
    is_of: impl Fn(u32, PostalView<'s>) -> bool,
) -> Vec<u32> {
    let rows = reference.gazetteer.rows_of(town).iter().map(|row| row.to_native());
    let records = rows.filter_map(|row| Some((row, record_of(reference, row)?)));
    let is_area =
        |(row, it): &(u32, PostalView<'s>)| it.corporation().is_none() && is_of(*row, *it);
    let records: Vec<PostalView<'_>> = records.filter(is_area).map(|(_, it)| it).collect();
    let is_plain = |it: &&PostalView<'_>| it.building().text.is_empty();
    let has_plain = records.iter().any(|it| is_plain(&it));
    let mut codes = Vec::new();
    for record in records.iter().filter(|it| !has_plain || is_plain(it)) {
        if !codes.contains(&record.postal_code()) {
            codes.push(record.postal_code());
        }
    }
    codes
}
