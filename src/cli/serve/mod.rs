//! `daicho serve`: the server, from its options to its shutdown.
//!
//! Standard output gets one line for each address when the server is ready; the log goes to standard error. The
//! snapshot folder may be empty or missing: the server starts, reports that at `/readyz`, and loads data when they
//! appear.
//!
//! `--drain` is the time between SIGTERM and the stop, in which `/readyz` returns 503 and every request is still
//! served, so that a load balancer can send its requests elsewhere. Clients are asked to close their connections (see
//! `Phase` in the server).
//!
//! SIGUSR2 hands the listening sockets over to the program that is installed now: see `handover`.

mod activation;
mod arguments;
mod background;
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
mod handover;
#[cfg(feature = "object-store")]
mod heartbeat;
mod lifecycle;
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

use std::sync::atomic::Ordering::Relaxed;
use std::{io::Write, sync::Arc};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use self::activation::Handed;
pub use self::arguments::ServeArgs;
use self::arguments::ServeConfig;
use self::background::Background;
pub use self::connections::FileLimit;
use self::connections::connections_max;
pub use self::dashboard::PASSWORD_VARIABLE;
use self::handover::Incoming;
use self::lifecycle::{Lifecycle, StartBackground, drain_started};
use self::log::Log;
use self::notify::Notifier;
use self::open::{ServerParts, open};
use self::root_service::{Listeners, RootParts, RootService};
use crate::account::UsageWriter;
use crate::cli::error::CommandError;
use crate::dashboard::sample_metrics;
use crate::language::{self, Language};
use crate::server::accept::{self, ServerConfig};
use crate::server::connection_service::Telemetry;
use crate::server::keyless_budget::KeylessBudget;
use crate::signals::Signals;
use crate::snapshot::unfinished;

/// `stdout` must not block on its reader: see [`BackgroundStdout`](self::log::BackgroundStdout).
pub fn run(
    args: &ServeArgs,
    language: Language,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    // Must come first: it may restart the program.
    let hide_error = args.dashboard.hide_password()?;
    let (incoming, handed) = match Incoming::take()? {
        Some((incoming, handed)) => (Some(incoming), handed),
        None => (None, Handed::take()?),
    };
    let mut config = ServeConfig::check(args, handed)?;
    let log = config.log.start().map_err(cannot_start)?;
    if let Some(error) = hide_error {
        tracing::warn!(%error, "cannot remove the operator's password from the environment of the process; \
                                use --admin-password-file instead");
    }
    let connections_max = connections_max()?;
    let (parts, key_source) = open(args, &config, &log)?;
    if let Some(incoming) = &incoming {
        incoming.check_data(&parts.api.data.load())?;
    }
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
    let served = runtime.block_on(serve(&mut config, start, &parts, &log, stdout, incoming));
    drop((runtime, usage, refresher));
    served
}

/// Whether a server could start with these options. Opens neither a store nor a socket, and writes nothing. The releases
/// of an object store are not looked at.
pub fn check(args: &ServeArgs) -> Result<(), CommandError> {
    if args.follows_releases() {
        return Ok(());
    }
    ServeConfig::check(args, Handed::default()).map(drop)
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

/// Listens, announces the addresses, and serves until a signal to stop. With `incoming`, takes over from the server before
/// this one.
async fn serve(
    config: &mut ServeConfig,
    start: Start,
    parts: &ServerParts,
    log: &Log,
    stdout: &mut dyn Write,
    mut incoming: Option<Incoming>,
) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    let signals = Signals::to_end_or_reload().map_err(cannot_start)?;
    let language = start.language;
    let has_dashboard = parts.dashboard.is_some();
    let listeners = Listeners::open(config, has_dashboard, language, incoming.as_mut())?;
    let released = match incoming {
        Some(incoming) => Some(lifecycle::take_over(incoming, &listeners.outgoing).await?),
        None => None,
    };
    let has_operator = parts.is_dashboard_on.load(Relaxed);
    listeners.announce(has_operator, parts.password_file.as_deref(), stdout);
    // So that the first error in Japanese need not read the table; after the start, which does not need it.
    tokio::task::spawn_blocking(language::load);
    let first_address = listeners.first_tcp_address();
    let notifier = Notifier::start().map_err(cannot_start)?;
    let manager = &notifier.manager;
    tokio::spawn(manager.clone().keep_alive());
    if let Some(dashboard) = &parts.dashboard {
        tokio::spawn(sample_metrics(Arc::clone(dashboard)));
    }
    let service = RootService::new(RootParts {
        api: Arc::clone(&parts.api),
        dashboard: parts.dashboard.clone(),
        is_dashboard_on: Arc::clone(&parts.is_dashboard_on),
        compat: config.compat.enabled,
        listeners: listeners.services,
        site: Arc::clone(&config.site),
    });
    let telemetry = Telemetry {
        metrics: Arc::clone(&parts.metrics),
        log: config.log.access(log),
        keyless: KeylessBudget::new(config.keyless_per_second),
    };
    let drain = config.drain;
    let (drain_start, receiver) = oneshot::channel();
    let mut start_background: StartBackground<'_> =
        Box::new(|| Background::start(config, parts, first_address, manager));
    let mut background = None;
    if released.is_none() {
        background = Some(start_background().map_err(cannot_start)?);
    }
    let mut fault = None;
    let lifecycle = Lifecycle {
        signals,
        drain,
        drain_start: Some(drain_start),
        parts,
        manager,
        background: &mut background,
        start: start_background,
        released,
        outgoing: Some(listeners.outgoing),
        fault: &mut fault,
    };
    manager.ready(&parts.api.data.load());
    let (server, service) = (start.server, Arc::new(service));
    let (drain, stop) = (drain_started(receiver), lifecycle.until_stopped());
    accept::serve(listeners.sockets, server, service, telemetry, drain, stop).await;
    if background.is_some_and(|background| background.updater.is_some()) {
        // A running update ends with the process.
        unfinished::remove_all();
    }
    tracing::info!("stopped");
    fault.map_or(Ok(()), Err)
}
