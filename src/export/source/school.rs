//! Schools, in the order of their areas, including closed ones.

use std::sync::Arc;

use super::columns::{address_fields, non_empty, push_code};
use crate::dataset::school::SchoolData;
use crate::dataset::school::record::SchoolView;
use crate::dataset::school::syntax::SchoolQuery;
use crate::export::Getter::{DateOrNull, Formatted, FormattedOrNull, Integer, Text, TextOrNull};
use crate::export::{ComparableSource, ExportError, Field, RecordVisitor, Source, field};
use crate::query::RowSet;
use crate::query::syntax::Grouping;

pub struct School {
    data: Arc<SchoolData>,
    /// The rows that a query finds; `None` for all.
    rows: Option<RowSet>,
}

impl School {
    pub fn new(data: Arc<SchoolData>, q: Option<&str>) -> Result<School, ExportError> {
        let q = q.map(|q| SchoolQuery::parse_with(q, Grouping::Allowed)).transpose()?;
        let rows = q.map(|q| data.matching_rows(&q)).transpose()?;
        Ok(School { data, rows })
    }
}

#[rustfmt::skip] // One column a line.
const IDENTITY: &[Field<School>] = &[
    field("code", Formatted(|it, out| out.push_str(&it.code().to_string()))),
    field("type", Formatted(|it, out| push_type(it, out))),
    field("jurisdiction_prefecture_code", Formatted(|it, out| push_code::<2>(out, it.prefecture().into()))),
    field("establishment_type", Integer(|it| it.establishment().into())),
    field("branch", Integer(|it| it.branch().into())),
    field("name", Text(|it| it.name())),
    field("address_raw", Text(|it| it.address_raw())),
];

const ADDRESS: &[Field<School>] = address_fields!("address_", it => it.address());

#[rustfmt::skip] // One column a line.
const DATES_AND_CODES: &[Field<School>] = &[
    field("established_date", DateOrNull(|it| it.established().unwrap_or_default())),
    field("abolished_date", DateOrNull(|it| it.abolished().unwrap_or_default())),
    field("school_survey_number", TextOrNull(|it| non_empty(it.survey_number()))),
    field("new_code", FormattedOrNull(|it, out| push_new_codes(it, out))),
];

/// A letter and a digit, such as A1.
fn push_type(school: &SchoolView<'_>, out: &mut String) {
    let kind = school.school_type();
    out.push(char::from(b'A' - 1 + kind / 10));
    out.push(char::from(b'0' + kind % 10));
}

/// The codes with a space between them.
fn push_new_codes(school: &SchoolView<'_>, out: &mut String) -> Option<()> {
    let codes: Vec<String> = school.new_codes().map(|code| code.to_string()).collect();
    out.push_str(&codes.join(" "));
    (!codes.is_empty()).then_some(())
}

impl Source for School {
    type Record<'s> = SchoolView<'s>;

    const NAME: &'static str = "school";
    const KEY: &'static [&'static str] = &["code"];
    const FIELDS: &'static [&'static [Field<School>]] = &[IDENTITY, ADDRESS, DATES_AND_CODES];

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.schools()?.len() as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, School>) -> Result<(), ExportError> {
        for (row, school) in self.data.schools()?.enumerate() {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row)) {
                visit(&school)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for School {
    const VOLATILE_COLUMNS: &'static [&'static str] = &[];

    fn find_same<'s>(
        &'s self,
        other: &SchoolView<'_>,
    ) -> Result<Option<SchoolView<'s>>, ExportError> {
        Ok(self.data.lookup(other.code())?)
    }

    fn has_ended(school: &SchoolView<'_>) -> bool {
        school.abolished().is_some()
    }
}
