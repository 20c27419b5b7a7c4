//! The work beside the connections: reloading data, following releases, updating, delivering changes. Each has
//! threads of its own, which end with this value.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use super::arguments::ServeConfig;
#[cfg(feature = "object-store")]
use super::follow::{FollowConfig, everywhere};
#[cfg(feature = "object-store")]
use super::follower::{Followed, Follower};
use super::reload::{Reloader, Watched};
use super::state::State;
use super::update::Updater;
use crate::radar::{Everywhere, Radar, RadarConfig};

/// Dropped in this order.
pub struct Background {
    updater: Option<Updater>,
    #[cfg(feature = "object-store")]
    _follower: Option<Follower>,
    pub reloader: Reloader,
    _radar: Radar,
}

impl Background {
    /// Starts the threads. `first` is the first listening address. Takes `follow` out of the settings.
    pub fn start(
        config: &mut ServeConfig,
        state: &State,
        first: SocketAddr,
    ) -> io::Result<Background> {
        #[cfg(feature = "object-store")]
        let follow = config.follow.take();
        #[cfg(feature = "object-store")]
        let everywhere: Everywhere = match &follow {
            Some(follow) => Box::new(everywhere(follow.url.clone())),
            None => Box::new(Some),
        };
        #[cfg(not(feature = "object-store"))]
        let everywhere: Everywhere = Box::new(Some);
        let radar = start_radar(config, state, first, everywhere)?;
        let watched =
            Watched { snapshots: config.snapshots.clone(), holidays: config.holidays.clone() };
        let (api, opener) = (Arc::clone(&state.api), config.opener.clone());
        let reloader = Reloader::start(watched, api, opener, config.age, radar.waker())?;
        #[cfg(feature = "object-store")]
        let start = |follow| start_follower(follow, config, state, first, &reloader);
        Ok(Background {
            #[cfg(feature = "object-store")]
            _follower: follow.map(start).transpose()?,
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
    state: &State,
    first: SocketAddr,
    everywhere: Everywhere,
) -> io::Result<Radar> {
    let radar = RadarConfig {
        snapshots: config.snapshots.clone(),
        store: Arc::clone(&state.pool),
        public_url: config.radar.public_url(first),
        reach: config.radar.reach,
        counters: Arc::clone(&state.deliveries),
        sealing: config.radar.sealing.clone(),
        everywhere,
    };
    let api = Arc::clone(&state.api);
    Radar::start(radar, move || {
        api.data.load().catalog.corporate().latest().map(|data| data.version())
    })
}

#[cfg(feature = "object-store")]
fn start_follower(
    follow: FollowConfig,
    config: &ServeConfig,
    state: &State,
    first: SocketAddr,
    reloader: &Reloader,
) -> io::Result<Follower> {
    let followed = Followed {
        api: Arc::clone(&state.api),
        metrics: Arc::clone(&state.metrics),
        address: first,
        age: config.age,
        opener: config.opener.clone(),
        holidays: config.holidays.clone(),
    };
    Follower::start(follow, followed, reloader.asker())
}
