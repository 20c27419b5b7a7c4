//! Compiles the bank directory of one date to a snapshot. Readings that the source lacks are derived.

use build_tools::Files;
use build_tools::bank::{self as source, BankDirectory, read_bank};

use super::BankData;
use super::record::{BankProvenance, BankRow, BankTables, BranchRow, Names, branch_key, tag};
use crate::compile::error::Result;
use crate::compile::target::Build;
use crate::compile::{BuildLog, Progress, Target};
use crate::index::code_index::CodeIndex;
use crate::record::StringPool;
use crate::snapshot::{Dataset, SnapshotWriter, WriteError};
use crate::text::{bank_reading, codes::DataVersion};

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
    let banks = build.log.add_batch(banks).into_iter();
    let banks: Vec<BankRow> =
        banks.map(|row| BankRow { code: row.code, names: readings.complete(row.names) }).collect();
    let branches: Vec<BranchRow> = build
        .log
        .add_batch(branches)
        .into_iter()
        .map(|row| BranchRow {
            bank: row.bank,
            code: row.code,
            names: readings.complete(row.names),
        })
        .collect();
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
    let data = build.publish(snapshot.stage(target.folder)?)?;
    Ok(BankReport { data, readings, log: build.log })
}

fn compile(
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
    fn complete(&mut self, names: source::Names) -> Names {
        let katakana = bank_reading::with_long_vowels(&names.katakana);
        let given = names.hiragana.map(|hiragana| bank_reading::with_long_vowels(&hiragana));
        let hiragana = self.choose(given, bank_reading::hiragana(&katakana));
        let romaji = self.choose(names.romaji, bank_reading::romaji(&katakana));
        Names { name: names.name, katakana, hiragana, romaji }
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
