//! Runs a batch in slices, in its account's turn: batches of other accounts never wait for the whole of it.
//!
//! If its time is over, the answer is an error and not a part of the results. A disconnected client ends the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::vec;

use bytes::Bytes;

use super::answers::Answers;
use super::questions::{Batch, Origin, Questions, Received};
use crate::api::ask::Ask;
use crate::api::effort::{Bounds, check, over_budget};
use crate::api::endpoint::Replying;
use crate::api::error::{ApiError, Code};
use crate::api::input::Input;
use crate::api::lanes::{Abandoned, Undone};
use crate::api::limits::BATCH_SLICE;
use crate::api::places::Held;
use crate::api::reply::Reply;
use crate::query::budget::{QueryError, StopReason, WorkBudget};
use crate::query::syntax::Grouping;
use crate::snapshot::OpenError;

enum Fault {
    Client(ApiError),
    Damaged(Arc<OpenError>),
    /// The client left, or the time is over.
    Abandoned,
}

impl From<ApiError> for Fault {
    fn from(error: ApiError) -> Fault {
        Fault::Client(error)
    }
}

/// Progress of the work.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
}

/// The handler of a kind of batch.
pub fn handle<'a, K: Questions>(ask: &'a Ask<'a>, received: Received) -> Replying<'a> {
    Box::pin(answer::<K>(ask, received))
}

/// Answers a batch within its time.
async fn answer<K: Questions>(ask: &Ask<'_>, received: Received) -> Result<Reply, ApiError> {
    let requested = K::choose(ask)?;
    let Received { body, bytes, slot, deadline, time_max } = received;
    let (loaded, api_version) = (Arc::clone(ask.data), ask.api_version);
    let origin = Origin { data: Arc::clone(requested.data), loaded, api_version };
    let (abandoned, progress) = (Abandoned::default(), Arc::new(Progress::default()));
    let (grouping, bounds) = (ask.api.grouping, ask.api.slots.bounds);
    let mut stage = Stage::<K>::Received { origin, body, grouping, slot, _bytes: bytes };
    let (stop, counted) = (abandoned.clone(), Arc::clone(&progress));
    let slice = move || {
        let is_stopped = || stop.is_set() || Instant::now() >= deadline;
        stage.slice(&counted, bounds, &is_stopped)
    };
    let account = ask.account()?.id;
    let worked = ask.api.slots.work_on_batch(account, deadline, &abandoned, slice).await;
    match worked {
        Ok(Ok(answers)) => Ok(Reply::document(Box::new(answers), Arc::clone(ask.connection))),
        Ok(Err(Fault::Client(error))) => Err(error),
        Ok(Err(Fault::Damaged(error))) => Err(requested.damaged(ask, &error)),
        Ok(Err(Fault::Abandoned)) | Err(Undone::Late) => Err(cut_off(&progress, time_max)),
        // Cannot be full: there are as many turns as slots, and this batch has a slot.
        Err(Undone::Full(_)) => Err(ApiError::plain(
            Code::TooManyBatches,
            "the server has reached its limit of running batches; retry later",
        )),
    }
}

/// Stage of the work on a batch.
enum Stage<K: Questions> {
    Received {
        origin: Origin<K::Data>,
        body: Bytes,
        grouping: Grouping,
        slot: Held,
        /// Held until the body is read.
        _bytes: Held,
    },
    Asking {
        answers: Answers<K>,
        queries: vec::IntoIter<K::Query>,
        at: usize,
        scratch: K::Scratch,
    },
    Ended,
}

impl<K: Questions> Stage<K> {
    /// Works until the slice is over; returns the answers once all queries are done.
    fn slice(
        &mut self,
        progress: &Progress,
        bounds: Bounds,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Result<Answers<K>, Fault>> {
        let began = Instant::now();
        match std::mem::replace(self, Stage::Ended).go_on(began, progress, bounds, is_stopped) {
            Ok(Stage::Asking { answers, queries, .. }) if queries.len() == 0 => Some(Ok(answers)),
            Ok(further) => {
                *self = further;
                None
            }
            Err(fault) => Some(Err(fault)),
        }
    }

    fn go_on(
        self,
        began: Instant,
        progress: &Progress,
        bounds: Bounds,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Stage<K>, Fault> {
        let (mut answers, mut queries, mut at, mut scratch) = match self {
            Stage::Received { origin, body, grouping, slot, .. } => {
                let mut body = Input::parse(&body)?.object()?;
                let Batch { params, queries } = K::read(&mut body, grouping)?;
                progress.of.store(queries.len(), Relaxed);
                let answers = Answers::begin(origin, slot, &params);
                (answers, queries.into_iter(), 0, K::Scratch::default())
            }
            Stage::Asking { answers, queries, at, scratch } => (answers, queries, at, scratch),
            Stage::Ended => return Err(Fault::Abandoned),
        };
        loop {
            if is_stopped() {
                return Err(Fault::Abandoned);
            }
            // A batch without queries ends at once.
            let is_over = began.elapsed() >= BATCH_SLICE;
            let Some(query) = (!is_over).then(|| queries.next()).flatten() else { break };
            ask_one(&mut answers, (at, &query), &mut scratch, bounds, is_stopped)?;
            at += 1;
            progress.done.store(at, Relaxed);
        }
        Ok(Stage::Asking { answers, queries, at, scratch })
    }
}

fn ask_one<K: Questions>(
    answers: &mut Answers<K>,
    (at, query): (usize, &K::Query),
    scratch: &mut K::Scratch,
    bounds: Bounds,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Fault> {
    let parameter = || format!("queries[{at}].q");
    let cost = K::cost(answers.origin(), query).map_err(Fault::Damaged)?;
    if cost.units > bounds.long {
        check(&cost, bounds, &parameter(), K::q(query))?;
    }
    let work = WorkBudget::new(2 * bounds.long, is_stopped);
    answers.ask(query, scratch, &work).map_err(|unanswered| match unanswered {
        QueryError::Damaged(error) => Fault::Damaged(error),
        QueryError::Stopped(StopReason::OverBudget) => {
            Fault::Client(over_budget(bounds, &parameter()))
        }
        QueryError::Stopped(StopReason::Abandoned) => Fault::Abandoned,
    })
}

fn cut_off(progress: &Progress, time_max: Duration) -> ApiError {
    let (done, of) = (progress.done.load(Relaxed), progress.of.load(Relaxed));
    let found = if of == 0 {
        "found it still in the queue".to_owned()
    } else {
        format!("found {done} of {of} done")
    };
    let seconds = time_max.as_secs_f64();
    let detail = format!("expected all queries to finish within {seconds} s; {found}");
    ApiError::plain(Code::BatchTimeout, detail)
}
