//! `GET /v1/houjinbangou/{number}/history`: a corporation's past, as the loaded versions show it.
//!
//! A single version is read at once, like a look-up. Several are read in a lane: a folder may keep any number, and
//! the first use of each verifies its tables.

use super::lookup::{choose_corporate, no_such_corporation, number};
use crate::api::ask::Ask;
use crate::api::effort::{Effort, NotDone};
use crate::api::reply::Reply;
use crate::json;
use crate::query::CorporateData;
use crate::query::corporate_history::{cost, history};
use crate::snapshot::Dataset;

/// Compares the versions up to the requested one.
pub fn changes(ask: &Ask<'_>, effort: &Effort<'_>) -> Result<Reply, NotDone> {
    let number = number(ask)?;
    let newest = choose_corporate(ask)?;
    let version = newest.version();
    let versions = ask.data.catalog.corporate().iter().map(|(_, data)| &**data);
    let versions: Vec<&CorporateData> =
        versions.take_while(|data| data.version() <= version).collect();
    // An older file that is added, removed or rebuilt changes the answer.
    let requested = versions.iter().fold(newest, |newest, older| newest.beside(older.file()));
    effort.need_ready(versions.iter().all(|data| data.is_lookup_checked()))?;
    effort.weigh(&cost(versions.len()), "version", "")?;
    let found = history(versions.into_iter(), number, &effort.work)
        .map_err(|unanswered| requested.not_done(ask, effort, "version", unanswered))?;
    let changes = found.ok_or_else(|| no_such_corporation(number, version))?;
    Ok(requested.reply(ask, |out| json::write_history(out, version, number, &changes)))
}
