//! The added columns: the components of the address, the check of its postal code, and the columns of `--add`.
//!
//! Names the columns and returns their values; does not know how a row is written.

use super::english::english_line;
use super::placement::{self, CorrectedComponent};
use crate::address::{Address, Component, Degrees, Point};
use crate::dataset::postal::address_search::AddressNames;
use crate::record::postal::view::NameView;
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// What `--add` adds.
    pub enum Addition {
        /// The code of the municipality, five digits.
        Jisx0402 = "jisx0402",
        Kana = "kana",
        Roman = "roman",
        /// The whole address in one line, as its parts were read.
        Full = "full",
        /// Where a part is another name than the one that was written.
        Corrections = "corrections",
        /// Other places that the address may mean, with their codes.
        Candidates = "candidates",
        /// Text that belongs to no component.
        Unplaced = "unplaced",
        /// The address in English, smaller parts first.
        English = "english",
        /// Latitude, longitude, and the kind of place.
        Point = "point",
    }
}

/// The column that says whether the address agrees with the postal code in the file.
pub const CHECK: &str = "postal_code_check";

/// The components that have readings, each with the columns of its kana and its Roman letters.
const READINGS: [(Component, &str, &str); 5] = [
    (Component::Prefecture, "prefecture_kana", "prefecture_roman"),
    (Component::County, "county_kana", "county_roman"),
    (Component::City, "city_kana", "city_roman"),
    (Component::CityWard, "city_ward_kana", "city_ward_roman"),
    (Component::Town, "town_kana", "town_roman"),
];

/// The columns of a point: its degrees, and what the coordinates stand for.
const POINT: [&str; 3] = ["lat", "lon", "level"];

impl Addition {
    fn columns(self) -> Vec<&'static str> {
        match self {
            Addition::Kana => READINGS.map(|(_, kana, _)| kana).to_vec(),
            Addition::Roman => READINGS.map(|(_, _, roman)| roman).to_vec(),
            Addition::Point => POINT.to_vec(),
            _ => vec![self.name()],
        }
    }
}

/// Which columns are added after the columns of the input.
#[derive(Debug, Clone, Default)]
pub struct AddedColumns {
    /// Whether a postal code of the file is checked.
    pub check: bool,
    pub additions: Vec<Addition>,
}

impl AddedColumns {
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        let additions = self.additions.iter().flat_map(|addition| addition.columns());
        placement::column_names().chain(self.check.then_some(CHECK)).chain(additions)
    }

    /// Calls `visit` with each value of `--add` and the name of its column.
    pub fn for_each_value(
        &self,
        row: &RowResult<'_>,
        mut visit: impl FnMut(&'static str, Value<'_>),
    ) {
        for &addition in &self.additions {
            match addition {
                Addition::Jisx0402 => visit(addition.name(), Value::Code(row.jisx0402())),
                Addition::Kana | Addition::Roman => {
                    for (part, kana, roman) in READINGS {
                        let name = row.name(part);
                        let (column, reading) = match addition {
                            Addition::Kana => (kana, name.map(|name| name.kana)),
                            _ => (roman, name.map(|name| name.roman)),
                        };
                        let reading = reading.map(|reading| reading.text);
                        visit(column, Value::Text(reading.filter(|text| !text.is_empty())));
                    }
                }
                Addition::Full => {
                    let line = row.address.map(full_address).filter(|line| !line.is_empty());
                    visit(addition.name(), Value::Text(line.as_deref()));
                }
                Addition::Corrections => visit(addition.name(), Value::Corrections(row.corrected)),
                Addition::Candidates => visit(addition.name(), Value::Text(row.doubt.candidates())),
                Addition::Unplaced => visit(addition.name(), Value::Text(row.doubt.unplaced())),
                Addition::English => {
                    let roman = |part| row.name(part).map(|name| name.roman.text);
                    let roman = |part| roman(part).filter(|name| !name.is_empty());
                    let line = english_line(row.address, roman, row.code);
                    visit(addition.name(), Value::Text(line.as_deref()));
                }
                Addition::Point => {
                    let [lat, lon, level] = POINT;
                    visit(lat, Value::Degrees(row.point.map(|point| point.lat)));
                    visit(lon, Value::Degrees(row.point.map(|point| point.lon)));
                    visit(level, Value::Text(row.point.map(|point| point.level.name())));
                }
            }
        }
    }
}

