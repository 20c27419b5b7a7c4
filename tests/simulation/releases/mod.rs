//! Releases: publishers push, activate, roll back and prune in one object store, and servers follow it, while networks,
//! machines, disks and clocks fail.

pub mod editions;
mod monitor;
mod plan;
mod publisher;
mod rare;
mod server;
mod signing;
mod stranger;
pub mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use super::disk::Disk;
use super::scheduler::{Enter, Machine, Own, SECOND, Scheduler, Time, lock};
use super::site::Site;
use super::trace::Trace;
use super::{Outcome, Prepared, Scenario, store};
use crate::api::Api;
use crate::release::Label;
use crate::snapshot::Dataset;
use crate::text::codes::DataVersion;
use plan::{Fault, MACHINES, Part, Plan, SERVERS_MAX, STRANGER};
use truth::{RESTS, Truth};

pub const SCENARIO: Scenario = Scenario { name: "releases", prepare, describe, run };

/// When no operation and no fault is under way any more.
const FAULTS_END: Time = plan::END + 40 * SECOND;

/// How long servers take to recover from any fault. A server waits longer after each failed preparation.
const RECOVERY: Time = 30 * SECOND;
const RECOVERY_OF_DISK: Time = 100 * SECOND;

/// A prune that was killed keeps publishers away for an hour, counted from when the store has its claim.
const PRUNE_CLAIM: Time = store::LATE_MAX + 3_601 * SECOND;

/// What the tasks of a run share.
struct Shared {
    site: Arc<Site>,
    enter: Enter,
    plan: Plan,
    truth: Arc<Mutex<Truth>>,
    running: Mutex<BTreeMap<Machine, Running>>,
}

/// A server that runs.
struct Running {
    api: Arc<Api>,
    label: Option<Label>,
}

impl Running {
    fn served(&self) -> Option<DataVersion> {
        served(&self.api)
    }
}

/// The newest data version that a server answers from.
pub fn served(api: &Api) -> Option<DataVersion> {
    Some(api.data.load().catalog.station().latest()?.file().version())
}

impl Shared {
    fn spawn(self: &Arc<Shared>, own: &Own, machine: Machine, run: fn(&Arc<Shared>, &Own)) {
        own.start(machine, &self.enter, self, run);
    }

    /// The numbers of the machines that are servers.
    fn servers(&self) -> impl Iterator<Item = Machine> {
        self.plan.parts.iter().filter_map(|part| match part {
            Part::Server { machine, .. } => Some(*machine),
            _ => None,
        })
    }
}

pub fn prepare() -> Prepared {
    let _ = crate::release::store_url::SIMULATED.set(store::open);
    editions::folder()
}

fn describe(seed: u64) -> Vec<String> {
    Plan::of_seed(seed).parts.iter().map(Part::to_string).collect()
}

fn run(seed: u64, dropped: &BTreeSet<usize>, trace: Trace) -> Outcome {
    run_plan(seed, Plan::of_seed(seed).without(dropped), trace)
}

fn run_plan(seed: u64, plan: Plan, trace: Trace) -> Outcome {
    let folder = editions::temporary_folder();
    let own = Scheduler::start(seed, trace);
    let site = Site::new(MACHINES);
    for machine in 1..MACHINES {
        let disk = Disk::new(&folder.path().join(machine.to_string()));
        site.with(machine, |state| {
            state.disk = Some(disk);
            state.network.latency_max = plan.latency_max;
        });
    }
    lock(&site.store).ignores_versions = store::is_broken();
    let key = plan.is_signed.then(signing::public_key);
    let truth = Arc::new(Mutex::new(Truth::with_key(key)));
    watch(&own, &site, &truth);
    let enter = site.enter(&own);
    let running = Mutex::default();
    let shared = Arc::new(Shared { site, enter, plan, truth, running });
    drive(&shared, &own);
    own.finish();
    lock(&shared.site.store).watch = None;
    Outcome {
        failure: own.scheduler.failure(),
        steps: own.scheduler.steps(),
        trace: own.scheduler.take_trace(),
    }
}

