//! Claims: objects that list what a running push, activation or prune still needs, so that no prune removes it.
//!
//! A writer creates its claim and then looks for prunes; a prune creates its claim and then looks for writers.
//! If both run at once, at least one sees the other, because stores list an object as soon as it is created.
//! The claim of a killed process expires some time after its last renewal, by the clock of the store.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::bucket::{Bucket, ListedObject};
use super::error::ReleaseError;
use super::identifiers::{Number, Sha256};
use crate::clock;
use crate::compile::Progress;
use crate::random;

const FOLDER: &str = "claims";

const WRITE_PREFIX: &str = "claims/write-";
const PRUNE_PREFIX: &str = "claims/prune-";

/// How long a claim is valid without renewal. A prune stops before its own claim expires.
const WRITE_VALIDITY: SignedDuration = SignedDuration::from_hours(24);
const PRUNE_VALIDITY: SignedDuration = SignedDuration::from_hours(1);

/// Renewal interval during long work.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(600);

/// What a claim protects from removal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimContent {
    pub files: BTreeSet<Sha256>,
    /// They need not exist yet.
    pub releases: BTreeSet<Number>,
}

/// A claim of this process. It stays in the store until [`Claim::end`] or until it expires.
pub struct Claim<'a> {
    bucket: &'a Bucket,
    name: String,
    content: ClaimContent,
    renewed: Instant,
}

/// The clock of the store, estimated: its time when a claim was created plus the time elapsed here.
#[derive(Debug, Clone, Copy)]
pub struct StoreClock {
    /// The store's time when the claim was written.
    claim_time: Timestamp,
    /// The time here when it was written.
    claim_instant: Instant,
}

impl StoreClock {
    pub fn now(&self) -> Timestamp {
        self.claim_time.checked_add(clock::since(self.claim_instant)).unwrap_or(self.claim_time)
    }
}

impl<'a> Claim<'a> {
    /// Claims what a push or an activation needs. Fails while a prune is running.
    pub fn for_writer(
        bucket: &'a Bucket,
        content: ClaimContent,
    ) -> Result<(Claim<'a>, StoreClock), ReleaseError> {
        let claim = Claim::create(bucket, WRITE_PREFIX, content)?;
        let (clock, others) = match claim.others() {
            Ok(listed) => listed,
            Err(error) => return claim.end(Err(error)),
        };
        let now = clock.now();
        let running_prune = others.iter().find(|other| {
            other.name.starts_with(PRUNE_PREFIX)
                && now.duration_since(other.modified) < PRUNE_VALIDITY
        });
        let Some(prune) = running_prune else { return Ok((claim, clock)) };
        let (url, since) = (bucket.object_url(&prune.name), prune.modified.to_string());
        claim.end(Err(ReleaseError::PruneRunning { url, since }))
    }

    /// Claims the right to prune, and removes expired claims. Does not wait for running pushes and activations, but
    /// returns what they need.
    pub fn for_prune(
        bucket: &'a Bucket,
        progress: &dyn Progress,
    ) -> Result<(Claim<'a>, ClaimContent, StoreClock), ReleaseError> {
        let claim = Claim::create(bucket, PRUNE_PREFIX, ClaimContent::default())?;
        match claim.read_others(progress) {
            Ok((needed, clock)) => Ok((claim, needed, clock)),
            Err(error) => claim.end(Err(error)),
        }
    }

    /// What the claims of running writers protect. Removes expired claims.
    fn read_others(
        &self,
        progress: &dyn Progress,
    ) -> Result<(ClaimContent, StoreClock), ReleaseError> {
        let (clock, others) = self.others()?;
        let now = clock.now();
        let (mut needed, mut expired) = (ClaimContent::default(), Vec::new());
        for other in others {
            let is_write = other.name.starts_with(WRITE_PREFIX);
            let validity = if is_write { WRITE_VALIDITY } else { PRUNE_VALIDITY };
            if now.duration_since(other.modified) >= validity {
                expired.push(other.name);
            } else if is_write {
                match self.bucket.read(&other.name) {
                    Ok(Some((content, _))) => needed.add(&content),
                    // A claim that has disappeared has ended: the objects of its writer are listed later.
                    Ok(None) => {}
                    Err(error) if error.is_bad_object() => progress.warn(&error.to_string()),
                    Err(error) => return Err(error),
                }
            }
        }
        self.bucket.remove(&expired)?;
        Ok((needed, clock))
    }

