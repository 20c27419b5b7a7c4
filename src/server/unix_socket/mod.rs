//! Unix sockets: those that the server listens on, with their files, and connections to them.
//!
//! Windows has none that the libraries support. There the types exist without values, so that the code for sockets is
//! the same; an option that names a Unix socket is refused before (see [`EXIST`]).

#[cfg(windows)]
mod absent;
#[cfg(unix)]
mod present;

use std::io;

#[cfg(windows)]
pub use absent::{
    BlockingUnixStream, HandedUnixListener, SocketFile, UnixListener, UnixStream, path_of,
};
#[cfg(unix)]
pub use present::{
    BlockingUnixStream, HandedUnixListener, SocketFile, UnixListener, UnixStream, path_of,
};

/// Whether this system has Unix sockets.
pub const EXIST: bool = cfg!(unix);

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
