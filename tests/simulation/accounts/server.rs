//! A server without sockets: its keys, its counts and its radar, over the database of all servers.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::SERVERS_MAX;
use super::receiver::SimulatedTransport;
use super::{Running, Shared, ground, operator};
use crate::account::store::{IfMissing, Store, StorePool, StoreResult};
use crate::account::{KeyCache, KeySource, LiveKeys, Meters, UsageWriter};
use crate::channel::channel;
use crate::clock;
use crate::radar::courier::{Courier, CourierConfig};
use crate::radar::matcher::{ListChecker, Matcher};
use crate::radar::queue::StoreQueue;
use crate::random;
use crate::simulation::scheduler::{Machine, Own, SECOND, Time, lock};

/// How long after its start a server is not expected to know everything yet.
const START_TIME: Time = 10 * SECOND;

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let machine = own.machine;
    shared.site.trouble(machine, own.scheduler.now(), START_TIME);
    let pool = Arc::new(StorePool::of(shared.location()));
    let cache = KeyCache::new(folder(shared, machine).join("keys"), shared.location().to_string());
    let (keys, store) = open_keys(shared, own, &pool, &cache);
    let keys = Arc::new(keys);
    let source =
        KeySource { location: shared.location(), store, cache: Some(cache), on_first_read: None };
    let _refresher = Arc::clone(&keys).spawn_refresher(source).expect("a task");
    let _usage = UsageWriter::start(Arc::clone(&keys), Arc::clone(&pool)).expect("a task");
    let server_name = format!("server-{machine}-{:016x}", random::u64().expect("random"));
    let courier = Courier::start(CourierConfig {
        queue: StoreQueue { store: Arc::clone(&pool), server_name: server_name.clone() },
        transport: SimulatedTransport { shared: Arc::clone(shared) },
        public_url: "https://daicho.example".parse().expect("a URL"),
        counters: Arc::default(),
        cipher: ground::cipher(&shared.state),
    });
    let courier = courier.expect("a task");
    let (latest, common) = (Arc::clone(shared), Arc::clone(shared));
    let checker = ListChecker {
        snapshots: folder(shared, machine).join("snapshots"),
        latest: move |register| latest.day_of(register, machine),
        common_version: Box::new(move |register, own| {
            common.common_day(register).map(|day| day.min(own))
        }),
        store: pool,
        server_name,
        checked: HashMap::new(),
    };
    let _matcher = Matcher::start(checker, courier.waker()).expect("a task");
    let started = own.scheduler.now();
    lock(&shared.running).insert(machine, Running { keys, started, admitted: Vec::new() });
    let (_stays, waits) = channel::<()>();
    let _ = waits.recv_timeout(std::time::Duration::MAX);
}

fn folder(shared: &Shared, machine: Machine) -> PathBuf {
    shared.site.with(machine, |state| state.disk.as_ref().expect("a disk").root().to_owned())
}

/// The keys of the store, or of the key cache while the store is unreachable, as a server opens them.
fn open_keys(
    shared: &Shared,
    own: &Own,
    pool: &StorePool,
    cache: &KeyCache,
) -> (LiveKeys, Option<Store>) {
    loop {
        let opened: StoreResult<_> =
            Store::open(&shared.location(), IfMissing::Refuse).and_then(|mut store| {
                let keys = LiveKeys::load(&mut store, Arc::clone(&pool.health))?;
                Ok((keys, Some(store)))
            });
        if let Ok(opened) = opened {
            return opened;
        }
        let meters = Arc::new(Meters::new(clock::now()));
        if let Ok(cached) = cache.read(&meters) {
            let keys = LiveKeys::cached(cached.keyring, meters, Arc::clone(&pool.health));
            return (keys, None);
        }
        own.pause_for(2 * SECOND);
    }
}

/// Kills a machine and starts it again.
pub fn crash(shared: &Arc<Shared>, own: &Own, machine: Machine, down: Time) {
    if !shared.site.with(machine, |state| std::mem::replace(&mut state.is_up, false)) {
        return;
    }
    stop(shared, own, machine);
    own.scheduler.note(machine, "crashed", "");
    shared.site.trouble(machine, own.scheduler.now(), down + START_TIME);
    own.pause_for(down);
    shared.site.with(machine, |state| state.is_up = true);
    shared.spawn(own, machine, if machine <= SERVERS_MAX { main } else { operator::main });
}

/// Ends the tasks of a machine.
pub fn stop(shared: &Shared, own: &Own, machine: Machine) {
    lock(&shared.running).remove(&machine);
    own.stop(machine);
}
