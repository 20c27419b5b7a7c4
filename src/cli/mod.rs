//! The command line: parses arguments, calls the library, prints results. One file or folder per verb.
//!
//! Only `cli` parses options, sets exit codes and writes to standard output.

mod account;
mod backup;
mod beginning;
mod build;
mod config;
mod corrections;
mod corrections_template;
mod data;
mod doctor;
pub mod error;
mod examples;
#[cfg(test)]
mod examples_tests;
mod export;
mod export_layout;
mod get;
mod health;
mod health_connection;
mod japanese_help;
mod key;
mod language;
mod lookup;
mod match_corporations;
#[cfg(feature = "mcp")]
mod mcp;
mod named_value;
mod needed;
#[cfg(feature = "object-store")]
mod node;
mod normalize;
mod output;
mod password;
mod plan;
mod print;
#[cfg(feature = "object-store")]
mod release;
mod restore;
mod search;
pub mod serve;
mod settings;
mod shorthand;
mod snapshot;
mod store;
mod update;
mod watch;
mod webhook;
mod webhook_options;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::Timestamp;

use self::beginning::Beginning;
use self::error::CommandError;
use self::settings::SettingsFile;
use crate::language::Language;

/// Japanese reference data from your own server: postal codes, banks, corporations, invoice issuers, schools.
#[derive(Debug, Parser)]
#[command(name = "daicho", version, max_term_width = 100)]
pub struct Args {
    /// Settings file in TOML: a key for every option that has a variable, such as listen. The command line and
    /// variables override it. No file is read unless this or the variable names one
    #[arg(long, global = true, value_name = "FILE", env = settings::VARIABLE, display_order = 901)]
    config: Option<PathBuf>,
    /// Language of help, messages and errors [default: that of LC_ALL, LC_MESSAGES or LANG]
    #[arg(long = "lang", value_name = "LANGUAGE", global = true, env = language::VARIABLE, display_order = 900)]
    #[arg(value_parser = language::parser())]
    language: Option<Language>,
    #[command(subcommand)]
    command: Command,
}

/// The command line with examples, for the help, the manual pages and the completions.
pub fn command() -> clap::Command {
    examples::with_examples(Args::command(), &[build::EXAMPLES, lookup::EXAMPLES])
}

impl Args {
    /// Parses the arguments of this process, with the settings file; exits after printing the help or an error about
    /// the arguments. Fails if the settings file cannot be used.
    pub fn of_process() -> Result<Args, CommandError> {
        let arguments: Vec<OsString> = std::env::args_os().collect();
        let command = shorthand::without_empty_variables(command());
        let beginning = Beginning::of(&arguments);
        let (file, verb) = (settings::file_of(&beginning), beginning.verb.as_deref());
        // The verbs of `config` read the file themselves.
        let read = file.as_ref().filter(|_| verb != Some("config"));
        // A restore may be about to write the file.
        let read = read.filter(|path| verb != Some("restore") || path.exists());
        let read = read.map(|path| SettingsFile::read(path, &command)).transpose();
        let (command, fault) = match read {
            Ok(Some(settings)) => (settings.applied(command), None),
            Ok(None) => (command, None),
            Err(fault) => (command, Some(fault)),
        };
        let parsed = Args::parse_with(&command, &arguments);
        let error = match (parsed, fault) {
            // The help and the version do not need the file.
            (Err(shown), _) if !shown.use_stderr() => shown,
            (_, Some(fault)) => {
                language::set(language::of_beginning(&beginning));
                return Err(fault.into());
            }
            (Ok(args), None) => {
                language::set(args.language());
                return Ok(Args { config: file, ..args });
            }
            (Err(error), None) => error,
        };
        if language::of_beginning(&beginning) == Language::English {
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
    /// Check your corrections of the official data, and print templates of their files
    #[command(subcommand)]
    Corrections(corrections::CorrectionsArgs),
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
    Backup(backup::BackupArgs),
    Restore(restore::RestoreArgs),
    Doctor(Box<doctor::DoctorArgs>),
    /// Show the settings and where they come from, and check a settings file
    #[command(subcommand)]
    Config(config::ConfigArgs),
}

impl Args {
    /// Whether the command is a server, which must never block on the reader of its output.
    pub fn is_server(&self) -> bool {
        matches!(self.command, Command::Serve(_))
    }

    pub fn run(self, stdout: &mut dyn Write) -> Result<(), CommandError> {
        let language = self.language();
        check_clock(SystemTime::now())?;
        match self.command {
            Command::Serve(args) => serve::run(&args, language, stdout),
            Command::Build(args) => build::run(args, stdout),
            Command::Update(args) => update::run(&args, stdout),
            Command::Snapshot(args) => snapshot::run(args, stdout),
            Command::Corrections(args) => corrections::run(args, stdout),
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
            Command::Lookup(args) => lookup::run(&args, stdout),
            Command::Search(args) => search::run(args, stdout),
            Command::Normalize(args) => match args.location_columns() {
                Some(columns) => normalize::locations::run(&args, columns),
                None => normalize::run(&args),
            },
            Command::Match(args) => match_corporations::run(&args),
            Command::Export(args) => export::run(&args),
            #[cfg(feature = "mcp")]
            Command::Mcp(args) => mcp::run(args),
            Command::Health(args) => health::run(&args, stdout),
            Command::Backup(args) => backup::run(&args, self.config.as_deref(), stdout),
            Command::Restore(args) => restore::run(&args, stdout),
            Command::Doctor(args) => doctor::run(&args, self.config.as_deref(), &command(), stdout),
            Command::Config(args) => config::run(&args, self.config.as_deref(), command(), stdout),
        }
    }
}

/// Fails for a time that dates cannot express; later code would panic.
fn check_clock(now: SystemTime) -> Result<(), CommandError> {
    match Timestamp::try_from(now) {
        Ok(_) => Ok(()),
        Err(_) => Err(CommandError::Failed(
            "the clock of this machine: expected a time up to the year 9999, found a later one; set the clock"
                .to_owned(),
        )),
    }
}

#[cfg(test)]
mod clock_tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_past_the_year_9999_is_an_error() {
        let at = |second| check_clock(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        assert_eq!(at(253_402_200_000), Ok(()), "in December 9999");
        let message = at(253_402_400_000).expect_err("in January 10000").to_string();
        assert!(message.contains("expected a time up to the year 9999"), "{message}");
    }
}

#[cfg(test)]
mod account_tests;
#[cfg(test)]
mod station_tests;
