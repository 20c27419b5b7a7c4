//! Compiles the bank directory of one date to a snapshot. Readings that the source lacks are derived.

use std::sync::Arc;

use build_tools::Files;
use build_tools::bank::{BankDirectory, BankRow, BranchRow, Names, read_bank};
use serde_json::json;

use super::BankData;
use super::record::{BankProvenance, BankTables, branch_key, tag};
use crate::compile::target::Build;
use crate::compile::{BuildLog, Progress, Result, Target};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::index::code_index::CodeIndex;
use crate::record::StringPool;
use crate::snapshot::{Dataset, OpenError, SnapshotWriter, WriteError};
use crate::text::numerals::counted;
use crate::text::{codes::DataVersion, kana};

/// Most examples of given readings that differ from the derived ones.
const DIFFERENCES_MAX: usize = 20;

pub struct BankReport {
    pub data: BankData,
    pub readings: ReadingCounts,
    pub log: BuildLog,
}

#[derive(Debug, Default)]
pub struct ReadingCounts {
    pub given: u32,
    /// Number of given readings that equal the derived ones.
    pub agreeing: u32,
    pub derived: u32,
    /// Examples of the others: the given reading and the derived one.
    pub differences: Vec<(String, String)>,
}

pub fn build(target: &Target<'_>, files: &Files, progress: &dyn Progress) -> Result<BankReport> {
    let mut build = Build::start::<BankData>(target, progress)?;
    progress.step("reading the directory");
    let BankDirectory { format, banks, branches, abolished } =
        read_bank(files, &mut |done, total| progress.advance(done, total))?;
    let rejects = banks.rejects.len() + branches.rejects.len();
    let mut readings = ReadingCounts::default();
    let (mut banks, mut branches) = (build.log.add_batch(banks), build.log.add_batch(branches));
    banks.iter_mut().for_each(|row| readings.complete(&mut row.names));
    branches.iter_mut().for_each(|row| readings.complete(&mut row.names));
    build.check_rejects()?;
    if let Some(previous) = build.previous_version::<BankData>()? {
        let (counts, version) = (previous.counts()?, previous.version());
        build.log.warn_if_shrunk("institutions", banks.len(), counts.banks, version);
        build.log.warn_if_shrunk("branches", branches.len(), counts.branches, version);
    }
    let provenance = BankProvenance {
        format: format.name().to_owned(),
        rejects: u32::try_from(rejects).unwrap_or(u32::MAX),
        abolished,
        given: readings.given,
    };
    progress.step("writing");
    let snapshot = compile(target.version, &provenance, &banks, &branches)?;
    let data = build.publish(snapshot.of_sample(target.is_sample).stage(target.folder)?)?;
    Ok(BankReport { data, readings, log: build.log })
}

/// The snapshot of these rows, whose readings are complete.
pub(super) fn compile(
    version: DataVersion,
    provenance: &BankProvenance,
    banks: &[BankRow],
    branches: &[BranchRow],
) -> Result<SnapshotWriter, WriteError> {
    let mut pool = StringPool::default();
    let tables = BankTables::build(banks, branches, &mut pool);
    let bank_codes: Vec<u32> = banks.iter().map(|row| row.code.into()).collect();
    let branch_codes: Vec<u32> =
        branches.iter().map(|row| branch_key(row.bank, row.code)).collect();
    let mut snapshot = SnapshotWriter::new(BankData::KIND, version);
    snapshot.archive(tag::PROVENANCE, provenance)?;
    snapshot.archive(tag::TABLES, &tables)?;
    snapshot.archive(tag::BANK_CODES, &CodeIndex::build(&bank_codes))?;
    snapshot.archive(tag::BRANCH_CODES, &CodeIndex::build(&branch_codes))?;
    snapshot.archive(tag::STRINGS, &pool.into_table())?;
    Ok(snapshot)
}

impl ReadingCounts {
    /// Keeps the readings that the source gives, and derives the others.
    fn complete(&mut self, names: &mut Names) {
        names.katakana = kana::with_long_vowels(&names.katakana);
        let given = names.hiragana.take().map(|hiragana| kana::with_long_vowels(&hiragana));
        names.hiragana = Some(self.choose(given, kana::bank_hiragana(&names.katakana)));
        let romaji = names.romaji.take();
        names.romaji = Some(self.choose(romaji, kana::bank_romaji(&names.katakana)));
    }

    fn choose(&mut self, given: Option<String>, derived: String) -> String {
        let Some(given) = given else {
            self.derived += 1;
            return derived;
        };
        self.given += 1;
        if given == derived {
            self.agreeing += 1;
        } else if self.differences.len() < DIFFERENCES_MAX {
            self.differences.push((given.clone(), derived));
        }
        given
    }
}

impl BuildReport for BankReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let readings = &self.readings;
        let mut text = format!(
            "{}: {}, {}, {}; {} bytes\n",
            file.path().display(),
            counted(counts.banks as u64, "institution"),
            counted(counts.branches as u64, "branch"),
            counted(counts.codes as u64, "branch code"),
            file.length()
        );
        text.push_str(&match readings.given {
            0 => format!("readings: {} derived from katakana\n", readings.derived),
            given => format!(
                "readings: {given} given, {} of them as derived from katakana ({:.3}%); {} derived\n",
                readings.agreeing,
                f64::from(readings.agreeing) * 100.0 / f64::from(given),
                readings.derived
            ),
        });
        for (given, derived) in &readings.differences {
            text.push_str(&format!("  {given} (derived {derived})\n"));
        }
        let counts = json!({
            "institutions": counts.banks,
            "branches": counts.branches,
            "branch_codes": counts.codes,
            "readings_given": readings.given,
            "readings_agreeing": readings.agreeing,
            "readings_derived": readings.derived,
        });
        Ok(SnapshotReport { dataset: BankData::KIND, file, log: &self.log, text, counts })
    }
}
