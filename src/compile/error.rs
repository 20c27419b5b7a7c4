//! Why a build failed.
//!
//! Until everything is written to unfinished files, nothing is changed. Then they are renamed one after the other: if
//! that fails, companion files may already be replaced, and if an old download cannot be removed, the snapshot is.

use std::path::{Path, PathBuf};
use std::{io, sync::Arc};

use build_tools::SourceError;

use super::log::{BuildLog, Refusal};
use crate::snapshot::{DatasetKind, OpenError, WriteError, changes::ChangeListError};
use crate::text::codes::DataVersion;

pub type Result<T, E = CompileError> = std::result::Result<T, E>;

/// Why a build produced no snapshot. Each message names the remedy, unless only the caller knows it.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(
        "{} of {} rows were rejected, more than the {:.3}% allowed; nothing was written; check the sources",
        .log.rejects.len(), .log.rows + .log.rejects.len() as u64, .share_max * 100.0
    )]
    TooManyRejects { log: BuildLog, share_max: f64 },
    #[error("{path}: {cause}", path = .path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("{path}: no such file; expected a snapshot such as snapshots/{expected}/2026-07-31.daicho",
        path = .path.display(), expected = .expected.name())]
    NoSnapshot { path: PathBuf, expected: DatasetKind },
    #[error("{path}: expected a snapshot of {} data, found one of {} data", .expected.name(), .found.name(),
        path = .path.display())]
    WrongDataset { path: PathBuf, expected: DatasetKind, found: DatasetKind },
    /// A snapshot that the build reads is damaged.
    #[error(transparent)]
    Snapshot(#[from] Arc<OpenError>),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    ChangeList(#[from] ChangeListError),
    #[error("expected a base of {version} or before, found {found}; give a later version")]
    BaseTooNew { version: DataVersion, found: DataVersion },
    /// If the build is forced, it goes on with a warning.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(
        "{file}: expected a difference of {since} or later, the date of the base, found {found}; \
         leave it out or use an earlier base"
    )]
    DifferenceTooOld { file: String, since: DataVersion, found: DataVersion },
    #[error(
        "{missing} of the {added} rows that the difference files add are not in the full file; \
         give the full file and the difference files of one month"
    )]
    AddedNotInFull { missing: usize, added: usize },
    #[error(
        "all {removed} rows that the difference files remove are still in the full file; \
         give the full file and the difference files of one month"
    )]
    RemovedStillInFull { removed: usize },
    #[error("expected corporations, found none; check the files and the prefectures")]
    NoCorporation,
    #[error("expected qualified invoice issuers, found none; check the files")]
    NoIssuer,
    #[error("expected schools, found none; check the lists")]
    NoSchool,
    #[error(
        "expected a base with individuals, found the base {found} without; build one from full files"
    )]
    NoIndividualsInBase { found: DataVersion },
    #[error(
        "expected at most {limit} {what}, found more; check that the columns are in the expected order"
    )]
    TooMany { what: &'static str, limit: u64 },
    #[error("cannot build the search index: {0}")]
    Index(String),
}

impl CompileError {
    pub(crate) fn io(path: &Path, cause: io::Error) -> CompileError {
        CompileError::Io { path: path.to_owned(), cause }
    }

    /// Whether a snapshot is damaged: one that the build reads, or the one that it has written.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            CompileError::Snapshot(_)
                | CompileError::Write(WriteError::ReadBack(_) | WriteError::PublishedReadBack(_))
        )
    }
}

impl From<OpenError> for CompileError {
    fn from(error: OpenError) -> CompileError {
        CompileError::Snapshot(Arc::new(error))
    }
}
