//! The options of the radar: the public URL, the size of watch lists, where webhooks may go.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;
use clap::builder::FalseyValueParser;

use crate::cli::error::CommandError;
use crate::radar::watch_list::WATCHED_MAX;
use crate::radar::webhook::{PublicUrl, Reach};

#[derive(Debug, Args)]
pub struct RadarArgs {
    /// Address at which clients reach this server, such as https://api.example.com: webhook events
    /// link to it, and a dashboard with its own address shows it in code examples. Set it behind a
    /// proxy [default: the first address to listen on]
    #[arg(long, value_name = "URL", env = "DAICHO_PUBLIC_URL")]
    public_url: Option<String>,
    /// Most corporate numbers that an account may watch
    #[arg(long, value_name = "COUNT", env = "DAICHO_WATCH_LIMIT", default_value_t = WATCHED_MAX)]
    watch_limit: u64,
    /// Send webhook events to private and loopback addresses too
    #[arg(long, env = "DAICHO_WEBHOOK_ALLOW_PRIVATE", value_parser = FalseyValueParser::new())]
    webhook_allow_private: bool,
}

#[derive(Debug)]
pub struct RadarOptions {
    public_url: Option<PublicUrl>,
    pub watched_max: u64,
    pub reach: Reach,
}

impl RadarArgs {
    pub fn check(&self) -> Result<RadarOptions, CommandError> {
        let public_url = self.public_url.as_deref().map(str::parse).transpose();
        let usage = |error| CommandError::Usage(format!("--public-url: {error}"));
        Ok(RadarOptions {
            public_url: public_url.map_err(usage)?,
            watched_max: self.watch_limit,
            reach: if self.webhook_allow_private { Reach::Anywhere } else { Reach::Public },
        })
    }
}

impl RadarOptions {
    /// The given public URL, or that of the first address that the server listens on.
    pub fn public_url(&self, first: SocketAddr) -> PublicUrl {
        let listening = || {
            // Nobody can connect to "every address".
            let ip = Some(first.ip()).filter(|ip| !ip.is_unspecified());
            let ip = ip.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
            let url = format!("http://{}", SocketAddr::new(ip, first.port()));
            url.parse().expect("an address and a port are a host")
        };
        self.public_url.clone().unwrap_or_else(listening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(public_url: Option<&str>) -> RadarArgs {
        let public_url = public_url.map(str::to_owned);
        RadarArgs { public_url, watch_limit: 5, webhook_allow_private: false }
    }

    #[test]
    fn the_public_url_is_the_one_given_or_the_listening_address() {
        #[track_caller]
        fn check(given: Option<&str>, listening: &str, expected: &str) {
            let options = args(given).check().expect("sound");
            let found = options.public_url(listening.parse().expect("an address"));
            assert_eq!(found.to_string(), expected);
            assert_eq!(options.reach, Reach::Public);
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
