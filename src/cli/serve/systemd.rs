//! What systemd and a service tell each other: listening sockets that it hands over (socket activation), and messages
//! about the state of the service (`sd_notify`). Windows has no systemd, and nothing that speaks its protocols.

use std::io;
use std::time::Duration;

use crate::server::listener::ListenAddress;
use crate::server::unix_socket::{self, HandedUnixListener};

/// Whether sockets can be handed over on this system.
pub const HANDS_OVER_SOCKETS: bool = cfg!(unix);

/// A listening socket that systemd opened.
#[derive(Debug)]
pub enum HandedSocket {
    Tcp(std::net::TcpListener),
    Unix(HandedUnixListener),
}

impl HandedSocket {
    /// `None` for a Unix socket without a path.
    pub fn address(&self) -> Option<ListenAddress> {
        match self {
            HandedSocket::Tcp(socket) => socket.local_addr().ok().map(ListenAddress::Tcp),
            HandedSocket::Unix(socket) => unix_socket::path_of(socket).map(ListenAddress::Unix),
        }
    }
}

/// A message to systemd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The start is done, or a reload.
    Ready {
        status: String,
    },
    /// With the time at which it began, by the monotonic clock in microseconds.
    Reloading {
        since: i128,
    },
    Stopping {
        status: String,
    },
    Status(String),
    Alive,
    /// Another process of the service is its main process from now on.
    MainProcess(u32),
}

#[cfg(windows)]
mod system {
    use super::*;

    pub fn handed_sockets() -> Vec<io::Result<HandedSocket>> {
        Vec::new()
    }

    pub fn is_waiting() -> bool {
        false
    }

    pub fn monotonic_us() -> Option<i128> {
        None
    }

    pub fn watchdog_time() -> Option<Duration> {
        None
    }

    pub fn send(_message: &Message) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
mod system {
    use std::os::fd::OwnedFd;

    use listenfd::ListenFd;
    use rustix::net::{AddressFamily, getsockname};
    use sd_notify::NotifyState;

    use super::*;

    /// Takes the sockets over in the order of `LISTEN_FDS`, and removes the variables. Must run before any other thread,
    /// which might read the environment.
    pub fn handed_sockets() -> Vec<io::Result<HandedSocket>> {
        let mut found = ListenFd::from_env();
        (0..found.len()).map(|index| take_socket(&mut found, index)).collect()
    }

    fn take_socket(found: &mut ListenFd, index: usize) -> io::Result<HandedSocket> {
        if let Ok(Some(socket)) = found.take_unix_listener(index) {
            return listening(&socket).map(|()| HandedSocket::Unix(socket));
        }
        let socket = found.take_tcp_listener(index)?.ok_or(io::ErrorKind::NotFound)?;
        listening(&socket).map(|()| HandedSocket::Tcp(socket))
    }

    /// The socket of this descriptor.
    pub fn listening_socket(descriptor: OwnedFd) -> io::Result<HandedSocket> {
        listening(&descriptor)?;
        Ok(match getsockname(&descriptor)?.address_family() {
            AddressFamily::UNIX => HandedSocket::Unix(descriptor.into()),
            _ => HandedSocket::Tcp(descriptor.into()),
        })
    }

    /// A connection, as `Accept=yes` hands over, is no listening socket. Only Linux is asked, which alone has systemd.
    fn listening(socket: impl std::os::fd::AsFd) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if !rustix::net::sockopt::socket_acceptconn(socket)? {
            return Err(io::Error::other("it is a connection"));
        }
        #[cfg(not(target_os = "linux"))]
        let _ = socket;
        Ok(())
    }

    /// Whether systemd waits for messages.
    pub fn is_waiting() -> bool {
        std::env::var_os("NOTIFY_SOCKET").is_some_and(|socket| !socket.is_empty())
    }

    /// The monotonic clock in microseconds.
    pub fn monotonic_us() -> Option<i128> {
        match NotifyState::monotonic_usec_now() {
            Ok(NotifyState::MonotonicUsec(now)) => Some(now),
            _ => None,
        }
    }

    /// How long the service may send nothing; `None` if systemd does not watch it.
    pub fn watchdog_time() -> Option<Duration> {
        sd_notify::watchdog_enabled().filter(|time| !time.is_zero())
    }

    pub fn send(message: &Message) -> io::Result<()> {
        match message {
            Message::Ready { status } => {
                sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(status)])
            }
            Message::Reloading { since } => {
                let status = NotifyState::Status("Reloading");
                let since = NotifyState::MonotonicUsec(*since);
                sd_notify::notify(&[NotifyState::Reloading, since, status])
            }
            Message::Stopping { status } => {
                sd_notify::notify(&[NotifyState::Stopping, NotifyState::Status(status)])
            }
            Message::Status(status) => sd_notify::notify(&[NotifyState::Status(status)]),
            Message::Alive => sd_notify::notify(&[NotifyState::Watchdog]),
            Message::MainProcess(id) => sd_notify::notify(&[NotifyState::MainPid(*id)]),
        }
    }
}

#[cfg(unix)]
pub use system::listening_socket;
pub use system::{handed_sockets, is_waiting, monotonic_us, send, watchdog_time};
