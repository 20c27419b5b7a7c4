//! Builds the gazetteer from the records of a version.
//!
//! The area rows define the towns. The business rows are then assigned to them by normalising their addresses,
//! since the business files spell towns differently (大字, 字, streets of Kyoto).

use std::collections::BTreeMap;

use rkyv::rancor;

use super::{
    ArchivedGazetteer, AreaForm, AreaName, CityTowns, Detail, DetailKind, Gazetteer, NO_NUMBER,
    PrefectureName,
};
use super::{former::former_buildings, keys::Keys, lots};
use crate::address::building::{building_key, floor_number};
use crate::address::kyoto;
use crate::address::town::CityText;
use crate::address::units::{before_chome, key, units};
use crate::record::postal::{CityRow, PostalRow};
use crate::text::fold::{Level, fold};
use crate::text::kana::{is_hiragana, katakana};

/// A form of a municipality's name; sorted by these fields in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct AreaEntry {
    name: Vec<u16>,
    form: AreaForm,
    city: u16,
}

/// A detail with its name; sorted by these fields in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DetailEntry {
    town: u32,
    kind: DetailKind,
    name: Vec<u16>,
    number: i16,
    row: u32,
}

impl Gazetteer {
    /// From a version's municipalities and current records, both in the order of the tables.
    pub fn build(cities: &[CityRow], records: &[PostalRow]) -> Gazetteer {
        let mut gazetteer = Gazetteer::default();
        gazetteer.name_areas(cities, records);
        gazetteer.name_former_areas(cities);
        gazetteer.number_towns(cities, records);
        gazetteer.collect_details(records);
        gazetteer.divide_lots(records);
        gazetteer.add_businesses(records);
        gazetteer
    }

    /// Lists the names of prefectures and municipalities.
    fn name_areas(&mut self, cities: &[CityRow], records: &[PostalRow]) {
        let mut used = vec![false; cities.len()];
        for record in records {
            used[usize::from(record.city)] = true;
        }
        let mut prefectures = BTreeMap::new();
        let mut areas = Vec::new();
        for (number, city) in (0u16..).zip(cities).filter(|(number, _)| used[usize::from(*number)])
        {
            let name = city.prefecture.name.as_str();
            let prefecture = prefecture(city);
            let full = PrefectureName { prefecture, is_short: false, city: number };
            prefectures.entry(key(name)).or_insert(full);
            if let Some(short) = name.strip_suffix(['都', '府', '県']) {
                let short_name = PrefectureName { is_short: true, ..full };
                prefectures.entry(key(short)).or_insert(short_name);
            }
            let county = city.county.name.as_str();
            let alone = city.city_without_county_and_ward.name.as_str();
            let ward = city.city_ward.name.as_str();
            let mut push = |form, name: &[&str]| {
                areas.push(AreaEntry { name: key(&name.concat()), form, city: number })
            };
            push(AreaForm::Full, &[county, alone, ward]);
            if [county, alone, ward].iter().any(|part| part.chars().any(is_hiragana)) {
                // People write タツノ市 and 南アワジ市.
                let parts = [county, alone, ward]
                    .map(|part| -> String { part.chars().map(katakana).collect() });
                let [county, alone, ward] = parts.each_ref().map(String::as_str);
                push(AreaForm::Full, &[county, alone, ward]);
                push(AreaForm::WithoutCounty, &[alone, ward]);
            }
            // 三宅島三宅村 is officially 三宅村, and people write 八丈島 for 八丈島八丈町.
            if let Some((island, official)) =
                alone.split_once('島').filter(|(island, _)| !island.is_empty())
                && official.starts_with(island)
            {
                push(AreaForm::WithoutCounty, &[official]);
                push(AreaForm::WithoutCounty, &[island, "島"]);
            }
            if !county.is_empty() {
                push(AreaForm::WithoutCounty, &[alone]);
                push(AreaForm::County, &[county]);
            }
            if !ward.is_empty() {
                push(AreaForm::Ward, &[ward]);
                push(AreaForm::WithoutWard, &[alone]);
            }
        }
        areas.sort();
        // A county is named once per prefecture.
        areas.dedup_by(|next, before| {
            let (here, there) =
                (&cities[usize::from(next.city)], &cities[usize::from(before.city)]);
            next.form == AreaForm::County
                && (&next.name, next.form) == (&before.name, before.form)
                && prefecture(here) == prefecture(there)
        });
        self.prefectures = Keys::build(prefectures.keys().map(Vec::as_slice));
        self.prefecture_of = prefectures.into_values().collect();
        self.areas = Keys::build(areas.iter().map(|area| area.name.as_slice()));
        self.area_of =
            areas.iter().map(|area| AreaName { city: area.city, form: area.form }).collect();
    }

