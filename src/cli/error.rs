//! Why a command failed, and its exit code.

use std::io::{self, ErrorKind};
use std::{path::Path, sync::Arc};

use super::language;
use crate::account::store::StoreError;
use crate::compile::{CompileError, Refusal};
use crate::dataset::invoice::INDIVIDUALS;
use crate::dataset::postal::{LARGE_BUSINESSES, POST_OFFICE_BOXES};
use crate::export::ExportError;
use crate::normalize::NormalizeError;
use crate::radar::RadarError;
use crate::snapshot::{OpenError, WriteError};

/// A command failed. The message is printed on standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Exit code 1: something does not exist, exists already or failed. Also a malformed version, date, code, facet
    /// path or query: it names nothing that exists.
    #[error("{0}")]
    Failed(String),
    /// Exit code 2: the command line is invalid: an unknown option, options that exclude each other, or a value that
    /// the option does not take, such as a number out of range.
    #[error("{0}")]
    Usage(String),
    /// Exit code 3: data on disk are damaged or have another format version.
    #[error("{0}")]
    Damaged(String),
    /// An exit code without a message; the result is on standard output.
    #[error("exit code {0}")]
    ExitCode(u8),
}

impl CommandError {
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Failed(_) => 1,
            CommandError::Usage(_) => 2,
            CommandError::Damaged(_) => 3,
            CommandError::ExitCode(code) => *code,
        }
    }

    /// The message in the language of the process.
    pub fn message(&self) -> String {
        language::lines(&self.to_string()).into_owned()
    }

    pub fn failed(error: impl ToString) -> CommandError {
        CommandError::Failed(error.to_string())
    }

    pub fn usage(error: impl ToString) -> CommandError {
        CommandError::Usage(error.to_string())
    }

    /// The error for a file or folder that cannot be read or written.
    pub fn io(path: &Path, cause: &io::Error) -> CommandError {
        let remedy = full_disk_remedy(cause);
        CommandError::Failed(format!("{}: {cause}{remedy}", path.display()))
    }

    pub fn cannot_start(error: io::Error) -> CommandError {
        CommandError::Failed(format!(
            "cannot start the server: the system refused a thread, a signal handler or a socket: {error}"
        ))
    }
}

/// What to do where the disk is full; empty for another error.
fn full_disk_remedy(cause: &io::Error) -> &'static str {
    match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space",
        _ => "",
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> CommandError {
        CommandError::Damaged(error.to_string())
    }
}

impl From<Arc<OpenError>> for CommandError {
    fn from(error: Arc<OpenError>) -> CommandError {
        CommandError::Damaged(error.to_string())
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> CommandError {
        let message = error.to_string();
        match error {
            StoreError::OriginsOnSecretKey { .. } | StoreError::TooManyOrigins { .. } => {
                CommandError::Usage(message)
            }
            error if error.is_damage() => CommandError::Damaged(message),
            _ => CommandError::Failed(message),
        }
    }
}

impl From<RadarError> for CommandError {
    fn from(error: RadarError) -> CommandError {
        match error {
            RadarError::Store(error) => error.into(),
            error => CommandError::failed(error),
        }
    }
}

impl From<CompileError> for CommandError {
    fn from(error: CompileError) -> CommandError {
        let message = match error {
            CompileError::TooManyRejects { .. } => {
                format!("{error}, or allow more with --rejects-max")
            }
            CompileError::BaseTooNew { .. } => format!("{error} (--version)"),
            CompileError::Refused(ref refusal) => return refused_build(refusal),
            CompileError::NoCorporation => format!("{error} (--prefecture)"),
            CompileError::NoIndividualsInBase { .. } => {
                format!("{error} (--full), or leave out --individuals")
            }
            CompileError::Io { ref cause, .. }
            | CompileError::Write(WriteError::Io { ref cause, .. }) => {
                format!("{error}{}", full_disk_remedy(cause))
            }
            _ => error.to_string(),
        };
        match error.is_damage() {
            true => CommandError::Damaged(message),
            false => CommandError::Failed(message),
        }
    }
}

/// A refused build can be forced; for most refusals, names the option that is probably wrong.
fn refused_build(refusal: &Refusal) -> CommandError {
    let option = match refusal {
        Refusal::FutureVersion { .. } | Refusal::PublishedLater { .. } => " (--version)",
        Refusal::MissingRecords { kind, .. }
            if kind == LARGE_BUSINESSES || kind == POST_OFFICE_BOXES =>
        {
            " (--business)"
        }
        Refusal::MissingRecords { kind, .. } if kind == INDIVIDUALS => " (--individuals)",
        Refusal::MissingRecords { .. } => "",
        Refusal::OtherMonth { .. } => " (--updates)",
        Refusal::MissingDays(_) => " (--diff)",
    };
    CommandError::Failed(format!("{refusal}{option}, or build anyway with --force"))
}

impl From<NormalizeError> for CommandError {
    fn from(error: NormalizeError) -> CommandError {
        CommandError::Usage(match error {
            NormalizeError::ColumnMissing { .. } => format!("--column is missing: {error}"),
            NormalizeError::ColumnTwice { .. } => error.to_string(),
            NormalizeError::SheetOfText { .. } => format!("--sheet: {error}; leave it out"),
            NormalizeError::WorkbookOption { .. } => {
                format!("{error}; leave out --encoding and --delimiter")
            }
            NormalizeError::NameWithoutHeader { .. } => format!("--no-header: {error}"),
            NormalizeError::ColumnExists { .. } => {
                format!("{error} with --prefix, for example --prefix daicho_")
            }
            NormalizeError::Snapshot(error) => return error.into(),
            NormalizeError::NoHeaderRow { .. } | NormalizeError::OtherMark { .. } => {
                error.to_string()
            }
            NormalizeError::Panicked | NormalizeError::RowsLost { .. } => {
                return CommandError::Damaged(error.to_string());
            }
            error => return CommandError::failed(error),
        })
    }
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> CommandError {
        match error {
            ExportError::UnknownColumn { .. } | ExportError::ColumnTwice { .. } => {
                CommandError::Usage(format!("--columns: {error}"))
            }
            ExportError::Query(_) | ExportError::Unanswerable(_) => {
                CommandError::Failed(format!("--where: {error}"))
            }
            ExportError::Snapshot(error) => error.into(),
            ExportError::Write(error) => CommandError::failed(error),
        }
    }
}

impl From<getrandom::Error> for CommandError {
    fn from(error: getrandom::Error) -> CommandError {
        CommandError::Failed(format!("the system did not provide random numbers: {error}"))
    }
}