/// Checks the store after each of its changes.
pub fn watch(own: &Own, site: &Site, truth: &Arc<Mutex<Truth>>) {
    let (scheduler, truth) = (Arc::clone(&own.scheduler), Arc::clone(truth));
    lock(&site.store).watch = Some(Box::new(move |objects, key, now| {
        if let Err((invariant, found)) = lock(&truth).changed(objects, key, now) {
            scheduler.fail(invariant, found);
        }
    }));
}

/// Starts everything, waits for the end of the faults, and checks that the system comes to rest.
fn drive(shared: &Arc<Shared>, own: &Own) {
    for part in &shared.plan.parts {
        if let Part::Server { machine, clock_ahead, .. } = part {
            shared.site.with(*machine, |state| state.clock_ahead = *clock_ahead);
            shared.spawn(own, *machine, server::main);
        }
    }
    for machine in 1 + SERVERS_MAX..STRANGER {
        shared.spawn(own, machine, publisher::main);
    }
    if shared.plan.has_intrusions() {
        shared.spawn(own, STRANGER, stranger::main);
    }
    shared.spawn(own, 0, monitor::main);
    for part in &shared.plan.parts {
        if let Part::Fault { machine, at, fault } = part {
            inject(shared, own, (*machine, *at), fault.clone());
        }
    }
    if !own.pause_while_sound(FAULTS_END) {
        return;
    }
    let recovery = if shared.plan.fills_disk() { RECOVERY_OF_DISK } else { RECOVERY };
    if !own.pause_while_sound(FAULTS_END + recovery) {
        return;
    }
    check_rest(shared, own);
}

fn inject(shared: &Arc<Shared>, own: &Own, (machine, at): (Machine, Time), fault: Fault) {
    let task = {
        let shared = Arc::clone(shared);
        move || {
            let own = super::scheduler::own().expect("a task");
            own.pause_until(at);
            own.scheduler.note(machine, "fault", &format!("{fault:?}"));
            match fault {
                Fault::Network { network, time } => {
                    shared.site.trouble(machine, at, time + 30 * SECOND);
                    let before = shared.site.with(machine, |state| state.network.clone());
                    let network =
                        super::site::Network { latency_max: before.latency_max, ..network };
                    shared.site.with(machine, |state| state.network = network);
                    own.pause_for(time);
                    let healed = super::site::Network {
                        latency_max: before.latency_max,
                        ..Default::default()
                    };
                    shared.site.with(machine, |state| state.network = healed);
                }
                Fault::FullDisk { time } => shared.site.fill_disk(&own, machine, time),
                Fault::Clock { by } => {
                    // A clock that is wrong by more than a second is not promised anything; it is corrected later.
                    shared.site.trouble(machine, at, 60 * SECOND);
                    shared.site.with(machine, |state| state.clock_ahead += by);
                    own.pause_for(30 * SECOND);
                    shared.site.with(machine, |state| state.clock_ahead -= by);
                }
                Fault::Crash { loses_changes, after_changes, down } => {
                    server::crash(&shared, &own, machine, (loses_changes, after_changes, down));
                }
            }
        }
    };
    drop(own.spawn(0, "fault", shared.enter.clone(), task).expect("a thread"));
}

/// After the faults, all servers serve what they should, and the next release gets to all of them.
fn check_rest(shared: &Arc<Shared>, own: &Own) {
    monitor::check_all_current(shared, own);
    let servers: Vec<Machine> = shared.servers().collect();
    let mut result = publisher::push_last(shared, own);
    if matches!(result, Err(crate::release::ReleaseError::PruneRunning { .. })) {
        // Servers would only poll for an hour.
        servers.iter().for_each(|machine| server::stop(shared, own, *machine));
        own.pause_for(PRUNE_CLAIM);
        servers.iter().for_each(|machine| shared.spawn(own, *machine, server::main));
        if !own.pause_while_sound(own.scheduler.now() + 20 * SECOND) {
            return;
        }
        result = publisher::push_last(shared, own);
    }
    if let Err(error) = result {
        own.scheduler.fail(RESTS, format!("the last push failed: {error}"));
        return;
    }
    if own.pause_while_sound(own.scheduler.now() + 20 * SECOND) {
        monitor::check_all_current(shared, own);
        servers.iter().for_each(|machine| server::check_cache(shared, own, *machine));
    }
}
