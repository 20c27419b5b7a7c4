//! The data version of a request: the one it names, else the latest.

use std::sync::Arc;

use super::cost_budget::{CostBudget, HandlerError};
use super::error::{ApiError, Code};
use super::reply::{Prepared, Reply};
use super::request::ApiRequest;
use super::tag::Tag;
use crate::query::budget::QueryError;
use crate::snapshot::{Dataset, OpenError, SnapshotFile, Versions};
use crate::text::codes::DataVersion;

/// The data version that a request is answered from.
#[derive(Debug)]
pub struct RequestedData<'r, D> {
    pub data: &'r Arc<D>,
    /// Whether the request named it; otherwise it is the latest, which changes.
    pub is_pinned: bool,
    /// The fingerprint of other data that the answer depends on; 0 for none.
    other_fingerprint: u32,
}

/// The data version that the request names, or else the latest; `list` is the path that lists the versions, if any.
pub fn requested_data<'r, D: Dataset>(
    request: &ApiRequest<'r>,
    versions: &'r Versions<D>,
    list: Option<&str>,
) -> Result<RequestedData<'r, D>, ApiError> {
    match request.params.version()? {
        Some(version) => {
            let data = versions.get(version).ok_or_else(|| {
                let detail = match list {
                    Some(list) => format!("expected one of {list}; found {version}"),
                    None => {
                        let kind = D::KIND.name();
                        format!("expected a loaded version of the {kind} data; found {version}")
                    }
                };
                ApiError::in_parameter("version", Code::NoSuchVersion, detail)
            })?;
            Ok(RequestedData { data, is_pinned: true, other_fingerprint: 0 })
        }
        None => latest_data(versions),
    }
}

pub fn latest_data<D: Dataset>(versions: &Versions<D>) -> Result<RequestedData<'_, D>, ApiError> {
    let data = versions.latest().ok_or_else(|| {
        let detail = format!("no {} data is loaded", D::KIND.name());
        ApiError::new(Code::NoData, detail)
    })?;
    Ok(RequestedData { data, is_pinned: false, other_fingerprint: 0 })
}

impl<D: Dataset> RequestedData<'_, D> {
    pub fn version(&self) -> DataVersion {
        self.data.file().version()
    }

    /// For an answer that also depends on another file: it changes with that file, even if the request named a
    /// version.
    pub fn with_dependency(self, other: &SnapshotFile) -> Self {
        let other_fingerprint = match self.other_fingerprint {
            0 => other.fingerprint(),
            before => Tag::combine(before, other.fingerprint()),
        };
        RequestedData { is_pinned: false, other_fingerprint, ..self }
    }

    pub fn reply(&self, request: &ApiRequest<'_>, write: impl FnOnce(&mut Vec<u8>)) -> Reply {
        Reply::data(&request.head.headers, self.tag(request), self.is_pinned, write)
    }

    /// The reply that `find` makes from this version, which may be damaged.
    pub fn try_reply(
        &self,
        request: &ApiRequest<'_>,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Reply, ApiError> {
        Reply::try_data(&request.head.headers, self.tag(request), self.is_pinned, find)
            .map_err(|error| self.damaged_error(request, &error))
    }

    /// The reply to a search in this version, within the budget. `parameter` is the one of the query.
    pub fn search_reply(
        &self,
        request: &ApiRequest<'_>,
        budget: &CostBudget<'_>,
        parameter: &str,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), QueryError>,
    ) -> Result<Reply, HandlerError> {
        Reply::try_data(&request.head.headers, self.tag(request), self.is_pinned, find)
            .map_err(|unanswered| self.handler_error(request, budget, parameter, unanswered))
    }

    /// The error of a search that ended without a result. `parameter` is the one of the query.
    pub fn handler_error(
        &self,
        request: &ApiRequest<'_>,
        budget: &CostBudget<'_>,
        parameter: &str,
        unanswered: QueryError,
    ) -> HandlerError {
        match unanswered {
            QueryError::Damaged(error) => self.damaged_error(request, &error).into(),
            QueryError::Stopped(stop) => budget.stop_error(stop, parameter),
        }
    }

    pub fn prepared_reply(&self, request: &ApiRequest<'_>, prepared: &Prepared) -> Reply {
        Reply::prepared(&request.head.headers, self.tag(request), self.is_pinned, prepared)
    }

    fn tag(&self, request: &ApiRequest<'_>) -> Tag {
        let fingerprint = match self.other_fingerprint {
            0 => self.data.file().fingerprint(),
            other => Tag::combine(self.data.file().fingerprint(), other),
        };
        Tag::of_data(self.version(), fingerprint, request.api_version)
    }

    /// The error of damaged data. The fault is logged; the client learns only that the data are damaged.
    pub fn damaged_error(&self, request: &ApiRequest<'_>, error: &OpenError) -> ApiError {
        tracing::error!(%error, request = %request.id, "a snapshot is damaged");
        let detail = format!("the data of version {} is damaged", self.version());
        ApiError::new(Code::DamagedData, detail)
    }
}

/// The reply that lists data versions, oldest first.
pub fn list_versions<D>(request: &ApiRequest<'_>, versions: &Versions<D>) -> Reply {
    let mut body = b"{\"versions\":[".to_vec();
    for (index, (version, _)) in versions.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        body.extend_from_slice(format!("{comma}\"{version}\"").as_bytes());
    }
    body.extend_from_slice(b"]}");
    Reply::tagged(&request.head.headers, body)
}
