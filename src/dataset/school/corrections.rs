//! What operators can correct of the schools: `school.csv`. The corrected lists are compiled as a build compiles them; there
//! are 60,000 schools.
//!
//! The municipality of a new address is found by the names of the municipalities that have schools already. The address
//! below it is not normalised: that needs the postal data of the build.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::SchoolData;
use super::compile::compile;
use super::names::name_key;
use super::record::{School, SchoolProvenance};
use crate::compile::Result;
use crate::dataset::correction::declared::{Action, CorrectedFile, Field, Need};
use crate::dataset::correction::row::{Correction, Edited, Standing, standings};
use crate::dataset::correction::values::{any_text, postal_code};
use crate::language::words;
use crate::record::owned;
use crate::record::parts::AddressPlace;
use crate::snapshot::Dataset;
use crate::text::codes::digits::{PREFECTURES, prefecture_in_roman};
use crate::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};
use crate::text::codes::{DataVersion, SchoolCode};
use crate::text::fold::{Level, folded};

const ACTIONS: &[Action] = &[Action::Add, Action::Change, Action::Abolish];
const SETTING: &[Action] = &[Action::Add, Action::Change];
const ENDING: &[Action] = &[Action::Change, Action::Abolish];

/// Main school and closed school, of [`BRANCHES`].
const MAIN: u8 = 1;
const CLOSED: u8 = 9;

pub static SCHOOLS: CorrectedFile = CorrectedFile {
    name: "school",
    record: words("school", "学校"),
    actions: ACTIONS,
    key: &[Field {
        name: "code",
        meaning: words(
            "the school code, a letter and twelve digits",
            "学校コード（英字1桁と数字12桁）",
        ),
        parse: code,
        need: Need::Always,
        set_by: ACTIONS,
        example: "B113210000011",
    }],
    members: &[
        Field {
            name: "name",
            meaning: words("its name", "学校名"),
            parse: any_text,
            need: Need::ToAdd,
            set_by: SETTING,
            example: "千代田区立新町小学校",
        },
        Field {
            name: "address",
            meaning: words("its address, with the prefecture", "所在地（都道府県から）"),
            parse: address,
            need: Need::ToAdd,
            set_by: SETTING,
            example: "",
        },
        Field {
            name: "postal_code",
            meaning: words("its postal code, seven digits", "郵便番号（7桁）"),
            parse: postal_code,
            need: Need::Never,
            set_by: SETTING,
            example: "",
        },
        Field {
            name: "branch",
            meaning: words(
                "1 main school, 2 branch; a new school is a main school if absent",
                "本分校。1は本校、2は分校。新しい学校で省略すると本校",
            ),
            parse: branch,
            need: Need::Never,
            set_by: SETTING,
            example: "",
        },
        Field {
            name: "new_code",
            meaning: words("the code of the school that it became part of", "移行後の学校コード"),
            parse: code,
            need: Need::Never,
            set_by: ENDING,
            example: "",
        },
    ],
};

fn code(text: &str) -> Result<String, &'static str> {
    let expected = "a school code: a letter and twelve digits";
    SchoolCode::parse(text).map(|code| code.to_string()).map_err(|_cause| expected)
}

fn address(text: &str) -> Result<String, &'static str> {
    match prefecture_of(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("an address that begins with its prefecture"),
    }
}

/// The code and the name of the prefecture with which an address begins.
fn prefecture_of(address: &str) -> Option<(u8, &'static str)> {
    let (code, name) = PREFECTURES.iter().find(|(_, name)| address.starts_with(name))?;
    Some((u8::try_from(*code).ok()?, name))
}

fn branch(text: &str) -> Result<String, &'static str> {
    if matches!(text, "1" | "2") { Ok(text.to_owned()) } else { Err("1 or 2") }
}

/// The school that a row is about.
pub fn school_of(row: &Correction) -> Option<SchoolCode> {
    (*row.file == SCHOOLS).then(|| SchoolCode::parse(&row.key[0]).ok()).flatten()
}

/// The schools while rows edit them, each with its municipality.
struct Schools {
    by_code: BTreeMap<u64, (AddressPlace, School)>,
    /// Every municipality with a school, by the beginning of its addresses.
    places: BTreeMap<String, AddressPlace>,
    version: DataVersion,
}

/// The data as the rows of a day make them.
pub fn edited(data: &SchoolData, rows: &[Arc<Correction>]) -> Result<Edited<'static, SchoolData>> {
    let mut schools = Schools::of(data)?;
    let standings = standings(rows, |row| Ok(schools.edit(row)))?;
    let (path, is_sample) = (data.file().path().to_owned(), data.file().is_sample());
    let provenance: SchoolProvenance = owned(data.provenance()?.root());
    let compile = move || {
        let records = schools.by_code.into_values().collect();
        let snapshot = compile(schools.version, &provenance, records)?;
        Ok(SchoolData::from_file(snapshot.of_sample(is_sample).into_memory(&path)?))
    };
    Ok(Edited { standings, compile: Some(Box::new(compile)) })
}

impl Schools {
    fn of(data: &SchoolData) -> Result<Schools> {
        let tables = data.tables()?;
        let (mut by_code, mut places) = (BTreeMap::new(), BTreeMap::new());
        for school in tables.schools.iter() {
            let Some(place) = tables.places.get(usize::from(school.place.to_native())) else {
                continue;
            };
            let place: AddressPlace = owned(place);
            let beginning = [&*place.prefecture[0], &*place.city[0]].concat();
            places.entry(beginning).or_insert_with(|| place.clone());
            by_code.insert(school.code.to_native(), (place, owned(school)));
        }
        Ok(Schools { by_code, places, version: data.version() })
    }

