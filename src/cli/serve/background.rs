//! The work beside the connections: reloading data, following releases, updating, delivering changes. Each has
//! threads of its own, which end with this value.

use std::{io, net::SocketAddr, sync::Arc};

use super::arguments::ServeConfig;
#[cfg(feature = "object-store")]
use super::follow::version_on_all_servers;
#[cfg(feature = "object-store")]
use super::follower::Follower;
use super::{open::ServerParts, reload::Reloader, update::Updater};
use crate::radar::{CommonVersion, Radar, RadarConfig};

/// Dropped in this order.
pub struct Background {
    /// `None` if this server does not update its own data.
    pub updater: Option<Updater>,
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
        let (snapshots, settings) = (config.snapshots.clone(), config.data.clone());
        let api = Arc::clone(&parts.api);
        let reloader = Reloader::start(snapshots, settings, api, radar.waker())?;
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
            _radar: radar,
        })
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
