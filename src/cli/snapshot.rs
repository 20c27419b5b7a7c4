//! `daicho snapshot`: what lies in the snapshot folder, what is in it, whether it is sound.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::data::SnapshotsArg;
use super::error::CommandError;
use super::print::print;
use crate::address::{Address, AddressScratch};
use crate::query::{BankData, CorporateData, PostalData, Search};
use crate::snapshot::durable::TEMPORARY_PREFIX;
use crate::snapshot::layout::EXTENSION;
use crate::snapshot::{Dataset, DatasetKind, OpenError, SnapshotFile, companion};
use crate::text::codes::DataVersion;

/// What to do with the snapshots.
#[derive(Debug, Subcommand)]
pub enum SnapshotArgs {
    /// List the snapshots of the folder, oldest first
    List(ListArgs),
    /// Show what a snapshot was built from, its counts and its sections
    Inspect(TargetArgs),
    /// Check every checksum and table; exit code 3 if a snapshot is damaged
    Verify(TargetArgs),
    /// Remove old snapshots and leftovers of interrupted builds
    Prune(PruneArgs),
}

/// Arguments of `daicho snapshot list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

/// Arguments of `inspect` and `verify`.
#[derive(Debug, Args)]
pub struct TargetArgs {
    /// Files, or DATASET/DATE such as postal/2026-06-30 [default: every snapshot of the folder]
    targets: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

/// Arguments of `daicho snapshot prune`.
#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Number of versions of each dataset to keep, the newest ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Print what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    snapshots: SnapshotsArg,
}

/// Runs `daicho snapshot …`.
pub fn run(args: SnapshotArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    match args {
        SnapshotArgs::List(args) => list(args, stdout),
        SnapshotArgs::Inspect(args) => inspect(args, stdout),
        SnapshotArgs::Verify(args) => verify(args, stdout),
        SnapshotArgs::Prune(args) => prune(args, stdout),
    }
}

/// One snapshot file of the folder, opened or refused.
struct Found {
    path: PathBuf,
    file: Result<SnapshotFile, OpenError>,
}

fn list(args: ListArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let found = find_all(&args.snapshots.snapshots)?;
    if args.json {
        let rows: Vec<Value> = found.iter().map(as_json).collect();
        return print(stdout, format!("{:#}\n", Value::from(rows)).as_bytes());
    }
    let mut out = String::new();
    for Found { path, file } in &found {
        let _ = match file {
            Ok(file) => writeln!(
                out,
                "{:<10} {}  {:>12} bytes  {}",
                file.dataset().name(),
                file.version(),
                file.length(),
                path.display()
            ),
            Err(error) => writeln!(out, "refused    {error}"),
        };
    }
    if found.is_empty() {
        let _ = writeln!(out, "no snapshots in {}", args.snapshots.snapshots.display());
    }
    print(stdout, out.as_bytes())
}

