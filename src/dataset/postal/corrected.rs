//! Which records and suggestions of an answer the operator's corrections changed, for the marks in answers.
//!
//! A correction names a town by its published name and code. An answer has the corrected ones, or lacks the record. So the
//! records of a correction are looked up: in the corrected data, or for one that abolishes, in the published data.

use super::PostalData;
use super::corrections::codes_of;
use super::suggest::{PlaceLevel, Suggestion};
use crate::dataset::correction::{Action, Correction};
use crate::record::postal::{CityView, PostalView};
use crate::snapshot::Result;

/// A town with a code, or with any of its codes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CorrectedTown {
    jisx0402: u32,
    town: String,
    /// `None` for any.
    code: Option<u32>,
}

impl CorrectedTown {
    /// What a correction may have changed of the record: its town with this code, or the codes of its town.
    pub fn of_record(record: PostalView<'_>) -> [CorrectedTown; 2] {
        [Some(record.postal_code()), None].map(|code| CorrectedTown::new(record, code))
    }

    fn new(record: PostalView<'_>, code: Option<u32>) -> CorrectedTown {
        let (jisx0402, town) = (record.city().jisx0402(), record.town().name.text.to_owned());
        CorrectedTown { jisx0402, town, code }
    }
}

/// The records that a correction made, or abolished.
pub struct CorrectedRecords<'s> {
    records: Vec<PostalView<'s>>,
    are_abolished: bool,
    /// Whether a municipality may have other codes than before.
    changes_codes: bool,
}

impl<'s> CorrectedRecords<'s> {
    pub fn find(
        row: &Correction,
        published: &'s PostalData,
        corrected: &'s PostalData,
    ) -> Result<CorrectedRecords<'s>> {
        let are_abolished = row.action == Action::Abolish;
        let changes_codes = row.action != Action::Change || row.value(NEW_CODE).is_some();
        let mut records = Vec::new();
        if let Some([old, new]) = codes_of(row) {
            let (data, code) = if are_abolished { (published, old) } else { (corrected, new) };
            let [_, city, town] = [0, 1, 2].map(|column| row.key[column].as_str());
            let town = row.value(NEW_TOWN).unwrap_or(town);
            records.extend(data.numbered(code)?.into_iter().map(|(_, record)| record));
            records.retain(|record| {
                let is_of_city =
                    city.is_empty() || format!("{:05}", record.city().jisx0402()) == city;
                // Offices are abolished, never changed.
                is_of_city && (are_abolished || record.corporation().is_none())
            });
            let is_of_town = |record: &PostalView<'_>| {
                [record.town().name.text, record.town_raw().text].contains(&town)
            };
            // If no record has the name, another row has renamed the town.
            if records.iter().any(is_of_town) {
                records.retain(is_of_town);
            }
        }
        Ok(CorrectedRecords { records, are_abolished, changes_codes })
    }

    /// An abolished record changed the other records of its town.
    pub fn towns(&self) -> impl Iterator<Item = CorrectedTown> + use<'_, 's> {
        let code = |record: PostalView<'_>| (!self.are_abolished).then(|| record.postal_code());
        self.records.iter().map(move |record| CorrectedTown::new(*record, code(*record)))
    }

    /// Whether a suggestion is of one of the towns, or of a larger area whose codes are not those of the published data.
    pub fn changed(&self, suggested: &Suggestion<'_>) -> bool {
        self.records.iter().any(|record| {
            let city = record.city();
            let is_of_prefecture = city.prefecture().name.text == suggested.prefecture[0];
            is_of_prefecture
                && match suggested.level {
                    PlaceLevel::Prefecture => self.changes_codes,
                    PlaceLevel::City => self.changes_codes && is_of(city, suggested.city[0]),
                    PlaceLevel::Town => is_of_town(*record, suggested),
                    PlaceLevel::Part => {
                        let is_part = suggested.postal_code == Some(record.postal_code());
                        is_of_town(*record, suggested) && (is_part || self.are_abolished)
                    }
                }
        })
    }
}

const NEW_TOWN: &str = "new_town";
const NEW_CODE: &str = "new_postal_code";

fn is_of_town(record: PostalView<'_>, suggested: &Suggestion<'_>) -> bool {
    Some(record.city().jisx0402()) == suggested.jisx0402
        && record.town().name.text == suggested.town[0]
}

/// Whether a municipality is this one, or a ward of this designated city.
fn is_of(city: CityView<'_>, name: &str) -> bool {
    [city.city(), city.city_without_county_and_ward()].iter().any(|it| it.name.text == name)
}
