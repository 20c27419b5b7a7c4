//! The options of `daicho serve`, and the checked settings that they make.
//!
//! With cached keys (`--key-cache`) a server starts even if the store is unreachable or unreadable. It does not start
//! if the store is damaged or belongs to another program: the operator has to check that.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::num::NonZeroU32;
use std::path::Path;
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use clap::builder::FalseyValueParser;
use jiff::Timestamp;

use super::activation::{Handed, ListenAt, places};
use super::compat::{CompatArgs, CompatConfig};
use super::connections::{ConnectionArgs, LISTEN_DEFAULT};
use super::dashboard::{DashboardArgs, DashboardConfig, Switch};
use super::data::{CatalogOpener, DataSettings, Rate};
#[cfg(feature = "object-store")]
use super::follow::{FollowArgs, FollowConfig, reject_update};
use super::log::LogArgs;
use super::own_paths::own_path_below;
use super::tls::TlsArgs;
use super::units::{parse_bytes, parse_time};
use super::update::{UpdateArgs, UpdateSettings};
use crate::account::store::{
    Access, Health, IfMissing, Store, StoreError, StoreFault, StoreLocation,
};
use crate::account::{CachedKeys, KeyCache, KeyCacheError, KeyCacheFault, LiveKeys, Meters};
use crate::api::age::AGE_DAYS_MAX;
use crate::api::holidays::OwnHolidaysFile;
use crate::api::metrics::{MetricsAccess, MetricsPlace, MetricsToken};
use crate::cli::data::{CorrectionsArg, HolidaysArg};
use crate::cli::webhook_options::WebhookKeyArg;
use crate::cli::{error::CommandError, store::StateArg};
use crate::compat;
use crate::query::syntax::Grouping;
use crate::radar::registration;
use crate::radar::stored_secret::SecretCipher;
use crate::radar::watch_list::WATCHED_MAX;
use crate::radar::webhook::{AllowedAddresses, PublicUrl};
use crate::server::certificate::Certificate;
use crate::server::proxies::TrustedProxies;
use crate::server::public_site::PublicSite;
use crate::server::unix_socket::SocketMode;
use crate::snapshot::ReadMode;
use crate::system::memory;

/// The longest time of a drain, and between two collections of metrics: catches a mistyped unit at the start.
const HOUR: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The snapshot folder, reloaded when it changes and on SIGHUP; or, with --cache, the URL of
    /// releases, such as s3://bucket/daicho (also gs://, az:// and file://)
    #[arg(long, value_name = "DIR|URL", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    pub snapshots: String,
    #[command(flatten)]
    pub state: StateArg,
    #[command(flatten)]
    pub(super) key_cache: KeyCacheArgs,
    /// Address to listen on, or unix:PATH for a Unix socket; repeat the option or separate addresses
    /// with commas [default: the sockets that systemd hands over, else 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "DAICHO_LISTEN", value_delimiter = ',')]
    listen: Vec<String>,
    /// Allow parentheses in corporate search queries, as in (東京 OR 大阪) AND 銀行. By default such
    /// queries get status 400
    #[arg(long, env = "DAICHO_QUERY_GROUPING", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    query_grouping: bool,
    /// Has no effect: large indexes are in huge pages where the system allows it. Accepted because
    /// earlier versions had it
    #[arg(long, env = "DAICHO_HUGE_PAGES", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    huge_pages: bool,
    /// Memory that the data versions of a dataset besides the newest may take, such as 512M; versions
    /// that were not used for the longest time are closed above that, and read again when a request
    /// names them [default: a quarter of the memory]
    #[arg(long, value_name = "BYTES", env = "DAICHO_OLD_VERSIONS_MEMORY", value_parser = parse_bytes)]
    old_versions_memory: Option<u64>,
    /// Rate in bytes per second at which a new data version is read into memory before it is served,
    /// such as 100M. Data already in memory are skipped. `off`: do not read ahead; requests then wait
    /// for the disk
    #[arg(long, value_name = "RATE", env = "DAICHO_WARM", default_value = "100M", value_parser = Rate::parse)]
    warm: Rate,
    #[command(flatten)]
    pub tls: TlsArgs,
    #[command(flatten)]
    compat: CompatArgs,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    pub(super) dashboard: DashboardArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    pub radar: RadarArgs,
    /// Age in days from which the newest postal data are reported as old: in the log, the dashboard and
    /// the header Daicho-Notice. The other datasets have ages of their own: corporations and invoice issuers
    /// 14 days, banks 60, schools 400. 0 to never report any
    #[arg(long, value_name = "DAYS", env = "DAICHO_AGE_DAYS", default_value_t = AGE_DAYS_MAX)]
    pub age_days: u32,
    /// How long to keep serving after SIGTERM, such as 5s, up to 1h. During this time /readyz returns
    /// 503, so that a load balancer removes the server, and clients are asked to reconnect (Connection:
    /// close; GOAWAY). A second SIGTERM, or SIGINT, stops the server at once
    #[arg(long, value_name = "TIME", env = "DAICHO_DRAIN", default_value = "0s", value_parser = parse_hour)]
    drain: Duration,
    #[command(flatten)]
    pub holidays: HolidaysArg,
    #[command(flatten)]
    corrections: CorrectionsArg,
    #[cfg(feature = "object-store")]
    #[command(flatten)]
    follow: FollowArgs,
    #[command(flatten)]
    pub update: UpdateArgs,
    #[command(flatten)]
    log: LogArgs,
}

