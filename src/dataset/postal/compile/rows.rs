//! Converts the rows of the sources to the records of a snapshot.

use std::collections::HashMap;

use build_tools::postal::{
    AddressingRow, AreaRecord, AreaRow, BusinessRow, expand_area, expand_area_among,
};

use super::block_lot::parse_block_lot;
use super::changes::{Changes, Mark};
use super::cities::{Cities, CityNames, rows_by_key};
use super::readings::{Readings, fold_town, without_oaza};
use crate::compile::Result;
use crate::dataset::postal::PostalData;
use crate::record::postal::{CityRow, CorporationRow, Name, PostalRow, PostalView, TownFlags};
use crate::text::romaji;

pub struct Assembly {
    pub cities: Cities,
    pub current: Vec<PostalRow>,
    pub abolished: Vec<PostalRow>,
    /// Whether to make Roman names.
    roman: bool,
    /// Whether a town has 住居表示 (residence indication), by municipality and folded town.
    residence_indication: HashMap<(u32, String), bool>,
    /// The municipalities of the previous version, by code and name.
    former_cities: HashMap<(u32, String), CityRow>,
    readings: Readings,
}

impl Assembly {
    /// An assembly of about `expected` records.
    pub fn new(
        expected: usize,
        roman: bool,
        addressing: Vec<AddressingRow>,
        previous: Option<&PostalData>,
    ) -> Result<Assembly> {
        let cities = previous.map(PostalData::all_cities).transpose()?;
        let mut residence_indication = HashMap::new();
        for row in addressing {
            let names = [row.town.as_str(), without_oaza(&row.town)];
            for name in names.map(fold_town) {
                residence_indication
                    .entry((row.jisx0402, name))
                    .or_insert(row.residence_indication);
            }
        }
        Ok(Assembly {
            cities: Cities::new(roman),
            // A list that grows is copied, and for a while both copies take memory.
            current: Vec::with_capacity(expected),
            abolished: Vec::new(),
            roman,
            residence_indication,
            former_cities: cities.map(rows_by_key).unwrap_or_default(),
            readings: Readings::default(),
        })
    }

    pub fn add_area(&mut self, rows: &[AreaRow], changes: &Changes<'_, AreaRow>) -> Result<()> {
        for record in expand_area(rows) {
            let row = &rows[record.row];
            let city = self.cities.intern_listed(area_city(row))?;
            let mark = changes.marks[record.row];
            let record = self.area_record(row, record, city, mark);
            self.readings.add_town(row.jisx0402, &record.town.name, &record.town.kana);
            self.current.push(record);
        }
        let removed: Vec<AreaRow> = changes.removed.iter().map(|row| (*row).clone()).collect();
        for record in expand_area_among(&removed, rows) {
            let row = &removed[record.row];
            let city = self.cities.intern_unlisted(area_city(row), &self.former_cities)?;
            let record = self.area_record(row, record, city, Mark::ABOLISHED);
            self.abolished.push(record);
        }
        self.add_abolished(&changes.abolished)
    }

    /// Adds the records of the business file. The area file must come first, since its towns give readings.
    pub fn add_business(
        &mut self,
        rows: &[BusinessRow],
        changes: &Changes<'_, BusinessRow>,
    ) -> Result<()> {
        for (row, mark) in rows.iter().zip(&changes.marks) {
            let record = self.business_record(row, *mark)?;
            self.current.push(record);
        }
        for row in &changes.removed {
            let record = self.business_record(row, Mark::ABOLISHED)?;
            self.abolished.push(record);
        }
        self.add_abolished(&changes.abolished)
    }

    /// The towns of businesses without a known reading, each after its municipality.
    pub fn towns_without_reading(&self) -> Vec<String> {
        let cities = self.cities.rows();
        let city = |code| cities.iter().find(|city| city.jisx0402 == code);
        let with_city = |(code, town)| {
            let city = city(code).map_or("", |city| city.city.name.as_str());
            [city, town].concat()
        };
        self.readings.unknown().map(with_city).collect()
    }

    /// Area order; rows of the same municipality and file stay in the order of the source.
    pub fn sort(&mut self) {
        let cities = self.cities.rows();
        // Cached keys: a stable sort of the rows themselves would copy half of them.
        self.current.sort_by_cached_key(|row| row.area_order(cities));
    }

