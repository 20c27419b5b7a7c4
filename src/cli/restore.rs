//! `daicho restore`: puts the content of a backup back.
//!
//! The archive is read twice: the first time to check all of it, the second time to write. Nothing is overwritten without
//! `--overwrite`. A new state file appears when it is complete; the content of an existing store is replaced in one
//! transaction, beside running servers. The other files are written beside their places before that and renamed after it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde_json::json;

use super::backup::{PassphraseArg, contents_line};
use super::data::{HolidaysArg, SnapshotsArg};
use super::error::CommandError;
use super::output::{clean_up_on_signals, write_error};
use super::print::{own, print_json, print_lines, said};
use super::store::StateArg;
use super::webhook_options::WebhookKeyArg;
use crate::account::store::{IfMissing, Store, StoreError, StoreFault, StoreLocation};
use crate::backup::{
    ArchiveReader, BackupError, Counts, Entry, FileKind, Header, SealedKey, StateCheck,
    restore_state,
};
use crate::dataset::correction::folder::default_folder;
use crate::radar::stored_secret::KeyLocation;
use crate::snapshot::unfinished::{BESIDE_OUTPUT, PRIVATE, UnfinishedFile, remove_left_over};

/// Restore a backup that 'daicho backup' wrote: the state, the corrections, the holidays, the settings file and, with its
/// passphrase, the key of webhook secrets. Everything is checked before anything is written
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The archive
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace what exists: the content of the state, and files. Without it, an existing one is an error
    #[arg(long, visible_alias = "force")]
    overwrite: bool,
    /// Leave out a part of the archive; may be repeated
    #[arg(long, value_enum, value_name = "PART")]
    without: Vec<Part>,
    /// Where to write the settings file [default: beside the state, under its name]
    #[arg(long, value_name = "FILE")]
    settings_to: Option<PathBuf>,
    /// Check the archive and print what would be restored, without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    state: StateArg,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    holidays: HolidaysArg,
    #[command(flatten)]
    passphrase: PassphraseArg,
    #[command(flatten)]
    key: WebhookKeyArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    State,
    Corrections,
    Holidays,
    Settings,
    WebhookKey,
}

impl Part {
    fn of(kind: FileKind) -> Part {
        match kind {
            FileKind::Corrections => Part::Corrections,
            FileKind::Holidays => Part::Holidays,
            FileKind::Settings => Part::Settings,
        }
    }
}

/// An archive that was read and checked as a whole.
struct Checked {
    header: Header,
    counts: Counts,
    files: Vec<(FileKind, String, Vec<u8>)>,
    key: Option<SealedKey>,
}

/// A file to write.
struct Target {
    path: PathBuf,
    content: Vec<u8>,
    is_private: bool,
}

pub fn run(args: &RestoreArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    clean_up_on_signals()?;
    let archive = File::open(&args.file).map_err(|error| CommandError::io(&args.file, &error))?;
    let checked = check(archive).map_err(|error| of_archive(&args.file, error))?;
    let is_wanted = |part| !args.without.contains(&part);
    let location = args.state.location()?;
    let store = is_wanted(Part::State).then(|| existing_store(&location)).transpose()?.flatten();
    if store.is_some() && !args.overwrite {
        return Err(exists(&location.to_string()));
    }
    let targets = targets(args, &checked)?;
    refuse_same_places(&targets, is_wanted(Part::State).then_some(&location))?;
    let taken = targets.iter().find(|target| target.path.exists() && !args.overwrite);
    if let Some(target) = taken {
        return Err(exists(&target.path.display().to_string()));
    }
    let is_with_state = is_wanted(Part::State);
    if !args.dry_run {
        let prepared = targets.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        if is_with_state {
            restore_to(args, &location, store)?;
        }
        prepared.into_iter().try_for_each(|file| finish(file, args.overwrite))?;
    }
    report(args, &checked, is_with_state.then_some(&location), &targets, stdout)
}

/// Reads the whole archive.
fn check(archive: File) -> Result<Checked, BackupError> {
    let mut state = StateCheck::new()?;
    let (mut files, mut key) = (Vec::new(), None);
    let header = ArchiveReader::new(archive).read(|header, entry| {
        match entry {
            Entry::Rows { table, lines } => state.check(header, &table, &lines)?,
            Entry::File { kind, name, content } => files.push((kind, name, content)),
            Entry::SealedKey(sealed) => key = Some(sealed),
        }
        Ok(())
    })?;
    state.check_header(&header)?;
    Ok(Checked { header, counts: state.counts, files, key })
}

