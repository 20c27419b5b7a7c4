//! `daicho build bank`.

use std::io::Write;
use std::path::PathBuf;

use build_tools::{Files, Kind};
use clap::Args;

use super::report::print_result;
use super::target::TargetArgs;
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::dataset::bank::{BankData, compile};
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
    let built = compile::build(&target, &files, &StepBar::new());
    print_result(built, &target, BankData::KIND, args.target.json, stdout)
}
