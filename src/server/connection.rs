//! One connection: who is at the other end, what it is doing, and for how long it may.
//!
//! [`Socket`] is the byte stream that hyper reads and writes. It notes progress in [`Connection`]
//! with plain atomics; [`Watch`] looks at them a few times per time-out and says when to close. So
//! no request sets a timer, and the time before the first byte of a protocol is bounded too.
//!
//! hyper answers a malformed or oversized head by itself, with an empty body. [`Socket`] puts our
//! error body in its place, so that every error of the server has the same shape. (Not where that
//! answer leaves in one write behind an earlier, pipelined one; then the body stays empty. Nor on
//! HTTP/2, where such a stream is reset or answered 431 without a body.)

use std::cell::RefCell;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::limits::{
    HEAD_BYTES_MAX, HEADERS_MAX, LINGER_BYTES_MAX, LINGER_TIME_MAX, TARGET_BYTES_MAX, Timeouts,
};
use super::metrics::Metrics;
use crate::api::error::{ApiError, Code};
use crate::text::codes::ApiVersion;

/// What an address that the server listens on leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// The API and the dashboard.
    Both,
    /// The API alone: the dashboard has an address of its own.
    Api,
    /// The dashboard alone.
    Dashboard,
}

impl Door {
    /// Whether the dashboard is here.
    pub fn opens_dashboard(self) -> bool {
        self != Door::Api
    }

    /// Whether the API is here.
    pub fn opens_api(self) -> bool {
        self != Door::Dashboard
    }
}

/// Head and body of so many bytes together are sent as one: to copy them costs less than the kernel's
/// way to gather them.
const JOINED_BYTES_MAX: usize = 4 * 1024;

thread_local! {
    /// Where they are joined.
    static JOINED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What is known of one connection, shared by its socket, its watch and its requests.
#[derive(Debug)]
pub struct Connection {
    /// Its number, from 1; part of every request id.
    pub number: u64,
    /// The peer; an IPv4 address mapped into IPv6 is given as IPv4.
    pub remote: IpAddr,
    /// The same as text, formatted once.
    pub remote_text: Box<str>,
    /// The server's counters.
    pub metrics: Arc<Metrics>,
    /// What may be asked here.
    pub door: Door,
    requests: AtomicU32,
    waiting: AtomicU32,
    pieces: AtomicU32,
    head_begun: AtomicBool,
    written: AtomicU32,
    write_blocked: AtomicBool,
    http2: AtomicBool,
    lingering: AtomicBool,
    linger: AtomicBool,
}

impl Connection {
    /// A connection that was just accepted.
    pub fn open(number: u64, remote: IpAddr, door: Door, metrics: Arc<Metrics>) -> Connection {
        let remote = remote.to_canonical();
        metrics.connections.fetch_add(1, Relaxed);
        Connection {
            number,
            remote,
            remote_text: remote.to_string().into(),
            metrics,
            door,
            requests: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            pieces: AtomicU32::new(0),
            head_begun: AtomicBool::new(false),
            written: AtomicU32::new(0),
            write_blocked: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            lingering: AtomicBool::new(false),
            linger: AtomicBool::new(false),
        }
    }

    /// Notes that a request's head is complete; gives its number, from 1.
    pub fn begin_request(&self, version: hyper::Version) -> u32 {
        if version == hyper::Version::HTTP_2 {
            self.http2.store(true, Relaxed);
        }
        self.head_begun.store(false, Relaxed);
        // Only the connection's own task begins requests: no other writes in between.
        let number = self.requests.load(Relaxed).wrapping_add(1);
        self.requests.store(number, Relaxed);
        number
    }

    /// Notes that a request waits for its body or for work on it, until the returned value is
    /// dropped: with an answer, or because the client went away.
    pub fn wait(self: &Arc<Connection>) -> Waiting {
        self.waiting.fetch_add(1, Relaxed);
        self.metrics.waiting.fetch_add(1, Relaxed);
        Waiting(Arc::clone(self))
    }

    /// Notes that a piece of an answer could be handed over.
    pub fn note_piece(&self) {
        self.pieces.fetch_add(1, Relaxed);
    }

    /// Asks that the socket be read for a while after the last answer: the client is still
    /// sending, and closing at once would reset the connection and lose the answer.
    pub fn linger_after_answer(&self) {
        self.linger.store(true, Relaxed);
    }
}

/// A request that waits for its body, or for work on it.
#[derive(Debug)]
pub struct Waiting(Arc<Connection>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Relaxed);
        self.0.metrics.waiting.fetch_sub(1, Relaxed);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.metrics.connections_closed.fetch_add(1, Relaxed);
    }
}

/// What to do with a connection now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Keep,
    /// Nothing is under way and nothing has been for long: close in good order.
    Idle,
    /// The client has had its time: close at once.
    Cut,
}

/// The clock of one connection.
#[derive(Debug)]
pub struct Watch {
    timeouts: Timeouts,
    requests: u32,
    written: u32,
    pieces: u32,
    progress_at: Instant,
    head_at: Option<Instant>,
    linger_at: Option<Instant>,
    closing_at: Option<Instant>,
}

