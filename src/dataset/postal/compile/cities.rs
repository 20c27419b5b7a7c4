//! The municipalities of a build: the ones in the area file, and former ones that a business or an abolished record
//! names.

use std::collections::HashMap;

use build_tools::postal::split_municipality;

use crate::compile::{CompileError, Result};
use crate::record::postal::{CityRow, CityView, Name};
use crate::text::romaji;

/// A municipality as a source names it.
#[derive(Clone, Copy)]
pub struct CityNames<'a> {
    /// JIS X 0401 and 0402, five digits.
    pub jisx0402: u32,
    pub prefecture: &'a str,
    /// Its reading; empty if the source has none.
    pub prefecture_kana: &'a str,
    pub city: &'a str,
    /// Its reading; empty if the source has none.
    pub city_kana: &'a str,
}

/// Municipalities, each once, numbered in order of first occurrence.
pub struct Cities {
    rows: Vec<CityRow>,
    numbers: HashMap<(u32, String), u16>,
    /// Whether to make Roman names.
    roman: bool,
}

impl Cities {
    pub fn new(roman: bool) -> Cities {
        Cities { rows: Vec::new(), numbers: HashMap::new(), roman }
    }

    /// The number of a municipality of the area file, which is added if it is new.
    pub fn intern_listed(&mut self, names: CityNames<'_>) -> Result<u16> {
        self.intern(names, |roman| city_row(names, true, roman))
    }

    /// The number of a municipality that only a business or an abolished record names. If it is new, it is added with
    /// the readings of the previous version, if that has it.
    pub fn intern_unlisted(
        &mut self,
        names: CityNames<'_>,
        former: &HashMap<(u32, String), CityRow>,
    ) -> Result<u16> {
        self.intern(names, |roman| match former.get(&key(names)) {
            Some(row) => CityRow { listed: false, ..row.clone() },
            None => city_row(names, false, roman),
        })
    }

    fn intern(&mut self, names: CityNames<'_>, make: impl FnOnce(bool) -> CityRow) -> Result<u16> {
        let key = key(names);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let number = u16::try_from(self.rows.len()).map_err(|_full| CompileError::TooMany {
            what: "municipalities",
            limit: u16::MAX.into(),
        })?;
        self.rows.push(make(self.roman));
        self.numbers.insert(key, number);
        Ok(number)
    }

    pub fn rows(&self) -> &[CityRow] {
        &self.rows
    }
}

/// The identity of a municipality: one code may have had several names.
fn key(names: CityNames<'_>) -> (u32, String) {
    (names.jisx0402, [names.prefecture, names.city].concat())
}

/// The municipalities of the previous version by their keys, as a source of readings.
pub fn rows_by_key<'s>(
    cities: impl Iterator<Item = CityView<'s>>,
) -> HashMap<(u32, String), CityRow> {
    let rows = cities.map(row_of_view);
    rows.map(|row| ((row.jisx0402, [&*row.prefecture.name, &row.city.name].concat()), row))
        .collect()
}

pub fn row_of_view(view: CityView<'_>) -> CityRow {
    let name = |name: crate::record::postal::view::NameView<'_>| Name {
        name: name.name.text.to_owned(),
        kana: name.kana.text.to_owned(),
        roman: name.roman.text.to_owned(),
    };
    CityRow {
        jisx0402: view.jisx0402(),
        listed: view.is_listed(),
        prefecture: name(view.prefecture()),
        city: name(view.city()),
        county: name(view.county()),
        city_without_county_and_ward: name(view.city_without_county_and_ward()),
        city_ward: name(view.city_ward()),
    }
}

fn city_row(names: CityNames<'_>, listed: bool, roman: bool) -> CityRow {
    let parts = split_municipality(names.city, names.city_kana);
    let name = |name: &str, kana: &str, romanize: fn(&str) -> String| Name {
        name: name.to_owned(),
        kana: kana.to_owned(),
        roman: if roman { romanize(kana) } else { String::new() },
    };
    let county = name(&parts.county, &parts.county_kana, romaji::romanize_county);
    let without_county_and_ward = name(
        &parts.city_without_county_and_ward,
        &parts.city_without_county_and_ward_kana,
        romaji::romanize_city,
    );
    let ward = name(&parts.city_ward, &parts.city_ward_kana, romaji::romanize_ward);
    CityRow {
        jisx0402: names.jisx0402,
        listed,
        prefecture: name(names.prefecture, names.prefecture_kana, romaji::romanize_prefecture),
        city: Name {
            name: names.city.to_owned(),
            kana: names.city_kana.to_owned(),
            roman: romaji::compose_city(&county.roman, &without_county_and_ward.roman, &ward.roman),
        },
        county,
        city_without_county_and_ward: without_county_and_ward,
        city_ward: ward,
    }
}
