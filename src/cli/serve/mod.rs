//! `daicho serve`: the server, from its options to its shutdown.
//!
//! Standard output gets one line for each address when the server is ready; the log goes to standard error. The
//! snapshot folder may be empty or missing: the server starts, reports that at `/readyz`, and loads data when
//! they appear.

mod arguments;
mod background;
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
mod keys;
mod listeners;
pub mod log;
mod metrics;
mod open;
mod radar;
#[cfg(feature = "object-store")]
mod release_poller;
mod reload;
mod root_service;
mod stop;
pub mod units;
mod update;
mod warm;

use std::{io::Write, sync::Arc};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

pub use self::arguments::ServeArgs;
use self::open::{ServerParts, open};
use self::root_service::RootService;
use self::stop::{Signals, drain_started, until_stopped};
use self::{arguments::ServeConfig, background::Background, connections::connections_max};
use self::{listeners::Listeners, log::Log};
use crate::account::UsageWriter;
use crate::cli::error::CommandError;
use crate::dashboard::sample_metrics;
use crate::server::accept::{self, ServerConfig};
use crate::server::hyper_service::Telemetry;
use crate::snapshot::unfinished;

/// `stdout` must not block on its reader: see [`BackgroundStdout`](self::log::BackgroundStdout).
pub fn run(args: &ServeArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    // Must come first: it may restart the program.
    let hide_error = args.dashboard.hide_password()?;
    let mut config = ServeConfig::check(args)?;
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
        ..ServerConfig::default()
    };
    let served = runtime.block_on(serve(&mut config, server_config, &parts, &log, stdout));
    drop((runtime, usage, refresher));
    served
}

/// Starts the runtime of the connections, with a thread per core. Connections move between its threads, so that one
/// core does not wait while another has work. Long work does not run on these threads: see `blocking.rs` in the server
/// and `lanes.rs` in the API.
fn start_runtime() -> std::io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(cores)
        .thread_name("connections")
        .enable_all()
        .build()
}

/// Listens, announces the addresses, and serves until a signal to stop.
async fn serve(
    config: &mut ServeConfig,
    server_config: ServerConfig,
    parts: &ServerParts,
    log: &Log,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let cannot_start = CommandError::cannot_start;
    let signals = Signals::open().map_err(cannot_start)?;
    let listeners = Listeners::open(config, parts.dashboard.is_some())?;
    listeners.announce(parts.password_file.as_deref(), stdout);
    let first_address = listeners.first_address().map_err(cannot_start)?;
    let background = Background::start(config, parts, first_address).map_err(cannot_start)?;
    if let Some(dashboard) = &parts.dashboard {
        tokio::spawn(sample_metrics(Arc::clone(dashboard)));
    }
    let (api, is_dashboard_on) = (Arc::clone(&parts.api), Arc::clone(&parts.is_dashboard_on));
    let dashboard = parts.dashboard.clone();
    let service = RootService::new(api, dashboard, is_dashboard_on, listeners.services);
    let telemetry = Telemetry { metrics: Arc::clone(&parts.metrics), log: config.log.access(log) };
    let (drain_start, receiver) = oneshot::channel();
    let drain = drain_started(receiver);
    let stop = until_stopped(signals, config.drain, drain_start, parts, &background.reloader);
    accept::serve(listeners.sockets, server_config, Arc::new(service), telemetry, drain, stop)
        .await;
    if background.updater.is_some() {
        // A running update ends with the process.
        unfinished::remove_all();
    }
    tracing::info!("stopped");
    Ok(())
}
