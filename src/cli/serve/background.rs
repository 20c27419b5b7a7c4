//! The work of a server beside its requests: updates, releases, reloading, certificates, webhooks. Only one server may do
//! it with one folder, cache and name: the next one starts after a handover has ended this one's.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use super::arguments::ServeConfig;
#[cfg(feature = "object-store")]
use super::follow::{FollowConfig, version_on_all_servers};
#[cfg(feature = "object-store")]
use super::follower::Follower;
use super::notify::ServiceManager;
use super::open::ServerParts;
use super::reload::Reloader;
use super::tls::Renewal;
use super::update::Updater;
use crate::radar::{CommonVersion, Radar, RadarConfig};

/// Dropped in this order.
pub struct Background {
    /// `None` if this server does not update its own data.
    pub updater: Option<Updater>,
    #[cfg(feature = "object-store")]
    follower: Option<Follower>,
    reloader: Reloader,
    /// `None` without a certificate.
    renewal: Option<Renewal>,
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
        let follow: Option<FollowConfig> = config.follow.take();
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
            follower: follower.transpose()?,
            updater: config.update.clone().map(Updater::start).transpose()?,
            reloader,
            renewal: config.certificate.clone().map(Renewal::start).transpose()?,
            _radar: radar,
        })
    }

    /// Looks at the folder and at the certificate now.
    pub fn request_reload(&self) {
        self.reloader.request_scan();
        if let Some(renewal) = &self.renewal {
            renewal.request();
        }
    }

    /// Ends everything for the server that has taken over. Blocks for some seconds at most.
    pub fn hand_over(self) {
        #[cfg(feature = "object-store")]
        if let Some(follower) = self.follower {
            follower.hand_over();
        }
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
