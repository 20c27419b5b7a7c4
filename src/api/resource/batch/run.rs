//! Runs a batch in slices, in its account's turn: batches of other accounts never wait for the whole of it.
//!
//! If its time runs out, the answer is an error and not a part of the results. If the client disconnects, the work
//! ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::vec;

use bytes::Bytes;

use super::results::BatchResults;
use super::{BatchData, BatchQuery, ParsedBatch, ReceivedBatch};
use crate::api::endpoint::ReplyFuture;
use crate::api::error::{ApiError, Code};
use crate::api::executor::account_semaphore::Permits;
use crate::api::executor::cost_budget::{CostLimits, Executor, check_cost, over_budget};
use crate::api::executor::lanes::LaneError;
use crate::api::executor::running_slice::RunningSlice;
use crate::api::limits::BATCH_SLICE;
use crate::api::pipeline::input::Input;
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::request::ApiRequest;
use crate::api::resource::version::requested_data;
use crate::query::budget::{QueryError, StopReason};
use crate::query::syntax::Grouping;
use crate::snapshot::OpenError;

/// Why a batch has no results.
enum BatchError {
    Api(ApiError),
    Damaged(Arc<OpenError>),
    /// The client disconnected, or the time ran out.
    Abandoned,
}

impl From<ApiError> for BatchError {
    fn from(error: ApiError) -> BatchError {
        BatchError::Api(error)
    }
}

/// How many queries are done. `total` is 0 until the body is parsed.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
}

/// The handler of a kind of batch.
pub fn handle<'a, Q: BatchQuery>(
    request: &'a ApiRequest<'a>,
    received: ReceivedBatch,
) -> ReplyFuture<'a> {
    Box::pin(answer::<Q>(request, received))
}

/// Answers a batch within its time.
async fn answer<Q: BatchQuery>(
    request: &ApiRequest<'_>,
    received: ReceivedBatch,
) -> Result<Reply, ApiError> {
    let requested = requested_data(request, Q::VERSIONS)?;
    let ReceivedBatch { body, bytes, slot, deadline, time_max } = received;
    let (loaded, api_version) = (Arc::clone(request.data), request.api_version);
    let source = BatchData { data: Arc::clone(requested.data), loaded, api_version };
    let progress = Arc::new(Progress::default());
    let (grouping, cost_limits) = (request.api.grouping, request.api.slots.cost_limits);
    let mut stage = Stage::<Q>::Received { source, body, grouping, slot, _bytes: bytes };
    let counted = Arc::clone(&progress);
    let slice = move |running: &RunningSlice<'_>| {
        let is_stopped = || running.must_stop();
        stage.run_slice(&counted, cost_limits, &is_stopped)
    };
    let account = request.account()?.id;
    let outcome = request.api.slots.run_batch(account, deadline, slice).await;
    match outcome {
        Ok(Ok(results)) => Ok(Reply::document(Box::new(results), Arc::clone(request.connection))),
        Ok(Err(BatchError::Api(error))) => Err(error),
        Ok(Err(BatchError::Damaged(error))) => Err(requested.damaged_error(&error)),
        Ok(Err(BatchError::Abandoned)) | Err(LaneError::TooLate) => {
            Err(timeout_error(&progress, time_max))
        }
        // Cannot be full: there are as many turns as slots, and this batch has a slot.
        Err(LaneError::Full(_)) => Err(ApiError::new(
            Code::TooManyBatches,
            "the server has reached its limit of running batches; retry later",
        )),
    }
}

/// How far the work on a batch has come.
enum Stage<Q: BatchQuery> {
    Received {
        source: BatchData<Q::Data>,
        body: Bytes,
        grouping: Grouping,
        slot: Permits,
        /// Held until the body is parsed.
        _bytes: Permits,
    },
    Searching {
        results: BatchResults<Q>,
        queries: vec::IntoIter<Q>,
        /// The index of the next query, for errors.
        index: usize,
        scratch: Q::Scratch,
    },
    Ended,
}

impl<Q: BatchQuery> Stage<Q> {
    /// Works until the slice is over. Returns the results once all queries are done, `None` while some are left.
    fn run_slice(
        &mut self,
        progress: &Progress,
        cost_limits: CostLimits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Result<BatchResults<Q>, BatchError>> {
        match std::mem::replace(self, Stage::Ended).advance(progress, cost_limits, is_stopped) {
            Ok(Stage::Searching { results, queries, .. }) if queries.len() == 0 => {
                Some(Ok(results))
            }
            Ok(stage) => {
                *self = stage;
                None
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn advance(
        self,
        progress: &Progress,
        cost_limits: CostLimits,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Stage<Q>, BatchError> {
        let started = Instant::now();
        let (mut results, mut queries, mut index, mut scratch) = match self {
            Stage::Received { source, body, grouping, slot, .. } => {
                let mut body = Input::parse(&body)?.object()?;
                let ParsedBatch { params, queries } = Q::parse_batch(&mut body, grouping)?;
                progress.total.store(queries.len(), Relaxed);
                let results = BatchResults::new(source, slot, &params);
                (results, queries.into_iter(), 0, Q::Scratch::default())
            }
            Stage::Searching { results, queries, index, scratch } => {
                (results, queries, index, scratch)
            }
            Stage::Ended => return Err(BatchError::Abandoned),
        };
        loop {
            if is_stopped() {
                return Err(BatchError::Abandoned);
            }
            let is_over = started.elapsed() >= BATCH_SLICE;
            let Some(query) = (!is_over).then(|| queries.next()).flatten() else { break };
            search_one(&mut results, (index, &query), &mut scratch, cost_limits, is_stopped)?;
            index += 1;
            progress.done.store(index, Relaxed);
        }
        Ok(Stage::Searching { results, queries, index, scratch })
    }
}

fn search_one<Q: BatchQuery>(
    results: &mut BatchResults<Q>,
    (index, query): (usize, &Q),
    scratch: &mut Q::Scratch,
    cost_limits: CostLimits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), BatchError> {
    let parameter = || format!("queries[{index}].q");
    let cost = query.cost(&results.source).map_err(BatchError::Damaged)?;
    if cost.units > cost_limits.long_lane {
        check_cost(&cost, cost_limits, &parameter(), query.q())?;
    }
    let work = cost_limits.work_budget(Executor::LongLane, is_stopped);
    results.search_next(query, scratch, &work).map_err(|unanswered| match unanswered {
        QueryError::Damaged(error) => BatchError::Damaged(error),
        QueryError::Stopped(StopReason::OverBudget) => {
            BatchError::Api(over_budget(cost_limits, &parameter()))
        }
        QueryError::Stopped(StopReason::Abandoned) => BatchError::Abandoned,
    })
}

fn timeout_error(progress: &Progress, time_max: Duration) -> ApiError {
    let (done, total) = (progress.done.load(Relaxed), progress.total.load(Relaxed));
    let found = if total == 0 {
        "found it still in the queue".to_owned()
    } else {
        format!("found {done} of {total} done")
    };
    let seconds = time_max.as_secs_f64();
    let detail = format!("expected all queries to finish within {seconds} s; {found}");
    ApiError::new(Code::BatchTimeout, detail)
}
