//! `/v1/suggest/corporation`.

use super::params::{limit, text};
use crate::api::ask::Ask;
use crate::api::corporate::lookup::choose_corporate;
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::json;
use crate::query::suggest::corporation::suggest_corporations;

pub fn corporations(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let (text, limit) = (text(&ask.params)?, limit(&ask.params)?);
    let requested = choose_corporate(ask)?;
    let found = suggest_corporations(requested.data, &text, limit);
    let found = found.map_err(|error| requested.damaged(ask, &error))?;
    let version = requested.version();
    Ok(requested.reply(ask, |out| json::write_suggested_corporations(out, version, &found)))
}
