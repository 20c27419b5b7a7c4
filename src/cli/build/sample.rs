//! `daicho build sample`.

use std::io::Write;

use clap::Args;
use serde_json::Map;

use super::report::print_reports;
use super::target::{JsonArg, OutArg};
use super::{bank, corporate, invoice, postal, school};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::dataset::sample;

#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

pub fn run(args: &SampleArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let report = sample::build(&args.out.out, &StepBar::new())?;
    let built = (report.postal.iter().map(postal::describe))
        .chain(report.bank.iter().map(bank::describe))
        .chain(report.corporate.iter().map(corporate::describe))
        .chain(report.invoice.iter().map(invoice::describe))
        .chain(report.school.iter().map(school::describe));
    let built: Vec<_> = built.collect::<Result<_, _>>()?;
    print_reports(&built, Map::new(), "", args.json, stdout)
}
