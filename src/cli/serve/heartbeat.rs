//! Reports the state of this server to the object store at intervals, for `daicho node list` and for
//! activations. A server without write permission keeps serving; the log and a metric report it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::follow_metrics::FollowMetrics;
use crate::api::ask::Api;
use crate::query::Catalog;
use crate::release::{Label, LateBucket, Load, NodeName, NodeState, ProgramVersion, ReleaseError};
use crate::server::metrics::Metrics;
use crate::snapshot::{Dataset, DatasetKind, Versions};
use crate::text::codes::DataVersion;

/// Not below the one-second resolution of store clocks, and not so long that a server with a long polling
/// interval counts as gone.
const EVERY_MIN: Duration = Duration::from_secs(1);
const EVERY_MAX: Duration = Duration::from_secs(60);

/// Maximum time at shutdown for the last report.
const FAREWELL_TIME_MAX: Duration = Duration::from_secs(1);

/// The identity of the server, and the store to write to.
#[derive(Debug)]
pub struct HeartbeatConfig {
    pub url: String,
    pub name: NodeName,
    pub label: Option<Label>,
    /// Interval at which the server checks which release is active.
    pub poll: Duration,
    pub followed: Arc<FollowMetrics>,
}

/// The reporting thread. Dropping it reports that the server stops.
#[derive(Debug)]
pub struct Heartbeat {
    events: mpsc::Sender<Event>,
    ended: mpsc::Receiver<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Changed,
    Stop,
}

impl Heartbeat {
    pub fn start(
        config: HeartbeatConfig,
        api: Arc<Api>,
        metrics: Arc<Metrics>,
    ) -> io::Result<Heartbeat> {
        let random = getrandom::u64().map_err(io::Error::other)?;
        let (events, received) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        let mut writer = Writer {
            every: config.poll.clamp(EVERY_MIN, EVERY_MAX),
            session: format!("{random:016x}"),
            counted: (Instant::now(), requests(&metrics)),
            bucket: LateBucket::at(config.url.clone()),
            config,
            api,
            metrics,
            has_written: false,
            has_logged_failure: false,
            has_told_name: false,
        };
        thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            loop {
                writer.report(false);
                match received.recv_timeout(writer.every) {
                    Ok(Event::Changed) | Err(RecvTimeoutError::Timeout) => {}
                    Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            writer.report(true);
            let _ = end.send(());
        })?;
        Ok(Heartbeat { events, ended })
    }

    /// Triggers a report at once after a change.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        let events = self.events.clone();
        move || {
            let _ = events.send(Event::Changed);
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Stop);
        // An unreachable store must not delay the shutdown.
        let _ = self.ended.recv_timeout(FAREWELL_TIME_MAX);
    }
}

struct Writer {
    config: HeartbeatConfig,
    every: Duration,
    api: Arc<Api>,
    metrics: Arc<Metrics>,
    session: String,
    bucket: LateBucket,
    /// Time and value of the last request count.
    counted: (Instant, u64),
    has_written: bool,
    has_logged_failure: bool,
    has_told_name: bool,
}

impl Writer {
    fn report(&mut self, left: bool) {
        let state = self.state(left);
        let written = self.write(&state);
        self.config.followed.is_unwritten.store(u64::from(written.is_err()), Relaxed);
        match written {
            Ok(()) if self.has_logged_failure => {
                self.has_logged_failure = false;
                tracing::info!("writing the state of this server to the object store works again");
            }
            Ok(()) => {}
            // The follower thread reports an unreachable store.
            Err(_) if self.has_logged_failure || self.config.followed.is_away() => {}
            Err(error) => {
                self.has_logged_failure = true;
                tracing::warn!(
                    %error,
                    "cannot write the state of this server to the object store; the server keeps serving, but \
                     activations do not wait for it"
                );
            }
        }
    }

    fn write(&mut self, state: &NodeState) -> Result<(), ReleaseError> {
        let bucket = self.bucket.get()?;
        if self.has_written && !self.has_told_name {
            let there = NodeState::read(bucket, &state.name).ok().flatten();
            if there.is_some_and(|other| other.session != self.session && !other.left) {
                self.has_told_name = true;
                tracing::warn!(
                    name = %state.name,
                    "another server has the same name, so only one of the two is listed; give each its own name \
                     with --node-name"
                );
            }
        }
        state.write(bucket)?;
        self.has_written = true;
        Ok(())
    }

    fn state(&mut self, left: bool) -> NodeState {
        let (active, prepared) = self.config.followed.releases();
        NodeState {
            name: self.config.name.clone(),
            label: self.config.label.clone(),
            program: ProgramVersion::of_this(),
            session: self.session.clone(),
            active,
            prepared,
            failure: self.config.followed.why_failed(),
            written: Timestamp::now(),
            every: self.every,
            newest: newest(&self.api.data.load().catalog).into_iter().flatten().collect(),
            load: self.load(),
            left,
        }
    }

    fn load(&mut self) -> Load {
        let (then, before) = self.counted;
        let (now, count) = (Instant::now(), requests(&self.metrics));
        self.counted = (now, count);
        let seconds = now.duration_since(then).as_secs_f64().max(0.001);
        let rate = count.saturating_sub(before) as f64 / seconds;
        let closed = self.metrics.connections_closed.load(Relaxed);
        Load {
            requests_per_second: (rate * 10.0).round() / 10.0,
            in_flight: self.metrics.waiting.load(Relaxed),
            connections: self.metrics.connections.load(Relaxed).saturating_sub(closed),
        }
    }
}

fn requests(metrics: &Metrics) -> u64 {
    metrics.totals(|_label| true).requests
}

type Newest = Option<(DatasetKind, DataVersion)>;

fn newest(catalog: &Catalog) -> [Newest; 5] {
    fn of<D: Dataset>(versions: &Versions<D>) -> Newest {
        versions.latest().map(|data| (D::KIND, data.file().version()))
    }
    [
        of(catalog.postal()),
        of(catalog.bank()),
        of(catalog.corporate()),
        of(catalog.invoice()),
        of(catalog.school()),
    ]
}
