//! `daicho build`: opens the sources, compiles them, and prints a report.

mod bank;
mod corporate;
mod invoice;
mod postal;
mod report;
mod school;
mod target;

use std::io::Write;

use build_tools::included::CORPORATE_CREDIT;
use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::error::CommandError;
use super::examples::Examples;
use super::output::clean_up_on_signals;
use super::print::StepBar;
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::dataset::{DATASETS, included};
use report::print_reports;
use target::{JsonArg, OutArg};

#[rustfmt::skip] // One group per command.
pub const EXAMPLES: &[Examples] = &[
    (&["build"], &["daicho build included", "daicho build sample --out demo"]),
    (&["build", "postal"], &[
        "daicho build postal --area utf_ken_all.zip --business jigyosyo.zip --version 2026-05-29",
        "daicho build postal --area utf_ken_all.csv --version 2026-05-29 --out snapshots --json",
    ]),
    (&["build", "bank"], &["daicho build bank --source ginkositen.txt --version 2026-05-25"]),
    (&["build", "corporate"], &[
        "daicho build corporate --full 00_zenkoku_all_20260731.zip --version 2026-07-31",
        "daicho build corporate --base snapshots/corporate/2026-07-31.daicho --diff diff_20260803.zip --version 2026-08-03",
    ]),
    (&["build", "invoice"], &[
        "daicho build invoice --full h_all_20260731_001.zip --version 2026-07-31",
    ]),
    (&["build", "school"], &["daicho build school --source lists --version 2026-08-25"]),
    (&["build", "included"], &["daicho build included --out snapshots"]),
    (&["build", "sample"], &["daicho build sample --out demo"]),
];

#[derive(Debug, Subcommand)]
pub enum BuildArgs {
    /// Postal codes, from Japan Post's files
    Postal(postal::PostalArgs),
    /// Banks and branches, from the zengin-code tree or ginkositen.txt
    Bank(bank::BankArgs),
    /// Corporations, from the tax agency's full files and daily differences
    Corporate(corporate::CorporateArgs),
    /// Qualified invoice issuers, from the tax agency's full files and daily differences
    Invoice(invoice::InvoiceArgs),
    /// Schools, from the ministry's lists of school codes
    School(school::SchoolArgs),
    /// The official data included in the program, for datasets that the folder does not have: the postal codes of
    /// May 2026 and the corporations of Tottori of July 2026
    Included(IncludedArgs),
    /// Every dataset, from a small sample of mostly invented records
    Sample(SampleArgs),
}

pub fn run(args: BuildArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    clean_up_on_signals()?;
    match args {
        BuildArgs::Postal(args) => postal::run(args, stdout),
        BuildArgs::Bank(args) => bank::run(args, stdout),
        BuildArgs::Corporate(args) => corporate::run(args, stdout),
        BuildArgs::Invoice(args) => invoice::run(args, stdout),
        BuildArgs::School(args) => school::run(args, stdout),
        BuildArgs::Included(args) => run_included(&args, stdout),
        BuildArgs::Sample(args) => run_sample(&args, stdout),
    }
}

#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

fn run_sample(args: &SampleArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let (folder, progress) = (&args.out.out, StepBar::new());
    let mut reports = Vec::new();
    for dataset in DATASETS {
        reports.extend(dataset.build_sample(folder, &progress)?);
    }
    print_reports(&described(&reports)?, Map::new(), "", args.json, stdout)
}

fn described(reports: &[Box<dyn BuildReport>]) -> Result<Vec<SnapshotReport<'_>>, CommandError> {
    Ok(reports.iter().map(|report| report.describe()).collect::<Result<_, _>>()?)
}

#[derive(Debug, Args)]
pub struct IncludedArgs {
    /// Build both datasets even if the folder has versions of them, and skip the refusal checks
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

fn run_included(args: &IncludedArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let report = included::build(&args.out.out, args.force, &StepBar::new())?;
    let built = described(&report.built)?;
    let existing = report.existing.iter().map(|path| path.display().to_string());
    let existing: Vec<String> = existing.collect();
    let mut lines: String =
        existing.iter().map(|path| format!("{path}: already exists\n")).collect();
    lines.push_str(&format!("{CORPORATE_CREDIT}\n"));
    let mut members = Map::new();
    members.insert("there".to_owned(), existing.into());
    members.insert("credit".to_owned(), Value::from(CORPORATE_CREDIT));
    print_reports(&built, members, &lines, args.json, stdout)
}
