//! `daicho build included`.

use std::io::Write;

use build_tools::included::CORPORATE_CREDIT;
use clap::Args;
use serde_json::{Map, Value};

use super::report::print_reports;
use super::target::{JsonArg, OutArg};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::dataset::included::{self, IncludedDataset};
use crate::dataset::report::BuildReport;

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

pub fn run(args: &IncludedArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
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
