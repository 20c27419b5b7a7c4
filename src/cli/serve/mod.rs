//! `daicho serve`: the server, from its options to its shutdown.
//!
//! Standard output gets one line for each address when the server is ready; the log goes to standard error. The
//! snapshot folder may be empty or missing: the server starts, reports that at `/readyz`, and loads data when
//! they appear.

mod addresses;
mod age;
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
pub mod log;
#[cfg(feature = "object-store")]
mod looks;
mod metrics;
mod mount;
mod proxy;
mod radar;
mod reload;
mod size;
mod stop;
pub mod time;
mod update;
mod update_metrics;
mod warm;

use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use clap::Args;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::age::AgeArgs;
use self::begin::KeyCacheArgs;
use self::connections::{ConnectionArgs, connections_max};
use self::dashboard::{DashboardArgs, DashboardConfig, Opened};
#[cfg(feature = "object-store")]
use self::follow::{FollowArgs, FollowConfig, check_alone, everywhere};
#[cfg(feature = "object-store")]
use self::follow_metrics::FollowedMetrics;
#[cfg(feature = "object-store")]
use self::follower::{Followed, Follower};
use self::log::{Log, LogArgs, LogConfig};
use self::metrics::{MetricsArgs, MetricsConfig};
use self::mount::{Door, Mounted};
use self::proxy::ProxyArgs;
use self::radar::{RadarArgs, RadarOptions, encrypt_secrets};
use self::reload::{Reloader, Watched};
use self::stop::{Asked, DrainArgs, Signals, drain_of, reached};
use self::update::{UpdateArgs, Updater};
use self::warm::{Opener, WarmArgs};
use self::{addresses::resolve, update_metrics::UpdateMetrics};
use crate::account::store::{Store, StorePool};
use crate::account::{KeySource, LiveKeys, UsageWriter};
use crate::api::ask::{Api, RadarSettings};
use crate::api::metrics_access::MetricsPlace;
use crate::api::{counters::Counters, data::Data, holidays::Holidays, router::labels};
use crate::api::{slots::Slots, store::ApiStore};
use crate::cli::{error::CommandError, store::StateArg};
use crate::dashboard as pages;
use crate::dashboard::Dashboard;
use crate::query::{Catalog, syntax::Grouping};
use crate::radar::{Everywhere, Radar, RadarConfig, counters::DeliveryCounters};
use crate::server::accept::{self, ServerConfig};
use crate::server::exchange::Journal;
use crate::server::metrics::{Label, Metrics};
use crate::server::process::ProcessMetrics;
use crate::server::proxies::TrustedProxies;
use crate::server::workers::Workers;
use crate::snapshot::{Live, Reading, unfinished};
use crate::update::Options;

/// Arguments of `daicho serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The snapshot folder, reloaded when it changes and on SIGHUP; or, with --cache, the URL of
    /// releases, such as s3://bucket/daicho (also gs://, az:// and file://)
    #[arg(long, value_name = "DIR|URL", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    snapshots: String,
    #[command(flatten)]
    state: StateArg,
    #[command(flatten)]
    key_cache: KeyCacheArgs,
    /// Address to listen on; repeat the option or separate addresses with commas
    #[arg(long, value_name = "ADDR", env = "DAICHO_LISTEN", value_delimiter = ',')]
    #[arg(default_value = "127.0.0.1:8080")]
    listen: Vec<String>,
    /// Allow parentheses in corporate search queries, as in (東京 OR 大阪) AND 銀行. By default such
    /// queries get status 400
    #[arg(long, env = "DAICHO_QUERY_GROUPING", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    query_grouping: bool,
    /// Copy the indexes of corporate and invoice numbers into huge pages. Costs 30 MiB of memory for
    /// each loaded version with all corporations. By default the indexes are read from the mapped file
    #[arg(long, env = "DAICHO_HUGE_PAGES", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    huge_pages: bool,
    #[command(flatten)]
    warm: WarmArgs,
    #[command(flatten)]
    proxy: ProxyArgs,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    dashboard: DashboardArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    radar: RadarArgs,
    #[command(flatten)]
    age: AgeArgs,
    #[command(flatten)]
    drain: DrainArgs,
    /// File with your own holidays, added to the national ones. Each line has a date and a title, such
    /// as 2026-08-13,夏季休業. The file is reloaded when it changes
    #[arg(long, value_name = "FILE", env = "DAICHO_HOLIDAYS")]
    holidays: Option<PathBuf>,
    #[cfg(feature = "object-store")]
    #[command(flatten)]
    follow: FollowArgs,
    #[command(flatten)]
    update: UpdateArgs,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(Debug)]