/// Bytes of memory that are assumed where the system does not say how much it has.
const UNKNOWN_MEMORY: u64 = 4 << 30;

impl ServeArgs {
    /// Whether the data come from the releases of an object store.
    pub fn follows_releases(&self) -> bool {
        self.snapshots.contains("://")
    }

    /// Requests read in no order. By default old versions may take a quarter of the memory.
    fn reading(&self) -> ReadMode {
        let quarter = || memory::available_to_process().map_or(UNKNOWN_MEMORY / 4, |it| it / 4);
        let old_versions_max = self.old_versions_memory.unwrap_or_else(quarter);
        ReadMode { random_access: true, old_versions_max }
    }

    /// The first address to listen on.
    pub fn first_address(&self) -> &str {
        self.listen.first().map_or("", String::as_str)
    }
}

fn parse_hour(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| *time <= HOUR);
    time.ok_or_else(|| "expected a time from 0s to 1h with its unit, such as 5s or 2m".to_owned())
}

pub struct ServeConfig {
    pub snapshots: PathBuf,
    /// `None` if the folder is local.
    #[cfg(feature = "object-store")]
    pub follow: Option<FollowConfig>,
    /// Whether this server takes over from a running one.
    pub is_takeover: bool,
    pub addresses: Vec<ListenAt>,
    pub socket_mode: SocketMode,
    /// Whether connections to the API and the dashboard begin with the header of the PROXY protocol.
    pub expects_proxy_header: bool,
    /// `None` if the addresses speak HTTP in clear text.
    pub certificate: Option<Arc<Certificate>>,
    pub dashboard: Arc<DashboardConfig>,
    /// `None` for no limit.
    pub per_address_max: Option<u32>,
    /// Most answers a second to an address without a key.
    pub keyless_per_second: Option<NonZeroU32>,
    pub proxies: TrustedProxies,
    pub metrics: MetricsConfig,
    pub radar: RadarOptions,
    /// Where clients reach this server.
    pub site: Arc<PublicSite>,
    /// `None` if this server does not update its data.
    pub update: Option<UpdateSettings>,
    pub grouping: Grouping,
    pub compat: CompatConfig,
    pub reading: ReadMode,
    pub data: DataSettings,
    pub drain: Duration,
    pub log: LogArgs,
}

impl ServeConfig {
    pub fn check(args: &ServeArgs, handed: Handed) -> Result<ServeConfig, CommandError> {
        #[cfg(feature = "object-store")]
        let (snapshots, follow) = args.follow.check(&args.snapshots, handed.cache_lock)?;
        #[cfg(not(feature = "object-store"))]
        let snapshots = local_folder(&args.snapshots)?;
        let update = args.update.settings(&snapshots)?;
        #[cfg(feature = "object-store")]
        reject_update(update.is_some(), follow.as_ref())?;
        let is_default = args.listen.is_empty() && handed.api.is_empty();
        let texts =
            args.listen.iter().map(String::as_str).chain(is_default.then_some(LISTEN_DEFAULT));
        let addresses = places("--listen", texts, handed.api)?;
        let radar = args.radar.check(&args.state)?;
        let compat = args.compat.check()?;
        let site = radar.site(compat.enabled)?;
        let corrections = args.corrections.folder(&snapshots)?;
        Ok(ServeConfig {
            update,
            snapshots,
            #[cfg(feature = "object-store")]
            follow,
            is_takeover: handed.is_takeover,
            addresses,
            socket_mode: args.connections.socket_mode,
            expects_proxy_header: args.connections.expects_proxy_header()?,
            certificate: args.tls.check()?,
            per_address_max: args.connections.per_address_max(),
            keyless_per_second: args.connections.keyless_per_second(),
            proxies: args.connections.proxies(),
            dashboard: Arc::new(args.dashboard.check(
                &args.connections.proxies(),
                handed.dashboard,
                handed.is_takeover,
            )?),
            metrics: args.metrics.check(handed.metrics)?,
            radar,
            site: Arc::new(site),
            grouping: if args.query_grouping { Grouping::Allowed } else { Grouping::Refused },
            compat,
            reading: args.reading(),
            data: DataSettings {
                opener: CatalogOpener::new(args.warm),
                holidays: OwnHolidaysFile::new(args.holidays.holidays.as_deref(), &corrections),
                corrections,
                age_days: args.age_days,
            },
            drain: args.drain,
            log: args.log,
        })
    }

