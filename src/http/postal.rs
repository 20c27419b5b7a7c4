//! `/v1/postalcode/…`: the records of a code, the versions there are, the changes of a version.
//!
//! Also decides which data version a request means: the one it names, else the latest.

use std::sync::Arc;

use super::error::{ApiError, Code};
use super::json;
use super::params::path_parameter;
use super::reply::{Reply, Tag};
use super::service::Ask;
use crate::query::PostalData;
use crate::snapshot::OpenError;
use crate::text::codes::PostalCode;

/// One data version as a request chose it.
#[derive(Debug)]
pub struct Chosen<'r> {
    /// The data.
    pub data: &'r Arc<PostalData>,
    /// Whether the request named it; else it is the latest, which changes.
    pub pinned: bool,
}

/// The postal data that a request means.
pub fn choose<'r>(ask: &Ask<'r>) -> Result<Chosen<'r>, ApiError> {
    let versions = ask.served.catalog.postal();
    match ask.params.version()? {
        Some(version) => {
            let data = versions.get(version).ok_or_else(|| {
                let detail = format!("expected one of /v1/postalcode/versions; found {version}");
                ApiError::of("version", Code::NoSuchVersion, detail)
            })?;
            Ok(Chosen { data, pinned: true })
        }
        None => {
            let data = versions.latest().ok_or_else(|| {
                ApiError::plain(Code::NoData, "expected postal data of any version; found none")
            })?;
            Ok(Chosen { data, pinned: false })
        }
    }
}

impl Chosen<'_> {
    /// The answer that `write` makes of this version.
    pub fn reply(&self, ask: &Ask<'_>, write: impl FnOnce(&mut Vec<u8>)) -> Reply {
        let tag = Tag::of_data(self.data.version(), self.data.fingerprint(), ask.api);
        Reply::data(&ask.head.headers, tag, self.pinned, write)
    }

    /// The answer that `find` finds in this version and makes.
    pub fn found(
        &self,
        ask: &Ask<'_>,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Reply, ApiError> {
        let tag = Tag::of_data(self.data.version(), self.data.fingerprint(), ask.api);
        Reply::found(&ask.head.headers, tag, self.pinned, find)
            .map_err(|error| self.damaged(ask, &error))
    }

    /// Logs what is wrong with the file and tells the client no more than that it is damaged.
    pub fn damaged(&self, ask: &Ask<'_>, error: &OpenError) -> ApiError {
        tracing::error!(%error, request = %ask.id, "a snapshot is damaged");
        let detail =
            format!("expected sound data of version {}; found it damaged", self.data.version());
        ApiError::plain(Code::DamagedData, detail)
    }
}

/// `GET /v1/postalcode/{code}`
pub fn lookup(ask: &Ask<'_>, code: &str) -> Result<Reply, ApiError> {
    const NAME: &str = "postal_code";
    let text = path_parameter(NAME, Code::InvalidPostalCode, code)?;
    let code = PostalCode::parse(&text)
        .map_err(|error| ApiError::of(NAME, Code::InvalidPostalCode, error.to_string()))?;
    let chosen = choose(ask)?;
    let rows = chosen.data.lookup(code).map_err(|error| chosen.damaged(ask, &error))?;
    if rows.len() == 0 {
        let detail =
            format!("expected a code that version {} has; found {code}", chosen.data.version());
        return Err(ApiError::of(NAME, Code::NoSuchPostalCode, detail));
    }
    let version = chosen.data.version();
    let cities = ask.served.cities(chosen.data);
    Ok(chosen.reply(ask, |out| json::write_postal(out, ask.api, version, rows, cities)))
}

/// `GET /v1/postalcode/updates/`
pub fn updates(ask: &Ask<'_>) -> Result<Reply, ApiError> {
    let chosen = choose(ask)?;
    let rows = chosen.data.updates().map_err(|error| chosen.damaged(ask, &error))?;
    let version = chosen.data.version();
    let cities = ask.served.cities(chosen.data);
    Ok(chosen.reply(ask, |out| json::write_postal(out, ask.api, version, rows, cities)))
}

/// `GET /v1/postalcode/versions/`: oldest first; none is an empty list.
pub fn versions(ask: &Ask<'_>) -> Reply {
    let mut body = b"{\"versions\":[".to_vec();
    for (at, (version, _)) in ask.served.catalog.postal().iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        body.extend_from_slice(format!("{comma}\"{version}\"").as_bytes());
    }
    body.extend_from_slice(b"]}");
    Reply::tagged(&ask.head.headers, body)
}
