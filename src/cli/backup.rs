//! `daicho backup`: writes an archive of the state and the operator's own files, while servers run.
//!
//! The key of webhook secrets is left out, so that an archive alone opens no secret; with a passphrase it is sealed into
//! the archive. Snapshots are not in it: they are built again from the sources that they name.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::data::{CorrectionsArg, HolidaysArg, SnapshotsArg};
use super::error::CommandError;
use super::output::{Output, clean_up_on_signals};
use super::password::read_password;
use super::print::{counted, own, print_json, print_lines};
use super::store::StateArg;
use super::webhook_options::WebhookKeyArg;
use crate::account::Password;
use crate::account::store::{IfMissing, StoreLocation};
use crate::backup::{BackupError, Counts, FileKind, SealedKey, is_archive, write_state};
use crate::radar::stored_secret::{EncryptionKeyFault, KeyLocation};
use crate::system::identity::is_same_file;
use crate::system::permissions;

/// Longer than any file that an operator writes by hand.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Back up the accounts, keys and everything else in the state, the corrections, the holidays and the settings file into
/// one archive. Servers may run meanwhile: the archive has the state of one moment. The key of webhook secrets is left
/// out unless a passphrase seals it
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The archive to write; - for standard output. An earlier archive of this name is replaced once the new one is
    /// complete
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    state: StateArg,
    #[command(flatten)]
    snapshots: SnapshotsArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
    #[command(flatten)]
    holidays: HolidaysArg,
    #[command(flatten)]
    passphrase: PassphraseArg,
    #[command(flatten)]
    key: WebhookKeyArg,
}

#[derive(Debug, Args)]
pub struct PassphraseArg {
    /// File with a passphrase of 10 to 200 characters, or - for standard input. It seals the key of webhook secrets
    /// into the archive, and opens it there
    #[arg(long, value_name = "FILE", env = "DAICHO_PASSPHRASE_FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseArg {
    pub fn read(&self) -> Result<Option<Password>, CommandError> {
        let file = self.passphrase_file.as_deref();
        file.map(|file| read_password("--passphrase-file", file)).transpose()
    }
}

impl From<BackupError> for CommandError {
    fn from(error: BackupError) -> CommandError {
        match error {
            BackupError::Store(error) => error.into(),
            error if error.is_damage() => CommandError::Damaged(error.to_string()),
            error => CommandError::failed(error),
        }
    }
}

/// A file of the operator, read before the archive is begun.
struct OwnFile {
    kind: FileKind,
    name: String,
    content: Vec<u8>,
}

/// What becomes of the key of webhook secrets.
enum KeyPart {
    Sealed(SealedKey),
    /// It stays where it is.
    LeftOut {
        place: String,
    },
    /// No webhook has needed one yet.
    NoneYet,
}

/// Runs the command; `settings` is the file of `--config`.
pub fn run(
    args: &BackupArgs,
    settings: Option<&Path>,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    clean_up_on_signals()?;
    let location = args.state.location()?;
    let to_stdout = args.file.as_os_str() == "-";
    refuse_target(&args.file, to_stdout, &location)?;
    let key = key_part(args)?;
    let files = own_files(args, settings)?;
    let mut store = args.state.open(IfMissing::Refuse)?;
    let mut output = Output::open((!to_stdout).then_some(&args.file))?;
    if let Output::File(file) = &mut output {
        // The archive has hashes of passwords and keys.
        let private = permissions::set_mode(file.file(), permissions::PRIVATE);
        private.map_err(|error| CommandError::io(&args.file, &error))?;
    }
    let out = BufWriter::with_capacity(1 << 16, output);
    let (out, counts) = write_state(&mut store, out, Timestamp::now(), |archive| {
        for OwnFile { kind, name, content } in &files {
            archive.add_file(*kind, name, content)?;
        }
        match &key {
            KeyPart::Sealed(key) => archive.add_sealed_key(key),
            KeyPart::LeftOut { .. } | KeyPart::NoneYet => Ok(()),
        }
    })?;
    let written = out.into_inner().map_err(|error| BackupError::Write(error.into_error()))?;
    written.finish()?;
    report(args, to_stdout, &counts, &files, &key, stdout)
}

/// Refuses to write over something that is no archive, the state above all.
fn refuse_target(
    file: &Path,
    to_stdout: bool,
    location: &StoreLocation,
) -> Result<(), CommandError> {
    if to_stdout {
        let message = "expected a file or a pipe for the archive; found a terminal; name a file";
        return match io::stdout().is_terminal() {
            true => Err(CommandError::usage(message)),
            false => Ok(()),
        };
    }
    let Ok(metadata) = fs::metadata(file) else { return Ok(()) };
    let is_state = matches!(location, StoreLocation::File(state) if is_same_file(state, file));
    let mut magic = Vec::new();
    let is_other = metadata.is_file() && metadata.len() > 0 && {
        let read = File::open(file).and_then(|file| file.take(4).read_to_end(&mut magic));
        read.is_err() || !is_archive(&magic)
    };
    match is_state || is_other {
        true => Err(CommandError::Usage(format!(
            "{}: expected a new file, or an earlier backup to replace; found another file; name another one",
            file.display()
        ))),
        false => Ok(()),
    }
}

