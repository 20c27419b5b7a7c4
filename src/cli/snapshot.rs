//! `daicho snapshot`: lists, inspects, verifies, installs and prunes the files of the snapshot folder.
//!
//! `install` copies a file into the folder of a running server without exposing a partial file. The file is copied
//! beside its target, the copy is verified completely, synced and renamed. Files in the folder are never overwritten
//! in place: the system would kill a server that has them mapped (SIGBUS).

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs, io::Write, sync::Arc};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::output::clean_up_on_signals;
use crate::cli::data::{CorrectionsArg, SnapshotsArg};
use crate::cli::error::CommandError;
use crate::cli::print::{counted, own, print, print_json, print_lines};
use crate::dataset::correction::Laid;
use crate::dataset::postal::check_download;
use crate::dataset::{self, Catalog, DATASETS, Facts, FoundSnapshot, KINDS};
use crate::snapshot::layout::EXTENSION;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, UnfinishedFile, left_over, remove_left_over};
use crate::snapshot::{Fault, OpenError, companion};
use crate::snapshot::{companion::old_files, files};
use crate::system::disk;
use crate::system::reading::{Links, open_regular};
use crate::text::codes::DataVersion;
use crate::text::printable::printable_lines;

#[derive(Debug, Subcommand)]
pub enum SnapshotArgs {
    /// List the snapshots of the folder, oldest first
    List(ListArgs),
    /// Show what a snapshot was built from, its counts and its sections
    Inspect(TargetArgs),
    /// Check every checksum and table; exit code 3 if a snapshot is damaged
    Verify(TargetArgs),
    /// Copy snapshot files into the folder, verify each copy completely, then publish it with one rename
    Install(InstallArgs),
    /// Remove old snapshots and the temporary files of interrupted builds
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
}

#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Files, or DATASET/DATE such as postal/2026-06-30 [default: every snapshot of the folder]
    targets: Vec<String>,
    #[command(flatten)]
    options: ListArgs,
}

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Number of versions to keep of each dataset, newest first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Print what would be removed without removing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

pub fn run(args: SnapshotArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        SnapshotArgs::List(args) => list(args, stdout),
        SnapshotArgs::Inspect(args) => inspect(args, stdout),
        SnapshotArgs::Verify(args) => verify(args, stdout),
        SnapshotArgs::Install(args) => install(args, stdout),
        SnapshotArgs::Prune(args) => prune(args, stdout),
    }
}

/// A snapshot file that was found, valid or refused.
pub struct FoundFile {
    pub path: PathBuf,
    pub file: Result<FoundSnapshot, OpenError>,
}

fn list(args: ListArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let files = find_all(&args.snapshots.snapshots)?;
    if args.json {
        return print_json(stdout, files.iter().map(as_json).collect::<Value>());
    }
    let mut out = String::new();
    for FoundFile { path, file } in &files {
        let _ = match file {
            Ok(FoundSnapshot { dataset, file }) => {
                let (kind, version, bytes) = (dataset.kind.name(), file.version(), file.length());
                let row = format!("{kind:<10} {version}  {bytes:>12} bytes  {}", path.display());
                writeln!(out, "{}", own(row))
            }
            Err(error) => writeln!(out, "refused    {error}"),
        };
    }
    if files.is_empty() {
        let _ = writeln!(out, "no snapshots in {}", own(args.snapshots.snapshots.display()));
    }
    print_lines(stdout, &out)
}

fn as_json(found: &FoundFile) -> Value {
    match &found.file {
        Ok(FoundSnapshot { dataset, file }) => json!({
            "dataset": dataset.kind.name(),
            "version": file.version().to_string(),
            "bytes": file.length(),
            "path": found.path.display().to_string(),
        }),
        Err(error) => {
            json!({ "path": found.path.display().to_string(), "refused": error.to_string() })
        }
    }
}

