//! The trait of a kind of batch: how its body is parsed, and how each of its queries is searched and answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::account_semaphore::Permits;
use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::input::Object;
use crate::api::request::ApiRequest;
use crate::api::version::RequestedData;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::ApiVersion;

/// The parsed body of a batch.
pub struct ParsedBatch<Q> {
    /// The member `params` of the answer, in JSON: the defaults that the body sets.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// A kind of batch: its data, its queries, and how they are searched and answered.
pub trait BatchKind: 'static {
    type Data: Dataset + Send + Sync + 'static;
    type Query: Send;
    /// Buffers that are reused from query to query.
    type Scratch: Default + Send;

    fn requested_data<'r>(
        request: &ApiRequest<'r>,
    ) -> Result<RequestedData<'r, Self::Data>, ApiError>;

    fn parse(body: &mut Object, grouping: Grouping) -> Result<ParsedBatch<Self::Query>, ApiError>;

    /// The cost of a query, if it depends on the query.
    fn cost(_source: &BatchData<Self::Data>, _query: &Self::Query) -> Result<Cost, Arc<OpenError>> {
        Ok(Cost::none())
    }

    /// The text of `q`, as it was sent.
    fn q(_query: &Self::Query) -> &str {
        ""
    }

    /// Returns the rows that a query finds, within the limit of its work. Writes to `tail` the members of the answer
    /// that come after the records, and the closing brace.
    fn search(
        source: &BatchData<Self::Data>,
        query: &Self::Query,
        scratch: &mut Self::Scratch,
        tail: &mut Vec<u8>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError>;

    /// Appends a found record, after a comma unless it is the first.
    fn write_record(source: &BatchData<Self::Data>, row: u32, is_first: bool, out: &mut Vec<u8>);
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
