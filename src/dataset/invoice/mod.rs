//! Qualified invoice issuers.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
mod report;
pub mod update;

pub use answer::{write_invoice, write_invoice_outcome};
pub use data::InvoiceData;

use std::path::Path;
use std::sync::Arc;

use build_tools::sample::{self, SampleDays, SampleFile};
use serde_json::{Value, json};

use self::compile::{InvoiceReport, InvoiceSources};
use self::update::Invoice;
use super::census::{Census, Count, count};
use super::corporate::CorporateData;
use super::declaration::{Declaration, Exports, OtherData};
use super::postal::sample_postal;
use super::report::normalized_with;
use super::sample::target;
use crate::compile::{CompileError, Progress};
use crate::dataset::member::words::{Words, words};
use crate::export::{ExportError, source};
use crate::snapshot::{Dataset, OpenError};

/// A kind of the census.
pub const INDIVIDUALS: &str = "numbers of individuals";

impl Declaration for InvoiceData {
    type Source = Invoice;
    type Report = InvoiceReport;
    type Export = source::Invoice;
    type ExportedWith = CorporateData;

    const TITLE: Words = words("Qualified invoice issuers", "適格請求書発行事業者");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published each working day, with up to ten days between two at the turn of the year.
    const AGE_DAYS_MAX: u32 = 14;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/invoice/versions");
    const EXPORTS: Exports =
        Exports { rows: "Qualified invoice issuers", has_query: true, other: OtherData::ForQuery };

    fn count_records(&self) -> Result<usize, Arc<OpenError>> {
        let counts = self.counts()?;
        Ok(counts.others + counts.individuals)
    }

    fn verify(&self) -> Result<(), Arc<OpenError>> {
        self.provenance()?;
        self.for_each(|_view, _individual| {})
    }

    fn describe(&self) -> Result<Value, Arc<OpenError>> {
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
    ) -> Result<source::Invoice, ExportError> {
        match (q, corporations) {
            (Some(q), Some(corporations)) => source::Invoice::with_query(data, corporations, q),
            _ => Ok(source::Invoice::new(data)),
        }
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
            compile::build(&target(folder, sample.version), sources, progress)
        };
        sample::REGISTERS.iter().map(build).collect()
    }
}

impl Census for InvoiceData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let counts = self.counts()?;
        Ok(vec![
            count("numbers of corporations and associations", counts.others),
            count(INDIVIDUALS, counts.individuals),
        ])
    }
}
