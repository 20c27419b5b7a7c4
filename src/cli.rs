//! The command line as it is typed. Each command checks its own arguments and runs.

use clap::{Parser, Subcommand};

use crate::command::{CommandError, build, lookup, snapshot};

/// Japanese reference data from your own server: postal codes, banks, corporations.
#[derive(Debug, Parser)]
#[command(name = "daicho", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile official source files into a snapshot
    #[command(subcommand)]
    Build(build::BuildArgs),
    /// List, inspect, verify and prune snapshots
    #[command(subcommand)]
    Snapshot(snapshot::SnapshotArgs),
    /// Look a code up in a snapshot, without a server
    #[command(subcommand)]
    Lookup(lookup::LookupArgs),
}

impl Args {
    /// Runs the command that was typed.
    pub fn run(self) -> Result<(), CommandError> {
        match self.command {
            Command::Build(args) => build::run(args),
            Command::Snapshot(args) => snapshot::run(args),
            Command::Lookup(args) => lookup::run(args),
        }
    }
}
