//! Dispatches requests to the API and its documentation, the script for forms, the MCP tools, the dashboard and the
//! metrics, depending on the listening address.
//!
//! [`Listeners`] has the listening sockets: which address serves what, and the lines that announce them.

use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use hyper::Response;
use tokio::net::TcpListener;

use super::arguments::ServeConfig;
use crate::api::Api;
use crate::api::metrics::MetricsPlace;
use crate::api::pipeline::answer;
use crate::api::pipeline::router::{Routes, labels};
use crate::api::table::ROOT;
use crate::cli::error::CommandError;
use crate::compat;
use crate::dashboard::{self, Dashboard};
use crate::docs;
use crate::forms;
use crate::language::{Language, Words, words};
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::server::accept;
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

/// The texts of all labels, in order: the labels of the API, those of foreign protocols, then [`LABELS`].
pub fn all_labels() -> Vec<&'static str> {
    [labels(), compat::endpoint_labels(), LABELS.to_vec()].concat()
}

/// The label with a text of [`LABELS`].
pub fn label(text: &str) -> Label {
    let position = LABELS.iter().position(|label| *label == text);
    let before = labels().len() + compat::endpoint_labels().len();
    Label(before + position.expect("callers pass a text of the list"))
}

/// What the lines of the start say before an address.
const LISTENING: Words = words("listening on", "待ち受けアドレス:");
const DASHBOARD: Words = words("dashboard on", "ダッシュボード:");
const METRICS: Words = words("metrics on", "メトリクス:");
const DOCUMENTATION: Words = words("documentation on", "ドキュメント:");
const PASSWORD: Words = words(
    "generated the operator's password for /dashboard; sign in, then delete the file:",
    "/dashboardの運用者のパスワードを生成しました。ログインした後、次のファイルを削除してください:",
);

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
    /// The foreign protocols that it answers.
    compat: compat::Enabled,
    #[cfg(feature = "mcp")]
    mcp_label: Label,
    /// In the order of the listeners.
    listeners: Vec<ListenerServices>,
}

/// What a [`RootService`] dispatches to.
pub struct RootParts {
    pub api: Arc<Api>,
    pub dashboard: Option<Arc<Dashboard>>,
    pub is_dashboard_on: Arc<AtomicBool>,
    pub compat: compat::Enabled,
    pub listeners: Vec<ListenerServices>,
}

impl RootService {
    pub fn new(parts: RootParts) -> RootService {
        let RootParts { api, dashboard, is_dashboard_on, compat, listeners } = parts;
        RootService {
            api,
            dashboard,
            is_dashboard_on,
            docs_label: label(docs::LABEL),
            forms_label: label(forms::LABEL),
            compat,
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
                let has_dashboard = served.dashboard && self.is_dashboard_on.load(Relaxed);
                let data = self.api.data.load();
                let outcome = docs::answer(&request.head, self.docs_label, &data, has_dashboard);
                return Answer::Ready(outcome);
            }
            if forms::is_form_file(path) {
                return Answer::Ready(forms::answer(&request.head, self.forms_label));
            }
            #[cfg(feature = "mcp")]
            if mcp::http::is_mcp_path(path) {
                return mcp::http::answer(&self.api, request, self.mcp_label);
            }
            if !self.compat.is_empty() {
                let routes = match served.metrics {
                    true => self.compat.routes::<true>(),
                    false => self.compat.routes::<false>(),
                };
                return answer(&self.api, request, routes);
            }
        }
        match (served.api, served.metrics) {
            (true, true) => self.api.call(request),
            (true, false) => answer(&self.api, request, Routes::own::<true, false>()),
            (false, true) => answer(&self.api, request, Routes::own::<false, true>()),
            (false, false) => answer(&self.api, request, Routes::own::<false, false>()),
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        self.api.refuse(refusal)
    }
}

#[derive(Debug)]
pub struct Listeners {
    pub sockets: Vec<TcpListener>,
    /// What is served at each, in the order of `sockets`.
    pub services: Vec<ListenerServices>,
    /// `http` or `https`.
    scheme: &'static str,
    language: Language,
    /// One line per address.
    announcement: String,
}

impl Listeners {
    /// Listens on every address of the settings; on the addresses of the dashboard only if it can be on.
    pub fn open(
        config: &ServeConfig,
        has_dashboard: bool,
        language: Language,
    ) -> Result<Listeners, CommandError> {
        let mut listeners = Listeners {
            sockets: Vec::new(),
            services: Vec::new(),
            scheme: config.scheme(),
            language,
            announcement: String::new(),
        };
        let services = ListenerServices {
            api: true,
            dashboard: config.dashboard.addresses.is_empty(),
            metrics: config.metrics.access.place == MetricsPlace::WithApi,
        };
        listeners.add("--listen", &config.addresses, services, (LISTENING, ""))?;
        if has_dashboard {
            let services = ListenerServices { dashboard: true, ..ListenerServices::default() };
            let addresses = &config.dashboard.addresses;
            let announced = (DASHBOARD, "/dashboard");
            listeners.add("--dashboard-listen", addresses, services, announced)?;
        }
        let services = ListenerServices { metrics: true, ..ListenerServices::default() };
        let addresses = &config.metrics.addresses;
        listeners.add("--metrics-listen", addresses, services, (METRICS, "/metrics"))?;
        listeners.announcement.push_str(&config.compat.announcement(language));
        Ok(listeners)
    }

    /// Announces each address after the first of these texts and before the other.
    fn add(
        &mut self,
        option: &str,
        addresses: &[SocketAddr],
        services: ListenerServices,
        (served, path): (Words, &str),
    ) -> Result<(), CommandError> {
        for address in addresses {
            let unusable = |error| {
                CommandError::Failed(format!(
                    "cannot listen on {address}: {error}; choose another address with {option}"
                ))
            };
            let socket = accept::listen(*address).map_err(unusable)?;
            let bound = socket.local_addr().map_err(unusable)?;
            let line = self.line(served, bound, path);
            self.announcement.push_str(&line);
            self.sockets.push(socket);
            self.services.push(services);
        }
        Ok(())
    }

    fn line(&self, served: Words, address: SocketAddr, path: &str) -> String {
        format!("{} {}://{address}{path}\n", self.language.text(served), self.scheme)
    }

    /// Writes a line for each address, and one for the file of a generated password. The server works without a
    /// reader of these lines, so an error is only logged.
    pub fn announce(
        &self,
        has_dashboard: bool,
        password_file: Option<&Path>,
        stdout: &mut dyn Write,
    ) {
        let mut text = self.announcement.clone();
        let pages = self.sockets.first().zip(self.services.first());
        if let Some((address, services)) =
            pages.and_then(|(socket, services)| Some((socket.local_addr().ok()?, services)))
        {
            text.push_str(&self.line(DOCUMENTATION, address, "/docs/"));
            if services.dashboard && has_dashboard {
                text.push_str(&self.line(DASHBOARD, address, "/dashboard"));
            }
        }
        if let Some(file) = password_file {
            let hint = self.language.text(PASSWORD);
            text.push_str(&format!("{hint} {}\n", file.display()));
        }
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            tracing::warn!(%error, announced = text, "cannot write to standard output");
        }
    }

    /// The first address, which is one of the API.
    pub fn first_address(&self) -> io::Result<SocketAddr> {
        match self.sockets.first() {
            Some(socket) => socket.local_addr(),
            None => Err(ErrorKind::AddrNotAvailable.into()),
        }
    }
}
