//! `daicho serve`: the server, from its options to its end.
//!
//! What was typed ([`ServeArgs`]) is checked into what is meant (`ServeConfig`) before anything is
//! opened. Standard output gets one line for each address when the server is ready; the log goes to
//! standard error. The snapshot folder may be empty or missing: the server starts, says so at
//! `/readyz`, and picks data up when it appears.

mod dashboard;
mod log;
mod reload;

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use self::dashboard::{DashboardArgs, DashboardConfig, Opened};
use self::log::{LogArgs, LogConfig};
use self::reload::Reloader;
use crate::account::store::{IfMissing, Store, StorePool};
use crate::account::{LiveKeys, Password, UsageWriter};
use crate::api::served::Served;
use crate::api::service::App;
use crate::api::slots::Slots;
use crate::api::state::State;
use crate::cli::error::CommandError;
use crate::cli::print::unwritable;
use crate::cli::store::StateArg;
use crate::dashboard as pages;
use crate::dashboard::Dashboard;
use crate::query::Catalog;
use crate::query::syntax::Grouping;
use crate::radar::{Radar, RadarArgs, RadarConfig};
use crate::server::accept;
use crate::server::accept::{Door, Listener, ServerConfig};
use crate::server::access_log::AccessLog;
use crate::server::limits::CONNECTIONS_MAX;
use crate::server::metrics::Metrics;
use crate::server::workers::Workers;
use crate::snapshot::Live;

/// File descriptors that the server needs beside one for each connection: listeners, snapshots
/// while they are opened, the store, the log.
const FILES_BESIDE_CONNECTIONS: u64 = 64;

/// Arguments of `daicho serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The snapshot folder; read again when it changes, and on SIGHUP
    #[arg(long, value_name = "DIR", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    snapshots: String,
    #[command(flatten)]
    state: StateArg,
    /// Address to listen on; may be given several times, or with commas
    #[arg(long, value_name = "ADDR", env = "DAICHO_LISTEN", value_delimiter = ',')]
    #[arg(default_value = "127.0.0.1:8080")]
    listen: Vec<String>,
    /// Let ( ) in the queries of the corporate search group what stands between them; without this
    /// they are refused
    #[arg(long, env = "DAICHO_QUERY_GROUPING", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    query_grouping: bool,
    #[command(flatten)]
    dashboard: DashboardArgs,
    #[command(flatten)]
    radar: RadarArgs,
    #[command(flatten)]
    log: LogArgs,
}

/// What to serve and where, checked.
#[derive(Debug)]
struct ServeConfig {
    snapshots: PathBuf,
    addresses: Vec<SocketAddr>,
    dashboard: DashboardConfig,
    radar: RadarConfig,
    grouping: Grouping,
    log: LogConfig,
}

impl ServeConfig {
    fn check(args: &ServeArgs) -> Result<ServeConfig, CommandError> {
        if let Some((scheme, _)) = args.snapshots.split_once("://") {
            let message = format!(
                "--snapshots names a folder; found a URL of scheme {scheme}, which this version \
                 does not support yet; name a folder"
            );
            return Err(CommandError::Usage(message));
        }
        let mut addresses = Vec::new();
        for text in &args.listen {
            addresses.extend(resolve("--listen", text)?);
        }
        addresses.dedup();
        Ok(ServeConfig {
            snapshots: args.snapshots.clone().into(),
            addresses,
            dashboard: args.dashboard.check()?,
            radar: args.radar.check()?,
            grouping: if args.query_grouping { Grouping::Allowed } else { Grouping::Refused },
            log: args.log.config(),
        })
    }
}

/// The addresses that an option names.
fn resolve(option: &str, text: &str) -> Result<Vec<SocketAddr>, CommandError> {
    let found = text.to_socket_addrs().map_err(|error| {
        CommandError::Usage(format!(
            "{option} takes an address and a port, such as 127.0.0.1:8080 or [::]:8080; found \
             {text:?} ({error})"
        ))
    })?;
    Ok(found.collect())
}

/// Runs `daicho serve` until SIGTERM or SIGINT.
pub fn run(args: &ServeArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let config = ServeConfig::check(args)?;
    config.log.start_tracing();
    let mut store = args.state.open(IfMissing::Create)?;
    let pool = Arc::new(StorePool::of(args.state.place()?));
    let api = config.addresses.first().map(|first| config.radar.public_url(*first));
    let opened = config.dashboard.open(&mut store, Arc::clone(&pool), api)?;
    let Opened { dashboard, made } = opened;
    let app = Arc::new(open(&config, &mut store, Arc::clone(&pool), dashboard)?);
    let refresher = Arc::clone(&app.keys).spawn_refresher(store).map_err(no_thread)?;
    let usage = UsageWriter::start(Arc::clone(&app.keys), Arc::clone(&pool)).map_err(no_thread)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(no_thread)?;
    let served = runtime.block_on(serve(&config, &app, &pool, made.as_ref(), stdout));
    // The log writes its last lines when the last of these lets go of it.
    drop((runtime, usage, refresher, app));
    served
}

