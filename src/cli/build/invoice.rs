//! `daicho build invoice`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::report::print_result;
use super::target::{DifferenceArgs, TargetArgs, inputs};
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::compile::{Target, open_verified};
use crate::dataset::invoice::InvoiceData;
use crate::dataset::invoice::compile::{self, InvoiceSources};
use crate::snapshot::Dataset;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("state").required(true).args(["full", "base"]))]
pub struct InvoiceArgs {
    /// The full files of the register: every part of h_all and j_all, with --individuals also of k_all;
    /// plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 1)]
    full: Vec<PathBuf>,
    #[command(flatten)]
    differences: DifferenceArgs,
    /// Keep individuals, without names: number, dates and status
    #[arg(long, display_order = 6)]
    individuals: bool,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: InvoiceArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = Target { strict: args.differences.strict, ..args.target.target()? };
    let sources = InvoiceSources {
        full: inputs(&args.full),
        base: args.differences.base.as_deref().map(open_verified).transpose()?,
        diff: inputs(&args.differences.diff),
        postal: args.differences.postal.as_deref().map(open_verified).transpose()?,
        individuals: args.individuals,
    };
    let built = compile::build(&target, sources, &StepBar::new());
    print_result(built, &target, InvoiceData::KIND, args.target.json, stdout)
}
