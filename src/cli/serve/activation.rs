//! The sockets that systemd hands over (socket activation): `LISTEN_FDS`, `LISTEN_PID` and `LISTEN_FDNAMES`.
//!
//! `FileDescriptorName=` of the socket unit says what is served at a socket: `dashboard`, `metrics`, or otherwise the
//! API. They replace the default address of `--listen`; addresses that are given are listened on too, unless such a socket
//! listens there already. Two addresses that only overlap, such as 0.0.0.0:8080 and 127.0.0.1:8080, are not compared.

use std::fs::File;
use std::io;
use std::net::SocketAddr;

use super::connections::resolve;
use super::systemd::{HANDS_OVER_SOCKETS, HandedSocket, handed_sockets};
use crate::cli::error::CommandError;
use crate::cli::print::print_notes;
use crate::server::listener::{ListenAddress, Listener};
use crate::server::unix_socket::{ListenError, SocketMode};

/// What a socket may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Api,
    Dashboard,
    Metrics,
}

impl Purpose {
    /// Without `FileDescriptorName=`, systemd names a socket after its unit.
    fn of_name(name: &str) -> Option<Purpose> {
        match name {
            "api" | "" | "unknown" => Some(Purpose::Api),
            "dashboard" => Some(Purpose::Dashboard),
            "metrics" => Some(Purpose::Metrics),
            unit if unit.ends_with(".socket") => Some(Purpose::Api),
            _ => None,
        }
    }
}

/// What this process was handed at its start: sockets by what is served there, by systemd or by the server before it.
#[derive(Debug, Default)]
pub struct Handed {
    pub api: Vec<ListenAt>,
    pub dashboard: Vec<ListenAt>,
    pub metrics: Vec<ListenAt>,
    /// Whether this process takes over from a running server. Its standard input is then the channel to that one.
    pub is_takeover: bool,
    /// The lock of the cache of releases, which that server holds.
    pub cache_lock: Option<File>,
}

/// A place to listen at: an address, or a socket that listens already.
#[derive(Debug)]
pub enum ListenAt {
    Address(ListenAddress),
    Handed(HandedSocket),
}

impl ListenAt {
    /// Must run within the runtime of the connections.
    pub fn open(&self, mode: SocketMode) -> Result<Listener, ListenError> {
        match self {
            ListenAt::Address(address) => Listener::open(address, mode),
            ListenAt::Handed(HandedSocket::Tcp(socket)) => {
                Ok(Listener::adopt_tcp(socket.try_clone()?)?)
            }
            ListenAt::Handed(HandedSocket::Unix(socket)) => {
                Ok(Listener::adopt_unix(socket.try_clone()?)?)
            }
        }
    }

    /// The TCP address; its port may be 0 where the system is to choose it.
    pub fn tcp(&self) -> Option<SocketAddr> {
        self.address()?.tcp()
    }

    /// `None` for a socket without a name.
    fn address(&self) -> Option<ListenAddress> {
        match self {
            ListenAt::Address(address) => Some(address.clone()),
            ListenAt::Handed(socket) => socket.address(),
        }
    }
}

/// The places where one purpose is served: the sockets that were handed over, and the addresses of this option at which
/// none of them listens.
pub fn places<'t>(
    option: &str,
    texts: impl IntoIterator<Item = &'t str>,
    handed: Vec<ListenAt>,
) -> Result<Vec<ListenAt>, CommandError> {
    let known: Vec<ListenAddress> = handed.iter().filter_map(ListenAt::address).collect();
    let mut given = Vec::new();
    for text in texts {
        given.extend(resolve(option, text)?);
    }
    given.dedup();
    given.retain(|address| !known.contains(address));
    Ok(given.into_iter().map(ListenAt::Address).chain(handed).collect())
}

impl Handed {
    /// Takes them over, and removes the variables. Must run before any other thread, which might read the environment.
    pub fn take() -> Result<Handed, CommandError> {
        let variable = |name| std::env::var(name).ok().filter(|text: &String| !text.is_empty());
        let Some(count) = variable("LISTEN_FDS") else { return Ok(Handed::default()) };
        if !HANDS_OVER_SOCKETS {
            return Err(no_systemd());
        }
        if count.parse::<u16>().is_err() {
            return Err(CommandError::Usage(format!(
                "LISTEN_FDS: expected the number of sockets that systemd hands over; found {count:?}; unset it"
            )));
        }
        let own_id = std::process::id();
        if let Some(process) = variable("LISTEN_PID")
            && process.parse() != Ok(own_id)
        {
            // A parent inherited them and did not pass them on.
            print_notes(&format!(
                "LISTEN_PID: the sockets are for process {process}, and this is {own_id}: they are not used\n"
            ));
            return Ok(Handed::default());
        }
        let names = variable("LISTEN_FDNAMES").unwrap_or_default();
        let names: Vec<&str> = names.split(':').collect();
        let mut sockets = Handed::default();
        for (index, socket) in handed_sockets().into_iter().enumerate() {
            let name = names.get(index).copied().unwrap_or_default();
            let purpose = Purpose::of_name(name).ok_or_else(|| unknown_name(name))?;
            let socket = socket.map_err(|error| not_listening(name, &error))?;
            match purpose {
                Purpose::Api => sockets.api.push(ListenAt::Handed(socket)),
                Purpose::Dashboard => sockets.dashboard.push(ListenAt::Handed(socket)),
                Purpose::Metrics => sockets.metrics.push(ListenAt::Handed(socket)),
            }
        }
        Ok(sockets)
    }
}

fn no_systemd() -> CommandError {
    CommandError::usage(
        "LISTEN_FDS: expected no sockets of systemd, which this system does not have; found some; unset it, and name \
         a TCP address with --listen",
    )
}

fn unknown_name(name: &str) -> CommandError {
    CommandError::Usage(format!(
        "LISTEN_FDNAMES: expected api, dashboard, metrics or the name of a socket unit; found {name:?}; correct \
         FileDescriptorName= of the unit"
    ))
}

fn not_listening(name: &str, error: &io::Error) -> CommandError {
    CommandError::Usage(format!(
        "the socket {name:?} of systemd: expected a listening stream socket; found another ({error}); use \
         ListenStream= and Accept=no in the socket unit"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_socket_says_what_is_served() {
        for (name, expected) in [
            ("", Some(Purpose::Api)),
            ("unknown", Some(Purpose::Api)),
            ("api", Some(Purpose::Api)),
            ("daicho.socket", Some(Purpose::Api)),
            ("dashboard", Some(Purpose::Dashboard)),
            ("metrics", Some(Purpose::Metrics)),
            ("dashbord", None),
            ("API", None),
        ] {
            assert_eq!(Purpose::of_name(name), expected, "{name:?}");
        }
        let message = unknown_name("dashbord").to_string();
        assert!(message.contains("found \"dashbord\""), "{message}");
        let message = no_systemd().to_string();
        assert!(message.contains("LISTEN_FDS") && message.contains("--listen"), "{message}");
    }
}
