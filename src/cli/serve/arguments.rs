//! The options of `daicho serve`, and the checked settings that they make.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use clap::Args;

use super::connections::{ConnectionArgs, resolve};
use super::dashboard::{DashboardArgs, DashboardConfig};
use super::data::DataSettings;
#[cfg(feature = "object-store")]
use super::follow::{FollowArgs, FollowConfig, reject_update};
use super::metrics::{MetricsArgs, MetricsConfig};
use super::radar::{RadarArgs, RadarOptions};
use super::warm::{CatalogOpener, Rate};
use super::{keys::KeyCacheArgs, log::LogArgs};
use super::{units::parse_time, update::UpdateArgs};
use crate::api::age::AGE_DAYS_MAX;
use crate::cli::{error::CommandError, store::StateArg};
use crate::query::syntax::Grouping;
use crate::server::proxies::TrustedProxies;
use crate::snapshot::ReadMode;
use crate::update::Options;

/// Longer than any load balancer needs; catches a mistyped unit at the start.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(60 * 60);

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
    /// Rate in bytes per second at which a new data version is read into memory before it is served,
    /// such as 100M. Data already in memory are skipped. `off`: do not read ahead; requests then wait
    /// for the disk
    #[arg(long, value_name = "RATE", env = "DAICHO_WARM", default_value = "100M", value_parser = Rate::parse)]
    warm: Rate,
    #[command(flatten)]
    connections: ConnectionArgs,
    #[command(flatten)]
    pub(super) dashboard: DashboardArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    radar: RadarArgs,
    /// Age in days from which the newest postal data are reported as old: in the log, the dashboard and
    /// the header Daicho-Notice; 0 to never report them
    #[arg(long, value_name = "DAYS", env = "DAICHO_AGE_DAYS", default_value_t = AGE_DAYS_MAX)]
    age_days: u32,
    /// How long to keep serving after SIGTERM, such as 5s, up to 1h. During this time /readyz returns
    /// 503, so that a load balancer removes the server, and clients are asked to reconnect (Connection:
    /// close; GOAWAY). A second SIGTERM, or SIGINT, stops the server at once
    #[arg(long, value_name = "TIME", env = "DAICHO_DRAIN", default_value = "0s", value_parser = parse_drain)]
    drain: Duration,
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

fn parse_drain(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| *time <= DRAIN_TIME_MAX);
    time.ok_or_else(|| "expected a time from 0s to 1h with its unit, such as 5s or 2m".to_owned())
}

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
    pub data: DataSettings,
    pub drain: Duration,
    pub log: LogArgs,
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
            proxies: args.connections.proxies(),
            dashboard: Arc::new(args.dashboard.check(args.connections.proxies())?),
            metrics: args.metrics.check()?,
            radar: args.radar.check(&args.state)?,
            grouping: if args.query_grouping { Grouping::Allowed } else { Grouping::Refused },
            reading: ReadMode { random_access: true, large_pages: args.huge_pages },
            data: DataSettings {
                opener: CatalogOpener::new(args.warm),
                holidays: args.holidays.clone(),
                age_days: args.age_days,
            },
            drain: args.drain,
            log: args.log,
        })
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_a_time_with_its_unit() {
        #[track_caller]
        fn check(text: &str, expected_ms: Option<u64>) {
            let read = parse_drain(text).ok();
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
