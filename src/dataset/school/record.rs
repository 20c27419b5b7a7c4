//! School records: their archived form (rows in the order of their areas, and their codes, sorted), and the view that
//! reads them in place.
//!
//! There are some 60,000, a hundredth of the corporations, so a row is an rkyv archive and not packed.

use std::ops::{Range, RangeInclusive};

use rkyv::{Archive, Deserialize, Serialize};

use crate::record::Text;
use crate::record::parts::{AddressPlace, AddressView, ArchivedAddressPlace, Parts};
use crate::snapshot::SectionTag;
use crate::text::codes::SchoolCode;
use crate::text::codes::school_code::{BRANCHES, ESTABLISHMENTS, TYPES};

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const TABLES: SectionTag = SectionTag::new("tables");
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Deserialize, Serialize)]
pub struct SchoolProvenance {
    /// Version of the postal snapshot by which addresses were normalised, as 20260630; 0 for none.
    pub postal_version: u32,
    pub postal_fingerprint: u32,
    pub rejects: u32,
    /// Number of codes with a wrong check digit.
    pub wrong_check_digits: u32,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct SchoolTables {
    /// Municipalities, sorted; each has at least one school.
    pub places: Vec<AddressPlace>,
    /// Schools by place, then by code.
    pub schools: Vec<School>,
    /// Every code, ascending, and its row.
    pub codes: Vec<u64>,
    pub rows: Vec<u32>,
}

/// Dates are numbers such as 20260501; absent numbers are 0.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Deserialize, Serialize)]
pub struct School {
    pub code: u64,
    pub name: String,
    /// The forms of the name that searches compare, see [`names`](super::names).
    pub name_key: String,
    /// The address as published.
    pub address: String,
    /// The text after the municipality, with half-width digits; the parts are slices of it.
    pub street: String,
    /// The parts, packed as for corporations; empty if the address was not normalised.
    pub parts: Vec<u8>,
    pub survey_number: String,
    pub new_codes: Vec<u64>,
    pub postal_code: u32,
    pub established: u32,
    pub abolished: u32,
    /// The municipality of the address, an index into the places.
    pub place: u16,
    /// See [`TYPES`].
    pub school_type: u8,
    /// JIS X 0401 of the responsible prefecture.
    pub prefecture: u8,
    /// See [`ESTABLISHMENTS`] and [`BRANCHES`].
    pub establishment: u8,
    pub branch: u8,
}

impl School {
    /// Sets the parts of the address, which are slices of this street.
    pub fn set_parts(&mut self, parts: &Parts<'_>) {
        self.parts.clear();
        parts.append(&mut self.parts, &self.street);
    }
}

impl SchoolTables {
    /// Numbers the places and orders the schools, each of which is given with its place.
    pub fn build(mut schools: Vec<(AddressPlace, School)>) -> SchoolTables {
        schools.sort_by(|left, right| (&left.0, left.1.code).cmp(&(&right.0, right.1.code)));
        let mut tables = SchoolTables::default();
        for (place, mut school) in schools {
            if tables.places.last() != Some(&place) {
                tables.places.push(place);
            }
            let last = u16::try_from(tables.places.len() - 1);
            school.place = last.expect("there are fewer places than a number of two bytes has");
            tables.schools.push(school);
        }
        let mut order: Vec<u32> = (0..tables.schools.len() as u32).collect();
        order.sort_by_key(|row| tables.schools[*row as usize].code);
        tables.codes = order.iter().map(|row| tables.schools[*row as usize].code).collect();
        assert!(tables.codes.is_sorted_by(|left, right| left < right), "each code once");
        tables.rows = order;
        tables
    }
}

impl ArchivedSchoolTables {
    /// Checks all invariants that a view and a look-up rely on.
    pub fn check(&self) -> Result<(), &'static str> {
        let codes = self.codes.iter().map(|code| code.to_native());
        if !codes.clone().is_sorted_by(|left, right| left < right)
            || self.codes.len() != self.schools.len()
            || self.rows.len() != self.schools.len()
        {
            return Err("codes that ascend, each with a row");
        }
        let found = |row: &rkyv::rend::u32_le| self.schools.get(row.to_native() as usize);
        let mut pairs = self.rows.iter().zip(codes);
        if !pairs.all(|(row, code)| found(row).is_some_and(|school| school.code == code)) {
            return Err("the row of each code");
        }
        let mut next = 0;
        for school in self.schools.iter() {
            let place = usize::from(school.place.to_native());
            if place > next || next > place + 1 {
                return Err("schools in the order of their places");
            }
            next = place + 1;
            let known = |words: &[(u16, &str)], code: u8| {
                words.iter().any(|(known, _)| *known == u16::from(code))
            };
            let sound = known(&TYPES, school.school_type)
                && known(&ESTABLISHMENTS, school.establishment)
                && known(&BRANCHES, school.branch)
                && (1..=47).contains(&school.prefecture);
            if !sound {
                return Err("codes of types, prefectures, founders and branches");
            }
            let mut codes = school.new_codes.iter().chain([&school.code]);
            if !codes.all(|code| SchoolCode::from_number(code.to_native()).is_some()) {
                return Err("school codes");
            }
        }
        if next != self.places.len() {
            return Err("a school for each place");
        }
        Ok(())
    }

