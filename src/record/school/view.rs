//! A school read in place.

use super::archive::{ArchivedSchool, ArchivedSchoolTables};
use crate::record::address::AddressView;
use crate::record::strings::Text;
use crate::text::codes::SchoolCode;

#[derive(Clone, Copy)]
pub struct SchoolView<'s> {
    tables: &'s ArchivedSchoolTables,
    school: &'s ArchivedSchool,
}

impl<'s> SchoolView<'s> {
    /// The school of this row; `None` past the end. The tables must have been checked.
    pub fn read(tables: &'s ArchivedSchoolTables, row: u32) -> Option<SchoolView<'s>> {
        Some(SchoolView { tables, school: tables.schools.get(row as usize)? })
    }

    pub fn code(self) -> SchoolCode {
        school_code(self.school.code.to_native())
    }

    /// See [`super::TYPES`].
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

    pub fn name(self) -> &'s str {
        &self.school.name
    }

    /// The name in the form that searches compare.
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
        Some(AddressView::new(place, street, school.postal_code.to_native(), parts))
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
