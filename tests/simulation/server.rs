//! A server of a simulation, put together from the parts of `daicho serve` that follow releases and reload a folder, but
//! without sockets. It is a module of `cli::serve`, because these parts are private there.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Command, FromArgMatches};

use super::data::{CatalogOpener, DataSettings, Rate};
use super::follow::FollowArgs;
use super::follow_metrics::FollowMetrics;
use super::follower::Follower;
use super::open::ServerParts;
use super::reload::Reloader;
use crate::account::Keyring;
use crate::account::store::{StoreLocation, StorePool};
use crate::api::Api;
use crate::api::data::Data;
use crate::api::executor::Slots;
use crate::api::holidays::OwnHolidaysFile;
use crate::cli::error::CommandError;
use crate::dataset::Catalog;
use crate::server::metrics::Metrics;

/// Dropped in this order.
pub struct Server {
    _follower: Option<Follower>,
    _reloader: Option<Reloader>,
    pub api: Arc<Api>,
    /// What a server that follows releases says of them.
    pub release: Arc<FollowMetrics>,
}

#[derive(Debug, Clone)]
pub struct ServerOptions<'a> {
    pub cache: &'a Path,
    pub url: &'a str,
    pub name: &'a str,
    pub label: Option<&'a str>,
    /// The file of the key that must have signed a release.
    pub release_key: Option<&'a Path>,
    pub poll: &'a str,
    /// Whether it also scans its folder again and again, as every server does.
    pub reloads: bool,
}

fn settings(folder: &Path) -> DataSettings {
    let corrections = folder.join("corrections");
    DataSettings {
        opener: CatalogOpener::new(Rate::Off),
        holidays: OwnHolidaysFile::new(None, &corrections),
        corrections,
        age_days: 10_000,
    }
}

fn open(snapshots: &Path, settings: &DataSettings) -> Result<Arc<Api>, CommandError> {
    let catalog = Catalog::scan(snapshots, None).map_err(CommandError::failed)?;
    let mut data = Data::new(catalog, None);
    settings.mark_old_data(&mut data, None);
    let api = Api::local(data, Keyring::default(), Slots::default(), snapshots.to_owned());
    Ok(Arc::new(Api { is_behind: AtomicBool::new(true), ..api }))
}

impl Server {
    /// Starts a server that follows releases; `on_switch` is called after each switch.
    pub fn follow(
        options: &ServerOptions<'_>,
        on_switch: impl Fn(&Api) + Send + 'static,
    ) -> Result<Server, CommandError> {
        let cache = options.cache.to_str().expect("text");
        let mut words = vec!["serve", "--cache", cache, "--node-name", options.name];
        words.extend(["--release-poll", options.poll]);
        let key = options.release_key.map(|key| key.to_str().expect("text"));
        words.extend(key.into_iter().flat_map(|key| ["--release-key", key]));
        words.extend(options.label.into_iter().flat_map(|label| ["--node-label", label]));
        let matches = FollowArgs::augment_args(Command::new("serve")).try_get_matches_from(words);
        let follow = FollowArgs::from_arg_matches(&matches.expect("the arguments of a server"));
        let follow = follow.expect("the arguments of a server");
        let (snapshots, config) = follow.check(options.url, None)?;
        let (config, settings) = (config.expect("a URL to follow"), settings(options.cache));
        let api = open(&snapshots, &settings)?;
        let nowhere = StoreLocation::File(options.cache.join("no-store"));
        let parts = ServerParts {
            api: Arc::clone(&api),
            dashboard: None,
            is_dashboard_on: Arc::default(),
            password_file: None,
            // Of one path only: a report of the server adds up the counts of all.
            metrics: Arc::new(Metrics::over(vec!["any"])),
            deliveries: Arc::default(),
            pool: Arc::new(StorePool::of(nowhere)),
        };
        let release = Arc::clone(&config.metrics);
        let reloader = options.reloads.then(|| {
            Reloader::start(snapshots, settings.clone(), Arc::clone(&api), |_is_reload| {})
        });
        let reloader = reloader.transpose().map_err(CommandError::cannot_start)?;
        let rescan = reloader.as_ref().map(Reloader::scan_requester);
        let switched = Arc::clone(&api);
        let reload = move || {
            on_switch(&switched);
            rescan.iter().for_each(|rescan| rescan());
        };
        let follower = Follower::start(config, settings, &parts, None, reload);
        let follower = follower.map_err(CommandError::cannot_start)?;
        Ok(Server { _follower: Some(follower), _reloader: reloader, api, release })
    }

    /// Starts a server that answers from a folder and scans it again and again.
    pub fn reload(snapshots: &Path) -> Result<Server, CommandError> {
        let settings = settings(snapshots);
        let api = open(snapshots, &settings)?;
        let (folder, scanned) = (snapshots.to_owned(), Arc::clone(&api));
        let reloader = Reloader::start(folder, settings, scanned, |_is_reload| {});
        let reloader = reloader.map_err(CommandError::cannot_start)?;
        let release = Arc::default();
        Ok(Server { _follower: None, _reloader: Some(reloader), api, release })
    }
}