    /// The places in order, with the rows of each.
    pub fn areas(&self) -> impl Iterator<Item = (&ArchivedAddressPlace, Range<u32>)> {
        let runs = self.schools.chunk_by(|left, right| left.place == right.place);
        runs.zip(self.places.iter()).scan(0, |start, (run, place)| {
            let rows = *start..*start + run.len() as u32;
            *start = rows.end;
            Some((place, rows))
        })
    }

    /// The rows of the codes in a range.
    pub fn rows_in(&self, codes: RangeInclusive<u64>) -> impl ExactSizeIterator<Item = u32> {
        let start = self.codes.partition_point(|code| code.to_native() < *codes.start());
        let end = self.codes.partition_point(|code| code.to_native() <= *codes.end());
        self.rows[start..end].iter().map(|row| row.to_native())
    }

    /// The row of a code; `None` if no school has it.
    pub fn find(&self, code: SchoolCode) -> Option<u32> {
        let index =
            self.codes.binary_search_by_key(&code.number(), |known| known.to_native()).ok()?;
        self.rows.get(index).map(|row| row.to_native())
    }
}

#[derive(Clone, Copy)]
pub struct SchoolView<'s> {
    tables: &'s ArchivedSchoolTables,
    school: &'s ArchivedSchool,
    former_name: Option<&'s str>,
}

impl<'s> SchoolView<'s> {
    /// The school of this row; `None` past the end. The tables must have been checked.
    pub fn read(tables: &'s ArchivedSchoolTables, row: u32) -> Option<SchoolView<'s>> {
        let school = tables.schools.get(row as usize)?;
        Some(SchoolView { tables, school, former_name: None })
    }

    /// The school, found by the name of a closed one that it followed.
    pub fn found_by(self, closed: SchoolView<'s>) -> SchoolView<'s> {
        SchoolView { former_name: Some(closed.name()), ..self }
    }

    /// The name of the closed school by which it was found, if it was.
    pub fn former_name(self) -> Option<&'s str> {
        self.former_name
    }

    pub fn code(self) -> SchoolCode {
        school_code(self.school.code.to_native())
    }

    /// See [`TYPES`].
    pub fn school_type(self) -> u8 {
        self.school.school_type
    }

    pub fn prefecture(self) -> u8 {
        self.school.prefecture
    }

    pub fn establishment(self) -> u8 {
        self.school.establishment
    }

    pub fn branch(self) -> u8 {
        self.school.branch
    }

    /// Whether the school is closed (廃).
    pub fn is_closed(self) -> bool {
        let [.., (closed, _)] = BRANCHES;
        u16::from(self.school.branch) == closed
    }

    pub fn name(self) -> &'s str {
        &self.school.name
    }

    pub fn name_key(self) -> &'s str {
        &self.school.name_key
    }

    pub fn address_raw(self) -> &'s str {
        &self.school.address
    }

    /// The address in its members; `None` if none is published.
    pub fn address(self) -> Option<AddressView<'s>> {
        let school = self.school;
        if school.address.is_empty() {
            return None;
        }
        let place = self.tables.places.get(usize::from(school.place.to_native()))?;
        let street = Text::unmarked(&school.street);
        let parts = Some(&school.parts[..]).filter(|parts| !parts.is_empty());
        Some(AddressView { place, street, postal_code: school.postal_code.to_native(), parts })
    }

    /// Seven digits; `None` if none is known.
    pub fn postal_code(self) -> Option<u32> {
        Some(self.school.postal_code.to_native()).filter(|code| *code != 0)
    }

    /// A date such as 20260501; `None` if there is none.
    pub fn established(self) -> Option<u32> {
        Some(self.school.established.to_native()).filter(|date| *date != 0)
    }

    pub fn abolished(self) -> Option<u32> {
        Some(self.school.abolished.to_native()).filter(|date| *date != 0)
    }

    /// Empty if the school has none.
    pub fn survey_number(self) -> &'s str {
        &self.school.survey_number
    }

    /// The schools that it became part of.
    pub fn new_codes(self) -> impl Iterator<Item = SchoolCode> {
        self.school.new_codes.iter().map(|code| school_code(code.to_native()))
    }
}

fn school_code(number: u64) -> SchoolCode {
    SchoolCode::from_number(number).expect("checked when the snapshot was opened")
}
