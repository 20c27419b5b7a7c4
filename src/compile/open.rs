//! Opens the snapshots that a build reads in addition to its source files: a base, postal data, corporations.

use std::path::Path;

use super::error::CompileError;
use crate::snapshot::{Dataset, SnapshotFile};

/// Opens a snapshot and checks all of it, since a build would copy its damage.
pub fn open_verified<D: Dataset>(path: &Path) -> Result<D, CompileError> {
    let expected = D::KIND;
    if !path.is_file() {
        return Err(CompileError::NoSnapshot { path: path.to_owned(), expected });
    }
    let file = SnapshotFile::open(path)?;
    let found = file.dataset();
    if found != expected {
        return Err(CompileError::WrongDataset { path: path.to_owned(), expected, found });
    }
    file.verify()?;
    Ok(D::from_file(file))
}
