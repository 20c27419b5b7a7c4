//! Where work runs and how much of it: expensive searches and batches in [`lanes`], calls of the store on threads that
//! may block.
//!
//! [`cost_budget`] decides by the estimated cost of a search on which executor it runs. Accounts take turns and have
//! their share of the permits ([`capacity`]). Knows no endpoint and no request.
//!
//! [`Slots`] limits the work that must not block the threads of connections, and the bodies of batches in memory.
//! Searches have two lanes, so that one of milliseconds never waits for one of a third of a second; batches have one
//! of their own. A body that is still arriving takes no batch slot.
//!
//! A store that is slow, locked, full or down costs only the callers of [`ApiStore`] a 503. The work is one
//! transaction: after a 503 either all of it happened or nothing.

pub mod capacity;
pub mod cost_budget;
pub mod lanes;

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{ApiError, Code};
use super::limits::{
    BATCHES_MAX, BATCHES_OF_ACCOUNT_MAX, BODIES_MAX, BODIES_OF_ACCOUNT_MAX, BODY_BYTES_HELD_MAX,
    BODY_BYTES_OF_ACCOUNT_MAX, SEARCHES_OF_ACCOUNT_MAX, SEARCHES_WAITING_MAX,
};
use crate::account::AccountId;
use crate::account::store::{Store, StoreError, StoreFault, StorePool, TransactionError};
use crate::server::metrics::{counter, counters, gauge};
use crate::server::service::blocking;
use capacity::{Capacity, CapacityError, KeyedSemaphore, Permits};
use cost_budget::{CostLimits, Executor};
use lanes::{CancelFlag, Lane, LaneConfig, LaneError, RunningSlice};

/// The niceness of the threads of short searches. By these priorities the lanes share a tenth of the cores, and what
/// connections leave of the rest.
pub const SHORT_LANE_NICENESS: i32 = 10;

const BODY_BYTES: Capacity =
    Capacity { total: BODY_BYTES_HELD_MAX, each: BODY_BYTES_OF_ACCOUNT_MAX };

#[derive(Debug)]
pub struct Slots {
    pub cost_limits: CostLimits,
    lanes: Arc<Lanes>,
    bodies: KeyedSemaphore,
    body_bytes: KeyedSemaphore,
    page_searches: Arc<Semaphore>,
}

/// The lanes of all long work and the slots of batches, for their metrics.
#[derive(Debug)]
pub struct Lanes {
    short: Lane,
    long: Lane,
    batch: Lane,
    batch_slots: KeyedSemaphore,
}

/// The right of a page to search, released on drop. `None`: unlimited.
pub type PagePermit = Option<OwnedSemaphorePermit>;

/// The reservation of a batch body that is arriving: one of the bodies, and the bytes received so far.
#[derive(Debug)]
pub struct BodyReservation {
    _body: Permits,
    bytes: Permits,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots::new(CostLimits::default())
    }
}

impl Slots {
    pub fn new(cost_limits: CostLimits) -> Slots {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let searches = Capacity { total: SEARCHES_WAITING_MAX, each: SEARCHES_OF_ACCOUNT_MAX };
        let batches = Capacity { total: BATCHES_MAX, each: BATCHES_OF_ACCOUNT_MAX };
        let bodies = Capacity { total: BODIES_MAX, each: BODIES_OF_ACCOUNT_MAX };
        let (threads, threads_per_account) = (cores + 1, cores);
        let lane = |name, niceness, capacity| {
            Lane::new(LaneConfig { name, threads, threads_per_account, niceness, capacity })
        };
        Slots {
            cost_limits,
            lanes: Arc::new(Lanes {
                short: lane("short", SHORT_LANE_NICENESS, searches),
                long: lane("long", 19, searches),
                batch: lane("batch", 14, batches),
                batch_slots: KeyedSemaphore::new(batches),
            }),
            bodies: KeyedSemaphore::new(bodies),
            body_bytes: KeyedSemaphore::new(BODY_BYTES),
            page_searches: Arc::new(Semaphore::new(cores)),
        }
    }

    pub fn lanes(&self) -> &Arc<Lanes> {
        &self.lanes
    }

    pub fn reserve_body(&self, account: AccountId) -> Result<BodyReservation, ApiError> {
        let what = "batch bodies being received";
        let too_many = |error| too_many_batches(what, error, self.bodies.capacity());
        let _body = self.bodies.try_acquire(account, 1).map_err(too_many)?;
        let bytes = self.body_bytes.try_acquire(account, 0).map_err(too_many)?;
        Ok(BodyReservation { _body, bytes })
    }

    /// A batch slot, which is held from the end of the batch's body to the last byte of its answer.
    pub fn reserve_batch(&self, account: AccountId) -> Result<Permits, ApiError> {
        let slots = &self.lanes.batch_slots;
        let permit = slots.try_acquire(account, 1);
        permit.map_err(|error| too_many_batches("running batches", error, slots.capacity()))
    }

