//! The folders of source files: `SNAPSHOTS/sources/DATASET/EDITION/`. Lists the editions, repairs what an interrupted
//! update left, and removes old editions.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::UpdateError;
use super::manifest::Manifest;
use crate::snapshot::prune::entries;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::text::codes::DataVersion;

/// The folder for source files, below the snapshot folder.
pub const SOURCES_FOLDER: &str = "sources";

/// The manifests of the editions from which snapshots were built, oldest first. `folder` is that of the dataset.
pub fn built_editions(folder: &Path) -> Result<Vec<Manifest>, UpdateError> {
    let editions = dated_entries(folder, "")?;
    let manifests = editions.iter().map(|(_, path)| Manifest::read(path));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    Ok(manifests.into_iter().flatten().filter(|manifest| manifest.is_built).collect())
}

/// The entries of a folder whose names are a date and this ending, oldest first; none if there is no folder.
pub fn dated_entries(
    folder: &Path,
    ending: &str,
) -> Result<Vec<(DataVersion, PathBuf)>, UpdateError> {
    let paths = entries(folder).map_err(|cause| UpdateError::io(folder, cause))?;
    let dated = paths.into_iter().filter_map(|path| {
        let date = path.file_name()?.to_str()?.strip_suffix(ending)?;
        Some((DataVersion::parse(date).ok()?, path))
    });
    let mut dated: Vec<(DataVersion, PathBuf)> = dated.collect();
    dated.sort();
    Ok(dated)
}

/// Repairs what an interrupted update left: half-written manifests, and the missing record that a snapshot was
/// built, which is written after the snapshot.
pub fn recover(folder: &Path, installed: Option<DataVersion>) -> Result<(), UpdateError> {
    for (version, path) in dated_entries(folder, "")? {
        remove_left_over(&path, IN_SNAPSHOTS).map_err(|cause| UpdateError::io(&path, cause))?;
        if Some(version) != installed {
            continue;
        }
        if let Some(manifest) = Manifest::read(&path)?.filter(|manifest| !manifest.is_built) {
            Manifest { is_built: true, ..manifest }.write(&path)?;
        }
    }
    Ok(())
}

/// Removes the source files of all but the newest `keep` editions from which snapshots were built. Returns the removed
/// folders.
pub fn prune(folder: &Path, keep: usize) -> Result<Vec<PathBuf>, UpdateError> {
    let built = built_editions(folder)?;
    let Some(oldest) = built.get(built.len().saturating_sub(keep)) else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for (version, path) in dated_entries(folder, "")? {
        if version < oldest.edition {
            fs::remove_dir_all(&path).map_err(|cause| UpdateError::io(&path, cause))?;
            removed.push(path);
        }
    }
    Ok(removed)
}
