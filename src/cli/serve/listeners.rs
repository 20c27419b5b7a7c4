//! The listening sockets of the server: which address serves what, and the lines that announce them.

use std::io::{self, ErrorKind, Write};
use std::{net::SocketAddr, path::Path};

use tokio::net::TcpListener;

use super::{arguments::ServeConfig, root_service::ListenerServices};
use crate::api::pipeline::metrics_access::MetricsPlace;
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
    /// Listens on every address of the settings; on the addresses of the dashboard only if it can be on.
    pub fn open(config: &ServeConfig, has_dashboard: bool) -> Result<Listeners, CommandError> {
        let mut listeners = Listeners::default();
        let services = ListenerServices {
            api: true,
            dashboard: config.dashboard.addresses.is_empty(),
            metrics: config.metrics.access.place == MetricsPlace::WithApi,
        };
        listeners.add("--listen", &config.addresses, services, ["listening", ""])?;
        if has_dashboard {
            let services = ListenerServices { dashboard: true, ..ListenerServices::default() };
            let addresses = &config.dashboard.addresses;
            let announced = ["dashboard", "/dashboard"];
            listeners.add("--dashboard-listen", addresses, services, announced)?;
        }
        let services = ListenerServices { metrics: true, ..ListenerServices::default() };
        let addresses = &config.metrics.addresses;
        listeners.add("--metrics-listen", addresses, services, ["metrics", "/metrics"])?;
        Ok(listeners)
    }

    /// Announces each address after the first of these texts and before the other.
    fn add(
        &mut self,
        option: &str,
        addresses: &[SocketAddr],
        services: ListenerServices,
        [served, path]: [&str; 2],
    ) -> Result<(), CommandError> {
        for address in addresses {
            let unusable = |error| {
                CommandError::Failed(format!(
                    "cannot listen on {address}: {error}; choose another address with {option}"
                ))
            };
            let socket = accept::listen(*address).map_err(unusable)?;
            let bound = socket.local_addr().map_err(unusable)?;
            self.announcement.push_str(&format!("{served} on http://{bound}{path}\n"));
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
