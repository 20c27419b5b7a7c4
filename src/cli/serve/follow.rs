//! `serve --snapshots URL --cache DIR`: the server follows the releases of an object store. A thread looks which one is
//! active, brings it into the cache, and asks for a reload; what is served stays as it was until then, and while the
//! object store is away.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use clap::Args;

use super::follow_metrics::FollowMetrics;
use super::heartbeat::{Heartbeat, HeartbeatConfig};
use super::size::parse_size;
use super::time::parse_time;
use crate::api::ask::Api;
use crate::cli::{error::CommandError, machine::machine};
use crate::release::bucket::Patience;
use crate::release::signature::PublicKey;
use crate::release::{Bucket, Cache, Follow, Label, NodeName, Number, ReleaseError};
use crate::server::metrics::Metrics;

/// How long a release that could not be brought is left alone: the first time, and at most.
const REST: Duration = Duration::from_secs(5);
const REST_MAX: Duration = Duration::from_secs(300);

#[derive(Debug, Args)]
#[command(next_help_heading = "Releases")]
pub struct FollowArgs {
    /// Folder for the files of releases, where --snapshots names an object store; for this server alone
    #[arg(long, value_name = "DIR", env = "DAICHO_CACHE")]
    cache: Option<PathBuf>,
    /// Most that the files of the cache may take, such as 40G; a release that does not fit is not served
    /// [default: any size]
    #[arg(long, value_name = "BYTES", env = "DAICHO_CACHE_SIZE", value_parser = parse_cache_size)]
    cache_size: Option<u64>,
    /// Time between two looks at which release is active, 50ms to 1h [default: 2s]
    #[arg(long, value_name = "TIME", env = "DAICHO_RELEASE_POLL", value_parser = parse_poll)]
    release_poll: Option<Duration>,
    /// File of a public Ed25519 key in PEM; a release that is not signed for it is not served
    #[arg(long, value_name = "FILE", env = "DAICHO_RELEASE_KEY")]
    release_key: Option<PathBuf>,
    /// Follow the release of this label, such as canary, while it has one of its own
    #[arg(long, value_name = "LABEL", env = "DAICHO_NODE_LABEL", value_parser = Label::parse)]
    node_label: Option<Label>,
    /// Name of this server in the object store, which no other server has
    /// [default: the name of the machine and the port of the first address to listen on]
    #[arg(long, value_name = "NAME", env = "DAICHO_NODE_NAME", value_parser = NodeName::parse)]
    node_name: Option<NodeName>,
}

const POLL: Duration = Duration::from_secs(2);
const POLL_MIN: Duration = Duration::from_millis(50);
const POLL_MAX: Duration = Duration::from_secs(60 * 60);

fn parse_poll(text: &str) -> Result<Duration, String> {
    let poll = parse_time(text).filter(|poll| (POLL_MIN..=POLL_MAX).contains(poll));
    poll.ok_or_else(|| "expected a time of 50ms to 1h with its unit, such as 2s".to_owned())
}

/// Which releases to follow.
#[derive(Debug)]
pub struct FollowConfig {
    url: String,
    /// Opened at the start, where the environment allows it.
    bucket: Option<Bucket>,
    follow: Follow,
    poll: Duration,
    name: Option<NodeName>,
    pub metrics: Arc<FollowMetrics>,
}

