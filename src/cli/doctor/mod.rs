//! `daicho doctor`: looks at everything that a server with the same options needs, and prints a line for each with what to
//! do. Changes nothing: it opens the store for reading only, and asks receivers and sites without effect.
//!
//! `--offline` leaves out receivers of webhooks and the official sites. The other checks need no network, except a store
//! in a database.

mod files;
mod findings;
mod network;
mod state;
mod system;

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use clap::{Args, Command};
use jiff::Timestamp;
use serde_json::{Value, json};

use self::findings::{Finding, Findings, Patient, Status};
use super::error::CommandError;
use super::print::{counted, own, print_json, print_lines, said};
use super::serve::{self, ServeArgs};

/// Exit code if a check found an error.
const UNHEALTHY: u8 = 1;

/// Check an installation: settings, folders and permissions, disk space, clock, limits, snapshots and their ages, the
/// store, the certificate, receivers of webhooks, and the official sites. Takes the options of 'daicho serve', and changes
/// nothing. Exit code 1 if something is wrong, 0 if all is well or there are only warnings
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Ask neither receivers of webhooks nor official sites
    #[arg(long, display_order = 1)]
    offline: bool,
    /// Print JSON
    #[arg(long, display_order = 1)]
    json: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Runs the checks; `settings` is the file of `--config`, and `command` the whole command line.
pub fn run(
    args: &DoctorArgs,
    settings: Option<&Path>,
    command: &Command,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let snapshots = (!args.serve.follows_releases()).then(|| args.serve.snapshots.clone().into());
    let (offline, now) = (args.offline, Timestamp::now());
    let patient = Patient { args: &args.serve, offline, settings, snapshots, now };
    let mut findings = Findings::default();
    check_settings(&patient, command, &mut findings);
    system::check(&patient, &mut findings);
    files::check(&patient, &mut findings);
    let receivers = state::check(&patient, &mut findings);
    network::check(&patient, &receivers, &mut findings);
    match args.json {
        true => print_json(stdout, as_json(&findings))?,
        false => print_lines(stdout, &as_text(&findings))?,
    }
    match findings.count(Status::Error) {
        0 => Ok(()),
        _ => Err(CommandError::ExitCode(UNHEALTHY)),
    }
}

fn check_settings(patient: &Patient<'_>, command: &Command, findings: &mut Findings) {
    let sound = match patient.settings {
        Some(path) => {
            format!("the settings file {}; a server can start with them", path.display())
        }
        None => {
            "no settings file, only options, variables and defaults; a server can start with them"
                .to_owned()
        }
    };
    match serve::check(patient.args) {
        Ok(()) => findings.ok("settings", sound),
        Err(error) => findings.error("settings", error.to_string(), ""),
    }
    for (variable, nearest) in super::settings::misspelt_variables(command) {
        let found = format!("no option reads the variable {variable}");
        findings.warning("settings", found, format!("did you mean {nearest}?"));
    }
}

/// Lines for people; the status and the check are words of the JSON too, and the same in every language.
fn as_text(findings: &Findings) -> String {
    let mut text = String::new();
    for Finding { check, status, found, remedy } in &findings.0 {
        let (begin, found) = (own(format!("{status:<7}  {check:<11}")), said(found));
        let _ = match remedy {
            Some(remedy) => writeln!(text, "{begin}  {found}; {}", said(remedy)),
            None => writeln!(text, "{begin}  {found}"),
        };
    }
    let errors = counted(findings.count(Status::Error), "error");
    let warnings = counted(findings.count(Status::Warning), "warning");
    let _ = writeln!(text, "{}, {}", said(&errors), said(&warnings));
    text
}

fn as_json(findings: &Findings) -> Value {
    let checks = findings.0.iter().map(|finding| {
        json!({
            "check": finding.check, "status": finding.status.to_string(),
            "found": finding.found, "remedy": finding.remedy,
        })
    });
    json!({
        "errors": findings.count(Status::Error), "warnings": findings.count(Status::Warning),
        "checks": checks.collect::<Vec<_>>(),
    })
}
