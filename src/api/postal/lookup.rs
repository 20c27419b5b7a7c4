//! `/v1/postalcode/…`: the records of a code, the changes of a version.

use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::requested_data;
use crate::json;
use crate::query::Catalog;
use crate::text::codes::PostalCode;

pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let code = request.path("code");
    let code = path_value(NAME, Code::InvalidPostalCode, code, PostalCode::parse)?;
    let with_points = request.params.flag("point")?;
    let requested = requested_data(request, Catalog::postal)?;
    let (data, version, api) = (requested.data, requested.version(), request.api_version);
    let rows = requested.sound(data.lookup(code))?;
    if rows.len() == 0 {
        return Err(requested.no_such(NAME, Code::NoSuchPostalCode, "a code", code));
    }
    let cities = request.data.cities(data);
    Ok(if with_points {
        let records = rows.zip(requested.sound(data.lookup_points(code))?);
        requested.reply(|out| json::write_postal_points(out, api, version, records, cities))
    } else {
        requested.reply(|out| json::write_postal(out, api, version, rows, cities))
    })
}

/// Starts loading what [`lookup`] reads first.
pub fn prefetch(data: &Data, path: &matchit::Params<'_, '_>) {
    let code = path.get("code").and_then(|code| PostalCode::parse(code).ok());
    if let (Some(code), Some(data)) = (code, data.catalog.postal().latest()) {
        data.prefetch(code);
    }
}

pub fn updates(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let requested = requested_data(request, Catalog::postal)?;
    let rows = requested.sound(requested.data.updates())?;
    let (version, cities) = (requested.version(), request.data.cities(requested.data));
    let api = request.api_version;
    Ok(requested.reply(|out| json::write_postal(out, api, version, rows, cities)))
}
