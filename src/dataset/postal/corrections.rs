//! What operators can correct of the postal codes: the codes and the names of towns, in `postal.csv`. The corrected records
//! are compiled as a build compiles them, with the weights and the coordinates of the published ones.
//!
//! Municipalities, and the names, lots and buildings of large businesses, are as published. The list of the month's changes
//! does not have the corrections either: it says what the publisher changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PostalData;
use super::compile::cities::row_of_view;
use super::compile::rows::owned_record;
use super::compile::{Derived, write_records};
use crate::address::gazetteer::Gazetteer;
use crate::address::points::Points;
use crate::address::suggest::Suggestions;
use crate::compile::{CompileError, Result};
use crate::dataset::correction::declared::{Action, CorrectedFile, Field, Need};
use crate::dataset::correction::row::{Correction, Edited, Standing, standings};
use crate::dataset::correction::values::{any_text, digits, postal_code};
use crate::language::words;
use crate::record::postal::{
    CityRow, Name, PostalProvenance, PostalRow, PostalView, TownFlags, UpdateReason, UpdateStatus,
    tag,
};
use crate::snapshot::{Dataset, SnapshotWriter};
use crate::text::kana::is_katakana;
use crate::text::romaji;

const ACTIONS: &[Action] = &[Action::Add, Action::Change, Action::Abolish];

pub static TOWNS: CorrectedFile = CorrectedFile {
    name: "postal",
    record: words("postal code", "郵便番号"),
    actions: ACTIONS,
    key: &[
        Field {
            name: "postal_code",
            meaning: words("the postal code, seven digits", "郵便番号（7桁）"),
            parse: postal_code,
            need: Need::Always,
            set_by: ACTIONS,
            example: "1000001",
        },
        Field {
            name: "city_code",
            meaning: words(
                "the code of the municipality, five digits; may be absent if the code is of one",
                "市区町村コード（5桁）。郵便番号が1つの市区町村のものなら省略できる",
            ),
            parse: digits::<5>,
            need: Need::ToAdd,
            set_by: ACTIONS,
            example: "13101",
        },
        Field {
            name: "town",
            meaning: words(
                "the town; if absent, every town of the code",
                "町域名。省略するとその番号のすべての町域",
            ),
            parse: any_text,
            need: Need::ToAdd,
            set_by: ACTIONS,
            example: "千代田",
        },
    ],
    members: &[
        Field {
            name: "new_town",
            meaning: words("the new name of the town", "新しい町域名"),
            parse: any_text,
            need: Need::Never,
            set_by: &[Action::Change],
            example: "新千代田",
        },
        Field {
            name: "town_kana",
            meaning: words("the reading of the town in katakana", "町域名の読み（カタカナ）"),
            parse: katakana,
            need: Need::ToAddAndWith("new_town"),
            set_by: &[Action::Add, Action::Change],
            example: "シンチヨダ",
        },
        Field {
            name: "new_postal_code",
            meaning: words("the new postal code of the town", "町域の新しい郵便番号"),
            parse: postal_code,
            need: Need::Never,
            set_by: &[Action::Change],
            example: "",
        },
    ],
};

fn katakana(text: &str) -> Result<String, &'static str> {
    let is_read = |letter: char| {
        is_katakana(letter) || matches!(letter, 'ー' | '・' | '０'..='９' | '0'..='9')
    };
    if text.chars().all(is_read) { Ok(text.to_owned()) } else { Err("a reading in katakana") }
}

/// The postal codes that a row is about: that of its key, and the new one.
pub fn codes_of(row: &Correction) -> Option<[u32; 2]> {
    let code = number(&row.key[0]);
    (*row.file == TOWNS).then(|| [code, row.value("new_postal_code").map_or(code, number)])
}

fn number(code: &str) -> u32 {
    code.parse().expect("the column accepts digits only")
}

/// A published record, to be edited.
fn owned(view: PostalView<'_>) -> PostalRow {
    owned_record(view, u16::try_from(view.city_number()).expect("checked when it was built"))
}

