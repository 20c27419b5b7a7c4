//! `daicho build sample`.

use std::io::Write;

use super::target::{OutArg, failed, print_log};
use super::{bank, corporate, invoice, postal, school};
use crate::cli::{error::CommandError, progress::StepBar};
use crate::compile::sample;

pub fn run(args: &OutArg, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let report = sample::build(&args.out, &StepBar::begin()).map_err(failed)?;
    for report in &report.postal {
        print_log(&report.log);
        postal::print_report(report, stdout)?;
    }
    for report in &report.bank {
        print_log(&report.log);
        bank::print_report(report, stdout)?;
    }
    for report in &report.corporate {
        print_log(&report.log);
        corporate::print_report(report, stdout)?;
    }
    for report in &report.invoice {
        print_log(&report.log);
        invoice::print_report(report, stdout)?;
    }
    for report in &report.school {
        print_log(&report.log);
        school::print_report(report, stdout)?;
    }
    Ok(())
}
