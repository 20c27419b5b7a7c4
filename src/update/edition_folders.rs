//! The folders of source files: `SNAPSHOTS/sources/DATASET/EDITION/`. Lists the editions, repairs what an interrupted
//! update left, and removes old editions.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::UpdateError;
use super::manifest::Manifest;
use crate::snapshot::durable::if_exists;
use crate::snapshot::unfinished::{IN_SNAPSHOTS, remove_left_over};
use crate::text::codes::DataVersion;

/// The folder for source files, below the snapshot folder.
pub const SOURCES_FOLDER: &str = "sources";

/// The manifests of the editions from which snapshots were built, oldest first. `folder` is that of the dataset.
pub fn built_editions(folder: &Path) -> Result<Vec<Manifest>, UpdateError> {
    built_manifests(&edition_folders(folder)?)
}

fn built_manifests(editions: &[(PathBuf, DataVersion)]) -> Result<Vec<Manifest>, UpdateError> {
    let manifests = editions.iter().map(|(path, _)| Manifest::read(path));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    Ok(manifests.into_iter().flatten().filter(|manifest| manifest.is_built).collect())
}

/// The folders of the editions, oldest first.
fn edition_folders(folder: &Path) -> Result<Vec<(PathBuf, DataVersion)>, UpdateError> {
    let failed = |cause| UpdateError::io(folder, cause);
    let mut found = Vec::new();
    for entry in if_exists(fs::read_dir(folder)).map_err(failed)?.into_iter().flatten() {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(version) = name.and_then(|name| DataVersion::parse(name).ok()) {
            found.push((path, version));
        }
    }
    found.sort_by_key(|(_, version)| *version);
    Ok(found)
}

/// Repairs what an interrupted update left: half-written manifests, and the missing record that a snapshot was
/// built, which is written after the snapshot.
pub fn recover(folder: &Path, installed: Option<DataVersion>) -> Result<(), UpdateError> {
    for (path, version) in edition_folders(folder)? {
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
    let all = edition_folders(folder)?;
    let built = built_manifests(&all)?;
    let Some(oldest) = built.get(built.len().saturating_sub(keep)) else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for (path, version) in all {
        if version < oldest.edition {
            fs::remove_dir_all(&path).map_err(|cause| UpdateError::io(&path, cause))?;
            removed.push(path);
        }
    }
    Ok(removed)
}
