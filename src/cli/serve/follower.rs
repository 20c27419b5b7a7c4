//! The thread of a server that follows releases: loads an announced release, switches to it at the scheduled
//! time, and catches up if the server is behind. Until then, and while the object store is unreachable, the
//! served data stay.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::age::AgeArgs;
use super::follow::FollowConfig;
use super::heartbeat::{Heartbeat, HeartbeatConfig};
use super::looks::{Looked, Looks, Next};
use super::reload::{install, open_ahead};
use super::warm::Opener;
use crate::api::ask::Api;
use crate::api::data::Data;
use crate::cli::machine::machine;
use crate::release::{Current, Folder, NodeName, Number, ReleaseError};
use crate::server::metrics::Metrics;

/// Wait before retrying a release that could not be loaded: initial and maximum.
const REST: Duration = Duration::from_secs(5);
const REST_MAX: Duration = Duration::from_secs(300);

/// Time after the start after which a silent store counts as unreachable.
const FIRST_LOOK_TIME_MAX: Duration = Duration::from_secs(5);

/// The server that follows releases.
#[derive(Debug)]
pub struct Followed {
    pub api: Arc<Api>,
    pub metrics: Arc<Metrics>,
    /// The first listening address.
    pub address: SocketAddr,
    pub age: AgeArgs,
    pub opener: Opener,
    /// The operator's own holidays.
    pub holidays: Option<PathBuf>,
}

/// The follower thread. Work in progress ends with the process; the next process continues it.
pub struct Follower {
    end: Box<dyn Fn() + Send>,
    _heartbeat: Heartbeat,
}

impl Drop for Follower {
    fn drop(&mut self) {
        (self.end)();
    }
}

impl Follower {
    /// `reload` is called after a switch to another release.
    pub fn start(
        config: FollowConfig,
        server: Followed,
        reload: impl Fn() + Send + 'static,
    ) -> io::Result<Follower> {
        let name = || NodeName::of_machine(&machine(), server.address);
        let heartbeat = HeartbeatConfig {
            url: config.url.clone(),
            name: config.name.clone().unwrap_or_else(name),
            label: config.follow.label.clone(),
            poll: config.poll,
            followed: Arc::clone(&config.metrics),
        };
        let (api, metrics) = (Arc::clone(&server.api), Arc::clone(&server.metrics));
        let heartbeat = Heartbeat::start(heartbeat, api, metrics)?;
        let looks = Looks::start(config.url.clone(), config.poll)?;
        let end = Box::new(looks.ender());
        let mut watch = Watch {
            config,
            server,
            reload: Box::new(reload),
            changed: Box::new(heartbeat.waker()),
            looks,
            current: None,
            prepared: None,
            failed: BTreeMap::new(),
            is_away: false,
            has_warned_of_no_release: false,
        };
        thread::Builder::new().name("releases".to_owned()).spawn(move || watch.run())?;
        Ok(Follower { end, _heartbeat: heartbeat })
    }
}

/// A release that is loaded but not served yet.
struct Prepared {
    folder: Folder,
    data: Data,
}

/// A release that could not be loaded, with the time of the next attempt.
struct Failed {
    rest: Duration,
    until: Instant,
}

struct Watch {
    config: FollowConfig,
    server: Followed,
    reload: Box<dyn Fn() + Send>,
    /// Called when another release is served or loaded.
    changed: Box<dyn Fn() + Send>,
    looks: Looks,
    /// The last state read from the store; it stays valid while the store is unreachable.
    current: Option<Current>,
    prepared: Option<Prepared>,
    failed: BTreeMap<Number, Failed>,
    is_away: bool,
    /// Whether the log already says that nothing was ever activated.
    has_warned_of_no_release: bool,
}

/// The next action of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Serve the loaded release.
    Switch,
    /// Load a release, to serve it now or later.
    Prepare(Number),
    /// Drop the loaded release, which is not wanted any more.
    Drop,
    Nothing,
}

