//! `daicho serve`: the server, from its options to its shutdown.
//!
//! Standard output gets one line for each address when the server is ready; the log goes to standard error. The
//! snapshot folder may be empty or missing: the server starts, reports that at `/readyz`, and loads data when they
//! appear.
//!
//! `--drain` is the time between SIGTERM and the stop, in which `/readyz` returns 503 and every request is still
//! served, so that a load balancer can send its requests elsewhere. Clients are asked to close their connections (see
//! `Phase` in the server).

mod activation;
mod arguments;
mod compat;
mod connections;
mod dashboard;
mod data;
#[cfg(feature = "object-store")]
mod follow;
#[cfg(feature = "object-store")]
mod follow_metrics;
#[cfg(feature = "object-store")]
mod follower;
#[cfg(feature = "object-store")]
mod heartbeat;
pub mod log;
mod notify;
mod open;
mod own_paths;
mod reload;
mod root_service;
/// The servers of a simulation are made of private parts.
#[cfg(all(test, unix, feature = "object-store"))]
#[path = "../../../tests/simulation/server.rs"]
pub mod simulated_server;
mod systemd;
mod tls;
pub mod units;
mod update;
mod update_process;

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use std::{io::Write, sync::Arc};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use self::activation::HandedSockets;
pub use self::arguments::ServeArgs;
use self::arguments::ServeConfig;
pub use self::connections::FileLimit;
use self::connections::connections_max;
pub use self::dashboard::PASSWORD_VARIABLE;
use self::log::Log;
use self::notify::{Notifier, ServiceManager};
use self::open::{ServerParts, open};
use self::root_service::{Listeners, RootParts, RootService};
use crate::account::UsageWriter;
use crate::cli::error::CommandError;
use crate::dashboard::{Dashboard, sample_metrics};
use crate::language::{self, Language};
use crate::radar::{CommonVersion, Radar, RadarConfig};
use crate::server::accept::{self, ServerConfig};
use crate::server::hyper_service::Telemetry;
use crate::server::keyless_budget::KeylessBudget;
use crate::signals::{Signal, Signals};
use crate::snapshot::unfinished;
#[cfg(feature = "object-store")]
use follow::version_on_all_servers;
#[cfg(feature = "object-store")]
use follower::Follower;
use reload::Reloader;
use tls::Renewal;
use update::Updater;

/// `stdout` must not block on its reader: see [`BackgroundStdout`](self::log::BackgroundStdout).
pub fn run(
    args: &ServeArgs,
    language: Language,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    // Must come first: it may restart the program.
    let hide_error = args.dashboard.hide_password()?;
    let mut config = ServeConfig::check(args, HandedSockets::take()?)?;
    let log = config.log.start().map_err(cannot_start)?;
    if let Some(error) = hide_error {
        tracing::warn!(%error, "cannot remove the operator's password from the environment of the process; \
                                use --admin-password-file instead");
    }
    let connections_max = connections_max()?;
    let (parts, key_source) = open(args, &config, &log)?;
    let keys = &parts.api.keys;
    let refresher = Arc::clone(keys).spawn_refresher(key_source).map_err(cannot_start)?;
    let usage =
        UsageWriter::start(Arc::clone(keys), Arc::clone(&parts.pool)).map_err(cannot_start)?;
    let runtime = start_runtime().map_err(cannot_start)?;
    let server_config = ServerConfig {
        connections_max,
        per_address_max: config.per_address_max,
        proxies: config.proxies.clone(),
        certificate: config.certificate.clone(),
        ..ServerConfig::default()
    };
    let start = Start { server: server_config, language };
    let served = runtime.block_on(serve(&mut config, start, &parts, &log, stdout));
    drop((runtime, usage, refresher));
    served
}

/// Whether a server could start with these options. Opens neither a store nor a socket, and writes nothing. The releases
/// of an object store are not looked at.
pub fn check(args: &ServeArgs) -> Result<(), CommandError> {
    if args.follows_releases() {
        return Ok(());
    }
    ServeConfig::check(args, HandedSockets::default()).map(drop)
}