impl Watch {
    /// Starts the clock.
    pub fn start(timeouts: Timeouts, now: Instant) -> Watch {
        Watch {
            timeouts,
            requests: 0,
            written: 0,
            pieces: 0,
            progress_at: now,
            head_at: Some(now),
            linger_at: None,
            closing_at: None,
        }
    }

    /// Looks at the connection. Between two looks at most [`Timeouts::tick`] passes.
    pub fn look(&mut self, connection: &Connection, now: Instant) -> Verdict {
        let since = |instant: Instant| now.saturating_duration_since(instant);
        if connection.lingering.load(Relaxed) {
            let linger_at = *self.linger_at.get_or_insert(now);
            let over = since(linger_at) >= LINGER_TIME_MAX.min(self.timeouts.head);
            return if over { Verdict::Cut } else { Verdict::Keep };
        }
        if let Some(closing_at) = self.closing_at {
            let over = since(closing_at) >= self.timeouts.head;
            return if over { Verdict::Cut } else { Verdict::Keep };
        }
        if self.progressed(connection) {
            self.progress_at = now;
            self.head_at = None;
            return Verdict::Keep;
        }
        // An HTTP/2 client may send frames of no request at any time; it has the idle time only.
        let http2 = connection.http2.load(Relaxed);
        if connection.head_begun.load(Relaxed) && !http2 {
            self.head_at.get_or_insert(now);
        }
        let waits = since(self.progress_at);
        let head_over = self.head_at.is_some_and(|at| since(at) >= self.timeouts.head);
        let write_over = connection.write_blocked.load(Relaxed) && waits >= self.timeouts.write;
        if head_over || write_over {
            connection.metrics.connections_cut.fetch_add(1, Relaxed);
            Verdict::Cut
        } else if waits >= self.timeouts.idle {
            self.closing_at = Some(now);
            Verdict::Idle
        } else {
            Verdict::Keep
        }
    }

    /// Whether a request began or runs, or the client took bytes, since the last look. On HTTP/2
    /// bytes alone are no progress, since a client that only sends pings makes the server write; a
    /// piece of an answer is: none is asked for before the client has room for it.
    fn progressed(&mut self, connection: &Connection) -> bool {
        let (requests, written) =
            (connection.requests.load(Relaxed), connection.written.load(Relaxed));
        let wrote = written != self.written && !connection.http2.load(Relaxed);
        let pieces = connection.pieces.load(Relaxed);
        let advanced = requests != self.requests || pieces != self.pieces;
        let progressed = advanced || wrote || connection.waiting.load(Relaxed) > 0;
        (self.requests, self.written, self.pieces) = (requests, written, pieces);
        progressed
    }
}

/// The stream of one connection, as hyper sees it.
#[derive(Debug)]
pub struct Socket {
    tcp: TcpStream,
    connection: Arc<Connection>,
    /// The number of requests when the head that is now being read began.
    head_of: u32,
    /// Whether that head's first line is complete.
    line_ended: bool,
    /// Our body in the place of hyper's empty one, as far as it is not sent yet.
    replacement: Bytes,
    shut: bool,
    lingered: usize,
}

impl Socket {
    /// Wraps a stream.
    pub fn over(tcp: TcpStream, connection: Arc<Connection>) -> Socket {
        Socket {
            tcp,
            connection,
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
        let Some(error) = refusal(bytes, self.line_ended) else { return false };
        self.replacement = refusal_bytes(&error).into();
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        true
    }

    /// Sends what is left of the replacement.
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

    /// Reads and throws away until the client closes or [`LINGER_BYTES_MAX`] are read; the watch
    /// bounds the time.
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

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.tcp).poll_read(context, buffer))?;
        let fresh = &buffer.filled()[before..];
        self.note_read(fresh);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
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

/// Which error of ours stands for an answer that hyper made by itself. Those have no body; ours
/// always have one, so the two cannot be confused.
fn refusal(answer: &[u8], line_ended: bool) -> Option<ApiError> {
    let head = std::str::from_utf8(answer).ok()?;
    if !head.contains("\r\ncontent-length: 0\r\n") || !head.ends_with("\r\n\r\n") {
        return None;
    }
    match head.get(9..12)? {
        "400" => Some(ApiError::plain(
            Code::MalformedRequest,
            "expected a request line and headers of HTTP/1.1; found something else",
        )),
        "431" if line_ended => Some(ApiError::plain(
            Code::HeadersTooLarge,
            format!(
                "expected at most {HEADERS_MAX} headers and {HEAD_BYTES_MAX} bytes of them; found more"
            ),
        )),
        "414" | "431" => Some(target_too_long()),
        _ => None,
    }
}

/// The error of a request target over its bound.
pub fn target_too_long() -> ApiError {
    let detail = format!("expected at most {TARGET_BYTES_MAX} bytes of path and query; found more");
    ApiError::plain(Code::TargetTooLong, detail)
}