    fn edit(&mut self, row: &Correction) -> Standing {
        let Some(code) = school_of(row) else { return self.unknown(row) };
        let known = self.by_code.get(&code.number()).map(|(_, school)| school.clone());
        match (row.action, known) {
            (Action::Add, Some(known)) => exists(&known, row),
            (Action::Add, None) => match new_school(code) {
                Some(school) => {
                    self.put(school, row);
                    Standing::Needed
                }
                None => Standing::Wrong {
                    column: SCHOOLS.key[0].name,
                    expected: "a code whose type, prefecture and founder exist".to_owned(),
                    found: row.key_text(),
                },
            },
            (_, None) => self.unknown(row),
            (Action::Abolish, Some(known)) if known.branch == CLOSED && has_values(&known, row) => {
                Standing::CaughtUp { found: format!("{} is closed", known.name) }
            }
            (Action::Change, Some(known)) if has_values(&known, row) => {
                Standing::CaughtUp { found: format!("the data have {} by now", known.name) }
            }
            (_, Some(known)) => {
                self.put(known, row);
                Standing::Needed
            }
        }
    }

    /// Stores a school with the values of a row.
    fn put(&mut self, mut school: School, row: &Correction) {
        let before = self.by_code.remove(&school.code).map(|(place, _)| place);
        let mut place = before.unwrap_or_default();
        if let Some(name) = row.value("name") {
            (school.name, school.name_key) = (name.to_owned(), name_key(name));
        }
        if let Some(address) = row.value("address") {
            let (new_place, street) = self.split(address);
            (place, school.address) = (new_place, address.to_owned());
            (school.street, school.parts) = (folded(&street, Level::Width), Vec::new());
            school.postal_code = 0;
        }
        if let Some(code) = row.value("postal_code") {
            school.postal_code = code.parse().expect("the column accepts digits only");
        }
        if let Some(branch) = row.value("branch") {
            school.branch = branch.parse().expect("the column accepts one digit");
        }
        if let Some(code) = row.value("new_code").and_then(|code| SchoolCode::parse(code).ok()) {
            school.new_codes = vec![code.number()];
        }
        let from = row.period.from.map_or(0, DataVersion::number);
        match row.action {
            Action::Add => school.established = from,
            Action::Abolish => (school.branch, school.abolished) = (CLOSED, from),
            Action::Change | Action::Alias => {}
        }
        self.by_code.insert(school.code, (place, school));
    }

    /// The municipality of an address, and the rest of it. An address of a municipality without schools has its prefecture.
    fn split(&self, address: &str) -> (AddressPlace, String) {
        let longest = self.places.iter().filter(|(name, _)| address.starts_with(name.as_str()));
        let known = longest.max_by_key(|(name, _)| name.len());
        if let Some((name, place)) = known.filter(|(name, _)| !name.is_empty()) {
            return (place.clone(), address[name.len()..].to_owned());
        }
        let Some((number, name)) = prefecture_of(address) else {
            return (AddressPlace::default(), address.to_owned());
        };
        let roman = prefecture_in_roman(number).unwrap_or_default();
        let prefecture = [name.to_owned(), String::new(), roman.to_owned()];
        let code = u32::from(number) * 1_000;
        let place = AddressPlace { code, prefecture, city: Default::default() };
        (place, address[name.len()..].to_owned())
    }

    fn unknown(&self, row: &Correction) -> Standing {
        Standing::Wrong {
            column: SCHOOLS.key[0].name,
            expected: format!("a code of the data of {}", self.version),
            found: format!("{}, which no school has", row.key_text()),
        }
    }
}

/// A school without name and address. Its code says its type, prefecture and founder.
fn new_school(code: SchoolCode) -> Option<School> {
    let text = code.to_string();
    let letter = text.bytes().next()? - b'A' + 1;
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u8>().ok();
    let (school_type, prefecture) =
        (letter.checked_mul(10)?.checked_add(number(1..2)?)?, number(2..4)?);
    let establishment = number(4..5)?;
    let is_known = |known: &[(u16, &str)], code: u8| known.iter().any(|it| it.0 == u16::from(code));
    let is_sound = is_known(&TYPES, school_type)
        && is_known(&ESTABLISHMENTS, establishment)
        && is_known(&BRANCHES, MAIN)
        && (1..=47).contains(&prefecture);
    is_sound.then(|| School {
        code: code.number(),
        school_type,
        prefecture,
        establishment,
        branch: MAIN,
        ..School::default()
    })
}

/// Whether a school has every value of a row.
fn has_values(school: &School, row: &Correction) -> bool {
    let postal_code = format!("{:07}", school.postal_code);
    let branch = school.branch.to_string();
    let has_new_code = |code: &str| {
        SchoolCode::parse(code).is_ok_and(|code| school.new_codes.contains(&code.number()))
    };
    [
        ("name", school.name.as_str()),
        ("address", school.address.as_str()),
        ("postal_code", postal_code.as_str()),
        ("branch", branch.as_str()),
    ]
    .into_iter()
    .all(|(name, known)| row.value(name).is_none_or(|value| value == known))
        && row.value("new_code").is_none_or(has_new_code)
}

/// A row adds what the data have already.
fn exists(known: &School, row: &Correction) -> Standing {
    if has_values(known, row) {
        return Standing::CaughtUp { found: format!("the data have {} by now", known.name) };
    }
    Standing::Wrong {
        column: SCHOOLS.key[0].name,
        expected: "a code that the data do not have yet; correct the record with change".to_owned(),
        found: format!("{}, which is {}", row.key_text(), known.name),
    }
}
