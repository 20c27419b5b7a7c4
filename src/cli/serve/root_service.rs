//! Dispatches requests to the API and its documentation, the script for forms, the MCP tools, the dashboard and the
//! metrics, depending on the listening address.
//!
//! [`Listeners`] has the listening sockets: which address serves what, and the lines that announce them.

use std::fmt::Display;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use hyper::Response;

use super::activation::ListenAt;
use super::arguments::ServeConfig;
use super::handover::{Incoming, Outgoing};
use super::own_paths::label;
use crate::api::Api;
use crate::api::metrics::MetricsPlace;
use crate::api::pipeline::answer;
use crate::api::pipeline::router::Routes;
use crate::api::table::ROOT;
use crate::cli::error::CommandError;
use crate::compat;
use crate::dashboard::{self, Dashboard};
use crate::docs::{self, Docs};
use crate::forms;
use crate::language::{Language, Words, words};
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::server::listener::{ListenAddress, Listener};
use crate::server::metrics::Label;
use crate::server::public_site::PublicSite;
use crate::server::service::{Answer, HttpService, Refusal, Request};
use crate::server::unix_socket::SocketMode;

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

impl ListenerServices {
    /// The name of a socket in `FileDescriptorName=` of systemd.
    fn name(self) -> &'static str {
        match self {
            ListenerServices { api: true, .. } => "api",
            ListenerServices { dashboard: true, .. } => "dashboard",
            _ => "metrics",
        }
    }
}

const METRICS_ONLY: ListenerServices =
    ListenerServices { api: false, dashboard: false, metrics: true };

/// The service of every listener.
pub struct RootService {
    api: Arc<Api>,
    /// `None` if it is off.
    dashboard: Option<Arc<Dashboard>>,
    /// Whether an operator exists who may sign in; unknown while the store is unreachable.
    is_dashboard_on: Arc<AtomicBool>,
    docs: Arc<Docs>,
    /// Where clients reach this server.
    site: Arc<PublicSite>,
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
    pub site: Arc<PublicSite>,
}

impl RootService {
    pub fn new(parts: RootParts) -> RootService {
        let RootParts { api, dashboard, is_dashboard_on, compat, listeners, site } = parts;
        RootService {
            api,
            dashboard,
            is_dashboard_on,
            docs: Arc::new(Docs::new(Arc::clone(&site), label(docs::LABEL))),
            site,
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
        match self.site.stripped(&request.head.uri) {
            None => self.dispatch(request),
            Some(uri) => {
                let mut head = request.head.clone();
                head.uri = uri;
                self.dispatch(Request { head: &head, ..request })
            }
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        self.api.refuse(refusal)
    }
}

impl RootService {
    /// Answers with the service that has the path.
    fn dispatch(&self, request: Request<'_>) -> Answer {
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
            if self.docs.has(path) {
                let has_dashboard = served.dashboard && self.is_dashboard_on.load(Relaxed);
                let data = Arc::clone(&self.api.data.load());
                return self.docs.answer(request.head.clone(), data, has_dashboard);
            }
            if forms::is_form_file(path) {
                return forms::answer(request.head.clone(), self.forms_label, &self.site);
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
}

pub struct Listeners {
    pub sockets: Vec<Listener>,
    /// What is served at each, in the order of `sockets`.
    pub services: Vec<ListenerServices>,
    /// `http` or `https`.
    scheme: &'static str,
    /// Of the addresses of the API and the dashboard.
    expects_proxy_header: bool,
    /// Of the files of Unix sockets.
    mode: SocketMode,
    language: Language,
    /// One line per address.
    announcement: String,
    /// Second handles of the sockets.
    pub outgoing: Outgoing,
}

impl Listeners {
    /// Listens on every address of the settings; on the addresses of the dashboard only if it can be on. Takes sockets
    /// over from the server before this one, if there is one.
    pub fn open(
        config: &ServeConfig,
        has_dashboard: bool,
        language: Language,
        mut incoming: Option<&mut Incoming>,
    ) -> Result<Listeners, CommandError> {
        let (scheme, mode) = (config.scheme(), config.socket_mode);
        let cache_lock = config.cache_lock().map_err(CommandError::cannot_start)?;
        let mut listeners = Listeners {
            sockets: Vec::new(),
            services: Vec::new(),
            scheme,
            expects_proxy_header: config.expects_proxy_header,
            mode,
            language,
            announcement: String::new(),
            outgoing: Outgoing::with_cache_lock(cache_lock),
        };
        let incoming = &mut incoming;
        let services = ListenerServices {
            api: true,
            dashboard: config.dashboard.addresses.is_empty(),
            metrics: config.metrics.access.place == MetricsPlace::WithApi,
        };
        listeners.add("--listen", &config.addresses, services, (LISTENING, ""), incoming)?;
        if has_dashboard {
            let services = ListenerServices { dashboard: true, ..ListenerServices::default() };
            let addresses = &config.dashboard.addresses;
            let announced = (DASHBOARD, "/dashboard");
            listeners.add("--dashboard-listen", addresses, services, announced, incoming)?;
        }
        let addresses = &config.metrics.addresses;
        let announced = (METRICS, "/metrics");
        listeners.add("--metrics-listen", addresses, METRICS_ONLY, announced, incoming)?;
        listeners.announcement.push_str(&config.compat.announcement(language));
        Ok(listeners)
    }

    /// Announces each address after the first of these texts and before the other.
    fn add(
        &mut self,
        option: &str,
        places: &[ListenAt],
        services: ListenerServices,
        (served, path): (Words, &str),
        incoming: &mut Option<&mut Incoming>,
    ) -> Result<(), CommandError> {
        for place in places {
            let unusable = |error: &dyn Display| match place {
                ListenAt::Address(address) => CommandError::Failed(format!(
                    "cannot listen on {address}: {error}; choose another address with {option}"
                )),
                ListenAt::Handed(_) => CommandError::Failed(format!(
                    "cannot use a socket that systemd handed over: {error}; restart its socket unit"
                )),
            };
            let taken_over = match (place, incoming.as_deref_mut()) {
                (ListenAt::Address(address), Some(incoming)) => incoming.socket(address),
                _ => None,
            };
            let opened = taken_over.unwrap_or_else(|| place.open(self.mode));
            let mut socket = opened.map_err(|error| unusable(&error))?;
            let added = self.outgoing.add(&socket, place, services.name());
            added.map_err(|error| unusable(&error))?;
            socket.expects_proxy_header = self.expects_proxy_header && services != METRICS_ONLY;
            let bound = socket.address().map_err(|error| unusable(&error))?;
            let line = match bound {
                ListenAddress::Tcp(bound) => self.line(served, bound, path),
                bound @ ListenAddress::Unix(_) => {
                    format!("{} {bound}\n", self.language.text(served))
                }
            };
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
        let pages = self.first_tcp_api();
        if let Some((address, services)) = pages {
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

    /// The first TCP address of the API, with the port that the system chose; `None` if it has only Unix sockets.
    pub fn first_tcp_address(&self) -> Option<SocketAddr> {
        self.first_tcp_api().map(|(address, _services)| address)
    }

    fn first_tcp_api(&self) -> Option<(SocketAddr, &ListenerServices)> {
        let mut served = self.sockets.iter().zip(&self.services).filter(|(_, it)| it.api);
        served.find_map(|(socket, services)| Some((socket.address().ok()?.tcp()?, services)))
    }
}
