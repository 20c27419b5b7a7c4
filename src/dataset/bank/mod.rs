//! Banks and their branches.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
mod report;
pub mod search;
pub mod suggest;
mod suggest_words;
pub mod suggestion;
pub mod update;

pub use answer::{ARRAYS_SINCE, write_branch, write_branches};
pub use data::BankData;

use std::path::Path;
use std::sync::Arc;

use build_tools::sample::{self, SampleFolder};
use serde_json::{Value, json};

use self::compile::BankReport;
use self::update::Bank;
use super::census::{Census, Count, count};
use super::declaration::{Declaration, Exports, OtherData};
use super::sample::target;
use crate::compile::{CompileError, Progress};
use crate::dataset::member::words::{Words, words};
use crate::export::{ExportError, source};
use crate::snapshot::{Dataset, OpenError};

impl Declaration for BankData {
    type Source = Bank;
    type Report = BankReport;
    type Export = source::Bank;
    type ExportedWith = BankData;

    const TITLE: Words = words("Banks", "金融機関");
    const RECORDS: Words = words("Branches", "支店数");
    /// Published when banks and branches change, a few times a month.
    const AGE_DAYS_MAX: u32 = 60;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/bank/versions");
    const EXPORTS: Exports =
        Exports { rows: "Banks, one row per branch", has_query: false, other: OtherData::Unused };

    fn count_records(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.counts()?.branches)
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
            "institutions": counts.banks,
            "branches": counts.branches,
            "branch_codes": counts.codes,
            "texts": counts.texts,
            "bytes_per_branch": self.file().length() / counts.branches.max(1) as u64,
            "format": provenance.format.as_str(),
            "rejects": provenance.rejects.to_native(),
            "abolished_left_out": provenance.abolished.to_native(),
            "readings": match provenance.given.to_native() {
                0 => "derived from katakana",
                _ => "from the source",
            },
        }))
    }
    fn exported(
        data: Arc<BankData>,
        _other: Option<Arc<BankData>>,
        _q: Option<&str>,
    ) -> Result<source::Bank, ExportError> {
        Ok(source::Bank::new(data))
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<BankReport>, CompileError> {
        let build = |directory: &SampleFolder| {
            compile::build(&target(folder, directory.version), &directory.files(), progress)
        };
        sample::DIRECTORIES.iter().map(build).collect()
    }
}

impl Census for BankData {
    fn census(&self) -> Result<Vec<Count>, Arc<OpenError>> {
        let counts = self.counts()?;
        Ok(vec![count("institutions", counts.banks), count("branches", counts.branches)])
    }
}