fn as_json(found: &Found) -> Value {
    match &found.file {
        Ok(file) => json!({
            "dataset": file.dataset().name(),
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
    let mut answers = Vec::new();
    for found in find(&args)? {
        let file = found.file?;
        answers.push(describe(file)?);
    }
    if args.json {
        return print(stdout, format!("{:#}\n", Value::from(answers)).as_bytes());
    }
    print(stdout, answers.iter().map(as_text).collect::<String>().as_bytes())
}

fn describe(file: SnapshotFile) -> Result<Value, CommandError> {
    let sections: Vec<Value> = file
        .sections()
        .iter()
        .map(|section| json!({ "name": section.tag.to_string(), "bytes": section.length }))
        .collect();
    let mut answer = json!({
        "dataset": file.dataset().name(),
        "version": file.version().to_string(),
        "path": file.path().display().to_string(),
        "bytes": file.length(),
        "fingerprint": format!("{:08x}", file.fingerprint()),
        "sections": sections,
    });
    if let Ok(download) = fs::metadata(companion::path_of(file.path())) {
        answer["download_bytes"] = download.len().into();
    }
    match file.dataset() {
        DatasetKind::Postal => answer["postal"] = describe_postal(&PostalData::attach(file))?,
        DatasetKind::Bank => answer["bank"] = describe_bank(&BankData::attach(file))?,
        DatasetKind::Corporate => {
            answer["corporate"] = describe_corporate(&CorporateData::attach(file))?;
        }
    }
    Ok(answer)
}

fn describe_bank(data: &BankData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    Ok(json!({
        "institutions": counts.banks,
        "branches": counts.branches,
        "branch_codes": counts.codes,
        "texts": counts.texts,
        "bytes_per_branch": data.file().length() / counts.branches.max(1) as u64,
        "format": provenance.format.as_str(),
        "rejects": provenance.rejects.to_native(),
        "abolished_left_out": provenance.abolished.to_native(),
        "readings": match provenance.given.to_native() {
            0 => "derived from katakana",
            _ => "from the source",
        },
    }))
}

fn describe_corporate(data: &CorporateData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    let prefectures: Vec<String> =
        provenance.prefectures.iter().map(|code| format!("{code:02}")).collect();
    let postal = DataVersion::from_number(provenance.postal_version.to_native());
    Ok(json!({
        "corporations": counts.corporations,
        "closed": counts.closed,
        "places": counts.places,
        "bytes_per_corporation": data.file().length() / counts.corporations.max(1) as u64,
        "bytes_per_record": counts.record_bytes / counts.corporations.max(1),
        "prefectures": if prefectures.is_empty() {
            "all that the sources had".to_owned()
        } else {
            prefectures.join(", ")
        },
        "addresses": match postal {
            Some(version) => format!("normalised with the postal data of {version}"),
            None => "not normalised: built without postal data (--postal)".to_owned(),
        },
        "invoice_issuers": match DataVersion::from_number(provenance.issuers_date.to_native()) {
            Some(date) => format!("by the register of {date}"),
            None => "not known: built without the register (--invoice), each gets a number".to_owned(),
        },
    }))
}

fn describe_postal(data: &PostalData) -> Result<Value, CommandError> {
    let counts = data.counts()?;
    let provenance = data.provenance()?;
    let provenance = provenance.root();
    let sources: Vec<Value> = provenance
        .sources
        .iter()
        .map(|source| {
            json!({
                "role": source.role.as_str(),
                "rows": source.rows.to_native(),
                "rejects": source.rejects.to_native(),
            })
        })
        .collect();
    let compared = provenance.compared_with.as_str();
    let unread = data.records()?;
    let unread = unread
        .filter(|record| !record.town().name.text.is_empty() && record.town().kana.text.is_empty());
    Ok(json!({
        "records": counts.records,
        "codes": counts.codes,
        "corporations": counts.corporations,
        "municipalities": counts.cities,
        "changed": counts.changed,
        "abolished": counts.abolished,
        "texts": counts.texts,
        "towns_without_reading": unread.count(),
        "bytes_per_record": data.file().length() / counts.records.max(1) as u64,
        "roman": provenance.roman,
        "town_jukyohyoji": if provenance.addressing {
            "from the town master"
        } else {
            "false everywhere: built without a town master (--addressing)"
        },
        "compared_with": if compared.is_empty() { Value::Null } else { compared.into() },
        "sources": sources,
    }))
}

/// Members indented by depth, as `key: value` lines.
fn as_text(answer: &Value) -> String {
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
    write(&mut out, answer, 0);
    out.push('\n');
    out
}

fn verify(args: TargetArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let mut out = String::new();
    let mut rows = Vec::new();
    let mut bad = 0;
    for Found { path, file } in find(&args)? {
        let fault = file.map_err(Arc::new).and_then(check).err();
        bad += usize::from(fault.is_some());
        let _ = match &fault {
            None => writeln!(out, "sound    {}", path.display()),
            Some(error) => writeln!(out, "damaged  {error}"),
        };
        let fault = fault.map(|error| error.to_string());
        rows.push(
            json!({ "path": path.display().to_string(), "sound": fault.is_none(), "fault": fault }),
        );
    }
    let out = if args.json { format!("{:#}\n", Value::from(rows)) } else { out };
    print(stdout, out.as_bytes())?;
    match bad {
        0 => Ok(()),
        _ => Err(CommandError::Damaged(format!("{bad} damaged"))),
    }
}

fn check(file: SnapshotFile) -> Result<(), Arc<OpenError>> {
    file.verify()?;
    match file.dataset() {
        DatasetKind::Postal => {
            let data = PostalData::attach(file);
            data.provenance()?;
            data.prepare()?;
            // The two searches check what they read at their first question.
            data.normalize("", &mut AddressScratch::default(), &mut Address::default())?;
            data.search(&Search::default()).map(|_found| ())
        }
        DatasetKind::Bank => {
            let data = BankData::attach(file);
            data.provenance()?;
            data.prepare()
        }
        DatasetKind::Corporate => {
            let data = CorporateData::attach(file);
            data.provenance()?;
            data.each(|_view| {})
        }
    }
}

fn prune(args: PruneArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let folder = &args.snapshots.snapshots;
    let mut doomed = Vec::new();
    for kind in DatasetKind::ALL {
        let files = files_of(folder, kind)?;
        let versions: Vec<&PathBuf> = files
            .iter()
            .filter(|path| crate::snapshot::open::version_of_name(path).is_some())
            .collect();
        let old = versions.len().saturating_sub(args.keep as usize);
        doomed.extend(versions.into_iter().take(old).cloned());
        doomed.extend(downloads(&folder.join(kind.name()), &doomed)?);
        doomed.extend(leftovers(&folder.join(kind.name()))?);
    }
    let mut out = String::new();
    for path in &doomed {
        if !args.dry_run {
            fs::remove_file(path).map_err(|cause| io_error(path, &cause))?;
        }
        let verb = if args.dry_run { "would remove" } else { "removed" };
        let _ = writeln!(out, "{verb} {}", path.display());
    }
    if doomed.is_empty() {
        out.push_str("nothing to remove\n");
    }
    print(stdout, out.as_bytes())
}

/// The downloads of these snapshots, and those without a snapshot.
fn downloads(folder: &Path, doomed: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    let goes = |path: &PathBuf| {
        let snapshot = companion::snapshot_of(path);
        snapshot.is_some_and(|snapshot| doomed.contains(&snapshot) || !snapshot.exists())
    };
    Ok(entries(folder)?.into_iter().filter(goes).collect())
}

/// Files that a build left behind when it was interrupted. One that is being written right now is
/// younger than an hour.
fn leftovers(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let old = |path: &PathBuf| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age.as_secs() > 3_600))
    };
    let unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(TEMPORARY_PREFIX))
    };
    Ok(entries(folder)?.into_iter().filter(unfinished).filter(old).collect())
}

