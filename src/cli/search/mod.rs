//! `daicho search`: from what people write to records, without a server. A dataset a file.

mod address;
mod corporate;

use std::io::Write;

use clap::Subcommand;

use crate::cli::error::CommandError;

/// Records shown to people where they name no number.
const LIMIT_TEXT: u8 = 10;

/// Records in JSON where none is named, as in the API; and the most of either.
const LIMIT_JSON: u8 = 100;

/// What to search.
#[derive(Debug, Subcommand)]
pub enum SearchArgs {
    /// Postal records, by an address or a query
    Address(address::AddressArgs),
    /// Corporations, by a query
    Corporate(corporate::CorporateArgs),
}

/// Runs `daicho search …`. Where nothing is found, it says so after what it understood.
pub fn run(args: SearchArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        SearchArgs::Address(args) => address::run(args, stdout),
        SearchArgs::Corporate(args) => corporate::run(args, stdout),
    }
}

/// How many records are shown.
fn limit(asked: Option<u8>, json: bool) -> u8 {
    asked.unwrap_or(if json { LIMIT_JSON } else { LIMIT_TEXT })
}

/// The last line for people: how many records there are, and how to see more.
fn push_total(out: &mut String, shown: u64, count: u64, what: [&str; 2], version: impl ToString) {
    if count == 0 {
        return;
    }
    let [one, many] = what;
    let records = if count == 1 { one } else { many };
    let more = if shown < count { ", the first shown; --limit shows more" } else { "" };
    out.push_str(&format!("{count} {records} in data version {}{more}\n", version.to_string()));
}
