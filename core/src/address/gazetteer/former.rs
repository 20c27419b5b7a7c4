//! Names that Japan Post does not have, or no longer has: of municipalities and wards that were merged or renamed,
//! of towns that were renamed or are spelled differently in another register, of buildings. Each leads to the
//! present place.
//!
//! The tables beside this file are made by `build-tools/mined/names.py`. Names of the version itself take
//! precedence: they are left out here. Knows nothing of texts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{FormerArea, Gazetteer, keys::Keys};
use crate::address::units::{key, without_mark};
use crate::record::postal::CityRow;

const MUNICIPALITIES: &str = include_str!("former_municipalities.tsv");
const TOWNS: &str = include_str!("former_towns.tsv");
const BUILDINGS: &str = include_str!("former_buildings.tsv");

/// The lines of a table without comments, split into columns.
fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// The former names of a building in a town.
pub(super) fn former_buildings(town: &str, building: &str) -> impl Iterator<Item = &'static str> {
    lines(BUILDINGS).filter_map(move |line| match line.as_slice() {
        &[_, of, name, today, _] if (of, today) == (town, building) => Some(name),
        _ => None,
    })
}

fn numbers_by_code(cities: &[CityRow]) -> HashMap<u32, u16> {
    (0u16..).zip(cities).map(|(number, city)| (city.jisx0402, number)).collect()
}

impl Gazetteer {
    /// Lists the former names of municipalities.
    pub(super) fn name_former_areas(&mut self, cities: &[CityRow]) {
        let number_of = numbers_by_code(cities);
        let mut present = HashSet::new();
        for city in cities {
            let (county, ward) = (city.county.name.as_str(), city.city_ward.name.as_str());
            let alone = city.city_without_county_and_ward.name.as_str();
            let prefecture = city.jisx0402 / 1000;
            for parts in [[county, alone, ward], ["", alone, ""]] {
                present.insert((prefecture, parts.concat()));
            }
        }
        let mut areas = Vec::new();
        for line in lines(MUNICIPALITIES) {
            let &[prefecture, name, codes, since] = line.as_slice() else { continue };
            let Ok(prefecture) = prefecture.parse::<u32>() else { continue };
            let year = since.get(..4).and_then(|year| year.parse().ok()).unwrap_or(0);
            let found = codes.split(' ').filter_map(|code| number_of.get(&code.parse().ok()?));
            let bare = name.split_once('郡').map_or(name, |(_, bare)| bare);
            for &city in found {
                for (written, county_bytes) in [(name, name.len() - bare.len()), (bare, 0)] {
                    if present.contains(&(prefecture, written.to_owned())) {
                        continue;
                    }
                    let county_length = u8::try_from(key(&name[..county_bytes]).len()).unwrap_or(0);
                    areas.push((key(written), FormerArea { city, county_length, year }));
                }
            }
        }
        areas.sort_by(|one, other| (&one.0, one.1.city).cmp(&(&other.0, other.1.city)));
        areas.dedup_by(|next, before| (&next.0, next.1.city) == (&before.0, before.1.city));
        self.former = Keys::build(areas.iter().map(|(name, _)| name.as_slice()));
        self.former_of = areas.into_iter().map(|(_, area)| area).collect();
    }

    /// Lists the former and other names of towns. `towns`: the keys of the version's towns in order, each after its
    /// municipality.
    pub(super) fn name_former_towns(&mut self, cities: &[CityRow], towns: &[(u16, Vec<u16>)]) {
        let number_of = numbers_by_code(cities);
        let of_name: HashMap<&(u16, Vec<u16>), u32> = towns.iter().zip(0u32..).collect();
        let mut aliases = BTreeMap::new();
        for line in lines(TOWNS) {
            let &[city, name, today, _, month] = line.as_slice() else { continue };
            let city = city.parse().ok().and_then(|code: u32| number_of.get(&code));
            let Some(&city) = city else { continue };
            let written = (city, key(without_mark(name)));
            if let Some(&town) = of_name.get(&(city, key(today)))
                && !of_name.contains_key(&written)
            {
                let since = month.get(..4).and_then(|year| year.parse().ok()).unwrap_or(0);
                aliases.insert(written, (town, since));
            }
        }
        let names: Vec<&(u16, Vec<u16>)> = aliases.keys().collect();
        for (city, towns) in self.cities.iter_mut().enumerate() {
            let first = names.partition_point(|(of, _)| usize::from(*of) < city);
            towns.first_alias = u32::try_from(first).expect("some thousand names");
        }
        self.aliases = Keys::build(aliases.keys().map(|(_, name)| name.as_slice()));
        (self.alias_of, self.alias_since) = aliases.into_values().unzip();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_read() {
        for line in lines(MUNICIPALITIES) {
            let &[prefecture, name, codes, since] = line.as_slice() else { panic!("{line:?}") };
            assert!((1..=47).contains(&prefecture.parse::<u32>().unwrap_or(0)), "{line:?}");
            assert!(name.chars().count() > 1 && since.len() >= 7, "{line:?}");
            let is_code = |code: &str| code.len() == 5 && code.parse::<u32>().is_ok();
            assert!(codes.split(' ').all(is_code), "{line:?}");
        }
        for line in lines(TOWNS) {
            let &[city, name, today, why, _] = line.as_slice() else { panic!("{line:?}") };
            assert!(city.len() == 5 && city.parse::<u32>().is_ok(), "{line:?}");
            assert!(!name.is_empty() && !today.is_empty() && name != today, "{line:?}");
            assert!(matches!(why, "r" | "k" | "c" | "t"), "{line:?}");
        }
        for line in lines(BUILDINGS) {
            let &[city, town, name, today, month] = line.as_slice() else { panic!("{line:?}") };
            assert!(city.len() == 5 && month.len() == 7, "{line:?}");
            assert_eq!(former_buildings(town, today).collect::<Vec<_>>(), [name], "{line:?}");
            assert_eq!(former_buildings("", today).next(), None, "{line:?}");
        }
    }
}
