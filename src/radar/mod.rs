//! The radar: finds out which corporations and invoice issuers changed, and notifies the accounts that watch them.
//!
//! Change list → [`matcher`] → [`queue`] of deliveries → [`courier`] → [`webhook`] (signed POST) → receiver.
//!
//! An account registers a webhook ([`registration`]) and a [`watch_list`]. [`matcher`] and [`courier`] communicate only
//! through the store. So several servers share the work, and when one dies, the others do its part. A secret that signs
//! is a [`stored_secret`] there, encrypted with a key that is not.
//!
//! Knows no endpoints and no catalog: functions tell it the newest data version, and the newest one that all servers
//! have.

pub mod courier;
pub mod delivery;
mod error;
pub mod matcher;
pub mod number_list;
pub mod queue;
mod receivers;
pub mod registration;
pub mod stored_secret;
pub mod transport;
pub mod watch_list;
pub mod webhook;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use self::courier::{Courier, CourierConfig, DeliveryCounters};
use self::matcher::{ListChecker, Matcher};
use self::queue::StoreQueue;
use self::stored_secret::SecretCipher;
use self::transport::HttpTransport;
use self::webhook::attempt::ATTEMPT_TIME_MAX;
use self::webhook::{AllowedAddresses, PublicUrl, Sender};
use crate::account::store::StorePool;
use crate::random;
use crate::text::codes::{DataVersion, Register};

pub use error::RadarError;
pub use matcher::CommonVersion;

pub struct RadarConfig {
    /// The folder of snapshots and change lists.
    pub snapshots: PathBuf,
    pub store: Arc<StorePool>,
    /// The URL in events, from which receivers get the changes.
    pub public_url: PublicUrl,
    pub allowed_addresses: AllowedAddresses,
    pub counters: Arc<DeliveryCounters>,
    pub cipher: SecretCipher,
    pub common_version: CommonVersion,
}

/// The threads that match changes and send deliveries. They end when this is dropped.
#[derive(Debug)]
pub struct Radar {
    matcher: Matcher,
    _courier: Courier,
}

impl Radar {
    /// Starts both threads. `latest` returns the newest data version of a register that is served.
    pub fn start(
        config: RadarConfig,
        latest: impl Fn(Register) -> Option<DataVersion> + Send + 'static,
    ) -> io::Result<Radar> {
        // No other server has this name in the store.
        let random = random::u64().map_err(io::Error::other)?;
        let server_name = format!("{}-{random:016x}", std::process::id());
        let sender = Sender::new(config.allowed_addresses, ATTEMPT_TIME_MAX);
        let courier = Courier::start(CourierConfig {
            queue: StoreQueue {
                store: Arc::clone(&config.store),
                server_name: server_name.clone(),
            },
            transport: HttpTransport::new(sender)?,
            public_url: config.public_url,
            counters: config.counters,
            cipher: config.cipher,
        })?;
        let checker = ListChecker {
            snapshots: config.snapshots,
            latest,
            common_version: config.common_version,
            store: config.store,
            server_name,
            checked: HashMap::new(),
        };
        let matcher = Matcher::start(checker, courier.waker())?;
        Ok(Radar { matcher, _courier: courier })
    }

    /// A function that wakes the matcher, to be called after a reload.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        self.matcher.waker()
    }
}
