//! `POST /v1/batch/…/search`: many queries of one kind in one request.
//!
//! [`BatchQuery`] is the trait of a kind of query, [`body`] parses what the bodies of all kinds share, [`run`] searches on
//! the threads of a lane, and [`results`] is the document that is sent.

pub mod body;
pub mod results;
pub mod run;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::api::account_semaphore::Permits;
use crate::api::data::Data;
use crate::api::error::ApiError;
use crate::api::input::Object;
use crate::query::Catalog;
use crate::query::budget::{QueryError, WorkBudget};
use crate::query::cost::Cost;
use crate::query::syntax::Grouping;
use crate::snapshot::{Dataset, OpenError, Versions};
use crate::text::codes::ApiVersion;

/// The parsed body of a batch.
pub struct ParsedBatch<Q> {
    /// The member `params` of the answer, in JSON: the defaults that the body sets.
    pub params: Vec<u8>,
    pub queries: Vec<Q>,
}

/// A query of a batch: in which data it is searched, how it is parsed and how it is answered.
pub trait BatchQuery: Sized + Send + 'static {
    type Data: Dataset + Send + Sync + 'static;
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
