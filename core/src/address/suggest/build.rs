//! Builds the suggestions of a version from its records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::forms::{forms, item};
use super::names::initial;
use super::{ArchivedSuggestions, Area, AreaKind, Suggestions};
use crate::address::gazetteer::Gazetteer;
use crate::address::units::key;
use crate::index::beginnings::{Beginnings, BuildError, NamedItem};
use crate::record::postal::{CityRow, PostalRow};
use crate::text::spellings::{Letter, reading};

/// The number of corporations by postal code.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    by_code: HashMap<u32, u32>,
}

impl Counts {
    pub fn add(&mut self, postal_code: u32) {
        *self.by_code.entry(postal_code).or_default() += 1;
    }

    fn of(&self, postal_code: u32) -> u32 {
        self.by_code.get(&postal_code).copied().unwrap_or_default()
    }
}

impl Suggestions {
    /// From a version's gazetteer, municipalities and current records, all in the order of its tables. A place
    /// weighs its number of corporations, or of records if corporations were not counted.
    pub fn build(
        gazetteer: &Gazetteer,
        cities: &[CityRow],
        records: &[PostalRow],
        corporations: Option<&Counts>,
    ) -> Result<Suggestions, BuildError> {
        let mut built = Suggestions::default();
        let counts = built.weigh(gazetteer, records, corporations);
        built.list_areas(cities, records, &counts);
        built.name_areas(cities)?;
        built.name_towns(gazetteer, records)?;
        Ok(built)
    }

    /// The suggestions of records that an operator corrected, with the weights of the published ones: what was counted for
    /// them is not at hand any more. `row_before` says which of the published rows each row was; a new one weighs as one
    /// record.
    pub fn carried_over(
        before: &ArchivedSuggestions,
        gazetteer: &Gazetteer,
        cities: &[CityRow],
        records: &[PostalRow],
        row_before: &[Option<u32>],
    ) -> Result<Suggestions, BuildError> {
        let weight = |row: &Option<u32>| row.map_or(level(1), |row| before.weight_of_row(row));
        let weights = row_before.iter().map(weight).collect();
        let mut built = Suggestions { weights, ..Suggestions::default() };
        built.list_areas(cities, records, &vec![1; records.len()]);
        for area in &mut built.areas {
            let known = before.areas.iter().find(|known| {
                known.jisx0402 == area.jisx0402 && known.kind as u8 == area.kind as u8
            });
            area.weight = known.map_or(area.weight, |known| known.weight);
        }
        built.name_areas(cities)?;
        built.name_towns(gazetteer, records)?;
        Ok(built)
    }

    /// Weighs every row by its town, and returns the count (corporations or 1) of each row itself.
    fn weigh(
        &mut self,
        gazetteer: &Gazetteer,
        records: &[PostalRow],
        corporations: Option<&Counts>,
    ) -> Vec<u32> {
        let own = match corporations {
            None => vec![1; records.len()],
            Some(counts) => corporations_by_row(records, counts),
        };
        self.weights = own.iter().map(|count| level(*count)).collect();
        for rows in gazetteer.town_rows.windows(2) {
            let rows = &gazetteer.rows[rows[0] as usize..rows[1] as usize];
            let all = rows.iter().fold(0u32, |all, row| all.saturating_add(own[*row as usize]));
            for row in rows {
                self.weights[*row as usize] = level(all);
            }
        }
        own
    }

