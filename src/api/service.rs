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
use crate::account::LiveKeys;
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
