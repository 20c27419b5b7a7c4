//! `daicho build`: opens the sources, compiles them, and prints a report.

mod corporate;
mod postal;
mod report;
mod target;

use std::io::Write;
use std::path::PathBuf;

use build_tools::included::CORPORATE_CREDIT;
use build_tools::{Files, Kind};
use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::error::CommandError;
use super::output::clean_up_on_signals;
use super::print::StepBar;
use crate::compile::open_verified;
use crate::dataset::bank::{self, BankData};
use crate::dataset::included::IncludedDataset;
use crate::dataset::report::BuildReport;
use crate::dataset::school::compile::SchoolSources;
use crate::dataset::school::{self, SchoolData};
use crate::dataset::{DATASETS, included};
use crate::snapshot::Dataset;
use report::{print_reports, print_result};
use target::{JsonArg, OutArg, TargetArgs};

#[derive(Debug, Subcommand)]
pub enum BuildArgs {
    /// Postal codes, from Japan Post's files
    Postal(postal::PostalArgs),
    /// Banks and branches, from the zengin-code tree or ginkositen.txt
    Bank(BankArgs),
    /// Corporations, from the tax agency's full files and daily differences
    Corporate(corporate::CorporateArgs),
    /// Qualified invoice issuers, from the tax agency's full files and daily differences
    Invoice(corporate::InvoiceArgs),
    /// Schools, from the ministry's lists of school codes
    School(SchoolArgs),
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
        BuildArgs::Bank(args) => run_bank(args, stdout),
        BuildArgs::Corporate(args) => corporate::run(args, stdout),
        BuildArgs::Invoice(args) => corporate::run_invoice(args, stdout),
        BuildArgs::School(args) => run_school(args, stdout),
        BuildArgs::Included(args) => run_included(&args, stdout),
        BuildArgs::Sample(args) => run_sample(&args, stdout),
    }
}

#[derive(Debug, Args)]
pub struct SchoolArgs {
    /// The ministry's lists of school codes, all parts of one edition: files, a folder or an archive
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., required = true, display_order = 1)]
    source: Vec<PathBuf>,
    /// Postal snapshot used to normalise the addresses and to add the readings of municipalities
    #[arg(long, value_name = "SNAPSHOT", display_order = 2)]
    postal: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
}

fn run_school(args: SchoolArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let lists = args.source.iter().map(|path| Files::open(path, Kind::School));
    let sources = SchoolSources {
        lists: lists.collect::<Result<_, _>>().map_err(CommandError::failed)?,
        postal: args.postal.as_deref().map(open_verified).transpose()?,
    };
    let built = school::compile::build(&target, &sources, &StepBar::new());
    print_result(built, &target, SchoolData::KIND, args.target.json, stdout)
}

#[derive(Debug, Args)]
pub struct BankArgs {
    /// The zengin-code tree (a folder or archive with banks.json) or ginkositen.txt, plain or compressed
    #[arg(long, value_name = "FILE|DIR", display_order = 1)]
    source: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
}

fn run_bank(args: BankArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let files = Files::open(&args.source, Kind::Bank).map_err(CommandError::failed)?;
    let built = bank::compile::build(&target, &files, &StepBar::new());
    print_result(built, &target, BankData::KIND, args.target.json, stdout)
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
    let built: Vec<_> = reports.iter().map(|report| report.describe()).collect::<Result<_, _>>()?;
    print_reports(&built, Map::new(), "", args.json, stdout)
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
    let (mut built, mut existing) = (Vec::new(), Vec::new());
    match &report.postal {
        IncludedDataset::Existing(path) => existing.push(path.display().to_string()),
        IncludedDataset::Built(report) => built.push(report.describe()?),
    }
    match &report.corporate {
        IncludedDataset::Existing(path) => existing.push(path.display().to_string()),
        IncludedDataset::Built(report) => built.push(report.describe()?),
    }
    let mut lines: String =
        existing.iter().map(|path| format!("{path}: already exists\n")).collect();
    lines.push_str(&format!("{CORPORATE_CREDIT}\n"));
    let mut members = Map::new();
    members.insert("there".to_owned(), existing.into());
    members.insert("credit".to_owned(), Value::from(CORPORATE_CREDIT));
    print_reports(&built, members, &lines, args.json, stdout)
}