/// A whole answer as bytes, for where hyper's service is not asked: it closes the connection.
pub fn refusal_bytes(error: &ApiError) -> Vec<u8> {
    let mut body = Vec::new();
    error.write(&mut body);
    let status = error.code.status();
    let retry = if status.is_server_error() { "retry-after: 1\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\napi-version: {}\r\n{retry}connection: close\r\n\r\n",
        body.len(),
        ApiVersion::NEWEST,
    );
    [head.into_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn connection() -> Connection {
        let mapped = "::ffff:192.0.2.7".parse().expect("an address");
        Connection::open(1, mapped, Door::Both, Arc::default())
    }

    fn timeouts() -> Timeouts {
        Timeouts { head: 10 * SECOND, idle: 75 * SECOND, write: 30 * SECOND, ..Timeouts::default() }
    }

    #[test]
    fn a_mapped_address_is_shown_as_ipv4() {
        assert_eq!(&*connection().remote_text, "192.0.2.7");
    }

    #[test]
    fn silence_after_connecting_has_the_time_of_a_head() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        assert_eq!(watch.look(&connection, start + 9 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 10 * SECOND), Verdict::Cut);
    }

    #[test]
    fn a_kept_connection_is_idle_until_a_head_begins() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        assert_eq!(connection.begin_request(hyper::Version::HTTP_11), 1);
        assert_eq!(watch.look(&connection, start), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 70 * SECOND), Verdict::Keep);
        connection.head_begun.store(true, Relaxed);
        assert_eq!(watch.look(&connection, start + 71 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 74 * SECOND), Verdict::Keep);
        connection.head_begun.store(false, Relaxed);
        watch.head_at = None;
        assert_eq!(watch.look(&connection, start + 75 * SECOND), Verdict::Idle);
        assert_eq!(watch.look(&connection, start + 84 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 85 * SECOND), Verdict::Cut);
    }

    #[test]
    fn a_dribbled_head_is_cut_however_often_a_byte_comes() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_11);
        watch.look(&connection, start);
        for second in 1..=10 {
            connection.head_begun.store(true, Relaxed);
            assert_eq!(watch.look(&connection, start + second * SECOND), Verdict::Keep);
        }
        assert_eq!(watch.look(&connection, start + 11 * SECOND), Verdict::Cut);
        assert_eq!(connection.metrics.connections_cut.load(Relaxed), 1);
    }

    #[test]
    fn a_waiting_request_is_never_idle_and_a_blocked_answer_has_its_time() {
        let (connection, start) = (Arc::new(connection()), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_11);
        watch.look(&connection, start);
        let waiting = connection.wait();
        assert_eq!(connection.metrics.waiting.load(Relaxed), 1);
        assert_eq!(watch.look(&connection, start + 1000 * SECOND), Verdict::Keep);
        drop(waiting);
        assert_eq!(connection.metrics.waiting.load(Relaxed), 0);
        connection.write_blocked.store(true, Relaxed);
        assert_eq!(watch.look(&connection, start + 1029 * SECOND), Verdict::Keep);
        connection.written.fetch_add(1, Relaxed);
        assert_eq!(watch.look(&connection, start + 1031 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 1061 * SECOND), Verdict::Cut);
    }

    #[test]
    fn pings_do_not_keep_an_http2_connection() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watch.look(&connection, start);
        connection.head_begun.store(true, Relaxed);
        connection.written.fetch_add(1, Relaxed);
        assert_eq!(watch.look(&connection, start + 74 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 75 * SECOND), Verdict::Idle);
    }

    #[test]
    fn a_long_answer_is_progress_as_long_as_its_pieces_are_taken() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watch.look(&connection, start);
        for minute in 1..10 {
            connection.note_piece();
            assert_eq!(watch.look(&connection, start + minute * 60 * SECOND), Verdict::Keep);
        }
        assert_eq!(watch.look(&connection, start + 614 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 615 * SECOND), Verdict::Idle);
    }

    #[test]
    fn hypers_own_answers_and_no_others_are_replaced() {
        #[track_caller]
        fn check(answer: &str, line_ended: bool, expected: Option<Code>) {
            let found = refusal(answer.as_bytes(), line_ended).map(|error| error.code);
            assert_eq!(found, expected, "{answer:?}");
        }
        let end = "connection: close\r\n\r\n";
        let empty = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n{end}");
        check(&empty("400 Bad Request"), true, Some(Code::MalformedRequest));
        check(&empty("431 Request Header Fields Too Large"), true, Some(Code::HeadersTooLarge));
        check(&empty("431 Request Header Fields Too Large"), false, Some(Code::TargetTooLong));
        check(&empty("414 URI Too Long"), true, Some(Code::TargetTooLong));
        check(&empty("404 Not Found"), true, None);
        check("HTTP/1.1 400 Bad Request\r\ncontent-length: 12\r\n\r\n", true, None);
        check("HTTP/1.1 400 Bad Request\r\n", true, None);
        check("HTTP/1.1 4", true, None);
    }
}
