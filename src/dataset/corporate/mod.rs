//! Corporations.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod history;
mod history_answer;
pub mod members;
pub mod record;
mod report;
pub mod search;
mod search_sections;
pub mod suggest;
pub mod suggestion;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod texts;
pub mod update;

pub use answer::{
    CorporateForm, PlaceFragments, write_corporate_record, write_corporate_search,
    write_corporation,
};
pub use data::CorporateData;
pub use history_answer::{CHANGE, write_history};

use std::path::Path;
use std::sync::Arc;

use build_tools::sample::{self, SampleDays, SampleFile};
use serde_json::{Value, json};

use self::compile::{CorporateReport, CorporateSources, Prefectures};
use self::update::Corporate;
use super::census::{Census, Count, count, with_parts};
use super::declaration::{Declaration, Exports, OtherData};
use super::invoice::InvoiceData;
use super::postal::sample_postal;
use super::report::normalized_with;
use super::sample::target;
use crate::compile::{CompileError, Progress};
use crate::dataset::member::words::{Words, words};
use crate::export::{ExportError, source};
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::DataVersion;

impl Declaration for CorporateData {
    type Source = Corporate;
    type Report = CorporateReport;
    type Export = source::Corporate;
    type ExportedWith = InvoiceData;

    const TITLE: Words = words("Corporations", "法人");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published each working day, with up to ten days between two at the turn of the year.
    const AGE_DAYS_MAX: u32 = 14;
    /// A corporation has a history instead.
    const VERSIONS_PATH: Option<&'static str> = None;
    const EXPORTS: Exports =
        Exports { rows: "Corporations", has_query: true, other: OtherData::IfPresent };

    fn count_records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.counts()?.corporations)
    }

    fn check_search_sections(&self) {
        let _ = self.search_index();
        let _ = self.suggest_index();
    }

    fn verify(&self) -> Result<(), Arc<OpenError>> {
        self.provenance()?;
        self.for_each(|_view| {})
    }

    fn describe(&self) -> Result<Value, Arc<OpenError>> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        let prefectures: Vec<String> =
            provenance.prefectures.iter().map(|code| format!("{code:02}")).collect();
        Ok(json!({
            "corporations": counts.corporations,
            "closed": counts.closed,
            "places": counts.places,
            "bytes_per_corporation": self.file().length() / counts.corporations.max(1) as u64,
            "bytes_per_record": counts.record_bytes / counts.corporations.max(1),
            "prefectures": if prefectures.is_empty() {
                "all in the sources".to_owned()
            } else {
                prefectures.join(", ")
            },
            "addresses": normalized_with(provenance.postal_version.to_native()),
            "invoice_issuers": match DataVersion::from_number(provenance.issuers_date.to_native()) {
                Some(date) => format!("from the register of {date}"),
                None => "unknown: built without the register (--invoice), so every corporation gets a number".to_owned(),
            },
        }))
    }
    fn exported(
        data: Arc<CorporateData>,
        register: Option<Arc<InvoiceData>>,
        q: Option<&str>,
    ) -> Result<source::Corporate, ExportError> {
        source::Corporate::new(data, register, q)
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<CorporateReport>, CompileError> {
        let build = |sample: &SampleDays| {
            let sources = CorporateSources {
                full: sample.full.iter().map(SampleFile::input).collect(),
                base: None,
                invoice: Vec::new(),
                diff: sample.differences.iter().map(SampleFile::input).collect(),
                postal: Some(sample_postal(folder)?),
                prefectures: Prefectures::default(),
            };
            compile::build(&target(folder, sample.version), sources, progress)
        };
        sample::CORPORATIONS.iter().map(build).collect()
    }
}

impl Census for CorporateData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let by_prefecture = self.places()?.map(|(place, rows)| {
            let kind = match place.prefecture_code() {
                Some(code) => format!("corporations of prefecture {code:02}"),
                None => "corporations abroad".to_owned(),
            };
            (kind, u64::from(rows.end - rows.start))
        });
        Ok(with_parts(count("corporations", self.row_count()?), by_prefecture))
    }
}
