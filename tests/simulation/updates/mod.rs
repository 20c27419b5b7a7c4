//! Updates: machines update their snapshot folders and publish them, a server reloads such a folder, and another follows
//! the releases, while networks and machines fail.

mod machines;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::disk::Disk;
use super::releases::truth::{NOTHING_LOST, RESTS, Truth, WHOLE};
use super::releases::{editions, served, watch};
use super::scheduler::{Enter, MILLISECOND, Machine, Own, SECOND, Scheduler, Time, lock};
use super::site::{Network, Site};
use super::trace::Trace;
use super::{Outcome, Scenario};
use crate::api::Api;
use crate::dataset::station::StationData;
use crate::snapshot::{Dataset, Versions};
use crate::text::codes::DataVersion;
use plan::{FOLLOWS, Fault, MACHINES, OPERATOR, Part, Plan, RELOADS, UPDATERS};

pub const SCENARIO: Scenario =
    Scenario { name: "updates", prepare: super::releases::prepare, describe, run };

const RELOADED: &str = "an update is served within the bound";
const NOT_BACK: &str = "a reload never goes back to older data";
const REPLACED: &str = "an update never activates a release that was replaced";
const NO_ERROR: &str = "no error without a fault";

/// When no operation and no fault is under way any more.
const FAULTS_END: Time = plan::END + 60 * SECOND;

/// How long a server takes to find a new file where the system reports no changes: its interval, and a scan.
const RELOAD_TIME: Time = 3 * SECOND;

/// What the tasks of a run share.
struct Shared {
    site: Arc<Site>,
    enter: Enter,
    plan: Plan,
    /// The folder with the official lists.
    lists: PathBuf,
    truth: Arc<Mutex<Truth>>,
    running: Mutex<BTreeMap<Machine, Arc<Api>>>,
    /// The versions that updates have installed, on which machine and when.
    updated: Mutex<Vec<(Time, Machine, DataVersion)>>,
    /// The newest version that the server has answered from which reloads.
    newest: Mutex<Option<DataVersion>>,
}

impl Shared {
    fn spawn(self: &Arc<Shared>, own: &Own, machine: Machine, run: fn(&Arc<Shared>, &Own)) {
        own.start(machine, &self.enter, self, run);
    }
}

fn describe(seed: u64) -> Vec<String> {
    Plan::of_seed(seed).parts.iter().map(Part::to_string).collect()
}

fn run(seed: u64, dropped: &BTreeSet<usize>, trace: Trace) -> Outcome {
    let plan = Plan::of_seed(seed).without(dropped);
    let folder = editions::temporary_folder();
    let lists = folder.path().join("lists");
    fs::create_dir(&lists).expect("a folder");
    let own = Scheduler::start(seed, trace);
    let site = Site::new(MACHINES);
    for machine in 1..MACHINES {
        let mut disk = Disk::new(&folder.path().join(machine.to_string()));
        if machine == UPDATERS[0] {
            // Its operator has made the folder long ago, for the server.
            fs::create_dir(disk.root().join("snapshots")).expect("a folder");
            disk.keep_all();
        }
        site.with(machine, |state| state.disk = Some(disk));
    }
    let truth = Arc::new(Mutex::new(Truth::default()));
    watch(&own, &site, &truth);
    let enter = site.enter(&own);
    if plan.has_disks {
        site.hear_core();
    }
    let (running, updated, newest) = (Mutex::default(), Mutex::default(), Mutex::default());
    let shared = Arc::new(Shared { site, enter, plan, lists, truth, running, updated, newest });
    drive(&shared, &own);
    own.finish();
    lock(&shared.site.store).watch = None;
    Outcome {
        failure: own.scheduler.failure(),
        steps: own.scheduler.steps(),
        trace: own.scheduler.take_trace(),
    }
}

fn drive(shared: &Arc<Shared>, own: &Own) {
    for machine in [UPDATERS[0], UPDATERS[1], RELOADS, FOLLOWS, OPERATOR] {
        shared.spawn(own, machine, machines::main);
    }
    shared.spawn(own, 0, look);
    for part in &shared.plan.parts {
        match part {
            Part::Edition { at, edition } => {
                let enter = shared.enter.clone();
                let (shared, at, edition) = (Arc::clone(shared), *at, *edition);
                let task = move || {
                    let own = super::scheduler::own().expect("a task");
                    own.pause_until(at);
                    come_out(&shared, &own, edition);
                };
                drop(own.spawn(0, "edition", enter, task).expect("a thread"));
            }
            Part::Fault { machine, at, fault } => {
                inject(shared, own, (*machine, *at), fault.clone())
            }
            Part::Update { .. } | Part::RollBack { .. } => {}
        }
    }
    if !own.pause_while_sound(FAULTS_END) {
        return;
    }
    for machine in UPDATERS {
        shared.spawn(own, machine, |shared, own| machines::update_last(shared, own));
        let deadline = own.scheduler.now() + 200 * SECOND;
        while own.scheduler.is_busy(machine) && own.pause_while_sound(own.scheduler.now() + SECOND)
        {
            if own.scheduler.now() > deadline {
                own.scheduler.fail(RESTS, format!("the last update of machine {machine} goes on"));
            }
        }
    }
    if own.pause_while_sound(own.scheduler.now() + 25 * SECOND) {
        check_rest(shared, own);
    }
}