    pub fn scheme(&self) -> &'static str {
        if self.certificate.is_some() { "https" } else { "http" }
    }

    /// The given public URL, or the URL of the first listening address.
    pub fn public_url(&self, first: Option<SocketAddr>) -> PublicUrl {
        self.radar.public_url(self.scheme(), first)
    }

    pub fn follows_releases(&self) -> bool {
        #[cfg(feature = "object-store")]
        return self.follow.is_some();
        #[cfg(not(feature = "object-store"))]
        return false;
    }

    /// A handle of the lock of the cache of releases; `None` without one.
    pub fn cache_lock(&self) -> io::Result<Option<File>> {
        #[cfg(feature = "object-store")]
        return self.follow.as_ref().map(|it| it.downloader.cache.lock_handle()).transpose();
        #[cfg(not(feature = "object-store"))]
        return Ok(None);
    }
}

#[cfg(not(feature = "object-store"))]
fn local_folder(snapshots: &str) -> Result<PathBuf, CommandError> {
    match snapshots.split_once("://") {
        None => Ok(snapshots.into()),
        Some((scheme, _)) => Err(CommandError::Usage(format!(
            "--snapshots: expected a folder; found a URL of scheme {scheme}; name a folder, or build daicho with the \
             feature object-store"
        ))),
    }
}

/// Larger than any token.
const FILE_BYTES_MAX: u64 = 1024;

#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Whether to serve /metrics
    #[arg(long, value_enum, env = "DAICHO_METRICS", default_value = "on")]
    metrics: Switch,
    /// Serve /metrics at this address instead of the API's
    #[arg(long, value_name = "ADDR", env = "DAICHO_METRICS_LISTEN")]
    metrics_listen: Option<String>,
    /// File with a token of 16 to 200 characters; /metrics then requires Authorization: Bearer TOKEN
    #[arg(long, value_name = "FILE", env = "DAICHO_METRICS_TOKEN_FILE")]
    metrics_token_file: Option<PathBuf>,
    /// How long /metrics answers with the same figures, such as 5s, up to 1h; with 0s it collects them for
    /// each request
    #[arg(long, value_name = "TIME", env = "DAICHO_METRICS_INTERVAL", default_value = "1s", value_parser = parse_hour)]
    metrics_interval: Duration,
}

#[derive(Debug)]
pub struct MetricsConfig {
    pub access: MetricsAccess,
    /// How long the same figures are sent.
    pub interval: Duration,
    /// Separate addresses for the metrics.
    pub addresses: Vec<ListenAt>,
}

impl MetricsArgs {
    pub fn check(&self, handed: Vec<ListenAt>) -> Result<MetricsConfig, CommandError> {
        let file = self.metrics_token_file.as_deref();
        if self.metrics == Switch::Off {
            let other = self.metrics_listen.as_ref().map(|_| "--metrics-listen");
            let other = other.or((!handed.is_empty()).then_some("the socket metrics of systemd"));
            if let Some(other) = other.or(file.map(|_| "--metrics-token-file")) {
                let message =
                    format!("{other} needs --metrics on; found --metrics off; leave one out");
                return Err(CommandError::Usage(message));
            }
        }
        let token = file.map(read_token).transpose()?;
        let addresses = places("--metrics-listen", self.metrics_listen.as_deref(), handed)?;
        let place = match self.metrics {
            Switch::Off => MetricsPlace::Nowhere,
            Switch::On if addresses.is_empty() => MetricsPlace::WithApi,
            Switch::On => MetricsPlace::Apart,
        };
        Ok(MetricsConfig {
            access: MetricsAccess { place, token },
            interval: self.metrics_interval,
            addresses,
        })
    }
}

