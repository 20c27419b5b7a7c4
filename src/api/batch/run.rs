//! The work on a batch, by no more threads than there are cores, which are not those that drive connections.
//!
//! All of it is found within its time or answered with an error. A client that goes away ends the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::answers::{self, Answers};
use super::questions::{Origin, Questions, Received};
use crate::api::ask::Ask;
use crate::api::endpoint::Replying;
use crate::api::error::{ApiError, Code};
use crate::api::input::Input;
use crate::api::reply::Reply;
use crate::api::slots::Slot;
use crate::query::syntax::Grouping;
use crate::snapshot::OpenError;

enum Fault {
    Client(ApiError),
    Damaged(Arc<OpenError>),
}

/// How far the work is, and whether to stop it.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    cancelled: AtomicBool,
}

/// Stops the work when it is dropped: nobody waits for the answer any more.
struct CancelOnDrop(Arc<Progress>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Relaxed);
    }
}

/// The handler of a kind of batch.
pub fn handle<'a, K: Questions>(ask: &'a Ask<'a>, received: Received) -> Replying<'a> {
    Box::pin(answer::<K>(ask, received))
}

/// Answers a batch within its time.
async fn answer<K: Questions>(ask: &Ask<'_>, received: Received) -> Result<Reply, ApiError> {
    let requested = K::choose(ask)?;
    let Received { body, slot, deadline, time_max } = received;
    let (loaded, api_version) = (Arc::clone(ask.data), ask.api_version);
    let origin = Origin { data: Arc::clone(requested.data), loaded, api_version };
    let grouping = ask.api.grouping;
    let cancel = CancelOnDrop(Arc::default());
    let working = async {
        let turn = ask.api.slots.batch_turn().await;
        let progress = Arc::clone(&cancel.0);
        let work = move || {
            let answers = work::<K>(origin, &body, grouping, slot, &progress);
            drop(turn);
            answers
        };
        tokio::task::spawn_blocking(work).await
    };
    match tokio::time::timeout_at(deadline.into(), working).await {
        Ok(Ok(Ok(Some(answers)))) => {
            Ok(Reply::document(Box::new(answers), Arc::clone(ask.connection)))
        }
        Ok(Ok(Err(Fault::Client(error)))) => Err(error),
        Ok(Ok(Err(Fault::Damaged(error)))) => Err(requested.damaged(ask, &error)),
        Ok(Ok(Ok(None))) | Err(_) => Err(cut_off(&cancel.0, time_max)),
        Ok(Err(error)) => {
            tracing::error!(%error, "the work on a batch panicked; please report this");
            let detail = "the work on the batch failed; the server's log has the reason";
            Err(ApiError::plain(Code::Internal, detail))
        }
    }
}

/// Reads the body and asks its queries; nothing where that is no longer wanted.
fn work<K: Questions>(
    origin: Origin<K::Data>,
    body: &[u8],
    grouping: Grouping,
    slot: Slot,
    progress: &Progress,
) -> Result<Option<Answers<K>>, Fault> {
    let batch = Input::parse(body).and_then(Input::object);
    let batch = batch.and_then(|mut body| K::read(&mut body, grouping)).map_err(Fault::Client)?;
    progress.of.store(batch.queries.len(), Relaxed);
    let mut begun = 0;
    let go_on = || {
        progress.done.store(begun, Relaxed);
        begun += 1;
        !progress.cancelled.load(Relaxed)
    };
    answers::find(origin, slot, batch, go_on).map_err(Fault::Damaged)
}

fn cut_off(progress: &Progress, time_max: Duration) -> ApiError {
    let (done, of) = (progress.done.load(Relaxed), progress.of.load(Relaxed));
    let found = if of == 0 {
        "found it waiting for its turn".to_owned()
    } else {
        format!("found {done} of {of} queries done")
    };
    let seconds = time_max.as_secs_f64();
    let detail = format!("expected all queries to be done within {seconds} s; {found}");
    ApiError::plain(Code::BatchTimeout, detail)
}
