//! Compiles official source files to snapshots: postal codes, banks, corporations, invoice issuers, schools.
//!
//! A row that cannot be read is listed in the report's [`BuildLog`]; it neither stops the build nor disappears. If
//! more rows are rejected than the share that a [`Target`] allows, the build fails and the old snapshot stays. Prints
//! nothing: progress goes to a [`Progress`].
//!
//! Until everything is written to unfinished files, nothing is changed. Then they are renamed one after the other: if
//! that fails, companion files may already be replaced, and if an old download cannot be removed, the snapshot is.

pub(crate) mod difference_days;
pub(crate) mod log;
pub(crate) mod target;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{io, sync::Arc};

use build_tools::SourceError;

use crate::snapshot::changes::ChangeListError;
use crate::snapshot::{Dataset, DatasetKind, OpenError, SnapshotFile, WriteError};
use crate::text::codes::DataVersion;

pub use log::{BuildLog, LISTED_MAX, Refusal, Warning, abbreviated_list};
pub use target::{Build, REJECTS_SHARE_MAX, Target};

/// Notified by a build as it proceeds. `()` ignores it.
pub trait Progress {
    /// A step begins, such as `reading area`.
    fn step(&self, name: &str);

    /// This many bytes or records of the step are done, of this total.
    fn advance(&self, done: u64, total: u64);

    /// Something is wrong that does not stop the work.
    fn warn(&self, _text: &str) {}
}

impl Progress for () {
    fn step(&self, _name: &str) {}

    fn advance(&self, _done: u64, _total: u64) {}
}

/// Where a row comes from. Of two rows of one day, the one with the later origin wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowOrigin {
    Base,
    Full,
    Difference,
}

impl RowOrigin {
    /// A sequence number has 8 digits, which leaves the highest bits for the origin.
    pub(crate) const SHIFT: u32 = 30;

    /// Orders the rows of one day by their origin and their sequence number in its files.
    pub(crate) fn order_in_day(self, sequence_number: u32) -> u32 {
        (self as u32) << RowOrigin::SHIFT | sequence_number
    }
}

/// Opens a snapshot that a build reads in addition to its source files, and checks all of it, since the build would
/// copy its damage.
pub fn open_verified<D: Dataset>(path: &Path) -> Result<D> {
    let expected = D::KIND;
    if !path.is_file() {
        return Err(CompileError::NoSnapshot { path: path.to_owned(), expected });
    }
    let file = SnapshotFile::open(path)?;
    let found = file.kind_among(D::KINDS)?;
    if found != expected {
        return Err(CompileError::WrongDataset { path: path.to_owned(), expected, found });
    }
    file.verify()?;
    Ok(D::from_file(file))
}

/// The index of no place, and of a place that was dropped.
pub const NO_PLACE: u32 = u32::MAX;

#[derive(Debug)]
pub struct Places<P> {
    /// In order of first use; after [`Places::sort`] sorted.
    pub list: Vec<P>,
    /// From the key of a place to its index in the list.
    indexes: HashMap<String, u32>,
    /// Buffer for such a key.
    key: String,
}

impl<P> Default for Places<P> {
    fn default() -> Places<P> {
        Places { list: Vec::new(), indexes: HashMap::new(), key: String::new() }
    }
}

impl<P: Ord + Clone> Places<P> {
    /// The index of the place with this code and these names of prefecture and city, which is made if it is new.
    pub fn intern(&mut self, code: u32, names: [&str; 2], make: impl FnOnce() -> P) -> u32 {
        self.key.clear();
        self.key.push_str(itoa::Buffer::new().format(code));
        for name in names {
            self.key.push('\0');
            self.key.push_str(name);
        }
        if let Some(index) = self.indexes.get(&self.key) {
            return *index;
        }
        let index = self.list.len() as u32;
        self.indexes.insert(self.key.clone(), index);
        self.list.push(make());
        index
    }

    /// Sorts the list, and drops the places that are not used. Returns the new index of each place, or [`NO_PLACE`].
    pub fn sort(&mut self, used: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut is_used = vec![false; self.list.len()];
        used.for_each(|place| is_used[place as usize] = true);
        let mut order: Vec<usize> = (0..self.list.len()).filter(|place| is_used[*place]).collect();
        order.sort_by(|left, right| self.list[*left].cmp(&self.list[*right]));
        let mut new_indexes = vec![NO_PLACE; self.list.len()];
        for (index, place) in (0..).zip(&order) {
            new_indexes[*place] = index;
        }
        self.list = order.iter().map(|place| self.list[*place].clone()).collect();
        self.indexes.clear();
        new_indexes
    }
}

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
