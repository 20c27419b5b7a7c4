//! What somebody is at work with, said in an object: so that a prune removes nothing that a push or an activation
//! beside it needs.
//!
//! Whoever writes makes a claim and then looks for prunes; a prune makes a claim and then looks for writers. Of two at
//! once at least one sees the other, since every store lists an object from the moment it was made. A claim that a killed
//! process left counts for a while after its last renewal, by the clock of the store alone.

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

/// How long claims count. A prune ends itself before its own is over.
const WRITE_TIME: SignedDuration = SignedDuration::from_hours(24);
const PRUNE_TIME: SignedDuration = SignedDuration::from_hours(1);

/// How often a claim of long work is renewed.
const RENEWAL: Duration = Duration::from_secs(600);

/// What must stay.
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

/// What the time is by the clock of the store, as it was when a claim was made and as it went on here.
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
    /// Says what a push or an activation needs. Fails while somebody prunes.
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

    /// Says that somebody prunes. Gives what those need who are at work.
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
                // One that is gone by now has ended: what it wrote is listed later.
                needed.add(&content);
            }
        }
        bucket.remove(&over)?;
        Ok((claim, needed, clock))
    }

    /// Makes the object, and tries whether the store refuses to make it twice.
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

    /// The claims of others, and what the time is by the clock of the store.
    fn others(&self) -> Result<(StoreClock, Vec<Listed>), ReleaseError> {
        let mut listed = self.bucket.list(FOLDER)?;
        let own = listed.iter().position(|claim| claim.name == self.name);
        let own = own.map(|at| listed.remove(at));
        // Somebody who took it for left over: nobody else's can be trusted more.
        let own = own
            .ok_or_else(|| ReleaseError::NoConditions { place: self.bucket.shown().to_owned() })?;
        Ok((StoreClock { claimed: own.modified, begun: self.renewed }, listed))
    }

    /// Says again that it counts, now and then.
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
