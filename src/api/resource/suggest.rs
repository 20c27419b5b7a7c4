//! `/v1/suggest/…`: suggestions for partly typed text. Here are those of addresses, and the parameters that all have; the
//! others are in the file of their resource.

use std::borrow::Cow;

use super::postal::changed_by;
use super::requested_data;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::pipeline::params::{ApiRequest, Params, unexpected};
use crate::api::pipeline::reply::Reply;
use crate::dataset::Catalog;
use crate::dataset::member::write_answers;
use crate::dataset::postal::suggest::{NearArea, SuggestQuery, TownName};
use crate::text::numerals::whole_number;

pub const SUGGESTIONS_MAX: u64 = 20;

const SUGGESTIONS_DEFAULT: u64 = 10;

pub fn addresses(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let limit = limit(&request.params)?;
    let near = request.params.typed("near")?.map(|near| parse_near(&near)).transpose()?;
    let parent = request.params.typed("parent")?;
    let q = match parent {
        Some(_) => request.params.typed("q")?.unwrap_or(Cow::Borrowed("")),
        None => text(&request.params, budget)?,
    };
    let town = parent.as_deref().map(parse_town).transpose()?;
    let requested = requested_data(request, Catalog::postal)?;
    Ok(requested.try_reply(|out| {
        let found = match &town {
            Some(town) => requested.data.suggest_parts(town, &q, limit)?,
            None => requested.data.suggest(SuggestQuery { q: &q, limit, near })?,
        };
        requested.mark(|row| {
            let changed = changed_by(request.data, requested.data, row);
            changed.is_ok_and(|changed| found.iter().any(|place| changed.changed(place)))
        });
        write_answers(out, request.api_version, requested.version(), found.iter());
        Ok(())
    })?)
}

fn parse_near(text: &str) -> Result<NearArea, ApiError> {
    match (text.len(), whole_number(text)) {
        (2, Some(prefecture)) => Ok(NearArea::Prefecture(prefecture)),
        (5, Some(city)) => Ok(NearArea::City(city)),
        _ => {
            let expected = "two digits of a prefecture or five of a municipality";
            Err(unexpected("near", Code::InvalidParameter, expected, text))
        }
    }
}

fn parse_town(text: &str) -> Result<TownName<'_>, ApiError> {
    TownName::parse(text).ok_or_else(|| {
        let expected = "parent of a suggestion: five digits and a town";
        unexpected("parent", Code::InvalidParameter, expected, text)
    })
}

/// Units of work to compare a byte of a typed text with the names.
const UNITS_PER_BYTE: u64 = 800;

/// The typed text, unchanged. A long one is moved from the thread of the connection.
pub fn text<'q>(
    params: &Params<'q>,
    budget: &CostBudget<'_>,
) -> Result<Cow<'q, str>, HandlerError> {
    let text = params.typed("q")?.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        ApiError::in_parameter(
            "q",
            Code::MissingQuery,
            "expected q (the beginning of a name); found none",
        )
    })?;
    budget.admit_units(text.len() as u64 * UNITS_PER_BYTE)?;
    Ok(text)
}

pub fn limit(params: &Params<'_>) -> Result<usize, ApiError> {
    let limit = params.number("limit", Code::InvalidLimit, 1..=SUGGESTIONS_MAX)?;
    Ok(usize::try_from(limit.unwrap_or(SUGGESTIONS_DEFAULT)).expect("at most 20"))
}
