//! The work beside the connections: reloading data, following releases, updating, delivering changes. Each has
//! threads of its own, which end with this value.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use super::arguments::ServeConfig;
#[cfg(feature = "object-store")]
use super::follow::{FollowConfig, version_on_all_servers};
#[cfg(feature = "object-store")]
use super::follower::{Follower, FollowingServer};
use super::parts::ServerParts;
use super::reload::{Reloader, WatchedFiles};
use super::update::Updater;
use crate::radar::{CommonVersion, Radar, RadarConfig};

/// Dropped in this order.
pub struct Background {
    updater: Option<Updater>,
    #[cfg(feature = "object-store")]
    _follower: Option<Follower>,
    pub reloader: Reloader,
    _radar: Radar,
}

impl Background {
    /// Starts the threads. Takes `follow` out of the settings.
    pub fn start(
        config: &mut ServeConfig,
        parts: &ServerParts,
        first_address: SocketAddr,
    ) -> io::Result<Background> {
        #[cfg(feature = "object-store")]
        let follow = config.follow.take();
        #[cfg(feature = "object-store")]
        let common_version: CommonVersion = match &follow {
            Some(follow) => Box::new(version_on_all_servers(follow.url.clone())),
            None => Box::new(Some),
        };
        #[cfg(not(feature = "object-store"))]
        let common_version: CommonVersion = Box::new(Some);
        let radar = start_radar(config, parts, first_address, common_version)?;
        let files =
            WatchedFiles { snapshots: config.snapshots.clone(), holidays: config.holidays.clone() };
        let (api, opener) = (Arc::clone(&parts.api), config.opener.clone());
        let reloader = Reloader::start(files, api, opener, config.age, radar.waker())?;
        #[cfg(feature = "object-store")]
        let follower = follow
            .map(|follow| start_follower(follow, config, parts, first_address, &reloader))
            .transpose()?;
        Ok(Background {
            #[cfg(feature = "object-store")]
            _follower: follower,
            updater: config.update.clone().map(Updater::start).transpose()?,
            reloader,
            _radar: radar,
        })
    }

    /// Whether this server updates its own data.
    pub fn updates(&self) -> bool {
        self.updater.is_some()
    }
}

fn start_radar(
    config: &ServeConfig,
    parts: &ServerParts,
    first_address: SocketAddr,
    common_version: CommonVersion,
) -> io::Result<Radar> {
    let radar = RadarConfig {
        snapshots: config.snapshots.clone(),
        store: Arc::clone(&parts.pool),
        public_url: config.radar.public_url(first_address),
        allowed_addresses: config.radar.allowed_addresses,
        counters: Arc::clone(&parts.deliveries),
        cipher: config.radar.cipher.clone(),
        common_version,
    };
    let api = Arc::clone(&parts.api);
    Radar::start(radar, move || {
        api.data.load().catalog.corporate().latest().map(|data| data.version())
    })
}

#[cfg(feature = "object-store")]
fn start_follower(
    follow: FollowConfig,
    config: &ServeConfig,
    parts: &ServerParts,
    first_address: SocketAddr,
    reloader: &Reloader,
) -> io::Result<Follower> {
    let server = FollowingServer {
        api: Arc::clone(&parts.api),
        metrics: Arc::clone(&parts.metrics),
        address: first_address,
        age: config.age,
        opener: config.opener.clone(),
        holidays: config.holidays.clone(),
    };
    Follower::start(follow, server, reloader.scan_requester())
}
