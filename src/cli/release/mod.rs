//! `daicho release`: publishes a snapshot folder to an object store and activates releases. Lists, shows and prunes
//! releases.

mod activation;
pub mod bucket;
mod push;

use std::fmt::Write as _;
use std::io::Write;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};

use self::activation::{ActivateArgs, ActivationArgs, move_active};
pub use self::bucket::command_error;
use self::bucket::{KeyArg, ListArgs, PublisherArg, print_left_out};
use self::push::{PushArgs, push};
pub use self::push::{as_json, as_text};
use super::print::{TableRecord, print_records, table_of};
use crate::cli::error::CommandError;
use crate::cli::print::{StepBar, confirm, counted, own, print, print_json, print_lines};
use crate::release::{self, ActiveReleases, Current, Entry, Listing, Manifest, NodeName, Number};

#[derive(Debug, Subcommand)]
pub enum ReleaseArgs {
    /// Publish the snapshots of a folder as a new release
    Push(PushArgs),
    /// List the releases, oldest first, and which are active
    List(ListArgs),
    /// Show a release: its creator and its files
    Show(ShowArgs),
    /// Activate a release: all servers switch to it at the same time
    Activate(ActivateArgs),
    /// Activate the previously active release again
    Rollback(ActivationArgs),
    /// Remove old releases, files that no release needs, and nodes not seen for a day
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Number of newest releases to keep; active releases and rollback targets are kept too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Print what would be removed without removing it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    bucket: PublisherArg,
}

pub fn run(args: ReleaseArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        ReleaseArgs::Push(args) => push(&args, stdout),
        ReleaseArgs::List(args) => list(&args, stdout),
        ReleaseArgs::Show(args) => show(&args, stdout),
        ReleaseArgs::Activate(args) => move_active(&args.options, Some(args.number), stdout),
        ReleaseArgs::Rollback(args) => move_active(&args, None, stdout),
        ReleaseArgs::Prune(args) => prune(&args, stdout),
    }
}

fn prune(args: &PruneArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    if !args.dry_run {
        let keep = counted(args.keep.into(), "release");
        let url = own(args.bucket.url());
        confirm(&format!("remove all but the newest {keep} of {url}"), args.yes)?;
    }
    let bucket = args.bucket.open()?;
    let pruned = release::prune(&bucket, args.keep as usize, args.dry_run, &StepBar::new())?;
    if args.json {
        let pruned = json!({
            "removed": !args.dry_run,
            "releases": pruned.releases.iter().map(|number| number.value()).collect::<Vec<_>>(),
            "files": pruned.files.len(),
            "bytes": pruned.bytes,
            "nodes": pruned.nodes.iter().map(NodeName::to_string).collect::<Vec<_>>(),
        });
        return print_json(stdout, pruned);
    }
    let releases = counted(pruned.releases.len() as u64, "release");
    let files = counted(pruned.files.len() as u64, "file");
    let nodes = counted(pruned.nodes.len() as u64, "node");
    let bytes = pruned.bytes;
    let line = match args.dry_run {
        true => format!("would remove {releases}, {files} of {bytes} bytes and {nodes}\n"),
        false => format!("removed {releases}, {files} of {bytes} bytes and {nodes}\n"),
    };
    print_lines(stdout, &line)
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The number of the release [default: the newest]
    #[arg(value_parser = Number::parse)]
    number: Option<Number>,
    #[command(flatten)]
    key: KeyArg,
    #[command(flatten)]
    options: ListArgs,
}

/// A release, and the groups of servers for which it is active now or next.
struct Row {
    manifest: Manifest,
    active: Vec<String>,
    next: Vec<String>,
}

impl Row {
    fn of(manifest: Manifest, current: &Current) -> Row {
        let (number, now) = (manifest.release.number, Timestamp::now());
        let active = groups_with(current.active_at(now), number);
        let ahead = current.switch_ahead(now).map(|_switch| &current.active);
        let next = ahead.or(current.next.as_ref()).map(|releases| groups_with(releases, number));
        let mut next = next.unwrap_or_default();
        next.retain(|name| !active.contains(name));
        Row { manifest, active, next }
    }

    /// `all`, `canary (next)`
    fn servers(&self) -> String {
        let next = self.next.iter().map(|name| format!("{name} (next)"));
        self.active.iter().cloned().chain(next).collect::<Vec<_>>().join(",")
    }

    fn datasets(&self) -> String {
        let newest = self.manifest.release.newest();
        let shown = newest.iter().map(|(subject, version)| format!("{subject} {version}"));
        shown.collect::<Vec<_>>().join(", ")
    }
}

fn groups_with(releases: &ActiveReleases, number: Number) -> Vec<String> {
    let all = releases.all.iter().filter(|active| active.number == number);
    let all = all.map(|_active| "all".to_owned());
    let labels = releases.labels.iter().filter(|(_, active)| active.number == number);
    all.chain(labels.map(|(label, _)| label.to_string())).collect()
}

impl TableRecord<6> for Row {
    const HEADING: [&'static str; 6] = ["RELEASE", "ACTIVE", "MADE", "BY", "BYTES", "NEWEST"];

    fn cells(&self) -> [String; 6] {
        let release = &self.manifest.release;
        [
            release.number.to_string(),
            self.servers(),
            format!("{:.0}", release.created.time),
            release.created.creator.clone(),
            release.bytes().to_string(),
            self.datasets(),
        ]
    }

    fn json(&self) -> Value {
        let release = &self.manifest.release;
        let newest = release.newest();
        let newest = newest.iter().map(|(subject, version)| {
            (subject.name().to_owned(), Value::from(version.to_string()))
        });
        json!({
            "release": release.number.value(),
            "active": self.active,
            "next": self.next,
            "made_at": format!("{:.0}", release.created.time),
            "made_by": release.created.creator,
            "program": release.program.to_string(),
            "signed": self.manifest.is_signed(),
            "bytes": release.bytes(),
            "newest": newest.collect::<serde_json::Map<_, _>>(),
        })
    }
}

pub fn list(args: &ListArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let bucket = args.bucket.open()?;
    let (current, _) = Current::read(&bucket)?;
    let Listing { sound: numbers, bad } = current.numbers(&bucket)?;
    let mut releases = Listing { sound: Vec::new(), bad };
    for number in numbers {
        releases.add(Manifest::read(&bucket, number))?;
    }
    print_left_out(&releases.bad);
    let rows = releases.sound.into_iter().map(|manifest| Row::of(manifest, &current));
    let rows: Vec<Row> = rows.collect();
    if rows.is_empty() && !args.json {
        return print_lines(stdout, &format!("no releases in {}\n", own(bucket.url())));
    }
    print_records(stdout, args.json, &rows)
}

pub fn show(args: &ShowArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let key = args.key.read()?;
    let bucket = args.options.bucket.open()?;
    let (current, _) = Current::read(&bucket)?;
    let number = args.number.map_or_else(|| current.newest(&bucket), Ok)?;
    let manifest = Manifest::read(&bucket, number)?;
    if let Some(key) = &key {
        manifest.verify(key)?;
    }
    let row = Row::of(manifest, &current);
    let files = &row.manifest.release.files;
    if args.options.json {
        let mut value = row.json();
        value["files"] = files.iter().map(Entry::json).collect();
        return print_json(stdout, value);
    }
    let mut text = table_of(std::slice::from_ref(&row)) + "\n";
    for entry in files {
        let _ = writeln!(text, "{}  {:>12}  {}", entry.sha256, entry.bytes, entry.path());
    }
    print(stdout, text)
}
