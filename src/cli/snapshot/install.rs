//! `daicho snapshot install`: copies a file into the snapshot folder of a running server without exposing a
//! partial file. The file is copied beside its target, the copy is verified completely, synced and renamed. Files in the
//! folder are never overwritten in place: the system would kill a server that has them mapped (SIGBUS).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::interrupt::clean_up_on_signals;
use crate::cli::{data::SnapshotsArg, error::CommandError, print::print};
use crate::dataset::FoundSnapshot;
use crate::snapshot::layout::EXTENSION;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, UnfinishedFile, remove_left_over};
use crate::snapshot::{Fault, companion};

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
    let installed = args.files.iter().try_for_each(|file| {
        let target = install_one(file, &args.snapshots.snapshots)?;
        let _ = writeln!(out, "installed {}", target.display());
        Ok(())
    });
    // Also if a later file was refused.
    let printed = print(stdout, out);
    installed.and(printed)
}

fn install_one(path: &Path, snapshots: &Path) -> Result<PathBuf, CommandError> {
    if !path.is_file() {
        let message = format!("{}: no such file; expected a snapshot file", path.display());
        return Err(CommandError::Failed(message));
    }
    let FoundSnapshot { dataset, file: original } = FoundSnapshot::open(path)?;
    let folder = snapshots.join(dataset.kind.name());
    let target = folder.join(format!("{}.{EXTENSION}", original.version()));
    if target.exists() {
        return Err(already_exists(&target));
    }
    fs::create_dir_all(&folder).map_err(|cause| CommandError::io(&folder, &cause))?;
    remove_left_over(&folder, IN_SNAPSHOTS).map_err(|cause| CommandError::io(&folder, &cause))?;
    let unfinished = copy(path, &target)?;
    // Verifies the copy, not the original: the original may have changed, and the copy is what is served.
    let damaged = |fault: &Fault| CommandError::Damaged(format!("{}: {fault}", path.display()));
    let copied = FoundSnapshot::open(unfinished.path()).map_err(|error| damaged(&error.fault))?;
    if (copied.dataset.kind, copied.file.version()) != (dataset.kind, original.version()) {
        let message =
            format!("{}: the file changed while it was copied; try again", path.display());
        return Err(CommandError::Failed(message));
    }
    copied.verify().map_err(|error| damaged(&error.fault))?;
    let download = companion::download_path(path);
    if download.is_file() {
        let unfinished = copy(&download, &companion::download_path(&target))?;
        unfinished.finish().map_err(|cause| CommandError::io(&download, &cause))?;
    }
    match unfinished.finish_new() {
        Ok(()) => Ok(target),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(already_exists(&target)),
        Err(cause) => Err(CommandError::io(&target, &cause)),
    }
}

/// Copies a file to a temporary file beside its target.
fn copy(from: &Path, target: &Path) -> Result<UnfinishedFile, CommandError> {
    let mut source = File::open(from).map_err(|cause| CommandError::io(from, &cause))?;
    let unwritable = |cause| CommandError::io(target, &cause);
    let mut unfinished = UnfinishedFile::create(target, IN_SNAPSHOTS).map_err(unwritable)?;
    io::copy(&mut source, unfinished.file()).map_err(unwritable)?;
    unfinished.file().sync_all().map_err(unwritable)?;
    Ok(unfinished)
}

fn already_exists(target: &Path) -> CommandError {
    CommandError::Failed(format!(
        "{}: this version exists already; to replace it, remove that file first",
        target.display()
    ))
}