/// Starts the runtime of the connections, with a thread per core. Connections move between its threads, so that one
/// core does not wait while another has work. Long work does not run on these threads: see `blocking` in the server
/// and `lanes.rs` in the API.
fn start_runtime() -> std::io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores)
        .thread_name("connections")
        .enable_all()
        .build()
}

/// What a start needs beyond the settings.
struct Start {
    server: ServerConfig,
    /// Of the lines on standard output.
    language: Language,
}

/// Listens, announces the addresses, and serves until a signal to stop.
async fn serve(
    config: &mut ServeConfig,
    start: Start,
    parts: &ServerParts,
    log: &Log,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    let signals = Signals::to_end_or_reload().map_err(cannot_start)?;
    let listeners = Listeners::open(config, parts.dashboard.is_some(), start.language)?;
    let has_dashboard = parts.is_dashboard_on.load(Relaxed);
    listeners.announce(has_dashboard, parts.password_file.as_deref(), stdout);
    // So that the first error in Japanese need not read the table; after the start, which does not need it.
    tokio::task::spawn_blocking(language::load);
    let first_address = listeners.first_tcp_address();
    let notifier = Notifier::start().map_err(cannot_start)?;
    let manager = &notifier.manager;
    let background =
        Background::start(config, parts, first_address, manager).map_err(cannot_start)?;
    tokio::spawn(manager.clone().keep_alive());
    if let Some(dashboard) = &parts.dashboard {
        tokio::spawn(sample_metrics(Arc::clone(dashboard)));
    }
    let (api, is_dashboard_on) = (Arc::clone(&parts.api), Arc::clone(&parts.is_dashboard_on));
    let dashboard = parts.dashboard.clone();
    let service = RootService::new(RootParts {
        api,
        dashboard,
        is_dashboard_on,
        compat: config.compat.enabled,
        listeners: listeners.services,
        site: Arc::clone(&config.site),
    });
    let telemetry = Telemetry {
        metrics: Arc::clone(&parts.metrics),
        log: config.log.access(log),
        keyless: KeylessBudget::new(config.keyless_per_second),
    };
    let (drain_start, receiver) = oneshot::channel();
    let drain = drain_started(receiver);
    let stop = until_stopped(signals, config.drain, drain_start, parts, &background, manager);
    manager.ready(&parts.api.data.load());
    accept::serve(listeners.sockets, start.server, Arc::new(service), telemetry, drain, stop).await;
    if background.updater.is_some() {
        // A running update ends with the process.
        unfinished::remove_all();
    }
    tracing::info!("stopped");
    Ok(())
}

/// Dropped in this order.
pub struct Background {
    /// `None` if this server does not update its own data.
    pub updater: Option<Updater>,
    #[cfg(feature = "object-store")]
    _follower: Option<Follower>,
    pub reloader: Reloader,
    /// `None` without a certificate.
    pub renewal: Option<Renewal>,
    _radar: Radar,
}

impl Background {
    /// Starts the threads. Takes `follow` out of the settings.
    pub fn start(
        config: &mut ServeConfig,
        parts: &ServerParts,
        first_address: Option<SocketAddr>,
        manager: &ServiceManager,
    ) -> io::Result<Background> {
        #[cfg(feature = "object-store")]
        let follow = config.follow.take();
        #[cfg(feature = "object-store")]
        let common_version: CommonVersion = match &follow {
            Some(follow) => Box::new(version_on_all_servers(follow.url.clone())),
            None => Box::new(|_register, version| Some(version)),
        };
        #[cfg(not(feature = "object-store"))]
        let common_version: CommonVersion = Box::new(|_register, version| Some(version));
        let radar = start_radar(config, parts, first_address, common_version)?;
        let (snapshots, settings) = (config.snapshots.clone(), config.data.clone());
        let api = Arc::clone(&parts.api);
        let (wake_radar, manager, scanned) = (radar.waker(), manager.clone(), Arc::clone(&api));
        let on_scan = move |is_reload| {
            wake_radar();
            manager.scanned(&scanned.data.load(), is_reload);
        };
        let reloader = Reloader::start(snapshots, settings, api, on_scan)?;
        #[cfg(feature = "object-store")]
        let follower = follow.map(|follow| {
            let reload = reloader.scan_requester();
            Follower::start(follow, config.data.clone(), parts, first_address, reload)
        });
        Ok(Background {
            #[cfg(feature = "object-store")]
            _follower: follower.transpose()?,
            updater: config.update.clone().map(Updater::start).transpose()?,
            reloader,
            renewal: config.certificate.clone().map(Renewal::start).transpose()?,
            _radar: radar,
        })
    }
}

