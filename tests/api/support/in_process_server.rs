//! A server in the process of the test, with two keys, without data or with the sample, and with the limits that a
//! test sets. Its store does not exist, so endpoints that need the store fail.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use daicho::account::store::{StoreLocation, StorePool};
use daicho::account::{
    Account, AccountId, AccountName, ApiKey, KeyEntry, KeyId, KeyKind, Keyring, LiveKeys, Meters,
    Plan, Quota,
};
use daicho::api::data::Data;
use daicho::api::executor::cost_budget::CostLimits;
use daicho::api::executor::{ApiStore, Slots};
use daicho::api::metrics::{Counters, MetricsAccess, MetricsPage};
use daicho::api::pipeline::router::labels;
use daicho::api::{Api, RadarSettings};
use daicho::dataset::Catalog;
use daicho::query::syntax::Grouping;
use daicho::server::accept::{ServerConfig, serve};
use daicho::server::connection_service::Telemetry;
use daicho::server::keyless_budget::KeylessBudget;
use daicho::server::limits::Timeouts;
use daicho::server::metrics::Metrics;
use daicho::snapshot::LiveValue;
use jiff::Timestamp;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::client::ask;
use super::sample::sample;

/// A server that stops when it is dropped.
pub struct InProcessServer {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// Its metrics.
    pub metrics: Arc<Metrics>,
    /// A secret key.
    pub key: String,
    /// A secret key of another account.
    pub other: String,
    api: Arc<Api>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl InProcessServer {
    /// Starts a server without data.
    pub fn start(config: ServerConfig) -> InProcessServer {
        InProcessServer::start_with(config, Data::default(), CostLimits::default())
    }

    /// Starts a server with the sample and these time limits.
    pub fn with_sample(timeouts: Timeouts) -> InProcessServer {
        InProcessServer::with_cost_limits(timeouts, CostLimits::default())
    }

    /// Starts a server with the sample, these time limits, and these limits on the rows that a search may read.
    pub fn with_cost_limits(timeouts: Timeouts, limits: CostLimits) -> InProcessServer {
        let catalog = Catalog::scan(sample(), None).expect("the sample");
        let config = ServerConfig { timeouts, ..ServerConfig::default() };
        InProcessServer::start_with(config, Data::new(catalog, None), limits)
    }

    fn start_with(config: ServerConfig, data: Data, limits: CostLimits) -> InProcessServer {
        let key = ApiKey::generate(KeyKind::Secret, [7; 20]);
        let other = ApiKey::generate(KeyKind::Secret, [8; 20]);
        let metrics = Arc::new(Metrics::over(labels()));
        let absent = StoreLocation::File("/absent/daicho.db".into());
        let slots = Slots::new(limits);
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(slots.lanes())));
        let api = Arc::new(Api {
            data: LiveValue::new(data),
            keys: Arc::new(LiveKeys::new(Keyring::new([entry(&key, 1), entry(&other, 2)]))),
            slots,
            radar: RadarSettings { snapshots: sample().to_owned(), watched_max: 10 },
            store: ApiStore::new(Arc::new(StorePool::of(absent))),
            grouping: Grouping::default(),
            keyless: None,
            counters: Arc::new(Counters::default()),
            metrics: registry,
            metrics_access: MetricsAccess::default(),
            metrics_page: MetricsPage::new(Duration::ZERO),
            is_draining: AtomicBool::new(false),
            is_behind: AtomicBool::new(false),
            old_version_opened: daicho::worker::LateWaker::default(),
        });
        let shared = Arc::clone(&api);
        let telemetry = Telemetry {
            metrics: Arc::clone(&metrics),
            log: None,
            keyless: KeylessBudget::new(None),
        };
        let (stop, stopped) = oneshot::channel();
        let (address_sender, address_receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                address_sender.send(listener.local_addr().expect("an address")).expect("received");
                let stop = async { drop(stopped.await) };
                let drain = std::future::pending();
                serve(vec![listener.into()], config, api, telemetry, drain, stop).await;
            });
        });
        let address = address_receiver.recv().expect("started");
        let (key, other) = (key.reveal().to_owned(), other.reveal().to_owned());
        let (stop, thread) = (Some(stop), Some(thread));
        InProcessServer { address, metrics, key, other, api: shared, stop, thread }
    }

    /// The number of batches whose body has arrived and whose answer is not completely written.
    pub fn batches(&self) -> usize {
        let metrics = ask(self.address, "GET /metrics").text();
        let running = metrics.lines().find_map(|line| line.strip_prefix("daicho_batches_running "));
        running.expect("the gauge").parse().expect("a number")
    }

    /// Whether no work runs or waits in a lane.
    pub fn lanes_are_empty(&self) -> bool {
        self.api.slots.lanes().all().iter().all(|lane| lane.waiting() + lane.running() == 0)
    }

    /// Starts a server without data whose time limits are all half a second.
    pub fn with_short_timeouts() -> InProcessServer {
        InProcessServer::start(ServerConfig {
            timeouts: short_timeouts(),
            ..ServerConfig::default()
        })
    }

    /// Tells the server to stop; does not wait.
    pub fn begin_stop(&mut self) {
        self.stop.take();
    }

    /// Stops the server and waits until it has stopped.
    pub fn stopped(mut self) {
        self.begin_stop();
        self.thread.take().expect("not yet joined").join().expect("no panic");
    }
}

impl Drop for InProcessServer {
    fn drop(&mut self) {
        self.begin_stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Time limits of half a second each.
pub fn short_timeouts() -> Timeouts {
    let short = Duration::from_millis(500);
    Timeouts {
        proxy_header: short,
        head: short,
        body: short,
        work: short,
        idle: short,
        write: short,
        stop: short,
    }
}

fn entry(key: &ApiKey, number: i64) -> KeyEntry {
    let account = Account {
        id: AccountId(number),
        name: AccountName::parse(&format!("local-{number}")).expect("a name"),
        plan: Plan::Premium,
        batch: true,
        api_version: None,
    };
    KeyEntry {
        id: KeyId(number),
        hash: key.hash(),
        kind: key.kind(),
        account: Arc::new(account),
        origins: Box::default(),
        quota: Quota::default(),
        meter: Meters::new(Timestamp::now()).of(AccountId(number)),
        expires_at: None,
    }
}
