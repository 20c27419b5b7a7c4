//! `daicho build sample`: every edition of a small data set that is included in the program.

use std::io::Write;

use clap::Args;
use serde_json::Map;

use super::report::print_reports;
use super::target::{JsonArg, OutArg};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::dataset::DATASETS;

#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    out: OutArg,
}

pub fn run(args: &SampleArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let (folder, progress) = (&args.out.out, StepBar::new());
    let mut reports = Vec::new();
    for dataset in DATASETS {
        reports.extend(dataset.build_sample(folder, &progress)?);
    }
    let built: Vec<_> = reports.iter().map(|report| report.describe()).collect::<Result<_, _>>()?;
    print_reports(&built, Map::new(), "", args.json, stdout)
}
