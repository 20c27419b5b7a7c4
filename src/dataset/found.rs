//! Finds a dataset by its name, or by the number in the header of a snapshot file.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::declaration::Facts;
use super::{DATASETS, KINDS};
use crate::snapshot::{DatasetKind, OpenError, SnapshotFile};

/// The dataset of this name.
pub fn named(name: &str) -> Option<DatasetKind> {
    KINDS.into_iter().find(|kind| kind.name() == name)
}

/// The declaration of the dataset of this name.
pub fn facts_named(name: &str) -> Option<&'static Facts> {
    DATASETS.iter().find(|facts| facts.kind.name() == name)
}

/// An open snapshot file whose dataset is known.
#[derive(Debug)]
pub struct FoundSnapshot {
    pub dataset: &'static Facts,
    pub file: SnapshotFile,
}

impl FoundSnapshot {
    /// Opens a snapshot file of any dataset.
    pub fn open(path: &Path) -> Result<FoundSnapshot, OpenError> {
        FoundSnapshot::of(SnapshotFile::open(path)?)
    }

    /// Opens a file in the folder of this dataset: folder and file name must match the header.
    pub fn open_in_catalog(path: &Path, kind: DatasetKind) -> Result<FoundSnapshot, OpenError> {
        FoundSnapshot::of(SnapshotFile::open_in_catalog(path, kind, &KINDS)?)
    }

    /// A file that is of none of the datasets is refused.
    fn of(file: SnapshotFile) -> Result<FoundSnapshot, OpenError> {
        let kind = file.kind_among(&KINDS)?;
        let dataset = DATASETS.iter().find(|facts| facts.kind == kind);
        Ok(FoundSnapshot { dataset: dataset.expect("both arrays come from one list"), file })
    }

    /// Verifies every checksum and table, and everything that a look-up or search would check at its first use.
    pub fn verify(self) -> Result<(), Arc<OpenError>> {
        self.file.verify()?;
        (self.dataset.verify)(self.file)
    }

    /// The counts and the sources, for people.
    pub fn describe(self) -> Result<Value, Arc<OpenError>> {
        (self.dataset.describe)(self.file)
    }
}
