//! What a server works on: the result of `open.rs`, shared by its listeners and its background threads.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::account::store::StorePool;
use crate::api::service::Api;
use crate::dashboard::Dashboard;
use crate::radar::counters::DeliveryCounters;
use crate::server::metrics::Metrics;

pub struct ServerParts {
    pub api: Arc<Api>,
    /// `None` if it is off.
    pub dashboard: Option<Arc<Dashboard>>,
    /// Whether an operator exists who may sign in.
    pub is_dashboard_on: Arc<AtomicBool>,
    /// The file with the operator's password, if it was generated now.
    pub password_file: Option<PathBuf>,
    pub metrics: Arc<Metrics>,
    pub deliveries: Arc<DeliveryCounters>,
    pub pool: Arc<StorePool>,
}
