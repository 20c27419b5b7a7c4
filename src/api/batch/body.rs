//! The part that the bodies of all batches share. The whole body is read and validated before any search: one
//! invalid query fails the batch, and the error names its position.

use crate::api::error::{ApiError, Code};
use crate::api::input::{Input, Object, fault};
use crate::api::limits::{BATCH_QUERIES_MAX, BATCH_TEXT_BYTES_MAX};
use crate::api::params::LIMIT_MAX;

/// Records of a query if neither it nor the batch sets a limit.
pub const LIMIT_DEFAULT: usize = 1;

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
