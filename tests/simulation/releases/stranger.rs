//! A stranger with the rights of a publisher, but without its key: pushes and activates forged releases, and puts bad
//! objects into the store. No server may serve what it made, and no publisher may stop because of it.

use std::sync::Arc;

use super::plan::Part;
use super::{Shared, editions, signing};
use crate::clock;
use crate::release::{
    self, Activate, ActivateOptions, Bucket, Creation, Depth, Manifest, Number, PushOptions,
    Quorum, ReleaseError, RetryLimits, WaitOptions,
};
use crate::simulation::random::Random;
use crate::simulation::scheduler::{Own, SECOND, Time};
use crate::simulation::store;

/// A number that no push gives, so that it could end the numbering.
const STRAY: u64 = 999_999;

/// A server writes its state again at its next poll, at most 10 seconds later, unless the store is slow.
const REPORT_INTERVAL_MAX: Time = 12 * SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intrusion {
    /// Pushes an edition that no publisher has, without a signature or with the stranger's, and perhaps activates it.
    Push { is_signed: bool, activates: bool },
    /// Stores the newest release again with the next number and the signature that it had.
    Renumber { activates: bool },
    /// Stores an object as the release of the next number, or of a stray one.
    BadRelease { is_stray: bool },
    /// Stores an object as the state of a server, perhaps of one that exists.
    BadNode { of_server: bool, is_large: bool },
}

impl Intrusion {
    pub fn random(random: &mut Random) -> Intrusion {
        let (first, second) = (random.percent(50), random.percent(50));
        match random.below(100) {
            0..40 => Intrusion::Push { is_signed: first, activates: random.percent(80) },
            40..60 => Intrusion::Renumber { activates: first },
            60..80 => Intrusion::BadRelease { is_stray: first },
            _ => Intrusion::BadNode { of_server: first, is_large: second },
        }
    }
}

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let mut intrusions: Vec<(Time, Intrusion)> = Vec::new();
    for part in &shared.plan.parts {
        if let Part::Intrusion { at, intrusion } = part {
            intrusions.push((*at, *intrusion));
        }
    }
    intrusions.sort_by_key(|(at, _)| *at);
    for (at, intrusion) in intrusions {
        own.pause_until(at);
        own.scheduler.note(own.machine, "begins", &format!("{intrusion:?}"));
        let told = match intrude(shared, own, intrusion) {
            Ok(()) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        own.scheduler.note(own.machine, "ends", &told);
    }
}

/// Waits for no server.
fn no_wait() -> WaitOptions {
    WaitOptions { quorum: Quorum::Nodes(0), ..WaitOptions::default() }
}

fn intrude(shared: &Shared, own: &Own, intrusion: Intrusion) -> Result<(), ReleaseError> {
    let bucket = Bucket::open(store::URL, RetryLimits::COMMAND)?;
    match intrusion {
        Intrusion::Push { is_signed, activates } => {
            push(shared, own, &bucket, is_signed, activates)
        }
        Intrusion::Renumber { activates } => renumber(&bucket, activates),
        Intrusion::BadRelease { is_stray } => {
            let number = if is_stray { stray() } else { next(&bucket)? };
            bucket.create(&number.object_name(), b"{\"release\":{}}".to_vec()).map(drop)
        }
        Intrusion::BadNode { of_server, is_large } => {
            let name = if of_server { "server-1" } else { "web-9" };
            if of_server {
                let until = own.scheduler.now() + REPORT_INTERVAL_MAX;
                shared.site.with(1, |state| state.unseen_until = state.unseen_until.max(until));
            }
            let length = if is_large { 100_000 } else { 3 };
            bucket.write(&format!("nodes/{name}.json"), vec![b'x'; length])
        }
    }
}

fn stray() -> Number {
    Number::from_value(STRAY).expect("a number")
}

fn newest(bucket: &Bucket) -> Result<Number, ReleaseError> {
    release::Current::read(bucket)?.0.newest(bucket)
}

fn next(bucket: &Bucket) -> Result<Number, ReleaseError> {
    Ok(newest(bucket)?.next().unwrap_or(Number::FIRST))
}

fn push(
    shared: &Shared,
    own: &Own,
    bucket: &Bucket,
    is_signed: bool,
    activates: bool,
) -> Result<(), ReleaseError> {
    let folder = shared
        .site
        .with(own.machine, |state| state.disk.as_ref().expect("a disk").root().join("snapshots"));
    editions::put(editions::FORGED, editions::FORGED, &folder);
    let key = is_signed.then(signing::strangers_key);
    let options = PushOptions {
        snapshots: &folder,
        subjects: &[],
        versions: None,
        created: Creation { time: clock::now(), creator: "stranger".to_owned() },
        key: key.as_ref(),
        activate: if activates { Activate::Yes } else { Activate::No },
        wait: no_wait(),
        label: None,
        depth: Depth::Sample,
    };
    release::push(bucket, &options, &()).map(drop)
}

fn renumber(bucket: &Bucket, activates: bool) -> Result<(), ReleaseError> {
    let newest = newest(bucket)?;
    let bytes = Manifest::read(bucket, newest)?.to_bytes();
    let Some(number) = newest.next() else { return Ok(()) };
    let text = String::from_utf8(bytes).expect("JSON");
    let member = |number: Number| format!("\"number\":{}", number.value());
    let renumbered = text.replacen(&member(newest), &member(number), 1);
    let is_own = bucket.create(&number.object_name(), renumbered.into_bytes())?;
    // Another publisher's release of this number is signed. Activated here, it would reach servers later than promised,
    // because the stranger waits for none.
    if activates && is_own {
        let wait = no_wait();
        let options = ActivateOptions { label: None, wait, key: None, depth: Depth::Sample };
        release::activate(bucket, number, &options, &())?;
    }
    Ok(())
}