struct ServeConfig {
    snapshots: PathBuf,
    /// `None` if the folder is local.
    #[cfg(feature = "object-store")]
    follow: Option<FollowConfig>,
    addresses: Vec<SocketAddr>,
    dashboard: Arc<DashboardConfig>,
    /// `None` for no limit.
    per_address_max: Option<u32>,
    proxies: TrustedProxies,
    metrics: MetricsConfig,
    radar: RadarOptions,
    /// `None` if this server does not update its data.
    update: Option<Options>,
    grouping: Grouping,
    reading: Reading,
    opener: Opener,
    age: AgeArgs,
    drain: Duration,
    /// The operator's own holidays.
    holidays: Option<PathBuf>,
    log: LogConfig,
}

impl ServeConfig {
    fn check(args: &ServeArgs) -> Result<ServeConfig, CommandError> {
        #[cfg(feature = "object-store")]
        let (snapshots, follow) = args.follow.check(&args.snapshots)?;
        #[cfg(not(feature = "object-store"))]
        let snapshots = folder_of(&args.snapshots)?;
        let update = args.update.options(&snapshots)?;
        #[cfg(feature = "object-store")]
        check_alone(update.is_some(), follow.as_ref())?;
        let mut addresses = Vec::new();
        for text in &args.listen {
            addresses.extend(resolve("--listen", text)?);
        }
        addresses.dedup();
        Ok(ServeConfig {
            update,
            snapshots,
            #[cfg(feature = "object-store")]
            follow,
            addresses,
            per_address_max: args.connections.per_address_max(),
            proxies: args.proxy.proxies(),
            dashboard: Arc::new(args.dashboard.check(args.proxy.proxies())?),
            metrics: args.metrics.check()?,
            radar: args.radar.check(&args.state)?,
            grouping: if args.query_grouping { Grouping::Allowed } else { Grouping::Refused },
            reading: Reading { at_random: true, in_large_pages: args.huge_pages },
            opener: args.warm.opener(),
            age: args.age,
            drain: args.drain.time(),
            holidays: args.holidays.clone(),
            log: args.log.config(),
        })
    }

    /// Whether the snapshots come from releases.
    fn follows(&self) -> bool {
        #[cfg(feature = "object-store")]
        return self.follow.is_some();
        #[cfg(not(feature = "object-store"))]
        return false;
    }
}

#[cfg(not(feature = "object-store"))]
fn folder_of(snapshots: &str) -> Result<PathBuf, CommandError> {
    match snapshots.split_once("://") {
        None => Ok(snapshots.into()),
        Some((scheme, _)) => Err(CommandError::Usage(format!(
            "--snapshots: expected a folder; found a URL of scheme {scheme}; name a folder, or build daicho with the \
             feature object-store"
        ))),
    }
}

