//! `POST /v1/batch/…/search`: many questions in one request, of any kind ([`Questions`]).
//!
//! A batch is worked on by a thread of its own kind, since the ones that drive connections must not
//! be held up, by no more threads than there are cores. The whole of it is found within its time or
//! answered with an error; then the document is sent as the client takes it. A client that goes away
//! ends the work with the query that is under way.

mod answers;
mod corporate;
mod postal;
mod request;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::chosen::Chosen;
use super::error::{ApiError, Code};
use super::reply::Reply;
use super::served::Served;
use super::service::Ask;
use super::slots::{Slot, Slots};
use crate::server::connection::Connection;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::ApiVersion;
use answers::{Answers, Origin};

pub use corporate::Corporations;
pub use postal::Addresses;

/// The questions of a batch over one kind of data.
pub trait Questions: Sized + Send + 'static {
    /// What is asked.
    type Data: Dataset + Send + Sync + 'static;
    /// What reading a body depends on.
    type Options: Send + 'static;
    /// One question, checked.
    type Query;
    /// What answering needs, kept from one question to the next.
    type Desk: Default;

    /// The data that a request means.
    fn choose<'r>(ask: &Ask<'r>) -> Result<Chosen<'r, Self::Data>, ApiError>;

    /// Reads a body.
    fn read(body: &[u8], options: Self::Options) -> Result<Self, ApiError>;

    /// In the order of the body.
    fn queries(&self) -> &[Self::Query];

    /// Appends the object that echoes the defaults.
    fn write_params(&self, out: &mut Vec<u8>);

    /// The rows that a question finds; writes the members behind them and the closing brace.
    fn ask(
        data: &Self::Data,
        query: &Self::Query,
        desk: &mut Self::Desk,
        tail: Tail<'_>,
    ) -> Result<Vec<u32>, Arc<OpenError>>;

    /// Appends a record that was found, behind a comma unless it is the first.
    fn write_record(origin: &Origin<Self::Data>, row: u32, first: bool, out: &mut Vec<u8>);
}

/// Where the members behind a query's records go.
pub struct Tail<'a>(pub &'a mut Vec<u8>);

/// A batch whose body is there.
pub struct Job<K: Questions> {
    /// The data to ask.
    pub data: Arc<K::Data>,
    /// What reading the body depends on.
    pub options: K::Options,
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
pub async fn answer<K: Questions>(
    job: Job<K>,
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
fn work<K: Questions>(job: Job<K>, progress: &Progress) -> Result<Option<Answers<K>>, Fault> {
    let Job { data, options, served, api, body, slot, .. } = job;
    let batch = K::read(&body, options).map_err(Fault::Told)?;
    progress.of.store(batch.queries().len(), Relaxed);
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
