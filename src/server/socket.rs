//! The byte stream of one connection, as hyper reads and writes it.
//!
//! hyper itself answers a malformed or oversized head, with an empty body; [`Socket`] replaces that by the
//! service's answer. It cannot if hyper writes that together with a pipelined answer, or on HTTP/2 (reset, or 431
//! alone).

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use memchr::memchr_iter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::connection::{Connection, Leave};
use super::frames::{Frames, Reason};
use super::limits::{HEAD_BYTES_MAX, HEADERS_MAX, LINGER_BYTES_MAX, UNCOUNTED_BYTES_MAX};
use super::preface::{FirstBytes, Protocol};
use super::refusal::{Refusal, response_bytes};
use super::service::Service;

/// Up to this size, head and body are copied into one write: cheaper than a gathered write.
const JOINED_BYTES_MAX: usize = 4 * 1024;

/// Most reads on a connection that ends, so that no data of the client stays in the socket.
const LAST_READS_MAX: usize = 16;

thread_local! {
    static JOINED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug)]
pub struct Socket<S> {
    tcp: TcpStream,
    /// Bytes that were read before this socket was made.
    first: FirstBytes,
    connection: Arc<Connection>,
    service: Arc<S>,
    /// Number of requests when the current head began.
    head_of: u32,
    /// Lines and bytes of that head read so far.
    lines: usize,
    head_bytes: usize,
    /// `None` on HTTP/1.1.
    frames: Option<Box<Frames>>,
    /// The unsent rest of our body, which replaces hyper's empty one.
    replacement: Bytes,
    shut: bool,
    lingered: usize,
}

impl<S: Service> Socket<S> {
    pub fn over(
        tcp: TcpStream,
        (protocol, first): (Protocol, FirstBytes),
        connection: Arc<Connection>,
        service: Arc<S>,
    ) -> Socket<S> {
        let frames = (protocol == Protocol::Http2).then(|| Box::new(Frames::begin()));
        Socket {
            tcp,
            first,
            frames,
            connection,
            service,
            head_of: 0,
            lines: 0,
            head_bytes: 0,
            replacement: Bytes::new(),
            shut: false,
            lingered: 0,
        }
    }

    /// Counts the bytes that the client sent; fails if it floods with frames that request nothing.
    fn note_read(&mut self, fresh: &[u8]) -> io::Result<()> {
        if fresh.is_empty() {
            return Ok(());
        }
        let requests = self.connection.requests.load(Relaxed);
        if requests != self.head_of {
            (self.head_of, self.lines, self.head_bytes) = (requests, 0, 0);
        }
        self.connection.head_begun.store(true, Relaxed);
        let head_bytes = match &mut self.frames {
            None => {
                self.lines += memchr_iter(b'\n', fresh).count();
                self.head_bytes += fresh.len();
                self.head_bytes
            }
            Some(frames) => {
                if frames.note_read(fresh, self.connection.looks.load(Relaxed)) {
                    self.connection.ask_to_leave(Leave::Flood);
                    self.connection.metrics.connections_cut.fetch_add(1, Relaxed);
                    return Err(io::Error::other("too many frames without a request"));
                }
                frames.head_bytes()
            }
        };
        if head_bytes > UNCOUNTED_BYTES_MAX {
            self.connection.hold_head();
        }
        Ok(())
    }

