//! `daicho build bank`.

use std::{io::Write, path::PathBuf};

use build_tools::{Files, Kind};
use clap::Args;

use super::report::{build_error, print_report};
use super::target::TargetArgs;
use crate::cli::{error::CommandError, progress::StepBar};
use crate::dataset::bank::BankData;
use crate::dataset::bank::compile::{self};
use crate::dataset::report::BuildReport;
use crate::snapshot::Dataset;

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
    let report = report.map_err(|error| build_error(error, &target, BankData::KIND))?;
    print_report(&report.describe()?, args.target.json, stdout)
}
