//! What the server works on, opened before it listens: the store with its keys, the data, the dashboard.

use std::path::{Path, PathBuf};
use std::sync::{Arc, atomic::AtomicBool};

use prometheus_client::registry::Registry;

use super::activation::ListenAt;
use super::arguments::{OpenedKeys, ServeArgs, ServeConfig, encrypt_secrets};
use super::dashboard::DashboardSetup;
use super::log::Log;
use super::{own_paths, reload, update::UpdateMetrics};
use crate::account::store::{Store, StorePool};
use crate::account::{KeySource, LiveKeys, OnFirstRead};
use crate::api::data::Data;
use crate::api::executor::{ApiStore, Slots};
use crate::api::holidays::Holidays;
use crate::api::metrics::{Counters, MetricsPage};
use crate::api::{Api, RadarSettings};
use crate::cli::data::{corrected, with_corrections};
use crate::cli::error::CommandError;
use crate::dashboard::{self, Dashboard, DashboardParts};
use crate::dataset::Catalog;
use crate::dataset::correction::{Corrections, Extent};
use crate::radar::courier::DeliveryCounters;
use crate::server::metrics::Metrics;
use crate::server::process_metrics::ProcessMetrics;
use crate::snapshot::LiveValue;
use crate::worker::LateWaker;

/// Shared by the listeners and the background threads.
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

/// Opens everything, and returns the place from which the keys are refreshed.
pub fn open(
    args: &ServeArgs,
    config: &ServeConfig,
    log: &Log,
) -> Result<(ServerParts, KeySource), CommandError> {
    let pool = Arc::new(StorePool::of(args.state.location()?));
    let folder = args.state.folder()?;
    let OpenedKeys { keys, mut store, cache } =
        args.key_cache.open_keys(&args.state, &pool.health)?;
    config.compat.require_account(&keys.current())?;
    let DashboardSetup { is_on, password_file } = match &mut store {
        Some(store) => {
            encrypt_secrets(store, &config.radar.cipher);
            config.dashboard.set_up(store, &folder)?
        }
        None => DashboardSetup { is_on: config.dashboard.is_requested(), password_file: None },
    };
    let is_dashboard_on = Arc::new(AtomicBool::new(is_on));
    let metrics = Arc::new(Metrics::over(own_paths::all_labels()));
    let deliveries = Arc::new(DeliveryCounters::default());
    let api = Arc::new(open_api(config, keys, &pool, &metrics, &deliveries, log)?);
    let may_be_on = is_on || (store.is_none() && !config.dashboard.is_off());
    let dashboard = may_be_on.then(|| {
        // On an address of its own, the dashboard links to the API by the public URL.
        let has_own_address = !config.dashboard.addresses.is_empty();
        let first_address = config.addresses.iter().find_map(ListenAt::tcp);
        Arc::new(Dashboard::new(DashboardParts {
            api: Arc::clone(&api),
            metrics: Arc::clone(&metrics),
            label: own_paths::label(dashboard::LABEL),
            store: Arc::clone(&pool),
            cipher: config.radar.cipher.clone(),
            site: Arc::clone(&config.site),
            is_behind_https: config.dashboard.is_behind_https,
            keys_max: config.dashboard.keys_max,
            api_base: has_own_address.then(|| config.public_url(first_address).to_string()),
        }))
    });
    let on_first_read = match &store {
        Some(_) => None,
        None => Some(set_up_late(config, folder, Arc::clone(&is_dashboard_on))),
    };
    let key_source = KeySource { location: pool.location.clone(), store, cache, on_first_read };
    let parts =
        ServerParts { api, dashboard, is_dashboard_on, password_file, metrics, deliveries, pool };
    Ok((parts, key_source))
}

/// Does the work on the store that the start could not do while the store was unreachable.
fn set_up_late(
    config: &ServeConfig,
    folder: PathBuf,
    is_dashboard_on: Arc<AtomicBool>,
) -> OnFirstRead {
    let cipher = config.radar.cipher.clone();
    let dashboard = Arc::clone(&config.dashboard);
    Box::new(move |store: &mut Store| {
        encrypt_secrets(store, &cipher);
        dashboard.set_up_late(store, &folder, &is_dashboard_on);
    })
}

/// Opens the data, and registers everything that `/metrics` shows.
fn open_api(
    config: &ServeConfig,
    keys: LiveKeys,
    pool: &Arc<StorePool>,
    metrics: &Arc<Metrics>,
    deliveries: &Arc<DeliveryCounters>,
    log: &Log,
) -> Result<Api, CommandError> {
    let counters = Arc::new(Counters::default());
    let catalog = Catalog::scan(&config.snapshots, Some(&Catalog::with_read_mode(config.reading)))
        .map_err(CommandError::failed)?;
    let corrections = Corrections::open(&config.data.corrections, corrected());
    let corrections = corrections.map_err(CommandError::failed)?;
    let catalog = with_corrections(catalog, Extent::SERVED, &corrections, None);
    let catalog = catalog.map_err(CommandError::failed)?;
    reload::report_changes(&Catalog::default(), &catalog, &counters);
    if catalog.is_empty() && !config.follows_releases() {
        warn_no_snapshots(&config.snapshots);
    }
    let mut data = Data::new(catalog, None);
    data.corrections = Arc::new(corrections);
    let holidays = Holidays::open(&config.snapshots, &config.data.holidays);
    data.holidays = Arc::new(holidays.map_err(CommandError::failed)?);
    config.data.mark_old_data(&mut data, None);
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
        registry.register_collector(Box::new(Arc::clone(&follow.metrics)));
    }
    Ok(Api {
        data: LiveValue::new(data),
        keys: Arc::new(keys),
        slots,
        store: ApiStore::new(Arc::clone(pool)),
        radar: RadarSettings {
            snapshots: config.snapshots.clone(),
            watched_max: config.radar.watched_max,
        },
        grouping: config.grouping,
        keyless: config.compat.account.clone(),
        counters,
        metrics: registry,
        metrics_access: config.metrics.access.clone(),
        metrics_page: MetricsPage::new(config.metrics.interval),
        is_draining: AtomicBool::new(false),
        // What the server before this one served is in the cache.
        is_behind: AtomicBool::new(config.follows_releases() && !config.is_takeover),
        old_version_opened: LateWaker::default(),
    })
}

/// Logs how to fill a folder without snapshots. The server keeps running and loads them when they appear.
fn warn_no_snapshots(folder: &Path) {
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
