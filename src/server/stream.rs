//! The bytes of an accepted connection: in clear text over TCP or a Unix socket, or through TLS where the server has a
//! certificate.
//!
//! At an address with TLS, the first byte tells a client that speaks TLS from one that does not; the latter is answered
//! in clear text. What rustls holds of an answer is bounded, so that a client that reads nothing is noticed.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::limits::LINGER_TIME_MAX;
use super::unix_socket::UnixStream;

/// Most bytes of answers that rustls holds before the system has taken them.
const TLS_UNSENT_BYTES_MAX: usize = 16 * 1024;

/// The first byte of a TLS connection: a record of the type handshake.
const HANDSHAKE: u8 = 22;

/// Most reads on a connection that ends, so that no data of the client stays in the socket.
const LAST_READS_MAX: usize = 16;

#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    /// Always in clear text: both ends are on this machine.
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Sends a refusal in clear text and lingers, so that a reset does not discard it.
pub async fn send_refusal(mut stream: Stream, answer: &[u8]) {
    let send_and_linger = async {
        stream.write_all(answer).await?;
        stream.shutdown().await?;
        let mut waste = [0; 1024];
        while stream.read(&mut waste).await? > 0 {}
        Ok::<(), io::Error>(())
    };
    // Ignore whether the client read it.
    let _ = tokio::time::timeout(LINGER_TIME_MAX, send_and_linger).await;
}

/// Whether the client begins with TLS; `None` if it disconnects first. Takes no byte from the socket.
pub async fn begins_with_tls(tcp: &TcpStream) -> Option<bool> {
    let mut first = [0];
    let count = tcp.peek(&mut first).await.ok()?;
    (count > 0).then_some(first == [HANDSHAKE])
}

impl Stream {
    /// Agrees on keys with the client. Fails if it disconnects, breaks the protocol or accepts none of our ciphers.
    pub async fn accept_tls(tcp: TcpStream, config: Arc<ServerConfig>) -> io::Result<Stream> {
        let set_limit = |session: &mut rustls::ServerConnection| {
            session.set_buffer_limit(Some(TLS_UNSENT_BYTES_MAX));
        };
        let stream = TlsAcceptor::from(config).accept_with(tcp, set_limit).await?;
        Ok(Stream::Tls(Box::new(stream)))
    }

    pub fn is_tls(&self) -> bool {
        matches!(self, Stream::Tls(_))
    }

    /// Sends these last bytes if the socket accepts them at once, and discards what the client sent. Unread data would
    /// make the system reset the connection, and the client lose the bytes.
    pub fn send_last(&mut self, bytes: &[u8]) {
        // Ignore errors: the client is gone or its socket is full.
        match self {
            Stream::Tcp(tcp) => drop(tcp.try_write(bytes)),
            Stream::Unix(unix) => drop(unix.try_write(bytes)),
            Stream::Tls(stream) => {
                let (tcp, session) = stream.get_mut();
                let _ = session.writer().write_all(bytes);
                while session.wants_write()
                    && session.write_tls(&mut AtOnce(tcp)).is_ok_and(|count| count > 0)
                {
                }
            }
        }
        let mut waste = [0; 4096];
        for _ in 0..LAST_READS_MAX {
            if !matches!(self.try_read_raw(&mut waste), Ok(count) if count > 0) {
                break;
            }
        }
    }

    /// Reads bytes of the socket itself, which may be encrypted.
    fn try_read_raw(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(tcp) => tcp.try_read(buffer),
            Stream::Unix(unix) => unix.try_read(buffer),
            Stream::Tls(stream) => stream.get_ref().0.try_read(buffer),
        }
    }
}

/// Writes what the socket accepts at once.
struct AtOnce<'s>(&'s TcpStream);

impl Write for AtOnce<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_read(context, buffer),
            Stream::Unix(unix) => Pin::new(unix).poll_read(context, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_write(context, bytes),
            Stream::Unix(unix) => Pin::new(unix).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_write_vectored(context, slices),
            Stream::Unix(unix) => Pin::new(unix).poll_write_vectored(context, slices),
            Stream::Tls(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Stream::Tcp(tcp) => tcp.is_write_vectored(),
            Stream::Unix(unix) => unix.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_flush(context),
            Stream::Unix(unix) => Pin::new(unix).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Tcp(tcp) => Pin::new(tcp).poll_shutdown(context),
            Stream::Unix(unix) => Pin::new(unix).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