/// `stdout` must not block on its reader: see [`Announced`](self::log::Announced).
pub fn run(args: &ServeArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    // Must come first: it may restart the program.
    let failed = args.dashboard.hide_password()?;
    #[cfg_attr(
        not(feature = "object-store"),
        allow(unused_mut, reason = "nothing is taken out of it")
    )]
    let mut config = ServeConfig::check(args)?;
    let log = config.log.start().map_err(no_thread)?;
    if let Some(error) = failed {
        tracing::warn!(%error, "cannot remove the operator's password from the environment of the process; \
                                use --admin-password-file instead");
    }
    let connections_max = connections_max()?;
    let pool = Arc::new(StorePool::of(args.state.location()?));
    let folder = args.state.folder()?;
    let mut begun = args.key_cache.begin(&args.state, &pool.health)?;
    let Opened { is_on, password_file } = match &mut begun.store {
        Some(store) => {
            encrypt_secrets(store, &config.radar.sealing);
            config.dashboard.open(store, &folder)?
        }
        None => Opened { is_on: config.dashboard.is_asked_for(), password_file: None },
    };
    let may_be_on = is_on || (begun.store.is_none() && !config.dashboard.is_off());
    let is_dashboard_on = Arc::new(AtomicBool::new(is_on));
    let metrics = Arc::new(Metrics::over([labels(), mount::LABELS.to_vec()].concat()));
    let deliveries = Arc::new(DeliveryCounters::default());
    let api = Arc::new(open(&config, begun.keys, &pool, &metrics, &deliveries, &log)?);
    let dashboard = may_be_on.then(|| {
        let url = config.addresses.first().map(|first| config.radar.public_url(*first));
        let counted = (Arc::clone(&metrics), Label(labels().len()));
        let (pool, sealing) = (Arc::clone(&pool), config.radar.sealing.clone());
        Arc::new(config.dashboard.dashboard(Arc::clone(&api), counted, pool, sealing, url))
    });
    let location = pool.location.clone();
    let mut source =
        KeySource { location, store: begun.store, cache: begun.cache, when_read: None };
    if source.store.is_none() {
        let sealing = config.radar.sealing.clone();
        let (config, is_on) = (Arc::clone(&config.dashboard), Arc::clone(&is_dashboard_on));
        source.when_read = Some(Box::new(move |store: &mut Store| {
            encrypt_secrets(store, &sealing);
            config.open_late(store, &folder, &is_on);
        }));
    }
    let refresher = Arc::clone(&api.keys).spawn_refresher(source).map_err(no_thread)?;
    let usage = UsageWriter::start(Arc::clone(&api.keys), Arc::clone(&pool)).map_err(no_thread)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(no_thread)?;
    let parts = Parts {
        connections_max,
        api,
        dashboard,
        is_dashboard_on,
        metrics,
        deliveries,
        pool,
        #[cfg(feature = "object-store")]
        follow: config.follow.take(),
    };
    let served = runtime.block_on(serve(&config, parts, password_file.as_deref(), (&log, stdout)));
    drop((runtime, usage, refresher));
    served
}

struct Parts {
    connections_max: usize,
    api: Arc<Api>,
    /// `None` if it is off.
    dashboard: Option<Arc<Dashboard>>,
    is_dashboard_on: Arc<AtomicBool>,
    metrics: Arc<Metrics>,
    deliveries: Arc<DeliveryCounters>,
    pool: Arc<StorePool>,
    #[cfg(feature = "object-store")]
    follow: Option<FollowConfig>,
}

fn open(
    config: &ServeConfig,
    keys: LiveKeys,
    pool: &Arc<StorePool>,
    metrics: &Arc<Metrics>,
    deliveries: &Arc<DeliveryCounters>,
    log: &Log,
) -> Result<Api, CommandError> {
    let counters = Arc::new(Counters::default());
    let catalog = Catalog::scan(&config.snapshots, Some(&Catalog::read(config.reading)))
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    reload::note_changes(&Catalog::default(), &catalog, &counters);
    if catalog.is_empty() && !config.follows() {
        tell_how_to_begin(&config.snapshots);
    }
    let mut data = Data::of(catalog, None);
    let holidays = Holidays::open(&config.snapshots, config.holidays.as_deref());
    data.holidays = Arc::new(holidays.map_err(CommandError::bad_input)?);
    config.age.mark(&mut data, None);
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Arc::clone(metrics)));
    registry.register_collector(Box::new(Arc::clone(&counters)));
    registry.register_collector(Box::new(Arc::clone(deliveries)));
    registry.register_collector(Box::new(ProcessMetrics));
    registry.register_collector(Box::new(log.queue.clone()));
    let slots = Slots::default();
    registry.register_collector(Box::new(Arc::clone(slots.lanes())));
    let snapshots = config.snapshots.clone();
    registry.register_collector(Box::new(UpdateMetrics { snapshots }));
    #[cfg(feature = "object-store")]
    if let Some(follow) = &config.follow {
        registry.register_collector(Box::new(FollowedMetrics(Arc::clone(&follow.metrics))));
    }
    Ok(Api {
        data: Live::of(data),
        keys: Arc::new(keys),
        slots,
        store: ApiStore::over(Arc::clone(pool)),
        radar: RadarSettings {
            snapshots: config.snapshots.clone(),
            watched_max: config.radar.watched_max,
        },
        grouping: config.grouping,
        counters,
        metrics: registry,
        metrics_access: config.metrics.access.clone(),
        is_draining: AtomicBool::new(false),
        is_behind: AtomicBool::new(config.follows()),
    })
}

