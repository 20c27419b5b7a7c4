//! `daicho lookup`: looks up codes in a snapshot, without a server.

mod bank;
mod corporate;
mod invoice;
mod postal;
mod school;

use std::io::Write;

use clap::Subcommand;

pub use self::postal::push_record;
use crate::cli::error::CommandError;

#[derive(Debug, Subcommand)]
pub enum LookupArgs {
    /// A postal code or a large-business number
    Postal(postal::PostalArgs),
    /// An institution, or a branch of it
    Bank(bank::BankArgs),
    /// A corporation by its number
    Corporate(corporate::CorporateArgs),
    /// A qualified invoice issuer by its registration number
    Invoice(invoice::InvoiceArgs),
    /// A school by its code
    School(school::SchoolArgs),
}

pub fn run(args: LookupArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        LookupArgs::Postal(args) => postal::run(args, stdout),
        LookupArgs::Bank(args) => bank::run(args, stdout),
        LookupArgs::Corporate(args) => corporate::run(args, stdout),
        LookupArgs::Invoice(args) => invoice::run(args, stdout),
        LookupArgs::School(args) => school::run(args, stdout),
    }
}
