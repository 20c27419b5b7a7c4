//! The command line as it is typed. Each command checks its own arguments and runs.

use std::io::Write;

use clap::{Parser, Subcommand};

use crate::cli::{
    CommandError, account, key, lookup, normalize, plan, search, serve, snapshot, webhook,
};
use crate::compile;

/// Japanese reference data from your own server: postal codes, banks, corporations.
#[derive(Debug, Parser)]
#[command(name = "daicho", version, max_term_width = 100)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer over HTTP
    Serve(serve::ServeArgs),
    /// Compile official source files into a snapshot
    #[command(subcommand)]
    Build(compile::BuildArgs),
    /// List, inspect, verify and prune snapshots
    #[command(subcommand)]
    Snapshot(snapshot::SnapshotArgs),
    /// Create, list, show and change accounts
    Account(account::AccountArgs),
    /// List the plans and set their quotas
    Plan(plan::PlanArgs),
    /// Create, list and revoke keys
    Key(key::KeyArgs),
    /// List, test and repeat what was sent to webhooks
    Webhook(webhook::WebhookArgs),
    /// Look a code up in a snapshot, without a server
    #[command(subcommand)]
    Lookup(lookup::LookupArgs),
    /// Search a snapshot by address or query, without a server
    #[command(subcommand)]
    Search(search::SearchArgs),
    Normalize(normalize::NormalizeArgs),
}

impl Args {
    /// Runs the command that was typed; what it finds goes to `stdout`.
    pub fn run(self, stdout: &mut dyn Write) -> Result<(), CommandError> {
        match self.command {
            Command::Serve(args) => serve::run(&args, stdout),
            Command::Build(args) => compile::run(args, stdout),
            Command::Snapshot(args) => snapshot::run(args, stdout),
            Command::Account(args) => account::run(&args, stdout),
            Command::Plan(args) => plan::run(&args, stdout),
            Command::Key(args) => key::run(&args, stdout),
            Command::Webhook(args) => webhook::run(&args, stdout),
            Command::Lookup(args) => lookup::run(args, stdout),
            Command::Search(args) => search::run(args, stdout),
            Command::Normalize(args) => normalize::run(&args),
        }
    }
}
