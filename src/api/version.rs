//! The data version of a request: the one it names, else the latest.

use std::sync::Arc;

use super::ask::Ask;
use super::effort::{Effort, NotDone};
use super::error::{ApiError, Code};
use super::reply::{Prepared, Reply};
use super::tag::Tag;
use crate::query::budget::QueryError;
use crate::snapshot::{Dataset, OpenError, SnapshotFile, Versions};
use crate::text::codes::{ApiVersion, DataVersion};

/// Refuses API versions older than the endpoint.
pub fn since(ask: &Ask<'_>, since: ApiVersion) -> Result<(), ApiError> {
    if ask.api_version >= since {
        return Ok(());
    }
    let detail =
        format!("expected API version {since} or later for this path; found {}", ask.api_version);
    Err(ApiError::plain(Code::NoSuchEndpoint, detail))
}

/// One data version as a request chose it.
#[derive(Debug)]
pub struct RequestedData<'r, D> {
    pub data: &'r Arc<D>,
    /// Whether the request named it; otherwise it is the latest, which changes.
    pub pinned: bool,
    /// The fingerprint of other data that the answer depends on; 0 for none.
    beside: u32,
}

/// The requested data; `list` is the path that lists the versions.
pub fn choose<'r, D: Dataset>(
    ask: &Ask<'r>,
    versions: &'r Versions<D>,
    list: &str,
) -> Result<RequestedData<'r, D>, ApiError> {
    match ask.params.version()? {
        Some(version) => {
            let data = versions.get(version).ok_or_else(|| {
                let detail = format!("expected one of {list}; found {version}");
                ApiError::of("version", Code::NoSuchVersion, detail)
            })?;
            Ok(RequestedData { data, pinned: true, beside: 0 })
        }
        None => latest(versions),
    }
}

pub fn latest<D: Dataset>(versions: &Versions<D>) -> Result<RequestedData<'_, D>, ApiError> {
    let data = versions.latest().ok_or_else(|| {
        let detail = format!("no {} data is loaded", D::KIND.name());
        ApiError::plain(Code::NoData, detail)
    })?;
    Ok(RequestedData { data, pinned: false, beside: 0 })
}

impl<D: Dataset> RequestedData<'_, D> {
    pub fn version(&self) -> DataVersion {
        self.data.file().version()
    }

    /// The same for an answer that also depends on other data: it changes with them, even if the request named
    /// a version.
    pub fn beside(self, other: &SnapshotFile) -> Self {
        let beside = match self.beside {
            0 => other.fingerprint(),
            before => Tag::mix(before, other.fingerprint()),
        };
        RequestedData { pinned: false, beside, ..self }
    }

    pub fn reply(&self, ask: &Ask<'_>, write: impl FnOnce(&mut Vec<u8>)) -> Reply {
        Reply::data(&ask.head.headers, self.tag(ask), self.pinned, write)
    }

    /// The answer that `find` makes from this version.
    pub fn found(
        &self,
        ask: &Ask<'_>,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Reply, ApiError> {
        Reply::found(&ask.head.headers, self.tag(ask), self.pinned, find)
            .map_err(|error| self.damaged(ask, &error))
    }

    /// The answer of a search in this version, within the limit of its work; `parameter` is the query's.
    pub fn searched(
        &self,
        ask: &Ask<'_>,
        effort: &Effort<'_>,
        parameter: &str,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), QueryError>,
    ) -> Result<Reply, NotDone> {
        Reply::found(&ask.head.headers, self.tag(ask), self.pinned, find)
            .map_err(|unanswered| self.not_done(ask, effort, parameter, unanswered))
    }

    /// The outcome of unfinished work; `parameter` names the query that made it expensive.
    pub fn not_done(
        &self,
        ask: &Ask<'_>,
        effort: &Effort<'_>,
        parameter: &str,
        unanswered: QueryError,
    ) -> NotDone {
        match unanswered {
            QueryError::Damaged(error) => self.damaged(ask, &error).into(),
            QueryError::Stopped(stop) => effort.stopped(stop, parameter),
        }
    }

    pub fn prepared(&self, ask: &Ask<'_>, prepared: &Prepared) -> Reply {
        Reply::prepared(&ask.head.headers, self.tag(ask), self.pinned, prepared)
    }

    fn tag(&self, ask: &Ask<'_>) -> Tag {
        let fingerprint = match self.beside {
            0 => self.data.file().fingerprint(),
            beside => Tag::mix(self.data.file().fingerprint(), beside),
        };
        Tag::of_data(self.version(), fingerprint, ask.api_version)
    }

    /// Logs the fault of the file; the client learns only that it is damaged.
    pub fn damaged(&self, ask: &Ask<'_>, error: &OpenError) -> ApiError {
        tracing::error!(%error, request = %ask.id, "a snapshot is damaged");
        let detail = format!("the data of version {} is damaged", self.version());
        ApiError::plain(Code::DamagedData, detail)
    }
}

/// The answer that lists data versions, oldest first; none is an empty list.
pub fn list_versions<D>(ask: &Ask<'_>, versions: &Versions<D>) -> Reply {
    let mut body = b"{\"versions\":[".to_vec();
    for (at, (version, _)) in versions.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        body.extend_from_slice(format!("{comma}\"{version}\"").as_bytes());
    }
    body.extend_from_slice(b"]}");
    Reply::tagged(&ask.head.headers, body)
}