/// Logs how to fill a folder without snapshots. The server keeps running and loads them when they appear.
fn tell_how_to_begin(folder: &Path) {
    let is_missing = !folder.exists();
    let folder = folder.display();
    if is_missing {
        tracing::warn!(
            "the snapshot folder {folder} does not exist; if you meant another folder, stop the server and name it \
             with --snapshots"
        );
    }
    tracing::warn!(
        "no snapshots in {folder}; run 'daicho build included --out {folder}' for the data included in the \
         program, and 'daicho update --snapshots {folder}' for the newest data; the server loads new \
         snapshots automatically"
    );
}

/// Listens, announces the addresses, and serves until a signal to stop.
async fn serve(
    config: &ServeConfig,
    parts: Parts,
    password_file: Option<&Path>,
    (log, stdout): (&Log, &mut dyn Write),
) -> Result<(), CommandError> {
    let Parts {
        connections_max,
        api,
        dashboard,
        is_dashboard_on,
        metrics,
        deliveries,
        pool,
        #[cfg(feature = "object-store")]
        follow,
    } = parts;
    let mut signals = Signals::open().map_err(no_thread)?;
    let door = Door {
        api: true,
        dashboard: config.dashboard.addresses.is_empty(),
        metrics: config.metrics.access.place == MetricsPlace::WithApi,
    };
    let (mut listeners, mut doors) = (Vec::new(), Vec::new());
    let mut announced = String::new();
    for address in &config.addresses {
        let (listener, bound) = listen("--listen", *address)?;
        writeln!(announced, "listening on http://{bound}").expect("a string takes any text");
        listeners.push(listener);
        doors.push(door);
    }
    if dashboard.is_some() {
        for address in &config.dashboard.addresses {
            let (listener, bound) = listen("--dashboard-listen", *address)?;
            writeln!(announced, "dashboard on http://{bound}/dashboard")
                .expect("a string takes any text");
            listeners.push(listener);
            doors.push(Door { dashboard: true, ..Door::NOTHING });
        }
    }
    for address in &config.metrics.addresses {
        let (listener, bound) = listen("--metrics-listen", *address)?;
        writeln!(announced, "metrics on http://{bound}/metrics").expect("a string takes any text");
        listeners.push(listener);
        doors.push(Door { metrics: true, ..Door::NOTHING });
    }
    if let Some(file) = password_file {
        let text =
            "generated the operator's password for /dashboard; sign in, then delete the file:";
        writeln!(announced, "{text} {}", file.display()).expect("a string takes any text");
    }
    if let Err(error) = stdout.write_all(announced.as_bytes()).and_then(|()| stdout.flush()) {
        tracing::warn!(%error, announced, "cannot write to standard output");
    }
    let first = listeners.first().map(TcpListener::local_addr);
    let first = first.unwrap_or_else(|| Err(std::io::ErrorKind::AddrNotAvailable.into()));
    let first = first.map_err(no_thread)?;
    #[cfg(feature = "object-store")]
    let everywhere: Everywhere = match &follow {
        Some(follow) => Box::new(everywhere(follow.url.clone())),
        None => Box::new(Some),
    };
    #[cfg(not(feature = "object-store"))]
    let everywhere: Everywhere = Box::new(Some);
    let radar = start_radar(config, (&api, first), Arc::clone(&deliveries), &pool, everywhere);
    let radar = radar.map_err(no_thread)?;
    let waker = radar.waker();
    let watched =
        Watched { snapshots: config.snapshots.clone(), holidays: config.holidays.clone() };
    let reloader =
        Reloader::start(watched, Arc::clone(&api), config.opener.clone(), config.age, waker);
    let reloader = reloader.map_err(no_thread)?;
    #[cfg(feature = "object-store")]
    let _follower = match follow {
        Some(follow) => {
            let (api, metrics) = (Arc::clone(&api), Arc::clone(&metrics));
            let (age, opener) = (config.age, config.opener.clone());
            let holidays = config.holidays.clone();
            let followed = Followed { api, metrics, address: first, age, opener, holidays };
            Some(Follower::start(follow, followed, reloader.asker()).map_err(no_thread)?)
        }
        None => None,
    };
    let updater = config.update.clone().map(Updater::start).transpose().map_err(no_thread)?;
    let (begin, begun) = oneshot::channel();
    let stop = async {
        let mut begin = Some(begin).filter(|_| !config.drain.is_zero());
        let mut drained_at = None;
        loop {
            let asked = tokio::select! {
                asked = signals.next() => asked,
                () = reload_asked(dashboard.as_deref()) => Asked::Reload,
                () = reached(drained_at) => Asked::StopNow,
            };
            match (asked, begin.take()) {
                (Asked::Reload, kept) => {
                    begin = kept;
                    reloader.ask();
                }
                (Asked::Stop, Some(begin)) => {
                    api.is_draining.store(true, Relaxed);
                    drained_at = Some(Instant::now() + config.drain);
                    // Fails only if the server has ended already.
                    let _ = begin.send(config.drain);
                    tracing::info!("draining for {:?}: /readyz returns 503", config.drain);
                }
                (Asked::Stop, None) | (Asked::StopNow, _) => break,
            }
        }
        tracing::info!("stopping: finishing requests in flight, rejecting new connections");
    };
    if let Some(dashboard) = &dashboard {
        tokio::spawn(pages::sample(Arc::clone(dashboard)));
    }
    let log = config.log.access(log);
    let service = Arc::new(Mounted {
        api: Arc::clone(&api),
        dashboard: dashboard.clone(),
        is_dashboard_on,
        // In the order of `mount::LABELS`.
        docs: Label(labels().len() + 1),
        forms: Label(labels().len() + 2),
        #[cfg(feature = "mcp")]
        mcp: Label(labels().len() + 3),
        doors,
    });
    let server = ServerConfig {
        connections_max,
        per_address_max: config.per_address_max,
        proxies: config.proxies.clone(),
        ..ServerConfig::default()
    };
    let workers = Workers::start().map_err(no_thread)?;
    let (drain, journal) = (drain_of(begun), Journal { metrics, log });
    accept::serve(listeners, workers, server, service, journal, drain, stop).await;
    if updater.is_some() {
        // A running update ends with the process.
        unfinished::remove_all();
    }
    tracing::info!("stopped");
    Ok(())
}

