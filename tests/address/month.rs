//! The real month that the sweeps read: built once by the program, opened in process, and indexed by
//! town.
//!
//! The expected values of a sweep come from these records and from docs/rules.md#addresses, never from
//! the normaliser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::Dataset;

use crate::shared_data::official;
use crate::writing;

const VERSION: &str = "2026-05-29";

/// The opened snapshot and its records.
pub struct Month {
    /// The snapshot under test.
    pub data: &'static PostalData,
    /// Current records; a record's index is its row number.
    pub rows: Vec<Row>,
    /// Towns by municipality and name.
    pub towns: Vec<Town>,
    by_name: BTreeMap<(usize, &'static str), usize>,
    by_writing: BTreeMap<(usize, String), Vec<usize>>,
    by_code: BTreeMap<u32, Vec<usize>>,
}

/// A municipality and its names; an absent name is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct City {
    pub number: usize,
    pub prefecture: &'static str,
    pub county: &'static str,
    pub city: &'static str,
    pub ward: &'static str,
    /// County, city and ward together.
    pub full: &'static str,
}

/// A postal record.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub code: u32,
    pub city: City,
    pub town: &'static str,
    /// The town column as the source prints it.
    pub printed: &'static str,
    pub koaza: &'static str,
    pub street: &'static str,
    pub building: &'static str,
    pub floor: &'static str,
    pub chome: bool,
    pub business: Option<Business>,
}

/// The further fields of a large business.
#[derive(Debug, Clone, Copy)]
pub struct Business {
    pub name: &'static str,
    pub block_lot: &'static str,
    pub block_lot_num: Option<&'static str>,
    pub box_number: bool,
}

/// A town and the area records that name it.
#[derive(Debug)]
pub struct Town {
    pub city: City,
    pub name: &'static str,
    /// Indexes of its rows without building and business.
    pub area: Vec<usize>,
}

impl Row {
    /// Whether the printed town restricts the row to some lots of the chome or koaza.
    pub fn has_numbers(&self) -> bool {
        let mut digits = self.printed.split(|c: char| !('０'..='９').contains(&c));
        let is_counted = digits.any(|run| {
            let end = self.printed.find(run).unwrap_or(0) + run.len();
            let rest = &self.printed[end..];
            !run.is_empty()
                && !["丁目", "地割", "、", "〜", "～", "）"]
                    .iter()
                    .any(|word| rest.starts_with(word))
        });
        is_counted || self.printed.contains(['番', '号', '「'])
    }

    /// Whether the row is of an area, not of a building or a business.
    pub fn is_area(&self) -> bool {
        self.business.is_none() && self.building.is_empty()
    }
}

/// The month.
pub fn month() -> &'static Month {
    static MONTH: OnceLock<Month> = OnceLock::new();
    MONTH.get_or_init(Month::build)
}

