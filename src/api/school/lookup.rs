//! `/v1/school/…`: the school of a code, and the list of versions.

use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::path_value;
use crate::api::reply::Reply;
use crate::api::version::{self, RequestedData, list_versions};
use crate::json;
use crate::query::SchoolData;
use crate::text::codes::SchoolCode;

pub fn choose<'r>(ask: &Ask<'r>) -> Result<RequestedData<'r, SchoolData>, ApiError> {
    version::choose(ask, ask.data.catalog.school(), "/v1/school/versions")
}

/// `GET /v1/school/{code}`. A code with a wrong check digit is well formed: the ministry publishes some.
pub fn lookup(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "code";
    let code = path_value(NAME, Code::InvalidSchoolCode, ask.path("code"), SchoolCode::parse)?;
    let requested = choose(ask)?;
    let version = requested.version();
    match &requested.data.lookup(code) {
        Ok(Some(view)) => Ok(requested.reply(ask, |out| json::write_school(out, version, *view))),
        Ok(None) => {
            let wrong = if code.is_sound() { "" } else { ", whose check digit is wrong" };
            let detail = format!("expected a code that version {version} has; found {code}{wrong}");
            Err(ApiError::of(NAME, Code::NoSuchSchool, detail))
        }
        Err(error) => Err(requested.damaged(ask, error)),
    }
}

pub fn versions(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    Ok(list_versions(ask, ask.data.catalog.school()))
}
