//! `daicho release push`.

use std::{io::Write, path::PathBuf};

use clap::{Args, builder::PossibleValuesParser};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::activation::{self, WaitingArgs};
use super::bucket::{DepthArg, PublisherArg};
use crate::cli::data::SnapshotsArg;
use crate::cli::error::CommandError;
use crate::cli::print::{StepBar, counted, print_json, print_lines};
use crate::dataset::updates::SUBJECTS;
use crate::release::signature::SigningKey;
use crate::release::{self, Activate, Creation, Label, PushOptions, PushReport, ReleaseError};
use crate::system::process::host_name;
use crate::update::Subject;

#[derive(Debug, Args)]
pub struct PushArgs {
    /// Push only this dataset and take the others from the active release; may be repeated
    #[arg(long, value_name = "DATASET", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(SUBJECTS.map(Subject::name)))]
    dataset: Vec<String>,
    /// Number of newest versions of a dataset to push [default: all versions in the folder]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    versions: Option<u32>,
    /// Activate the release: all servers switch to it at the same time
    #[arg(long)]
    activate: bool,
    /// Only for servers with this label
    #[arg(long, value_name = "LABEL", value_parser = Label::parse, requires = "activate")]
    label: Option<Label>,
    #[command(flatten)]
    waiting: WaitingArgs,
    #[command(flatten)]
    depth: DepthArg,
    /// PEM file with the private Ed25519 key that signs the release
    #[arg(long, value_name = "FILE", env = "DAICHO_SIGNING_KEY")]
    signing_key: Option<PathBuf>,
    /// Name recorded as the creator of the release [default: the host name]
    #[arg(long, value_name = "TEXT", value_parser = parse_by)]
    by: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    bucket: PublisherArg,
}

const BY_LENGTH_MAX: usize = Creation::CREATOR_CHARS_MAX;

fn parse_by(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.chars().count() <= BY_LENGTH_MAX;
    match fits && !text.contains(char::is_control) {
        true => Ok(text.to_owned()),
        false => {
            Err(format!("expected 1 to {BY_LENGTH_MAX} characters on one line, found {text:?}"))
        }
    }
}

pub fn push(args: &PushArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    if let Some(option) = args.waiting.first_given().filter(|_| !args.activate) {
        return Err(CommandError::Usage(format!("{option} needs --activate; found it without")));
    }
    let key = args.signing_key.as_deref().map(SigningKey::read).transpose();
    let key = key.map_err(ReleaseError::from)?;
    let is_requested = |subject: &Subject| args.dataset.iter().any(|name| name == subject.name());
    let subjects: Vec<Subject> = SUBJECTS.into_iter().filter(is_requested).collect();
    let bucket = args.bucket.open()?;
    let options = PushOptions {
        snapshots: &args.snapshots.snapshots,
        subjects: &subjects,
        versions: args.versions.map(|versions| versions as usize),
        created: Creation {
            time: Timestamp::now(),
            creator: args.by.clone().unwrap_or_else(host_name),
        },
        key: key.as_ref(),
        activate: if args.activate { Activate::Yes } else { Activate::No },
        label: args.label.as_ref(),
        wait: args.waiting.options(),
        depth: args.depth.depth(),
    };
    let report = release::push(&bucket, &options, &StepBar::new())?;
    match args.json {
        true => print_json(stdout, as_json(&report, options.label)),
        false => print_lines(stdout, &as_text(&report, options.label)),
    }
}

pub fn as_json(report: &PushReport, label: Option<&Label>) -> Value {
    let release = &report.manifest.release;
    json!({
        "release": release.number.value(),
        "was_there": report.is_unchanged,
        "files": release.files.len(),
        "bytes": release.bytes(),
        "sent_files": report.sent_files,
        "sent_bytes": report.sent_bytes,
        "signed": report.manifest.is_signed(),
        "moved": report.activation.as_ref().map(|activated| activation::as_json(activated, label)),
    })
}

/// Lines for people.
pub fn as_text(report: &PushReport, label: Option<&Label>) -> String {
    let release = &report.manifest.release;
    let files = counted(release.files.len() as u64, "file");
    let sent = counted(report.sent_files as u64, "file");
    let (number, bytes, sent_bytes) = (release.number, release.bytes(), report.sent_bytes);
    let what = format!(
        "release {number} with {files} of {bytes} bytes; sent {sent} of {sent_bytes} bytes"
    );
    let mut text = match report.is_unchanged {
        true => format!("unchanged: {what}\n"),
        false => format!("pushed: {what}\n"),
    };
    if let Some(activated) = &report.activation {
        text.push_str(&activation::as_text(activated, label));
    }
    text
}
