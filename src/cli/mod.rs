//! The command line: parses arguments, calls the library, prints results. One file or folder per verb.
//!
//! Only `cli` parses options, sets exit codes and writes to standard output.

mod account;
mod build;
mod data;
pub mod error;
mod examples;
#[cfg(test)]
mod examples_tests;
mod export;
mod export_layout;
mod get;
mod health;
mod japanese_help;
mod key;
mod language;
mod lookup;
mod match_corporations;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "object-store")]
mod node;
mod normalize;
mod output;
mod password;
mod plan;
mod print;
#[cfg(feature = "object-store")]
mod release;
mod search;
pub mod serve;
mod shorthand;
mod snapshot;
mod store;
mod update;
mod watch;
mod webhook;
mod webhook_options;

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use self::error::CommandError;
use crate::language::Language;

/// Japanese reference data from your own server: postal codes, banks, corporations, invoice issuers, schools.
#[derive(Debug, Parser)]
#[command(name = "daicho", version, max_term_width = 100)]
pub struct Args {
    /// Language of help, messages and errors [default: that of LC_ALL, LC_MESSAGES or LANG]
    #[arg(long = "lang", value_name = "LANGUAGE", global = true, env = language::VARIABLE, display_order = 900)]
    #[arg(value_parser = language::parser())]
    language: Option<Language>,
    #[command(subcommand)]
    command: Command,
}

/// The command line with examples, for the help, the manual pages and the completions.
pub fn command() -> clap::Command {
    examples::with_examples(Args::command())
}

impl Args {
    /// Parses the arguments of this process; exits after printing the help or an error.
    pub fn of_process() -> Args {
        let arguments: Vec<OsString> = std::env::args_os().collect();
        let command = shorthand::without_empty_variables(command());
        let error = match Args::parse_with(&command, &arguments) {
            Ok(args) => {
                language::set(args.language());
                return args;
            }
            Err(error) => error,
        };
        if language::of_arguments(&arguments) == Language::English {
            error.exit();
        }
        // Only now, since the help of a sound command line is not shown.
        let japanese = Args::parse_with(&japanese_help::in_japanese(command), &arguments);
        language::exit_in_japanese(&japanese.err().unwrap_or(error))
    }

    fn parse_with(command: &clap::Command, arguments: &[OsString]) -> Result<Args, clap::Error> {
        let arguments = shorthand::with_verb(command, arguments.to_vec())?;
        let matches = command.clone().try_get_matches_from(arguments)?;
        Args::from_arg_matches(&matches)
    }

    /// The language of messages and errors.
    pub fn language(&self) -> Language {
        self.language.unwrap_or_else(language::of_system)
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the HTTP server
    Serve(Box<serve::ServeArgs>),
    /// Compile official source files into a snapshot
    #[command(subcommand)]
    Build(build::BuildArgs),
    Update(update::UpdateArgs),
    /// List, inspect, verify, install and prune snapshots
    #[command(subcommand)]
    Snapshot(snapshot::SnapshotArgs),
    /// Publish snapshots to an object store and choose the release that servers use
    #[cfg(feature = "object-store")]
    #[command(subcommand)]
    Release(release::ReleaseArgs),
    /// List the servers that follow releases
    #[cfg(feature = "object-store")]
    #[command(subcommand)]
    Node(node::NodeArgs),
    /// Create, list, show, change and delete accounts
    Account(account::AccountArgs),
    /// List the plans and set their quotas
    Plan(plan::PlanArgs),
    /// Create, list and revoke API keys
    Key(key::KeyArgs),
    /// List, show, test and resend webhook deliveries
    Webhook(webhook::WebhookArgs),
    /// Watch the corporations or invoice issuers of a whole file
    Watch(watch::WatchArgs),
    Get(get::GetArgs),
    /// Look up a code in a snapshot, without a server
    #[command(subcommand)]
    Lookup(lookup::LookupArgs),
    /// Search a snapshot by address or query, without a server
    #[command(subcommand)]
    Search(search::SearchArgs),
    Normalize(normalize::NormalizeArgs),
    Match(match_corporations::MatchArgs),
    Export(export::ExportArgs),
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    Health(health::HealthArgs),
}

impl Args {
    /// Whether the command is a server, which must never block on the reader of its output.
    pub fn is_server(&self) -> bool {
        matches!(self.command, Command::Serve(_))
    }

    pub fn run(self, stdout: &mut dyn Write) -> Result<(), CommandError> {
        let language = self.language();
        match self.command {
            Command::Serve(args) => serve::run(&args, language, stdout),
            Command::Build(args) => build::run(args, stdout),
            Command::Update(args) => update::run(&args, stdout),
            Command::Snapshot(args) => snapshot::run(args, stdout),
            #[cfg(feature = "object-store")]
            Command::Release(args) => release::run(args, stdout),
            #[cfg(feature = "object-store")]
            Command::Node(args) => node::run(&args, stdout),
            Command::Account(args) => account::run(&args, stdout),
            Command::Plan(args) => plan::run(&args, stdout),
            Command::Key(args) => key::run(&args, stdout),
            Command::Webhook(args) => webhook::run(&args, stdout),
            Command::Watch(args) => watch::run(&args, stdout),
            Command::Get(args) => get::run(&args, stdout),
            Command::Lookup(args) => lookup::run(args, stdout),
            Command::Search(args) => search::run(args, stdout),
            Command::Normalize(args) => normalize::run(&args),
            Command::Match(args) => match_corporations::run(&args),
            Command::Export(args) => export::run(&args),
            #[cfg(feature = "mcp")]
            Command::Mcp(args) => mcp::run(args),
            Command::Health(args) => health::run(&args, stdout),
        }
    }
}

#[cfg(test)]
mod account_tests;
#[cfg(test)]
mod station_tests;
