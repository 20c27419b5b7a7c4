//! Schools.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
mod report;
pub mod search;
pub mod syntax;
pub mod texts;
pub mod update;

pub use data::SchoolData;

use std::path::Path;
use std::sync::Arc;

use build_tools::sample::{self, SampleFolder};
use serde_json::{Value, json};

use self::compile::{SchoolReport, SchoolSources};
use self::update::School;
use super::census::{Census, Count, count, with_parts};
use super::declaration::{Declaration, Exports, OtherData};
use super::postal::sample_postal;
use super::report::normalized_with;
use super::sample::target;
use crate::compile::{CompileError, Progress};
use crate::dataset::member::words::{Words, words};
use crate::export::{ExportError, source};
use crate::snapshot::{Dataset, OpenError};

impl Declaration for SchoolData {
    type Source = School;
    type Report = SchoolReport;
    type Export = source::School;
    type ExportedWith = SchoolData;

    const TITLE: Words = words("Schools", "学校");
    const RECORDS: Words = words("Records", "レコード数");
    /// Published once or twice a year.
    const AGE_DAYS_MAX: u32 = 400;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/school/versions");
    const EXPORTS: Exports = Exports { rows: "Schools", has_query: true, other: OtherData::Unused };

    fn count_records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.counts()?.schools)
    }

    fn check_search_sections(&self) {
        let _ = self.search_index();
    }

    fn verify(&self) -> Result<(), Arc<OpenError>> {
        self.provenance()?;
        self.prepare()
    }

    fn describe(&self) -> Result<Value, Arc<OpenError>> {
        let counts = self.counts()?;
        let provenance = self.provenance()?;
        let provenance = provenance.root();
        Ok(json!({
            "schools": counts.schools,
            "closed": counts.closed,
            "places": counts.places,
            "bytes_per_school": self.file().length() / counts.schools.max(1) as u64,
            "rejects": provenance.rejects.to_native(),
            "wrong_check_digits": provenance.wrong_check_digits.to_native(),
            "addresses": normalized_with(provenance.postal_version.to_native()),
        }))
    }
    fn exported(
        data: Arc<SchoolData>,
        _other: Option<Arc<SchoolData>>,
        q: Option<&str>,
    ) -> Result<source::School, ExportError> {
        source::School::new(data, q)
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<SchoolReport>, CompileError> {
        let build = |lists: &SampleFolder| {
            let postal = Some(sample_postal(folder)?);
            let sources = SchoolSources { lists: vec![lists.files()], postal };
            compile::build(&target(folder, lists.version), &sources, progress)
        };
        sample::SCHOOL_LISTS.iter().map(build).collect()
    }
}

impl Census for SchoolData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let kind = |prefecture: u8| format!("schools of prefecture {prefecture:02}");
        let by_prefecture = self.schools()?.map(|school| (kind(school.prefecture()), 1));
        Ok(with_parts(count("schools", self.counts()?.schools), by_prefecture))
    }
}
