//! What a kind of batch is: how its body is read, and how each of its questions is asked and answered.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::ask::Ask;
use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::input::Object;
use crate::api::slots::Slot;
use crate::api::version::RequestedData;
use crate::query::syntax::Grouping;
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
    type Scratch: Default;

    fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, Self::Data>, ApiError>;

    fn read(body: &mut Object, grouping: Grouping) -> Result<Batch<Self::Query>, ApiError>;

    /// The rows that a question finds; writes the members behind them and the closing brace.
    fn ask(
        origin: &Origin<Self::Data>,
        query: &Self::Query,
        scratch: &mut Self::Scratch,
        tail: Tail<'_>,
    ) -> Result<Vec<u32>, Arc<OpenError>>;

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
    /// Its place among the batches of the server.
    pub slot: Slot,
    /// When it must be answered, which is `time_max` after its head.
    pub deadline: Instant,
    pub time_max: Duration,
}
