//! The sockets that the server listens on: TCP, or a Unix socket, which has a file.
//!
//! The file of a Unix socket is the matter of `unix_socket`.

use std::fmt;
use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::{TcpListener, TcpSocket};

use super::limits::BACKLOG_MAX;
use super::proxies::Peer;
use super::stream::Stream;
use super::unix_socket::{
    self, HandedUnixListener, ListenError, SocketFile, SocketMode, UnixListener,
};

/// The longest path of a Unix socket, in bytes: the system stores 108 with a zero at the end.
const PATH_BYTES_MAX: usize = 107;

/// The beginning of an address that is a path.
const UNIX: &str = "unix:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnixPathFault {
    #[error(
        "expected an address and a port, such as 127.0.0.1:8080; found a Unix socket, which this system does not have"
    )]
    NoSockets,
    #[error("expected a path after unix:, such as unix:/run/daicho/daicho.sock; found none")]
    Empty,
    #[error(
        "expected a path of at most {PATH_BYTES_MAX} bytes; found {found}; put the socket into a folder with a shorter path"
    )]
    Long { found: usize },
    #[error(
        "expected the path of a file; found the abstract name {found:?}; write a path that begins with /"
    )]
    Abstract { found: String },
}

impl ListenAddress {
    /// The path of `unix:PATH`; `None` if the text is another address.
    pub fn parse_unix(text: &str) -> Option<Result<PathBuf, UnixPathFault>> {
        Some(unix_path(text.strip_prefix(UNIX)?, unix_socket::EXIST))
    }

    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            ListenAddress::Tcp(address) => Some(*address),
            ListenAddress::Unix(_) => None,
        }
    }
}

fn unix_path(path: &str, has_sockets: bool) -> Result<PathBuf, UnixPathFault> {
    match path.len() {
        _ if !has_sockets => Err(UnixPathFault::NoSockets),
        0 => Err(UnixPathFault::Empty),
        _ if path.starts_with('@') || path.contains('\0') => {
            Err(UnixPathFault::Abstract { found: path.chars().take(80).collect() })
        }
        found if found > PATH_BYTES_MAX => Err(UnixPathFault::Long { found }),
        _ => Ok(path.into()),
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenAddress::Tcp(address) => address.fmt(f),
            ListenAddress::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// A socket that listens.
#[derive(Debug)]
pub struct Listener {
    socket: ListeningSocket,
    /// Whether each connection begins with a header of the PROXY protocol.
    pub expects_proxy_header: bool,
}

#[derive(Debug)]
enum ListeningSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl From<TcpListener> for Listener {
    fn from(socket: TcpListener) -> Listener {
        Listener { socket: ListeningSocket::Tcp(socket), expects_proxy_header: false }
    }
}

impl From<UnixListener> for Listener {
    fn from(socket: UnixListener) -> Listener {
        Listener { socket: ListeningSocket::Unix(socket), expects_proxy_header: false }
    }
}

impl Listener {
    pub fn open(address: &ListenAddress, mode: SocketMode) -> Result<Listener, ListenError> {
        match address {
            ListenAddress::Tcp(address) => Ok(listen_tcp(*address)?.into()),
            ListenAddress::Unix(path) => Ok(UnixListener::open(path, mode)?.into()),
        }
    }

    /// A socket that was opened by another program.
    pub fn adopt_tcp(socket: std::net::TcpListener) -> io::Result<Listener> {
        socket.set_nonblocking(true)?;
        Ok(TcpListener::from_std(socket)?.into())
    }

    /// A Unix socket that was opened by another program, which also removes its file.
    pub fn adopt_unix(socket: HandedUnixListener) -> io::Result<Listener> {
        Ok(UnixListener::adopt(socket)?.into())
    }

    /// The Unix socket at this path, of the server before this one, which has its file until [`SocketFile::take`].
    pub fn take_over_unix(socket: HandedUnixListener, path: &Path) -> io::Result<Listener> {
        Ok(UnixListener::take_over(socket, path)?.into())
    }

    /// The file of a Unix socket that this server removes at its end.
    pub fn socket_file(&self) -> Option<Arc<SocketFile>> {
        match &self.socket {
            ListeningSocket::Tcp(_) => None,
            ListeningSocket::Unix(socket) => socket.file(),
        }
    }

    /// The address with the port that the system chose.
    pub fn address(&self) -> io::Result<ListenAddress> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => socket.local_addr().map(ListenAddress::Tcp),
            ListeningSocket::Unix(socket) => socket.path().map(ListenAddress::Unix),
        }
    }

    pub async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => {
                let (tcp, peer) = socket.accept().await?;
                // Answers are written whole; Nagle's algorithm would only delay them.
                if let Err(error) = tcp.set_nodelay(true) {
                    tracing::debug!(%error, "cannot set up an accepted connection");
                }
                Ok((Stream::Tcp(tcp), Peer::Network(peer.ip())))
            }
            ListeningSocket::Unix(socket) => Ok((Stream::Unix(socket.accept().await?), Peer::Unix)),
        }
    }
}

#[cfg(unix)]
impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => socket.as_fd(),
            ListeningSocket::Unix(socket) => socket.as_fd(),
        }
    }
}

fn listen_tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Lets a restarted server bind while connections of the previous process are still closing. Windows does so by
    // itself; there the option would let two servers have one address.
    socket.set_reuseaddr(cfg!(unix))?;
    socket.bind(address)?;
    socket.listen(BACKLOG_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_unix_socket_is_a_path_that_fits() {
        for (text, expected) in [
            ("127.0.0.1:80", None),
            ("unix:/run/d.sock", Some(Ok("/run/d.sock"))),
            ("unix:d.sock", Some(Ok("d.sock"))),
            ("unix:", Some(Err("found none"))),
            ("unix:@daicho", Some(Err("found the abstract name \"@daicho\""))),
        ] {
            let found = ListenAddress::parse_unix(text);
            match (found, expected) {
                (None, None) => {}
                (Some(Ok(path)), Some(Ok(expected))) => assert_eq!(path, PathBuf::from(expected)),
                (Some(Err(fault)), Some(Err(part))) => {
                    assert!(fault.to_string().contains(part), "{fault}");
                }
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
        let of_length = |length: usize| {
            let text = format!("unix:/{}", "a".repeat(length - 1));
            ListenAddress::parse_unix(&text).expect("a path")
        };
        assert!(of_length(107).is_ok());
        assert_eq!(of_length(108), Err(UnixPathFault::Long { found: 108 }));
        let fault = unix_path("/run/d.sock", false).expect_err("no sockets").to_string();
        assert!(fault.contains("such as 127.0.0.1:8080"), "{fault}");
    }
}
