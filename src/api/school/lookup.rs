//! `/v1/school/…`: the school of a code, and the list of versions.

use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::api::version::{self, RequestedData, list_versions};
use crate::json;
use crate::query::SchoolData;
use crate::text::codes::SchoolCode;

pub fn requested_data<'r>(
    request: &ApiRequest<'r>,
) -> Result<RequestedData<'r, SchoolData>, ApiError> {
    version::requested_data(request, request.data.catalog.school(), Some("/v1/school/versions"))
}

/// `GET /v1/school/{code}`. A code with a wrong check digit is well formed: the ministry publishes some.
pub fn lookup(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "code";
    let code = path_value(NAME, Code::InvalidSchoolCode, request.path("code"), SchoolCode::parse)?;
    let requested = requested_data(request)?;
    let version = requested.version();
    match &requested.data.lookup(code) {
        Ok(Some(view)) => {
            Ok(requested.reply(request, |out| json::write_school(out, version, *view)))
        }
        Ok(None) => {
            let wrong = if code.is_sound() { "" } else { ", whose check digit is wrong" };
            let detail = format!("expected a code that version {version} has; found {code}{wrong}");
            Err(ApiError::in_parameter(NAME, Code::NoSuchSchool, detail))
        }
        Err(error) => Err(requested.damaged_error(request, error)),
    }
}

pub fn versions(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    Ok(list_versions(request, request.data.catalog.school()))
}
