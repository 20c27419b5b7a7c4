//! `daicho lookup`: short forms of `daicho get` for codes. Prints the JSON of the API, or the record in a few lines for
//! people, in which the data are the same in every language (`own`).

mod bank;
mod corporate;
mod invoice;
mod parts;
mod postal;
mod school;

use std::io::Write;

use clap::Subcommand;

use super::examples::Examples;
use crate::cli::error::CommandError;

pub use postal::push_postal;

#[rustfmt::skip] // One group per command.
pub const EXAMPLES: &[Examples] = &[
    (&["lookup"], &["daicho lookup postal 100-0001", "daicho lookup bank 0001"]),
    (&["lookup", "postal"], &[
        "daicho lookup postal 100-0001",
        "daicho lookup postal 1000001 --version 2026-05-29 --json",
    ]),
    (&["lookup", "bank"], &["daicho lookup bank 0001", "daicho lookup bank 0001 001"]),
    (&["lookup", "corporate"], &[
        "daicho lookup corporate 7000012050002",
        "daicho lookup corporate 7000012050002 --history",
    ]),
    (&["lookup", "invoice"], &["daicho lookup invoice T7000012050002 --date 2026-04-01"]),
    (&["lookup", "school"], &["daicho lookup school F108110009907"]),
];

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

pub fn run(args: &LookupArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let answer = match args {
        LookupArgs::Postal(args) => postal::run(args, stdout),
        LookupArgs::Bank(args) => bank::run(args, stdout),
        LookupArgs::Corporate(args) => corporate::run(args, stdout),
        LookupArgs::Invoice(args) => invoice::run(args, stdout),
        LookupArgs::School(args) => school::run(args, stdout),
    };
    answer.map(|_answer| ())
}