fn key_part(args: &BackupArgs) -> Result<KeyPart, CommandError> {
    let location = args.key.location(&args.state)?;
    let passphrase = args.passphrase.read()?;
    let text = match location.text() {
        Ok(text) => text,
        Err(EncryptionKeyFault::Missing(_)) if matches!(location, KeyLocation::BesideState(_)) => {
            return Ok(KeyPart::NoneYet);
        }
        Err(EncryptionKeyFault::NotConfigured) => return Ok(KeyPart::NoneYet),
        // Without a passphrase the key does not matter here.
        Err(_fault) if passphrase.is_none() => {
            return Ok(KeyPart::LeftOut { place: location.display_name() });
        }
        Err(fault) => return Err(CommandError::failed(fault)),
    };
    Ok(match passphrase {
        Some(passphrase) => KeyPart::Sealed(SealedKey::seal(&text, &passphrase)?),
        None => KeyPart::LeftOut { place: location.display_name() },
    })
}

fn own_files(args: &BackupArgs, settings: Option<&Path>) -> Result<Vec<OwnFile>, CommandError> {
    let mut files = Vec::new();
    let folder = args.corrections.folder(&args.snapshots.snapshots)?;
    for path in regular_files(&folder).map_err(|error| CommandError::io(&folder, &error))? {
        files.push(read(FileKind::Corrections, &path)?);
    }
    if let Some(path) = &args.holidays.holidays {
        files.push(read(FileKind::Holidays, path)?);
    }
    if let Some(path) = settings {
        files.push(read(FileKind::Settings, path)?);
    }
    Ok(files)
}

/// The files of a folder that are not hidden, by name; none if there is no folder.
fn regular_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = crate::snapshot::files::entries(folder)?.into_iter();
    let is_hidden = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
    };
    Ok(entries.filter(|path| path.is_file() && !is_hidden(path)).collect())
}

fn read(kind: FileKind, path: &Path) -> Result<OwnFile, CommandError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| {
        CommandError::Failed(format!(
            "{}: expected a file with a name in UTF-8; found another name; rename it",
            path.display()
        ))
    })?;
    let mut content = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut content));
    read.map_err(|error| CommandError::io(path, &error))?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(CommandError::Failed(format!(
            "{}: expected at most {FILE_BYTES_MAX} bytes; found more; move the file elsewhere",
            path.display()
        )));
    }
    Ok(OwnFile { kind, name: name.to_owned(), content })
}

fn report(
    args: &BackupArgs,
    to_stdout: bool,
    counts: &Counts,
    files: &[OwnFile],
    key: &KeyPart,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let names: Vec<String> =
        files.iter().map(|file| format!("{}/{}", file.kind, file.name)).collect();
    // Standard output is the archive.
    let mut stderr = io::stderr();
    let out: &mut dyn Write = if to_stdout { &mut stderr } else { stdout };
    if args.json {
        let key = match key {
            KeyPart::Sealed(_) => "sealed",
            KeyPart::LeftOut { .. } => "left out",
            KeyPart::NoneYet => "none",
        };
        let report = json!({
            "file": args.file.display().to_string(), "accounts": counts.of("account"),
            "keys": counts.of("api_key"), "rows": counts.total(), "files": names, "webhook_key": key,
        });
        return print_json(out, report);
    }
    let mut text = contents_line(&own(args.file.display()), counts);
    names.iter().for_each(|name| text.push_str(&format!("  with {}\n", own(name))));
    text.push_str(&match key {
        KeyPart::Sealed(_) => "  with the key of webhook secrets, sealed\n".to_owned(),
        KeyPart::LeftOut { place } => format!(
            "  without the key of webhook secrets ({place}): keep a copy of it elsewhere, or seal it with \
             --passphrase-file\n"
        ),
        KeyPart::NoneYet => String::new(),
    });
    print_lines(out, &text)
}

/// A line for people about the content of a state at this place.
pub fn contents_line(place: &str, counts: &Counts) -> String {
    let accounts = counted(counts.of("account"), "account");
    let (keys, rows) = (counted(counts.of("api_key"), "key"), counted(counts.total(), "row"));
    format!("{place}: {accounts}, {keys}, {rows} in all\n")
}
