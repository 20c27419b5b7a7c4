//! Collects the files of a snapshot folder for a release: verifies them and computes their checksums.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::error::ReleaseError;
use super::manifest::{Entry, EntryKind};
use super::sha256::Sha256;
use crate::compile::Progress;
use crate::dataset::corporate::CorporateData;
use crate::dataset::postal::PostalData;
use crate::dataset::{self, KINDS};
use crate::snapshot::files::dated_entries;
use crate::snapshot::layout::{EXTENSION, FORMAT};
use crate::snapshot::{Dataset, SnapshotFile, changes, companion};
use crate::text::codes::DataVersion;
use crate::update::Subject;

#[derive(Debug)]
pub struct CollectedFile {
    pub entry: Entry,
    pub path: PathBuf,
}

/// Collects the newest `versions` of a subject, or all. Reads every file completely.
pub fn collect(
    snapshots: &Path,
    subject: Subject,
    versions: Option<usize>,
    progress: &dyn Progress,
) -> Result<Vec<CollectedFile>, ReleaseError> {
    let mut collected = Vec::new();
    let dataset = dataset::named(subject.name());
    let extension = if dataset.is_some() { EXTENSION } else { "csv" };
    for (version, path) in newest_files(&snapshots.join(subject.name()), extension, versions)? {
        let Some(dataset) = dataset else {
            collected.push(read_file(EntryKind::Holidays, version, path, progress)?);
            continue;
        };
        SnapshotFile::open_in_catalog(&path, dataset, &KINDS)?.verify()?;
        let download = companion::download_path(&path);
        if dataset == PostalData::KIND && download.is_file() {
            collected.push(read_file(EntryKind::Download, version, download, progress)?);
        }
        let kind = EntryKind::Snapshot(dataset, FORMAT);
        collected.push(read_file(kind, version, path, progress)?);
    }
    if subject == Subject::dataset(CorporateData::KIND) && !collected.is_empty() {
        for day in changes::days(snapshots)? {
            // Fails if the file is not a valid change list.
            changes::read(snapshots, day)?;
            let path = changes::folder(snapshots).join(format!("{day}.txt"));
            collected.push(read_file(EntryKind::Changes, day, path, progress)?);
        }
    }
    Ok(collected)
}

/// The newest files of a folder whose names are dates, oldest first.
fn newest_files(
    folder: &Path,
    extension: &str,
    versions: Option<usize>,
) -> Result<Vec<(DataVersion, PathBuf)>, ReleaseError> {
    let dated = dated_entries(folder, extension);
    let mut dated = dated.map_err(|cause| ReleaseError::io(folder, cause))?;
    let old = dated.len().saturating_sub(versions.unwrap_or(usize::MAX));
    Ok(dated.split_off(old))
}

/// Reads a file completely, for its checksum.
fn read_file(
    kind: EntryKind,
    version: DataVersion,
    path: PathBuf,
    progress: &dyn Progress,
) -> Result<CollectedFile, ReleaseError> {
    let failed = |cause| ReleaseError::io(&path, cause);
    let length = fs::metadata(&path).map_err(failed)?.len();
    let mut file = File::open(&path).map_err(failed)?;
    progress.step(&format!("reading {kind} {version}"));
    let mut done = 0;
    let mut advance = |count| {
        done += count;
        progress.advance(done, length);
    };
    let (sha256, bytes) = Sha256::of_reader(&mut file, &mut advance).map_err(failed)?;
    Ok(CollectedFile { entry: Entry { kind, version, bytes, sha256 }, path })
}
