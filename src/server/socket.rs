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
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::{CloseReason, Connection};
use super::frames::{FirstBytes, FrameCounter, GoawayReason, Protocol};
use super::http1::answer::refusal_bytes;
use super::limits::{
    HEAD_BYTES_MAX, HEADERS_MAX, LINGER_BYTES_MAX, TURN_BYTES_MAX, UNCOUNTED_BYTES_MAX,
};
use super::service::{HttpService, Refusal};
use super::stream::Stream;

/// Up to this size, head and body are copied into one write: cheaper than a gathered write.
const JOINED_BYTES_MAX: usize = 4 * 1024;

thread_local! {
    static JOINED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug)]
pub struct Socket<S> {
    stream: Stream,
    /// Bytes that were read before this socket was made.
    first_bytes: FirstBytes,
    /// Bytes that were read through this socket and are read again.
    unread: Bytes,
    connection: Arc<Connection>,
    service: Arc<S>,
    /// Number of requests when the current head began.
    requests_before_head: u32,
    /// Lines and bytes of that head read so far.
    head_lines: usize,
    head_bytes: usize,
    /// `None` on HTTP/1.1.
    frames: Option<Box<FrameCounter>>,
    /// The unsent rest of our refusal, which replaces hyper's answer.
    replacement: Bytes,
    is_shut_down: bool,
    /// Bytes read and discarded since then.
    lingered_bytes: usize,
}

impl<S: HttpService> Socket<S> {
    pub fn new(
        stream: Stream,
        protocol: Protocol,
        first_bytes: FirstBytes,
        connection: Arc<Connection>,
        service: Arc<S>,
    ) -> Socket<S> {
        let frames = (protocol == Protocol::Http2).then(Box::<FrameCounter>::default);
        Socket {
            stream,
            first_bytes,
            unread: Bytes::new(),
            connection,
            service,
            requests_before_head: 0,
            head_lines: 0,
            head_bytes: 0,
            frames,
            replacement: Bytes::new(),
            is_shut_down: false,
            lingered_bytes: 0,
        }
    }

    /// Makes these bytes, which were read last, the first that are read next.
    pub fn read_again(&mut self, bytes: Bytes) {
        self.unread = bytes;
    }

    /// Counts the bytes that the client sent; fails if it floods with frames that request nothing.
    fn record_read(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.connection.count_turn_bytes(bytes.len());
        let requests = self.connection.requests.load(Relaxed);
        if requests != self.requests_before_head {
            (self.requests_before_head, self.head_lines, self.head_bytes) = (requests, 0, 0);
        }
        self.connection.head_begun.store(true, Relaxed);
        let head_bytes = match &mut self.frames {
            None => {
                self.head_lines += count_lines(bytes);
                self.head_bytes += bytes.len();
                self.head_bytes
            }
            Some(frames) => {
                frames.record_read(bytes, self.connection.checks.load(Relaxed));
                if frames.is_flood() {
                    self.connection.request_close(CloseReason::FrameFlood);
                    self.connection.metrics.connections_cut.fetch_add(1, Relaxed);
                    return Err(io::Error::other("too many frames without a request"));
                }
                frames.head_bytes()
            }
        };
        if head_bytes > UNCOUNTED_BYTES_MAX {
            self.connection.charge_long_head();
        }
        Ok(())
    }

