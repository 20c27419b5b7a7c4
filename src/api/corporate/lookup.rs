//! `/v1/houjinbangou/…`: the corporation of a number, and its history.

use crate::api::cost_budget::{CostBudget, HandlerError};
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::{RequestedData, digit_fault, requested_data};
use crate::json::{self, Naming};
use crate::query::{Catalog, CorporateData, corporate_history};
use crate::snapshot::Dataset;
use crate::text::codes::{ApiVersion, CorporateNumber};

/// The API version from which a corporate record has the number of an invoice issuer.
const ISSUERS_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// The requested data, for answers with the numbers of invoice issuers.
pub fn requested_with_issuers<'r>(
    request: &'r ApiRequest<'_>,
) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    let requested = requested_data(request, Catalog::corporate)?;
    // Those numbers come from the register of invoice issuers, if one is loaded.
    Ok(match request.data.catalog.invoice().latest() {
        Some(register) if request.api_version >= ISSUERS_SINCE => {
            requested.with_dependency(register.file())
        }
        _ => requested,
    })
}

/// `GET /v1/houjinbangou/{number}`. A number with a wrong check digit is well formed, but no corporation has
/// it.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let number = number(request)?;
    let requested = requested_with_issuers(request)?;
    let data = requested.data;
    let offset = requested.sound(data.find_offset(number))?;
    let offset = offset.ok_or_else(|| no_such_corporation(&requested, number))?;
    data.prefetch_record(offset);
    let form = request.data.corporate_form(data, request.api_version, Naming::Published);
    requested.try_reply(|out| json::write_corporation(out, &form, &data.record_at(offset, number)?))
}

/// Starts loading what [`lookup`] reads first.
pub fn prefetch(data: &Data, path: &matchit::Params<'_, '_>) {
    let number = path.get("number").and_then(|number| CorporateNumber::parse(number).ok());
    if let (Some(number), Some(data)) = (number, data.catalog.corporate().latest()) {
        data.prefetch_offset(number);
    }
}

const NAME: &str = "corporate_number";

/// The number in the path.
fn number(request: &ApiRequest<'_>) -> Result<CorporateNumber, ApiError> {
    let number = request.path("number");
    path_value(NAME, Code::InvalidCorporateNumber, number, CorporateNumber::parse)
}

fn no_such_corporation(
    requested: &RequestedData<'_, CorporateData>,
    number: CorporateNumber,
) -> ApiError {
    let found = format!("{number}{}", digit_fault(number.is_sound()));
    requested.no_such(NAME, Code::NoSuchCorporation, "a number", found)
}

/// `GET /v1/houjinbangou/{number}/history`: a corporation's past, as the loaded versions up to the requested one show it.
///
/// A single version is read at once, like a look-up. Several are read in a lane: a folder may keep any number, and
/// the first use of each verifies its tables.
pub fn history(request: &ApiRequest<'_>, budget: &CostBudget<'_>) -> Result<Reply, HandlerError> {
    let number = number(request)?;
    let newest = requested_data(request, Catalog::corporate)?;
    let version = newest.version();
    let versions = request.data.catalog.corporate().iter().map(|(_, data)| &**data);
    let versions: Vec<&CorporateData> =
        versions.take_while(|data| data.version() <= version).collect();
    // An older file that is added, removed or rebuilt changes the answer.
    let requested =
        versions.iter().fold(newest, |newest, older| newest.with_dependency(older.file()));
    budget.require_ready(versions.iter().all(|data| data.is_lookup_checked()))?;
    budget.admit(&corporate_history::cost(versions.len()), "version", "")?;
    let changes = corporate_history::history(versions.into_iter(), number, &budget.work)
        .map_err(|unanswered| requested.handler_error(budget, "version", unanswered))?
        .ok_or_else(|| no_such_corporation(&requested, number))?;
    Ok(requested.reply(|out| json::write_history(out, version, number, &changes)))
}