fn inspect(args: TargetArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let mut descriptions = Vec::new();
    let compared = compare_corrections(&args.options)?;
    for found in find(&args)? {
        let snapshot = found.file?;
        let (kind, version) = (snapshot.dataset.kind, snapshot.file.version());
        let mut description = describe(snapshot)?;
        let laid = compared.iter().find(|laid| laid.kind == kind && laid.version == version);
        if let Some(laid) = laid {
            description["corrections"] = json!({
                "rows": laid.rows.len(),
                "caught_up": laid.caught_up().count(),
                "without_effect": laid.wrong().count(),
            });
        }
        descriptions.push(description);
    }
    if args.options.json {
        return print_json(stdout, descriptions);
    }
    let text: String = descriptions.iter().map(as_text).collect();
    print(stdout, printable_lines(&text).as_bytes())
}

/// The corrections in the folder of snapshots, which servers lay over the newest versions.
fn compare_corrections(options: &ListArgs) -> Result<Vec<Laid>, CommandError> {
    let snapshots = &options.snapshots.snapshots;
    let corrections = options.corrections.open(snapshots)?;
    if corrections.count() == 0 {
        return Ok(Vec::new());
    }
    let catalog = Catalog::scan(snapshots, None).map_err(CommandError::failed)?;
    Ok(catalog.compare_corrections(&corrections)?)
}

fn verify(args: TargetArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let mut out = String::new();
    let mut rows = Vec::new();
    let mut damaged = 0;
    let files = find(&args)?;
    let file_count = files.len() as u64;
    for FoundFile { path, file } in files {
        let fault = file.map_err(Arc::new).and_then(FoundSnapshot::verify).err();
        damaged += usize::from(fault.is_some());
        let _ = match &fault {
            None => writeln!(out, "sound    {}", own(path.display())),
            Some(error) => writeln!(out, "damaged  {error}"),
        };
        let fault = fault.map(|error| error.to_string());
        rows.push(
            json!({ "path": path.display().to_string(), "sound": fault.is_none(), "fault": fault }),
        );
    }
    match args.options.json {
        true => print_json(stdout, rows)?,
        false => print_lines(stdout, &out)?,
    }
    if damaged == 0 {
        return Ok(());
    }
    let files = counted(file_count, "snapshot");
    Err(CommandError::Damaged(match damaged {
        1 => format!("1 of {files} is damaged"),
        count => format!("{count} of {files} are damaged"),
    }))
}

fn prune(args: PruneArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let folder = &args.snapshots.snapshots;
    let mut to_remove = Vec::new();
    for kind in KINDS {
        let old = old_files(folder, kind.name(), args.keep as usize);
        to_remove.extend(old.map_err(|error| CommandError::io(folder, &error))?);
    }
    let of_dataset = |facts: &Facts| folder.join(facts.kind.name());
    let inside = DATASETS
        .iter()
        .flat_map(|facts| facts.folders.iter().map(move |name| of_dataset(facts).join(name)));
    for folder in DATASETS.iter().map(of_dataset).chain(inside) {
        let unfinished = left_over(&folder, IN_SNAPSHOTS);
        to_remove.extend(unfinished.map_err(|error| CommandError::io(&folder, &error))?);
    }
    if !args.dry_run {
        // A build or an update may have been killed before the name of its version was durable. A power failure must not
        // take that version and leave the old ones removed.
        let folders: BTreeSet<&Path> = to_remove.iter().filter_map(|path| path.parent()).collect();
        for folder in folders {
            disk::sync_folder(folder).map_err(|cause| CommandError::io(folder, &cause))?;
        }
    }
    let mut out = String::new();
    let removed = to_remove.iter().try_for_each(|path| {
        if !args.dry_run {
            fs::remove_file(path).map_err(|cause| CommandError::io(path, &cause))?;
        }
        let shown = own(path.display());
        let _ = match args.dry_run {
            true => writeln!(out, "would remove {shown}"),
            false => writeln!(out, "removed {shown}"),
        };
        Ok(())
    });
    if to_remove.is_empty() {
        out.push_str("nothing to remove\n");
    }
    // Also if a later file could not be removed.
    let printed = print_lines(stdout, &out);
    removed.and(printed)
}

fn find(args: &TargetArgs) -> Result<Vec<FoundFile>, CommandError> {
    let folder = &args.options.snapshots.snapshots;
    if !args.targets.is_empty() {
        return args.targets.iter().map(|target| find_one(folder, target)).collect();
    }
    if !folder.is_dir() {
        return Err(CommandError::Failed(format!(
            "{}: no such folder; expected the snapshot folder; name it with --snapshots",
            folder.display()
        )));
    }
    find_all(folder)
}