    fn area_record(&self, row: &AreaRow, record: AreaRecord, city: u16, mark: Mark) -> PostalRow {
        let AreaRecord { row: _, town, town_kana, koaza, kyoto_street, building, floor } = record;
        let flags = TownFlags {
            partial: row.town_partial,
            addressed_koaza: row.town_addressed_koaza,
            chome: row.town_chome,
            multi: row.town_multi,
            jukyohyoji: self.has_residence_indication(row.jisx0402, &town),
        };
        let roman = self.roman.then(|| romaji::romanize_town(&town_kana, &town));
        PostalRow {
            postal_code: row.postal_code,
            city,
            old_code: row.old_code.clone(),
            town: Name { name: town, kana: town_kana, roman: roman.unwrap_or_default() },
            town_raw: row.town_raw.clone(),
            town_kana_raw: row.town_kana_raw.clone(),
            koaza,
            kyoto_street,
            building,
            floor,
            flags,
            update_status: mark.status,
            update_reason: mark.reason,
            corporation: None,
        }
    }

    fn business_record(&mut self, row: &BusinessRow, mark: Mark) -> Result<PostalRow> {
        let names = CityNames {
            jisx0402: row.jisx0402,
            prefecture: &row.prefecture,
            prefecture_kana: "",
            city: &row.city,
            city_kana: "",
        };
        let city = self.cities.intern_unlisted(names, &self.former_cities)?;
        let parsed = parse_block_lot(row);
        let is_street = !row.town.is_empty() && row.town == parsed.kyoto_street;
        let town = match row.town.is_empty() || is_street {
            true => self.readings.leading_town(row.jisx0402, &row.block_lot),
            false => &row.town,
        };
        let jukyohyoji = self.has_residence_indication(row.jisx0402, town);
        Ok(PostalRow {
            postal_code: row.postal_code,
            city,
            old_code: row.old_code.clone(),
            town: self.readings.town_name(row.jisx0402, town, self.roman),
            town_raw: row.town.clone(),
            // The business file prints no readings.
            town_kana_raw: String::new(),
            koaza: String::new(),
            kyoto_street: parsed.kyoto_street,
            building: parsed.building,
            floor: parsed.floor,
            flags: TownFlags { jukyohyoji, ..TownFlags::default() },
            update_status: mark.status,
            update_reason: mark.reason,
            corporation: Some(Box::new(CorporationRow {
                name: row.name.clone(),
                name_kana: row.name_kana.clone(),
                block_lot: row.block_lot.clone(),
                block_lot_num: parsed.block_lot_num,
                post_office: row.post_office.clone(),
                post_office_box: row.post_office_box,
            })),
        })
    }

    /// Adds records of the previous version that no longer exist.
    fn add_abolished(&mut self, records: &[PostalView<'_>]) -> Result<()> {
        for record in records {
            let city = record.city();
            let names = CityNames {
                jisx0402: city.jisx0402(),
                prefecture: city.prefecture().name.text,
                prefecture_kana: city.prefecture().kana.text,
                city: city.city().name.text,
                city_kana: city.city().kana.text,
            };
            let city = self.cities.intern_unlisted(names, &self.former_cities)?;
            self.abolished.push(abolished_record(*record, city));
        }
        Ok(())
    }

    fn has_residence_indication(&self, jisx0402: u32, town: &str) -> bool {
        if self.residence_indication.is_empty() || town.is_empty() {
            return false;
        }
        self.residence_indication.get(&(jisx0402, fold_town(town))).copied().unwrap_or(false)
    }
}

fn area_city(row: &AreaRow) -> CityNames<'_> {
    CityNames {
        jisx0402: row.jisx0402,
        prefecture: &row.prefecture,
        prefecture_kana: &row.prefecture_kana,
        city: &row.city,
        city_kana: &row.city_kana,
    }
}

fn abolished_record(record: PostalView<'_>, city: u16) -> PostalRow {
    PostalRow {
        update_status: Mark::ABOLISHED.status,
        update_reason: Mark::ABOLISHED.reason,
        ..owned_record(record, city)
    }
}

/// A stored record as a row, of the municipality with this index.
pub fn owned_record(record: PostalView<'_>, city: u16) -> PostalRow {
    let owned = |text: crate::record::Text<'_>| text.text.to_owned();
    let town = record.town();
    PostalRow {
        postal_code: record.postal_code(),
        city,
        old_code: owned(record.old_code()),
        town: Name { name: owned(town.name), kana: owned(town.kana), roman: owned(town.roman) },
        town_raw: owned(record.town_raw()),
        town_kana_raw: owned(record.town_kana_raw()),
        koaza: owned(record.koaza()),
        kyoto_street: owned(record.kyoto_street()),
        building: owned(record.building()),
        floor: owned(record.floor()),
        flags: record.flags(),
        update_status: record.update_status(),
        update_reason: record.update_reason(),
        corporation: record.corporation().map(|corporation| {
            Box::new(CorporationRow {
                name: owned(corporation.name()),
                name_kana: owned(corporation.name_kana()),
                block_lot: owned(corporation.block_lot()),
                block_lot_num: corporation.block_lot_num().map(owned),
                post_office: owned(corporation.post_office()),
                post_office_box: corporation.post_office_box(),
            })
        }),
    }
}