    /// Creates the claim, then tries to create it again: a store with conditional writes refuses that. For another
    /// store, a guard is required from here on.
    fn create(
        bucket: &'a Bucket,
        prefix: &str,
        content: ClaimContent,
    ) -> Result<Claim<'a>, ReleaseError> {
        let mut id = [0; 8];
        random::fill(&mut id).map_err(|error| ReleaseError::Setup(error.into()))?;
        let name = format!("{prefix}{}.json", HEXLOWER.encode(&id));
        let bytes = content.to_bytes();
        let is_new = bucket.create(&name, bytes.clone())?;
        let claim = Claim { bucket, name, content, renewed: clock::instant() };
        if !is_new {
            // The name is random: only an earlier attempt of the same request can have written the object.
            let url = bucket.object_url(&claim.name);
            return claim.end(Err(ReleaseError::Store {
                url,
                expected: "create a new object",
                found: "one that exists already".to_owned(),
                remedy: "try again: the store may have carried out a request whose response was lost",
            }));
        }
        let is_new_again = bucket.create(&claim.name, bytes);
        match is_new_again.and_then(|is_new| if is_new { bucket.require_guard() } else { Ok(()) }) {
            Ok(()) => Ok(claim),
            Err(error) => claim.end(Err(error)),
        }
    }

    /// The claims of others, and the time by the clock of the store.
    fn others(&self) -> Result<(StoreClock, Vec<ListedObject>), ReleaseError> {
        let mut listed = self.bucket.list(FOLDER)?;
        let own = listed.iter().position(|claim| claim.name == self.name);
        let own = own.map(|index| listed.remove(index));
        // An incomplete list may lack the claims of others too, and one that was removed does not protect anybody.
        let own = own.ok_or_else(|| ReleaseError::Store {
            url: self.bucket.object_url(&self.name),
            expected: "list an object that was just written",
            found: "a list without it".to_owned(),
            remedy: "use a store that lists objects at once; if this command was suspended for an hour, run it again",
        })?;
        Ok((StoreClock { claim_time: own.modified, claim_instant: self.renewed }, listed))
    }

    /// Renews the claim if the renewal interval has passed.
    pub fn renew(&mut self) -> Result<(), ReleaseError> {
        if clock::since(self.renewed) >= RENEWAL_INTERVAL { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), ReleaseError> {
        self.bucket.write(&self.name, self.content.to_bytes())?;
        self.renewed = clock::instant();
        Ok(())
    }

    /// Protects one more release. A prune that runs already may have read the claim before.
    pub fn protect(&mut self, release: Number) -> Result<(), ReleaseError> {
        if self.content.releases.insert(release) { self.write() } else { Ok(()) }
    }

    /// Ends the protection after the work with this result. If the work failed, that is the error; the claim then
    /// expires if it cannot be removed.
    pub fn end<T>(self, result: Result<T, ReleaseError>) -> Result<T, ReleaseError> {
        let removed = self.bucket.remove(std::slice::from_ref(&self.name));
        let done = result?;
        match removed {
            Ok(()) => Ok(done),
            Err(cause) => Err(ReleaseError::ClaimLeft { cause: Box::new(cause) }),
        }
    }
}

impl ClaimContent {
    fn to_bytes(&self) -> Vec<u8> {
        let files: Vec<String> = self.files.iter().map(Sha256::to_string).collect();
        let releases: Vec<u32> = self.releases.iter().map(|number| number.value()).collect();
        json!({ "files": files, "releases": releases }).to_string().into_bytes()
    }

    fn add(&mut self, content: &[u8]) {
        let value: Value = serde_json::from_slice(content).unwrap_or_default();
        let files = value["files"].as_array().into_iter().flatten();
        self.files.extend(files.filter_map(|file| Sha256::parse(file.as_str()?)));
        let releases = value["releases"].as_array().into_iter().flatten();
        self.releases.extend(releases.filter_map(Number::from_json));
    }
}

#[cfg(test)]
mod tests {
    use super::super::store_url::RetryLimits;
    use super::*;

    #[test]
    fn a_claim_that_the_store_does_not_list_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("file://{}", folder.path().display());
        let bucket = Bucket::open(&url, RetryLimits::COMMAND).expect("a folder as a store");
        let claim = Claim::create(&bucket, PRUNE_PREFIX, ClaimContent::default()).expect("made");
        assert!(claim.others().expect("listed").1.is_empty(), "no claims but this one");
        bucket.remove(std::slice::from_ref(&claim.name)).expect("removed");
        let error = claim.others().expect_err("not listed").to_string();
        assert!(error.contains("list an object that was just written"), "{error}");
        assert!(error.contains("run it again"), "{error}");
    }
}
