//! Unix sockets as the system has them.
//!
//! A server that ended without cleaning up leaves the file of its socket behind. Such a file is replaced; one of a
//! running server, and one that is not a socket, are not. The file is removed when the listener closes, unless another
//! server has replaced it or has taken over the socket. A socket that systemd handed over belongs to systemd, with its file.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
pub use std::os::unix::net::{
    UnixListener as HandedUnixListener, UnixStream as BlockingUnixStream,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use tokio::net::UnixStream;
use tokio::net::{UnixListener as Socket, UnixSocket};

use super::{ListenError, SocketMode};
use crate::server::limits::BACKLOG_MAX;
use crate::system::identity::FileIdentity;

/// A Unix socket that listens.
#[derive(Debug)]
pub struct UnixListener {
    socket: Socket,
    /// `None` if the file belongs to systemd.
    file: Option<Arc<SocketFile>>,
}

/// The path at which a socket listens; `None` for one without a file.
pub fn path_of(socket: &HandedUnixListener) -> Option<PathBuf> {
    socket.local_addr().ok()?.as_pathname().map(Path::to_owned)
}

impl UnixListener {
    pub fn open(path: &Path, mode: SocketMode) -> Result<UnixListener, ListenError> {
        remove_stale_socket(path)?;
        let socket = UnixSocket::new_stream()?;
        socket.bind(path)?;
        let file = SocketFile::own(path)?;
        // Nobody can connect before `listen`, so nobody connects with other permissions than these.
        fs::set_permissions(path, Permissions::from_mode(mode.0))?;
        Ok(UnixListener { socket: socket.listen(BACKLOG_MAX)?, file: Some(Arc::new(file)) })
    }

    /// A socket of the server before this one, which listens at this path. The file is that server's until
    /// [`SocketFile::take`].
    pub fn take_over(socket: HandedUnixListener, path: &Path) -> io::Result<UnixListener> {
        let (listener, file) = (UnixListener::adopt(socket)?, SocketFile::own(path)?);
        file.leave();
        Ok(UnixListener { file: Some(Arc::new(file)), ..listener })
    }

    /// A socket that was opened by another program, which also removes its file.
    pub fn adopt(socket: HandedUnixListener) -> io::Result<UnixListener> {
        socket.set_nonblocking(true)?;
        Ok(UnixListener { socket: Socket::from_std(socket)?, file: None })
    }

    /// The file, if this server removes it at its end.
    pub fn file(&self) -> Option<Arc<SocketFile>> {
        self.file.clone()
    }

    pub fn path(&self) -> io::Result<PathBuf> {
        let address = self.socket.local_addr()?;
        // A socket of systemd may have an abstract name.
        Ok(address.as_pathname().unwrap_or(Path::new("@")).into())
    }

    pub async fn accept(&self) -> io::Result<UnixStream> {
        let (stream, _unnamed) = self.socket.accept().await?;
        Ok(stream)
    }
}

impl AsFd for UnixListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
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
    identity: FileIdentity,
    /// Whether another server has the socket now.
    is_left: AtomicBool,
}

impl SocketFile {
    fn own(path: &Path) -> io::Result<SocketFile> {
        let identity = FileIdentity::of_name(path)?;
        Ok(SocketFile { path: path.to_owned(), identity, is_left: AtomicBool::new(false) })
    }

    /// Takes the file of a socket that was taken over.
    pub fn take(&self) {
        self.is_left.store(false, Relaxed);
    }

    /// Leaves the file to a server that has taken over the socket.
    pub fn leave(&self) {
        self.is_left.store(true, Relaxed);
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if !self.is_left.load(Relaxed)
            && FileIdentity::of_name(&self.path).is_ok_and(|found| found == self.identity)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove the socket's file");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODE: SocketMode = SocketMode(0o660);

    fn open(path: &Path) -> Result<UnixListener, String> {
        UnixListener::open(path, MODE).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_file_of_a_socket_lives_as_long_as_its_listener() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.sock");
        let listener = open(&path).expect("listens");
        assert_eq!(listener.path().expect("bound"), path);
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, MODE.0);
        assert_eq!(open(&path).expect_err("in use"), "another server listens on it");
        drop(listener);
        assert!(!path.exists(), "removed");
    }

    #[tokio::test]
    async fn a_server_that_takes_over_a_socket_removes_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.sock");
        let first = open(&path).expect("listens");
        let handle = first.as_fd().try_clone_to_owned().expect("a handle");
        let second = UnixListener::take_over(handle.into(), &path).expect("the same socket");
        drop(second);
        assert!(path.exists(), "the second has not taken the file");
        let handle = first.as_fd().try_clone_to_owned().expect("a handle");
        let second = UnixListener::take_over(handle.into(), &path).expect("the same socket");
        second.file().expect("its own").take();
        first.file().expect("its own").leave();
        drop(first);
        assert!(path.exists(), "left to the second");
        BlockingUnixStream::connect(&path).expect("it still listens");
        drop(second);
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