    /// Ready while this turn of the connection may move more bytes; else it wakes itself for the next.
    fn poll_turn(&self, context: &mut Context<'_>) -> Poll<()> {
        if !self.connection.is_turn_over() {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Counts the written part of `slices`, and records whether the write blocked.
    fn record_write(&mut self, result: &Poll<io::Result<usize>>, slices: &[io::IoSlice<'_>]) {
        match result {
            Poll::Ready(written) => {
                let writes = self.connection.writes.load(Relaxed);
                self.connection.writes.store(writes.wrapping_add(1), Relaxed);
                self.connection.count_turn_bytes(*written.as_ref().unwrap_or(&0));
                if let (Some(frames), Ok(written)) = (&mut self.frames, written) {
                    let mut rest = *written;
                    for slice in slices {
                        let length = rest.min(slice.len());
                        frames.record_written(&slice[..length]);
                        rest -= length;
                    }
                }
            }
            Poll::Pending => self.connection.write_blocked.store(true, Relaxed),
        }
    }

    /// If `bytes` is an answer that hyper made itself, keeps ours for [`Self::poll_send_replacement`].
    fn replace_refusal(&mut self, bytes: &[u8]) -> bool {
        if !bytes.starts_with(b"HTTP/1.1 4") {
            return false;
        }
        let Some(refusal) = refusal_by_hyper(bytes, self.head_lines, self.head_bytes) else {
            return false;
        };
        self.replacement = refusal_bytes(self.service.refuse(refusal)).into();
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        true
    }

    fn poll_send_replacement(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.replacement.has_remaining() {
            let sent = Pin::new(&mut self.stream).poll_write(context, &self.replacement);
            self.record_write(&sent, &[]);
            match ready!(sent)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.replacement.advance(count),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads until the client closes or [`LINGER_BYTES_MAX`] are read; the watchdog bounds the time.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.lingering.store(true, Relaxed);
        let mut waste = [0; 4096];
        while self.lingered_bytes < LINGER_BYTES_MAX {
            let mut waste = ReadBuf::new(&mut waste);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut waste))?;
            match waste.filled().len() {
                0 => break,
                count => self.lingered_bytes += count,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: HttpService> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.unread.is_empty() {
            let count = self.unread.len().min(buffer.remaining());
            buffer.put_slice(&self.unread.split_to(count));
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        if self.first_bytes.is_empty() {
            ready!(self.poll_turn(context));
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        } else {
            self.first_bytes.read_into(buffer);
            if buffer.remaining() > 0
                && let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer)
            {
                read?;
            }
        }
        Poll::Ready(self.record_read(&buffer.filled()[before..]))
    }
}

impl<S: HttpService> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send_replacement(context))?;
        if self.replace_refusal(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(self.poll_turn(context));
        let bytes = &bytes[..bytes.len().min(TURN_BYTES_MAX)];
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.record_write(&result, &[io::IoSlice::new(bytes)]);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send_replacement(context))?;
        if let [only] = slices
            && self.replace_refusal(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        ready!(self.poll_turn(context));
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        if bytes > TURN_BYTES_MAX {
            let first = first_bytes(slices, TURN_BYTES_MAX);
            let result = Pin::new(&mut self.stream).poll_write_vectored(context, &first);
            self.record_write(&result, &first);
            return result;
        }
        let result = if bytes <= JOINED_BYTES_MAX {
            JOINED.with_borrow_mut(|joined| {
                joined.clear();
                for slice in slices {
                    joined.extend_from_slice(slice);
                }
                Pin::new(&mut self.stream).poll_write(context, joined)
            })
        } else {
            Pin::new(&mut self.stream).poll_write_vectored(context, slices)
        };
        self.record_write(&result, slices);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send_replacement(context))?;
        // hyper flushes when its own buffer is empty, so only bytes that TLS holds may still be blocked.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.connection.write_blocked.store(flushed.is_pending(), Relaxed);
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send_replacement(context))?;
        if !self.is_shut_down {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_shut_down = true;
        }
        if self.connection.linger_on_close.load(Relaxed) {
            return self.poll_linger(context);
        }
        Poll::Ready(Ok(()))
    }
}

/// The ends of lines among some bytes. Each group is counted in a byte, so that the compiler compares many bytes at once.
fn count_lines(bytes: &[u8]) -> usize {
    let in_group = |group: &[u8]| group.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    bytes.chunks(u8::MAX.into()).map(|group| usize::from(in_group(group))).sum()
}

/// The first bytes of some slices.
fn first_bytes<'s>(slices: &'s [io::IoSlice<'_>], mut bytes: usize) -> Vec<io::IoSlice<'s>> {
    let mut first = Vec::with_capacity(slices.len());
    for slice in slices {
        let part = &slice[..slice.len().min(bytes)];
        bytes -= part.len();
        first.push(io::IoSlice::new(part));
    }
    first
}

/// Sends an HTTP/2 client the reason in GOAWAY, if the socket accepts it at once.
impl<S> Drop for Socket<S> {
    fn drop(&mut self) {
        let Some(frames) = &self.frames else { return };
        let Some(close_reason) = self.connection.close_reason() else { return };
        let reason = match close_reason {
            CloseReason::MakeRoom => GoawayReason::NoError,
            CloseReason::MemoryLimit | CloseReason::FrameFlood | CloseReason::TimedOut => {
                GoawayReason::EnhanceYourCalm
            }
        };
        let Some(goaway) = frames.goaway(reason) else { return };
        self.stream.send_last(&goaway);
    }
}

/// Why hyper refused a request, if it made this answer itself: hyper's has no body, ours always have one. The lines
/// and bytes are those read of the request's head.
fn refusal_by_hyper(answer: &[u8], head_lines: usize, head_bytes: usize) -> Option<Refusal> {
    let answer = std::str::from_utf8(answer).ok()?;
    if !answer.contains("\r\ncontent-length: 0\r\n") || !answer.ends_with("\r\n\r\n") {
        return None;
    }
    match answer.get(9..12)? {
        "400" => Some(Refusal::MalformedHead),
        "414" => Some(Refusal::TargetTooLong),
        "431" if head_lines == 0 => Some(Refusal::TargetTooLong),
        // The head is not large: its Content-Length exceeds what can be counted.
        "431" if head_lines <= HEADERS_MAX && head_bytes < HEAD_BYTES_MAX => {
            Some(Refusal::MalformedHead)
        }
        "431" => Some(Refusal::HeadersTooLarge),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_is_counted() {
        for (bytes, expected) in [
            (Vec::new(), 0),
            (b"GET / HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(), 3),
            (b"\r".repeat(300), 0),
            (b"\n".repeat(254), 254),
            (b"\n".repeat(255), 255),
            (b"\n".repeat(256), 256),
            (b"a\n".repeat(1_000), 1_000),
        ] {
            assert_eq!(count_lines(&bytes), expected, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn only_answers_that_hyper_generates_are_replaced() {
        #[track_caller]
        fn check(answer: &str, lines: usize, bytes: usize, expected: Option<Refusal>) {
            assert_eq!(refusal_by_hyper(answer.as_bytes(), lines, bytes), expected, "{answer:?}");
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
