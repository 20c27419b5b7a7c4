//! The radar of a server: finds out what changed, and tells those who watch it.
//!
//! [`matcher`] makes deliveries of the changes that a data version brings, [`courier`] sends them;
//! both through the store alone, so that several servers share the work and one that dies leaves it
//! to the others. [`receivers`] decides how much is sent to whom at once.

pub mod counters;
pub mod courier;
pub mod matcher;
pub mod receivers;
pub mod store;
pub mod webhook;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;
use clap::builder::FalseyValueParser;

use self::counters::DeliveryCounters;
use self::courier::{Courier, CourierConfig};
use self::matcher::{Matcher, Matching};
use crate::account::store::StorePool;
use crate::api::ask::Api;
use crate::cli::error::CommandError;
use crate::radar::webhook::delivery::Reach;
use crate::radar::webhook::{PublicUrl, Sender};

/// Numbers that an account may watch where the operator says nothing.
pub const WATCHED_MAX: u64 = 100_000;

/// Options of the radar.
#[derive(Debug, Args)]
pub struct RadarArgs {
    /// Where clients reach this server, for the address in webhook events and in the code that a
    /// dashboard with an address of its own shows; what is listened on where none is given
    #[arg(long, value_name = "URL", env = "DAICHO_PUBLIC_URL")]
    public_url: Option<String>,
    /// Most corporate numbers that an account may watch
    #[arg(long, value_name = "COUNT", env = "DAICHO_WATCH_LIMIT", default_value_t = WATCHED_MAX)]
    watch_limit: u64,
    /// Send webhook events to private and loopback addresses too
    #[arg(long, env = "DAICHO_WEBHOOK_ALLOW_PRIVATE", value_parser = FalseyValueParser::new())]
    webhook_allow_private: bool,
}

/// The radar's options, checked.
#[derive(Debug)]
pub struct RadarConfig {
    /// `None` where it follows from what is listened on.
    public_url: Option<PublicUrl>,
    /// Most numbers that an account may watch.
    pub watched_max: u64,
    /// Where events may be sent to.
    pub reach: Reach,
}

impl RadarArgs {
    /// Reads what was typed.
    pub fn check(&self) -> Result<RadarConfig, CommandError> {
        let public_url = self.public_url.as_deref().map(str::parse).transpose();
        let usage = |error| CommandError::Usage(format!("--public-url: {error}"));
        Ok(RadarConfig {
            public_url: public_url.map_err(usage)?,
            watched_max: self.watch_limit,
            reach: if self.webhook_allow_private { Reach::Anywhere } else { Reach::Public },
        })
    }
}

impl RadarConfig {
    /// Where receivers are told to ask, given the first address that is listened on.
    pub fn public_url(&self, first: SocketAddr) -> PublicUrl {
        let listening = || {
            // Nobody can ask at "every address".
            let ip = if first.ip().is_unspecified() {
                IpAddr::V4(Ipv4Addr::LOCALHOST)
            } else {
                first.ip()
            };
            let url = format!("http://{}", SocketAddr::new(ip, first.port()));
            url.parse().expect("an address and a port are a host")
        };
        self.public_url.clone().unwrap_or_else(listening)
    }
}

/// What matches and sends. It ends when this is dropped.
#[derive(Debug)]
pub struct Radar {
    /// Makes deliveries.
    pub matcher: Matcher,
    /// Sends them.
    pub courier: Courier,
}

impl Radar {
    /// Starts both for a server that listens at `first`.
    pub fn start(
        config: &RadarConfig,
        api: &Arc<Api>,
        counters: Arc<DeliveryCounters>,
        store: &Arc<StorePool>,
        first: SocketAddr,
    ) -> io::Result<Radar> {
        let by = server_name()?;
        let courier = Courier::start(CourierConfig {
            store: Arc::clone(store),
            sender: Sender::new(config.reach),
            public_url: config.public_url(first),
            counters,
            by: by.clone(),
            at_step: |_step| {},
        })?;
        let snapshots = api.radar.snapshots.clone();
        let matching = Matching::over(snapshots, Arc::clone(api), Arc::clone(store), by);
        let bell = courier.bell();
        let matcher = Matcher::start(matching, move || bell.ring())?;
        Ok(Radar { matcher, courier })
    }
}

/// A name for this server in the store that no other has.
fn server_name() -> io::Result<String> {
    let random = getrandom::u64().map_err(io::Error::other)?;
    Ok(format!("{}-{random:016x}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(public_url: Option<&str>) -> RadarArgs {
        let public_url = public_url.map(str::to_owned);
        RadarArgs { public_url, watch_limit: 5, webhook_allow_private: false }
    }

    #[test]
    fn the_public_url_is_the_one_given_or_what_is_listened_on() {
        #[track_caller]
        fn check(given: Option<&str>, listening: &str, expected: &str) {
            let config = args(given).check().expect("sound");
            let found = config.public_url(listening.parse().expect("an address"));
            assert_eq!(found.to_string(), expected);
            assert_eq!(config.reach, Reach::Public);
        }
        check(Some("https://api.example.com/"), "127.0.0.1:1", "https://api.example.com");
        check(None, "127.0.0.1:8080", "http://127.0.0.1:8080");
        check(None, "0.0.0.0:8080", "http://127.0.0.1:8080");
        check(None, "[::]:8080", "http://127.0.0.1:8080");
        check(None, "[::1]:8080", "http://[::1]:8080");
        let error = args(Some("api.example.com")).check().expect_err("no URL");
        assert_eq!(error.exit_code(), 2);
        assert!(
            error.to_string().starts_with("--public-url: the public URL is written"),
            "{error}"
        );
    }
}