fn find_one(folder: &Path, target: &str) -> Result<FoundFile, CommandError> {
    if let Some((dataset, version)) = target.split_once('/')
        && let Some(kind) = dataset::named(dataset)
        && DataVersion::parse(version).is_ok()
    {
        let path = folder.join(dataset).join(format!("{version}.{EXTENSION}"));
        let file = FoundSnapshot::open_in_catalog(&path, kind);
        return require_existing(path, file);
    }
    let path = PathBuf::from(target);
    let file = FoundSnapshot::open(&path);
    require_existing(path, file)
}

/// A missing file is bad input, not damage.
fn require_existing(
    path: PathBuf,
    file: Result<FoundSnapshot, OpenError>,
) -> Result<FoundFile, CommandError> {
    if path.is_file() {
        return Ok(FoundFile { path, file });
    }
    let expected = "expected a snapshot file, or DATASET/DATE such as postal/2026-06-30";
    Err(CommandError::Failed(format!("{}: no such file; {expected}", path.display())))
}

/// Every snapshot file of the folder, by dataset and name.
pub fn find_all(folder: &Path) -> Result<Vec<FoundFile>, CommandError> {
    let mut files = Vec::new();
    for kind in KINDS {
        let folder = folder.join(kind.name());
        let entries = files::entries(&folder);
        for path in entries.map_err(|cause| CommandError::io(&folder, &cause))? {
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                let file = FoundSnapshot::open_in_catalog(&path, kind);
                files.push(FoundFile { path, file });
            }
        }
    }
    Ok(files)
}

/// What the snapshot was built from, its counts and its sections.
pub fn describe(found: FoundSnapshot) -> Result<Value, CommandError> {
    let (dataset, file) = (found.dataset, &found.file);
    let sections = file.sections().iter();
    let sections =
        sections.map(|section| json!({ "name": section.tag.to_string(), "bytes": section.length }));
    let mut description = json!({
        "dataset": dataset.kind.name(),
        "version": file.version().to_string(),
        "path": file.path().display().to_string(),
        "sample": file.is_sample(),
        "bytes": file.length(),
        "fingerprint": format!("{:08x}", file.fingerprint()),
        "sections": sections.collect::<Vec<_>>(),
    });
    if let Ok(download) = fs::metadata(companion::download_path(file.path())) {
        description["download_bytes"] = download.len().into();
    }
    description[dataset.kind.name()] = found.describe()?;
    Ok(description)
}

/// The description as `key: value` lines, indented by depth.
pub fn as_text(description: &Value) -> String {
    fn write(out: &mut String, value: &Value, depth: usize) {
        let Value::Object(members) = value else { return };
        for (key, value) in members {
            let indent = "  ".repeat(depth);
            let _ = match value {
                Value::Object(_) => writeln!(out, "{indent}{key}:"),
                Value::Array(items) => items.iter().try_for_each(|item| {
                    let parts = item.as_object().into_iter().flatten();
                    let parts: Vec<String> =
                        parts.map(|(key, value)| format!("{key} {value}")).collect();
                    writeln!(out, "{indent}{key}: {}", parts.join(", ").replace('"', ""))
                }),
                Value::String(text) => writeln!(out, "{indent}{key}: {text}"),
                other => writeln!(out, "{indent}{key}: {other}"),
            };
            write(out, value, depth + 1);
        }
    }
    let mut out = String::new();
    write(&mut out, description, 0);
    out.push('\n');
    out
}

#[derive(Debug, Args)]
pub struct InstallArgs {
    /// Snapshot files; a download file beside a snapshot is checked and copied with it. No links
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
        let _ = writeln!(out, "installed {}", own(target.display()));
        Ok(())
    });
    // Also if a later file was refused.
    let printed = print_lines(stdout, &out);
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
    if download.symlink_metadata().is_ok() {
        let unfinished = copy(&download, &companion::download_path(&target))?;
        check_download(unfinished.path(), original.version())
            .map_err(|cause| CommandError::Damaged(format!("{}: {cause}", download.display())))?;
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
    let opened = open_regular(from, Links::Refused);
    let mut source = opened.map_err(|cause| CommandError::io(from, &cause))?;
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
