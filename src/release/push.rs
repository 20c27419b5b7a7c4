//! Publishes a snapshot folder as a release: files first, then the release, then `current`.
//!
//! A push that is interrupted at any step leaves no broken state, only files that no release names, or a
//! release that is not active. The next push sends only what is missing and reuses an existing release.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::activate::{Moved, Step};
use super::bucket::Bucket;
use super::claim::{Claim, Needed};
use super::collect::{Found, collect};
use super::current::Current;
use super::error::ReleaseError;
use super::label::Label;
use super::manifest::{Entry, Made, Manifest, Release};
use super::signature::SigningKey;
use super::waiting::Waiting;
use super::{number::Number, program::ProgramVersion, sha256::Sha256, shelf};
use crate::compile::Progress;
use crate::update::Subject;

/// Whether a push also activates the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activate {
    No,
    Yes,
    /// Unless the release was active before and was replaced. For automatic pushes, such as a timer's.
    UnlessLeft,
}

/// The parameters of a push.
#[derive(Debug)]
pub struct Push<'a> {
    pub snapshots: &'a Path,
    /// The datasets to take from the folder; the others come from the active release. Empty: everything in the
    /// folder.
    pub subjects: &'a [Subject],
    /// Number of newest versions of each dataset; `None` for all.
    pub versions: Option<usize>,
    pub made: Made,
    pub key: Option<&'a SigningKey>,
    pub activate: Activate,
    /// How the activation waits for servers.
    pub waiting: Waiting,
    /// Activates it for servers with this label, or for all.
    pub label: Option<&'a Label>,
}

/// The result of a push.
#[derive(Debug)]
pub struct Pushed {
    pub manifest: Manifest,
    /// Whether the newest release had the same files, so that no new one was created.
    pub was_there: bool,
    pub sent_files: usize,
    pub sent_bytes: u64,
    /// The activation, if there was one.
    pub moved: Option<Moved>,
    /// Whether it was not activated because it had been replaced before.
    pub was_left: bool,
}

pub fn push(
    bucket: &Bucket,
    push: &Push<'_>,
    progress: &dyn Progress,
) -> Result<Pushed, ReleaseError> {
    let (current, tag) = Current::read(bucket)?;
    let found = find(push, progress)?;
    let base = match (push.subjects.is_empty(), current.of(None)) {
        (false, Some(active)) => Some(shelf::manifest(bucket, active)?),
        _ => None,
    };
    let mut entries: Vec<Entry> = found.iter().map(|found| found.entry.clone()).collect();
    let kept = base.iter().flat_map(|base| &base.release.files);
    entries.extend(kept.filter(|entry| !push.subjects.contains(&entry.subject())).cloned());
    entries.sort_by_key(Entry::path);
    let needed = Needed {
        files: entries.iter().map(|entry| entry.sha256).collect(),
        releases: base.iter().map(|base| base.release.number).collect(),
    };
    // On failure the claim stays for a while and protects the uploaded files for the next push.
    let (mut claim, clock) = Claim::write(bucket, &needed)?;
    let (sent_files, sent_bytes) = send(bucket, &found, &mut claim, progress)?;
    progress.step("writing the release");
    let (manifest, was_there) = publish(bucket, push, entries)?;
    let number = manifest.release.number;
    let is_active = current.of(push.label) == Some(number);
    let was_left = match push.activate {
        Activate::UnlessLeft => !is_active && current.highest >= Some(number),
        Activate::No | Activate::Yes => false,
    };
    let moved = match push.activate == Activate::No || is_active || was_left {
        true => None,
        false => {
            let mut planned = current.lines.clone();
            planned.activate(number, push.label);
            let step = Step { bucket, clock: &clock, waiting: &push.waiting, progress };
            Some(step.to(current, tag, &planned)?)
        }
    };
    claim.end()?;
    Ok(Pushed { manifest, was_there, sent_files, sent_bytes, moved, was_left })
}

fn find(push: &Push<'_>, progress: &dyn Progress) -> Result<Vec<Found>, ReleaseError> {
    let all = push.subjects.is_empty();
    let mut found = Vec::new();
    for subject in Subject::ALL {
        if all || push.subjects.contains(&subject) {
            let files = collect(push.snapshots, subject, push.versions, progress)?;
            if files.is_empty() && !all {
                let folder = push.snapshots.to_owned();
                return Err(ReleaseError::Empty { folder, of: format!(" of {subject}") });
            }
            found.extend(files);
        }
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(ReleaseError::Empty { folder: push.snapshots.to_owned(), of: String::new() }),
    }
}

/// Uploads the files that are missing or have another size. Returns their number and bytes.
fn send(
    bucket: &Bucket,
    found: &[Found],
    claim: &mut Claim<'_>,
    progress: &dyn Progress,
) -> Result<(usize, u64), ReleaseError> {
    let there: BTreeMap<String, u64> = bucket
        .list("files/sha256")?
        .into_iter()
        .map(|object| (object.name, object.bytes))
        .collect();
    // Files with the same bytes are sent once.
    let mut missing: BTreeMap<Sha256, (u64, &PathBuf, String)> = BTreeMap::new();
    for Found { entry, path } in found {
        if there.get(&entry.sha256.object()) != Some(&entry.bytes) {
            missing.insert(entry.sha256, (entry.bytes, path, entry.path()));
        }
    }
    let total: u64 = missing.values().map(|(bytes, ..)| bytes).sum();
    let mut done = 0;
    for (sha256, (bytes, path, name)) in &missing {
        claim.renew()?;
        progress.step(&format!("sending {name}"));
        bucket.upload(path, *sha256, *bytes, &mut |count| {
            done += count;
            progress.advance(done, total);
        })?;
    }
    Ok((missing.len(), total))
}

/// Creates the release with the next number, unless the newest one is the same.
fn publish(
    bucket: &Bucket,
    push: &Push<'_>,
    files: Vec<Entry>,
) -> Result<(Manifest, bool), ReleaseError> {
    let newest = shelf::numbers(bucket)?.pop();
    let mut number = match newest {
        None => Some(Number::FIRST),
        Some(newest) => {
            let there = shelf::manifest(bucket, newest)?;
            let signed_as_asked = there.is_signed() == push.key.is_some();
            if there.release.files == files && signed_as_asked {
                return Ok((there, true));
            }
            newest.next()
        }
    };
    while let Some(free) = number {
        let (made, program) = (push.made.clone(), ProgramVersion::FIRST_READER);
        let release = Release { number: free, made, program, files: files.clone() };
        let manifest = Manifest::of(release, push.key);
        if bucket.create(&free.object(), manifest.to_bytes())? {
            return Ok((manifest, false));
        }
        // Another publisher used the number meanwhile.
        number = free.next();
    }
    Err(ReleaseError::NoNumberLeft { place: bucket.shown().to_owned() })
}
