//! The promises about keys, quotas, deliveries and guesses, and a caller that checks them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::plan::{DAYS, Plan};
use super::{Running, Shared, ground};
use crate::account::store::{IfMissing, Store, StoreResult};
use crate::radar::delivery::{self, DeliveryKind, DeliveryState};
use crate::simulation::scheduler::{MILLISECOND, Machine, Own, SECOND, Time, lock};
use crate::text::codes::{DataVersion, Register};

pub const REVOKED: &str = "a revoked key is refused within its bound";
pub const EXPIRED: &str = "an expired key is refused";
pub const KEY_WORKS: &str = "a key that was created works within its bound";
pub const RATE: &str = "no server admits more than its rate";
pub const MONTH: &str = "all servers together admit a month's quota";
pub const USAGE: &str = "what was admitted is counted";
pub const AT_LEAST_ONCE: &str = "a delivery an account and date arrives at least once";
pub const NOTED_ONCE: &str = "a delivery an account and date is noted once";
pub const ACTIVE_EVERYWHERE: &str = "no delivery for a day that is not active everywhere";
pub const GUESSES: &str = "guesses of a password wait as long as promised";
pub const NO_ERROR: &str = "no error without a fault";
pub const RESTS: &str = "comes to rest when faults end";

/// How long a change of a key takes to reach a server: a poll, a load, and the way of both.
const KEY_BOUND: Time = SECOND;

/// A server hears of the others' requests every two seconds, and a write and its answer take a moment.
const UNKNOWN_SECONDS: u64 = 4;

/// An event that a receiver got.
#[derive(Debug, Clone)]
pub struct Received {
    pub url: String,
    pub id: String,
    pub body: String,
}

impl Received {
    fn day(&self) -> Option<DataVersion> {
        let start = self.body.find("2026-11-")?;
        DataVersion::parse(self.body.get(start..start + 10)?).ok()
    }

    fn register(&self) -> Register {
        if self.body.contains("/invoice/") { Register::Invoice } else { Register::Corporate }
    }
}

/// Checks an event when it arrives.
pub fn check_received(shared: &Shared, own: &Own, received: &Received) {
    let (day, register) = (received.day(), received.register());
    let common = shared.common_day(register);
    if day.is_none() || day > common {
        let found = format!("{} announces {day:?}, all servers have {common:?}", received.body);
        own.scheduler.fail(ACTIVE_EVERYWHERE, found);
    }
    let others = lock(&shared.received);
    let mut same = others.iter().filter(|other| {
        other.url == received.url && (other.register(), other.day()) == (register, day)
    });
    if let Some(other) = same.find(|other| other.id != received.id) {
        let found = format!("{} got {day:?} as {} and {}", received.url, other.id, received.id);
        own.scheduler.fail(NOTED_ONCE, found);
    }
}

/// Asks the servers again and again, with keys that should work and others.
pub fn call(shared: &Arc<Shared>, own: &Own) {
    loop {
        let pause = own.scheduler.with_random(|random| random.between(50, 200));
        own.pause_for(pause * MILLISECOND);
        let now = own.scheduler.now();
        let mut running = lock(&shared.running);
        let count = running.len() as u64;
        let chosen = own.scheduler.with_random(|random| random.below(count));
        let chosen = usize::try_from(chosen).expect("a number");
        if let Some((machine, server)) = running.iter_mut().nth(chosen) {
            ask(shared, own, (*machine, now), server);
        }
    }
}

fn ask(shared: &Shared, own: &Own, (machine, now): (Machine, Time), server: &mut Running) {
    let keyring = server.keys.current();
    let clock = shared.site.time_of_day(machine, now);
    let troubled_until = shared.site.with(machine, |state| state.troubled_until);
    // Before this time, the server need not know of a change.
    let bound = |changed: Time| changed.max(troubled_until).max(server.started) + KEY_BOUND;
    for (number, key) in lock(&shared.keys).iter().enumerate() {
        let entry = keyring.find(key.text.as_str());
        let is_expired = key.expires_at.is_some_and(|end| end <= clock);
        let is_accepted = entry.is_some_and(|entry| entry.expired_at(|| clock).is_none());
        let fail = |invariant, since: Time| {
            let after = now.saturating_sub(since) / MILLISECOND;
            own.scheduler
                .fail(invariant, format!("server {machine}, key {number}, {after} ms after"));
        };
        if is_accepted && is_expired {
            fail(EXPIRED, now);
        }
        if let Some(revoked) = key.revoked
            && is_accepted
            && now > bound(revoked)
        {
            fail(REVOKED, revoked);
        }
        if let Some(created) = key.created
            && !(key.is_revoking || is_accepted || is_expired)
            && now > bound(created)
        {
            fail(KEY_WORKS, created);
        }
        // The second key is of an account without a quota.
        if let Some(entry) = entry.filter(|_| is_accepted && number != 1)
            && entry.meter.admit(&entry.quota, own.scheduler.instant(), 0).is_ok()
        {
            server.admitted.push(now);
            if let Err((invariant, found)) = count(&shared.plan, shared, &server.admitted) {
                own.scheduler.fail(invariant, format!("server {machine}: {found}"));
            }
        }
    }
}

