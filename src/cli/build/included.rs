//! `daicho build included`.

use std::io::Write;

use build_tools::included::CORPORATE_CREDIT;
use clap::Args;

use super::target::{OutArg, failed, print_log};
use super::{corporate, postal};
use crate::cli::{error::CommandError, print::print, progress::StepBar};
use crate::compile::included::{self, Included};

#[derive(Debug, Args)]
pub struct IncludedArgs {
    /// Build again what is there, and build what is refused otherwise
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    out: OutArg,
}

pub fn run(args: &IncludedArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let report = included::build(&args.out.out, args.force, &StepBar::begin()).map_err(failed)?;
    let there = |path: &std::path::Path| format!("{}: there already\n", path.display());
    match &report.postal {
        Included::There(path) => print(stdout, there(path).as_bytes())?,
        Included::Built(report) => {
            print_log(&report.log);
            postal::print_report(report, stdout)?;
        }
    }
    match &report.corporate {
        Included::There(path) => print(stdout, there(path).as_bytes())?,
        Included::Built(report) => {
            print_log(&report.log);
            corporate::print_report(report, stdout)?;
        }
    }
    print(stdout, format!("{CORPORATE_CREDIT}\n").as_bytes())
}
