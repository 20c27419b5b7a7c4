//! The stream of bytes of one connection, as hyper reads and writes it.
//!
//! hyper answers a malformed or oversized head by itself, with an empty body; [`Socket`] puts the service's answer in
//! its place. Not where that leaves in one write behind a pipelined answer, nor on HTTP/2 (reset, or 431 alone).

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::connection::Connection;
use super::limits::LINGER_BYTES_MAX;
use super::preface::FirstBytes;
use super::refusal::{Refusal, response_bytes};
use super::service::Service;

/// Head and body of so many bytes are sent as one: copying costs less than a gathered write.
const JOINED_BYTES_MAX: usize = 4 * 1024;

thread_local! {
    static JOINED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug)]
pub struct Socket<S> {
    tcp: TcpStream,
    /// What was read of the client before this was made.
    first: FirstBytes,
    connection: Arc<Connection>,
    service: Arc<S>,
    /// The number of requests when the head that is now being read began.
    head_of: u32,
    /// Whether that head's first line is complete.
    line_ended: bool,
    /// Our body in the place of hyper's empty one, as far as it is not sent yet.
    replacement: Bytes,
    shut: bool,
    lingered: usize,
}

impl<S: Service> Socket<S> {
    pub fn over(
        tcp: TcpStream,
        first: FirstBytes,
        connection: Arc<Connection>,
        service: Arc<S>,
    ) -> Socket<S> {
        Socket {
            tcp,
            first,
            connection,
            service,
            head_of: 0,
            line_ended: false,
            replacement: Bytes::new(),
            shut: false,
            lingered: 0,
        }
    }

    fn note_read(&mut self, fresh: &[u8]) {
        if fresh.is_empty() {
            return;
        }
        let requests = self.connection.requests.load(Relaxed);
        if requests != self.head_of {
            (self.head_of, self.line_ended) = (requests, false);
        }
        self.line_ended = self.line_ended || fresh.contains(&b'\n');
        self.connection.head_begun.store(true, Relaxed);
    }

    fn note_write<T>(&self, result: &Poll<io::Result<T>>) {
        match result {
            Poll::Ready(_) => {
                let written = self.connection.written.load(Relaxed);
                self.connection.written.store(written.wrapping_add(1), Relaxed);
            }
            Poll::Pending => self.connection.write_blocked.store(true, Relaxed),
        }
    }

    /// Where `bytes` is an answer that hyper made by itself: keeps ours for [`Self::send_rest`].
    fn replace(&mut self, bytes: &[u8]) -> bool {
        if !bytes.starts_with(b"HTTP/1.1 4") {
            return false;
        }
        let Some(refusal) = refusal(bytes, self.line_ended) else { return false };
        self.replacement = response_bytes(&self.service.refuse(refusal)).into();
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        true
    }

    fn send_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.replacement.has_remaining() {
            let sent = Pin::new(&mut self.tcp).poll_write(context, &self.replacement);
            self.note_write(&sent);
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
        self.note_read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
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
        self.note_write(&result);
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
        self.note_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.send_rest(context))?;
        // hyper flushes when its own buffer is empty: nothing is blocked any more.
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

/// What an answer of hyper's own refuses: it has no body, and ours always have one.
fn refusal(answer: &[u8], line_ended: bool) -> Option<Refusal> {
    let head = std::str::from_utf8(answer).ok()?;
    if !head.contains("\r\ncontent-length: 0\r\n") || !head.ends_with("\r\n\r\n") {
        return None;
    }
    match head.get(9..12)? {
        "400" => Some(Refusal::MalformedHead),
        "431" if line_ended => Some(Refusal::HeadersTooLarge),
        "414" | "431" => Some(Refusal::TargetTooLong),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hypers_own_answers_and_no_others_are_replaced() {
        #[track_caller]
        fn check(answer: &str, line_ended: bool, expected: Option<Refusal>) {
            assert_eq!(refusal(answer.as_bytes(), line_ended), expected, "{answer:?}");
        }
        let end = "connection: close\r\n\r\n";
        let empty = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n{end}");
        check(&empty("400 Bad Request"), true, Some(Refusal::MalformedHead));
        check(&empty("431 Request Header Fields Too Large"), true, Some(Refusal::HeadersTooLarge));
        check(&empty("431 Request Header Fields Too Large"), false, Some(Refusal::TargetTooLong));
        check(&empty("414 URI Too Long"), true, Some(Refusal::TargetTooLong));
        check(&empty("404 Not Found"), true, None);
        check("HTTP/1.1 400 Bad Request\r\ncontent-length: 12\r\n\r\n", true, None);
        check("HTTP/1.1 400 Bad Request\r\n", true, None);
        check("HTTP/1.1 4", true, None);
    }
}
