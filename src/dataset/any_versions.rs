//! The open versions of one dataset, for code that handles all datasets alike.

use std::sync::Arc;

use super::declaration::{Declaration, Facts};
use crate::snapshot::{OpenError, SnapshotFile, Versions};
use crate::text::codes::DataVersion;

/// The open versions of a dataset, whichever it is.
pub trait AnyVersions {
    fn facts(&self) -> Facts;

    /// The open files, oldest first. A file that stayed open since an earlier scan is at the same address.
    fn files(&self) -> Vec<&SnapshotFile>;

    fn newest(&self) -> Option<&SnapshotFile>;

    fn refused(&self) -> Vec<&OpenError>;

    /// The number of records of a version that is open. Reads the version into memory.
    fn count_records(&self, version: DataVersion) -> Option<Result<usize, Arc<OpenError>>>;

    /// Checks the search sections of the newest version; see [`Declaration::check_search_sections`].
    fn check_search_sections(&self);
}

impl<D: Declaration> AnyVersions for Versions<D> {
    fn facts(&self) -> Facts {
        Facts::of::<D>()
    }

    fn files(&self) -> Vec<&SnapshotFile> {
        self.iter().map(|(_, data)| data.file()).collect()
    }

    fn newest(&self) -> Option<&SnapshotFile> {
        self.latest().map(|data| data.file())
    }

    fn refused(&self) -> Vec<&OpenError> {
        Versions::refused(self).collect()
    }

    fn count_records(&self, version: DataVersion) -> Option<Result<usize, Arc<OpenError>>> {
        self.get(version).map(|data| data.count_records())
    }

    fn check_search_sections(&self) {
        if let Some(newest) = self.latest() {
            newest.check_search_sections();
        }
    }
}
