//! Removes old releases, files that no release needs, and the objects of servers that are gone.
//!
//! Keeps active releases, rollback targets, and whatever a running push or activation claims. Stops at a
//! release that cannot be read, because its files are unknown.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::bucket::{Bucket, Listed};
use super::claim::{Claim, Needed};
use super::current::Current;
use super::error::ReleaseError;
use super::node::NodeName;
use super::{nodes, number::Number, sha256::Sha256, shelf};
use crate::compile::Progress;

/// Shorter than the claim of a prune holds.
const TIME_MAX: Duration = Duration::from_secs(45 * 60);

/// Objects removed between two checks of the time.
const BATCH: usize = 200;

/// The removed objects, or those that would be removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pruned {
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
) -> Result<Pruned, ReleaseError> {
    let begun = Instant::now();
    let (claim, needed, clock) = Claim::prune(bucket)?;
    let pruned = remove(bucket, keep, dry_run, (needed, clock.now()), (begun, progress));
    claim.end()?;
    pruned
}

fn remove(
    bucket: &Bucket,
    keep: usize,
    dry_run: bool,
    (needed, now): (Needed, Timestamp),
    (begun, progress): (Instant, &dyn Progress),
) -> Result<Pruned, ReleaseError> {
    let (current, _) = Current::read(bucket)?;
    let active: BTreeSet<Number> = current.needed().collect();
    let numbers = shelf::numbers(bucket)?;
    let newest = numbers.iter().rev().take(keep);
    let kept: BTreeSet<Number> = newest.copied().chain(active).chain(needed.releases).collect();
    let mut files = needed.files;
    for number in numbers.iter().filter(|number| kept.contains(number)) {
        files
            .extend(shelf::manifest(bucket, *number)?.release.files.iter().map(|file| file.sha256));
    }
    let old: Vec<Number> = numbers.into_iter().filter(|number| !kept.contains(number)).collect();
    let unused = |object: &Listed| {
        Sha256::of_object(&object.name).is_some_and(|sha256| !files.contains(&sha256))
    };
    let unused: Vec<Listed> = bucket.list("files/sha256")?.into_iter().filter(unused).collect();
    let nodes = nodes::forgotten(bucket, now)?;
    if !dry_run {
        // Releases first, so that no release names a removed file.
        let names = old.iter().map(|number| number.object());
        let names = names.chain(unused.iter().map(|object| object.name.clone()));
        let names: Vec<String> = names.chain(nodes.iter().map(NodeName::object)).collect();
        progress.step("removing");
        for (at, batch) in names.chunks(BATCH).enumerate() {
            if begun.elapsed() >= TIME_MAX {
                return Err(ReleaseError::TooSlow { minutes: TIME_MAX.as_secs() / 60 });
            }
            bucket.remove(batch)?;
            progress.advance((at * BATCH + batch.len()) as u64, names.len() as u64);
        }
    }
    Ok(Pruned {
        releases: old,
        bytes: unused.iter().map(|object| object.bytes).sum(),
        nodes,
        files: unused.iter().filter_map(|object| Sha256::of_object(&object.name)).collect(),
    })
}