/// Puts the list of an edition where updates take it from.
fn come_out(shared: &Shared, own: &Own, edition: usize) {
    own.scheduler.note(0, "comes out", &edition.to_string());
    let name = format!("stations-{}.csv", editions::version(edition));
    let target = shared.lists.join(&name);
    if !target.exists() {
        let source = editions::folder().path().join("lists").join(&name);
        fs::hard_link(source, target).expect("a list");
    }
}

/// Looks at the server that reloads: it never goes back, and has what an update installed within the bound.
fn look(shared: &Arc<Shared>, own: &Own) {
    loop {
        own.pause_for(500 * MILLISECOND);
        let now = own.scheduler.now();
        let Some(api) = lock(&shared.running).get(&RELOADS).cloned() else { continue };
        let found = served(&api);
        let newest = std::mem::replace(&mut *lock(&shared.newest), found);
        if found < newest {
            own.scheduler.fail(NOT_BACK, format!("{found:?} is served after {newest:?}"));
        }
        let data = api.data.load();
        let refused: Vec<String> = data
            .catalog
            .datasets()
            .into_iter()
            .flat_map(|versions| versions.refused().into_iter().map(|it| it.to_string()))
            .collect();
        if !refused.is_empty() {
            own.scheduler.fail(WHOLE, refused.join("; "));
        }
        let troubled_until = shared.site.with(RELOADS, |state| state.troubled_until);
        for (time, machine, version) in lock(&shared.updated).iter() {
            if *machine == UPDATERS[0]
                && found < Some(*version)
                && now > (*time).max(troubled_until) + RELOAD_TIME
            {
                let found = format!("{version} was installed at {time}, {found:?} is served");
                own.scheduler.fail(RELOADED, found);
            }
        }
    }
}

/// After a power failure every snapshot in a folder is whole, and what an update has reported is there.
fn check_folder(shared: &Shared, own: &Own, machine: Machine) {
    let folder = machines::folder(shared, machine);
    let versions = match Versions::<StationData>::scan(&folder, None) {
        Ok(versions) => versions,
        Err(error) => {
            own.scheduler.fail(WHOLE, format!("on machine {machine}: {error}"));
            return;
        }
    };
    let damaged = versions.iter().find_map(|(_, data)| data.file().verify().err());
    let damaged = damaged.map(|error| error.to_string());
    let refused = versions.refused().next().map(|error| error.to_string());
    if let Some(error) = damaged.or(refused) {
        own.scheduler.fail(WHOLE, format!("on machine {machine}: {error}"));
    }
    for (_, updated, version) in lock(&shared.updated).iter() {
        if *updated == machine && versions.get(*version).is_none() {
            let found = format!("machine {machine} has lost {version}, which it had installed");
            own.scheduler.fail(NOTHING_LOST, found);
        }
    }
}

fn check_rest(shared: &Shared, own: &Own) {
    let expected = Some(editions::version(editions::EDITIONS - 1));
    for machine in [RELOADS, FOLLOWS] {
        let found = lock(&shared.running).get(&machine).and_then(|api| served(api));
        if found != expected {
            let found = format!("machine {machine} serves {found:?}, expected {expected:?}");
            own.scheduler.fail(RESTS, found);
        }
    }
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
                shared.site.with(machine, |state| state.network = network);
                own.pause_for(time);
                shared.site.with(machine, |state| state.network = Network::default());
            }
            Fault::Crash { after_steps, down } => {
                machines::crash(&shared, &own, machine, (after_steps, down), false);
            }
            Fault::PowerFailure { after_steps, down } => {
                machines::crash(&shared, &own, machine, (after_steps, down), true);
            }
            Fault::FullDisk { time } => shared.site.fill_disk(&own, machine, time),
        }
    };
    drop(own.spawn(MACHINES - 1, "fault", enter, task).expect("a thread"));
}
