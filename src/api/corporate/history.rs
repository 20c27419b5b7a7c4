//! `GET /v1/houjinbangou/{number}/history`: what the loaded versions tell of a corporation's past.

use super::lookup::{choose_corporate, no_such_corporation, number};
use crate::api::ask::Ask;
use crate::api::error::ApiError;
use crate::api::reply::Reply;
use crate::json;
use crate::query::CorporateData;
use crate::query::corporate_history::history;
use crate::snapshot::Dataset;

/// Compares the versions up to the one that is asked for.
pub fn changes(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let number = number(ask)?;
    let newest = choose_corporate(ask)?;
    let version = newest.version();
    let versions = ask.data.catalog.corporate().iter().map(|(_, data)| &**data);
    let versions: Vec<&CorporateData> =
        versions.take_while(|data| data.version() <= version).collect();
    // An older file that comes, goes or is built again changes the answer.
    let requested = versions.iter().fold(newest, |newest, older| newest.beside(older.file()));
    let found = history(versions.into_iter(), number);
    let found = found.map_err(|error| requested.damaged(ask, &error))?;
    let changes = found.ok_or_else(|| no_such_corporation(number, version))?;
    Ok(requested.reply(ask, |out| json::write_history(out, version, number, &changes)))
}
