//! The sockets that the server listens on: TCP, or a Unix socket, which has a file.
//!
//! A server that ended without cleaning up leaves the file of its socket behind. Such a file is replaced; one of a
//! running server, and one that is not a socket, are not. The file is removed when the listener closes, unless another
//! server has replaced it. A socket that systemd handed over belongs to systemd, with its file.

use std::fmt;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as BlockingUnixStream;
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, UnixListener, UnixSocket};

use super::limits::BACKLOG_MAX;
use super::proxies::Peer;
use super::stream::Stream;

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
        let path = text.strip_prefix(UNIX)?;
        Some(match path.len() {
            0 => Err(UnixPathFault::Empty),
            _ if path.starts_with('@') || path.contains('\0') => {
                Err(UnixPathFault::Abstract { found: path.chars().take(80).collect() })
            }
            found if found > PATH_BYTES_MAX => Err(UnixPathFault::Long { found }),
            _ => Ok(path.into()),
        })
    }

    pub fn tcp(&self) -> Option<SocketAddr> {
        match self {
            ListenAddress::Tcp(address) => Some(*address),
            ListenAddress::Unix(_) => None,
        }
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

/// The permissions of the file of a Unix socket. Who may write to it may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketMode(pub u32);

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("{0}")]
    System(#[from] io::Error),
    #[error("another server listens on it")]
    InUse,
    #[error("expected no file there, or a socket; found {found}; remove it")]
    NotASocket { found: &'static str },
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
    Unix {
        socket: UnixListener,
        /// `None` if the file belongs to systemd.
        _file: Option<SocketFile>,
    },
}

impl From<TcpListener> for Listener {
    fn from(socket: TcpListener) -> Listener {
        Listener { socket: ListeningSocket::Tcp(socket), expects_proxy_header: false }
    }
}

impl Listener {
    pub fn open(address: &ListenAddress, mode: SocketMode) -> Result<Listener, ListenError> {
        match address {
            ListenAddress::Tcp(address) => Ok(listen_tcp(*address)?.into()),
            ListenAddress::Unix(path) => listen_unix(path, mode),
        }
    }

    /// A socket that was opened by another program.
    pub fn adopt_tcp(socket: std::net::TcpListener) -> io::Result<Listener> {
        socket.set_nonblocking(true)?;
        Ok(TcpListener::from_std(socket)?.into())
    }

    /// A Unix socket that was opened by another program, which also removes its file.
    pub fn adopt_unix(socket: std::os::unix::net::UnixListener) -> io::Result<Listener> {
        socket.set_nonblocking(true)?;
        Ok(Listener::unix(UnixListener::from_std(socket)?, None))
    }

    fn unix(socket: UnixListener, file: Option<SocketFile>) -> Listener {
        let socket = ListeningSocket::Unix { socket, _file: file };
        Listener { socket, expects_proxy_header: false }
    }

    /// The address with the port that the system chose.
    pub fn address(&self) -> io::Result<ListenAddress> {
        match &self.socket {
            ListeningSocket::Tcp(socket) => socket.local_addr().map(ListenAddress::Tcp),
            ListeningSocket::Unix { socket, .. } => {
                let address = socket.local_addr()?;
                // A socket of systemd may have an abstract name.
                Ok(ListenAddress::Unix(address.as_pathname().unwrap_or(Path::new("@")).into()))
            }
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
            ListeningSocket::Unix { socket, .. } => {
                let (unix, _unnamed) = socket.accept().await?;
                Ok((Stream::Unix(unix), Peer::Unix))
            }
        }
    }
}

fn listen_tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Lets a restarted server bind while connections of the previous process are still closing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG_MAX)
}

fn listen_unix(path: &Path, mode: SocketMode) -> Result<Listener, ListenError> {
    remove_stale_socket(path)?;
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    let file = SocketFile::own(path)?;
    // Nobody can connect before `listen`, so nobody connects with other permissions than these.
    fs::set_permissions(path, Permissions::from_mode(mode.0))?;
    Ok(Listener::unix(socket.listen(BACKLOG_MAX)?, Some(file)))
}

/// Removes the socket of a server that has ended.
fn remove_stale_socket(path: &Path) -> Result<(), ListenError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if !metadata.file_type().is_socket() {
        return Err(ListenError::NotASocket { found: kind_of(&metadata) });
    }
    match BlockingUnixStream::connect(path) {
        Ok(_answered) => Err(ListenError::InUse),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            tracing::info!(path = %path.display(), "removing the socket of a server that has ended");
            Ok(fs::remove_file(path)?)
        }
        // It listens, and has a full queue.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(ListenError::InUse),
        Err(error) => Err(error.into()),
    }
}

fn kind_of(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else {
        "a file"
    }
}

/// The file of a socket, removed on drop if it is still this one.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
}

impl SocketFile {
    fn own(path: &Path) -> io::Result<SocketFile> {
        Ok(SocketFile { path: path.to_owned(), identity: identity(path)? })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove the socket's file");
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODE: SocketMode = SocketMode(0o660);

    fn open(path: &Path) -> Result<Listener, String> {
        let address = ListenAddress::Unix(path.to_owned());
        Listener::open(&address, MODE).map_err(|error| error.to_string())
    }

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
                (Some(Ok(path)), Some(Ok(expected))) => assert_eq!(path, Path::new(expected)),
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
    }

    #[tokio::test]
    async fn the_file_of_a_socket_lives_as_long_as_its_listener() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.sock");
        let listener = open(&path).expect("listens");
        assert_eq!(
            listener.address().expect("bound").to_string(),
            format!("unix:{}", path.display())
        );
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, MODE.0);
        assert_eq!(open(&path).expect_err("in use"), "another server listens on it");
        drop(listener);
        assert!(!path.exists(), "removed");
    }

    #[tokio::test]
    async fn only_the_socket_of_a_server_that_has_ended_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.sock");
        // The library leaves the file, as a server that is killed does.
        drop(std::os::unix::net::UnixListener::bind(&path).expect("listens"));
        assert!(path.exists());
        let listener = open(&path).expect("replaces it");
        // Another server replaced the file meanwhile: it stays.
        fs::remove_file(&path).expect("there");
        let other = open(&path).expect("listens");
        drop(listener);
        assert!(path.exists(), "the other's");
        drop(other);
        for (make, part) in [
            ((|path| fs::create_dir(path)) as fn(&Path) -> io::Result<()>, "found a folder"),
            (|path| fs::write(path, "kept"), "found a file"),
            (|path| std::os::unix::fs::symlink("/dev/null", path), "found a symbolic link"),
        ] {
            let path = folder.path().join(part.replace(' ', "-"));
            make(&path).expect("made");
            let fault = open(&path).expect_err(part);
            assert!(fault.contains(part) && fault.contains("remove it"), "{fault}");
            assert!(fs::symlink_metadata(&path).is_ok(), "kept");
        }
        let missing = open(&folder.path().join("none/d.sock")).expect_err("no folder");
        assert!(missing.contains("No such file"), "{missing}");
    }
}
