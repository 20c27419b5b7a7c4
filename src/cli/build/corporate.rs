//! `daicho build corporate`.

use std::{io::Write, path::PathBuf};

use build_tools::corporate::PrefectureSet;
use clap::Args;

use super::report::print_result;
use super::target::{DifferenceArgs, TargetArgs, inputs};
use crate::cli::error::CommandError;
use crate::cli::print::StepBar;
use crate::compile::{Target, open_verified};
use crate::dataset::corporate::compile::{CorporateSources, Prefectures};
use crate::dataset::corporate::{self, CorporateData};
use crate::snapshot::Dataset;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("state").required(true).args(["full", "base"]))]
pub struct CorporateArgs {
    /// Full files with all corporations, nationwide or by prefecture; plain or compressed
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 1)]
    full: Vec<PathBuf>,
    #[command(flatten)]
    differences: DifferenceArgs,
    /// The register of qualified invoice issuers: full files and differences [default: every
    /// corporation gets the registration number that it would have if registered]
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 6)]
    invoice: Vec<PathBuf>,
    /// Keep only corporations of this prefecture (two digits; 99: abroad); may be repeated; 'all' keeps
    /// every row [default: the prefectures in the full files or the base]
    #[arg(long, value_name = "CODE", value_parser = parse_prefecture, display_order = 7)]
    prefecture: Vec<PrefectureSet>,
    #[command(flatten)]
    target: TargetArgs,
}

fn parse_prefecture(text: &str) -> Result<PrefectureSet, String> {
    if text == "all" {
        return Ok(PrefectureSet::ALL);
    }
    let code = Some(text).filter(|text| text.len() == 2).and_then(|text| text.parse().ok());
    let set: PrefectureSet = code.into_iter().collect();
    match set.is_empty() {
        true => {
            Err(format!("expected two digits (01 to 47, or 99 for abroad) or all; found {text:?}"))
        }
        false => Ok(set),
    }
}

/// The combined value of the options.
fn prefectures(named: &[PrefectureSet]) -> Prefectures {
    if named.contains(&PrefectureSet::ALL) {
        return Prefectures::All;
    }
    let union = named.iter().copied().fold(PrefectureSet::default(), PrefectureSet::union);
    match union.is_empty() {
        true => Prefectures::Covered,
        false => Prefectures::Only(union),
    }
}

pub fn run(args: CorporateArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = Target { strict: args.differences.strict, ..args.target.target()? };
    let sources = CorporateSources {
        full: inputs(&args.full),
        base: args.differences.base.as_deref().map(open_verified).transpose()?,
        diff: inputs(&args.differences.diff),
        invoice: inputs(&args.invoice),
        postal: args.differences.postal.as_deref().map(open_verified).transpose()?,
        prefectures: prefectures(&args.prefecture),
    };
    let built = corporate::compile::build(&target, sources, &StepBar::new());
    print_result(built, &target, CorporateData::KIND, args.target.json, stdout)
}
