//! `GET /v1/houjinbangou/{number}/history`: a corporation's past, as the loaded versions show it.
//!
//! A single version is read at once, like a look-up. Several are read in a lane: a folder may keep any number, and
//! the first use of each verifies its tables.

use super::lookup::{no_such_corporation, number, requested_data};
use crate::api::cost_budget::{CostBudget, HandlerError};
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json;
use crate::query::CorporateData;
use crate::query::corporate_history::{cost, history};
use crate::snapshot::Dataset;

/// Compares the versions up to the requested one.
pub fn changes(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let number = number(request)?;
    let newest = requested_data(request)?;
    let version = newest.version();
    let versions = request.data.catalog.corporate().iter().map(|(_, data)| &**data);
    let versions: Vec<&CorporateData> =
        versions.take_while(|data| data.version() <= version).collect();
    // An older file that is added, removed or rebuilt changes the answer.
    let requested =
        versions.iter().fold(newest, |newest, older| newest.with_dependency(older.file()));
    budget.require_ready(versions.iter().all(|data| data.is_lookup_checked()))?;
    budget.admit(&cost(versions.len()), "version", "")?;
    let found = history(versions.into_iter(), number, &budget.work)
        .map_err(|unanswered| requested.handler_error(request, budget, "version", unanswered))?;
    let changes = found.ok_or_else(|| no_such_corporation(number, version))?;
    Ok(requested.reply(request, |out| json::write_history(out, version, number, &changes)))
}
