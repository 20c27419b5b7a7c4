//! Banks and their branches.

pub mod account;
pub mod bank_type;
pub mod compile;
pub mod corrections;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
mod name_words;
pub mod names;
mod publications;
pub mod record;
pub mod search;
pub mod suggest;
pub mod transfer_name;
pub mod update;

use std::path::Path;
use std::sync::Arc;

use build_tools::bank::Format;
use build_tools::included::{self, SampleFolder};
use serde_json::{Value, json};

use self::compile::BankReport;
use self::publications::{GINKOSITEN, ZENGIN_CODE};
use self::update::Bank;
use super::correction::declared::CorrectedFile;
use super::correction::row::{Correction, Edited};
use super::declaration::{Declaration, Exports, OtherData, PageColumns};
use super::member::{MemberValue, columns};
use super::publication::Publication;
use super::report::{Census, Count, count};
use crate::compile::{CompileError, Progress, Target};
use crate::export::{Cells, Column, ComparableSource, ExportError, RecordVisitor, Source};
use crate::language::{Words, words};
use crate::snapshot::{Dataset, Result};
use crate::text::codes::BankCode;
use members::{BANK_ROW, BankRow};

pub use data::BankData;
pub use members::{ARRAYS_SINCE, write_branch, write_branches};

impl Declaration for BankData {
    type Source = Bank;
    type Report = BankReport;
    type Export = BankExport;
    type ExportedWith = BankData;

    const TITLE: Words = words("Banks", "金融機関");
    const RECORDS: Words = words("Branches", "支店数");
    /// Published when banks and branches change, a few times a month.
    const AGE_DAYS_MAX: u32 = 60;
    const VERSIONS_PATH: Option<&'static str> = Some("/v1/bank/versions");
    const EXPORTS: Exports =
        Exports { rows: "Banks, one row per branch", has_query: false, other: OtherData::Unused };
    const PAGE_COLUMNS: Option<PageColumns> = Some(PageColumns {
        known_by: "katakana",
        columns: &[
            ("code", &["code"]),
            ("name", &["name"]),
            ("katakana", &["katakana"]),
            ("romaji", &["romaji"]),
        ],
    });

    const CORRECTED_FILES: &'static [&'static CorrectedFile] =
        &[&corrections::BANKS, &corrections::BRANCHES];
    const ANSWERS_BY_DATE: bool = true;

    fn edited(&self, rows: &[Arc<Correction>]) -> Result<Edited<'_, BankData>, CompileError> {
        corrections::edited(self, rows)
    }

    fn is_code(text: &str) -> bool {
        BankCode::parse(text).is_ok()
    }

    fn count_records(&self) -> Result<usize> {
        Ok(self.counts()?.branches)
    }

    fn verify(&self) -> Result<()> {
        self.provenance()?;
        self.prepare()
    }

    fn publications(&self) -> Result<Vec<&'static Publication>> {
        let provenance = self.provenance()?;
        let is_zengin_code = provenance.root().format.as_str() == Format::ZenginCode.name();
        Ok(vec![if is_zengin_code { &ZENGIN_CODE } else { &GINKOSITEN }])
    }

    fn describe(&self) -> Result<Value> {
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
    ) -> Result<BankExport, ExportError> {
        Ok(BankExport { data })
    }

    fn build_sample(
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<BankReport>, CompileError> {
        let build = |directory: &SampleFolder| {
            compile::build(
                &Target::of_sample(folder, directory.version),
                &directory.files(),
                progress,
            )
        };
        included::DIRECTORIES.iter().map(build).collect()
    }
}

impl Census for BankData {
    fn census(&self) -> Result<Vec<Count>> {
        let counts = self.counts()?;
        Ok(vec![count("institutions", counts.banks), count("branches", counts.branches)])
    }
}

pub struct BankExport {
    data: Arc<BankData>,
}

impl Source for BankExport {
    type Record<'s> = BankRow<'s>;

    const NAME: &'static str = "bank";
    const KEY: &'static [&'static str] = &["bank_code", "branch_code"];

    fn columns() -> Vec<Option<Column>> {
        columns(&BANK_ROW)
    }

    fn fill(row: &BankRow<'_>, cells: &mut Cells<'_>) {
        row.fill(cells);
    }

    fn count(&self) -> Result<u64, ExportError> {
        let rows = self.data.banks()?.map(|bank| bank.branches().len().max(1) as u64);
        Ok(rows.sum())
    }

    fn for_each(&self, visit: RecordVisitor<'_, BankExport>) -> Result<(), ExportError> {
        for view in self.data.banks()? {
            let bank = view.entry();
            let (mut last, mut ordinal) = (None, 0);
            for branch in view.branches() {
                ordinal = if last == Some(branch.code()) { ordinal + 1 } else { 0 };
                last = Some(branch.code());
                visit(&BankRow { bank, branch: Some(branch), ordinal })?;
            }
            if last.is_none() {
                visit(&BankRow { bank, branch: None, ordinal })?;
            }
        }
        Ok(())
    }
}

impl ComparableSource for BankExport {
    fn find_same<'s>(&'s self, other: &BankRow<'_>) -> Result<Option<BankRow<'s>>, ExportError> {
        let code = BankCode::parse(&format!("{:04}", other.bank.code())).ok();
        let Some(view) = code.map(|code| self.data.bank(code)).transpose()?.flatten() else {
            return Ok(None);
        };
        let (bank, ordinal) = (view.entry(), other.ordinal);
        let mut branches = view.branches();
        Ok(match other.branch {
            Some(wanted) => {
                let mut same_code = branches.filter(|branch| branch.code() == wanted.code());
                let branch = same_code.nth(ordinal);
                branch.map(|branch| BankRow { bank, branch: Some(branch), ordinal })
            }
            None => branches.next().is_none().then_some(BankRow { bank, branch: None, ordinal }),
        })
    }
}
