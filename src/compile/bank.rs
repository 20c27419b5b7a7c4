//! `daicho build bank`: the bank directory of one date into a snapshot.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use build_tools::bank::{Directory, Names as Read, read_bank};
use build_tools::{Files, Kind};
use clap::Args;

use super::progress::Steps;
use super::rejects::{SHARE_MAX, Tally, parse_share};
use super::{OutArg, bad_source, unwritten};
use crate::cli::{CommandError, print};
use crate::index::exact::CodeIndex;
use crate::query::BankData;
use crate::record::StringPool;
use crate::record::bank::archive::branch_key;
use crate::record::bank::{BankProvenance, BankRow, BankTables, BranchRow, Names, tag};
use crate::snapshot::{Dataset, DatasetKind, SnapshotFile, SnapshotWriter, Versions, WriteError};
use crate::text::bank_reading;
use crate::text::codes::DataVersion;

/// Readings that differ from the derived ones are listed up to this many.
const DIFFERENCES_LISTED_MAX: usize = 20;

/// Arguments of `daicho build bank`.
#[derive(Debug, Args)]
pub struct BankArgs {
    /// Data version: the date of the directory, YYYY-MM-DD
    #[arg(long, value_name = "DATE", env = "DAICHO_VERSION")]
    version: String,
    /// The zengin-code tree (a folder or archive with banks.json) or ginkositen.txt, plain or packed
    #[arg(long, value_name = "FILE|DIR")]
    source: PathBuf,
    /// Share of rows that may be rejected before the build fails
    #[arg(long, value_name = "SHARE", env = "DAICHO_REJECTS_MAX", default_value_t = SHARE_MAX,
          value_parser = parse_share)]
    rejects_max: f64,
    #[command(flatten)]
    out: OutArg,
}

/// Runs `daicho build bank`.
pub fn run(args: BankArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let version = DataVersion::parse(&args.version)
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    let files = Files::open(&args.source, Kind::Bank).map_err(bad_source)?;
    let built = build(version, &files, args.rejects_max, &args.out.out)?;
    print(stdout, built.summary()?.as_bytes())
}

/// A snapshot that was written.
pub struct Built {
    file: SnapshotFile,
    readings: Readings,
}

/// Builds and writes the snapshot of one version.
pub fn build(
    version: DataVersion,
    files: &Files,
    rejects_max: f64,
    out: &Path,
) -> Result<Built, CommandError> {
    let steps = Steps::begin();
    let mut tally = Tally::default();
    steps.step("reading the directory");
    let Directory { format, banks, branches, abolished } =
        read_bank(files, &mut steps.advance()).map_err(bad_source)?;
    let rejects = banks.rejects.len() + branches.rejects.len();
    let mut readings = Readings::default();
    let banks = compile_banks(tally.take(banks), &mut readings);
    let branches = compile_branches(tally.take(branches), &mut readings);
    tally.report(rejects_max)?;
    warn_of_shrinking(version, banks.len(), branches.len(), out)?;
    let provenance = BankProvenance {
        format: format.name().to_owned(),
        rejects: u32::try_from(rejects).unwrap_or(u32::MAX),
        abolished,
        given: readings.given,
    };
    steps.step("writing");
    let snapshot = compile(version, &provenance, &banks, &branches).map_err(unwritten)?;
    let file = snapshot.write(out).map_err(unwritten)?;
    Ok(Built { file, readings })
}

fn compile_banks(rows: Vec<build_tools::bank::BankRow>, readings: &mut Readings) -> Vec<BankRow> {
    rows.into_iter()
        .map(|row| BankRow { code: row.code, names: readings.fill(row.names) })
        .collect()
}

fn compile_branches(
    rows: Vec<build_tools::bank::BranchRow>,
    readings: &mut Readings,
) -> Vec<BranchRow> {
    let fill = |row: build_tools::bank::BranchRow| {
        let names = readings.fill(row.names);
        BranchRow { bank: row.bank, code: row.code, names }
    };
    rows.into_iter().map(fill).collect()
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
    let mut snapshot = SnapshotWriter::begin(DatasetKind::Bank, version);
    snapshot.archive(tag::PROVENANCE, provenance)?;
    snapshot.archive(tag::TABLES, &tables)?;
    snapshot.archive(tag::BANK_CODES, &CodeIndex::build(&bank_codes))?;
    snapshot.archive(tag::BRANCH_CODES, &CodeIndex::build(&branch_codes))?;
    snapshot.archive(tag::STRINGS, &pool.into_table())?;
    Ok(snapshot)
}

/// A list that was cut at a line's end reads as a shorter list: only the version before can tell.
fn warn_of_shrinking(
    version: DataVersion,
    banks: usize,
    branches: usize,
    out: &Path,
) -> Result<(), CommandError> {
    let versions = Versions::<BankData>::scan(out, None)
        .map_err(|cause| CommandError::BadInput(format!("{}: {cause}", out.display())))?;
    let Some(before) = versions.before(version) else { return Ok(()) };
    let then = before.counts().map_err(|error| CommandError::Damaged(error.to_string()))?;
    for (what, now, then) in
        [("institutions", banks, then.banks), ("branches", branches, then.branches)]
    {
        if now * 10 < then * 9 {
            let before = before.version();
            eprintln!(
                "warning: {now} {what}, version {before} had {then}; is the directory whole?"
            );
        }
    }
    Ok(())
}

/// Readings that the source gave beside those that were derived, and how the two agree.
#[derive(Default)]
struct Readings {
    given: u32,
    agreeing: u32,
    derived: u32,
    differences: Vec<String>,
}

impl Readings {
    /// Takes what the source gave and derives the rest.
    fn fill(&mut self, names: Read) -> Names {
        let hiragana = bank_reading::hiragana(&names.katakana);
        let romaji = bank_reading::romaji(&names.katakana);
        let hiragana = self.choose(names.hiragana, hiragana);
        let romaji = self.choose(names.romaji, romaji);
        Names { name: names.name, katakana: names.katakana, hiragana, romaji }
    }

    fn choose(&mut self, given: Option<String>, derived: String) -> String {
        let Some(given) = given else {
            self.derived += 1;
            return derived;
        };
        self.given += 1;
        if given == derived {
            self.agreeing += 1;
        } else if self.differences.len() < DIFFERENCES_LISTED_MAX {
            self.differences.push(format!("{given} (derived {derived})"));
        }
        given
    }
}

impl Built {
    /// What was built, in a few lines.
    pub fn summary(self) -> Result<String, CommandError> {
        let data = BankData::attach(self.file);
        let counts = data.counts()?;
        let mut summary = format!(
            "{}: {} institutions, {} branches, {} branch codes; {} bytes\n",
            data.file().path().display(),
            counts.banks,
            counts.branches,
            counts.codes,
            data.file().length()
        );
        let Readings { given, agreeing, derived, differences } = &self.readings;
        let share = f64::from(*agreeing) * 100.0 / f64::from((*given).max(1));
        let _ = match given {
            0 => writeln!(summary, "readings: {derived} derived from katakana"),
            _ => writeln!(
                summary,
                "readings: {given} given, {agreeing} of them as derived from katakana \
                 ({share:.3}%); {derived} derived"
            ),
        };
        for difference in differences {
            let _ = writeln!(summary, "  {difference}");
        }
        Ok(summary)
    }
}
