//! `POST /v1/batch/…/search`: many queries of one kind in one request.
//!
//! [`BatchQuery`] is the trait of a kind of query, and the functions below parse what the bodies of all kinds share. [`run`]
//! searches on the threads of a lane, and [`results`] is the document that is sent.

pub mod results;
pub mod run;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::account_semaphore::Permits;
use crate::api::limits::{BATCH_QUERIES_MAX, BATCH_TEXT_BYTES_MAX};
use crate::api::pipeline::input::{Input, Object, fault};
use crate::api::pipeline::params::LIMIT_MAX;
use crate::dataset::{Catalog, Declaration};
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{OpenError, Versions};
use crate::text::codes::ApiVersion;

/// The parsed body of a batch.
pub struct ParsedBatch<Q> {
    /// The member `params` of the answer, in JSON: the defaults that the body sets.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// A query of a batch: in which data it is searched, how it is parsed and how it is answered.
pub trait BatchQuery: Sized + Send + 'static {
    type Data: Declaration + Send + Sync + 'static;
    /// Buffers that are reused from query to query.
    type Scratch: Default + Send;

    const VERSIONS: fn(&Catalog) -> &Versions<Self::Data>;

    fn parse_batch(body: &mut Object, grouping: Grouping) -> Result<ParsedBatch<Self>, ApiError>;

    /// The cost, if it depends on the query.
    fn cost(&self, _source: &BatchData<Self::Data>) -> Result<Cost, Arc<OpenError>> {
        Ok(Cost::none())
    }

    /// The text of `q`, as it was sent.
    fn q(&self) -> &str {
        ""
    }

    /// Returns the rows that it finds, within the limit of its work. Writes to `tail` the members of the answer that come
    /// after the records, and the closing brace.
    fn search(
        &self,
        source: &BatchData<Self::Data>,
        scratch: &mut Self::Scratch,
        tail: &mut Vec<u8>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError>;

    /// Appends a found record.
    fn write_record(source: &BatchData<Self::Data>, row: u32, out: &mut Vec<u8>);
}

/// The data in which a batch is searched, and the API version of its answer.
pub struct BatchData<D> {
    pub data: Arc<D>,
    /// All data that were loaded when the batch started, with the prepared parts of answers.
    pub loaded: Arc<Data>,
    pub api_version: ApiVersion,
}

/// A batch whose body has been read.
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
