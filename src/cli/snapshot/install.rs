//! `daicho snapshot install`: copies a file into the snapshot folder of a running server without exposing a
//! partial file.
//!
//! The file is copied beside its target, the copy is verified completely, synced and renamed. Files in the
//! folder are never overwritten in place: the system would kill a server that has them mapped (SIGBUS).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::sound::{check, io_error};
use crate::cli::interrupt::clean_up_on_signals;
use crate::cli::{data::SnapshotsArg, error::CommandError, print::print};
use crate::snapshot::layout::EXTENSION;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, Unfinished, remove_left};
use crate::snapshot::{Fault, SnapshotFile, companion};

#[derive(Debug, Args)]
pub struct InstallArgs {
    /// Snapshot files; a download file beside a snapshot is copied with it
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

pub fn install(args: InstallArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    clean_up_on_signals()?;
    let mut out = String::new();
    for file in &args.files {
        let place = install_one(file, &args.snapshots.snapshots)?;
        let _ = writeln!(out, "installed {}", place.display());
    }
    print(stdout, out.as_bytes())
}

fn install_one(path: &Path, snapshots: &Path) -> Result<PathBuf, CommandError> {
    if !path.is_file() {
        let message = format!("{}: no such file; expected a snapshot file", path.display());
        return Err(CommandError::BadInput(message));
    }
    let named = SnapshotFile::open(path)?;
    let folder = snapshots.join(named.dataset().name());
    let place = folder.join(format!("{}.{EXTENSION}", named.version()));
    if place.exists() {
        return Err(exists_already(&place));
    }
    fs::create_dir_all(&folder).map_err(|cause| io_error(&folder, &cause))?;
    remove_left(&folder, IN_SNAPSHOTS).map_err(|cause| io_error(&folder, &cause))?;
    let copied = copy(path, &place)?;
    // Verifies the copy, not the original: the original may have changed, and the copy is what is served.
    let damaged = |fault: &Fault| CommandError::Damaged(format!("{}: {fault}", path.display()));
    let copy_of = SnapshotFile::open(copied.path()).map_err(|error| damaged(&error.fault))?;
    if (copy_of.dataset(), copy_of.version()) != (named.dataset(), named.version()) {
        let message =
            format!("{}: the file changed while it was copied; try again", path.display());
        return Err(CommandError::BadInput(message));
    }
    check(copy_of).map_err(|error| damaged(&error.fault))?;
    let download = companion::path_of(path);
    if download.is_file() {
        let copied = copy(&download, &companion::path_of(&place))?;
        copied.finish().map_err(|cause| io_error(&download, &cause))?;
    }
    match copied.finish_new() {
        Ok(()) => Ok(place),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(exists_already(&place)),
        Err(cause) => Err(io_error(&place, &cause)),
    }
}

/// Copies a file to a temporary file beside its target.
fn copy(from: &Path, place: &Path) -> Result<Unfinished, CommandError> {
    let mut source = File::open(from).map_err(|cause| io_error(from, &cause))?;
    let unwritable = |cause| io_error(place, &cause);
    let mut copied = Unfinished::begin(place, IN_SNAPSHOTS).map_err(unwritable)?;
    io::copy(&mut source, copied.file()).map_err(unwritable)?;
    copied.file().sync_all().map_err(unwritable)?;
    Ok(copied)
}

fn exists_already(place: &Path) -> CommandError {
    CommandError::BadInput(format!(
        "{}: this version exists already; to replace it, remove that file first",
        place.display()
    ))
}