    /// Runs a batch in slices, each in its account's turn.
    pub async fn run_batch<T: Send + 'static>(
        &self,
        account: AccountId,
        deadline: Instant,
        slice: impl FnMut(&RunningSlice<'_>) -> Option<T> + Send + 'static,
    ) -> Result<T, LaneError> {
        self.lanes.batch.run(account, deadline, &CancelFlag::default(), slice).await
    }

    /// Runs a search in the long lane, or else in the short one.
    pub async fn run_search<T: Send + 'static>(
        &self,
        executor: Executor,
        account: AccountId,
        deadline: Instant,
        mut search: impl FnMut(&RunningSlice<'_>) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let lane = match executor {
            Executor::LongLane => &self.lanes.long,
            Executor::Connection | Executor::ShortLane => &self.lanes.short,
        };
        let started = Instant::now();
        let cancel = CancelFlag::default();
        let result =
            lane.run(account, deadline, &cancel, move |running| Some(search(running))).await;
        result.map_err(|error| match error {
            LaneError::Full(error) => {
                let detail = too_many("waiting searches", error, lane.config().capacity);
                ApiError::new(Code::TooManySearches, detail)
            }
            LaneError::TooLate => too_late(deadline.saturating_duration_since(started)),
        })
    }

    /// Waits until a dashboard page may search. Pages do not wait for the searches of API clients.
    pub async fn page_permit(&self) -> PagePermit {
        // The semaphore is never closed; if it were, going on without a limit would be right.
        Arc::clone(&self.page_searches).acquire_owned().await.ok()
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
                family
                    .encode_family(&[("lane", lane.config().name)])?
                    .encode_gauge(&value(lane))?;
            }
        }
        let help = "Batches whose body has arrived and whose response is not completely written";
        gauge(&mut encoder, "daicho_batches_running", help, self.batch_slots.in_use() as u64)?;
        let help =
            "Searches or batches stopped because the client had left or the time limit was reached";
        let mut family = counters(&mut encoder, "daicho_lane_abandoned", help)?;
        for lane in self.all() {
            counter(&mut family, &[("lane", lane.config().name)], lane.abandoned())?;
        }
        Ok(())
    }
}

impl BodyReservation {
    /// Keeps only the bytes: the body is complete, and its bytes stay reserved until it is parsed.
    pub fn into_bytes(self) -> Permits {
        self.bytes
    }

    pub fn add_bytes(&mut self, count: usize) -> Result<(), ApiError> {
        let reserved = self.bytes.try_acquire_more(count);
        reserved.map_err(|error| too_many_batches("bytes of batch bodies", error, BODY_BYTES))
    }
}

fn too_late(time: Duration) -> ApiError {
    let seconds = time.as_secs_f64();
    let detail = format!(
        "expected the search to finish within {seconds:.1} s; it did not; \
         simplify it, for example with fewer or longer terms, or retry later"
    );
    ApiError::new(Code::SearchTimeout, detail)
}

fn too_many_batches(what: &str, error: CapacityError, capacity: Capacity) -> ApiError {
    ApiError::new(Code::TooManyBatches, too_many(what, error, capacity))
}

/// The detail of an error about too many of `what`.
fn too_many(what: &str, error: CapacityError, capacity: Capacity) -> String {
    let Capacity { total, each } = capacity;
    match error {
        CapacityError::Total => {
            format!(
                "expected at most {total} {what} on the server; found no room for more; retry later"
            )
        }
        CapacityError::Each => format!(
            "expected at most {each} {what} of one account; found no room for more; \
             wait for a response before the next"
        ),
    }
}

/// Most concurrent calls. A store that hangs blocks as many threads.
const CALLS_MAX: usize = 16;

/// How long a caller waits, for its permit and for the result. Longer than the store waits for a lock.
const TIME_MAX: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub struct ApiStore {
    pool: Arc<StorePool>,
    calls: Arc<Semaphore>,
}

impl ApiStore {
    pub fn new(pool: Arc<StorePool>) -> ApiStore {
        ApiStore { pool, calls: Arc::new(Semaphore::new(CALLS_MAX)) }
    }

    /// Runs `work` with a store connection of its own. If the store fails, the caller answers with [`unavailable`].
    pub async fn run<T, E>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: TransactionError + Send + 'static,
    {
        let call = async {
            // The semaphore is never closed; if it were, going on without a limit would be right.
            let permit = Arc::clone(&self.calls).acquire_owned().await.ok();
            let pool = Arc::clone(&self.pool);
            let work = move || {
                let result = pool.run(work);
                drop(permit);
                result
            };
            blocking(work).await
        };
        match tokio::time::timeout(TIME_MAX, call).await {
            Ok(result) => result,
            Err(_elapsed) => Err(E::from(StoreError::Unusable {
                location: self.pool.location.clone(),
                fault: StoreFault::Slow(TIME_MAX.as_secs()),
            })),
        }
    }
}

/// The error of a failed store. The cause is logged, not sent to the client.
pub fn unavailable(error: &StoreError) -> ApiError {
    tracing::debug!(%error, "a request failed because of the store");
    ApiError::new(Code::StateUnavailable, "the account store is unavailable; retry later")
}
