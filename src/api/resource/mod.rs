//! The handlers, a file or folder for each resource: each takes a checked [`ApiRequest`](super::pipeline::params) and
//! returns a reply or an error. [`RequestedData`] is the data version that a request names, else the latest.

pub mod bank;
pub mod bank_transfer;
pub mod batch;
pub mod calendar;
pub mod corporate;
pub mod invoice;
pub mod matching;
pub mod postal;
pub mod radar;
pub mod school;
pub mod server;
pub mod suggest;

use std::fmt::Display;
use std::sync::Arc;

use super::error::{ApiError, Code};
use super::executor::cost_budget::{CostBudget, HandlerError};
use super::pipeline::params::ApiRequest;
use super::pipeline::reply::{Prepared, Reply};
use super::pipeline::tag::EntityTag;
use crate::dataset::{Catalog, Declaration};
use crate::json;
use crate::query::budget::QueryError;
use crate::snapshot::{Dataset, OpenError, SnapshotFile, Versions};
use crate::text::codes::DataVersion;

/// The data version that a request is answered from.
#[derive(Debug)]
pub struct RequestedData<'r, D> {
    pub request: &'r ApiRequest<'r>,
    pub data: &'r Arc<D>,
    /// Whether the request named it; otherwise it is the latest, which changes.
    is_pinned: bool,
    /// The fingerprint of other data that the answer depends on; 0 for none.
    other_fingerprint: u32,
}

/// The version of a dataset that the request names, or else the latest.
pub fn requested_data<'r, D: Declaration>(
    request: &'r ApiRequest<'_>,
    versions: impl FnOnce(&'r Catalog) -> &'r Versions<D>,
) -> Result<RequestedData<'r, D>, ApiError> {
    let Some(version) = request.params.version()? else { return latest_data(request, versions) };
    let data = versions(&request.data.catalog).get(version).ok_or_else(|| {
        let expected = match D::VERSIONS_PATH {
            Some(list) => format!("one of {list}"),
            None => format!("a loaded version of the {} data", D::KIND),
        };
        let detail = format!("expected {expected}; found {version}");
        ApiError::in_parameter("version", Code::NoSuchVersion, detail)
    })?;
    Ok(RequestedData { request, data, is_pinned: true, other_fingerprint: 0 })
}

/// The latest version of a dataset, whatever version the request names.
pub fn latest_data<'r, D: Declaration>(
    request: &'r ApiRequest<'_>,
    versions: impl FnOnce(&'r Catalog) -> &'r Versions<D>,
) -> Result<RequestedData<'r, D>, ApiError> {
    let data = versions(&request.data.catalog)
        .latest()
        .ok_or_else(|| ApiError::new(Code::NoData, format!("no {} data is loaded", D::KIND)))?;
    Ok(RequestedData { request, data, is_pinned: false, other_fingerprint: 0 })
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
            before => EntityTag::combine(before, other.fingerprint()),
        };
        RequestedData { is_pinned: false, other_fingerprint, ..self }
    }

    pub fn reply(&self, write: impl FnOnce(&mut Vec<u8>)) -> Reply {
        Reply::data(&self.request.head.headers, self.tag(), self.is_pinned, write)
    }

    /// The reply that `find` makes from this version, which may be damaged.
    pub fn try_reply(
        &self,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Reply, ApiError> {
        let headers = &self.request.head.headers;
        self.sound(Reply::try_data(headers, self.tag(), self.is_pinned, find))
    }

    /// The reply to a search in this version, within the budget. `parameter` is the one of the query.
    pub fn search_reply(
        &self,
        budget: &CostBudget<'_>,
        parameter: &str,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), QueryError>,
    ) -> Result<Reply, HandlerError> {
        Reply::try_data(&self.request.head.headers, self.tag(), self.is_pinned, find)
            .map_err(|unanswered| self.handler_error(budget, parameter, unanswered))
    }

    /// The error of a search that ended without a result. `parameter` is the one of the query.
    pub fn handler_error(
        &self,
        budget: &CostBudget<'_>,
        parameter: &str,
        unanswered: QueryError,
    ) -> HandlerError {
        match unanswered {
            QueryError::Damaged(error) => self.damaged_error(&error).into(),
            QueryError::Stopped(stop) => budget.stop_error(stop, parameter),
        }
    }

    pub fn prepared_reply(&self, prepared: &Prepared) -> Reply {
        Reply::prepared(&self.request.head.headers, self.tag(), self.is_pinned, prepared)
    }

    pub fn tag(&self) -> EntityTag {
        let fingerprint = match self.other_fingerprint {
            0 => self.data.file().fingerprint(),
            other => EntityTag::combine(self.data.file().fingerprint(), other),
        };
        EntityTag::of_data(self.version(), fingerprint, self.request.api_version)
    }

    /// What was read from this version, unless it is damaged.
    pub fn sound<T>(&self, read: Result<T, Arc<OpenError>>) -> Result<T, ApiError> {
        read.map_err(|error| self.damaged_error(&error))
    }

    /// The error of damaged data. The fault is logged; the client learns only that the data are damaged.
    pub fn damaged_error(&self, error: &OpenError) -> ApiError {
        tracing::error!(%error, request = %self.request.id, "a snapshot is damaged");
        let detail = format!("the data of version {} is damaged", self.version());
        ApiError::new(Code::DamagedData, detail)
    }

    /// The error of a code in `parameter` that this version lacks. `what` is what it would name.
    pub fn no_such(
        &self,
        parameter: &'static str,
        code: Code,
        what: &str,
        found: impl Display,
    ) -> ApiError {
        let detail = format!("expected {what} that version {} has; found {found}", self.version());
        ApiError::in_parameter(parameter, code, detail)
    }
}

/// Says in an error that a code which no record has could not have one.
pub fn digit_fault(is_sound: bool) -> &'static str {
    if is_sound { "" } else { ", whose check digit is wrong" }
}

/// The reply that lists data versions, oldest first.
pub fn list_versions<D>(
    request: &ApiRequest<'_>,
    versions: fn(&Catalog) -> &Versions<D>,
) -> Result<Reply, ApiError> {
    let mut body = b"{\"versions\":".to_vec();
    let versions = versions(&request.data.catalog).iter().map(|(version, _)| version);
    json::write_list(&mut body, versions, |out, version| {
        json::push_string(out, &version.to_string());
    });
    body.push(b'}');
    Ok(Reply::tagged(&request.head.headers, body))
}
