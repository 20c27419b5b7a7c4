//! Verifies a release in the store: the signature, the program that it needs, and its files. All files must be there with
//! the right size, and every snapshot must be the one that the release names, by its header: a release that swaps two
//! files would lose a dataset. The content is compared with its SHA-256, of all files or of a sample, since the files of
//! a release may take many gigabytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::identifiers::{Hasher, Number, Sha256, object_name};
use super::manifest::{Entry, EntryKind, Manifest, file_sizes};
use super::signature::PublicKey;
use crate::compile::Progress;
use crate::dataset::KINDS;
use crate::random;
use crate::snapshot::Fault;
use crate::snapshot::layout::{PREFIX_MAX, decode_header};

/// How much of the content of stored files is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Some files, chosen at random.
    Sample,
    /// Every byte of every file.
    All,
}

/// A sample has at most this many files, of this many bytes together: seconds, also over a slow connection.
const SAMPLE_FILES: usize = 32;
const SAMPLE_BYTES: u64 = 64 << 20;

/// Verifies a release for its activation; by its signature if there is a key.
pub fn verify(
    bucket: &Bucket,
    manifest: &Manifest,
    key: Option<&PublicKey>,
    depth: Depth,
    progress: &dyn Progress,
) -> Result<(), ReleaseError> {
    if let Some(key) = key {
        manifest.verify(key)?;
    }
    manifest.check_program()?;
    let files: Vec<&Entry> = manifest.release.files.iter().collect();
    verify_files(bucket, manifest.release.number, &files, depth, progress)
}

/// Verifies files of this release.
pub fn verify_files(
    bucket: &Bucket,
    number: Number,
    files: &[&Entry],
    depth: Depth,
    progress: &dyn Progress,
) -> Result<(), ReleaseError> {
    let stored = file_sizes(bucket)?;
    for entry in files {
        let found = stored.get(&object_name(entry.sha256));
        if found != Some(&entry.bytes) {
            let found = found.map_or("none".to_owned(), u64::to_string);
            let (file, expected) = (entry.path(), entry.bytes);
            return Err(ReleaseError::WrongFileSize { number, file, expected, found });
        }
    }
    progress.step("verifying");
    for entry in files.iter().filter(|entry| matches!(entry.kind, EntryKind::Snapshot(..))) {
        let length = entry.bytes.min(PREFIX_MAX as u64);
        let start = bucket.read_start(&object_name(entry.sha256), length)?;
        check_header(number, entry, &start)?;
    }
    compare(bucket, files, depth, progress, |_entry, compared| compared)
}

/// Compares the content of files, or of a sample of them. `judge` gets the result for each file, and may end it.
fn compare(
    bucket: &Bucket,
    files: &[&Entry],
    depth: Depth,
    progress: &dyn Progress,
    mut judge: impl FnMut(&Entry, Result<(), ReleaseError>) -> Result<(), ReleaseError>,
) -> Result<(), ReleaseError> {
    let chosen = chosen(files, depth);
    let total: u64 = chosen.iter().map(|entry| entry.bytes).sum();
    let mut done = 0;
    for entry in chosen {
        let compared = check_content(bucket, entry, &mut |count| {
            done += count;
            progress.advance(done, total);
        });
        judge(entry, compared)?;
    }
    Ok(())
}

/// Compares an object with the SHA-256 that names it.
fn check_content(
    bucket: &Bucket,
    entry: &Entry,
    advance: &mut dyn FnMut(u64),
) -> Result<(), ReleaseError> {
    let mut hasher = Hasher::default();
    bucket.read_range(&object_name(entry.sha256), 0..entry.bytes, &mut |bytes| {
        hasher.update(bytes);
        advance(bytes.len() as u64);
        Ok(())
    })?;
    let (found, expected) = (hasher.finish(), entry.sha256);
    match found == expected {
        true => Ok(()),
        false => Err(ReleaseError::WrongChecksum { file: entry.path(), expected, found }),
    }
}

/// The files whose content is compared, each content once. A sample takes snapshots first: most files are the lists of
/// the changes of a day.
fn chosen<'a>(files: &[&'a Entry], depth: Depth) -> Vec<&'a Entry> {
    let by_content: BTreeMap<Sha256, &Entry> =
        files.iter().map(|entry| (entry.sha256, *entry)).collect();
    let mut chosen: Vec<&Entry> = by_content.into_values().collect();
    if depth == Depth::All {
        return chosen;
    }
    // Without random numbers the order is that of the checksums, which is as good for damage by accident.
    chosen.sort_by_cached_key(|entry| {
        let is_snapshot = matches!(entry.kind, EntryKind::Snapshot(..));
        (!is_snapshot, random::u64().unwrap_or_default())
    });
    let mut bytes_left = SAMPLE_BYTES;
    chosen.retain(|entry| match bytes_left.checked_sub(entry.bytes) {
        Some(rest) => {
            bytes_left = rest;
            true
        }
        None => false,
    });
    chosen.truncate(SAMPLE_FILES);
    chosen
}

/// Compares the header of a snapshot with what the release says about it. `start` is the file up to [`PREFIX_MAX`].
fn check_header(number: Number, entry: &Entry, start: &[u8]) -> Result<(), ReleaseError> {
    let EntryKind::Snapshot(dataset, format) = entry.kind else { return Ok(()) };
    let found = match decode_header(start, entry.bytes) {
        Ok(header) if (header.dataset, header.version) == (dataset.number(), entry.version) => {
            return Ok(());
        }
        Ok(header) => {
            let kind = KINDS.into_iter().find(|kind| kind.number() == header.dataset);
            let name = kind.map_or_else(|| header.dataset.to_string(), |kind| kind.to_string());
            format!("{name} {}", header.version)
        }
        // Another version of daicho reads it.
        Err(Fault::Format { found, .. }) if found == format => return Ok(()),
        Err(_) => "no sound snapshot".to_owned(),
    };
    let (file, expected) = (entry.path(), format!("{dataset} {}", entry.version));
    Err(ReleaseError::WrongContent { number, file, expected, found })
}

/// As [`check_header`], for a file on disk.
pub fn check_header_of_file(
    number: Number,
    entry: &Entry,
    path: &Path,
) -> Result<(), ReleaseError> {
    let failed = |cause| ReleaseError::io(path, cause);
    let mut start = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(PREFIX_MAX as u64).read_to_end(&mut start).map_err(failed)?;
    check_header(number, entry, &start)
}

/// Stored files that differ from those that a push has read, although their size is right.
pub fn damaged(
    bucket: &Bucket,
    stored: &[&Entry],
    depth: Depth,
    progress: &dyn Progress,
) -> Result<BTreeSet<Sha256>, ReleaseError> {
    let mut damaged = BTreeSet::new();
    progress.step("verifying");
    compare(bucket, stored, depth, progress, |entry, compared| match compared {
        Err(error @ ReleaseError::WrongChecksum { .. }) => {
            progress.warn(&format!("{error}; sending the file again"));
            damaged.insert(entry.sha256);
            Ok(())
        }
        other => other,
    })?;
    Ok(damaged)
}
