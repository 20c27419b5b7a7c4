//! The body of a batch: which questions it asks. All of it is read and checked before anything is
//! searched: one wrong query fails the whole batch, and the error names its place.

use std::sync::Arc;

use crate::http::error::{ApiError, Code};
use crate::http::input::{Input, Object, fault};
use crate::http::limits::{BATCH_QUERIES_MAX, BATCH_TEXT_BYTES_MAX};
use crate::http::search::{LIMIT_MAX, expression};
use crate::query::syntax::Expression;

/// Records of a query where neither it nor the batch names a number.
const LIMIT_DEFAULT: usize = 1;

/// A batch, checked.
#[derive(Debug)]
pub struct Batch {
    /// For queries without `q`.
    pub default_q: Option<Arc<Syntax>>,
    /// For queries without `limit`.
    pub default_limit: usize,
    /// In the order of the body.
    pub queries: Vec<Query>,
}

/// One query of a batch, with the defaults in their places.
#[derive(Debug)]
pub struct Query {
    /// The address.
    pub t: String,
    /// What restricts it.
    pub q: Option<Arc<Syntax>>,
    /// Most records wanted.
    pub limit: usize,
}

/// A `q` as it was sent and as it was read.
#[derive(Debug)]
pub struct Syntax {
    /// As it was sent.
    pub text: String,
    /// As it was read.
    pub expression: Expression,
}

/// Reads a body.
pub fn read(body: &[u8]) -> Result<Batch, ApiError> {
    let mut body = Input::parse(body)?.object()?;
    let default_q = syntax(&mut body, "default_q")?;
    let default_limit = limit(&mut body, "default_limit")?.unwrap_or(LIMIT_DEFAULT);
    let queries = need(&mut body, "queries", "a list of queries")?.list()?;
    if queries.len() > BATCH_QUERIES_MAX {
        let detail =
            format!("expected at most {BATCH_QUERIES_MAX} queries; found {}", queries.len());
        return Err(ApiError::of("queries", Code::TooManyQueries, detail));
    }
    let read = |query: Input| {
        let mut query = query.object()?;
        let t = need(&mut query, "t", "an address")?;
        let path = t.path().to_owned();
        let t = t.text(BATCH_TEXT_BYTES_MAX)?;
        if t.is_empty() {
            return Err(fault(path, "expected an address; found an empty string"));
        }
        let q = syntax(&mut query, "q")?.or_else(|| default_q.clone());
        let limit = limit(&mut query, "limit")?.unwrap_or(default_limit);
        Ok(Query { t, q, limit })
    };
    let queries = queries.map(read).collect::<Result<_, ApiError>>()?;
    Ok(Batch { default_q, default_limit, queries })
}

/// The member of this name, which must be there.
fn need(object: &mut Object, name: &str, what: &str) -> Result<Input, ApiError> {
    let missing = || format!("expected {what}; found no such member");
    object.take(name)?.ok_or_else(|| fault(object.path_of(name), missing()))
}

/// The query in the member of this name; an empty one counts as absent.
fn syntax(object: &mut Object, name: &str) -> Result<Option<Arc<Syntax>>, ApiError> {
    let Some(input) = object.take(name)? else { return Ok(None) };
    let path = input.path().to_owned();
    let text = input.text(BATCH_TEXT_BYTES_MAX)?;
    if text.is_empty() {
        return Ok(None);
    }
    let expression = expression(path, &text)?;
    Ok(Some(Arc::new(Syntax { text, expression })))
}

/// The number of records in the member of this name.
fn limit(object: &mut Object, name: &str) -> Result<Option<usize>, ApiError> {
    let Some(input) = object.take(name)? else { return Ok(None) };
    let limit = input.whole(Code::InvalidLimit, 1..=LIMIT_MAX)?;
    Ok(Some(usize::try_from(limit).expect("at most 100")))
}