/// Everything that requests work with.
fn open(
    config: &ServeConfig,
    store: &mut Store,
    pool: Arc<StorePool>,
    dashboard: Option<Dashboard>,
) -> Result<App, CommandError> {
    let keys = Arc::new(LiveKeys::load(store, Arc::clone(pool.health()))?);
    let metrics = Arc::new(Metrics::default());
    let catalog = Catalog::scan(&config.snapshots, None)
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    reload::tell(&Catalog::default(), &catalog, &metrics);
    let log = match config.log.access() {
        Some(form) => Some(
            AccessLog::start(form, Arc::clone(&metrics), std::io::stderr()).map_err(no_thread)?,
        ),
        None => None,
    };
    Ok(App {
        served: Live::of(Served::of(catalog, None)),
        keys,
        metrics,
        log,
        slots: Slots::default(),
        dashboard,
        state: State::over(pool),
        radar: Arc::new(crate::api::radar::RadarConfig {
            snapshots: config.snapshots.clone(),
            watched_max: config.radar.watched_max,
        }),
        grouping: config.grouping,
    })
}

/// Listens, says so, and serves until a signal to stop.
async fn serve(
    config: &ServeConfig,
    app: &Arc<App>,
    pool: &Arc<StorePool>,
    made: Option<&Password>,
    stdout: &mut dyn Write,
) -> Result<(), CommandError> {
    let handler = |kind| signal(kind).map_err(no_thread);
    let (mut terminate, mut interrupt) =
        (handler(SignalKind::terminate())?, handler(SignalKind::interrupt())?);
    let mut hangup = handler(SignalKind::hangup())?;
    let apart = !config.dashboard.addresses.is_empty();
    let door = if apart { Door::Api } else { Door::Both };
    let mut listeners = Vec::new();
    for address in &config.addresses {
        let (listener, bound) = listen("--listen", *address, door).await?;
        writeln!(stdout, "listening on http://{bound}").map_err(unwritable)?;
        listeners.push(listener);
    }
    if app.dashboard.is_some() {
        for address in &config.dashboard.addresses {
            let (listener, bound) = listen("--dashboard-listen", *address, Door::Dashboard).await?;
            writeln!(stdout, "dashboard on http://{bound}/dashboard").map_err(unwritable)?;
            listeners.push(listener);
        }
    }
    if let Some(made) = made {
        let text = "the operator's password for /dashboard, shown this once:";
        writeln!(stdout, "{text} {}", made.reveal()).map_err(unwritable)?;
    }
    stdout.flush().map_err(unwritable)?;
    let radar = match listeners.first().map(|listener| listener.socket.local_addr()) {
        Some(first) => first.and_then(|first| Radar::start(&config.radar, app, pool, first)),
        None => Err(std::io::ErrorKind::AddrNotAvailable.into()),
    };
    let radar = radar.map_err(no_thread)?;
    let bell = radar.matcher.bell();
    let reloader = Reloader::start(config.snapshots.clone(), Arc::clone(app), move || bell.ring());
    let reloader = reloader.map_err(no_thread)?;
    let stop = async {
        loop {
            tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = hangup.recv() => reloader.ask(),
                () = reload_asked(app) => reloader.ask(),
            }
        }
        tracing::info!("stopping: requests in flight finish, new ones are refused");
    };
    tokio::spawn(pages::sample(Arc::clone(app)));
    let connections_max = connections_max();
    let server = ServerConfig { connections_max, ..ServerConfig::default() };
    let workers = Workers::start().map_err(no_thread)?;
    accept::serve(listeners, workers, server, Arc::clone(app), stop).await;
    tracing::info!("stopped");
    Ok(())
}

/// Listens at one address.
async fn listen(
    option: &str,
    address: SocketAddr,
    door: Door,
) -> Result<(Listener, SocketAddr), CommandError> {
    let unusable = |error| {
        CommandError::BadInput(format!(
            "cannot listen on {address}: {error}; choose another address with {option}"
        ))
    };
    let socket = TcpListener::bind(address).await.map_err(unusable)?;
    let bound = socket.local_addr().map_err(unusable)?;
    Ok((Listener { socket, door }, bound))
}

/// Waits until somebody asks at the dashboard for a scan.
async fn reload_asked(app: &App) {
    match &app.dashboard {
        Some(dashboard) => dashboard.reload.notified().await,
        None => std::future::pending().await,
    }
}

/// As many connections as the server is made for, or as the system lets it have.
fn connections_max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = CONNECTIONS_MAX as u64 + FILES_BESIDE_CONNECTIONS;
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current.unwrap_or(u64::MAX);
    let reachable = wanted.min(limit.maximum.unwrap_or(u64::MAX));
    let raised = Rlimit { current: Some(reachable), maximum: limit.maximum };
    let files = if current >= wanted {
        wanted
    } else if setrlimit(Resource::Nofile, raised).is_ok() {
        reachable
    } else {
        current
    };
    if files < wanted {
        tracing::warn!(files, wanted, "the limit of open files bounds the connections");
    }
    usize::try_from(files.saturating_sub(FILES_BESIDE_CONNECTIONS)).unwrap_or(usize::MAX).max(1)
}

/// What it means that the system refuses a thread, a signal handler or the like.
fn no_thread(error: std::io::Error) -> CommandError {
    CommandError::BadInput(format!("the system refuses what a server needs: {error}"))
}
