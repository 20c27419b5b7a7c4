//! Postal records, in the order of their areas.

use std::sync::Arc;

use crate::dataset::member::{MemberValue, columns};
use crate::dataset::postal::members::POSTAL_RECORD;
use crate::dataset::postal::syntax::PostalQuery;
use crate::dataset::postal::{CityFragments, PostalData};
use crate::export::{
    Cells, Change, ChangeSource, ChangeVisitor, Column, ExportError, RecordVisitor, Source,
};
use crate::query::RowSet;
use crate::record::postal::{PostalView, UpdateStatus};
use crate::text::codes::ApiVersion;

pub struct Postal {
    data: Arc<PostalData>,
    /// The rows that a query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Postal {
    pub fn new(data: Arc<PostalData>, q: Option<&str>) -> Result<Postal, ExportError> {
        let q = q.map(PostalQuery::parse).transpose()?;
        let rows = q.map(|q| data.matching_rows(&q)).transpose()?;
        Ok(Postal { data, rows })
    }
}

impl Source for Postal {
    type Record<'s> = PostalView<'s>;

    const NAME: &'static str = "postal";
    const KEY: &'static [&'static str] = &["postal_code"];

    fn columns() -> Vec<Option<Column>> {
        columns(&POSTAL_RECORD)
    }

    fn fill(record: &PostalView<'_>, cells: &mut Cells<'_>) {
        CityFragments::NONE.record(ApiVersion::NEWEST, *record).fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.records()?.len() as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Postal>) -> Result<(), ExportError> {
        for (row, record) in self.data.records()?.enumerate() {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row)) {
                visit(&record)?;
            }
        }
        Ok(())
    }
}

impl ChangeSource for Postal {
    const STORES_CHANGES: bool = true;

    /// As in the API, an amended row counts as one removed and one added.
    fn for_each_change(
        &self,
        _before: Option<&Postal>,
        _progress: &mut dyn FnMut(u64),
        visit: ChangeVisitor<'_, Postal>,
    ) -> Result<(), ExportError> {
        for record in self.data.updates()? {
            let change = match record.update_status() {
                UpdateStatus::Abolished => Change::Abolished,
                UpdateStatus::Changed | UpdateStatus::Unchanged => Change::Added,
            };
            visit(change, &record)?;
        }
        Ok(())
    }
}