    /// Counts the written part of `bytes`, and records whether the write blocked.
    fn note_write(&mut self, result: &Poll<io::Result<usize>>, bytes: &[io::IoSlice<'_>]) {
        match result {
            Poll::Ready(written) => {
                let count = self.connection.written.load(Relaxed);
                self.connection.written.store(count.wrapping_add(1), Relaxed);
                if let (Some(frames), Ok(written)) = (&mut self.frames, written) {
                    let mut left = *written;
                    for slice in bytes {
                        let passed = left.min(slice.len());
                        frames.note_written(&slice[..passed]);
                        left -= passed;
                    }
                }
            }
            Poll::Pending => self.connection.write_blocked.store(true, Relaxed),
        }
    }

    /// If `bytes` is an answer that hyper made itself, keeps ours for [`Self::send_rest`].
    fn replace(&mut self, bytes: &[u8]) -> bool {
        if !bytes.starts_with(b"HTTP/1.1 4") {
            return false;
        }
        let Some(refusal) = refusal(bytes, self.lines, self.head_bytes) else { return false };
        self.replacement = response_bytes(&self.service.refuse(refusal)).into();
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        true
    }

    fn send_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.replacement.has_remaining() {
            let sent = Pin::new(&mut self.tcp).poll_write(context, &self.replacement);
            self.note_write(&sent, &[]);
            match ready!(sent)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.replacement.advance(count),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads until the client closes or [`LINGER_BYTES_MAX`] are read; the watch bounds the time.
    fn read_to_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.lingering.store(true, Relaxed);
        let mut waste = [0; 4096];
        while self.lingered < LINGER_BYTES_MAX {
            let mut waste = ReadBuf::new(&mut waste);
            ready!(Pin::new(&mut self.tcp).poll_read(context, &mut waste))?;
            match waste.filled().len() {
                0 => break,
                count => self.lingered += count,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Service> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.first.is_empty() {
            ready!(Pin::new(&mut self.tcp).poll_read(context, buffer))?;
        } else {
            self.first.give(buffer);
            if buffer.remaining() > 0
                && let Poll::Ready(read) = Pin::new(&mut self.tcp).poll_read(context, buffer)
            {
                read?;
            }
        }
        Poll::Ready(self.note_read(&buffer.filled()[before..]))
    }
}

impl<S: Service> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.send_rest(context))?;
        if self.replace(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let result = Pin::new(&mut self.tcp).poll_write(context, bytes);
        self.note_write(&result, &[io::IoSlice::new(bytes)]);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.send_rest(context))?;
        if let [only] = slices
            && self.replace(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        let result = if bytes <= JOINED_BYTES_MAX {
            JOINED.with_borrow_mut(|joined| {
                joined.clear();
                for slice in slices {
                    joined.extend_from_slice(slice);
                }
                Pin::new(&mut self.tcp).poll_write(context, joined)
            })
        } else {
            Pin::new(&mut self.tcp).poll_write_vectored(context, slices)
        };
        self.note_write(&result, slices);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_rest(context))?;
        // hyper flushes when its own buffer is empty, so no write is blocked.
        self.connection.write_blocked.store(false, Relaxed);
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_rest(context))?;
        if !self.shut {
            ready!(Pin::new(&mut self.tcp).poll_shutdown(context))?;
            self.shut = true;
        }
        if self.connection.linger.load(Relaxed) {
            return self.read_to_end(context);
        }
        Poll::Ready(Ok(()))
    }
}

/// Sends an HTTP/2 client the reason in GOAWAY, if the socket accepts it at once.
impl<S> Drop for Socket<S> {
    fn drop(&mut self) {
        let (Some(frames), Some(left)) = (&self.frames, self.connection.left()) else { return };
        let reason = match left {
            Leave::ForAnother => Reason::NoError,
            Leave::ForMemory | Leave::Flood | Leave::TimeOver => Reason::EnhanceYourCalm,
        };
        let Some(goaway) = frames.goaway(reason) else { return };
        // Ignore errors: the client is gone or its socket is full.
        let _ = self.tcp.try_write(&goaway);
        // Unread data would make the system reset the connection, and the client lose the frame.
        let mut waste = [0; 4096];
        for _ in 0..LAST_READS_MAX {
            if !matches!(self.tcp.try_read(&mut waste), Ok(count) if count > 0) {
                break;
            }
        }
    }
}

/// The refusal behind an answer that hyper made itself: hyper's has no body, ours always have one. `lines` and
/// `bytes` are those read of its head.
fn refusal(answer: &[u8], lines: usize, bytes: usize) -> Option<Refusal> {
    let head = std::str::from_utf8(answer).ok()?;
    if !head.contains("\r\ncontent-length: 0\r\n") || !head.ends_with("\r\n\r\n") {
        return None;
    }
    match head.get(9..12)? {
        "400" => Some(Refusal::MalformedHead),
        "414" => Some(Refusal::TargetTooLong),
        "431" if lines == 0 => Some(Refusal::TargetTooLong),
        // The head is not large: its Content-Length exceeds what can be counted.
        "431" if lines <= HEADERS_MAX && bytes < HEAD_BYTES_MAX => Some(Refusal::MalformedHead),
        "431" => Some(Refusal::HeadersTooLarge),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_that_hyper_generates_are_replaced() {
        #[track_caller]
        fn check(answer: &str, lines: usize, bytes: usize, expected: Option<Refusal>) {
            assert_eq!(refusal(answer.as_bytes(), lines, bytes), expected, "{answer:?}");
        }
        let end = "connection: close\r\n\r\n";
        let empty = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n{end}");
        let large = empty("431 Request Header Fields Too Large");
        check(&empty("400 Bad Request"), 1, 20, Some(Refusal::MalformedHead));
        check(&large, HEADERS_MAX + 1, 700, Some(Refusal::HeadersTooLarge));
        check(&large, 2, HEAD_BYTES_MAX, Some(Refusal::HeadersTooLarge));
        check(&large, 3, 70, Some(Refusal::MalformedHead));
        check(&large, 0, HEAD_BYTES_MAX, Some(Refusal::TargetTooLong));
        check(&empty("414 URI Too Long"), 1, 20, Some(Refusal::TargetTooLong));
        check(&empty("404 Not Found"), 1, 20, None);
        check("HTTP/1.1 400 Bad Request\r\ncontent-length: 12\r\n\r\n", 1, 20, None);
        check("HTTP/1.1 400 Bad Request\r\n", 1, 20, None);
        check("HTTP/1.1 4", 1, 20, None);
    }
}