impl Watch {
    fn run(&mut self) {
        loop {
            self.looks.hurry(self.has_work() || self.time_to_switch().is_some());
            let time_max = match self.task() {
                Task::Nothing if self.current.is_none() => Some(FIRST_LOOK_TIME_MAX),
                Task::Nothing => self.time_to_switch(),
                task => {
                    self.work(task);
                    // Loading took time: check at once whether the store has changed.
                    Some(Duration::ZERO)
                }
            };
            match self.looks.next(time_max) {
                Next::Looked(looked) => self.looked(*looked),
                // Treats a silent store as unreachable.
                Next::TimeIsUp if self.current.is_none() => self.may_get_requests(),
                Next::TimeIsUp => {}
                Next::Ended => return,
            }
        }
    }

    fn looked(&mut self, looked: Looked) {
        match looked {
            Ok(current) => {
                self.answered();
                let label = self.config.follow.label.as_ref();
                if current.at(Timestamp::now()).of(label).is_none() {
                    self.warn_no_release();
                }
                self.current = Some(current);
            }
            Err(error) => self.not_answered(&error),
        }
        if !self.is_behind() || self.is_away || !self.failed.is_empty() {
            self.may_get_requests();
        }
        if !self.has_work() && !self.failed.is_empty() {
            self.failed.clear();
            self.config.metrics.recovered();
        }
    }

    /// Lets `/readyz` report that the server is ready.
    fn may_get_requests(&self) {
        self.server.api.is_behind.store(false, Relaxed);
    }

    /// The release to serve now, and the one to load.
    fn wanted(&self) -> (Option<Number>, Option<Number>) {
        let (now, label) = (Timestamp::now(), self.config.follow.label.as_ref());
        let current = self.current.as_ref();
        let wanted = current.and_then(|current| current.at(now).of(label));
        (wanted, current.and_then(|current| current.coming(label, now)))
    }

    fn task(&self) -> Task {
        let active = self.config.follow.cache.active();
        let prepared = self.prepared.as_ref().map(|prepared| prepared.folder.release);
        let (wanted, coming) = self.wanted();
        let missing = wanted.filter(|_| wanted != active);
        let next = coming.filter(|_| coming != active);
        let has_failed = |release: Number| self.failed.contains_key(&release);
        if missing.is_some() && prepared == missing {
            return Task::Switch;
        }
        if next.is_some() && prepared == next && missing.is_none_or(has_failed) {
            return Task::Nothing;
        }
        // First the release to serve now, unless it failed: then the coming one may solve the problem.
        let tried = [missing.filter(|missing| !has_failed(*missing)), next, missing];
        match tried.into_iter().flatten().find(|release| self.may_try(*release)) {
            Some(release) => Task::Prepare(release),
            None if missing.or(next).is_none() && prepared.is_some() => Task::Drop,
            None => Task::Nothing,
        }
    }

    fn may_try(&self, release: Number) -> bool {
        let rests = self.failed.get(&release).is_some_and(|failed| Instant::now() < failed.until);
        !rests && !self.is_away
    }

    /// Whether the server serves another release than it should.
    fn is_behind(&self) -> bool {
        let (wanted, _) = self.wanted();
        wanted.is_some() && wanted != self.config.follow.cache.active()
    }

    /// Whether a release is wanted, now or later, that is not served.
    fn has_work(&self) -> bool {
        let (_, coming) = self.wanted();
        self.is_behind() || coming.is_some() && coming != self.config.follow.cache.active()
    }

    fn time_to_switch(&self) -> Option<Duration> {
        let now = Timestamp::now();
        let switch = self.current.as_ref()?.switch_ahead(now)?;
        Duration::try_from(switch.at.duration_since(now)).ok()
    }

