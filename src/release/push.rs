//! Publishes a snapshot folder as a release: files first, then the release, then `current`.
//!
//! A push that is interrupted at any step leaves no broken state, only files that no release names, or a
//! release that is not active. The next push sends only what is missing and reuses an existing release.
//!
//! All files of the folder are verified before the first is sent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::activate::{Activation, Activator, WaitOptions};
use super::bucket::Bucket;
use super::claim::{Claim, ClaimContent};
use super::current::Current;
use super::error::ReleaseError;
use super::identifiers::{Label, Number, ProgramVersion, Sha256, object_name};
use super::listing::{self, Listing};
use super::manifest::{self, Creation, Entry, EntryKind, Manifest, Release, check_formats};
use super::signature::{PublicKey, SigningKey};
use super::verify::{Depth, damaged, verify_files};
use crate::compile::Progress;
use crate::dataset::postal::PostalData;
use crate::dataset::updates::SUBJECTS;
use crate::dataset::{self, KINDS};
use crate::snapshot::files::dated_entries;
use crate::snapshot::layout::{EXTENSION, FORMAT};
use crate::snapshot::{Dataset, SnapshotFile, changes, companion};
use crate::system::reading::{Links, open_regular};
use crate::text::codes::{DataVersion, Register};
use crate::update::Subject;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activate {
    No,
    Yes,
    /// Unless the release was active before and was replaced since. For automatic pushes, such as a timer's.
    UnlessReplaced,
}

#[derive(Debug)]
pub struct PushOptions<'a> {
    pub snapshots: &'a Path,
    /// The datasets to take from the folder; the others come from the active release. Empty: everything in the
    /// folder.
    pub subjects: &'a [Subject],
    /// Number of newest versions of each dataset; `None` for all.
    pub versions: Option<usize>,
    pub created: Creation,
    pub key: Option<&'a SigningKey>,
    pub activate: Activate,
    pub wait: WaitOptions,
    /// Activates it for servers with this label, or for all.
    pub label: Option<&'a Label>,
    /// How much of the files that the store has already is compared.
    pub depth: Depth,
}

#[derive(Debug)]
pub struct PushReport {
    pub manifest: Manifest,
    /// Whether the newest release had the same files, so that no new one was created.
    pub is_unchanged: bool,
    pub sent_files: usize,
    pub sent_bytes: u64,
    pub activation: Option<Activation>,
    /// Whether it was not activated because it had been active before and was replaced.
    pub was_replaced: bool,
}

pub fn push(
    bucket: &Bucket,
    options: &PushOptions<'_>,
    progress: &dyn Progress,
) -> Result<PushReport, ReleaseError> {
    let (current, tag) = Current::read(bucket)?;
    let collected = collect_files(options, progress)?;
    let base = match (options.subjects.is_empty(), current.active.release_for(None)) {
        (false, Some(active)) => Some(read_base(bucket, active, options.key)?),
        _ => None,
    };
    let from_base = base.iter().flat_map(|base| &base.release.files);
    let from_base: Vec<&Entry> =
        from_base.filter(|file| !options.subjects.contains(&file.subject())).collect();
    if let Some(base) = &base {
        check_formats(base.release.number, from_base.iter().copied())?;
        verify_files(bucket, base.release.number, &from_base, options.depth, progress)?;
    }
    let mut entries: Vec<Entry> = collected.iter().map(|file| file.entry.clone()).collect();
    entries.extend(from_base.into_iter().cloned());
    entries.sort_by_key(Entry::path);
    let base = base.iter().map(|base| base.release.number);
    // It is read again for the number; bad releases are named then.
    let newest = newest_release(bucket, options.key, &current, &())?;
    let content = ClaimContent {
        files: entries.iter().map(|entry| entry.sha256).collect(),
        releases: base.chain(claimed_numbers(newest)).collect(),
    };
    // On failure the claim stays for a while and protects the uploaded files for the next push.
    let (mut claim, clock) = Claim::for_writer(bucket, content)?;
    let (sent_files, sent_bytes) =
        upload_missing(bucket, &collected, options.depth, &mut claim, progress)?;
    progress.step("writing the release");
    let (manifest, is_unchanged) =
        find_or_create_release(bucket, options, &current, entries, &mut claim, progress)?;
    let number = manifest.release.number;
    let is_active = current.active.release_for(options.label) == Some(number);
    let was_replaced = options.activate == Activate::UnlessReplaced
        && !is_active
        && current.highest >= Some(number);
    let mut activation = None;
    if options.activate != Activate::No && !is_active && !was_replaced {
        let mut planned = current.active.clone();
        planned.activate(number, options.label);
        let activator = Activator { bucket, clock: &clock, options: &options.wait, progress };
        activation = Some(activator.activate(current, tag, &planned)?);
    }
    claim.end(Ok(PushReport {
        manifest,
        is_unchanged,
        sent_files,
        sent_bytes,
        activation,
        was_replaced,
    }))
}