    /// Lists the towns with their area rows, and municipalities with their ranges.
    fn number_towns(&mut self, cities: &[CityRow], records: &[PostalRow]) {
        let mut towns: BTreeMap<(u16, Vec<u16>, &str), Vec<u32>> = BTreeMap::new();
        let mut ranges = vec![(0, 0); cities.len()];
        for (row, record) in (0u32..).zip(records) {
            let (first, end) = &mut ranges[usize::from(record.city)];
            if *end == 0 {
                *first = row;
            }
            *end = row + 1;
            if record.corporation.is_none() {
                let name = record.town.name.as_str();
                towns.entry((record.city, key(name), name)).or_default().push(row);
            }
        }
        let chome = |rows: &Vec<u32>| rows.iter().any(|row| records[*row as usize].flags.chome);
        self.with_chome = towns.values().map(chome).collect();
        self.town_rows.push(0);
        for rows in towns.values() {
            self.rows.extend_from_slice(rows);
            self.town_rows.push(number(self.rows.len()));
        }
        let names: Vec<_> = towns.into_keys().map(|(city, name, _)| (city, name)).collect();
        let first_town = |city: usize| names.partition_point(|(of, _)| usize::from(*of) < city);
        let has_streets = cities_with_streets(cities, records);
        for (index, city) in cities.iter().enumerate() {
            let own_names = &names[first_town(index)..first_town(index + 1)];
            let (first_row, end_row) = ranges[index];
            self.cities.push(CityTowns {
                prefecture: prefecture(city),
                has_streets: has_streets[index],
                has_chome_towns: own_names.iter().any(|(_, name)| before_chome(name).is_some()),
                first_town: number(first_town(index)),
                first_alias: 0,
                first_row,
                end_row,
            });
        }
        self.cities.push(CityTowns { first_town: number(names.len()), ..CityTowns::default() });
        self.towns = Keys::build(names.iter().map(|(_, name)| name.as_slice()));
        self.name_former_towns(cities, &names);
    }

    /// Adds koaza, chome, 地割, streets and buildings of the area rows.
    fn collect_details(&mut self, records: &[PostalRow]) {
        let mut details = Vec::new();
        for (town, rows) in (0u32..).zip(self.town_rows.windows(2)) {
            for &row in &self.rows[rows[0] as usize..rows[1] as usize] {
                let record = &records[row as usize];
                let mut push = |kind, name: Vec<u16>, number: i16| {
                    details.push(DetailEntry { town, kind, name, number, row });
                };
                if !record.koaza.is_empty() {
                    let name = key(&record.koaza);
                    let (kind, value) = koaza_kind(&name);
                    push(kind, name, value);
                }
                if !record.kyoto_street.is_empty() {
                    let street = kyoto::street_key(key(&record.kyoto_street).into_iter());
                    push(DetailKind::Street, street.collect(), NO_NUMBER);
                }
                if !record.building.is_empty() {
                    let floor = floor_number(&key(&record.floor)).unwrap_or(NO_NUMBER);
                    push(DetailKind::Building, building_key(&record.building), floor);
                    for former in former_buildings(&record.town.name, &record.building) {
                        push(DetailKind::Building, building_key(former), floor);
                    }
                }
            }
        }
        details.sort();
        self.detail_names = Keys::build(details.iter().map(|detail| detail.name.as_slice()));
        let detail =
            |DetailEntry { town, kind, number, row, .. }| Detail { town, row, number, kind };
        self.details = details.into_iter().map(detail).collect();
    }

