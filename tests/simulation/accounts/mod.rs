//! Accounts: servers share a database, which has their keys, quotas and deliveries, while networks and machines fail.

mod ground;
mod operator;
mod plan;
mod promises;
mod receiver;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::disk::Disk;
use super::scheduler::{Enter, Machine, Own, SECOND, Scheduler, Time, lock};
use super::site::{Network, Site};
use super::trace::Trace;
use super::{Outcome, Prepared, Scenario, database};
use crate::account::store::{self, StoreLocation};
use crate::account::{ApiKey, KeyHash, LiveKeys};
use crate::text::codes::{DataVersion, Register};
use plan::{Fault, GUESSER, MACHINES, OPERATOR, Part, Plan};
use promises::{RESTS, Received};

pub const SCENARIO: Scenario = Scenario { name: "accounts", prepare, describe, run };

/// When no operation and no fault is under way any more.
const FAULTS_END: Time = plan::END + 25 * SECOND;

/// How long servers take to recover, and to write what they have counted.
const RECOVERY: Time = 8 * SECOND;

/// How often the servers get to send what is still due, with half an hour in between.
const ROUNDS: usize = 6;
const BETWEEN_ROUNDS: Time = 1_800 * SECOND;

/// What the tasks of a run share.
struct Shared {
    site: Arc<Site>,
    enter: Enter,
    plan: Plan,
    /// The file of the database.
    state: PathBuf,
    running: Mutex<BTreeMap<Machine, Running>>,
    keys: Mutex<Vec<KnownKey>>,
    counted: Mutex<Counted>,
    /// The newest day of a register from which each server answers.
    days: Mutex<BTreeMap<(Register, Machine), u64>>,
    received: Mutex<Vec<Received>>,
    /// When guesses of a password were let through.
    guesses: Mutex<Vec<Time>>,
}

/// A server that runs.
struct Running {
    keys: Arc<LiveKeys>,
    started: Time,
    /// When it admitted requests of the account with a quota.
    admitted: Vec<Time>,
}

/// Requests of the account with a quota, of all servers.
#[derive(Default)]
struct Counted {
    admitted: u64,
    /// At most so many are allowed; `None` before a quota was set.
    limit: Option<u64>,
}

/// What the operator knows of a key.
struct KnownKey {
    text: String,
    hash: KeyHash,
    expires_at: Option<Timestamp>,
    /// When its creation and revocation were acknowledged.
    created: Option<Time>,
    revoked: Option<Time>,
    /// Whether a revocation has begun.
    is_revoking: bool,
}

impl KnownKey {
    fn begun(key: &ApiKey, expires_at: Option<Timestamp>) -> KnownKey {
        KnownKey {
            text: key.reveal().to_owned(),
            hash: key.hash(),
            expires_at,
            created: None,
            revoked: None,
            is_revoking: false,
        }
    }
}

impl Shared {
    fn location(&self) -> StoreLocation {
        StoreLocation::File(self.state.clone())
    }

    fn day_of(&self, register: Register, machine: Machine) -> Option<DataVersion> {
        lock(&self.days).get(&(register, machine)).map(|day| ground::day(*day))
    }

    /// The newest day of a register from which all servers answer.
    fn common_day(&self, register: Register) -> Option<DataVersion> {
        let days = lock(&self.days);
        let all = (1..=self.plan.servers).map(|machine| days.get(&(register, machine)).copied());
        all.min().flatten().map(ground::day)
    }

    /// Whether all servers have the list of this day's changes.
    fn has_list(&self, register: Register, day: u64) -> bool {
        let has = |wanted| {
            self.plan.parts.iter().any(|part| {
                matches!(part, Part::Day { register: of, machine, day: its, .. }
                    if *of == register && (*machine, *its) == (wanted, day))
            })
        };
        (1..=self.plan.servers).all(has)
    }

    fn spawn(self: &Arc<Shared>, own: &Own, machine: Machine, run: fn(&Arc<Shared>, &Own)) {
        own.start(machine, &self.enter, self, run);
    }
}

fn prepare() -> Prepared {
    let _ = store::SIMULATED.set(database::simulate);
    ground::folder()
}

fn describe(seed: u64) -> Vec<String> {
    Plan::of_seed(seed).parts.iter().map(Part::to_string).collect()
}

