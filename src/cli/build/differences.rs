//! The common options of builds that apply daily differences: corporations and invoice issuers.

use std::path::PathBuf;

use clap::Args;

use crate::cli::print::counted;

#[derive(Debug, Args)]
pub struct DifferenceArgs {
    /// The earlier snapshot to which the differences are applied
    #[arg(long, value_name = "SNAPSHOT", display_order = 2)]
    pub base: Option<PathBuf>,
    /// Daily difference files, in any order; plain, compressed, or archives of several files
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 3)]
    pub diff: Vec<PathBuf>,
    /// Fail if days between the differences are missing; without it they are only reported
    #[arg(long, display_order = 4)]
    pub strict: bool,
    /// Postal snapshot used to normalise the addresses; for invoice issuers also the source of the
    /// readings of municipalities
    #[arg(long, value_name = "SNAPSHOT", display_order = 5)]
    pub postal: Option<PathBuf>,
}

/// The line of the report about the applied differences; empty without any.
pub fn differences_line(days: usize, changed: usize, withdrawn: usize) -> String {
    if days == 0 {
        return String::new();
    }
    let (days, changed) = (counted(days as u64, "day"), counted(changed as u64, "number"));
    format!("differences of {days}; {changed} changed, {withdrawn} withdrawn\n")
}
