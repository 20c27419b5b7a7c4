//! Which release servers answer from: moved in one step, and only where nobody else moved it since it was read.

use std::collections::BTreeMap;

use super::bucket::{Bucket, Tag};
use super::claim::{Claim, Needed};
use super::current::{Current, Label};
use super::error::ReleaseError;
use super::{number::Number, program::ProgramVersion, shelf};

/// What was active, and what is.
#[derive(Debug)]
pub struct Moved {
    pub before: Current,
    pub now: Current,
}

impl Moved {
    /// Replaces what was read with this tag by what `change` makes of it.
    pub(super) fn to(
        bucket: &Bucket,
        before: Current,
        tag: Option<&Tag>,
        change: impl FnOnce(&mut Current) -> Result<(), ReleaseError>,
    ) -> Result<Moved, ReleaseError> {
        let mut next = before.clone();
        change(&mut next)?;
        let now = next.replace(bucket, tag)?;
        Ok(Moved { before, now })
    }
}

/// Makes a release the active one, once all its files are there.
pub fn activate(
    bucket: &Bucket,
    number: Number,
    label: Option<&Label>,
) -> Result<Moved, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    move_to(bucket, before, tag.as_ref(), number, |next| {
        next.activate(number, label);
        Ok(())
    })
}

/// Makes the release active that was before this one.
pub fn rollback(bucket: &Bucket, label: Option<&Label>) -> Result<Moved, ReleaseError> {
    let (before, tag) = Current::read(bucket)?;
    let mut next = before.clone();
    next.roll_back(label)?;
    match next.of(label) {
        Some(number) => move_to(bucket, before, tag.as_ref(), number, |now| now.roll_back(label)),
        // A label is forgotten while nothing is active for the others.
        None => Moved::to(bucket, before, tag.as_ref(), |now| now.roll_back(label)),
    }
}

fn move_to(
    bucket: &Bucket,
    before: Current,
    tag: Option<&Tag>,
    number: Number,
    change: impl FnOnce(&mut Current) -> Result<(), ReleaseError>,
) -> Result<Moved, ReleaseError> {
    let releases = [number].into_iter().collect();
    let claim = Claim::write(bucket, &Needed { releases, ..Needed::default() })?;
    let moved = check(bucket, number).and_then(|()| Moved::to(bucket, before, tag, change));
    claim.end()?;
    moved
}

/// Whether servers of this program can use a release, and everything of it is there.
fn check(bucket: &Bucket, number: Number) -> Result<(), ReleaseError> {
    let release = shelf::manifest(bucket, number)?.release;
    let found = ProgramVersion::of_this();
    if release.program > found {
        return Err(ReleaseError::Program { number, expected: release.program, found });
    }
    let there: BTreeMap<String, u64> = bucket
        .list("files/sha256")?
        .into_iter()
        .map(|object| (object.name, object.bytes))
        .collect();
    for entry in &release.files {
        let found = there.get(&entry.sha256.object());
        if found != Some(&entry.bytes) {
            let found = found.map_or("none".to_owned(), u64::to_string);
            let (file, expected) = (entry.path(), entry.bytes);
            return Err(ReleaseError::Incomplete { number, file, expected, found });
        }
    }
    Ok(())
}
