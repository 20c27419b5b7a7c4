//! Capacity for work that must not block the threads of connections: long searches and batches.
//!
//! Searches have two lanes, so that one of milliseconds never waits for one of a third of a second; batches have
//! one of their own. In each, accounts take turns. A body that is still arriving takes no batch slot.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::effort::{Bounds, Place};
use super::error::{ApiError, Code};
use super::lanes::{Abandoned, Lane, Rules, Undone};
use super::limits::{
    BATCHES_MAX, BATCHES_OF_ACCOUNT_MAX, BODIES_MAX, BODIES_OF_ACCOUNT_MAX, BODY_BYTES_HELD_MAX,
    BODY_BYTES_OF_ACCOUNT_MAX, SEARCHES_OF_ACCOUNT_MAX, SEARCHES_WAITING_MAX,
};
use super::places::{Held, Places};
use super::turns::{Full, Room};
use crate::account::AccountId;
use crate::server::metrics::{counter, counters};

#[derive(Debug)]
pub struct Slots {
    /// The cost limits of searches.
    pub bounds: Bounds,
    lanes: Arc<Lanes>,
    batches: Places,
    bodies: Places,
    body_bytes: Places,
    page_turns: Arc<Semaphore>,
}

/// The lanes of all long work, for their metrics.
#[derive(Debug)]
pub struct Lanes {
    short: Lane,
    long: Lane,
    batch: Lane,
}

/// A place that is released on drop. `None`: unlimited.
pub type Turn = Option<OwnedSemaphorePermit>;

/// An arriving body: its place among the bodies, and the bytes received so far.
#[derive(Debug)]
pub struct Arriving {
    _place: Held,
    bytes: Held,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots::with(Bounds::default())
    }
}

impl Slots {
    /// Slots with these cost limits of searches.
    pub fn with(bounds: Bounds) -> Slots {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let searches = Room { of_all: SEARCHES_WAITING_MAX, of_account: SEARCHES_OF_ACCOUNT_MAX };
        let batches = Room { of_all: BATCHES_MAX, of_account: BATCHES_OF_ACCOUNT_MAX };
        let bodies = Room { of_all: BODIES_MAX, of_account: BODIES_OF_ACCOUNT_MAX };
        let bytes = Room { of_all: BODY_BYTES_HELD_MAX, of_account: BODY_BYTES_OF_ACCOUNT_MAX };
        // At their priority all of them together get a sixth of the cores while connections use the rest.
        let (threads, of_account) = (cores + 1, cores);
        let lane =
            |name, niceness, room| Lane::of(Rules { name, threads, of_account, niceness, room });
        Slots {
            bounds,
            lanes: Arc::new(Lanes {
                short: lane("short", 7, searches),
                long: lane("long", 17, searches),
                batch: lane("batch", 12, batches),
            }),
            batches: Places::of(batches),
            bodies: Places::of(bodies),
            body_bytes: Places::of(bytes),
            page_turns: Arc::new(Semaphore::new(cores)),
        }
    }

    pub fn lanes(&self) -> &Arc<Lanes> {
        &self.lanes
    }

    /// Reserves a place for a body that is about to be read.
    pub fn body(&self, account: AccountId) -> Result<Arriving, ApiError> {
        let full = |full| too_many("batch bodies being received", full, self.bodies.room());
        let _place = self.bodies.take(account, 1).map_err(full)?;
        let bytes = self.body_bytes.take(account, 0).map_err(full)?;
        Ok(Arriving { _place, bytes })
    }

    /// A batch slot, from the end of its body to its last byte.
    pub fn batch(&self, account: AccountId) -> Result<Held, ApiError> {
        let full = |full| too_many("running batches", full, self.batches.room());
        self.batches.take(account, 1).map_err(full)
    }

    pub fn batches_under_way(&self) -> usize {
        self.batches.taken()
    }