fn read_token(path: &Path) -> Result<MetricsToken, CommandError> {
    let shown = path.display();
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(FILE_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| {
        CommandError::Failed(format!("--metrics-token-file: {shown} cannot be read: {error}"))
    })?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let token = MetricsToken::parse(line.strip_suffix('\r').unwrap_or(line));
    token.map_err(|fault| CommandError::Usage(format!("--metrics-token-file: {shown}: {fault}")))
}

#[derive(Debug, Args)]
pub struct RadarArgs {
    /// URL at which clients reach this server, such as https://api.example.com, or with the path below
    /// which a proxy shows it, such as https://example.com/daicho. Pages, links in webhook events, code
    /// examples and cookies use it. Set it if the server is behind a proxy [default: the first listening
    /// address]
    #[arg(long, value_name = "URL", env = "DAICHO_PUBLIC_URL")]
    public_url: Option<String>,
    /// Maximum number of corporations, and of invoice issuers, that an account may watch
    #[arg(long, value_name = "COUNT", env = "DAICHO_WATCH_LIMIT", default_value_t = WATCHED_MAX)]
    watch_limit: u64,
    /// Send webhook events to private and loopback addresses too
    #[arg(long, env = "DAICHO_WEBHOOK_ALLOW_PRIVATE", value_parser = FalseyValueParser::new())]
    webhook_allow_private: bool,
    #[command(flatten)]
    pub webhook_key: WebhookKeyArg,
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
            allowed_addresses: self.allowed_addresses(),
        })
    }

    pub fn allowed_addresses(&self) -> AllowedAddresses {
        match self.webhook_allow_private {
            true => AllowedAddresses::Any,
            false => AllowedAddresses::Public,
        }
    }
}

impl RadarOptions {
    /// The site of the public URL, if its path is none that this server has itself: a proxy may strip it or not, and then
    /// the two could not be told apart.
    fn site(&self, compat: compat::Enabled) -> Result<PublicSite, CommandError> {
        let Some(url) = &self.public_url else { return Ok(PublicSite::default()) };
        let usage = |error: &dyn Display| CommandError::Usage(format!("--public-url: {error}"));
        let site = PublicSite::new(&url.to_string()).map_err(|fault| usage(&fault))?;
        match own_path_below(site.base(), compat) {
            None => Ok(site),
            Some(own) => Err(usage(&format!(
                "expected a path that this server does not have itself, such as /daicho; found {}, which would hide {own}",
                site.base()
            ))),
        }
    }

