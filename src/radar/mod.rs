//! The radar: finds out which corporations changed, and notifies the accounts that watch them.
//!
//! Change list → `matcher` → [`queue`] of deliveries → [`courier`] → [`webhook`] (signed POST) → receiver.
//! An account registers a webhook ([`registration`]) and a [`watch_list`]. `matcher` and [`courier`] meet in the store
//! alone, so that several servers share the work and one that dies leaves it to the others. Knows no endpoints and no
//! catalog: the newest data version comes from a function, and which one all servers have from another. Secrets that sign are encrypted in the store ([`seal`]) with
//! a key from a [`key_place`], which [`sealing`] holds.

mod allowance;
mod columns;
pub mod counters;
pub mod courier;
pub mod delivery;
mod error;
pub mod key_place;
mod matcher;
pub mod matching;
pub mod plain_secrets;
pub mod queue;
mod receivers;
pub mod registration;
pub mod seal;
pub mod sealing;
pub mod watch_list;
pub mod webhook;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use self::counters::DeliveryCounters;
use self::courier::{Courier, CourierConfig};
use self::matcher::{Matcher, Matching};
use self::queue::StoreQueue;
use self::sealing::Sealing;
use self::webhook::attempt::TIME_MAX;
use self::webhook::{PublicUrl, Reach, Sender};
use crate::account::store::StorePool;
use crate::text::codes::DataVersion;

pub use error::RadarError;
pub use matcher::Everywhere;

pub struct RadarConfig {
    /// The folder of snapshots and change lists.
    pub snapshots: PathBuf,
    pub store: Arc<StorePool>,
    /// The address in events at which receivers ask for the changes.
    pub public_url: PublicUrl,
    pub reach: Reach,
    pub counters: Arc<DeliveryCounters>,
    /// Decrypts the secrets that sign.
    pub sealing: Sealing,
    pub everywhere: Everywhere,
}

/// The threads that match and send. They end when this is dropped.
#[derive(Debug)]
pub struct Radar {
    matcher: Matcher,
    _courier: Courier,
}

impl Radar {
    /// Starts both. `latest` is the newest corporate data version that is served.
    pub fn start(
        config: RadarConfig,
        latest: impl Fn() -> Option<DataVersion> + Send + 'static,
    ) -> io::Result<Radar> {
        // A name in the store that no other server has.
        let random = getrandom::u64().map_err(io::Error::other)?;
        let by = format!("{}-{random:016x}", std::process::id());
        let RadarConfig { snapshots, store, public_url, reach, counters, sealing, everywhere } =
            config;
        let queue = StoreQueue { store: Arc::clone(&store), by: by.clone() };
        let sender = Arc::new(Sender::new(reach, TIME_MAX));
        let courier =
            Courier::start(CourierConfig { queue, sender, public_url, counters, sealing })?;
        let matching = Matching { snapshots, latest, everywhere, store, by, seen: HashMap::new() };
        let matcher = Matcher::start(matching, courier.waker())?;
        Ok(Radar { matcher, _courier: courier })
    }

    /// Wakes the matcher; to be called after a reload.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        self.matcher.waker()
    }
}