/// Reads the release whose files of other datasets go into the new one. A signature says that its owner made all of a
/// release, so it must be on these files already.
fn read_base(
    bucket: &Bucket,
    number: Number,
    key: Option<&SigningKey>,
) -> Result<Manifest, ReleaseError> {
    let base = Manifest::read(bucket, number)?;
    match key.map(|key| base.verify(&key.public_key())) {
        Some(Err(ReleaseError::Signature { number, found })) => {
            Err(ReleaseError::ForeignBase { number, found })
        }
        Some(Err(error)) => Err(error),
        Some(Ok(())) | None => Ok(base),
    }
}

fn collect_files(
    options: &PushOptions<'_>,
    progress: &dyn Progress,
) -> Result<Vec<CollectedFile>, ReleaseError> {
    let all = options.subjects.is_empty();
    let no_snapshots = |of| ReleaseError::NoSnapshots { folder: options.snapshots.to_owned(), of };
    let mut collected = Vec::new();
    for subject in SUBJECTS {
        if all || options.subjects.contains(&subject) {
            let files = collect(options.snapshots, subject, options.versions, progress)?;
            if files.is_empty() && !all {
                return Err(no_snapshots(format!(" of {subject}")));
            }
            collected.extend(files);
        }
    }
    match collected.is_empty() {
        false => Ok(collected),
        true => Err(no_snapshots(String::new())),
    }
}

/// Uploads the files that are missing, have another size or are found to be damaged. Returns their number and bytes.
fn upload_missing(
    bucket: &Bucket,
    collected: &[CollectedFile],
    depth: Depth,
    claim: &mut Claim<'_>,
    progress: &dyn Progress,
) -> Result<(usize, u64), ReleaseError> {
    let stored = manifest::file_sizes(bucket)?;
    let is_stored = |entry: &Entry| stored.get(&object_name(entry.sha256)) == Some(&entry.bytes);
    let entries = collected.iter().map(|file| &file.entry);
    let there: Vec<&Entry> = entries.filter(|entry| is_stored(entry)).collect();
    let damaged = damaged(bucket, &there, depth, progress)?;
    // Files with the same bytes are sent once.
    let mut missing: BTreeMap<Sha256, &CollectedFile> = BTreeMap::new();
    for file in collected {
        let sha256 = file.entry.sha256;
        if !is_stored(&file.entry) || damaged.contains(&sha256) {
            missing.insert(sha256, file);
        }
    }
    let total: u64 = missing.values().map(|file| file.entry.bytes).sum();
    let mut done = 0;
    for (sha256, CollectedFile { entry, path }) in &missing {
        claim.renew()?;
        progress.step(&format!("sending {}", entry.path()));
        bucket.upload(path, *sha256, entry.bytes, &mut |count| {
            done += count;
            progress.advance(done, total);
        })?;
    }
    Ok((missing.len(), total))
}

/// How many numbers a push claims before it knows its own: more than others push meanwhile.
const CLAIMED_NUMBERS: usize = 100;

