//! `/v1/postalcode/…`: the records of a code, the list of versions, the changes of a version.

use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::{self, RequestedData, list_versions};
use crate::json;
use crate::query::PostalData;
use crate::text::codes::PostalCode;

pub fn requested_data<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, PostalData>, ApiError> {
    version::requested_data(request, request.data.catalog.postal(), Some("/v1/postalcode/versions"))
}

/// The newest version, whatever version the request names.
pub fn latest_data<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, PostalData>, ApiError> {
    version::latest_data(request.data.catalog.postal())
}

pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let code = request.path("code");
    let code = path_value(NAME, Code::InvalidPostalCode, code, PostalCode::parse)?;
    let with_points = request.params.flag("point")?;
    let requested = requested_data(request)?;
    let rows =
        requested.data.lookup(code).map_err(|error| requested.damaged_error(request, &error))?;
    if rows.len() == 0 {
        let detail =
            format!("expected a code that version {} has; found {code}", requested.data.version());
        return Err(ApiError::in_parameter(NAME, Code::NoSuchPostalCode, detail));
    }
    let version = requested.data.version();
    let cities = request.data.cities(requested.data);
    if with_points {
        let points = requested.data.lookup_points(code);
        let points = points.map_err(|error| requested.damaged_error(request, &error))?;
        let records = rows.zip(points);
        return Ok(requested.reply(request, |out| {
            json::write_postal_points(out, request.api_version, version, records, cities);
        }));
    }
    Ok(requested
        .reply(request, |out| json::write_postal(out, request.api_version, version, rows, cities)))
}

/// Starts loading what [`lookup`] reads first.
pub fn prefetch(data: &Data, path: &matchit::Params<'_, '_>) {
    let code = path.get("code").and_then(|code| PostalCode::parse(code).ok());
    if let (Some(code), Some(data)) = (code, data.catalog.postal().latest()) {
        data.prefetch(code);
    }
}

pub fn updates(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = requested_data(request)?;
    let rows =
        requested.data.updates().map_err(|error| requested.damaged_error(request, &error))?;
    let version = requested.data.version();
    let cities = request.data.cities(requested.data);
    Ok(requested
        .reply(request, |out| json::write_postal(out, request.api_version, version, rows, cities)))
}

pub fn versions(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    Ok(list_versions(request, request.data.catalog.postal()))
}
