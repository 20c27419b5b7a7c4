//! `/v1/suggest/corporation`.

use super::params::{limit, text};
use crate::api::corporate::lookup::requested_data;
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json;
use crate::query::suggest::corporation::suggest_corporations;

pub fn corporations(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let (text, limit) = (text(&request.params)?, limit(&request.params)?);
    let requested = requested_data(request)?;
    let found = suggest_corporations(requested.data, &text, limit);
    let found = found.map_err(|error| requested.damaged_error(request, &error))?;
    let version = requested.version();
    Ok(requested.reply(request, |out| json::write_suggested_corporations(out, version, &found)))
}