fn start_radar(
    config: &ServeConfig,
    parts: &ServerParts,
    first_address: Option<SocketAddr>,
    common_version: CommonVersion,
) -> io::Result<Radar> {
    let radar = RadarConfig {
        snapshots: config.snapshots.clone(),
        store: Arc::clone(&parts.pool),
        public_url: config.public_url(first_address),
        allowed_addresses: config.radar.allowed_addresses,
        counters: Arc::clone(&parts.deliveries),
        cipher: config.radar.cipher.clone(),
        common_version,
    };
    let api = Arc::clone(&parts.api);
    Radar::start(radar, move |register| Some(api.data.load().catalog.first_and_latest(register)?.1))
}

/// What a signal or the dashboard makes a running server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Reload,
    /// Stop after the drain; if it is running already, at once.
    Stop,
    /// Stop at once.
    StopNow,
}

impl From<Signal> for Action {
    fn from(signal: Signal) -> Action {
        match signal {
            Signal::Terminate => Action::Stop,
            Signal::Interrupt => Action::StopNow,
            Signal::HangUp => Action::Reload,
        }
    }
}

/// Waits until the server has to stop. Meanwhile reloads on SIGHUP and when the dashboard asks for it, and starts
/// the drain on the first SIGTERM: `drain_start` then gets its length.
pub async fn until_stopped(
    mut signals: Signals,
    drain: Duration,
    drain_start: oneshot::Sender<Duration>,
    parts: &ServerParts,
    background: &Background,
    manager: &ServiceManager,
) {
    let mut drain_start = Some(drain_start).filter(|_| !drain.is_zero());
    let mut drain_deadline = None;
    loop {
        let action = tokio::select! {
            signal = signals.next() => signal.into(),
            () = reload_requested(parts.dashboard.as_deref()) => Action::Reload,
            () = sleep_until(drain_deadline.unwrap_or_else(Instant::now)),
                if drain_deadline.is_some() => Action::StopNow,
        };
        match action {
            Action::Reload => {
                manager.reloading();
                background.reloader.request_scan();
                if let Some(renewal) = &background.renewal {
                    renewal.request();
                }
            }
            Action::StopNow => break,
            Action::Stop => {
                let Some(drain_start) = drain_start.take() else { break };
                parts.api.is_draining.store(true, Relaxed);
                drain_deadline = Some(Instant::now() + drain);
                // Fails only if the server has ended already.
                let _ = drain_start.send(drain);
                manager.stopping(&format!("Draining for {drain:?}"));
                tracing::info!("draining for {drain:?}: /readyz returns 503");
            }
        }
    }
    manager.stopping("Finishing the requests in progress");
    tracing::info!("stopping: finishing requests in flight, rejecting new connections");
}

/// Waits for the start of the drain and returns its length; never returns if there is none.
pub async fn drain_started(start: oneshot::Receiver<Duration>) -> Duration {
    match start.await {
        Ok(time) => time,
        Err(_never_started) => std::future::pending().await,
    }
}

/// Waits until a reload is requested on the dashboard.
async fn reload_requested(dashboard: Option<&Dashboard>) {
    match dashboard {
        Some(dashboard) => dashboard.reload.notified().await,
        None => std::future::pending().await,
    }
}
