//! `GET /v1/cities/{prefecture code}`: the municipalities of a prefecture.

use super::version::requested_data;
use crate::api::error::{ApiError, Code};
use crate::api::pipeline::params::path_parameter;
use crate::api::pipeline::reply::Reply;
use crate::api::pipeline::request::ApiRequest;
use crate::dataset::Catalog;
use crate::dataset::member::write_answers;
use crate::dataset::postal::members::Municipality;
use crate::text::codes::PrefectureCode;

pub fn list(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "prefecture_code";
    let text = path_parameter(NAME, Code::InvalidPrefectureCode, request.path("prefecture"))?;
    let prefecture = PrefectureCode::parse(&text).map_err(|error| {
        ApiError::in_parameter(NAME, Code::InvalidPrefectureCode, error.to_string())
    })?;
    let requested = requested_data(request, Catalog::postal)?;
    let version = requested.version();
    let mut cities = requested.sound(requested.data.cities(prefecture))?.peekable();
    if cities.peek().is_none() {
        let detail = format!("expected a prefecture of version {version}; found {text}");
        return Err(ApiError::in_parameter(NAME, Code::NoSuchPrefecture, detail));
    }
    let cities = cities.map(Municipality);
    Ok(requested.reply(|out| write_answers(out, request.api_version, version, cities)))
}