    fn work(&mut self, task: Task) {
        match task {
            Task::Prepare(release) => self.prepare(release),
            Task::Switch => {
                if let Some(prepared) = self.prepared.take() {
                    self.switch(prepared);
                }
            }
            Task::Drop => {
                self.prepared = None;
                self.config.metrics.prepared(None);
                if let Err(error) = self.config.follow.cache.remove_unserved() {
                    tracing::warn!(%error, "cannot remove an unused folder from the cache");
                }
                (self.changed)();
            }
            Task::Nothing => {}
        }
    }

    fn prepare(&mut self, release: Number) {
        self.prepared = None;
        let begun = Instant::now();
        match self.bring(release) {
            Ok(prepared) => {
                self.failed.remove(&release);
                self.config.metrics.prepared(Some(release));
                let (files, seconds) = (prepared.folder.fetched, begun.elapsed().as_secs_f32());
                self.prepared = Some(prepared);
                tracing::info!(%release, files, seconds, "next release loaded");
            }
            Err(error) => self.not_brought(release, &error),
        }
        (self.changed)();
    }

    /// Downloads and loads a release.
    fn bring(&mut self, release: Number) -> Result<Prepared, ReleaseError> {
        let FollowConfig { bucket, follow, metrics, .. } = &mut self.config;
        let folder = follow.prepare(bucket.get()?, release, &mut |count| metrics.fetched(count));
        if let Ok(bytes) = follow.cache.bytes() {
            metrics.holds(bytes);
        }
        let folder = folder?;
        let own = self.server.holidays.as_deref();
        let Followed { api, opener, age, .. } = &self.server;
        let data = open_ahead(&folder.path, own, api, (opener, *age));
        let data = data.map_err(|error| ReleaseError::io(&error.folder, error.cause))?;
        Ok(Prepared { folder, data })
    }

    fn not_brought(&mut self, release: Number, error: &ReleaseError) {
        let (cache, metrics) = (&self.config.follow.cache, &self.config.metrics);
        metrics.failed(format!("release {release}: {error}"));
        let serving = cache.active().map_or(0, Number::value);
        tracing::warn!(%release, serving, %error, "cannot serve the release; the previous data stay in use");
        let before = self.failed.remove(&release);
        let longer = before.filter(|_failed| !error.is_away());
        let rest = longer.map_or(REST, |failed| (failed.rest * 2).min(REST_MAX));
        self.failed.insert(release, Failed { rest, until: Instant::now() + rest });
        self.may_get_requests();
    }

    fn switch(&mut self, Prepared { folder, data }: Prepared) {
        let cache = &self.config.follow.cache;
        let (release, before) = (folder.release, cache.active().map_or(0, Number::value));
        if let Err(error) = cache.switch(&folder) {
            return self.not_brought(release, &error);
        }
        install(&self.server.api, data);
        self.config.metrics.active(Some(release));
        (self.changed)();
        tracing::info!(%release, before, "now serving the release");
        (self.reload)();
        if let Err(error) = cache.settle(&folder) {
            tracing::warn!(%error, "cannot remove files of the previous release from the cache yet");
        }
        if !self.is_behind() {
            self.may_get_requests();
        }
    }

    fn answered(&mut self) {
        self.config.metrics.answered();
        if self.is_away {
            tracing::info!("the object store is reachable again");
        }
        self.is_away = false;
    }

    fn warn_no_release(&mut self) {
        if !self.has_warned_of_no_release {
            let url = &self.config.url;
            tracing::warn!(
                "no release is active in {url}; activate one with 'daicho release activate'; the server then serves it"
            );
        }
        self.has_warned_of_no_release = true;
    }

    /// Logs one line per outage.
    fn not_answered(&mut self, error: &ReleaseError) {
        self.config.metrics.not_answered();
        if !self.is_away {
            match self.config.follow.cache.active() {
                Some(release) => tracing::warn!(
                    %error, %release,
                    "the object store is unreachable; serving the release from the cache until it is back"
                ),
                None => tracing::warn!(
                    %error, "the object store is unreachable and the cache has no release; no data are served"
                ),
            }
        }
        self.is_away = true;
    }
}