    /// Lists prefectures, designated cities and municipalities, by code. `counts`: the count of each row.
    fn list_areas(&mut self, cities: &[CityRow], records: &[PostalRow], counts: &[u32]) {
        let mut all: BTreeMap<u16, (u32, BTreeSet<u32>)> = BTreeMap::new();
        for (record, count) in records.iter().zip(counts) {
            let (weight, codes) = all.entry(record.city).or_default();
            *weight = weight.saturating_add(*count);
            if record.corporation.is_none() {
                codes.insert(record.postal_code);
            }
        }
        all.retain(|_, (_, codes)| !codes.is_empty());
        let mut by_code: Vec<u16> = all.keys().copied().collect();
        by_code.sort_by_key(|city| cities[usize::from(*city)].jisx0402);
        let row = |city: &u16| &cities[usize::from(*city)];
        let prefecture = |city: &u16| &row(city).prefecture.name;
        // The prefecture and the name of a city with wards.
        let designated = |city: &u16| {
            let row = row(city);
            let name = &row.city_without_county_and_ward.name;
            (!row.city_ward.name.is_empty()).then_some((prefecture(city), name))
        };
        let mut push = |kind, first: usize, members: &[u16]| {
            let (mut weight, mut codes) = (0u32, BTreeSet::new());
            for city in members {
                let (more, own) = &all[city];
                weight = weight.saturating_add(*more);
                codes.extend(own);
            }
            let code = row(&members[0]).jisx0402;
            self.areas.push(Area {
                kind,
                weight: level(weight),
                city: members[0],
                first: first as u16,
                end: (first + members.len()) as u16,
                jisx0402: match kind {
                    AreaKind::Prefecture => code / 1_000 * 1_000,
                    // The next lower multiple of ten before its first ward.
                    AreaKind::DesignatedCity => (code - 1) / 10 * 10,
                    AreaKind::Municipality => code,
                },
                codes: codes.len() as u32,
                postal_code: codes.first().copied().unwrap_or_default(),
            });
        };
        let mut first = 0;
        for inside in by_code.chunk_by(|one, other| prefecture(one) == prefecture(other)) {
            push(AreaKind::Prefecture, first, inside);
            for city in inside.chunk_by(|one, other| designated(one) == designated(other)) {
                if designated(&city[0]).is_some() {
                    push(AreaKind::DesignatedCity, first, city);
                }
                for municipality in city.chunks(1) {
                    push(AreaKind::Municipality, first, municipality);
                    first += 1;
                }
            }
        }
        self.cities = by_code;
    }

    /// Indexes the names and readings of areas.
    fn name_areas(&mut self, cities: &[CityRow]) -> Result<(), BuildError> {
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for (number, area) in (0u32..).zip(&self.areas) {
            for letters in forms(area, cities) {
                let (weight, item) = (area.weight, item(number, letters.form));
                written.push(NamedItem { letters: letters.written, weight, item });
                read.push(NamedItem { letters: letters.reading, weight, item });
            }
        }
        self.written_areas = Beginnings::build(written, true)?;
        self.read_areas = Beginnings::build(read, true)?;
        Ok(())
    }

    /// Indexes the names and readings of towns.
    fn name_towns(
        &mut self,
        gazetteer: &Gazetteer,
        records: &[PostalRow],
    ) -> Result<(), BuildError> {
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for (item, rows) in (0u32..).zip(gazetteer.town_rows.windows(2)) {
            // The first row of a town is an area row, which has its names.
            let first = gazetteer.rows[rows[0] as usize..rows[1] as usize].first();
            let Some(row) = first.map(|row| *row as usize) else {
                self.initials.push(initial(None));
                continue;
            };
            let (name, weight) = (&records[row].town, self.weights[row]);
            let letters: Vec<Letter> = reading::letters(&name.kana).collect();
            self.initials.push(initial(letters.first().copied()));
            written.push(NamedItem { letters: key(&name.name), weight, item });
            read.push(NamedItem { letters, weight, item });
        }
        self.written_towns = Beginnings::build(written, false)?;
        self.read_towns = Beginnings::build(read, false)?;
        Ok(())
    }
}

/// The number of corporations of each row: the corporations of a code are divided evenly among its rows, rounded up.
fn corporations_by_row(records: &[PostalRow], counts: &Counts) -> Vec<u32> {
    let mut rows: HashMap<u32, u32> = HashMap::new();
    for record in records {
        *rows.entry(record.postal_code).or_default() += 1;
    }
    let share =
        |record: &PostalRow| counts.of(record.postal_code).div_ceil(rows[&record.postal_code]);
    records.iter().map(share).collect()
}

/// The weight of a count: eight steps for each power of two. Up to 15 every count has its own step.
fn level(count: u32) -> u8 {
    let Some(power) = count.checked_ilog2() else { return 0 };
    let eighths = (u64::from(count) << 3 >> power) & 7;
    // 32 powers of eight steps, less one, fit in a byte.
    (1 + 8 * power + eighths as u32).min(255) as u8
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn larger_counts_have_larger_levels() {
        let levels: Vec<u8> =
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 1_000, 1_000_000, u32::MAX].map(level).to_vec();
        assert!(levels.is_sorted(), "{levels:?}");
        assert!(levels[..12].windows(2).all(|pair| pair[0] < pair[1]), "{levels:?}");
        assert_eq!(levels[0], 0);
    }
}
