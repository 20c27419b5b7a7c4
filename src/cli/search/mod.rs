//! `daicho search`: searches a snapshot by address or query, without a server.

mod address;
mod corporate;
mod page;

use std::io::Write;

use clap::Subcommand;

use crate::cli::error::CommandError;

#[derive(Debug, Subcommand)]
pub enum SearchArgs {
    /// Postal records, by an address or a query
    Address(address::AddressArgs),
    /// Corporations, by a query
    Corporate(corporate::CorporateArgs),
}

pub fn run(args: SearchArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        SearchArgs::Address(args) => address::run(args, stdout),
        SearchArgs::Corporate(args) => corporate::run(args, stdout),
    }
}
