//! `/v1/suggest/bank` and `/v1/suggest/branch`.

use super::params::{limit, typed};
use crate::api::ask::Ask;
use crate::api::bank::{choose_bank, find};
use crate::api::error::{ApiError, Code};
use crate::api::reply::Reply;
use crate::json;
use crate::query::suggest::bank::{suggest_banks, suggest_branches};
use crate::text::codes::BankCode;
use crate::text::typed_keys::TypedKeys;

pub fn banks(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (typed, limit) = (typed(&ask.params)?, limit(&ask.params)?);
    let requested = choose_bank(ask)?;
    let found = match typed.map(TypedKeys::without_kind_word) {
        Some(typed) => suggest_banks(requested.data, &typed, limit),
        None => Ok(Vec::new()),
    };
    let found = found.map_err(|error| requested.damaged(ask, &error))?;
    let version = requested.version();
    Ok(requested.reply(ask, |out| json::write_suggested_banks(out, version, &found)))
}

pub fn branches(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "bank";
    let code = ask.params.filled(NAME)?.unwrap_or_default();
    let code = BankCode::parse(&code)
        .map_err(|error| ApiError::of(NAME, Code::InvalidBankCode, error.to_string()))?;
    let (typed, limit) = (typed(&ask.params)?, limit(&ask.params)?);
    let requested = choose_bank(ask)?;
    let bank = find(ask, &requested, NAME, code)?;
    let found = typed.map(|typed| suggest_branches(bank, &typed, limit)).unwrap_or_default();
    let version = requested.version();
    Ok(requested.reply(ask, |out| json::write_suggested_branches(out, version, code, &found)))
}