fn find(args: &TargetArgs) -> Result<Vec<Found>, CommandError> {
    if args.targets.is_empty() {
        return find_all(&args.snapshots.snapshots);
    }
    args.targets.iter().map(|target| find_one(&args.snapshots.snapshots, target)).collect()
}

fn find_one(folder: &Path, target: &str) -> Result<Found, CommandError> {
    if let Some((dataset, version)) = target.split_once('/')
        && let Some(kind) = DatasetKind::ALL.into_iter().find(|kind| kind.name() == dataset)
        && DataVersion::parse(version).is_ok()
    {
        let path = folder.join(dataset).join(format!("{version}.{EXTENSION}"));
        let file = SnapshotFile::open_in_place(&path, kind);
        return present(path, file);
    }
    let path = PathBuf::from(target);
    let file = SnapshotFile::open(&path);
    present(path, file)
}

/// A file that is not there is bad input, not damage.
fn present(path: PathBuf, file: Result<SnapshotFile, OpenError>) -> Result<Found, CommandError> {
    if path.is_file() {
        return Ok(Found { path, file });
    }
    let expected = "expected a snapshot file, or DATASET/DATE such as postal/2026-06-30";
    Err(CommandError::BadInput(format!("{}: no such file; {expected}", path.display())))
}

fn find_all(folder: &Path) -> Result<Vec<Found>, CommandError> {
    let mut found = Vec::new();
    for kind in DatasetKind::ALL {
        for path in files_of(folder, kind)? {
            let file = SnapshotFile::open_in_place(&path, kind);
            found.push(Found { path, file });
        }
    }
    Ok(found)
}

/// The snapshot files of a dataset, by name and so by date.
fn files_of(folder: &Path, kind: DatasetKind) -> Result<Vec<PathBuf>, CommandError> {
    let is_snapshot =
        |path: &PathBuf| path.extension().is_some_and(|extension| extension == EXTENSION);
    Ok(entries(&folder.join(kind.name()))?.into_iter().filter(is_snapshot).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(folder, &error)),
    };
    let paths: Result<Vec<PathBuf>, _> =
        listing.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|error| io_error(folder, &error))?;
    paths.sort();
    Ok(paths)
}

fn io_error(path: &Path, cause: &std::io::Error) -> CommandError {
    CommandError::BadInput(format!("{}: {cause}", path.display()))
}
