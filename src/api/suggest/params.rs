//! The parameters that all suggestions take: what was typed, and how many are wanted.

use std::borrow::Cow;

use crate::api::error::{ApiError, Code};
use crate::api::params::Params;
use crate::text::beginning::Beginning;

/// Most suggestions of one answer.
pub const SUGGESTIONS_MAX: u64 = 20;

/// How many there are where the client names no number.
const SUGGESTIONS: u64 = 10;

/// What was typed; `None` where it has nothing that could be compared, such as signs alone.
pub fn typed(params: &Params<'_>) -> Result<Option<Beginning>, ApiError> {
    Ok(Beginning::of(&text(params)?))
}

/// What was typed, as it is.
pub fn text<'q>(params: &Params<'q>) -> Result<Cow<'q, str>, ApiError> {
    params.get("q")?.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ApiError::of("q", Code::MissingQuery, "expected q (the beginning of a name); found none")
    })
}

pub fn limit(params: &Params<'_>) -> Result<usize, ApiError> {
    let limit = params.number("limit", Code::InvalidLimit, 1..=SUGGESTIONS_MAX)?;
    Ok(usize::try_from(limit.unwrap_or(SUGGESTIONS)).expect("at most 20"))
}
