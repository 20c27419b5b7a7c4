//! The options of `daicho serve`, and the checked settings that they make.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::addresses::resolve;
use super::age::AgeArgs;
use super::connections::ConnectionArgs;
use super::dashboard::{DashboardArgs, DashboardConfig};
#[cfg(feature = "object-store")]
use super::follow::{FollowArgs, FollowConfig, reject_update};
use super::keys::KeyCacheArgs;
use super::log::{LogArgs, LogConfig};
use super::metrics::{MetricsArgs, MetricsConfig};
use super::proxy::ProxyArgs;
use super::radar::{RadarArgs, RadarOptions};
use super::stop::DrainArgs;
use super::update::UpdateArgs;
use super::warm::{CatalogOpener, WarmArgs};
use crate::cli::{error::CommandError, store::StateArg};
use crate::query::syntax::Grouping;
use crate::server::proxies::TrustedProxies;
use crate::snapshot::ReadMode;
use crate::update::Options;

/// Arguments of `daicho serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The snapshot folder, reloaded when it changes and on SIGHUP; or, with --cache, the URL of
    /// releases, such as s3://bucket/daicho (also gs://, az:// and file://)
    #[arg(long, value_name = "DIR|URL", env = "DAICHO_SNAPSHOTS", default_value = "snapshots")]
    snapshots: String,
    #[command(flatten)]
    pub(super) state: StateArg,
    #[command(flatten)]
    pub(super) key_cache: KeyCacheArgs,
    /// Address to listen on; repeat the option or separate addresses with commas
    #[arg(long, value_name = "ADDR", env = "DAICHO_LISTEN", value_delimiter = ',')]
    #[arg(default_value = "127.0.0.1:8080")]
    listen: Vec<String>,
    /// Allow parentheses in corporate search queries, as in (東京 OR 大阪) AND 銀行. By default such
    /// queries get status 400
    #[arg(long, env = "DAICHO_QUERY_GROUPING", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    query_grouping: bool,
    /// Copy the indexes of corporate and invoice numbers into huge pages. Costs 30 MiB of memory for
    /// each loaded version with all corporations. By default the indexes are read from the mapped file
    #[arg(long, env = "DAICHO_HUGE_PAGES", value_parser = clap::builder::BoolishValueParser::new(),
          action = clap::ArgAction::SetTrue)]
    huge_pages: bool,
    #[command(flatten)]
    warm: WarmArgs,
    #[command(flatten)]
    proxy: ProxyArgs,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    pub(super) dashboard: DashboardArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    radar: RadarArgs,
    #[command(flatten)]
    age: AgeArgs,
    #[command(flatten)]
    drain: DrainArgs,
    /// File with your own holidays, added to the national ones. Each line has a date and a title, such
    /// as 2026-08-13,夏季休業. The file is reloaded when it changes
    #[arg(long, value_name = "FILE", env = "DAICHO_HOLIDAYS")]
    holidays: Option<PathBuf>,
    #[cfg(feature = "object-store")]
    #[command(flatten)]
    follow: FollowArgs,
    #[command(flatten)]
    update: UpdateArgs,
    #[command(flatten)]
    log: LogArgs,
}

/// The checked settings of the server.
#[derive(Debug)]
pub struct ServeConfig {
    pub snapshots: PathBuf,
    /// `None` if the folder is local.
    #[cfg(feature = "object-store")]
    pub follow: Option<FollowConfig>,
    pub addresses: Vec<SocketAddr>,
    pub dashboard: Arc<DashboardConfig>,
    /// `None` for no limit.
    pub per_address_max: Option<u32>,
    pub proxies: TrustedProxies,
    pub metrics: MetricsConfig,
    pub radar: RadarOptions,
    /// `None` if this server does not update its data.
    pub update: Option<Options>,
    pub grouping: Grouping,
    pub reading: ReadMode,
    pub opener: CatalogOpener,
    pub age: AgeArgs,
    pub drain: Duration,
    /// The operator's own holidays.
    pub holidays: Option<PathBuf>,
    pub log: LogConfig,
}

impl ServeConfig {
    pub fn check(args: &ServeArgs) -> Result<ServeConfig, CommandError> {
        #[cfg(feature = "object-store")]
        let (snapshots, follow) = args.follow.check(&args.snapshots)?;
        #[cfg(not(feature = "object-store"))]
        let snapshots = local_folder(&args.snapshots)?;
        let update = args.update.options(&snapshots)?;
        #[cfg(feature = "object-store")]
        reject_update(update.is_some(), follow.as_ref())?;
        let mut addresses = Vec::new();
        for text in &args.listen {
            addresses.extend(resolve("--listen", text)?);
        }
        addresses.dedup();
        Ok(ServeConfig {
            update,
            snapshots,
            #[cfg(feature = "object-store")]
            follow,
            addresses,
            per_address_max: args.connections.per_address_max(),
            proxies: args.proxy.proxies(),
            dashboard: Arc::new(args.dashboard.check(args.proxy.proxies())?),
            metrics: args.metrics.check()?,
            radar: args.radar.check(&args.state)?,
            grouping: if args.query_grouping { Grouping::Allowed } else { Grouping::Refused },
            reading: ReadMode { random_access: true, large_pages: args.huge_pages },
            opener: args.warm.opener(),
            age: args.age,
            drain: args.drain.time(),
            holidays: args.holidays.clone(),
            log: args.log.config(),
        })
    }

    /// Whether the snapshots come from releases.
    pub fn follows_releases(&self) -> bool {
        #[cfg(feature = "object-store")]
        return self.follow.is_some();
        #[cfg(not(feature = "object-store"))]
        return false;
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
