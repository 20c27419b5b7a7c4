//! `daicho build invoice`.

use std::{io::Write, path::PathBuf};

use clap::Args;

use super::target::{DifferenceArgs, TargetArgs, differences, failed, inputs, print_log};
use crate::cli::print::{counted, print};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::compile::corporate::open;
use crate::compile::invoice::{self, InvoiceReport, InvoiceSources};
use crate::snapshot::Dataset;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("state").required(true).args(["full", "base"]))]
pub struct InvoiceArgs {
    /// The register's full files: every part of h_all and j_all; with --individuals of k_all too; plain
    /// or packed
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 1)]
    full: Vec<PathBuf>,
    #[command(flatten)]
    since: DifferenceArgs,
    /// Keep individuals: their numbers, dates and status, without names
    #[arg(long, display_order = 5)]
    individuals: bool,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: InvoiceArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let sources = InvoiceSources {
        full: inputs(&args.full),
        base: args.since.base.as_deref().map(open).transpose()?,
        diff: inputs(&args.since.diff),
        postal: args.since.postal.as_deref().map(open).transpose()?,
        individuals: args.individuals,
    };
    let report = invoice::build(&target, sources, &StepBar::begin()).map_err(failed)?;
    print_log(&report.log);
    print_report(&report, stdout)
}

pub fn print_report(report: &InvoiceReport, out: &mut dyn Write) -> Result<(), CommandError> {
    let (file, counts) = (report.data.file(), report.data.counts()?);
    let numbers = counts.others + counts.individuals;
    let mut text = format!(
        "{}: {}, {} of them in force; {} of individuals; {} bytes, {} per number\n",
        file.path().display(),
        counted(numbers as u64, "number"),
        counts.registered,
        counts.individuals,
        file.length(),
        file.length() / numbers.max(1) as u64
    );
    text.push_str(&differences(report.days, report.changed, report.withdrawn));
    if report.individuals > 0 {
        let left_out = counted(report.individuals as u64, "individual");
        text.push_str(&format!("left out: {left_out} (--individuals keeps them)\n"));
    }
    print(out, text.as_bytes())
}