/// The error with the name of the archive, unless it is about the store.
fn of_archive(file: &Path, error: BackupError) -> CommandError {
    let file = file.display();
    match CommandError::from(error) {
        CommandError::Damaged(message) => CommandError::Damaged(format!("{file}: {message}")),
        CommandError::Failed(message) => CommandError::Failed(format!("{file}: {message}")),
        other => other,
    }
}

fn exists(what: &str) -> CommandError {
    CommandError::Failed(format!(
        "expected nothing in the place of what is restored; found {what}; replace it with --overwrite, name another place, \
         or leave it out with --without"
    ))
}

/// The store whose content would be replaced; `None` if there is none yet.
fn existing_store(location: &StoreLocation) -> Result<Option<Store>, CommandError> {
    use StoreFault::{EmptyDatabase, Missing};
    match (Store::open(location, IfMissing::Refuse), location) {
        (Ok(store), _) => Ok(Some(store)),
        (Err(StoreError::Unusable { fault: Missing, .. }), StoreLocation::File(path)) => {
            // SQLite would read it as a part of the new file.
            let journal = beside(path, "-wal");
            match journal.exists() {
                true => Err(CommandError::Failed(format!(
                    "expected no journal without its state file; found {}; move it away first",
                    journal.display()
                ))),
                false => Ok(None),
            }
        }
        (Err(StoreError::Unusable { fault: EmptyDatabase, .. }), _) => Ok(None),
        (Err(error), StoreLocation::File(path)) if error.is_damage() => {
            Err(CommandError::Damaged(format!(
                "{error}; stop the servers, move {} and the files {0}-wal and {0}-shm away, then restore again",
                path.display()
            )))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// The path with this at its end.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(ending);
    path.into()
}

/// The files that are restored, with their places.
fn targets(args: &RestoreArgs, checked: &Checked) -> Result<Vec<Target>, CommandError> {
    let folder = args.state.folder()?;
    let mut targets = Vec::new();
    for (kind, name, content) in &checked.files {
        if args.without.contains(&Part::of(*kind)) {
            continue;
        }
        let path = match kind {
            FileKind::Corrections => default_folder(&args.snapshots.snapshots).join(name),
            FileKind::Holidays => args.holidays.holidays.clone().unwrap_or(folder.join(name)),
            FileKind::Settings => args.settings_to.clone().unwrap_or(folder.join(name)),
        };
        targets.push(Target { path, content: content.clone(), is_private: false });
    }
    targets.extend(key_target(args, checked)?);
    Ok(targets)
}

/// The file of the key of webhook secrets; `None` if there is nothing to write.
fn key_target(args: &RestoreArgs, checked: &Checked) -> Result<Option<Target>, CommandError> {
    let sealed = checked.key.as_ref().filter(|_| !args.without.contains(&Part::WebhookKey));
    let passphrase = args.passphrase.read()?;
    let (sealed, passphrase) = match (sealed, passphrase) {
        (Some(sealed), Some(passphrase)) => (sealed, passphrase),
        (Some(_), None) => {
            return Err(CommandError::usage(
                "the archive has the key of webhook secrets: expected its passphrase; found none; pass \
                 --passphrase-file, or leave the key out with --without webhook-key",
            ));
        }
        (None, Some(_)) if checked.key.is_none() => {
            return Err(CommandError::usage(
                "--passphrase-file: expected an archive with a sealed key; found one without; leave the option out",
            ));
        }
        (None, _) => return Ok(None),
    };
    let text = sealed.open(&passphrase).map_err(|error| of_archive(&args.file, error))?;
    let location = args.key.location(&args.state)?;
    match (location.path(), &location) {
        (Some(path), _) if location.text().is_ok_and(|found| found == text) => {
            tracing::debug!(path = %path.display(), "the key is there already");
            Ok(None)
        }
        (Some(path), _) => {
            let content = format!("{text}\n").into_bytes();
            Ok(Some(Target { path, content, is_private: true }))
        }
        (None, KeyLocation::Variable { name, text: found }) if found.trim() != text => {
            Err(CommandError::Failed(format!(
                "expected {name} to have the key of the archive; found another key; unset the variable and name a file \
                 with --webhook-key-file"
            )))
        }
        (None, KeyLocation::NotConfigured) => Err(CommandError::usage(
            "expected a place for the key of webhook secrets; found none; name one with --webhook-key-file",
        )),
        (None, _) => Ok(None),
    }
}

/// Two files of one name would replace each other, and a file may have the name of the state.
fn refuse_same_places(
    targets: &[Target],
    state: Option<&StoreLocation>,
) -> Result<(), CommandError> {
    let mut places = BTreeSet::new();
    if let Some(StoreLocation::File(path)) = state {
        places.insert(path.as_path());
    }
    match targets.iter().find(|target| !places.insert(&target.path)) {
        None => Ok(()),
        Some(target) => Err(CommandError::Failed(format!(
            "expected a place of its own for each part; found two at {}; name others with --settings-to and --holidays",
            target.path.display()
        ))),
    }
}

/// Writes a file beside its place.
fn prepare(target: &Target) -> Result<UnfinishedFile, CommandError> {
    let failed = |error| write_error(&target.path.display().to_string(), &error);
    if let Some(folder) = target.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let naming = if target.is_private { PRIVATE } else { BESIDE_OUTPUT };
    let mut file = UnfinishedFile::create(&target.path, naming).map_err(failed)?;
    let written = file.file().write_all(&target.content);
    written.and_then(|()| file.file().sync_all()).map_err(failed)?;
    Ok(file)
}

/// Moves a file to its place.
fn finish(file: UnfinishedFile, overwrite: bool) -> Result<(), CommandError> {
    let path = file.final_path().display().to_string();
    let finished = if overwrite { file.finish() } else { file.finish_new() };
    finished.map_err(|error| write_error(&path, &error))
}

/// Restores the state: in one transaction if the store exists, else as a new file or new tables.
fn restore_to(
    args: &RestoreArgs,
    location: &StoreLocation,
    store: Option<Store>,
) -> Result<(), CommandError> {
    let archive = File::open(&args.file).map_err(|error| CommandError::io(&args.file, &error))?;
    let archive = ArchiveReader::new(archive);
    let restored = |store: &mut Store| {
        restore_state(store, archive, Timestamp::now())
            .map(drop)
            .map_err(|error| of_archive(&args.file, error))
    };
    match (store, location) {
        (Some(mut store), _) => restored(&mut store),
        (None, StoreLocation::Postgres(_)) => {
            restored(&mut Store::open(location, IfMissing::Create)?)
        }
        (None, StoreLocation::File(path)) => {
            let failed = |error| write_error(&path.display().to_string(), &error);
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                remove_left_over(folder, PRIVATE).map_err(failed)?;
            }
            let file = UnfinishedFile::create(path, PRIVATE).map_err(failed)?;
            let unfinished = StoreLocation::File(file.path().to_owned());
            let mut store = Store::open(&unfinished, IfMissing::Create)?;
            restored(&mut store)?;
            // Closes the file, which then has no journal.
            drop(store);
            file.finish_new().map_err(failed)
        }
    }
}

fn report(
    args: &RestoreArgs,
    checked: &Checked,
    state: Option<&StoreLocation>,
    targets: &[Target],
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let Header { program, created, .. } = &checked.header;
    let paths: Vec<String> = targets.iter().map(|it| it.path.display().to_string()).collect();
    if args.json {
        let (accounts, keys) = (checked.counts.of("account"), checked.counts.of("api_key"));
        return print_json(
            stdout,
            json!({
                "restored": !args.dry_run, "created": created.to_string(), "program": program,
                "state": state.map(ToString::to_string), "accounts": accounts, "keys": keys,
                "rows": checked.counts.total(), "files": paths,
            }),
        );
    }
    let mut text = match args.dry_run {
        true => format!("would restore the backup of {created} by daicho {program}\n"),
        false => format!("restored the backup of {created} by daicho {program}\n"),
    };
    if let Some(location) = state {
        let _ = write!(text, "  {}", contents_line(&said(&location.to_string()), &checked.counts));
    }
    for path in &paths {
        let _ = writeln!(text, "  {}", own(path));
    }
    if state.is_some() && checked.key.is_none() && checked.counts.of("webhook") > 0 {
        let place = args.key.location(&args.state)?.display_name();
        let place = if place.is_empty() { "--webhook-key-file".to_owned() } else { place };
        let _ = writeln!(
            text,
            "the archive has webhooks but not their key: put your copy of the key at {place}"
        );
    }
    print_lines(stdout, &text)
}