    /// The given public URL, or the URL of the first TCP address.
    fn public_url(&self, scheme: &str, first: Option<SocketAddr>) -> PublicUrl {
        let listening = || {
            let host = match first {
                // The unspecified address is not a valid destination.
                Some(first) if first.ip().is_unspecified() => {
                    SocketAddr::new(Ipv4Addr::LOCALHOST.into(), first.port()).to_string()
                }
                Some(first) => first.to_string(),
                // Only a Unix socket: the host of the proxy in front of it is not known.
                None => "localhost".to_owned(),
            };
            format!("{scheme}://{host}").parse().expect("an address and a port are a host")
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

#[derive(Debug, Args)]
pub struct KeyCacheArgs {
    /// File that caches the known API keys as hashes, readable only by this user. With it the server
    /// starts and answers look-ups while the store is unreachable. Use one file per server
    #[arg(long, value_name = "FILE", env = "DAICHO_KEY_CACHE")]
    key_cache: Option<PathBuf>,
}

/// The initial keys, and the sources of later ones.
pub struct OpenedKeys {
    pub keys: LiveKeys,
    /// `None` while it is unreachable.
    pub store: Option<Store>,
    pub cache: Option<KeyCache>,
}

impl KeyCacheArgs {
    /// Opens the store, or loads the cached keys.
    pub fn open_keys(
        &self,
        state: &StateArg,
        health: &Arc<Health>,
    ) -> Result<OpenedKeys, CommandError> {
        let location = state.location()?;
        let meters = Arc::new(Meters::new(Timestamp::now()));
        let cache = self.key_cache.clone();
        let cache = cache.map(|path| KeyCache::new(path, location.to_string()));
        let cached = cache.as_ref().map(|cache| cache.read(&meters)).transpose();
        if let Err(error) = &cached
            && error.fault.is_wrong_path()
        {
            return Err(CommandError::failed(error));
        }
        // Cached keys prove that a store existed: do not replace it with an empty one.
        let had_store = match &cached {
            Ok(cached) => {
                cached.as_ref().is_some_and(|cached| !cached.keyring.entries().is_empty())
            }
            Err(error) => !matches!(error.fault, KeyCacheFault::Missing),
        };
        let if_missing = if had_store { IfMissing::Refuse } else { IfMissing::Create };
        let opened = open_store(&location, if_missing).and_then(|mut store| {
            let keys = LiveKeys::load(&mut store, Arc::clone(health))?;
            Ok((keys, store))
        });
        match opened {
            Ok((keys, store)) => {
                if let Err(error) = cached
                    && had_store
                {
                    tracing::warn!(%error, "the key cache was not usable; it will be rewritten");
                }
                Ok(OpenedKeys { keys, store: Some(store), cache })
            }
            Err(error) if error.is_damage() => Err(error.into()),
            Err(error) => {
                let cached = require_cached_keys(&error, cached)?;
                health.mark_failing(Access::Read);
                let keys = LiveKeys::cached(cached.keyring, meters, Arc::clone(health));
                Ok(OpenedKeys { keys, store: None, cache })
            }
        }
    }
}

/// Opens the store. Logs a warning if it creates one, since a mistyped location looks like a new store.
fn open_store(location: &StoreLocation, if_missing: IfMissing) -> Result<Store, StoreError> {
    use StoreFault::{EmptyDatabase, Missing};
    match Store::open(location, IfMissing::Refuse) {
        Err(StoreError::Unusable { fault: Missing | EmptyDatabase, .. })
            if if_missing == IfMissing::Create => {}
        opened => return opened,
    }
    let store = Store::open(location, IfMissing::Create)?;
    tracing::warn!(
        "created a new store at {location}, without accounts and keys; if you meant an existing one, stop the server \
         and name it with --state"
    );
    Ok(store)
}

/// The cached keys, with one log line; the errors of store and cache if there are none.
fn require_cached_keys(
    store_error: &StoreError,
    cached: Result<Option<CachedKeys>, KeyCacheError>,
) -> Result<CachedKeys, CommandError> {
    match cached {
        Ok(Some(cached)) => {
            let (keys, written) = (cached.keyring.entries().len(), cached.written);
            tracing::warn!(
                error = %store_error, keys, %written,
                "the store is unreachable; serving with the cached keys until it is back"
            );
            Ok(cached)
        }
        Ok(None) => Err(CommandError::failed(format!(
            "{store_error}; with --key-cache FILE, a server that has run before can start without its store"
        ))),
        Err(cache_error) => Err(CommandError::failed(format!("{store_error}; {cache_error}"))),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_a_time_with_its_unit() {
        #[track_caller]
        fn check(text: &str, expected_ms: Option<u64>) {
            let read = parse_hour(text).ok();
            assert_eq!(read, expected_ms.map(Duration::from_millis), "{text:?}");
        }
        check("0s", Some(0));
        check("5s", Some(5_000));
        check("250ms", Some(250));
        check("1m 30s", Some(90_000));
        check("1h", Some(3_600_000));
        for wrong in ["", "0", "5", "s", "-5s", "5s ago", "3601s", "1d", "1e9h", "５s", "off"] {
            check(wrong, None);
        }
    }
}

#[cfg(test)]
mod radar_tests {
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
            let found = options.public_url("http", listening.parse().ok());
            assert_eq!(found.to_string(), expected);
            assert_eq!(options.allowed_addresses, AllowedAddresses::Public);
        }
        checked(Some("https://api.example.com/"), "127.0.0.1:1", "https://api.example.com");
        checked(None, "127.0.0.1:8080", "http://127.0.0.1:8080");
        checked(None, "0.0.0.0:8080", "http://127.0.0.1:8080");
        checked(None, "[::]:8080", "http://127.0.0.1:8080");
        checked(None, "[::1]:8080", "http://[::1]:8080");
        checked(None, "unix:/run/d.sock", "http://localhost");
        let error = check(Some("api.example.com")).expect_err("no URL");
        assert_eq!(error.exit_code(), 2);
        assert!(
            error.to_string().starts_with("--public-url: the public URL has the form"),
            "{error}"
        );
    }
}