    /// Adds the lots of rows in divided towns.
    fn divide_lots(&mut self, records: &[PostalRow]) {
        for (row, record) in (0u32..).zip(records) {
            let has_street_or_building =
                !record.kyoto_street.is_empty() || !record.building.is_empty();
            if record.corporation.is_some() || has_street_or_building {
                continue;
            }
            let chome = match koaza_kind(&key(&record.koaza)) {
                (DetailKind::Chome, number) => u16::try_from(number).unwrap_or(0),
                _ if record.koaza.is_empty() || lots::has_lots_beside_koaza(&record.town_raw) => 0,
                _ if lots::follows_city(&record.town_raw) => 0,
                _ => continue,
            };
            self.lots.extend(lots::parse(row, &record.town_raw, chome));
        }
    }

    /// Adds the business rows to their towns.
    fn add_businesses(&mut self, records: &[PostalRow]) {
        let bytes = rkyv::to_bytes::<rancor::Error>(&*self).expect("some megabytes of numbers");
        let read = rkyv::access::<ArchivedGazetteer, rancor::Error>(&bytes)
            .expect("archived data are valid");
        let mut businesses: Vec<Vec<u32>> = vec![Vec::new(); read.towns.count()];
        let (mut folded, mut text) = (Vec::new(), Vec::new());
        for (row, record) in (0u32..).zip(records) {
            if record.corporation.is_none() {
                continue;
            }
            folded.clear();
            text.clear();
            let address = format!("{}{}", record.town.name, record.lot_below_town());
            fold(&address, Level::Address, &mut folded);
            units(&folded, &mut text);
            let city = usize::from(record.city);
            let found = CityText { gazetteer: read, city, text: &text }.below(0).town;
            let found = found.or_else(|| town_with_ending(read, city, record));
            // A business with an empty town column may be at a lot of the municipality, whatever its lot begins with.
            let no_town = found.is_none() || record.town_raw.is_empty();
            let whole = read.unnamed_town(city).filter(|_| no_town);
            for town in found.into_iter().chain(whole) {
                businesses[town].push(row);
            }
        }
        let area_rows = std::mem::take(&mut self.rows);
        let starts = std::mem::take(&mut self.town_rows);
        self.town_rows.push(0);
        for (town, businesses) in businesses.iter().enumerate() {
            let (start, end) = (starts[town] as usize, starts[town + 1] as usize);
            self.rows.extend_from_slice(&area_rows[start..end]);
            self.rows.extend_from_slice(businesses);
            self.town_rows.push(number(self.rows.len()));
        }
    }
}

/// The town of a business whose 町 is omitted: 牛島 for 牛島町.
fn town_with_ending(read: &ArchivedGazetteer, city: usize, record: &PostalRow) -> Option<usize> {
    let name = record.town.name.as_str();
    if name.is_empty() {
        return None;
    }
    read.town_with_key(city, &key(&format!("{name}町")))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a month has 150,000 records")
}

fn prefecture(city: &CityRow) -> u8 {
    u8::try_from(city.jisx0402 / 1000).unwrap_or_default()
}

/// For each municipality whether it belongs to a city where streets distinguish towns.
fn cities_with_streets(cities: &[CityRow], records: &[PostalRow]) -> Vec<bool> {
    let name = |city: &CityRow| (prefecture(city), city.city_without_county_and_ward.name.clone());
    let with: std::collections::BTreeSet<_> = records
        .iter()
        .filter(|record| record.corporation.is_none() && !record.kyoto_street.is_empty())
        .map(|record| name(&cities[usize::from(record.city)]))
        .collect();
    cities.iter().map(|city| with.contains(&name(city))).collect()
}

/// The kind of a koaza in the area file, and its number.
pub(in crate::address) fn koaza_kind(name: &[u16]) -> (DetailKind, i16) {
    let text = String::from_utf16_lossy(name);
    let bare = text.strip_prefix('第').unwrap_or(&text);
    let number = |suffix: &str| bare.strip_suffix(suffix)?.parse::<i16>().ok();
    if let Some(number) = number("丁目").or_else(|| number("丁")) {
        (DetailKind::Chome, number)
    } else if let Some(number) = number("地割") {
        (DetailKind::Jiwari, number)
    } else {
        (DetailKind::Koaza, NO_NUMBER)
    }
}
