//! `daicho build bank`.

use std::{io::Write, path::PathBuf};

use build_tools::{Files, Kind};
use clap::Args;
use serde_json::json;

use super::report::{SnapshotReport, build_error, print_report};
use super::target::TargetArgs;
use crate::cli::{error::CommandError, print::counted, progress::StepBar};
use crate::dataset::bank::compile::{self, BankReport};
use crate::snapshot::{Dataset, DatasetKind};

#[derive(Debug, Args)]
pub struct BankArgs {
    /// The zengin-code tree (a folder or archive with banks.json) or ginkositen.txt, plain or compressed
    #[arg(long, value_name = "FILE|DIR", display_order = 1)]
    source: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: BankArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let files = Files::open(&args.source, Kind::Bank).map_err(CommandError::failed)?;
    let report = compile::build(&target, &files, &StepBar::new());
    let report = report.map_err(|error| build_error(error, &target, DatasetKind::Bank))?;
    print_report(&describe(&report)?, args.target.json, stdout)
}

pub fn describe(report: &BankReport) -> Result<SnapshotReport<'_>, CommandError> {
    let (file, counts) = (report.data.file(), report.data.counts()?);
    let readings = &report.readings;
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
    Ok(SnapshotReport { file, log: &report.log, text, counts })
}
