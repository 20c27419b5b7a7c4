//! The operator, who changes keys, quotas and watch lists with the code of the commands; and somebody who guesses the
//! password of an account.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::plan::{Operation, Part};
use super::promises::{GUESSES, NO_ERROR};
use super::{KnownKey, Shared, ground};
use crate::account::sign_in::{Attempt, Who};
use crate::account::store::{IfMissing, NewKey, Store, StoreError, StoreFault, StoreResult};
use crate::account::{KEYS_MAX, KeySelector};
use crate::clock;
use crate::radar::RadarError;
use crate::radar::{delivery, watch_list};
use crate::simulation::scheduler::{Own, SECOND, Time, lock};
use crate::text::codes::{CorporateNumber, Register};
use crate::text::network::Network;

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let mut operations: Vec<(Time, Operation)> = Vec::new();
    for part in &shared.plan.parts {
        if let Part::Operation { at, operation } = part
            && *at >= own.scheduler.now()
        {
            operations.push((*at, *operation));
        }
    }
    operations.sort_by_key(|(at, _)| *at);
    for (at, operation) in operations {
        own.pause_until(at);
        own.scheduler.note(own.machine, "begins", &format!("{operation:?}"));
        let result = run(shared, own, operation);
        let told = result.as_ref().map_or_else(RadarError::to_string, |()| "done".to_owned());
        own.scheduler.note(own.machine, "ends", &told);
        if let Err(error) = result
            && !shared.plan.has_faults()
            && !(shared.plan.overlaps && is_conflict(&error))
        {
            own.scheduler.fail(NO_ERROR, error.to_string());
        }
    }
}

/// Whether another transaction is to blame.
fn is_conflict(error: &RadarError) -> bool {
    let RadarError::Store(StoreError::Unusable { fault, .. }) = error else { return false };
    matches!(fault, StoreFault::Conflict | StoreFault::Busy(_))
}

fn run(shared: &Shared, own: &Own, operation: Operation) -> Result<(), RadarError> {
    let mut store = Store::open(&shared.location(), IfMissing::Refuse)?;
    let (name, now) = (ground::name(0), clock::now());
    match operation {
        Operation::CreateKey { expires_after } => {
            let number = u8::try_from(lock(&shared.keys).len()).expect("few") + 10;
            let key = ground::key(number);
            // The store keeps whole seconds.
            let expires_at = expires_after.map(|time| {
                let end = (now + Duration::from_nanos(time)).as_second();
                Timestamp::from_second(end).expect("a time")
            });
            let new = NewKey { account: &name, key: &key, label: None, origins: &[], expires_at };
            // A key whose creation was not acknowledged may exist all the same.
            lock(&shared.keys).push(KnownKey::begun(&key, expires_at));
            let at = lock(&shared.keys).len() - 1;
            store.create_key(&new, KEYS_MAX, now)?;
            lock(&shared.keys)[at].created = Some(own.scheduler.now());
        }
        Operation::RevokeKey { index } => {
            let chosen = {
                let keys = lock(&shared.keys);
                let index = usize::try_from(index).expect("a number") % keys.len();
                (index, keys[index].hash)
            };
            lock(&shared.keys)[chosen.0].is_revoking = true;
            match store.revoke_key(&KeySelector::Hash(chosen.1), now) {
                Ok(_) => {}
                // Its creation failed.
                Err(StoreError::NoSuchKey { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            let time = own.scheduler.now();
            lock(&shared.keys)[chosen.0].revoked.get_or_insert(time);
        }
        Operation::SetQuota { monthly } => {
            // What was admitted until the quota was set may exceed it.
            store.set_account(&name, &ground::quota(monthly))?;
            let mut counted = lock(&shared.counted);
            let limit = counted.limit.unwrap_or(0).max(monthly).max(counted.admitted);
            counted.limit = Some(limit);
        }
        Operation::Watch { account } => {
            let account = usize::try_from(account).expect("a number");
            let id = store.account(&ground::name(account))?.id;
            let number = CorporateNumber::parse(ground::OTHER).expect("a number");
            watch_list::add(&mut store, id, Register::Corporate, &[number], 10, now)?;
        }
        Operation::Redeliver => {
            let latest = delivery::latest(&mut store, None, 1)?;
            if let Some(latest) = latest.first() {
                delivery::redeliver(&mut store, &latest.id, None, now)?;
            }
        }
    }
    Ok(())
}

/// Guesses passwords through any server, as fast as it is let.
pub fn guess(shared: &Arc<Shared>, own: &Own) {
    let network = Network::of_client("192.0.2.9".parse().expect("an address"));
    let mut store = None;
    loop {
        own.pause_for(own.scheduler.with_random(|random| random.between(SECOND / 10, SECOND)));
        match attempt(&mut store, shared, network) {
            Ok(true) => {
                let now = own.scheduler.now();
                let mut guesses = lock(&shared.guesses);
                guesses.push(now);
                if let Err(found) = check_guesses(&guesses) {
                    own.scheduler.fail(GUESSES, found);
                }
            }
            Ok(false) => {}
            Err(_) => store = None,
        }
    }
}

/// Whether a guess is let through.
fn attempt(store: &mut Option<Store>, shared: &Shared, network: Network) -> StoreResult<bool> {
    let store = match store {
        Some(store) => store,
        none => none.insert(Store::open(&shared.location(), IfMissing::Refuse)?),
    };
    let who = Some(Who::Operator);
    let attempt = Attempt::new(None, network, who, None);
    Ok(store.count_attempt(&attempt, clock::now())?.is_ok())
}

/// How much earlier a guess may seem to come.
const SLACK: Time = SECOND + SECOND / 10;

/// The first five guesses are free; then the wait before each further one doubles, from two seconds.
fn check_guesses(guesses: &[Time]) -> Result<(), String> {
    let waits = (0..).map(|doublings: u32| (2 * SECOND) << doublings.min(8));
    for (number, (pair, wait)) in guesses.windows(2).skip(4).zip(waits).enumerate() {
        // The store counts in whole seconds, and hears of a guess before its answer is back.
        if pair[1] + SLACK < pair[0] + wait {
            let (found, expected) = ((pair[1] - pair[0]) / 1_000_000, wait / 1_000_000);
            return Err(format!(
                "guess {} came {found} ms after the one before it, expected {expected} ms",
                number + 6
            ));
        }
    }
    Ok(())
}