/// A value of a column of `--add`.
pub enum Value<'a> {
    Text(Option<&'a str>),
    /// A municipality's code, written with five digits.
    Code(Option<u32>),
    Degrees(Option<Degrees>),
    Corrections(&'a [CorrectedComponent]),
}

/// The result for one row, from which the added values are read.
pub struct RowResult<'a> {
    /// `None` if the row has no address.
    pub address: Option<&'a Address>,
    pub names: AddressNames<'a>,
    pub corrected: &'a [CorrectedComponent],
    /// `None` if the address has no point, or if no point was requested.
    pub point: Option<Point>,
    /// The postal code that was found: seven digits.
    pub code: Option<&'a [u8; 7]>,
    pub doubt: &'a DoubtTexts,
}

/// What is doubtful about a row, in one line each; empty if it was not requested.
#[derive(Debug, Default)]
pub struct DoubtTexts {
    pub candidates: String,
    pub unplaced: String,
}

impl DoubtTexts {
    fn candidates(&self) -> Option<&str> {
        Some(self.candidates.as_str()).filter(|text| !text.is_empty())
    }

    fn unplaced(&self) -> Option<&str> {
        Some(self.unplaced.as_str()).filter(|text| !text.is_empty())
    }
}

impl<'a> RowResult<'a> {
    fn jisx0402(&self) -> Option<u32> {
        self.names.city.filter(|_| self.names.is_only_city).map(|city| city.jisx0402())
    }

    /// The official name of this component; for a town without a following aza.
    fn name(&self, part: Component) -> Option<NameView<'a>> {
        let city = self.names.city;
        let name = match part {
            Component::Prefecture => city?.prefecture(),
            Component::County => city?.county(),
            Component::City => city?.city_without_county_and_ward(),
            Component::CityWard => city?.city_ward(),
            Component::Town => self.names.town?.town(),
            _ => return None,
        };
        let value = self.address?.get(part)?;
        let same = match part {
            Component::Town => value.starts_with(name.name.text),
            _ => value == name.name.text,
        };
        same.then_some(name)
    }
}

/// The whole address in one line: its components in postal order. A Kyoto street comes before its town.
pub fn full_address(address: &Address) -> String {
    use Component as Part;
    let without_spaces =
        [Part::Prefecture, Part::County, Part::City, Part::CityWard, Part::KyotoStreet, Part::Town];
    let mut line: String =
        without_spaces.into_iter().filter_map(|part| address.get(part)).collect();
    // A name that the data lack belongs to the address nevertheless.
    line.extend(address.unknown_name());
    line.extend(address.get(Part::BlockLotNum));
    for part in [Part::Building, Part::FloorRoom] {
        placement::join(address.get(part).unwrap_or_default(), &mut line);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_the_requested_order() {
        let additions = vec![Addition::Full, Addition::Kana, Addition::Jisx0402];
        let added = AddedColumns { check: true, additions };
        let columns: Vec<&str> = added.columns().skip(placement::column_names().count()).collect();
        let expected = [
            "postal_code_check",
            "full",
            "prefecture_kana",
            "county_kana",
            "city_kana",
            "city_ward_kana",
            "town_kana",
            "jisx0402",
        ];
        assert_eq!(columns, expected);
        assert!(AddedColumns::default().columns().eq(placement::column_names()));
    }

    #[test]
    fn no_two_additions_share_a_column() {
        let added = AddedColumns { check: true, additions: Addition::ALL.to_vec() };
        let mut columns: Vec<&str> = added.columns().collect();
        let count = columns.len();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns.len(), count);
    }
}
