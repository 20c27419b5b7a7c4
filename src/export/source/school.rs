//! Schools, in the order of their areas, including closed ones.

use std::sync::Arc;

use crate::dataset::member::{MemberValue, columns};
use crate::dataset::school::SchoolData;
use crate::dataset::school::members::SCHOOL;
use crate::dataset::school::record::SchoolView;
use crate::dataset::school::syntax::SchoolQuery;
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
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

impl Source for School {
    type Record<'s> = SchoolView<'s>;

    const NAME: &'static str = "school";
    const KEY: &'static [&'static str] = &["code"];
    fn columns() -> Vec<Option<Column>> {
        columns(&SCHOOL)
    }

    fn fill(school: &SchoolView<'_>, cells: &mut Cells<'_>) {
        school.fill(cells);
    }

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