impl FollowArgs {
    /// The folder to serve, and whom to follow where `--snapshots` is a URL.
    pub fn check(&self, snapshots: &str) -> Result<(PathBuf, Option<FollowConfig>), CommandError> {
        if !snapshots.contains("://") {
            return match self.given() {
                None => Ok((snapshots.into(), None)),
                Some(option) => Err(CommandError::Usage(format!(
                    "{option} needs a URL with --snapshots, such as s3://bucket/daicho; found the folder {snapshots}"
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
        let bucket = match Bucket::open(snapshots, Patience::SERVER) {
            Ok(bucket) => Some(bucket),
            Err(error) if error.is_usage() => return Err(error.into()),
            // It may come later; the cache is here.
            Err(_) => None,
        };
        let cache = Cache::open(folder)?;
        let metrics = Arc::new(FollowMetrics::default());
        metrics.active(cache.active());
        let follow =
            Follow { cache, label: self.node_label.clone(), key, bytes_max: self.cache_size };
        let poll = self.release_poll.unwrap_or(POLL);
        let (url, name) = (snapshots.to_owned(), self.node_name.clone());
        let config = FollowConfig { url, bucket, follow, poll, name, metrics };
        Ok((Cache::snapshots(folder), Some(config)))
    }

    /// An option of this group that was given.
    fn given(&self) -> Option<&'static str> {
        let cache = self.cache.as_ref().map(|_| "--cache");
        let size = self.cache_size.map(|_| "--cache-size");
        let poll = self.release_poll.map(|_| "--release-poll");
        let key = self.release_key.as_ref().map(|_| "--release-key");
        let label = self.node_label.as_ref().map(|_| "--node-label");
        let name = self.node_name.as_ref().map(|_| "--node-name");
        cache.or(size).or(poll).or(key).or(label).or(name)
    }
}

fn parse_cache_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("expected a number of bytes such as 500M or 40G, found {text:?}");
    parse_size(text).ok_or_else(wrong)
}

/// The thread that follows. What it has begun ends with the process, and the next one goes on from there.
#[derive(Debug)]
pub struct Follower {
    _stop: mpsc::Sender<()>,
    _heartbeat: Heartbeat,
}

/// The server that follows.
#[derive(Debug)]
pub struct Followed {
    pub api: Arc<Api>,
    pub metrics: Arc<Metrics>,
    /// The first that it listens on.
    pub address: SocketAddr,
}

impl Follower {
    /// `reload` is called once another release is in place.
    pub fn start(
        config: FollowConfig,
        server: Followed,
        reload: impl Fn() + Send + 'static,
    ) -> io::Result<Follower> {
        let heartbeat = HeartbeatConfig {
            url: config.url.clone(),
            name: config
                .name
                .clone()
                .unwrap_or_else(|| NodeName::of_machine(&machine(), server.address.port())),
            label: config.follow.label.clone(),
            poll: config.poll,
            followed: Arc::clone(&config.metrics),
        };
        let heartbeat = Heartbeat::start(heartbeat, server.api, server.metrics)?;
        let changed = Box::new(heartbeat.waker());
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name("releases".to_owned());
        thread.spawn(move || {
            let poll = config.poll;
            let (reload, failed) = (Box::new(reload), None);
            let mut watch =
                Watch { config, reload, changed, failed, is_away: false, has_told_nothing: false };
            loop {
                watch.look();
                if stopped.recv_timeout(poll) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(Follower { _stop: stop, _heartbeat: heartbeat })
    }
}

/// A release that could not be brought.
struct Failed {
    release: Number,
    rest: Duration,
    until: Instant,
}

struct Watch {
    config: FollowConfig,
    reload: Box<dyn Fn() + Send>,
    /// To be called where another release is served.
    changed: Box<dyn Fn() + Send>,
    failed: Option<Failed>,
    is_away: bool,
    /// Whether the log says that nothing was ever activated.
    has_told_nothing: bool,
}

impl Watch {
    fn look(&mut self) {
        match self.asked() {
            Ok(wanted) => {
                self.answered();
                let Some(release) = wanted else { return self.tell_nothing() };
                let rests = self.failed.as_ref().is_some_and(|failed| {
                    failed.release == release && Instant::now() < failed.until
                });
                if self.config.follow.cache.active() == Some(release) {
                    self.failed = None;
                } else if !rests {
                    self.bring(release);
                }
            }
            Err(error) => self.not_answered(&error),
        }
    }

    /// Which release the object store says is active.
    fn asked(&mut self) -> Result<Option<Number>, ReleaseError> {
        let FollowConfig { url, bucket, follow, .. } = &mut self.config;
        let bucket = match bucket {
            Some(bucket) => bucket,
            None => bucket.insert(Bucket::open(url, Patience::SERVER)?),
        };
        follow.look(bucket)
    }

    fn answered(&mut self) {
        self.config.metrics.answered();
        if self.is_away {
            tracing::info!("the object store answers again");
        }
        self.is_away = false;
    }

    fn tell_nothing(&mut self) {
        if !self.has_told_nothing {
            let url = &self.config.url;
            tracing::warn!(
                "no release is active in {url}; activate one with 'daicho release activate', and the server serves it"
            );
        }
        self.has_told_nothing = true;
    }

    /// One line of the log, however long it is away.
    fn not_answered(&mut self, error: &ReleaseError) {
        self.config.metrics.not_answered();
        if !self.is_away {
            match self.config.follow.cache.active() {
                Some(release) => tracing::warn!(
                    %error, %release,
                    "the object store cannot be asked; serving the release of the cache until it is back"
                ),
                None => tracing::warn!(
                    %error, "the object store cannot be asked, and the cache has no release; nothing is served"
                ),
            }
        }
        self.is_away = true;
    }

    fn bring(&mut self, release: Number) {
        let FollowConfig { bucket, follow, metrics, .. } = &self.config;
        let Some(bucket) = bucket else { return };
        let begun = Instant::now();
        let brought = follow.bring(bucket, release, &mut |count| metrics.fetched(count));
        if let Ok(bytes) = follow.cache.bytes() {
            metrics.holds(bytes);
        }
        match brought {
            Ok(switched) => {
                metrics.active(Some(release));
                self.failed = None;
                (self.reload)();
                (self.changed)();
                let before = switched.before.map_or(0, Number::value);
                let (files, seconds) = (switched.files, begun.elapsed().as_secs_f32());
                tracing::info!(%release, before, files, seconds, "release put in place");
            }
            Err(error) => {
                metrics.failed();
                let serving = follow.cache.active().map_or(0, Number::value);
                tracing::warn!(%release, serving, %error, "the release is not served; what was served stays");
                let before = self.failed.take().filter(|failed| failed.release == release);
                let longer = before.filter(|_failed| !error.is_away());
                let rest = longer.map_or(REST, |failed| (failed.rest * 2).min(REST_MAX));
                self.failed = Some(Failed { release, rest, until: Instant::now() + rest });
            }
        }
    }
}

/// Refuses an update by a server whose data come from elsewhere.
pub fn check_alone(updates: bool, follow: Option<&FollowConfig>) -> Result<(), CommandError> {
    match follow {
        Some(follow) if updates => Err(CommandError::Usage(format!(
            "--update needs a folder with --snapshots; found {}; update where the releases are pushed",
            follow.url
        ))),
        _ => Ok(()),
    }
}
