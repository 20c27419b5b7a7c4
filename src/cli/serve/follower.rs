//! The thread of a server that follows releases: loads an announced release, switches to it at the scheduled
//! time, and catches up if the server is behind. Until then, and while the object store is unreachable, the
//! served data stay. Another thread polls the object store, so that a slow store does not delay a scheduled
//! switch; only its latest result counts. `heartbeat.rs` writes to the store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{io, iter, net::SocketAddr, sync::Arc};

use jiff::Timestamp;

use super::reload::replace_data;
use super::{data::DataSettings, follow::FollowConfig, heartbeat::Heartbeat, open::ServerParts};
use crate::api::Api;
use crate::api::data::Data;
use crate::channel::{Receiver, RecvTimeoutError, Sender, channel};
use crate::cli::data::ScanError;
use crate::clock;
use crate::release::{Current, LazyBucket, NodeName, Number, ReleaseError, ReleaseFolder};
use crate::system::process::host_name;
use crate::worker::{Wake, WorkerThread, spawn};

/// Wait before retrying a release that could not be loaded: initial and maximum.
const RETRY_DELAY: Duration = Duration::from_secs(5);
const RETRY_DELAY_MAX: Duration = Duration::from_secs(300);

/// Time after the start after which a silent store counts as unreachable.
const FIRST_POLL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a handover waits for the end of the work in progress.
const HANDOVER_TIME_MAX: Duration = Duration::from_secs(3);

/// The follower thread. Work in progress ends with the process; the next process continues it.
pub struct Follower {
    poller: WorkerThread<()>,
    heartbeat: Heartbeat,
    is_stopped: Arc<AtomicBool>,
    /// Disconnected once the thread has ended.
    ended: Receiver<()>,
}

impl Follower {
    /// `reload` is called after a switch to another release.
    pub fn start(
        config: FollowConfig,
        settings: DataSettings,
        parts: &ServerParts,
        first_address: Option<SocketAddr>,
        reload: impl Fn() + Send + 'static,
    ) -> io::Result<Follower> {
        for file in &config.unverified {
            tracing::warn!(
                file = %file.display(),
                "removed from the cache: no release with a valid signature for --release-key has it"
            );
        }
        // The server before this one may have switched while this one started.
        config.metrics.set_active(config.downloader.cache.active());
        let default_name = || NodeName::default_for(&host_name(), first_address);
        let name = config.name.clone().unwrap_or_else(default_name);
        let heartbeat = Heartbeat::start(&config, name, parts)?;
        let (results, polled) = channel();
        let polls_fast = Arc::new(AtomicBool::new(false));
        let (url, is_fast) = (config.url.clone(), Arc::clone(&polls_fast));
        let poller = start_polling(url, config.poll, is_fast, results)?;
        let is_stopped = Arc::clone(&config.downloader.is_stopped);
        let (end, ended) = channel::<()>();
        let mut follower = FollowerLoop {
            config,
            settings,
            api: Arc::clone(&parts.api),
            reload: Box::new(reload),
            report_change: Box::new(heartbeat.waker()),
            polled,
            polls_fast,
            poll_now: Box::new(poller.waker(|| ())),
            current: None,
            prepared: None,
            failed: BTreeMap::new(),
            is_store_unreachable: false,
            has_warned_of_no_release: false,
        };
        spawn("releases", move || {
            let _end = end;
            follower.run();
        })?;
        Ok(Follower { poller, heartbeat, is_stopped, ended })
    }

    /// Ends the work in progress, for another process that continues it under the same name.
    pub fn hand_over(self) {
        let Follower { poller, heartbeat, is_stopped, ended } = self;
        is_stopped.store(true, Relaxed);
        heartbeat.hand_over();
        drop(poller);
        if ended.recv_timeout(HANDOVER_TIME_MAX) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(
                "a release is still being loaded; the server that took over loads it too"
            );
        }
    }
}

/// A release that is loaded but not served yet.
struct Prepared {
    folder: ReleaseFolder,
    data: Data,
}

struct Backoff {
    delay: Duration,
    next_attempt: Instant,
}

struct FollowerLoop {
    config: FollowConfig,
    settings: DataSettings,
    api: Arc<Api>,
    reload: Box<dyn Fn() + Send>,
    /// Called when another release is served or loaded.
    report_change: Box<dyn Fn() + Send>,
    polled: Receiver<PollResult>,
    polls_fast: Arc<AtomicBool>,
    poll_now: Box<dyn Fn() + Send>,
    /// The last state read from the store; it stays valid while the store is unreachable.
    current: Option<Current>,
    prepared: Option<Prepared>,
    /// Releases that could not be loaded.
    failed: BTreeMap<Number, Backoff>,
    is_store_unreachable: bool,
    /// Whether the log already says that nothing was ever activated.
    has_warned_of_no_release: bool,
}

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

