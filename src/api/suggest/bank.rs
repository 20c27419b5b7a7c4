//! `/v1/suggest/bank` and `/v1/suggest/branch`.

use super::params::{limit, typed};
use crate::api::bank::{find_bank, requested_data};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json;
use crate::query::suggest::bank::{suggest_banks, suggest_branches};
use crate::text::codes::BankCode;
use crate::text::typed_keys::TypedKeys;

pub fn banks(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let (typed, limit) = (typed(&request.params)?, limit(&request.params)?);
    let requested = requested_data(request)?;
    let found = match typed.map(TypedKeys::without_kind_word) {
        Some(typed) => suggest_banks(requested.data, &typed, limit),
        None => Ok(Vec::new()),
    };
    let found = found.map_err(|error| requested.damaged_error(request, &error))?;
    let version = requested.version();
    Ok(requested.reply(request, |out| json::write_suggested_banks(out, version, &found)))
}

pub fn branches(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "bank";
    let code = request.params.non_empty(NAME)?.unwrap_or_default();
    let code = BankCode::parse(&code)
        .map_err(|error| ApiError::in_parameter(NAME, Code::InvalidBankCode, error.to_string()))?;
    let (typed, limit) = (typed(&request.params)?, limit(&request.params)?);
    let requested = requested_data(request)?;
    let bank = find_bank(request, &requested, NAME, code)?;
    let found = typed.map(|typed| suggest_branches(bank, &typed, limit)).unwrap_or_default();
    let version = requested.version();
    Ok(requested.reply(request, |out| json::write_suggested_branches(out, version, code, &found)))
}
