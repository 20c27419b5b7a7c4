//! Reports the state of this server to the object store at intervals, for `daicho node list` and for
//! activations. A server without write permission keeps serving; the log and a metric report it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, io, sync::Arc};

use super::{follow::FollowConfig, follow_metrics::FollowMetrics, open::ServerParts};
use crate::api::Api;
use crate::clock;
use crate::dataset::{AnyVersions, Catalog};
use crate::random;
use crate::release::{
    INTERVAL_MAX, Label, LazyBucket, Load, NodeName, NodeState, ProgramVersion, ReleaseError,
};
use crate::server::metrics::Metrics;
use crate::snapshot::DatasetKind;
use crate::text::codes::DataVersion;
use crate::worker::{Wake, WorkerThread};

/// Not below the one-second resolution of store clocks. The longest is that of [`NodeState`], so that a server with a
/// long polling interval does not count as gone.
const INTERVAL_MIN: Duration = Duration::from_secs(1);

/// Maximum time at shutdown for the last report.
const LAST_REPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// The reporting thread. Dropping it reports that the server stops.
#[derive(Debug)]
pub struct Heartbeat {
    thread: WorkerThread<()>,
    /// Whether another process reports for this server.
    is_handed_over: Arc<AtomicBool>,
}

impl Heartbeat {
    pub fn start(
        config: &FollowConfig,
        name: NodeName,
        parts: &ServerParts,
    ) -> io::Result<Heartbeat> {
        let random = random::u64().map_err(io::Error::other)?;
        let mut reporter = Reporter {
            interval: config.poll.clamp(INTERVAL_MIN, INTERVAL_MAX),
            session: format!("{random:016x}"),
            last_count: RequestCount::now(&parts.metrics),
            bucket: LazyBucket::new(config.url.clone()),
            name,
            label: config.label.clone(),
            release_metrics: Arc::clone(&config.metrics),
            api: Arc::clone(&parts.api),
            metrics: Arc::clone(&parts.metrics),
            has_written: false,
            has_logged_failure: false,
            has_warned_of_name: false,
            is_stopping: false,
        };
        let is_handed_over = Arc::new(AtomicBool::new(false));
        let ends_silently = Arc::clone(&is_handed_over);
        let thread = WorkerThread::start("heartbeat", move |inbox, _changes| {
            loop {
                reporter.report();
                if inbox.wait(reporter.interval) == Wake::Stop {
                    break;
                }
            }
            reporter.is_stopping = true;
            if !ends_silently.load(Relaxed) {
                reporter.report();
            }
        });
        // An unreachable store must not delay the shutdown.
        let thread = thread?.stop_within(LAST_REPORT_TIMEOUT);
        Ok(Heartbeat { thread, is_handed_over })
    }

    /// Ends without a last report: another process reports under the same name.
    pub fn hand_over(self) {
        self.is_handed_over.store(true, Relaxed);
    }

    /// Triggers a report at once after a change.
    pub fn waker(&self) -> impl Fn() + Send + use<> {
        self.thread.waker(|| ())
    }
}

struct Reporter {
    name: NodeName,
    label: Option<Label>,
    release_metrics: Arc<FollowMetrics>,
    interval: Duration,
    api: Arc<Api>,
    metrics: Arc<Metrics>,
    /// Tells this process from another server of the same name.
    session: String,
    bucket: LazyBucket,
    /// At the last report.
    last_count: RequestCount,
    has_written: bool,
    has_logged_failure: bool,
    /// Whether the log already says that another server has the same name.
    has_warned_of_name: bool,
    is_stopping: bool,
}

struct RequestCount {
    time: Instant,
    requests: u64,
}

impl RequestCount {
    fn now(metrics: &Metrics) -> RequestCount {
        RequestCount { time: clock::instant(), requests: metrics.totals(|_label| true).requests }
    }
}

impl Reporter {
    fn report(&mut self) {
        let state = self.state();
        let written = self.write(&state);
        self.release_metrics.is_state_unwritten.store(written.is_err(), Relaxed);
        match written {
            Ok(()) if self.has_logged_failure => {
                self.has_logged_failure = false;
                tracing::info!("writing the state of this server to the object store works again");
            }
            Ok(()) => {}
            // The follower thread reports an unreachable store.
            Err(_)
                if self.has_logged_failure
                    || self.release_metrics.is_store_unreachable.load(Relaxed) => {}
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
        if self.has_written && !self.has_warned_of_name {
            let stored = NodeState::read(bucket, &state.name).ok().flatten();
            if stored.is_some_and(|other| other.session != self.session && !other.has_stopped) {
                self.has_warned_of_name = true;
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

    fn state(&mut self) -> NodeState {
        let release_metrics = &self.release_metrics;
        let (active, prepared) = (release_metrics.active(), release_metrics.prepared());
        let failure = release_metrics.failure();
        NodeState {
            name: self.name.clone(),
            label: self.label.clone(),
            program: ProgramVersion::own(),
            session: self.session.clone(),
            active,
            prepared,
            failure,
            reported: clock::now(),
            interval: self.interval,
            newest: newest_versions(&self.api.data.load().catalog),
            load: self.load(),
            has_stopped: self.is_stopping,
        }
    }

    fn load(&mut self) -> Load {
        let count = RequestCount::now(&self.metrics);
        let last = &self.last_count;
        let seconds = count.time.duration_since(last.time).as_secs_f64().max(0.001);
        let rate = count.requests.saturating_sub(last.requests) as f64 / seconds;
        self.last_count = count;
        let closed = self.metrics.connections_closed.load(Relaxed);
        Load {
            requests_per_second: (rate * 10.0).round() / 10.0,
            in_flight: self.metrics.waiting.load(Relaxed),
            connections: self.metrics.connections.load(Relaxed).saturating_sub(closed),
        }
    }
}

fn newest_versions(catalog: &Catalog) -> BTreeMap<DatasetKind, DataVersion> {
    let newest =
        |versions: &dyn AnyVersions| Some((versions.facts().kind, versions.newest()?.version()));
    catalog.datasets().into_iter().filter_map(newest).collect()
}
