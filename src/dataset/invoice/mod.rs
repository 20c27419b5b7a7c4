//! Qualified invoice issuers.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod publications;
pub mod record;
pub mod update;

use std::path::Path;
use std::sync::Arc;

use build_tools::included::{self, SampleDays, SampleFile};
use serde_json::{Value, json};

use self::compile::{InvoiceReport, InvoiceSources};
use self::publications::INVOICE_ISSUERS;
use self::update::Invoice;
use super::corporate::{CorporateData, matching_rows};
use super::declaration::{Declaration, Exports, OtherData, PageColumns};
use super::member::{MemberValue, columns};
use super::postal::sample_postal;
use super::publication::Publication;
use super::report::{Census, Count, count, normalized_with};
use crate::compile::{CompileError, Progress, Target};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::language::{Words, words};
use crate::query::RowSet;
use crate::snapshot::{Dataset, Result};
use crate::text::codes::InvoiceNumber;
use members::{ISSUER, Issuer};
use record::InvoiceView;

pub use data::InvoiceData;
pub use members::{write_invoice, write_invoice_outcome};

/// A kind of the census.
pub const INDIVIDUALS: &str = "numbers of individuals";

impl Declaration for InvoiceData {
    type Source = Invoice;
    type Report = InvoiceReport;
    type Export = InvoiceExport;
    type ExportedWith = CorporateData;

    const TITLE: Words = words("Qualified invoice issuers", "適格請求書発行事業者");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published each working day, with up to ten days between two at the turn of the year.
    const AGE_DAYS_MAX: u32 = 14;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/invoice/versions");
    const EXPORTS: Exports =
        Exports { rows: "Qualified invoice issuers", has_query: true, other: OtherData::ForQuery };
    const PAGE_COLUMNS: Option<PageColumns> = Some(PageColumns {
        known_by: "registration_date",
        columns: &[
            ("qualified_invoice_issuer_number", &["qualified_invoice_issuer_number"]),
            ("name", &["name"]),
            ("registration_date", &["registration_date"]),
            ("disposal_date", &["disposal_date"]),
            ("expire_date", &["expire_date"]),
            ("address", &["address/prefecture", "address/city", "address/street_number"]),
        ],
    });

    fn is_code(text: &str) -> bool {
        InvoiceNumber::parse(text).is_ok()
    }

    fn count_records(&self) -> Result<usize> {
        let counts = self.counts()?;
        Ok(counts.others + counts.individuals)
    }

    fn verify(&self) -> Result<()> {
        self.provenance()?;
        self.for_each(|_view, _individual| {})
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        Ok(vec![&INVOICE_ISSUERS])
    }

    fn describe(&self) -> Result<Value> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        let numbers = (counts.others + counts.individuals).max(1);
        Ok(json!({
            "corporations_and_associations": counts.others,
            "individuals": match provenance.individuals {
                true => Value::from(counts.individuals),
                false => "left out: built without --individuals".into(),
            },
            "in_force": counts.registered,
            "places": counts.places,
            "bytes_per_number": self.file().length() / numbers as u64,
            "bytes_per_record": counts.record_bytes / numbers,
            "addresses": normalized_with(provenance.postal_version.to_native()),
        }))
    }
    fn exported(
        data: Arc<InvoiceData>,
        corporations: Option<Arc<CorporateData>>,
        q: Option<&str>,
    ) -> Result<InvoiceExport, ExportError> {
        let matching = match (q, corporations) {
            (Some(q), Some(corporations)) => {
                let mut rows = matching_rows(&corporations, q)?;
                let issuers = data.registered_rows(&corporations)?;
                rows.and(&issuers);
                Some((corporations, rows))
            }
            _ => None,
        };
        Ok(InvoiceExport { data, matching })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<InvoiceReport>, CompileError> {
        let build = |sample: &SampleDays| {
            let sources = InvoiceSources {
                full: sample.full.iter().map(SampleFile::input).collect(),
                base: None,
                diff: sample.differences.iter().map(SampleFile::input).collect(),
                postal: Some(sample_postal(folder)?),
                individuals: true,
            };
            compile::build(&Target::of_sample(folder, sample.version), sources, progress)
        };
        included::REGISTERS.iter().map(build).collect()
    }
}

impl Census for InvoiceData {
    fn census(&self) -> Result<Vec<Count>> {
        let counts = self.counts()?;
        Ok(vec![
            count("numbers of corporations and associations", counts.others),
            count(INDIVIDUALS, counts.individuals),
        ])
    }
}

pub struct InvoiceExport {
    data: Arc<InvoiceData>,
    /// The corporations and which of their rows are issuers that the query finds; `None` for every issuer.
    matching: Option<(Arc<CorporateData>, RowSet)>,
}

impl InvoiceExport {
    fn is_selected(&self, view: &InvoiceView<'_>) -> Result<bool, ExportError> {
        let Some((corporations, rows)) = &self.matching else { return Ok(true) };
        let row = corporations.row_of(view.number().corporate())?;
        Ok(row.is_some_and(|row| rows.contains(row as usize)))
    }
}

impl Source for InvoiceExport {
    type Record<'s> = InvoiceView<'s>;

    const NAME: &'static str = "invoice";
    const KEY: &'static [&'static str] = &["qualified_invoice_issuer_number"];

    fn columns() -> Vec<Option<Column>> {
        columns(&ISSUER)
    }

    fn fill(view: &InvoiceView<'_>, cells: &mut Cells<'_>) {
        Issuer::published(view).fill(cells);
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

    fn for_each(&self, visit: RecordVisitor<'_, InvoiceExport>) -> Result<(), ExportError> {
        for view in self.data.records()? {
            let view = view?;
            if self.is_selected(&view)? {
                visit(&view)?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for InvoiceExport {
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
