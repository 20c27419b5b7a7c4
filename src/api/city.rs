//! `GET /v1/cities/{prefecture code}`: the municipalities of a prefecture.

use super::ask::Ask;
use super::error::{ApiError, Code};
use super::params::path_parameter;
use super::postal::lookup::choose;
use super::reply::Reply;
use crate::json;
use crate::text::codes::PrefectureCode;

pub fn list(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    const NAME: &str = "prefecture_code";
    let text = path_parameter(NAME, Code::InvalidPrefectureCode, ask.path("prefecture"))?;
    let prefecture = PrefectureCode::parse(&text)
        .map_err(|error| ApiError::of(NAME, Code::InvalidPrefectureCode, error.to_string()))?;
    let requested = choose(ask)?;
    let cities =
        requested.data.cities(prefecture).map_err(|error| requested.damaged(ask, &error))?;
    let mut cities = cities.peekable();
    if cities.peek().is_none() {
        let detail =
            format!("expected a prefecture of version {}; found {text}", requested.data.version());
        return Err(ApiError::of(NAME, Code::NoSuchPrefecture, detail));
    }
    let version = requested.data.version();
    Ok(requested.reply(ask, |out| json::write_cities(out, ask.api_version, version, cities)))
}
