//! Corporations, in the order of their areas, including closed ones and those hidden from searches.

use std::sync::Arc;

use crate::dataset::corporate::members::{CORPORATION, Corporation};
use crate::dataset::corporate::record::CorporateView;
use crate::dataset::corporate::syntax::CorporateQuery;
use crate::dataset::corporate::{CorporateData, CorporateForm};
use crate::dataset::invoice::InvoiceData;
use crate::dataset::member::{MemberValue, columns};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::query::RowSet;
use crate::query::syntax::Grouping;

pub struct Corporate {
    data: Arc<CorporateData>,
    /// The register that decides who is a qualified invoice issuer. Without it, the corporate records decide.
    register: Option<Arc<InvoiceData>>,
    /// The rows that the query finds; `None` for all.
    rows: Option<RowSet>,
}

impl Corporate {
    pub fn new(
        data: Arc<CorporateData>,
        register: Option<Arc<InvoiceData>>,
        q: Option<&str>,
    ) -> Result<Corporate, ExportError> {
        let rows = q.map(|q| matching_rows(&data, q)).transpose()?;
        Ok(Corporate { data, register, rows })
    }

    fn corporation<'s>(&'s self, view: CorporateView<'s>) -> Result<Corporation<'s>, ExportError> {
        let register = self.register.as_deref();
        let form = CorporateForm { register, ..CorporateForm::newest(self.data.version()) };
        Ok(form.record(view)?)
    }
}

pub(super) fn matching_rows(data: &CorporateData, q: &str) -> Result<RowSet, ExportError> {
    let q = CorporateQuery::parse_with(q, Grouping::Allowed)?;
    Ok(data.matching_rows(&q)?)
}

impl Source for Corporate {
    type Record<'s> = Corporation<'s>;

    const NAME: &'static str = "corporate";
    const KEY: &'static [&'static str] = &["corporate_number"];

    fn columns() -> Vec<Option<Column>> {
        columns(&CORPORATION)
    }

    fn fill(record: &Corporation<'_>, cells: &mut Cells<'_>) {
        record.fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.rows {
            Some(rows) => Ok(rows.count()),
            None => Ok(self.data.row_count()? as u64),
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Corporate>) -> Result<(), ExportError> {
        for row in 0..self.data.row_count()? as u32 {
            if self.rows.as_ref().is_none_or(|rows| rows.contains(row as usize)) {
                visit(&self.corporation(self.data.record(row)?)?)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for Corporate {
    /// The first two say where the record is in its source file; the last comes from another register.
    const VOLATILE_COLUMNS: &'static [&'static str] =
        &["published_date", "sequence_number", "qualified_invoice_issuer_number"];

    fn find_same<'s>(
        &'s self,
        other: &Corporation<'_>,
    ) -> Result<Option<Corporation<'s>>, ExportError> {
        let view = self.data.lookup(other.number())?;
        view.map(|view| self.corporation(view)).transpose()
    }

    fn has_ended(record: &Corporation<'_>) -> bool {
        record.is_closed()
    }
}
