//! The trait of a kind of batch: how its body is parsed, and how each of its queries is searched and answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::ask::Ask;
use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::input::Object;
use crate::api::places::Held;
use crate::api::version::RequestedData;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::ApiVersion;

/// The parsed body of a batch.
pub struct Batch<Q> {
    /// The object that echoes the defaults, in JSON.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// The questions of a batch over one kind of data.
pub trait Questions: 'static {
    type Data: Dataset + Send + Sync + 'static;
    type Query: Send;
    /// Buffers that are reused from query to query.
    type Scratch: Default + Send;

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, Self::Data>, ApiError>;

    fn read(body: &mut Object, grouping: Grouping) -> Result<Batch<Self::Query>, ApiError>;

    /// The cost of a query, if it depends on the query.
    fn cost(_origin: &Origin<Self::Data>, _query: &Self::Query) -> Result<Cost, Arc<OpenError>> {
        Ok(Cost::none())
    }

    /// The text of `q`, as it was sent.
    fn q(_query: &Self::Query) -> &str {
        ""
    }

    /// The rows that a query finds, within the limit of its work; writes the members after the records and the
    /// closing brace.
    fn ask(
        origin: &Origin<Self::Data>,
        query: &Self::Query,
        scratch: &mut Self::Scratch,
        tail: Tail<'_>,
        work: &WorkBudget<'_>,
    ) -> Result<Vec<u32>, QueryError>;

    /// Appends a found record, after a comma unless it is the first.
    fn write_record(origin: &Origin<Self::Data>, row: u32, first: bool, out: &mut Vec<u8>);
}

/// The buffer for the members after a query's records.
pub struct Tail<'a>(pub &'a mut Vec<u8>);

/// The data of the records and their output format.
pub struct Origin<D> {
    pub data: Arc<D>,
    /// All loaded data, with prepared parts.
    pub loaded: Arc<Data>,
    pub api_version: ApiVersion,
}

/// A batch whose body has been read.
pub struct Received {
    pub body: Bytes,
    /// Reservation of its bytes.
    pub bytes: Held,
    /// Its place among the batches of the server.
    pub slot: Held,
    /// When it must be answered: `time_max` after its head.
    pub deadline: Instant,
    pub time_max: Duration,
}
