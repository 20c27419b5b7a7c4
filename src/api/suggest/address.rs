//! `/v1/suggest/address`.

use std::borrow::Cow;

use super::params::{limit, text};
use crate::api::error::{ApiError, Code};
use crate::api::params::excerpt;
use crate::api::postal::lookup::requested_data;
use crate::api::reply::Reply;
use crate::api::request::ApiRequest;
use crate::json;
use crate::query::suggest::address::{NearArea, SuggestQuery, TownName};

pub fn addresses(request: &ApiRequest<'_>) -> Result<Reply, ApiError> {
    let limit = limit(&request.params)?;
    let near = request.params.non_empty("near")?.map(|near| parse_near(&near)).transpose()?;
    let parent = request.params.non_empty("parent")?;
    let q = match parent {
        Some(_) => request.params.non_empty("q")?.unwrap_or(Cow::Borrowed("")),
        None => text(&request.params)?,
    };
    let town = parent.as_deref().map(parse_town).transpose()?;
    let requested = requested_data(request)?;
    requested.try_reply(request, |out| {
        let found = match &town {
            Some(town) => requested.data.suggest_parts(town, &q, limit)?,
            None => requested.data.suggest(SuggestQuery { q: &q, limit, near })?,
        };
        json::write_suggested_addresses(out, requested.version(), &found);
        Ok(())
    })
}

fn parse_near(text: &str) -> Result<NearArea, ApiError> {
    let number = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    match (text.len(), number) {
        (2, Some(prefecture)) => Ok(NearArea::Prefecture(prefecture)),
        (5, Some(city)) => Ok(NearArea::City(city)),
        _ => {
            let expected = "two digits of a prefecture or five of a municipality";
            let detail = format!("expected {expected}; found {:?}", excerpt(text));
            Err(ApiError::in_parameter("near", Code::InvalidParameter, detail))
        }
    }
}

fn parse_town(text: &str) -> Result<TownName<'_>, ApiError> {
    TownName::parse(text).ok_or_else(|| {
        let expected = "parent of a suggestion: five digits and a town";
        let detail = format!("expected {expected}; found {:?}", excerpt(text));
        ApiError::in_parameter("parent", Code::InvalidParameter, detail)
    })
}
