//! The handlers, a file or folder for each resource: each takes a checked [`ApiRequest`](super::pipeline::params) and
//! returns a reply or an error. [`RequestedData`] is the data version that a request names, else the latest.

pub mod bank;
pub mod bank_transfer;
pub mod batch;
mod batch_corrections;
pub mod calendar;
pub mod coordinates;
pub mod corporate;
pub mod invoice;
pub mod matching;
pub mod postal;
pub mod radar;
pub mod reverse;
pub mod school;
pub mod server;
pub mod suggest;

use std::cell::RefCell;
use std::fmt::Display;
use std::sync::Arc;

use super::error::{ApiError, Code};
use super::executor::cost_budget::{CostBudget, HandlerError};
use super::pipeline::params::{ApiRequest, DATE_PARAMETER, META_PARAMETER};
use super::pipeline::reply::{Prepared, Reply};
use super::pipeline::tag::EntityTag;
use crate::dataset::correction::{Action, Correction};
use crate::dataset::{Catalog, Declaration};
use crate::json;
use crate::query::budget::QueryError;
use crate::snapshot::{Dataset, OpenError, SnapshotFile, Versions};
use crate::text::codes::DataVersion;

/// The data version that a request is answered from.
pub struct RequestedData<'r, D> {
    pub request: &'r ApiRequest<'r>,
    pub data: &'r Arc<D>,
    /// Whether the request named it; otherwise it is the latest, which changes.
    is_pinned: bool,
    /// The fingerprint of other data that the answer depends on; 0 for none.
    other_fingerprint: u32,
    /// The operator's corrections that changed the data; empty for a version that the request named.
    corrections: &'r [Arc<Correction>],
    /// Those of them that changed the answer, if the request asks for its sources.
    marks: RefCell<Vec<Arc<Correction>>>,
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
    if data.file().copied_bytes() == 0 {
        request.api.old_version_opened.wake();
    }
    Ok(RequestedData { is_pinned: true, ..RequestedData::of(request, data, &[]) })
}

/// The latest version of a dataset as it answers on the day of the parameter `date`, or else today; or the version that
/// the request names.
pub fn requested_on_day<'r, D: Declaration>(
    request: &'r ApiRequest<'_>,
    versions: impl FnOnce(&'r Catalog) -> &'r Versions<D>,
) -> Result<RequestedData<'r, D>, ApiError> {
    let Some(date) = request.params.non_empty(DATE_PARAMETER)? else {
        return requested_data(request, versions);
    };
    let day = DataVersion::parse(&date).map_err(|error| {
        ApiError::in_parameter(DATE_PARAMETER, Code::InvalidDate, error.to_string())
    })?;
    if let Some(version) = request.params.version()? {
        let detail = format!(
            "expected date or version, since a version answers as it was published; found both, version {version}"
        );
        return Err(ApiError::in_parameter(DATE_PARAMETER, Code::InvalidParameter, detail));
    }
    let data = versions(&request.data.catalog).latest_on(day).ok_or_else(no_data::<D>)?;
    let corrections = request.data.catalog.laid.rows(D::KIND, Some(day));
    Ok(RequestedData::of(request, data, corrections))
}

fn no_data<D: Declaration>() -> ApiError {
    ApiError::new(Code::NoData, format!("no {} data is loaded", D::KIND))
}

/// The latest version of a dataset, whatever version the request names.
pub fn latest_data<'r, D: Declaration>(
    request: &'r ApiRequest<'_>,
    versions: impl FnOnce(&'r Catalog) -> &'r Versions<D>,
) -> Result<RequestedData<'r, D>, ApiError> {
    let data = versions(&request.data.catalog).latest().ok_or_else(no_data::<D>)?;
    let corrections = request.data.catalog.laid.rows(D::KIND, None);
    Ok(RequestedData::of(request, data, corrections))
}

impl<'r, D: Dataset> RequestedData<'r, D> {
    fn of(
        request: &'r ApiRequest<'r>,
        data: &'r Arc<D>,
        corrections: &'r [Arc<Correction>],
    ) -> RequestedData<'r, D> {
        let marks = RefCell::default();
        RequestedData { request, data, is_pinned: false, other_fingerprint: 0, corrections, marks }
    }

    /// Whether the answer names the corrections that made it: there are some, and the request asks for its sources.
    pub fn names_corrections(&self) -> bool {
        !self.corrections.is_empty() && self.request.params.flag(META_PARAMETER) == Ok(true)
    }

    /// The corrections that the answer may name.
    fn named_corrections(&self) -> &'r [Arc<Correction>] {
        if self.names_corrections() { self.corrections } else { &[] }
    }

    /// Marks the answer as made by the corrections for which `is_of` holds, if the request asks for its sources. Does
    /// nothing for data without corrections.
    pub fn mark(&self, is_of: impl Fn(&Correction) -> bool) {
        let mut marks = self.marks.borrow_mut();
        for row in self.named_corrections().iter().filter(|row| is_of(row)) {
            if !marks.iter().any(|known| Arc::ptr_eq(known, row)) {
                marks.push(Arc::clone(row));
            }
        }
    }

    /// Marks the answer as made by what marked the data in which it searched beside these.
    pub fn add_marks_of<O>(&self, searched: &RequestedData<'_, O>) {
        self.marks.borrow_mut().append(&mut searched.marks.borrow_mut());
    }

    /// The correction that abolished a record, as the end of an error; empty if none did.
    pub fn abolished_by(&self, is_of: impl Fn(&Correction) -> bool) -> String {
        let abolishes = |row: &&Arc<Correction>| row.action == Action::Abolish && is_of(row);
        let row = self.corrections.iter().find(abolishes);
        row.map(|row| format!("; {}", row.explanation())).unwrap_or_default()
    }

    /// The reply with the corrections that were marked.
    fn marked(&self, reply: Reply) -> Reply {
        let marks = self.marks.take();
        if marks.is_empty() { reply } else { reply.with_corrections(marks) }
    }

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
        let headers = &self.request.head.headers;
        self.marked(Reply::data(headers, self.tag(), self.is_pinned, write))
    }

    /// The reply that `find` makes from this version, which may be damaged.
    pub fn try_reply(
        &self,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), Arc<OpenError>>,
    ) -> Result<Reply, ApiError> {
        let headers = &self.request.head.headers;
        let reply = self.sound(Reply::try_data(headers, self.tag(), self.is_pinned, find))?;
        Ok(self.marked(reply))
    }

    /// The reply to a search in this version, within the budget. `parameter` is the one of the query.
    pub fn search_reply(
        &self,
        budget: &CostBudget<'_>,
        parameter: &str,
        find: impl FnOnce(&mut Vec<u8>) -> Result<(), QueryError>,
    ) -> Result<Reply, HandlerError> {
        Reply::try_data(&self.request.head.headers, self.tag(), self.is_pinned, find)
            .map(|reply| self.marked(reply))
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
        let headers = &self.request.head.headers;
        self.marked(Reply::prepared(headers, self.tag(), self.is_pinned, prepared))
    }

    pub fn tag(&self) -> EntityTag {
        let fingerprint = match self.other_fingerprint {
            0 => self.data.fingerprint(),
            other => EntityTag::combine(self.data.fingerprint(), other),
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
