//! Qualified invoice issuers, by number; individuals last. As in the API, a query searches the corporations of the newest register: it finds issuers that are registered on
//! the day of the version, and no individuals.

use std::sync::Arc;

use super::corporate::matching_rows;
use crate::dataset::corporate::CorporateData;
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::members::{ISSUER, Issuer};
use crate::dataset::invoice::record::InvoiceView;
use crate::dataset::member::{MemberValue, columns};
use crate::dataset::name::Naming;
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::query::RowSet;

pub struct Invoice {
    data: Arc<InvoiceData>,
    /// The corporations and which of their rows are issuers that the query finds; `None` for every issuer.
    matching: Option<(Arc<CorporateData>, RowSet)>,
}

impl Invoice {
    pub fn new(data: Arc<InvoiceData>) -> Invoice {
        Invoice { data, matching: None }
    }

    /// Only the issuers that the query finds among these corporations.
    pub fn with_query(
        data: Arc<InvoiceData>,
        corporations: Arc<CorporateData>,
        q: &str,
    ) -> Result<Invoice, ExportError> {
        let mut rows = matching_rows(&corporations, q)?;
        rows.and(&data.registered_rows(&corporations)?);
        Ok(Invoice { data, matching: Some((corporations, rows)) })
    }

    fn is_selected(&self, view: &InvoiceView<'_>) -> Result<bool, ExportError> {
        let Some((corporations, rows)) = &self.matching else { return Ok(true) };
        let row = corporations.row_of(view.number().corporate())?;
        Ok(row.is_some_and(|row| rows.contains(row as usize)))
    }
}

impl Source for Invoice {
    type Record<'s> = InvoiceView<'s>;

    const NAME: &'static str = "invoice";
    const KEY: &'static [&'static str] = &["qualified_invoice_issuer_number"];

    fn columns() -> Vec<Option<Column>> {
        columns(&ISSUER)
    }

    fn fill(view: &InvoiceView<'_>, cells: &mut Cells<'_>) {
        Issuer { view, naming: Naming::Published }.fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        match &self.matching {
            Some((_, rows)) => Ok(rows.count()),
            None => {
                let counts = self.data.counts()?;
                Ok((counts.others + counts.individuals) as u64)
            }
        }
    }

    fn for_each(&self, visit: RecordVisitor<'_, Invoice>) -> Result<(), ExportError> {
        for view in self.data.records()? {
            let view = view?;
            if self.is_selected(&view)? {
                visit(&view)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for Invoice {
    /// These say where the record is in its source file.
    const VOLATILE_COLUMNS: &'static [&'static str] = &["published_date", "sequence_number"];

    fn find_same<'s>(
        &'s self,
        other: &InvoiceView<'_>,
    ) -> Result<Option<InvoiceView<'s>>, ExportError> {
        Ok(self.data.lookup(other.number())?)
    }

    fn has_ended(view: &InvoiceView<'_>) -> bool {
        view.registration.is_ended()
    }
}
