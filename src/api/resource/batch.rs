//! `POST /v1/batch/…/search`: many queries of one kind in one request.
//!
//! [`BatchQuery`] is the trait of a kind of query, and the functions below parse what the bodies of all kinds share. A
//! batch runs in slices on the threads of a lane, in its account's turn: batches of other accounts never wait for the
//! whole of it. If the client disconnects, the work ends. All queries are searched before the first byte is sent, so a
//! batch is answered completely or with an error. Until then only rows and the members after the records are kept; the
//! records are written while the client reads.

use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use std::vec;

use bytes::Bytes;

use super::batch_corrections::BatchCorrections;
use super::requested_data;
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::capacity::Permits;
use crate::api::executor::cost_budget::{CostLimits, Executor, check_cost, over_budget};
use crate::api::executor::lanes::{LaneError, RunningSlice};
use crate::api::limits::{BATCH_QUERIES_MAX, BATCH_SLICE, BATCH_TEXT_BYTES_MAX};
use crate::api::pipeline::input::{Input, Object, fault};
use crate::api::pipeline::params::{ApiRequest, LIMIT_MAX};
use crate::api::pipeline::reply::{Reply, ReplyFuture};
use crate::dataset::correction::Correction;
use crate::dataset::{Catalog, Declaration};
use crate::json;
use crate::query::budget::QueryError;
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::server::body::{Document, PIECE_BYTES};
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::ApiVersion;
use crate::work::{StopReason, WorkBudget};

pub struct ParsedBatch<Q> {
    /// The member `params` of the answer, in JSON: the defaults that the body sets.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// A query of a batch: in which data it is searched, how it is parsed and how it is answered.
pub trait BatchQuery: Sized + Send + 'static {
    type Data: Declaration + Send + Sync + 'static;
    /// Where a found record is, and what its answer says of how it was found.
    type Row: Copy + Send;
    /// What tells the records apart that corrections change.
    type Corrected: Eq + Hash + Send;
    /// Buffers that are reused from query to query.
    type Scratch: Default + Send;

    const VERSIONS: fn(&Catalog) -> &Versions<Self::Data>;

    fn parse_batch(body: &mut Object, grouping: Grouping) -> Result<ParsedBatch<Self>, ApiError>;

    /// The cost, if it depends on the query.
    fn cost(&self, _source: &BatchData<Self::Data>) -> Result<Cost, Arc<OpenError>> {
        Ok(Cost::none())
    }

    /// Why the data cannot answer it, if they cannot. `parameter` is its place in the body.
    fn refusal(
        &self,
        _source: &BatchData<Self::Data>,
        _parameter: String,
    ) -> Result<Option<ApiError>, Arc<OpenError>> {
        Ok(None)
    }

    /// The text of `q`, as it was sent.
    fn q(&self) -> &str {
        ""
    }

    /// The records that a correction of the data changed. None for data that cannot be corrected.
    fn changed_by(
        _source: &BatchData<Self::Data>,
        _correction: &Correction,
    ) -> Result<Vec<Self::Corrected>, Arc<OpenError>> {
        Ok(Vec::new())
    }

