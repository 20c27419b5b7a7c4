//! A caller that asks all servers again and again: none serves an old release for longer than promised.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::truth::{NO_OLD_ANSWER, RESTS};
use super::{Running, Shared, server};
use crate::simulation::scheduler::{MILLISECOND, Machine, Own, SECOND, Time, lock};
use crate::text::codes::DataVersion;

const INTERVAL: Time = 400 * MILLISECOND;

/// How long after its time a server may still serve the release before an announced switch. The time that it takes to
/// put loaded data into use, and the interval between two looks.
const SWITCH_TIME: Time = 500 * MILLISECOND;

/// How long after the store has said so a server may take to fetch and serve a release that was not announced.
const CATCH_UP_TIME: Time = 20 * SECOND;

/// What a server should serve.
#[derive(Default)]
struct Wanted {
    version: Option<DataVersion>,
    since: Time,
    looked_at: Time,
    /// Whether it was announced in time, so that servers were prepared.
    was_scheduled: bool,
}

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let mut wanted: BTreeMap<Machine, Wanted> = BTreeMap::new();
    loop {
        let now = own.scheduler.now();
        for (machine, running) in lock(&shared.running).iter() {
            let wanted = wanted.entry(*machine).or_default();
            look(shared, own, (*machine, now), running, wanted);
        }
        own.pause_for(INTERVAL);
    }
}

fn look(
    shared: &Shared,
    own: &Own,
    (machine, now): (Machine, Time),
    running: &Running,
    wanted: &mut Wanted,
) {
    let clock = shared.site.time_of_day(machine, now);
    server::check_not_forged(own, machine, running.served());
    let truth = lock(&shared.truth);
    let label = running.label.as_ref();
    let version = truth.wanted(label, clock);
    let between = (std::mem::replace(&mut wanted.looked_at, now), now);
    let clock_at = |time| shared.site.time_of_day(machine, time);
    if version != wanted.version || truth.wanted_another(label, version, between, clock_at) {
        let switch = truth.current().and_then(|current| current.switch.as_ref());
        let was_scheduled = switch.is_some_and(|switch| {
            let ahead = clock.duration_since(switch.time);
            !ahead.is_negative() && ahead.as_nanos() <= i128::from(2 * INTERVAL)
        });
        *wanted = Wanted { version, since: now, looked_at: now, was_scheduled };
    }
    let (troubled_until, unseen_until) =
        shared.site.with(machine, |state| (state.troubled_until, state.unseen_until));
    // The server must have been well, and its state readable, when the release was announced.
    let since = wanted.since.max(troubled_until);
    let is_on_time =
        wanted.was_scheduled && troubled_until.max(unseen_until) + 10 * SECOND < wanted.since;
    let bound = if is_on_time { SWITCH_TIME } else { CATCH_UP_TIME };
    if version.is_some() && now > since + bound && running.served() != version {
        let found = format!(
            "server {machine} serves {:?} {} ms after it should serve {version:?}",
            running.served(),
            (now - wanted.since) / MILLISECOND
        );
        own.scheduler.fail(NO_OLD_ANSWER, found);
    }
}

/// After the faults, every server runs and serves what it should.
pub fn check_all_current(shared: &Shared, own: &Own) {
    let running = lock(&shared.running);
    for machine in shared.servers() {
        let Some(server) = running.get(&machine) else {
            own.scheduler.fail(RESTS, format!("server {machine} does not run"));
            continue;
        };
        let clock = shared.site.time_of_day(machine, own.scheduler.now());
        let wanted = lock(&shared.truth).wanted(server.label.as_ref(), clock);
        let is_behind = server.api.is_behind.load(std::sync::atomic::Ordering::Relaxed);
        if wanted.is_some() && (server.served() != wanted || is_behind) {
            let served = server.served();
            let found = format!(
                "server {machine} serves {served:?}, expected {wanted:?}; it is behind: {is_behind}"
            );
            own.scheduler.fail(RESTS, found);
        }
    }
}
