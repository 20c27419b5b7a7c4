//! The parameters that all suggestions share: the typed text, and the number of rows.

use std::borrow::Cow;

use crate::api::error::{ApiError, Code};
use crate::api::params::Params;
use crate::text::typed_keys::TypedKeys;

/// Most suggestions of one answer.
pub const SUGGESTIONS_MAX: u64 = 20;

/// Default number of suggestions.
const SUGGESTIONS_DEFAULT: u64 = 10;

/// The typed text; `None` if nothing in it can be compared, such as signs alone.
pub fn typed(params: &Params<'_>) -> Result<Option<TypedKeys>, ApiError> {
    Ok(TypedKeys::parse(&text(params)?))
}

/// The typed text, unchanged.
pub fn text<'q>(params: &Params<'q>) -> Result<Cow<'q, str>, ApiError> {
    params.get("q")?.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ApiError::in_parameter(
            "q",
            Code::MissingQuery,
            "expected q (the beginning of a name); found none",
        )
    })
}

pub fn limit(params: &Params<'_>) -> Result<usize, ApiError> {
    let limit = params.number("limit", Code::InvalidLimit, 1..=SUGGESTIONS_MAX)?;
    Ok(usize::try_from(limit.unwrap_or(SUGGESTIONS_DEFAULT)).expect("at most 20"))
}
