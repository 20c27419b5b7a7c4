//! Compiles official source files to snapshots: postal codes, banks, corporations, invoice issuers, schools.
//!
//! A row that cannot be read is listed in the report's [`BuildLog`]; it neither stops the build nor disappears. If
//! more rows are rejected than the share that a [`Target`] allows, the build fails and the old snapshot stays.
//! Prints nothing: progress goes to a [`Progress`].

pub(crate) mod difference_days;
pub(crate) mod error;
pub(crate) mod log;
pub(crate) mod places;
pub(crate) mod target;

pub use error::CompileError;
pub use log::{BuildLog, LISTED_MAX, Refusal, Warning, abbreviated_list};
pub use target::{Build, REJECTS_SHARE_MAX, Target};

use std::path::Path;

use self::error::Result;
use crate::snapshot::{Dataset, SnapshotFile};

/// Notified by a build as it proceeds. `()` ignores it.
pub trait Progress {
    /// A step begins, such as `reading area`.
    fn step(&self, name: &str);

    /// This many bytes or records of the step are done, of this total.
    fn advance(&self, done: u64, total: u64);
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
