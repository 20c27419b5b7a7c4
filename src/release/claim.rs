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

use super::bucket::{Bucket, Listed};
use super::error::ReleaseError;
use super::number::Number;
use super::sha256::Sha256;

const FOLDER: &str = "claims";

const WRITE: &str = "claims/write-";
const PRUNE: &str = "claims/prune-";

/// How long claims hold without renewal. A prune stops before its own claim expires.
const WRITE_TIME: SignedDuration = SignedDuration::from_hours(24);
const PRUNE_TIME: SignedDuration = SignedDuration::from_hours(1);

/// Renewal interval during long work.
const RENEWAL: Duration = Duration::from_secs(600);

/// The releases and files that must be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needed {
    pub files: BTreeSet<Sha256>,
    pub releases: BTreeSet<Number>,
}

#[derive(Debug)]
pub struct Claim<'a> {
    bucket: &'a Bucket,
    name: String,
    content: Vec<u8>,
    renewed: Instant,
}

/// The clock of the store, estimated: its time when a claim was created plus the time elapsed here.
#[derive(Debug, Clone, Copy)]
pub struct StoreClock {
    claimed: Timestamp,
    begun: Instant,
}

impl StoreClock {
    pub fn now(&self) -> Timestamp {
        self.claimed.checked_add(self.begun.elapsed()).unwrap_or(self.claimed)
    }
}

impl<'a> Claim<'a> {
    /// Claims what a push or an activation needs. Fails while a prune is running.
    pub fn write(
        bucket: &'a Bucket,
        needed: &Needed,
    ) -> Result<(Claim<'a>, StoreClock), ReleaseError> {
        let files: Vec<String> = needed.files.iter().map(Sha256::to_string).collect();
        let releases: Vec<u32> = needed.releases.iter().map(|number| number.value()).collect();
        let claim = Claim::make(bucket, WRITE, json!({ "files": files, "releases": releases }))?;
        let (clock, others) = claim.others()?;
        let now = clock.now();
        let at_work = others.iter().find(|other| {
            other.name.starts_with(PRUNE) && now.duration_since(other.modified) < PRUNE_TIME
        });
        let Some(prune) = at_work else { return Ok((claim, clock)) };
        let (place, since) = (bucket.place(&prune.name), prune.modified.to_string());
        claim.end()?;
        Err(ReleaseError::Pruning { place, since })
    }

    /// Claims the right to prune. Returns what running pushes and activations need.
    pub fn prune(bucket: &'a Bucket) -> Result<(Claim<'a>, Needed, StoreClock), ReleaseError> {
        let claim = Claim::make(bucket, PRUNE, json!({}))?;
        let (clock, others) = claim.others()?;
        let now = clock.now();
        let (mut needed, mut over) = (Needed::default(), Vec::new());
        for other in others {
            let is_write = other.name.starts_with(WRITE);
            let counts = if is_write { WRITE_TIME } else { PRUNE_TIME };
            if now.duration_since(other.modified) >= counts {
                over.push(other.name);
            } else if is_write && let Some((content, _)) = bucket.read(&other.name)? {
                // A claim that has disappeared has ended: the objects of its writer are listed later.
                needed.add(&content);
            }
        }
        bucket.remove(&over)?;
        Ok((claim, needed, clock))
    }

    /// Creates the claim, and tests that the store rejects creating it twice.
    fn make(bucket: &'a Bucket, begin: &str, content: Value) -> Result<Claim<'a>, ReleaseError> {
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|error| ReleaseError::System(error.into()))?;
        let name = format!("{begin}{}.json", HEXLOWER.encode(&id));
        let content = content.to_string().into_bytes();
        let place = || ReleaseError::NoConditions { place: bucket.shown().to_owned() };
        let made = bucket.create(&name, content.clone())?;
        let claim = Claim { bucket, name, content, renewed: Instant::now() };
        if !made {
            return Err(place());
        }
        if bucket.create(&claim.name, claim.content.clone())?
            && let Err(error) = bucket.do_without_conditions()
        {
            claim.end()?;
            return Err(error);
        }
        Ok(claim)
    }

    /// The claims of others, and the time by the clock of the store.
    fn others(&self) -> Result<(StoreClock, Vec<Listed>), ReleaseError> {
        let mut listed = self.bucket.list(FOLDER)?;
        let own = listed.iter().position(|claim| claim.name == self.name);
        let own = own.map(|at| listed.remove(at));
        // An incomplete list may lack the claims of others too, and one that was removed does not protect anybody.
        let own = own.ok_or_else(|| ReleaseError::Store {
            place: self.bucket.place(&self.name),
            expected: "list an object that was just written",
            found: "a list without it".to_owned(),
            remedy: "use a store that lists objects at once; if this command was suspended for an hour, run it again",
        })?;
        Ok((StoreClock { claimed: own.modified, begun: self.renewed }, listed))
    }

    /// Renews the claim if the renewal interval has passed.
    pub fn renew(&mut self) -> Result<(), ReleaseError> {
        if self.renewed.elapsed() >= RENEWAL {
            self.bucket.write(&self.name, self.content.clone())?;
            self.renewed = Instant::now();
        }
        Ok(())
    }

    pub fn end(self) -> Result<(), ReleaseError> {
        self.bucket.remove(std::slice::from_ref(&self.name))
    }
}

impl Needed {
    fn add(&mut self, content: &[u8]) {
        let value: Value = serde_json::from_slice(content).unwrap_or_default();
        let files = value["files"].as_array().into_iter().flatten();
        self.files.extend(files.filter_map(|file| Sha256::parse(file.as_str()?)));
        let releases = value["releases"].as_array().into_iter().flatten();
        self.releases.extend(releases.filter_map(|number| Number::from_value(number.as_u64()?)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::store_url::Patience;
    use super::*;

    #[test]
    fn a_claim_that_the_store_does_not_list_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("file://{}", folder.path().display());
        let bucket = Bucket::open(&url, Patience::COMMAND).expect("a folder as a store");
        let claim = Claim::make(&bucket, PRUNE, json!({})).expect("made");
        assert!(claim.others().expect("listed").1.is_empty(), "no claims but this one");
        bucket.remove(std::slice::from_ref(&claim.name)).expect("removed");
        let error = claim.others().expect_err("not listed").to_string();
        assert!(error.contains("list an object that was just written"), "{error}");
        assert!(error.contains("run it again"), "{error}");
    }
}