    /// Returns the rows that it finds, within the limit of its work. Writes to `result` what its answer has beside the
    /// records.
    fn search(
        &self,
        source: &BatchData<Self::Data>,
        scratch: &mut Self::Scratch,
        result: &mut BesideRecords<Self::Corrected>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<Self::Row>, QueryError>;

    fn write_record(source: &BatchData<Self::Data>, row: Self::Row, out: &mut Vec<u8>);
}

/// The data in which a batch is searched, and the API version of its answer.
pub struct BatchData<D> {
    pub data: Arc<D>,
    /// All data that were loaded when the batch started, with the prepared parts of answers.
    pub loaded: Arc<Data>,
    pub api_version: ApiVersion,
}

/// What the answer of a query has beside its records.
pub struct BesideRecords<K> {
    /// The members that come after the records, without the closing brace.
    pub tail: Vec<u8>,
    /// The records in the answer that a correction may have changed. Need not be filled unless `names_corrections`.
    pub corrected: Vec<K>,
    /// Whether the batch names the corrections that changed its results.
    pub names_corrections: bool,
}

pub struct ReceivedBatch {
    pub body: Bytes,
    /// The reservation of its bytes.
    pub bytes: Permits,
    /// Its slot among the batches of the server.
    pub slot: Permits,
    /// When it must be answered: `time_max` after its head arrived.
    pub deadline: Instant,
    pub time_max: Duration,
}

/// Records of a query if neither it nor the batch sets a limit.
pub const LIMIT_DEFAULT: usize = 1;

/// The queries of a body. All are read and validated before any search: one invalid query fails the batch, and the error
/// names its position.
pub fn queries<Q>(
    body: &mut Object,
    mut read: impl FnMut(Object) -> Result<Q, ApiError>,
) -> Result<Vec<Q>, ApiError> {
    let queries = required(body, "queries", "a list of queries")?.list()?;
    if queries.len() > BATCH_QUERIES_MAX {
        let detail =
            format!("expected at most {BATCH_QUERIES_MAX} queries; found {}", queries.len());
        return Err(ApiError::in_parameter("queries", Code::TooManyQueries, detail));
    }
    queries.map(|query| query.object().and_then(&mut read)).collect()
}

/// The required member of this name.
pub fn required(object: &mut Object, name: &str, what: &str) -> Result<Input, ApiError> {
    let missing = || format!("expected {what}; found no such member");
    object.remove(name)?.ok_or_else(|| fault(object.path_of(name), missing()))
}

/// The text of the member of this name and its path; an empty one counts as absent.
pub fn text(object: &mut Object, name: &str) -> Result<Option<(String, String)>, ApiError> {
    let Some(input) = object.remove(name)? else { return Ok(None) };
    let path = input.path().to_owned();
    let text = input.text(BATCH_TEXT_BYTES_MAX)?;
    Ok(Some((text, path)).filter(|(text, _)| !text.is_empty()))
}

/// The text of the required member of this name, and its path.
pub fn required_text(
    object: &mut Object,
    name: &str,
    what: &str,
) -> Result<(String, String), ApiError> {
    let input = required(object, name, what)?;
    let path = input.path().to_owned();
    Ok((input.text(BATCH_TEXT_BYTES_MAX)?, path))
}

/// The name that a client gives a query, to know its result by.
pub fn id(query: &mut Object) -> Result<Option<String>, ApiError> {
    query.remove("id")?.map(|id| id.text(BATCH_TEXT_BYTES_MAX)).transpose()
}

/// Appends the id of a query to its result.
pub fn write_id(out: &mut Vec<u8>, id: Option<&str>) {
    json::or_null(out, ",\"id\":", id);
}

pub fn limit(object: &mut Object, name: &str) -> Result<Option<usize>, ApiError> {
    let Some(input) = object.remove(name)? else { return Ok(None) };
    let limit = input.whole(Code::InvalidLimit, 1..=LIMIT_MAX)?;
    Ok(Some(usize::try_from(limit).expect("at most 100")))
}

/// The member of this name, 1 or 0 as in a query parameter; absent means 0.
pub fn flag(object: &mut Object, name: &str) -> Result<bool, ApiError> {
    let Some(input) = object.remove(name)? else { return Ok(false) };
    Ok(input.whole(Code::InvalidParameter, 0..=1)? == 1)
}

/// Why a batch has no results.
#[derive(derive_more::From)]
enum BatchError {
    #[from]
    Api(ApiError),
    Damaged(Arc<OpenError>),
    /// The client disconnected, or the time ran out.
    Abandoned,
}

/// How many queries are done. `total` is 0 until the body is parsed.
#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
}

pub fn handle<'a, Q: BatchQuery>(
    request: &'a ApiRequest<'a>,
    received: ReceivedBatch,
) -> ReplyFuture<'a> {
    Box::pin(answer::<Q>(request, received))
}