fn start_radar(
    config: &ServeConfig,
    (api, first): (&Arc<Api>, SocketAddr),
    counters: Arc<DeliveryCounters>,
    pool: &Arc<StorePool>,
    everywhere: Everywhere,
) -> std::io::Result<Radar> {
    let radar = RadarConfig {
        snapshots: config.snapshots.clone(),
        store: Arc::clone(pool),
        public_url: config.radar.public_url(first),
        reach: config.radar.reach,
        counters,
        sealing: config.radar.sealing.clone(),
        everywhere,
    };
    let api = Arc::clone(api);
    Radar::start(radar, move || {
        api.data.load().catalog.corporate().latest().map(|data| data.version())
    })
}

fn listen(option: &str, address: SocketAddr) -> Result<(TcpListener, SocketAddr), CommandError> {
    let unusable = |error| {
        CommandError::BadInput(format!(
            "cannot listen on {address}: {error}; choose another address with {option}"
        ))
    };
    let listener = accept::listen(address).map_err(unusable)?;
    let bound = listener.local_addr().map_err(unusable)?;
    Ok((listener, bound))
}

/// Waits until a reload is requested on the dashboard.
async fn reload_asked(dashboard: Option<&Dashboard>) {
    match dashboard {
        Some(dashboard) => dashboard.reload.notified().await,
        None => std::future::pending().await,
    }
}

/// The error if the system refuses a thread, a signal handler or similar.
fn no_thread(error: std::io::Error) -> CommandError {
    CommandError::BadInput(format!(
        "cannot start the server: the system refused a thread, a signal handler or a socket: {error}"
    ))
}