fn run(seed: u64, dropped: &BTreeSet<usize>, trace: Trace) -> Outcome {
    let plan = Plan::of_seed(seed).without(dropped);
    let folder = super::releases::editions::temporary_folder();
    let state = ground::copy(folder.path());
    let own = Scheduler::start(seed, trace);
    let site = Site::new(MACHINES);
    for machine in 1..MACHINES {
        let disk = Disk::new(&folder.path().join(machine.to_string()));
        site.with(machine, |state| (state.disk, state.network) = (Some(disk), plan::network()));
    }
    if plan.overlaps {
        site.database.set_overlaps();
    }
    let enter = site.enter(&own);
    let mut keys =
        vec![KnownKey::begun(&ground::key(0), None), KnownKey::begun(&ground::key(1), None)];
    keys.iter_mut().for_each(|key| key.created = Some(0));
    let shared = Arc::new(Shared {
        site,
        enter,
        plan,
        state,
        running: Mutex::default(),
        keys: Mutex::new(keys),
        counted: Mutex::default(),
        days: Mutex::default(),
        received: Mutex::default(),
        guesses: Mutex::default(),
    });
    drive(&shared, &own);
    own.finish();
    Outcome {
        failure: own.scheduler.failure(),
        steps: own.scheduler.steps(),
        trace: own.scheduler.take_trace(),
    }
}

/// Starts everything, waits for the end of the faults, and checks that the system comes to rest.
fn drive(shared: &Arc<Shared>, own: &Own) {
    let servers = 1..=shared.plan.servers;
    servers.clone().for_each(|machine| shared.spawn(own, machine, server::main));
    shared.spawn(own, OPERATOR, operator::main);
    shared.spawn(own, GUESSER, operator::guess);
    shared.spawn(own, GUESSER, promises::call);
    for part in &shared.plan.parts {
        match part {
            Part::Operation { .. } => {}
            Part::Day { register, machine, at, day } => {
                begin_day(shared, own, (*machine, *at), (*register, *day));
            }
            Part::Fault { machine, at, fault } => {
                inject(shared, own, (*machine, *at), fault.clone())
            }
        }
    }
    if !own.pause_while_sound(FAULTS_END) {
        return;
    }
    // Nobody asks any more.
    server::stop(shared, own, GUESSER);
    if !own.pause_while_sound(FAULTS_END + RECOVERY) {
        return;
    }
    for _ in 0..ROUNDS {
        servers.clone().for_each(|machine| server::stop(shared, own, machine));
        own.pause_for(BETWEEN_ROUNDS);
        servers.clone().for_each(|machine| shared.spawn(own, machine, server::main));
        if !own.pause_while_sound(own.scheduler.now() + 12 * SECOND) || is_done(shared) {
            break;
        }
    }
    if own.scheduler.failure().is_none()
        && let Err(error) = promises::check_rest(shared, own)
    {
        own.scheduler.fail(RESTS, error.to_string());
    }
}

/// Whether no delivery is waiting.
fn is_done(shared: &Shared) -> bool {
    let store = store::Store::open(&shared.location(), store::IfMissing::Refuse);
    let waiting = store.and_then(|mut store| {
        let sql = "SELECT count(*) FROM delivery WHERE state = 'waiting'";
        store.read(|tx| tx.count(sql, &[]))
    });
    waiting.is_ok_and(|waiting| waiting == 0)
}

/// Gives a server the changes of a day, and then the data of the day.
fn begin_day(
    shared: &Arc<Shared>,
    own: &Own,
    (machine, at): (Machine, Time),
    (register, day): (Register, u64),
) {
    let shared = Arc::clone(shared);
    let enter = shared.enter.clone();
    let task = move || {
        let own = super::scheduler::own().expect("a task");
        own.pause_until(at);
        let snapshots = shared
            .site
            .with(machine, |state| state.disk.as_ref().expect("a disk").root().join("snapshots"));
        ground::put_day(&snapshots, register, day);
        own.scheduler.note(machine, "answers from day", &format!("{day} of {register}"));
        let mut days = lock(&shared.days);
        let newest = days.entry((register, machine)).or_default();
        *newest = (*newest).max(day);
    };
    // Not on the server's machine, because a crash does not stop the others.
    drop(own.spawn(GUESSER + 1, "day", enter, task).expect("a thread"));
}

fn inject(shared: &Arc<Shared>, own: &Own, (machine, at): (Machine, Time), fault: Fault) {
    let shared = Arc::clone(shared);
    let enter = shared.enter.clone();
    let task = move || {
        let own = super::scheduler::own().expect("a task");
        own.pause_until(at);
        own.scheduler.note(machine, "fault", &format!("{fault:?}"));
        match fault {
            Fault::Network { network, time } => {
                shared.site.trouble(machine, at, time + 20 * SECOND);
                let network = Network { latency_max: plan::network().latency_max, ..network };
                shared.site.with(machine, |state| state.network = network);
                own.pause_for(time);
                shared.site.with(machine, |state| state.network = plan::network());
            }
            Fault::Crash { down } => server::crash(&shared, &own, machine, down),
        }
    };
    drop(own.spawn(GUESSER + 1, "fault", enter, task).expect("a thread"));
}
