//! The machines: updaters, a server that reloads a folder, a server that follows releases, and the operator.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::{FOLLOWS, OPERATOR, Part, RELOADS, UPDATERS};
use super::{NO_ERROR, REPLACED, Shared};
use crate::channel::channel;
use crate::cli::serve::simulated_server::{Server, ServerOptions};
use crate::clock;
use crate::compile::Progress;
use crate::dataset::updates;
use crate::release::{
    self, Activate, ActivateOptions, Bucket, Creation, Depth, PushOptions, ReleaseError,
    RetryLimits, WaitOptions,
};
use crate::simulation::releases::editions;
use crate::simulation::scheduler::{MILLISECOND, Machine, Own, SECOND, Time, lock};
use crate::simulation::site::{MachineState, here};
use crate::simulation::store;
use crate::update::{AlternativeSource, Event, Observer, Options, Outcome, Subject, UpdateError};

/// How long a server may take from its start until it serves what it should.
const START_TIME: Time = 20 * SECOND;

/// Lets other tasks run, or the machine crash, at each step of an update.
struct Steps;

impl Steps {
    fn pause() {
        let (own, site) = here();
        let crashes = site.with(own.machine, |state| {
            let disk = state.disk.as_mut().expect("a disk");
            disk.crashes(crate::simulated::DiskStep::Change(&PathBuf::new()))
        });
        if crashes {
            own.scheduler.crash(own.machine);
        }
        own.pause_for(own.scheduler.with_random(|random| random.skewed(MILLISECOND, SECOND)));
    }
}

impl Progress for Steps {
    fn step(&self, _name: &str) {
        Steps::pause();
    }

    fn advance(&self, _done: u64, _total: u64) {
        Steps::pause();
    }
}

impl Observer for Steps {
    fn notify(&self, _subject: Subject, _event: Event<'_>) {
        Steps::pause();
    }
}

pub fn main(shared: &Arc<Shared>, own: &Own) {
    match own.machine {
        RELOADS => reload(shared, own),
        FOLLOWS => follow(shared, own),
        OPERATOR => operate(shared, own),
        _ => update_in_turn(shared, own),
    }
}

fn update_in_turn(shared: &Shared, own: &Own) {
    let mut times: Vec<Time> = Vec::new();
    for part in &shared.plan.parts {
        if let Part::Update { machine, at } = part
            && *machine == own.machine
            && *at >= own.scheduler.now()
        {
            times.push(*at);
        }
    }
    times.sort_unstable();
    for at in times {
        own.pause_until(at);
        own.scheduler.note(own.machine, "begins", "an update");
        let updated = update(shared, own);
        let published = updated.and_then(|()| publish(shared, own).map_err(|it| it.to_string()));
        let told = published.as_ref().map_or_else(String::as_str, |()| "done");
        own.scheduler.note(own.machine, "ends", told);
    }
}

pub fn folder(shared: &Shared, machine: Machine) -> PathBuf {
    shared.site.with(machine, |state| state.disk.as_ref().expect("a disk").root().join("snapshots"))
}

/// As `daicho update station --from FOLDER` does.
fn update(shared: &Shared, own: &Own) -> Result<(), String> {
    let snapshots = folder(shared, own.machine);
    let options = Options {
        subjects: updates::named("station").into_iter().collect(),
        from: Some(AlternativeSource::Folder(shared.lists.clone())),
        ..Options::new(&snapshots)
    };
    let reports = updates::run(&options, &Steps).map_err(|error| error.to_string())?;
    for report in reports {
        match report.result {
            Ok(Outcome::Updated { edition, .. }) => {
                lock(&shared.updated).push((own.scheduler.now(), own.machine, edition));
            }
            Ok(_) => {}
            Err(error) => {
                check_update(shared, own, &error);
                return Err(error.to_string());
            }
        }
    }
    Ok(())
}

/// No fault of a network explains an error of an update from a folder.
fn check_update(shared: &Shared, own: &Own, error: &UpdateError) {
    if !shared.plan.has_faults() {
        own.scheduler.fail(NO_ERROR, error.to_string());
    }
}

/// As `daicho update --publish` does after an update.
fn publish(shared: &Shared, own: &Own) -> Result<(), ReleaseError> {
    let bucket = Bucket::open(store::URL, RetryLimits::COMMAND)?;
    let timeout = std::time::Duration::from_secs(20);
    let options = PushOptions {
        snapshots: &folder(shared, own.machine),
        subjects: &[],
        versions: None,
        created: Creation { time: clock::now(), creator: format!("machine {}", own.machine) },
        key: None,
        activate: Activate::UnlessReplaced,
        wait: WaitOptions { timeout, ..WaitOptions::default() },
        label: None,
        depth: Depth::All,
    };
    let report = release::push(&bucket, &options, &Steps)?;
    if let Some(activation) = &report.activation {
        own.check(lock(&shared.truth).acknowledge(activation));
        let (number, highest) = (report.manifest.release.number, activation.before.highest);
        if highest >= Some(number) {
            let found = format!("release {number} was activated, {highest:?} had been active");
            own.scheduler.fail(REPLACED, found);
        }
    }
    Ok(())
}

