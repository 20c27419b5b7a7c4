//! A server that follows releases: starts, crashes, and what must be on its disk afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::plan::{LABEL, Part};
use super::truth::{NO_EARLY_ANSWER, NOT_FORGED, NOTHING_LOST, WHOLE};
use super::{Running, SERVERS_MAX, Shared, editions, publisher, signing};
use crate::api::Api;
use crate::channel::channel;
use crate::cli::serve::simulated_server::{Server, ServerOptions};
use crate::release::{Label, Sha256};
use crate::simulation::scheduler::{MILLISECOND, Machine, Own, SECOND, Time, lock};
use crate::simulation::store;
use crate::text::codes::DataVersion;

/// How long a server may take from its start until it serves what it should.
const START_TIME: Time = 25 * SECOND;

/// How old the state may be by which a server in trouble switches.
const STATE_AGE_MAX: Time = 30 * SECOND;

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let machine = own.machine;
    let has_label = shared.plan.parts.iter().any(
        |part| matches!(part, Part::Server { machine: it, has_label: true, .. } if *it == machine),
    );
    let label = has_label.then(|| Label::parse(LABEL).expect("a label"));
    shared.site.trouble(machine, own.scheduler.now(), START_TIME);
    let cache = root(shared, machine);
    check_cache(shared, own, machine);
    let key = shared.plan.is_signed.then(signing::public_key_path);
    let server = loop {
        let options = ServerOptions {
            cache: &cache,
            url: store::URL,
            name: &format!("server-{machine}"),
            label: has_label.then_some(LABEL),
            release_key: key.as_deref(),
            poll: shared.plan.poll,
            reloads: shared.plan.reloads,
        };
        let (observer, label) = (Arc::clone(shared), label.clone());
        match Server::follow(&options, move |api| switched(&observer, api, label.as_ref())) {
            Ok(server) => break server,
            // A service manager starts it again.
            Err(error) => own.scheduler.note(machine, "cannot start", &error.to_string()),
        }
        own.pause_for(5 * SECOND);
    };
    // The folders that every cache has are made once; only a power failure right then could lose them.
    let keep = |state: &mut super::super::site::MachineState| {
        if let Some(disk) = state.disk.as_mut().filter(|_| server.release.active().is_none()) {
            disk.keep_all();
        }
        state.is_up = true;
    };
    shared.site.with(machine, keep);
    let running = Running { api: Arc::clone(&server.api), label };
    own.scheduler.note(machine, "serves", &format!("{:?}", running.served()));
    check_start(shared, own, &running, server.release.active());
    lock(&shared.running).insert(machine, running);
    let (_stays, waits) = channel::<()>();
    let _ = waits.recv_timeout(std::time::Duration::MAX);
}

fn root(shared: &Shared, machine: Machine) -> PathBuf {
    shared.site.with(machine, |state| state.disk.as_ref().expect("a disk").root().to_owned())
}

/// A server that has a release in its cache serves it at once.
fn check_start(
    shared: &Shared,
    own: &Own,
    running: &Running,
    active: Option<crate::release::Number>,
) {
    let Some(active) = active else { return };
    let expected = lock(&shared.truth).version(active);
    let found = running.served();
    if found != expected {
        let found = format!(
            "server {} starts with release {active}, which has {expected:?}, and serves {found:?}",
            own.machine
        );
        own.scheduler.fail(NOTHING_LOST, found);
    }
}

/// Only a stranger pushes the forged edition.
pub fn check_not_forged(own: &Own, machine: Machine, served: Option<DataVersion>) {
    if served == Some(editions::version(editions::FORGED)) {
        own.scheduler.fail(NOT_FORGED, format!("server {machine} serves a stranger's release"));
    }
}

/// Called after a server has switched to another release.
fn switched(shared: &Shared, api: &Api, label: Option<&Label>) {
    let (own, site) = crate::simulation::site::here();
    let served = super::served(api);
    own.scheduler.note(own.machine, "switches", &format!("{served:?}"));
    check_not_forged(&own, own.machine, served);
    let Some(served) = served else { return };
    let now = own.scheduler.now();
    let is_troubled = site.with(own.machine, |state| state.troubled_until > now);
    // A server whose store was away may switch by an old state.
    let since = if is_troubled { 0 } else { now.saturating_sub(STATE_AGE_MAX) };
    let clock = site.time_of_day(own.machine, now);
    if !lock(&shared.truth).may_serve(served, label, clock, since) {
        let found = format!("server {} serves {served} at {clock}", own.machine);
        own.scheduler.fail(NO_EARLY_ANSWER, found);
    }
}

/// Kills a machine and starts it again.
pub fn crash(
    shared: &Arc<Shared>,
    own: &Own,
    machine: Machine,
    (loses_changes, after_changes, down): (bool, Option<u64>, Time),
) {
    if !shared.site.with(machine, |state| std::mem::replace(&mut state.is_up, false)) {
        return;
    }
    if after_changes.is_some() {
        let with = |changes| {
            shared.site.with(machine, |state| {
                state.disk.iter_mut().for_each(|disk| disk.changes_until_crash = changes);
            });
        };
        with(after_changes);
        let deadline = own.scheduler.now() + 15 * SECOND;
        while own.scheduler.is_busy(machine) && own.scheduler.now() < deadline {
            own.pause_for(50 * MILLISECOND);
        }
        with(None);
    }
    stop(shared, own, machine);
    own.scheduler.note(machine, "crashed", "");
    shared.site.trouble(machine, own.scheduler.now(), down + START_TIME);
    if loses_changes && machine <= SERVERS_MAX {
        own.scheduler.with_random(|random| {
            shared.site.with(machine, |state| {
                state.disk.as_mut().expect("a disk").lose_changes(random);
            });
        });
    }
    own.pause_for(down);
    shared.spawn(own, machine, if machine <= SERVERS_MAX { main } else { publisher::main });
    if machine > SERVERS_MAX {
        shared.site.with(machine, |state| state.is_up = true);
    }
}

/// Ends the tasks of a machine.
pub fn stop(shared: &Shared, own: &Own, machine: Machine) {
    lock(&shared.running).remove(&machine);
    own.stop(machine);
}

/// Every file that has its final name is complete, and the served folder is there.
pub fn check_cache(shared: &Shared, own: &Own, machine: Machine) {
    if let Err(found) = checked_files(&root(shared, machine)) {
        own.scheduler.fail(WHOLE, format!("in the cache of server {machine}: {found}"));
    }
}

fn checked_files(cache: &Path) -> Result<(), String> {
    let Ok(files) = fs::read_dir(cache.join("files")) else { return Ok(()) };
    for file in files {
        let path = file.map_err(|error| error.to_string())?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(expected) = Sha256::parse(name) else { continue };
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        if Sha256::of(&bytes) != expected {
            return Err(format!("files/{name} has {} bytes of other content", bytes.len()));
        }
    }
    if let Ok(served) = fs::read_link(cache.join("current"))
        && !cache.join(&served).is_dir()
    {
        return Err(format!("the link to the served folder leads to {}", served.display()));
    }
    Ok(())
}
