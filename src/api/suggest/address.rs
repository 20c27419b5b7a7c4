//! `/v1/suggest/address`.

use std::borrow::Cow;

use super::params::{limit, text};
use crate::api::ask::Ask;
use crate::api::error::{ApiError, Code};
use crate::api::params::found;
use crate::api::postal::lookup::choose;
use crate::api::reply::Reply;
use crate::json;
use crate::query::suggest::address::{NearArea, SuggestQuery, TownName};

pub fn addresses(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let limit = limit(&ask.params)?;
    let near = ask.params.filled("near")?.map(|near| near_of(&near)).transpose()?;
    let parent = ask.params.filled("parent")?;
    let q = match parent {
        Some(_) => ask.params.filled("q")?.unwrap_or(Cow::Borrowed("")),
        None => text(&ask.params)?,
    };
    let town = parent.as_deref().map(town_of).transpose()?;
    let requested = choose(ask)?;
    requested.found(ask, |out| {
        let found = match &town {
            Some(town) => requested.data.suggest_parts(town, &q, limit)?,
            None => requested.data.suggest(SuggestQuery { q: &q, limit, near })?,
        };
        json::write_suggested_addresses(out, requested.version(), &found);
        Ok(())
    })
}

fn near_of(text: &str) -> Result<NearArea, ApiError> {
    let number = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    match (text.len(), number) {
        (2, Some(prefecture)) => Ok(NearArea::Prefecture(prefecture)),
        (5, Some(city)) => Ok(NearArea::City(city)),
        _ => {
            let expected = "two digits of a prefecture or five of a municipality";
            let detail = format!("expected {expected}; found {:?}", found(text));
            Err(ApiError::of("near", Code::InvalidParameter, detail))
        }
    }
}

fn town_of(text: &str) -> Result<TownName<'_>, ApiError> {
    TownName::parse(text).ok_or_else(|| {
        let expected = "parent of a suggestion: five digits and a town";
        let detail = format!("expected {expected}; found {:?}", found(text));
        ApiError::of("parent", Code::InvalidParameter, detail)
    })
}