fn operate(shared: &Shared, own: &Own) {
    for part in &shared.plan.parts {
        if let Part::RollBack { at } = part {
            own.pause_until(*at);
            let rolled_back = Bucket::open(store::URL, RetryLimits::COMMAND).and_then(|bucket| {
                let timeout = std::time::Duration::from_secs(20);
                let wait = WaitOptions { timeout, ..WaitOptions::default() };
                let options =
                    ActivateOptions { label: None, wait, key: None, depth: Depth::Sample };
                release::rollback(&bucket, &options, &())
            });
            if let Ok(activation) = &rolled_back {
                own.check(lock(&shared.truth).acknowledge(activation));
            }
            own.scheduler.note(own.machine, "rolls back", &format!("{}", rolled_back.is_ok()));
        }
    }
}

fn reload(shared: &Arc<Shared>, own: &Own) {
    let snapshots = folder(shared, UPDATERS[0]);
    fs::create_dir_all(&snapshots).expect("a folder");
    shared.site.trouble(own.machine, own.scheduler.now(), START_TIME);
    let server = Server::reload(&snapshots).expect("a server");
    run(shared, own, &server);
}

fn follow(shared: &Arc<Shared>, own: &Own) {
    let cache = shared
        .site
        .with(own.machine, |state| state.disk.as_ref().expect("a disk").root().to_owned());
    let options = ServerOptions {
        cache: &cache,
        url: store::URL,
        name: "follower",
        label: None,
        release_key: None,
        poll: "2s",
        reloads: true,
    };
    let server = loop {
        match Server::follow(&options, |_api| {}) {
            Ok(server) => break server,
            Err(_) => own.pause_for(5 * SECOND),
        }
    };
    run(shared, own, &server);
}

fn run(shared: &Shared, own: &Own, server: &Server) {
    lock(&shared.running).insert(own.machine, Arc::clone(&server.api));
    let (_stays, waits) = channel::<()>();
    let _ = waits.recv_timeout(std::time::Duration::MAX);
}

/// Kills a machine and starts it again. A power failure also ends the server that reloads the machine's folder.
pub fn crash(
    shared: &Arc<Shared>,
    own: &Own,
    machine: Machine,
    (after_steps, down): (Option<u64>, Time),
    loses_power: bool,
) {
    if !shared.site.with(machine, |state| std::mem::replace(&mut state.is_up, false)) {
        return;
    }
    let with = |changes| {
        shared.site.with(machine, |state| {
            state.disk.iter_mut().for_each(|disk| disk.changes_until_crash = changes);
        });
    };
    if after_steps.is_some() {
        with(after_steps);
        let deadline = own.scheduler.now() + 20 * SECOND;
        while own.scheduler.is_busy(machine) && own.scheduler.now() < deadline {
            own.pause_for(50 * MILLISECOND);
        }
        with(None);
    }
    lock(&shared.running).remove(&machine);
    own.stop(machine);
    own.scheduler.note(machine, "crashed", "");
    let mut stopped = vec![machine];
    if loses_power {
        stopped.extend(lose_power(shared, own, machine));
    }
    own.pause_for(down);
    for machine in stopped {
        shared.site.with(machine, |state| state.is_up = true);
        shared.spawn(own, machine, main);
    }
}

/// Loses what the disk of an updater does not have yet, and checks what it has. Returns the server that ended with it.
fn lose_power(shared: &Arc<Shared>, own: &Own, machine: Machine) -> Option<Machine> {
    let mut stopped = None;
    if machine == UPDATERS[0] {
        let was_up = |state: &mut MachineState| std::mem::replace(&mut state.is_up, false);
        stopped = shared.site.with(RELOADS, was_up).then_some(RELOADS);
        lock(&shared.running).remove(&RELOADS);
        own.stop(RELOADS);
        // It may have answered from an update that was not reported yet.
        *lock(&shared.newest) = None;
    }
    own.scheduler.with_random(|random| {
        shared.site.with(machine, |state| {
            state.disk.as_mut().expect("a disk").lose_changes(random);
        });
    });
    super::check_folder(shared, own, machine);
    stopped
}

/// After the faults, both updaters bring the last edition.
pub fn update_last(shared: &Shared, own: &Own) {
    let last = editions::EDITIONS - 1;
    super::come_out(shared, own, last);
    // What was published before may have been rolled back; then only a new edition is activated.
    for _ in 0..2 {
        let result = update(shared, own)
            .and_then(|()| publish(shared, own).map_err(|error| error.to_string()));
        own.scheduler.note(own.machine, "last update", &format!("{result:?}"));
        if result.is_ok() {
            return;
        }
        own.pause_for(30 * SECOND);
    }
}
