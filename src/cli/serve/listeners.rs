//! The listening sockets of the server: which address serves what, and the lines that announce them.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::path::Path;

use tokio::net::TcpListener;

use super::arguments::ServeConfig;
use super::mount::Door;
use crate::api::metrics_access::MetricsPlace;
use crate::cli::error::CommandError;
use crate::server::accept;

#[derive(Debug, Default)]
pub struct Listeners {
    pub sockets: Vec<TcpListener>,
    /// What is served at each, in the order of `sockets`.
    pub doors: Vec<Door>,
    /// One line per address.
    announcement: String,
}

impl Listeners {
    /// Listens on every address of the settings; on those of the dashboard only with `dashboard`.
    pub fn open(config: &ServeConfig, dashboard: bool) -> Result<Listeners, CommandError> {
        let mut listeners = Listeners::default();
        let door = Door {
            api: true,
            dashboard: config.dashboard.addresses.is_empty(),
            metrics: config.metrics.access.place == MetricsPlace::WithApi,
        };
        let shown = |bound: SocketAddr| format!("listening on http://{bound}");
        listeners.add("--listen", &config.addresses, door, shown)?;
        if dashboard {
            let door = Door { dashboard: true, ..Door::NOTHING };
            let shown = |bound: SocketAddr| format!("dashboard on http://{bound}/dashboard");
            listeners.add("--dashboard-listen", &config.dashboard.addresses, door, shown)?;
        }
        let door = Door { metrics: true, ..Door::NOTHING };
        let shown = |bound: SocketAddr| format!("metrics on http://{bound}/metrics");
        listeners.add("--metrics-listen", &config.metrics.addresses, door, shown)?;
        Ok(listeners)
    }

    fn add(
        &mut self,
        option: &str,
        addresses: &[SocketAddr],
        door: Door,
        shown: impl Fn(SocketAddr) -> String,
    ) -> Result<(), CommandError> {
        for address in addresses {
            let unusable = |error| {
                CommandError::BadInput(format!(
                    "cannot listen on {address}: {error}; choose another address with {option}"
                ))
            };
            let socket = accept::listen(*address).map_err(unusable)?;
            let bound = socket.local_addr().map_err(unusable)?;
            writeln!(self.announcement, "{}", shown(bound)).expect("a string takes any text");
            self.sockets.push(socket);
            self.doors.push(door);
        }
        Ok(())
    }

    /// Writes a line for each address, and one for the file of a generated password. The server works without a
    /// reader of these lines, so an error is only logged.
    pub fn announce(&self, password_file: Option<&Path>, stdout: &mut dyn Write) {
        let mut announced = self.announcement.clone();
        if let Some(file) = password_file {
            let text =
                "generated the operator's password for /dashboard; sign in, then delete the file:";
            writeln!(announced, "{text} {}", file.display()).expect("a string takes any text");
        }
        if let Err(error) = stdout.write_all(announced.as_bytes()).and_then(|()| stdout.flush()) {
            tracing::warn!(%error, announced, "cannot write to standard output");
        }
    }

    /// The first address, which is one of the API.
    pub fn first(&self) -> io::Result<SocketAddr> {
        match self.sockets.first() {
            Some(socket) => socket.local_addr(),
            None => Err(ErrorKind::AddrNotAvailable.into()),
        }
    }
}
