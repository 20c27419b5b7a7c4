//! `/v1/postalcode/…`: the records of a code, the list of versions, the changes of a version.

use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::version::{self, RequestedData, list_versions};
use crate::json;
use crate::query::PostalData;
use crate::text::codes::PostalCode;

pub fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, PostalData>, ApiError> {
    version::choose(ask, ask.data.catalog.postal(), "/v1/postalcode/versions")
}

/// The newest version, whatever version the request names.
pub fn latest<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, PostalData>, ApiError> {
    version::latest(ask.data.catalog.postal())
}

pub fn lookup(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let code = ask.path("code");
    let code = path_value(NAME, Code::InvalidPostalCode, code, PostalCode::parse)?;
    let with_points = ask.params.flag("point")?;
    let requested = choose(ask)?;
    let rows = requested.data.lookup(code).map_err(|error| requested.damaged(ask, &error))?;
    if rows.len() == 0 {
        let detail =
            format!("expected a code that version {} has; found {code}", requested.data.version());
        return Err(ApiError::of(NAME, Code::NoSuchPostalCode, detail));
    }
    let version = requested.data.version();
    let cities = ask.data.cities(requested.data);
    if with_points {
        let points = requested.data.lookup_points(code);
        let points = points.map_err(|error| requested.damaged(ask, &error))?;
        let records = rows.zip(points);
        return Ok(requested.reply(ask, |out| {
            json::write_postal_points(out, ask.api_version, version, records, cities);
        }));
    }
    Ok(requested.reply(ask, |out| json::write_postal(out, ask.api_version, version, rows, cities)))
}

pub fn updates(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let requested = choose(ask)?;
    let rows = requested.data.updates().map_err(|error| requested.damaged(ask, &error))?;
    let version = requested.data.version();
    let cities = ask.data.cities(requested.data);
    Ok(requested.reply(ask, |out| json::write_postal(out, ask.api_version, version, rows, cities)))
}

pub fn versions(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    Ok(list_versions(ask, ask.data.catalog.postal()))
}