impl FollowerLoop {
    fn run(&mut self) {
        let mut fast_until = clock::instant();
        while !self.config.downloader.is_stopped.load(Relaxed) {
            let has_work = self.has_work() || self.time_to_switch().is_some();
            if has_work {
                fast_until = clock::instant() + FAST_AFTER_WORK;
            }
            let is_fast = has_work || clock::instant() < fast_until;
            if !self.polls_fast.swap(is_fast, Relaxed) && is_fast {
                (self.poll_now)();
            }
            let timeout = match self.next_task() {
                Task::Nothing if self.current.is_none() => Some(FIRST_POLL_TIMEOUT),
                Task::Nothing => self.time_to_switch(),
                task => {
                    self.run_task(task);
                    // Loading took time: check at once whether the store has changed.
                    Some(Duration::ZERO)
                }
            };
            match self.polled.recv_timeout(timeout.unwrap_or(Duration::MAX)) {
                Ok(result) => {
                    let later = iter::from_fn(|| self.polled.try_recv()).last();
                    self.apply(later.unwrap_or(result));
                }
                // Treats a silent store as unreachable.
                Err(RecvTimeoutError::Timeout) if self.current.is_none() => self.mark_ready(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn apply(&mut self, result: PollResult) {
        match result {
            Ok(current) => {
                self.store_answered();
                let label = self.config.label.as_ref();
                if current.active_at(clock::now()).release_for(label).is_none() {
                    self.warn_no_release();
                }
                self.current = Some(current);
            }
            Err(error) => self.store_unreachable(&error),
        }
        if !self.is_behind() || self.is_store_unreachable || !self.failed.is_empty() {
            self.mark_ready();
        }
        if !self.has_work() && !self.failed.is_empty() {
            self.failed.clear();
            self.config.metrics.clear_failure();
        }
    }

    /// Lets `/readyz` report that the server is ready.
    fn mark_ready(&self) {
        self.api.is_behind.store(false, Relaxed);
    }

    /// The release that the object store wants this server to serve at this time.
    fn wanted_at(&self, now: Timestamp) -> Option<Number> {
        self.current.as_ref()?.active_at(now).release_for(self.config.label.as_ref())
    }

    /// The release that it wants this server to load now and serve later.
    fn next_at(&self, now: Timestamp) -> Option<Number> {
        self.current.as_ref()?.release_to_prepare(self.config.label.as_ref(), now)
    }

    fn next_task(&self) -> Task {
        let active = self.config.downloader.cache.active();
        let prepared = self.prepared.as_ref().map(|prepared| prepared.folder.release);
        let now = clock::now();
        let missing = self.wanted_at(now).filter(|release| Some(*release) != active);
        let next = self.next_at(now).filter(|release| Some(*release) != active);
        let has_failed = |release: Number| self.failed.contains_key(&release);
        if missing.is_some() && prepared == missing {
            return Task::Switch;
        }
        let is_next_loaded = next.is_some() && prepared == next;
        // First the release to serve now, unless it failed: then the next one may solve the problem. If that is loaded, the
        // failed one is tried again, which drops the loaded one, but not shortly before a switch.
        let candidates = [
            missing.filter(|missing| !has_failed(*missing)),
            next.filter(|_| !is_next_loaded),
            missing.filter(|_| !is_next_loaded || self.time_to_switch().is_none()),
        ];
        match candidates.into_iter().flatten().find(|release| self.may_prepare(*release)) {
            Some(release) => Task::Prepare(release),
            None if missing.or(next).is_none() && prepared.is_some() => Task::Drop,
            None => Task::Nothing,
        }
    }

    fn may_prepare(&self, release: Number) -> bool {
        let backoff = self.failed.get(&release);
        let must_wait = backoff.is_some_and(|backoff| clock::instant() < backoff.next_attempt);
        !must_wait && !self.is_store_unreachable
    }

    /// Whether the server serves another release than it should.
    fn is_behind(&self) -> bool {
        let wanted = self.wanted_at(clock::now());
        wanted.is_some() && wanted != self.config.downloader.cache.active()
    }

    /// Whether a release is wanted, now or later, that is not served.
    fn has_work(&self) -> bool {
        let next = self.next_at(clock::now());
        self.is_behind() || next.is_some() && next != self.config.downloader.cache.active()
    }

    fn time_to_switch(&self) -> Option<Duration> {
        let now = clock::now();
        let switch = self.current.as_ref()?.switch_ahead(now)?;
        Duration::try_from(switch.time.duration_since(now)).ok()
    }

    fn run_task(&mut self, task: Task) {
        match task {
            Task::Prepare(release) => self.prepare(release),
            Task::Switch => {
                if let Some(prepared) = self.prepared.take() {
                    self.switch(prepared);
                }
            }
            Task::Drop => {
                self.prepared = None;
                self.config.metrics.set_prepared(None);
                if let Err(error) = self.config.downloader.cache.remove_unserved() {
                    tracing::warn!(%error, "cannot remove an unused folder from the cache");
                }
                (self.report_change)();
            }
            Task::Nothing => {}
        }
    }

    fn prepare(&mut self, release: Number) {
        self.prepared = None;
        let started = clock::instant();
        match self.load(release) {
            Ok(prepared) => {
                self.failed.remove(&release);
                self.config.metrics.set_prepared(Some(release));
                let (files, seconds) =
                    (prepared.folder.downloaded_files, clock::since(started).as_secs_f32());
                self.prepared = Some(prepared);
                tracing::info!(%release, files, seconds, "next release loaded");
            }
            // Another process loads it.
            Err(_) if self.config.downloader.is_stopped.load(Relaxed) => return,
            Err(error) => self.release_failed(release, &error),
        }
        (self.report_change)();
    }

    fn load(&mut self, release: Number) -> Result<Prepared, ReleaseError> {
        let FollowConfig { bucket, downloader, metrics, .. } = &mut self.config;
        let folder = downloader.prepare(bucket.get()?, release, &mut |bytes| {
            metrics.downloaded_bytes.fetch_add(bytes, Relaxed);
        });
        if let Ok(bytes) = downloader.cache.bytes() {
            metrics.cache_bytes.store(bytes, Relaxed);
        }
        let folder = folder?;
        let before = Arc::clone(&self.api.data.load());
        let data = self.settings.open_ahead(&folder.path, &before);
        let data = data.map_err(|error| match error {
            ScanError::Catalog(error) => ReleaseError::io(&error.folder, error.cause),
            ScanError::Corrections(error) => {
                ReleaseError::io(&folder.path, io::Error::other(error.to_string()))
            }
        })?;
        Ok(Prepared { folder, data })
    }

    fn release_failed(&mut self, release: Number, error: &ReleaseError) {
        let (cache, metrics) = (&self.config.downloader.cache, &self.config.metrics);
        let (named, text) = (format!("release {release}: "), error.to_string());
        let text = if text.starts_with(&named) { text } else { named + &text };
        metrics.release_failed(text);
        let serving = cache.active().map_or(0, Number::value);
        tracing::warn!(%release, serving, %error, "cannot serve the release; the previous data stay in use");
        // An unreachable store says nothing about the release: it does not lengthen the delay.
        let last = self.failed.remove(&release).filter(|_| !error.is_store_unavailable());
        let delay = last.map_or(RETRY_DELAY, |last| (last.delay * 2).min(RETRY_DELAY_MAX));
        self.failed.insert(release, Backoff { delay, next_attempt: clock::instant() + delay });
        self.mark_ready();
    }

    fn switch(&mut self, Prepared { folder, data }: Prepared) {
        let cache = &self.config.downloader.cache;
        let (release, before) = (folder.release, cache.active().map_or(0, Number::value));
        if let Err(error) = cache.switch(&folder) {
            return self.release_failed(release, &error);
        }
        replace_data(&self.api, data);
        self.config.metrics.set_active(Some(release));
        (self.report_change)();
        tracing::info!(%release, before, "now serving the release");
        (self.reload)();
        if let Err(error) = cache.finish_switch(&folder) {
            tracing::warn!(%error, "cannot remove files of the previous release from the cache yet");
        }
        if !self.is_behind() {
            self.mark_ready();
        }
    }

    fn store_answered(&mut self) {
        self.config.metrics.store_answered();
        if self.is_store_unreachable {
            tracing::info!("the object store is reachable again");
        }
        self.is_store_unreachable = false;
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
    fn store_unreachable(&mut self, error: &ReleaseError) {
        self.config.metrics.is_store_unreachable.store(true, Relaxed);
        if !self.is_store_unreachable {
            match self.config.downloader.cache.active() {
                Some(release) => tracing::warn!(
                    %error, %release,
                    "the object store is unreachable; serving the release from the cache until it is back"
                ),
                None => tracing::warn!(
                    %error, "the object store is unreachable and the cache has no release; no data are served"
                ),
            }
        }
        self.is_store_unreachable = true;
    }
}

/// Maximum polling interval while a release is being loaded or a switch is scheduled, and [`FAST_AFTER_WORK`].
const FAST_INTERVAL: Duration = Duration::from_millis(500);

/// A publisher may have read that this server has a release loaded just before it dropped that, and schedule the switch to
/// it without another look. Longer than a publisher takes from one to the other.
const FAST_AFTER_WORK: Duration = Duration::from_secs(10);

/// What the object store says is active, or why that is unknown.
type PollResult = Result<Current, ReleaseError>;

/// Polls until its thread is stopped; then it drops `results`, which ends the follower.
fn start_polling(
    url: String,
    interval: Duration,
    is_fast: Arc<AtomicBool>,
    results: Sender<PollResult>,
) -> io::Result<WorkerThread<()>> {
    let thread = WorkerThread::start("release poller", move |inbox, _events| {
        let mut bucket = LazyBucket::new(url);
        loop {
            let result = bucket.get().and_then(Current::read).map(|(current, _tag)| current);
            let is_fast = is_fast.load(Relaxed);
            let interval = if is_fast { interval.min(FAST_INTERVAL) } else { interval };
            if results.send(result).is_err() || inbox.wait(interval) == Wake::Stop {
                return;
            }
        }
    });
    // A slow store must not delay the shutdown.
    Ok(thread?.stop_within(Duration::ZERO))
}
