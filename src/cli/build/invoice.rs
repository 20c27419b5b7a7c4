//! `daicho build invoice`.

use std::{io::Write, path::PathBuf};

use clap::Args;
use serde_json::json;

use super::report::{SnapshotReport, build_error, print_report};
use super::target::{DifferenceArgs, TargetArgs, differences_line, inputs};
use crate::cli::{error::CommandError, print::counted, progress::StepBar};
use crate::compile::Target;
use crate::compile::open_verified;
use crate::dataset::invoice::compile::{self, InvoiceReport, InvoiceSources};
use crate::snapshot::{Dataset, DatasetKind};

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
    let report = compile::build(&target, sources, &StepBar::new());
    let report = report.map_err(|error| build_error(error, &target, DatasetKind::Invoice))?;
    print_report(&describe(&report)?, args.target.json, stdout)
}

pub fn describe(report: &InvoiceReport) -> Result<SnapshotReport<'_>, CommandError> {
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
    text.push_str(&differences_line(report.days, report.changed, report.withdrawn));
    if report.individuals > 0 {
        let left_out = counted(report.individuals as u64, "individual");
        text.push_str(&format!("left out: {left_out} (keep them with --individuals)\n"));
    }
    let counts = json!({
        "numbers": numbers,
        "in_force": counts.registered,
        "individuals": counts.individuals,
        "days": report.days,
        "changed": report.changed,
        "withdrawn": report.withdrawn,
        "left_out_individuals": report.individuals,
    });
    Ok(SnapshotReport { file, log: &report.log, text, counts })
}