/// The published records while rows edit them.
struct Records<'s> {
    data: &'s PostalData,
    cities: Vec<CityRow>,
    /// What became of published rows; `None` for one that does not exist any more.
    edits: BTreeMap<u32, Option<PostalRow>>,
    added: Vec<PostalRow>,
    provenance: PostalProvenance,
}

/// The data as the rows of a day make them.
pub fn edited<'s>(
    data: &'s PostalData,
    rows: &[Arc<Correction>],
) -> Result<Edited<'s, PostalData>> {
    let cities = data.all_cities()?.map(row_of_view).collect();
    let provenance: PostalProvenance = crate::record::owned(data.provenance()?.root());
    let (edits, added) = (BTreeMap::new(), Vec::new());
    let mut records = Records { data, cities, edits, added, provenance };
    let standings = standings(rows, |row| records.edit(row))?;
    Ok(Edited { standings, compile: Some(Box::new(move || records.compile())) })
}

impl Records<'_> {
    fn edit(&mut self, row: &Correction) -> Result<Standing> {
        let found = self.find(number(&row.key[0]), &row.key[1], &row.key[2])?;
        Ok(match row.action {
            Action::Add if !found.is_empty() => {
                Standing::CaughtUp { found: format!("the data have {} by now", row.key_text()) }
            }
            Action::Add => self.add(row),
            Action::Abolish if found.is_empty() => self.gone(row),
            Action::Abolish => {
                self.edits.extend(found.into_iter().map(|(row, _)| (row, None)));
                Standing::Needed
            }
            Action::Change | Action::Alias => {
                let of_town = |(_, record): &(u32, PostalRow)| record.corporation.is_none();
                let found: Vec<_> = found.into_iter().filter(of_town).collect();
                match found.is_empty() {
                    true => self.changed_already(row)?,
                    false => self.change(row, found),
                }
            }
        })
    }

    /// The rows of a code as they are by now, of one municipality and town if these are given.
    fn find(&self, code: u32, city: &str, town: &str) -> Result<Vec<(u32, PostalRow)>> {
        let is_wanted = |record: &PostalRow| {
            let of_city = &self.cities[usize::from(record.city)];
            let has_city = city.is_empty() || of_city.jisx0402 == number(city);
            has_city && (town.is_empty() || record.town.name == town || record.town_raw == town)
        };
        let published = self.data.numbered(code)?.into_iter();
        let unedited = published.filter(|(row, _)| !self.edits.contains_key(row));
        let unedited = unedited.map(|(row, view)| (row, owned(view)));
        let edited = self.edits.iter().filter_map(|(row, record)| Some((*row, record.clone()?)));
        let edited = edited.filter(|(_, record)| record.postal_code == code);
        Ok(unedited.chain(edited).filter(|(_, record)| is_wanted(record)).collect())
    }

    fn add(&mut self, row: &Correction) -> Standing {
        let code = number(&row.key[1]);
        let city = self.cities.iter().position(|city| city.listed && city.jisx0402 == code);
        let Some(city) = city else {
            return Standing::Wrong {
                column: TOWNS.key[1].name,
                expected: format!("a municipality of the data of {}", self.data.version()),
                found: row.key[1].clone(),
            };
        };
        let kana = row.value("town_kana").unwrap_or_default();
        let town = &row.key[2];
        let is_known = self.added.iter().any(|it| {
            it.postal_code == number(&row.key[0])
                && it.town.name == *town
                && usize::from(it.city) == city
        });
        if !is_known {
            self.added.push(PostalRow {
                postal_code: number(&row.key[0]),
                city: u16::try_from(city).expect("fewer municipalities than that"),
                old_code: String::new(),
                town: self.town(town, kana),
                town_raw: town.clone(),
                town_kana_raw: kana.to_owned(),
                koaza: String::new(),
                kyoto_street: String::new(),
                building: String::new(),
                floor: String::new(),
                flags: TownFlags::default(),
                update_status: UpdateStatus::Unchanged,
                update_reason: UpdateReason::None,
                corporation: None,
            });
        }
        Standing::Needed
    }

    fn town(&self, name: &str, kana: &str) -> Name {
        let roman = self.provenance.roman.then(|| romaji::romanize_town(kana, name));
        let (name, kana) = (name.to_owned(), kana.to_owned());
        Name { name, kana, roman: roman.unwrap_or_default() }
    }

    fn change(&mut self, row: &Correction, found: Vec<(u32, PostalRow)>) -> Standing {
        for (number_of_row, mut record) in found {
            if let Some(town) = row.value("new_town") {
                let kana = row.value("town_kana").unwrap_or_default();
                record.town = self.town(town, kana);
                (record.town_raw, record.town_kana_raw) = (town.to_owned(), kana.to_owned());
            } else if let Some(kana) = row.value("town_kana") {
                record.town = self.town(&record.town.name, kana);
            }
            if let Some(code) = row.value("new_postal_code") {
                record.postal_code = number(code);
            }
            self.edits.insert(number_of_row, Some(record));
        }
        Standing::Needed
    }

    /// A row changes what the data do not have: perhaps they have what it makes of it.
    fn changed_already(&self, row: &Correction) -> Result<Standing> {
        let code = row.value("new_postal_code").unwrap_or(&row.key[0]);
        let town = row.value("new_town").unwrap_or(&row.key[2]);
        let is_new = code != row.key[0] || town != row.key[2];
        let found = self.find(number(code), &row.key[1], town)?;
        Ok(match is_new && !found.is_empty() {
            true => Standing::CaughtUp { found: format!("the data have {code} {town} by now") },
            false => self.unknown(row),
        })
    }

    fn gone(&self, row: &Correction) -> Standing {
        match row.period.from.is_none_or(|from| from <= self.data.version()) {
            true => Standing::CaughtUp {
                found: format!("the data of {} do not have it either", self.data.version()),
            },
            false => self.unknown(row),
        }
    }

    fn unknown(&self, row: &Correction) -> Standing {
        Standing::Wrong {
            column: TOWNS.key[0].name,
            expected: format!("a record of a town of the data of {}", self.data.version()),
            found: format!("{}, which they do not have", row.key_text()),
        }
    }

    fn compile(self) -> Result<PostalData> {
        let Records { data, cities, mut edits, added, provenance } = self;
        let mut current: Vec<(Option<u32>, PostalRow)> = Vec::new();
        for (number, view) in (0u32..).zip(data.records()?) {
            let record = edits.remove(&number).unwrap_or_else(|| Some(owned(view)));
            current.extend(record.map(|record| (Some(number), record)));
        }
        current.extend(added.into_iter().map(|record| (None, record)));
        current.sort_by_cached_key(|(_, record)| record.area_order(&cities));
        let (row_before, current): (Vec<Option<u32>>, Vec<PostalRow>) = current.into_iter().unzip();
        let abolished = data.updates()?.filter(|it| it.update_status() == UpdateStatus::Abolished);
        let abolished = abolished.map(owned).collect();
        let gazetteer = Gazetteer::build(&cities, &current);
        let (before, reference) = (data.suggestions()?, data.reference()?);
        let suggestions =
            Suggestions::carried_over(before, &gazetteer, &cities, &current, &row_before);
        let suggestions = suggestions.map_err(|fault| CompileError::Index(fault.to_string()))?;
        let points = data.points()?.map(|points| {
            Points::carried_over(points, reference.gazetteer, &gazetteer, &row_before)
        });
        let mut snapshot = SnapshotWriter::new(PostalData::KIND, data.version());
        snapshot.archive(tag::PROVENANCE, &provenance)?;
        let derived = Derived { gazetteer, suggestions, points };
        write_records(&mut snapshot, &cities, current, abolished, derived)?;
        let file = data.file();
        let snapshot = snapshot.of_sample(file.is_sample()).into_memory(file.path())?;
        Ok(PostalData::from_file(snapshot))
    }
}
