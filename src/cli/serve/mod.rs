//! `daicho serve`: the server, from its options to its shutdown.
//!
//! Standard output gets one line for each address when the server is ready; the log goes to standard error. The
//! snapshot folder may be empty or missing: the server starts, reports that at `/readyz`, and loads data when
//! they appear.

mod addresses;
mod age;
mod arguments;
mod background;
mod begin;
mod connections;
mod dashboard;
#[cfg(feature = "object-store")]
mod follow;
#[cfg(feature = "object-store")]
mod follow_metrics;
#[cfg(feature = "object-store")]
mod follower;
mod fresh_start;
#[cfg(feature = "object-store")]
mod heartbeat;
mod listeners;
pub mod log;
#[cfg(feature = "object-store")]
mod looks;
mod metrics;
mod mount;
mod open;
mod proxy;
mod radar;
mod reload;
mod size;
mod state;
mod stop;
pub mod time;
mod update;
mod update_metrics;
mod warm;

use std::io::Write;
use std::sync::Arc;

use tokio::sync::oneshot;

pub use self::arguments::ServeArgs;
use self::arguments::ServeConfig;
use self::background::Background;
use self::connections::connections_max;
use self::listeners::Listeners;
use self::log::Log;
use self::mount::Mounted;
use self::open::open;
use self::state::State;
use self::stop::{Signals, drain_of, until_stopped};
use crate::account::UsageWriter;
use crate::cli::error::CommandError;
use crate::dashboard as pages;
use crate::server::accept::{self, ServerConfig};
use crate::server::exchange::Journal;
use crate::server::workers::Workers;
use crate::snapshot::unfinished;

/// `stdout` must not block on its reader: see [`Announced`](self::log::Announced).
pub fn run(args: &ServeArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let refused = CommandError::cannot_start;
    // Must come first: it may restart the program.
    let failed = args.dashboard.hide_password()?;
    let mut config = ServeConfig::check(args)?;
    let log = config.log.start().map_err(refused)?;
    if let Some(error) = failed {
        tracing::warn!(%error, "cannot remove the operator's password from the environment of the process; \
                                use --admin-password-file instead");
    }
    let connections_max = connections_max()?;
    let (state, source) = open(args, &config, &log)?;
    let keys = &state.api.keys;
    let refresher = Arc::clone(keys).spawn_refresher(source).map_err(refused)?;
    let usage = UsageWriter::start(Arc::clone(keys), Arc::clone(&state.pool)).map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(refused)?;
    let server = ServerConfig {
        connections_max,
        per_address_max: config.per_address_max,
        proxies: config.proxies.clone(),
        ..ServerConfig::default()
    };
    let served = runtime.block_on(serve(&mut config, server, state, (&log, stdout)));
    drop((runtime, usage, refresher));
    served
}

/// Listens, announces the addresses, and serves until a signal to stop.
async fn serve(
    config: &mut ServeConfig,
    server: ServerConfig,
    state: State,
    (log, stdout): (&Log, &mut dyn Write),
) -> Result<(), CommandError> {
    let refused = CommandError::cannot_start;
    let signals = Signals::open().map_err(refused)?;
    let listeners = Listeners::open(config, state.dashboard.is_some())?;
    listeners.announce(state.password_file.as_deref(), stdout);
    let first = listeners.first().map_err(refused)?;
    let background = Background::start(config, &state, first).map_err(refused)?;
    if let Some(dashboard) = &state.dashboard {
        tokio::spawn(pages::sample(Arc::clone(dashboard)));
    }
    let service = Arc::new(Mounted::over(&state, listeners.doors));
    let workers = Workers::start().map_err(refused)?;
    let journal = Journal { metrics: Arc::clone(&state.metrics), log: config.log.access(log) };
    let (begin, begun) = oneshot::channel();
    let stop = until_stopped(signals, (config.drain, begin), &state, &background.reloader);
    let drain = drain_of(begun);
    accept::serve(listeners.sockets, workers, server, service, journal, drain, stop).await;
    if background.updates() {
        // A running update ends with the process.
        unfinished::remove_all();
    }
    tracing::info!("stopped");
    Ok(())
}
