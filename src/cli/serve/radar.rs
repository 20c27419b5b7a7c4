//! The options of the radar: the public URL, the size of watch lists, where webhooks may go.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::{Args, builder::FalseyValueParser};

use crate::account::store::Store;
use crate::cli::{error::CommandError, store::StateArg, webhook_options::WebhookKeyArg};
use crate::radar::webhook::{AllowedAddresses, PublicUrl};
use crate::radar::{registration, secret_cipher::SecretCipher, watch_list::WATCHED_MAX};

#[derive(Debug, Args)]
pub struct RadarArgs {
    /// URL at which clients reach this server, such as https://api.example.com. Links in webhook
    /// events use it, and so do the code examples of a dashboard with its own address. Set it if the
    /// server is behind a proxy [default: the first listening address]
    #[arg(long, value_name = "URL", env = "DAICHO_PUBLIC_URL")]
    public_url: Option<String>,
    /// Maximum number of corporate numbers that an account may watch
    #[arg(long, value_name = "COUNT", env = "DAICHO_WATCH_LIMIT", default_value_t = WATCHED_MAX)]
    watch_limit: u64,
    /// Send webhook events to private and loopback addresses too
    #[arg(long, env = "DAICHO_WEBHOOK_ALLOW_PRIVATE", value_parser = FalseyValueParser::new())]
    webhook_allow_private: bool,
    #[command(flatten)]
    webhook_key: WebhookKeyArg,
}

#[derive(Debug)]
pub struct RadarOptions {
    public_url: Option<PublicUrl>,
    pub cipher: SecretCipher,
    pub watched_max: u64,
    pub allowed_addresses: AllowedAddresses,
}

impl RadarArgs {
    pub fn check(&self, state: &StateArg) -> Result<RadarOptions, CommandError> {
        let public_url = self.public_url.as_deref().map(str::parse).transpose();
        let usage = |error| CommandError::Usage(format!("--public-url: {error}"));
        Ok(RadarOptions {
            public_url: public_url.map_err(usage)?,
            cipher: self.webhook_key.cipher(state)?,
            watched_max: self.watch_limit,
            allowed_addresses: match self.webhook_allow_private {
                true => AllowedAddresses::Any,
                false => AllowedAddresses::Public,
            },
        })
    }
}

impl RadarOptions {
    /// The given public URL, or the URL of the first listening address.
    pub fn public_url(&self, first: SocketAddr) -> PublicUrl {
        let listening = || {
            // The unspecified address is not a valid destination.
            let ip = Some(first.ip()).filter(|ip| !ip.is_unspecified());
            let ip = ip.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
            let url = format!("http://{}", SocketAddr::new(ip, first.port()));
            url.parse().expect("an address and a port are a host")
        };
        self.public_url.clone().unwrap_or_else(listening)
    }
}

/// Encrypts secrets that an earlier version stored in plain. Without a key, everything else works.
pub fn encrypt_secrets(store: &mut Store, cipher: &SecretCipher) {
    match registration::encrypt_plain_secrets(store, cipher) {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "encrypted the secrets of webhooks"),
        Err(error) => {
            tracing::error!(%error, "webhooks cannot be set, and those with an encrypted secret \
                                     get no deliveries; the rest of the server works");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(public_url: Option<&str>) -> Result<RadarOptions, CommandError> {
        let public_url = public_url.map(str::to_owned);
        let webhook_key = WebhookKeyArg { webhook_key_file: None };
        let args =
            RadarArgs { public_url, watch_limit: 5, webhook_allow_private: false, webhook_key };
        args.check(&StateArg { state: "daicho.db".into() })
    }

    #[test]
    fn the_public_url_is_the_option_or_the_listening_address() {
        #[track_caller]
        fn checked(given: Option<&str>, listening: &str, expected: &str) {
            let options = check(given).expect("sound");
            let found = options.public_url(listening.parse().expect("an address"));
            assert_eq!(found.to_string(), expected);
            assert_eq!(options.allowed_addresses, AllowedAddresses::Public);
        }
        checked(Some("https://api.example.com/"), "127.0.0.1:1", "https://api.example.com");
        checked(None, "127.0.0.1:8080", "http://127.0.0.1:8080");
        checked(None, "0.0.0.0:8080", "http://127.0.0.1:8080");
        checked(None, "[::]:8080", "http://127.0.0.1:8080");
        checked(None, "[::1]:8080", "http://[::1]:8080");
        let error = check(Some("api.example.com")).expect_err("no URL");
        assert_eq!(error.exit_code(), 2);
        assert!(
            error.to_string().starts_with("--public-url: the public URL has the form"),
            "{error}"
        );
    }
}