async fn answer<Q: BatchQuery>(
    request: &ApiRequest<'_>,
    received: ReceivedBatch,
) -> Result<Reply, ApiError> {
    let requested = requested_data(request, Q::VERSIONS)?;
    let corrections = requested.named_corrections().to_vec();
    let ReceivedBatch { body, bytes, slot, deadline, time_max } = received;
    let (loaded, api_version) = (Arc::clone(request.data), request.api_version);
    let source = BatchData { data: Arc::clone(requested.data), loaded, api_version };
    let progress = Arc::new(Progress::default());
    let (grouping, cost_limits) = (request.api.grouping, request.api.slots.cost_limits);
    let mut stage =
        Stage::<Q>::Received { source, corrections, body, grouping, slot, _bytes: bytes };
    let counted = Arc::clone(&progress);
    let slice = move |running: &RunningSlice<'_>| {
        let is_stopped = || running.must_stop();
        stage.run_slice(&counted, cost_limits, &is_stopped)
    };
    let account = request.account()?.id;
    let outcome = request.api.slots.run_batch(account, deadline, slice).await;
    match outcome {
        Ok(Ok(results)) => {
            let corrections = results.corrections.marked();
            let reply = Reply::document(Box::new(results), Arc::clone(request.connection));
            Ok(reply.with_corrections(corrections))
        }
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
        /// Those that the answer may name.
        corrections: Vec<Arc<Correction>>,
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
            Stage::Received { source, corrections, body, grouping, slot, .. } => {
                let mut body = Input::parse(&body)?.object()?;
                let ParsedBatch { params, queries } = Q::parse_batch(&mut body, grouping)?;
                progress.total.store(queries.len(), Relaxed);
                let changed_by = |row: &Correction| Q::changed_by(&source, row);
                let corrections = BatchCorrections::new(corrections, changed_by);
                let corrections = corrections.map_err(BatchError::Damaged)?;
                let results = BatchResults::new(source, corrections, slot, &params);
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
    let refusal = query.refusal(&results.source, parameter()).map_err(BatchError::Damaged)?;
    refusal.map_or(Ok(()), Err)?;
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

pub struct BatchResults<Q: BatchQuery> {
    source: BatchData<Q::Data>,
    /// Everything before the first record.
    head: Vec<u8>,
    rows: Vec<Q::Row>,
    /// The members after the records of all queries, and the records of one.
    beside: BesideRecords<Q::Corrected>,
    corrections: BatchCorrections<Q::Corrected>,
    queries: Vec<QueryResult>,
    /// The index in `queries` of the query that is being written, and the index in `rows` of its next row.
    next_query: usize,
    next_row: usize,
    /// Held until the last byte is written.
    _slot: Permits,
}

/// The ranges of one query's result in the buffers, and the corrections that changed it.
struct QueryResult {
    rows: Range<usize>,
    tail: Range<usize>,
    marks: Vec<usize>,
}

impl<Q: BatchQuery> BatchResults<Q> {
    fn new(
        source: BatchData<Q::Data>,
        corrections: BatchCorrections<Q::Corrected>,
        slot: Permits,
        params: &[u8],
    ) -> BatchResults<Q> {
        let mut head = b"{\"version\":\"".to_vec();
        json::push_version(&mut head, source.data.file().version());
        head.extend_from_slice(b"\",\"params\":");
        head.extend_from_slice(params);
        head.extend_from_slice(b",\"records\":[");
        let names_corrections = corrections.are_named();
        BatchResults {
            source,
            head,
            rows: Vec::new(),
            beside: BesideRecords { tail: Vec::new(), corrected: Vec::new(), names_corrections },
            corrections,
            queries: Vec::new(),
            next_query: 0,
            next_row: 0,
            _slot: slot,
        }
    }

    fn search_next(
        &mut self,
        query: &Q,
        scratch: &mut Q::Scratch,
        work: &WorkBudget<'_>,
    ) -> Result<(), QueryError> {
        let (first_row, tail_start) = (self.rows.len(), self.beside.tail.len());
        self.beside.corrected.clear();
        let found = query.search(&self.source, scratch, &mut self.beside, work)?;
        self.rows.extend_from_slice(&found);
        let rows = first_row..self.rows.len();
        let tail = tail_start..self.beside.tail.len();
        let marks = self.corrections.mark(&self.beside.corrected);
        self.queries.push(QueryResult { rows, tail, marks });
        Ok(())
    }
}

impl<Q: BatchQuery> Document for BatchResults<Q> {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        out.append(&mut self.head);
        while let Some(query) = self.queries.get(self.next_query) {
            if out.len() >= PIECE_BYTES {
                return true;
            }
            out.extend_from_slice(match (self.next_row == query.rows.start, self.next_query) {
                (true, 0) => b"{\"data\":[",
                (true, _) => b",{\"data\":[",
                (false, _) => b",",
            });
            if self.next_row < query.rows.end {
                Q::write_record(&self.source, self.rows[self.next_row], out);
                self.next_row += 1;
            }
            if self.next_row == query.rows.end {
                out.extend_from_slice(b"],");
                out.extend_from_slice(&self.beside.tail[query.tail.clone()]);
                if !query.marks.is_empty() {
                    self.corrections.write_meta(&query.marks, out);
                }
                out.push(b'}');
                self.next_query += 1;
            }
        }
        out.extend_from_slice(b"]}");
        false
    }
}
