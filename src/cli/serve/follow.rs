//! `serve --snapshots URL --cache DIR`: the options of a server that follows releases, and what it opens before
//! it listens. `follower.rs` loads and serves the releases.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;

use super::follow_metrics::FollowMetrics;
use super::units::{parse_bytes, parse_time};
use crate::cli::error::CommandError;
use crate::dataset;
use crate::release::signature::PublicKey;
use crate::release::{self, Cache, Downloader, Label, LazyBucket, NodeName, ReleaseError};
use crate::text::codes::{DataVersion, Register};

#[derive(Debug, Args)]
#[command(next_help_heading = "Releases")]
pub struct FollowArgs {
    /// Folder for downloaded release files when --snapshots is a URL; do not share it with another server
    #[arg(long, value_name = "DIR", env = "DAICHO_CACHE")]
    cache: Option<PathBuf>,
    /// Maximum size of the cache, such as 40G; a release that does not fit is not served
    /// [default: no limit]
    #[arg(long, value_name = "BYTES", env = "DAICHO_CACHE_SIZE", value_parser = parse_bytes)]
    cache_size: Option<u64>,
    /// Interval at which to check which release is active, 50ms to 1h [default: 2s]
    #[arg(long, value_name = "TIME", env = "DAICHO_RELEASE_POLL", value_parser = parse_poll)]
    release_poll: Option<Duration>,
    /// PEM file with a public Ed25519 key; releases without a valid signature for it are not served
    #[arg(long, value_name = "FILE", env = "DAICHO_RELEASE_KEY")]
    release_key: Option<PathBuf>,
    /// Follow the release of this label, such as canary; if the label has none, follow the general one
    #[arg(long, value_name = "LABEL", env = "DAICHO_NODE_LABEL", value_parser = Label::parse)]
    node_label: Option<Label>,
    /// Name of this server in the object store; must be unique
    /// [default: the host name and the first listening address]
    #[arg(long, value_name = "NAME", env = "DAICHO_NODE_NAME", value_parser = NodeName::parse)]
    node_name: Option<NodeName>,
}

const POLL_INTERVAL: Duration = Duration::from_secs(2);
const POLL_INTERVAL_MIN: Duration = Duration::from_millis(50);
const POLL_INTERVAL_MAX: Duration = Duration::from_secs(60 * 60);

fn parse_poll(text: &str) -> Result<Duration, String> {
    let poll =
        parse_time(text).filter(|poll| (POLL_INTERVAL_MIN..=POLL_INTERVAL_MAX).contains(poll));
    poll.ok_or_else(|| "expected a time from 50ms to 1h with its unit, such as 2s".to_owned())
}

pub struct FollowConfig {
    pub url: String,
    pub bucket: LazyBucket,
    pub downloader: Downloader,
    /// What was removed from the cache because no release with a valid signature has it; the log has not started yet
    /// by then.
    pub unverified: Vec<PathBuf>,
    /// Follow the release of this label, or the general one.
    pub label: Option<Label>,
    pub poll: Duration,
    pub name: Option<NodeName>,
    pub metrics: Arc<FollowMetrics>,
}

impl FollowArgs {
    /// The folder to serve, and what to follow if `--snapshots` is a URL.
    /// `cache_lock` is that of the server from which this one takes over.
    pub fn check(
        &self,
        snapshots: &str,
        cache_lock: Option<File>,
    ) -> Result<(PathBuf, Option<FollowConfig>), CommandError> {
        if !snapshots.contains("://") {
            return match self.first_given() {
                None => Ok((snapshots.into(), None)),
                Some(option) => Err(CommandError::Usage(format!(
                    "{option} needs a URL as --snapshots, such as s3://bucket/daicho; found the folder {snapshots}"
                ))),
            };
        }
        let Some(folder) = &self.cache else {
            return Err(CommandError::Usage(format!(
                "--snapshots {snapshots} needs a folder for the files with --cache; found none"
            )));
        };
        let key = self.release_key.as_deref().map(PublicKey::read).transpose();
        let key = key.map_err(ReleaseError::from)?;
        let mut bucket = LazyBucket::new(snapshots.to_owned());
        // After any other error the store may become reachable later; the cache is usable meanwhile.
        if let Err(error) = bucket.get()
            && error.is_usage()
        {
            return Err(error.into());
        }
        let cache = Cache::open(folder, key, cache_lock)?;
        let unverified = cache.remove_unverified()?;
        let metrics = Arc::new(FollowMetrics::default());
        metrics.set_active(cache.active());
        let is_stopped = Arc::default();
        let downloader = Downloader { cache, bytes_max: self.cache_size, is_stopped };
        let label = self.node_label.clone();
        let poll = self.release_poll.unwrap_or(POLL_INTERVAL);
        let (url, name) = (snapshots.to_owned(), self.node_name.clone());
        let config =
            FollowConfig { url, bucket, downloader, unverified, label, poll, name, metrics };
        Ok((Cache::snapshots(folder), Some(config)))
    }

    fn first_given(&self) -> Option<&'static str> {
        let cache = self.cache.as_ref().map(|_| "--cache");
        let size = self.cache_size.map(|_| "--cache-size");
        let poll = self.release_poll.map(|_| "--release-poll");
        let key = self.release_key.as_ref().map(|_| "--release-key");
        let label = self.node_label.as_ref().map(|_| "--node-label");
        let name = self.node_name.as_ref().map(|_| "--node-name");
        cache.or(size).or(poll).or(key).or(label).or(name)
    }
}

/// A function that returns the newest corporate version, up to the given one, that every server has; `None`
/// while the store is unreachable.
pub fn version_on_all_servers(
    url: String,
) -> impl Fn(Register, DataVersion) -> Option<DataVersion> + Send {
    let bucket = Mutex::new(LazyBucket::new(url));
    move |register, own_version| {
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let version = bucket.get().and_then(|bucket| {
            release::version_on_all_nodes(bucket, dataset::kind_of(register), own_version)
        });
        version.unwrap_or_else(|error| {
            tracing::debug!(%error, "webhook deliveries wait until the data versions of the other servers are known");
            None
        })
    }
}

/// Rejects `--update` on a server whose data come from releases.
pub fn reject_update(updates: bool, follow: Option<&FollowConfig>) -> Result<(), CommandError> {
    match follow {
        Some(follow) if updates => Err(CommandError::Usage(format!(
            "--update needs a folder as --snapshots; found {}; run updates on the machine that pushes the releases",
            follow.url
        ))),
        _ => Ok(()),
    }
}
