//! Dispatches requests to the API and its documentation, the script for forms, the MCP tools, the dashboard and the
//! metrics, depending on the listening address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use hyper::Response;

use crate::api::pipeline::answer;
use crate::api::pipeline::router::{labels, no_route, route_of_metrics, route_without_metrics};
use crate::api::{service::Api, table::ROOT};
use crate::dashboard::{self, Dashboard};
use crate::docs;
use crate::forms;
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::server::metrics::Label;
use crate::server::service::{Answer, HttpService, Refusal, Request};

/// Labels for requests outside the API, counted after the labels of the endpoints.
const LABELS: &[&str] = &[
    dashboard::LABEL,
    docs::LABEL,
    forms::LABEL,
    #[cfg(feature = "mcp")]
    mcp::http::LABEL,
];

/// The texts of all labels, in order: the labels of the API, then [`LABELS`].
pub fn all_labels() -> Vec<&'static str> {
    [labels(), LABELS.to_vec()].concat()
}

/// The label with a text of [`LABELS`].
pub fn label(text: &str) -> Label {
    let position = LABELS.iter().position(|label| *label == text);
    Label(labels().len() + position.expect("callers pass a text of the list"))
}

/// What is served at a listening address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListenerServices {
    pub api: bool,
    pub dashboard: bool,
    pub metrics: bool,
}

/// The service of every listener.
#[derive(Debug)]
pub struct RootService {
    api: Arc<Api>,
    /// `None` if it is off.
    dashboard: Option<Arc<Dashboard>>,
    /// Whether an operator exists who may sign in; unknown while the store is unreachable.
    is_dashboard_on: Arc<AtomicBool>,
    docs_label: Label,
    forms_label: Label,
    #[cfg(feature = "mcp")]
    mcp_label: Label,
    /// In the order of the listeners.
    listeners: Vec<ListenerServices>,
}

impl RootService {
    pub fn new(
        api: Arc<Api>,
        dashboard: Option<Arc<Dashboard>>,
        is_dashboard_on: Arc<AtomicBool>,
        listeners: Vec<ListenerServices>,
    ) -> RootService {
        RootService {
            api,
            dashboard,
            is_dashboard_on,
            docs_label: label(docs::LABEL),
            forms_label: label(forms::LABEL),
            #[cfg(feature = "mcp")]
            mcp_label: label(mcp::http::LABEL),
            listeners,
        }
    }
}

impl HttpService for RootService {
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer {
        let listener = self.listeners.get(request.connection.listener);
        let served = listener.copied().unwrap_or_default();
        if let Some(dashboard) = &self.dashboard
            && served.dashboard
            && self.is_dashboard_on.load(Relaxed)
            && dashboard::is_below_root(request.head.uri.path())
        {
            return dashboard::answer(dashboard, request);
        }
        let path = request.head.uri.path();
        // Most requests are for data, and no other room has a path there.
        if served.api && !path.starts_with(ROOT) {
            if docs::is_documentation(path) {
                return Answer::Ready(docs::answer(&request.head, self.docs_label));
            }
            if forms::is_form_file(path) {
                return Answer::Ready(forms::answer(&request.head, self.forms_label));
            }
            #[cfg(feature = "mcp")]
            if mcp::http::is_mcp_path(path) {
                return mcp::http::answer(&self.api, request, self.mcp_label);
            }
        }
        match (served.api, served.metrics) {
            (true, true) => self.api.call(request),
            (true, false) => answer(&self.api, request, route_without_metrics),
            (false, true) => answer(&self.api, request, route_of_metrics),
            (false, false) => answer(&self.api, request, no_route),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        self.api.refuse(refusal)
    }
}
