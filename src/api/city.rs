//! `GET /v1/cities/{prefecture code}`: the municipalities of a prefecture.

use super::error::{ApiError, Code};
use super::params::path_parameter;
use super::postal::lookup::requested_data;
use super::reply::Reply;
use super::request::ApiRequest;
use crate::json;
use crate::text::codes::PrefectureCode;

pub fn list(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "prefecture_code";
    let text = path_parameter(NAME, Code::InvalidPrefectureCode, request.path("prefecture"))?;
    let prefecture = PrefectureCode::parse(&text).map_err(|error| {
        ApiError::in_parameter(NAME, Code::InvalidPrefectureCode, error.to_string())
    })?;
    let requested = requested_data(request)?;
    let cities = requested
        .data
        .cities(prefecture)
        .map_err(|error| requested.damaged_error(request, &error))?;
    let mut cities = cities.peekable();
    if cities.peek().is_none() {
        let detail =
            format!("expected a prefecture of version {}; found {text}", requested.data.version());
        return Err(ApiError::in_parameter(NAME, Code::NoSuchPrefecture, detail));
    }
    let version = requested.data.version();
    Ok(requested
        .reply(request, |out| json::write_cities(out, request.api_version, version, cities)))
}
