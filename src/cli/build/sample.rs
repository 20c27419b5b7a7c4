//! `daicho build sample`.

use std::io::Write;

use clap::Args;
use serde_json::Map;

use super::report::print_several;
use super::target::{JsonArg, OutArg};
use super::{bank, corporate, invoice, postal, school};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::compile::sample;

#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

pub fn run(args: &SampleArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let report = sample::build(&args.out.out, &StepBar::begin())?;
    let built = (report.postal.iter().map(postal::built))
        .chain(report.bank.iter().map(bank::built))
        .chain(report.corporate.iter().map(corporate::built))
        .chain(report.invoice.iter().map(invoice::built))
        .chain(report.school.iter().map(school::built));
    let built: Vec<_> = built.collect::<Result<_, _>>()?;
    print_several(&built, (Map::new(), ""), args.json, stdout)
}
