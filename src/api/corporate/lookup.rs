//! `/v1/houjinbangou/…`: the corporation of a number.

use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::{self, RequestedData};
use crate::json::{self, Naming};
use crate::query::CorporateData;
use crate::snapshot::Dataset;
use crate::text::codes::{ApiVersion, CorporateNumber, DataVersion};

/// The API version from which a corporate record has the number of an invoice issuer.
const ISSUERS_SINCE: ApiVersion = ApiVersion::V2024_01_01;

/// The requested data, for answers without invoice issuers.
pub fn requested_data<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    version::requested_data(request, request.data.catalog.corporate(), None)
}

/// The requested data, for answers with the numbers of invoice issuers.
pub fn requested_with_issuers<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, CorporateData>, ApiError> {
    let requested = requested_data(request)?;
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
    let found = data.find_offset(number);
    let found = found.map_err(|error| requested.damaged_error(request, &error))?;
    let offset = found.ok_or_else(|| no_such_corporation(number, requested.version()))?;
    data.prefetch_record(offset);
    let form = request.data.corporate_form(data, request.api_version, Naming::Published);
    requested.try_reply(request, |out| {
        json::write_corporation(out, &form, &data.record_at(offset, number)?)
    })
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
pub fn number(request: &ApiRequest<'_>) -> Result<CorporateNumber, ApiError> {
    let number = request.path("number");
    path_value(NAME, Code::InvalidCorporateNumber, number, CorporateNumber::parse)
}

pub fn no_such_corporation(number: CorporateNumber, version: DataVersion) -> ApiError {
    let wrong = if number.is_sound() { "" } else { ", whose check digit is wrong" };
    let detail = format!("expected a number that version {version} has; found {number}{wrong}");
    ApiError::in_parameter(NAME, Code::NoSuchCorporation, detail)
}
