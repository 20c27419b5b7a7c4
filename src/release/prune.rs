//! Removes old releases, files that no release needs, and the objects of servers that are gone.
//!
//! Keeps active releases, rollback targets, and whatever a running push or activation claims. Stops if an active release
//! or a rollback target cannot be read, because its files are unknown. Another bad release does not count as one to keep;
//! its object stays, and so does every file that its text names: a newer daicho may be able to read it. A push claims
//! numbers before it knows which one is free, and one of them may be that of a bad object.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::bucket::Bucket;
use super::claim::{Claim, ClaimContent};
use super::current::Current;
use super::error::ReleaseError;
use super::identifiers::{Number, Sha256};
use super::listing::Listing;
use super::manifest::Manifest;
use super::node::NodeName;
use super::{identifiers, node};
use crate::clock;
use crate::compile::Progress;

/// Shorter than the claim of a prune is valid.
const TIME_MAX: Duration = Duration::from_secs(45 * 60);

/// How long a request may be under way after its sender has given up.
const UNDER_WAY_MAX: Duration = Duration::from_secs(120);

/// Objects removed between two checks of the time.
const BATCH: usize = 200;

/// The removed objects, or those that would be removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    pub releases: Vec<Number>,
    pub files: Vec<Sha256>,
    pub bytes: u64,
    /// Servers not seen for a day.
    pub nodes: Vec<NodeName>,
}

/// Keeps the newest `keep` releases. With `dry_run`, removes nothing.
pub fn prune(
    bucket: &Bucket,
    keep: usize,
    dry_run: bool,
    progress: &dyn Progress,
) -> Result<PruneReport, ReleaseError> {
    let deadline = clock::instant() + TIME_MAX;
    let (claim, needed, clock) = Claim::for_prune(bucket, progress)?;
    let unneeded = find_unneeded(bucket, keep, needed, clock.now(), progress);
    let result = unneeded.and_then(|unneeded| {
        if !dry_run {
            let removed = remove(bucket, &unneeded, deadline, progress);
            removed.inspect_err(|error| wait_for_late_removals(bucket, error, progress))?;
        }
        Ok(unneeded)
    });
    claim.end(result)
}

/// Keeps the claim while a removal without an answer may still arrive: a push that began before would count on the file.
fn wait_for_late_removals(bucket: &Bucket, error: &ReleaseError, progress: &dyn Progress) {
    let is_folder = bucket.url().starts_with("file:");
    if error.is_unanswered() && !is_folder {
        progress.step("waiting for requests that are under way");
        clock::sleep(UNDER_WAY_MAX);
    }
}

fn find_unneeded(
    bucket: &Bucket,
    keep: usize,
    needed: ClaimContent,
    now: Timestamp,
    progress: &dyn Progress,
) -> Result<PruneReport, ReleaseError> {
    let (current, _) = Current::read(bucket)?;
    let Listing { sound: numbers, bad } = current.numbers(bucket)?;
    let mut kept_files = needed.files;
    for error in &bad {
        progress.warn(&error.to_string());
        if let ReleaseError::StrayNumber { number, .. } = error {
            kept_files.extend(named_files(bucket, *number)?);
        }
    }
    let active: BTreeSet<Number> = current.needed_releases().collect();
    let mut unneeded = PruneReport::default();
    let mut newest_kept = 0;
    for number in numbers.into_iter().rev() {
        let is_needed = active.contains(&number) || needed.releases.contains(&number);
        if newest_kept >= keep && !is_needed {
            unneeded.releases.push(number);
            continue;
        }
        match Manifest::read(bucket, number) {
            Ok(Manifest { release, .. }) => {
                kept_files.extend(release.files.iter().map(|entry| entry.sha256));
                newest_kept += 1;
            }
            Err(error) if error.is_bad_object() && !active.contains(&number) => {
                progress.warn(&error.to_string());
                kept_files.extend(named_files(bucket, number)?);
            }
            Err(error) => return Err(error),
        }
    }
    unneeded.releases.reverse();
    for object in bucket.list(identifiers::FOLDER)? {
        if let Some(sha256) = identifiers::from_object_name(&object.name)
            && !kept_files.contains(&sha256)
        {
            unneeded.files.push(sha256);
            unneeded.bytes += object.bytes;
        }
    }
    unneeded.nodes = node::long_gone(bucket, now)?;
    Ok(unneeded)
}

/// The files that the text of a bad release names, whatever it is otherwise.
fn named_files(bucket: &Bucket, number: Number) -> Result<Vec<Sha256>, ReleaseError> {
    let bytes = match bucket.read(&number.object_name()) {
        Ok(Some((bytes, _))) => bytes,
        Ok(None) => Vec::new(),
        Err(error) if error.is_bad_object() => Vec::new(),
        Err(error) => return Err(error),
    };
    let words = bytes.split(|byte| !byte.is_ascii_alphanumeric());
    Ok(words.filter_map(|word| Sha256::parse(str::from_utf8(word).ok()?)).collect())
}

fn remove(
    bucket: &Bucket,
    unneeded: &PruneReport,
    deadline: Instant,
    progress: &dyn Progress,
) -> Result<(), ReleaseError> {
    let releases: Vec<String> = unneeded.releases.iter().map(|it| it.object_name()).collect();
    let files = unneeded.files.iter().map(|sha256| identifiers::object_name(*sha256));
    let nodes = unneeded.nodes.iter().map(NodeName::object_name);
    let others: Vec<String> = files.chain(nodes).collect();
    progress.step("removing");
    let (mut done, total) = (0, releases.len() + others.len());
    // The objects of a batch are removed in no order. So all releases are removed before the first file: no release
    // names a removed file.
    for batch in releases.chunks(BATCH).chain(others.chunks(BATCH)) {
        if clock::instant() >= deadline {
            return Err(ReleaseError::PruneTooSlow { minutes: TIME_MAX.as_secs() / 60 });
        }
        bucket.remove(batch)?;
        done += batch.len();
        progress.advance(done as u64, total as u64);
    }
    Ok(())
}
