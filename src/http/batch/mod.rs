//! `POST /v1/batch/postalcode/search`: many addresses in one request.
//!
//! A batch is worked on by a thread of its own kind, since the ones that drive connections must not
//! be held up, by no more threads than there are cores. The whole of it is found within its time or
//! answered with an error; then the document is sent as the client takes it. A client that goes away
//! ends the work with the query that is under way.

mod answers;
mod request;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::connection::Connection;
use super::error::{ApiError, Code};
use super::reply::Reply;
use super::served::Served;
use super::slots::{Slot, Slots};
use crate::query::PostalData;
use crate::snapshot::OpenError;
use crate::text::codes::ApiVersion;
use answers::{Answers, Origin};

/// A batch whose body is there.
pub struct Job {
    /// The data to ask.
    pub data: Arc<PostalData>,
    /// What it is served with.
    pub served: Arc<Served>,
    /// The shape of the answer.
    pub api: ApiVersion,
    /// The body.
    pub body: Bytes,
    /// Its room.
    pub slot: Slot,
    /// Where the answer goes.
    pub connection: Arc<Connection>,
}

/// Why a batch has no answer.
pub enum Fault {
    /// To be told to the client.
    Told(ApiError),
    /// The snapshot is damaged.
    Damaged(Arc<OpenError>),
}

/// How far the work is, and whether it is still wanted.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    unwanted: AtomicBool,
}

/// Ends the work when nobody waits for it any more.
struct Wanted(Arc<Progress>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.unwanted.store(true, Relaxed);
    }
}

/// Works on a batch until `deadline`, which is `time_max` after it began.
pub async fn answer(
    job: Job,
    slots: &Slots,
    deadline: Instant,
    time_max: Duration,
) -> Result<Reply, Fault> {
    let connection = Arc::clone(&job.connection);
    let wanted = Wanted(Arc::default());
    let working = async {
        let turn = slots.batch_turn().await;
        let progress = Arc::clone(&wanted.0);
        let work = move || {
            let answers = work(job, &progress);
            drop(turn);
            answers
        };
        tokio::task::spawn_blocking(work).await
    };
    match tokio::time::timeout_at(deadline.into(), working).await {
        Ok(Ok(Ok(Some(answers)))) => Ok(Reply::document(Box::new(answers), connection)),
        Ok(Ok(Err(fault))) => Err(fault),
        Ok(Ok(Ok(None))) | Err(_) => Err(Fault::Told(cut_off(&wanted.0, time_max))),
        Ok(Err(error)) => {
            tracing::error!(%error, "the work on a batch failed; please report this");
            let detail = "expected the batch to be worked on; found that the work broke off";
            Err(Fault::Told(ApiError::plain(Code::Internal, detail)))
        }
    }
}

/// Reads the body and asks its queries; nothing where that is no longer wanted.
fn work(job: Job, progress: &Progress) -> Result<Option<Answers>, Fault> {
    let batch = request::read(&job.body).map_err(Fault::Told)?;
    progress.of.store(batch.queries.len(), Relaxed);
    let Job { data, served, api, slot, .. } = job;
    let mut begun = 0;
    let go_on = || {
        progress.done.store(begun, Relaxed);
        begun += 1;
        !progress.unwanted.load(Relaxed)
    };
    answers::find(Origin { data, served, api }, slot, &batch, go_on).map_err(Fault::Damaged)
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
