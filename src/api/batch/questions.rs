//! What a kind of batch is: how its body is read, and how each of its questions is asked and answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::ask::Ask;
use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::input::Object;
use crate::api::places::Held;
use crate::api::version::RequestedData;
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::query::work::{Unanswered, Work};
use crate::snapshot::{Dataset, OpenError};
use crate::text::codes::ApiVersion;

/// What the body of a batch asks.
pub struct Batch<Q> {
    /// The object that echoes the defaults, in JSON.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// The questions of a batch over one kind of data.
pub trait Questions: 'static {
    type Data: Dataset + Send + Sync + 'static;
    type Query: Send;
    /// What answering needs, kept from one question to the next.
    type Scratch: Default + Send;

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, Self::Data>, ApiError>;

    fn read(body: &mut Object, grouping: Grouping) -> Result<Batch<Self::Query>, ApiError>;

    /// What a question takes, where that depends on it.
    fn cost(_origin: &Origin<Self::Data>, _query: &Self::Query) -> Result<Cost, Arc<OpenError>> {
        Ok(Cost::none())
    }

    /// The query of a question, as it was sent.
    fn q(_query: &Self::Query) -> &str {
        ""
    }

    /// The rows that a question finds as far as the work may go; writes the members behind them and the closing
    /// brace.
    fn ask(
        origin: &Origin<Self::Data>,
        query: &Self::Query,
        scratch: &mut Self::Scratch,
        tail: Tail<'_>,
        work: &Work<'_>,
    ) -> Result<Vec<u32>, Unanswered>;

    /// Appends a record that was found, behind a comma unless it is the first.
    fn write_record(origin: &Origin<Self::Data>, row: u32, first: bool, out: &mut Vec<u8>);
}

/// Where the members behind a query's records go.
pub struct Tail<'a>(pub &'a mut Vec<u8>);

/// Where the records come from and in which shape.
pub struct Origin<D> {
    pub data: Arc<D>,
    /// All data, with what was prepared for it.
    pub loaded: Arc<Data>,
    pub api_version: ApiVersion,
}

/// A batch whose body has been read.
pub struct Received {
    pub body: Bytes,
    /// The room for its bytes.
    pub bytes: Held,
    /// Its place among the batches of the server.
    pub slot: Held,
    /// When it must be answered, which is `time_max` after its head.
    pub deadline: Instant,
    pub time_max: Duration,
}