/// The release that a push may use again, and the numbers after it, of which it gives one to its release. They are claimed
/// before the release exists: another publisher may push a newer one at once, and prune all but that.
fn claimed_numbers(newest: Option<Number>) -> impl Iterator<Item = Number> {
    let first = Some(newest.unwrap_or(Number::FIRST));
    std::iter::successors(first, |number| number.next()).take(CLAIMED_NUMBERS)
}

/// The newest release, after which the next one is numbered.
fn newest_release(
    bucket: &Bucket,
    key: Option<&SigningKey>,
    current: &Current,
    progress: &dyn Progress,
) -> Result<Option<Number>, ReleaseError> {
    let Listing { sound: numbers, bad } = match key.map(SigningKey::public_key) {
        None => current.numbers(bucket)?,
        Some(key) => listing::numbers(bucket, &mut |number| is_own(bucket, number, &key))?,
    };
    bad.iter().for_each(|error| progress.warn(&error.to_string()));
    Ok(numbers.last().copied())
}

/// The newest release if it has the same files and is signed with the same key, otherwise a new one with the next number.
/// Also returns whether it existed.
fn find_or_create_release(
    bucket: &Bucket,
    options: &PushOptions<'_>,
    current: &Current,
    files: Vec<Entry>,
    claim: &mut Claim<'_>,
    progress: &dyn Progress,
) -> Result<(Manifest, bool), ReleaseError> {
    let key = options.key.map(SigningKey::public_key);
    let newest = newest_release(bucket, options.key, current, progress)?;
    if let Some(newest) = newest {
        match Manifest::read(bucket, newest) {
            Ok(manifest) => {
                let is_signed_alike = match &key {
                    None => !manifest.is_signed(),
                    Some(key) => manifest.verify(key).is_ok(),
                };
                if manifest.release.files == files && is_signed_alike {
                    return Ok((manifest, true));
                }
            }
            Err(error) if error.is_bad_object() => progress.warn(&error.to_string()),
            Err(error) => return Err(error),
        }
    }
    let mut number = newest.map_or(Some(Number::FIRST), Number::next);
    while let Some(free) = number {
        claim.protect(free)?;
        let (created, program) = (options.created.clone(), ProgramVersion::FIRST_READER);
        let release = Release { number: free, created, program, files: files.clone() };
        let manifest = Manifest::new(release, options.key);
        if bucket.create(&free.object_name(), manifest.to_bytes())? {
            return Ok((manifest, false));
        }
        // Another publisher used the number meanwhile.
        number = free.next();
    }
    Err(ReleaseError::NoFreeNumber { url: bucket.url().to_owned() })
}

/// Whether a release has a valid signature of this key.
fn is_own(bucket: &Bucket, number: Number, key: &PublicKey) -> Result<bool, ReleaseError> {
    match Manifest::read(bucket, number) {
        Ok(manifest) => Ok(manifest.verify(key).is_ok()),
        Err(error) if error.is_bad_object() => Ok(false),
        Err(error) => Err(error),
    }
}

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
        if dataset == PostalData::KIND && download.symlink_metadata().is_ok() {
            collected.push(read_file(EntryKind::Download, version, download, progress)?);
        }
        let kind = EntryKind::Snapshot(dataset, FORMAT);
        collected.push(read_file(kind, version, path, progress)?);
    }
    let is_of_subject =
        |register: &Register| subject == Subject::dataset(dataset::kind_of(*register));
    if let Some(register) = Register::ALL.into_iter().find(is_of_subject)
        && !collected.is_empty()
    {
        for day in changes::days(snapshots, register)? {
            // Fails if the file is not a valid change list.
            changes::read(snapshots, register, day)?;
            let path = changes::path(snapshots, register, day);
            collected.push(read_file(EntryKind::Changes(register), day, path, progress)?);
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
    let mut file = open_regular(&path, Links::Refused).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    progress.step(&format!("reading {kind} {version}"));
    let mut done = 0;
    let mut advance = |count| {
        done += count;
        progress.advance(done, length);
    };
    let (sha256, bytes) = Sha256::of_reader(&mut file, &mut advance).map_err(failed)?;
    Ok(CollectedFile { entry: Entry { kind, version, bytes, sha256 }, path })
}
