//! `daicho release`: publishes a snapshot folder to an object store and activates releases.

mod activation;
pub mod bucket;
mod push;
mod show;

use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use self::activation::{ActivateArgs, ActivationArgs, activate, move_active};
pub use self::bucket::command_error;
use self::bucket::{ListArgs, PublisherArg};
use self::push::{PushArgs, push};
pub use self::push::{as_json, as_text};
use self::show::{ShowArgs, list, show};
use crate::cli::print::{counted, print, print_json};
use crate::cli::{confirm::confirm, error::CommandError, progress::StepBar};
use crate::release::{self, NodeName};

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
        ReleaseArgs::Activate(args) => activate(&args, stdout),
        ReleaseArgs::Rollback(args) => move_active(&args, None, stdout),
        ReleaseArgs::Prune(args) => prune(&args, stdout),
    }
}

fn prune(args: &PruneArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    if !args.dry_run {
        let keep = counted(args.keep.into(), "release");
        confirm(&format!("remove all but the newest {keep} of {}", args.bucket.url()), args.yes)?;
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
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let releases = counted(pruned.releases.len() as u64, "release");
    let files = counted(pruned.files.len() as u64, "file");
    let nodes = counted(pruned.nodes.len() as u64, "node");
    print(stdout, format!("{verb} {releases}, {files} of {} bytes and {nodes}\n", pruned.bytes))
}
