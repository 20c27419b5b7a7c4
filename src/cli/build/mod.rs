//! `daicho build`: opens the sources, compiles them, and prints a report.

mod bank;
mod corporate;
mod included;
mod invoice;
mod postal;
mod report;
mod sample;
mod school;
mod target;

use std::io::Write;

use clap::Subcommand;

use super::{error::CommandError, interrupt::clean_up_on_signals};

#[derive(Debug, Subcommand)]
pub enum BuildArgs {
    /// Postal codes, from Japan Post's files
    Postal(postal::PostalArgs),
    /// Banks and branches, from the zengin-code tree or ginkositen.txt
    Bank(bank::BankArgs),
    /// Corporations, from the tax agency's full files and daily differences
    Corporate(corporate::CorporateArgs),
    /// Qualified invoice issuers, from the tax agency's full files and daily differences
    Invoice(invoice::InvoiceArgs),
    /// Schools, from the ministry's lists of school codes
    School(school::SchoolArgs),
    /// The official data included in the program, for datasets that the folder does not have: the postal codes of
    /// May 2026 and the corporations of Tottori of July 2026
    Included(included::IncludedArgs),
    /// Every dataset, from a small sample of mostly invented records
    Sample(sample::SampleArgs),
}

pub fn run(args: BuildArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    clean_up_on_signals()?;
    match args {
        BuildArgs::Postal(args) => postal::run(args, stdout),
        BuildArgs::Bank(args) => bank::run(args, stdout),
        BuildArgs::Corporate(args) => corporate::run(args, stdout),
        BuildArgs::Invoice(args) => invoice::run(args, stdout),
        BuildArgs::School(args) => school::run(args, stdout),
        BuildArgs::Included(args) => included::run(&args, stdout),
        BuildArgs::Sample(args) => sample::run(&args, stdout),
    }
}