    /// Runs a batch in slices, each in its account's turn.
    pub async fn work_on_batch<T: Send + 'static>(
        &self,
        account: AccountId,
        deadline: Instant,
        abandoned: &Abandoned,
        slice: impl FnMut() -> Option<T> + Send + 'static,
    ) -> Result<T, Undone> {
        self.lanes.batch.run(account, deadline, abandoned, slice).await
    }

    /// Runs a search in its lane.
    pub async fn search<T: Send + 'static>(
        &self,
        place: Place,
        account: AccountId,
        deadline: Instant,
        abandoned: &Abandoned,
        mut search: impl FnMut() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let lane = if place == Place::Long { &self.lanes.long } else { &self.lanes.short };
        let began = Instant::now();
        let done = lane.run(account, deadline, abandoned, move || Some(search())).await;
        done.map_err(|undone| match undone {
            Undone::Full(full) => {
                let Room { of_all, of_account } = lane.rules().room;
                let detail = too_many_detail("waiting searches", full, of_all, of_account);
                ApiError::plain(Code::TooManySearches, detail)
            }
            Undone::Late => late(deadline.saturating_duration_since(began)),
        })
    }

    /// A turn for the search of a dashboard page, which does not wait for the searches of API clients.
    pub async fn page_turn(&self) -> Turn {
        // The semaphore is never closed; if it were, going on without a limit would be right.
        Arc::clone(&self.page_turns).acquire_owned().await.ok()
    }
}

impl Lanes {
    pub fn all(&self) -> [&Lane; 3] {
        [&self.short, &self.long, &self.batch]
    }
}

impl Collector for Lanes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        type Value = fn(&Lane) -> u64;
        let gauges: [(&str, &str, Value); 2] = [
            ("daicho_lane_waiting", "Searches or batches in the queue", |lane| {
                lane.waiting() as u64
            }),
            ("daicho_lane_running", "Searches or batches being processed", |lane| {
                lane.running() as u64
            }),
        ];
        for (name, help, value) in gauges {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for lane in self.all() {
                family.encode_family(&[("lane", lane.rules().name)])?.encode_gauge(&value(lane))?;
            }
        }
        let help =
            "Searches or batches stopped because the client had left or the time limit was reached";
        let mut family = counters(&mut encoder, "daicho_lane_abandoned", help)?;
        for lane in self.all() {
            counter(&mut family, &[("lane", lane.rules().name)], lane.abandoned())?;
        }
        Ok(())
    }
}

impl Arriving {
    /// The body is complete: its bytes stay reserved until it was parsed.
    pub fn arrived(self) -> Held {
        self.bytes
    }

    /// Reserves more bytes.
    pub fn take(&mut self, bytes: usize) -> Result<(), ApiError> {
        self.bytes.take_more(bytes).map_err(|full| {
            let (of_all, of_account) = (BODY_BYTES_HELD_MAX, BODY_BYTES_OF_ACCOUNT_MAX);
            too_many("bytes of batch bodies", full, Room { of_all, of_account })
        })
    }
}

fn late(time: Duration) -> ApiError {
    let seconds = time.as_secs_f64();
    let detail = format!(
        "expected the search to finish within {seconds:.1} s; it did not; \
         simplify it, for example with fewer or longer terms, or retry later"
    );
    ApiError::plain(Code::SearchTimeout, detail)
}

fn too_many(what: &str, full: Full, Room { of_all, of_account }: Room) -> ApiError {
    ApiError::plain(Code::TooManyBatches, too_many_detail(what, full, of_all, of_account))
}

fn too_many_detail(what: &str, full: Full, of_all: usize, of_account: usize) -> String {
    match full {
        Full::OfAll => {
            format!("expected at most {of_all} {what} on the server; found as many; retry later")
        }
        Full::OfAccount => format!(
            "expected at most {of_account} {what} of one account; found as many; \
             wait for a response before the next"
        ),
    }
}