/// Counts an admitted request, the last one of a server.
fn count(plan: &Plan, shared: &Shared, admitted: &[Time]) -> Result<(), (&'static str, String)> {
    let last = *admitted.last().expect("one was admitted");
    for (count, first) in (1..).zip(admitted.iter().rev()).take(50) {
        let allowed = ground::RATE + (last - first) * ground::RATE / SECOND;
        if count > allowed {
            let (found, time) = (count, (last - first) / MILLISECOND);
            return Err((RATE, format!("{found} requests in {time} ms, expected {allowed}")));
        }
    }
    let mut counted = lock(&shared.counted);
    counted.admitted += 1;
    let unknown = plan.servers as u64 + plan.crashes();
    let slack = unknown * ground::RATE * (UNKNOWN_SECONDS + 1);
    match counted.limit {
        // A server that does not reach the database knows nothing of the others.
        Some(limit) if !plan.cuts_network() && counted.admitted > limit + slack => {
            let admitted = counted.admitted;
            Err((MONTH, format!("{admitted} requests, expected {limit} and at most {slack} more")))
        }
        _ => Ok(()),
    }
}

/// Checks the database at the end: what was admitted is counted, what was due is delivered.
pub fn check_rest(shared: &Shared, own: &Own) -> StoreResult {
    let mut store = Store::open(&shared.location(), IfMissing::Refuse)?;
    check_usage(shared, own, &mut store)?;
    let mut noted: BTreeMap<(String, Register, DataVersion), u64> = BTreeMap::new();
    let received: BTreeSet<String> =
        lock(&shared.received).iter().map(|it| it.id.clone()).collect();
    for delivery in delivery::latest(&mut store, None, 1_000)? {
        let id = delivery.id.as_str();
        if delivery.kind == DeliveryKind::Radar {
            let change = (delivery.account.to_string(), delivery.register, delivery.day);
            *noted.entry(change).or_default() += 1;
        }
        let is_received = received.contains(id);
        match delivery.state {
            DeliveryState::Delivered if !is_received => {
                own.scheduler
                    .fail(AT_LEAST_ONCE, format!("{id} is noted as delivered, it was not"));
            }
            DeliveryState::Delivered => {}
            state => own.scheduler.fail(RESTS, format!("{id} is still {}", state.as_str())),
        }
    }
    for ((account, register, day), count) in &noted {
        if *count > 1 {
            let found = format!("{account} has {count} deliveries of {register} {day}");
            own.scheduler.fail(NOTED_ONCE, found);
        }
    }
    for register in Register::ALL {
        let is_noted =
            |account: &str, day| noted.contains_key(&(account.to_owned(), register, day));
        check_all_noted(shared, own, register, is_noted);
    }
    Ok(())
}

/// Every account has a delivery of each day whose changes it watches.
fn check_all_noted(
    shared: &Shared,
    own: &Own,
    register: Register,
    is_noted: impl Fn(&str, DataVersion) -> bool,
) {
    let common = shared.common_day(register);
    for number in (1..=DAYS).filter(|number| !ground::is_unwatched(register, *number)) {
        let day = ground::day(number);
        let is_due = Some(day) <= common && shared.has_list(register, number);
        for account in ground::ACCOUNTS.iter().filter(|account| is_due && !is_noted(account, day)) {
            let found = format!("{account} got nothing of {register} {day}");
            own.scheduler.fail(AT_LEAST_ONCE, found);
        }
    }
}

fn check_usage(shared: &Shared, own: &Own, store: &mut Store) -> StoreResult {
    let from = "2026-11-01".parse().expect("a date");
    let usage = store.usage(&ground::name(0), from)?;
    let stored: u64 = usage.iter().map(|usage| usage.counts.requests).sum();
    let admitted = lock(&shared.counted).admitted;
    // A crash loses what was not written yet: everything since the database was away. A lost answer makes a server write
    // its counts again.
    let lost = match shared.plan.cuts_network() {
        true => shared.plan.crashes() * 60 * ground::RATE,
        false => shared.plan.crashes() * 3 * ground::RATE,
    };
    let is_repeated = (1..=shared.plan.servers)
        .any(|machine| shared.site.with(machine, |state| state.lost_answers > 0));
    if stored + lost < admitted || (stored > admitted && !is_repeated) {
        own.scheduler
            .fail(USAGE, format!("{stored} requests are stored, {admitted} were admitted"));
    }
    Ok(())
}
