//! The API of one server: its data, keys, limits and settings. A test or an agent's process may have one of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use prometheus_client::registry::Registry;

use super::counters::Counters;
use super::data::Data;
use super::executor::slots::Slots;
use super::executor::store::ApiStore;
use super::pipeline::metrics_access::MetricsAccess;
use crate::account::store::{StoreLocation, StorePool};
use crate::account::{Keyring, LiveKeys};
use crate::query::syntax::Grouping;
use crate::snapshot::LiveValue;

#[derive(Debug)]
pub struct Api {
    pub data: LiveValue<Data>,
    pub keys: Arc<LiveKeys>,
    pub slots: Slots,
    pub store: ApiStore,
    pub radar: RadarSettings,
    /// What parentheses mean in a corporate query.
    pub grouping: Grouping,
    pub counters: Arc<Counters>,
    pub metrics: Registry,
    pub metrics_access: MetricsAccess,
    /// Whether the server is about to stop and should get no more requests.
    pub is_draining: AtomicBool,
    /// Whether the server started with a release older than the active one, and is still fetching that.
    pub is_behind: AtomicBool,
}

#[derive(Debug)]
pub struct RadarSettings {
    /// The snapshot folder, which also has the change lists.
    pub snapshots: PathBuf,
    pub watched_max: u64,
}

impl Api {
    /// An API of a process that serves nobody else: without an account store, a radar and metrics.
    pub fn local(data: Data, keyring: Keyring, slots: Slots, snapshots: PathBuf) -> Api {
        let nowhere = StoreLocation::File(PathBuf::new());
        Api {
            data: LiveValue::new(data),
            keys: Arc::new(LiveKeys::new(keyring)),
            slots,
            store: ApiStore::new(Arc::new(StorePool::of(nowhere))),
            radar: RadarSettings { snapshots, watched_max: 0 },
            grouping: Grouping::default(),
            counters: Arc::new(Counters::default()),
            metrics: Registry::default(),
            metrics_access: MetricsAccess::default(),
            is_draining: AtomicBool::new(false),
            is_behind: AtomicBool::new(false),
        }
    }
}