impl Month {
    fn build() -> Month {
        let area = official("postal/2026-05/utf_ken_all.csv.xz");
        let business = official("postal/2026-05/JIGYOSYO.CSV.xz");
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("address-month");
        let output = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "postal", "--version", VERSION, "--area"])
            .arg(area)
            .arg("--business")
            .arg(business)
            .arg("--out")
            .arg(&out)
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let path = out.join("postal").join(format!("{VERSION}.daicho"));
        let file = PostalData::open_in_catalog(&path).expect("just built");
        // Leaked, so that every test of the binary borrows from one snapshot.
        let data: &'static PostalData = Box::leak(Box::new(PostalData::from_file(file)));
        Month::index(data)
    }

    /// Indexes the records of a snapshot.
    fn index(data: &'static PostalData) -> Month {
        let rows: Vec<Row> = data.records().expect("sound").map(row).collect();
        let mut towns: Vec<Town> = Vec::new();
        let mut by_name: BTreeMap<(usize, &'static str), usize> = BTreeMap::new();
        let mut by_code: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, row) in rows.iter().enumerate() {
            by_code.entry(row.code).or_default().push(number);
            if row.business.is_some() || row.town.is_empty() {
                continue;
            }
            let town = *by_name.entry((row.city.number, row.town)).or_insert_with(|| {
                towns.push(Town { city: row.city, name: row.town, area: Vec::new() });
                towns.len() - 1
            });
            if row.building.is_empty() {
                towns[town].area.push(number);
            }
        }
        let mut by_writing: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        for (number, town) in towns.iter().enumerate() {
            let key = (town.city.number, writing::canonical(town.name));
            by_writing.entry(key).or_default().push(number);
        }
        Month { data, rows, towns, by_name, by_writing, by_code }
    }

    /// A town by its exact name.
    pub fn town(&self, city: City, name: &str) -> Option<&Town> {
        let found = self.by_name.range((city.number, "")..=(city.number, "\u{10FFFF}"));
        let mut found = found.filter(|((_, town), _)| *town == name);
        found.next().map(|(_, number)| &self.towns[*number])
    }

    /// The town that a source writes as `name`, which may begin with 大字 or use variant characters;
    /// `None` if no town matches or more than one.
    pub fn town_written(&self, city: City, name: &str) -> Option<&Town> {
        if let Some(town) = self.town(city, name) {
            return Some(town);
        }
        let bare = name.strip_prefix("大字").or_else(|| name.strip_prefix("字")).unwrap_or(name);
        match self.by_writing.get(&(city.number, writing::canonical(bare)))?.as_slice() {
            [town] => Some(&self.towns[*town]),
            _ => None,
        }
    }

    /// The rows of a postal code.
    pub fn of_code(&self, code: u32) -> impl Iterator<Item = &Row> {
        self.by_code.get(&code).into_iter().flatten().map(|row| &self.rows[*row])
    }

    /// The postal codes of a town's area rows.
    pub fn codes(&self, town: &Town) -> BTreeSet<u32> {
        town.area.iter().map(|row| self.rows[*row].code).collect()
    }

    /// The postal codes of a lot whose first number is `chome`: those of the rows of that chome, else of
    /// the rows without koaza, else of all rows. If a row of the chome covers only some numbers, the
    /// codes of the other rows are right too.
    pub fn codes_of_chome(&self, town: &Town, chome: u32) -> BTreeSet<u32> {
        let area = town.area.iter().map(|row| &self.rows[*row]);
        let of = |fits: &dyn Fn(&Row) -> bool| -> BTreeSet<u32> {
            area.clone().filter(|row| fits(row)).map(|row| row.code).collect()
        };
        let is_chome = |row: &Row| chome_number(row.koaza) == Some(chome);
        let mut named = of(&is_chome);
        if named.iter().any(|code| area.clone().any(|row| row.code == *code && row.has_numbers())) {
            named.extend(of(&|row| !is_chome(row)));
        }
        if !named.is_empty() {
            return named;
        }
        let plain = of(&|row| row.koaza.is_empty());
        if plain.is_empty() { of(&|_| true) } else { plain }
    }

    /// The municipalities, in the order of their numbers.
    pub fn cities(&self) -> BTreeSet<City> {
        self.rows.iter().map(|row| row.city).collect()
    }
}

fn row(view: daicho::record::postal::PostalView<'static>) -> Row {
    let city = view.city();
    Row {
        code: view.postal_code(),
        city: City {
            number: view.city_number(),
            prefecture: city.prefecture().name.text,
            county: city.county().name.text,
            city: city.city_without_county_and_ward().name.text,
            ward: city.city_ward().name.text,
            full: city.city().name.text,
        },
        town: view.town().name.text,
        printed: view.town_raw().text,
        koaza: view.koaza().text,
        street: view.kyoto_street().text,
        building: view.building().text,
        floor: view.floor().text,
        chome: view.flags().chome,
        business: view.corporation().map(|business| Business {
            name: business.name().text,
            block_lot: business.block_lot().text,
            block_lot_num: business.block_lot_num().map(|number| number.text),
            box_number: business.post_office_box(),
        }),
    }
}

/// 3 of `３丁目`; `None` for anything else.
pub fn chome_number(koaza: &str) -> Option<u32> {
    let digits = koaza.strip_suffix("丁目")?;
    let mut number = 0;
    for digit in digits.chars() {
        let value = u32::from(digit).checked_sub(u32::from('０')).filter(|value| *value < 10)?;
        number = number * 10 + value;
    }
    (!digits.is_empty()).then_some(number)
}
