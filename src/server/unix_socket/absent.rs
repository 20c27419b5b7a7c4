//! The types of Unix sockets on a system without them: they have no values, so that none of their code can run.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{ListenError, SocketMode};

#[derive(Debug)]
pub enum UnixListener {}

#[derive(Debug)]
pub enum HandedUnixListener {}

#[derive(Debug)]
pub enum SocketFile {}

#[derive(Debug)]
pub enum UnixStream {}

#[derive(Debug)]
pub enum BlockingUnixStream {}

impl UnixListener {
    pub fn open(_path: &Path, _mode: SocketMode) -> Result<UnixListener, ListenError> {
        Err(io::Error::from(io::ErrorKind::Unsupported).into())
    }

    pub fn adopt(socket: HandedUnixListener) -> io::Result<UnixListener> {
        match socket {}
    }

    pub fn take_over(socket: HandedUnixListener, _path: &Path) -> io::Result<UnixListener> {
        match socket {}
    }

    pub fn file(&self) -> Option<Arc<SocketFile>> {
        match *self {}
    }

    pub fn path(&self) -> io::Result<PathBuf> {
        match *self {}
    }

    pub async fn accept(&self) -> io::Result<UnixStream> {
        match *self {}
    }
}

pub fn path_of(socket: &HandedUnixListener) -> Option<PathBuf> {
    match *socket {}
}

impl HandedUnixListener {
    pub fn try_clone(&self) -> io::Result<HandedUnixListener> {
        match *self {}
    }
}

impl SocketFile {
    pub fn take(&self) {
        match *self {}
    }

    pub fn leave(&self) {
        match *self {}
    }
}

impl UnixStream {
    pub fn try_read(&self, _buffer: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }

    pub fn try_write(&self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl AsyncRead for UnixStream {
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        _buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match *self {}
    }
}

impl AsyncWrite for UnixStream {
    fn poll_write(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        _bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match *self {}
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match *self {}
    }
}

impl BlockingUnixStream {
    pub fn connect(_path: &Path) -> io::Result<BlockingUnixStream> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn set_read_timeout(&self, _time: Option<Duration>) -> io::Result<()> {
        match *self {}
    }

    pub fn set_write_timeout(&self, _time: Option<Duration>) -> io::Result<()> {
        match *self {}
    }
}

impl io::Read for BlockingUnixStream {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

impl io::Write for BlockingUnixStream {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}
