//! The listening sockets of the server: which address serves what, and the lines that announce them.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::Path;

use tokio::net::TcpListener;

use super::arguments::ServeConfig;
use super::root_service::ListenerServices;
use crate::api::metrics_access::MetricsPlace;
use crate::cli::error::CommandError;
use crate::server::accept;

#[derive(Debug, Default)]
pub struct Listeners {
    pub sockets: Vec<TcpListener>,
    /// What is served at each, in the order of `sockets`.
    pub services: Vec<ListenerServices>,
    /// One line per address.
    announcement: String,
}

impl Listeners {
    /// Listens on every address of the settings; on those of the dashboard only if it can be on.
    pub fn open(config: &ServeConfig, has_dashboard: bool) -> Result<Listeners, CommandError> {
        let mut listeners = Listeners::default();
        let services = ListenerServices {
            api: true,
            dashboard: config.dashboard.addresses.is_empty(),
            metrics: config.metrics.access.place == MetricsPlace::WithApi,
        };
        let line = |bound: SocketAddr| format!("listening on http://{bound}");
        listeners.add("--listen", &config.addresses, services, line)?;
        if has_dashboard {
            let services = ListenerServices { dashboard: true, ..ListenerServices::NONE };
            let line = |bound: SocketAddr| format!("dashboard on http://{bound}/dashboard");
            listeners.add("--dashboard-listen", &config.dashboard.addresses, services, line)?;
        }
        let services = ListenerServices { metrics: true, ..ListenerServices::NONE };
        let line = |bound: SocketAddr| format!("metrics on http://{bound}/metrics");
        listeners.add("--metrics-listen", &config.metrics.addresses, services, line)?;
        Ok(listeners)
    }

    fn add(
        &mut self,
        option: &str,
        addresses: &[SocketAddr],
        services: ListenerServices,
        announcement_line: impl Fn(SocketAddr) -> String,
    ) -> Result<(), CommandError> {
        for address in addresses {
            let unusable = |error| {
                CommandError::Failed(format!(
                    "cannot listen on {address}: {error}; choose another address with {option}"
                ))
            };
            let socket = accept::listen(*address).map_err(unusable)?;
            let bound = socket.local_addr().map_err(unusable)?;
            writeln!(self.announcement, "{}", announcement_line(bound))
                .expect("writing to a string does not fail");
            self.sockets.push(socket);
            self.services.push(services);
        }
        Ok(())
    }

    /// Writes a line for each address, and one for the file of a generated password. The server works without a
    /// reader of these lines, so an error is only logged.
    pub fn announce(&self, password_file: Option<&Path>, stdout: &mut dyn Write) {
        let mut text = self.announcement.clone();
        if let Some(file) = password_file {
            let hint =
                "generated the operator's password for /dashboard; sign in, then delete the file:";
            writeln!(text, "{hint} {}", file.display()).expect("writing to a string does not fail");
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
