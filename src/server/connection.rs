//! One connection: who is at the other end, what it is doing, and for how long it may.
//!
//! Socket and requests note progress in [`Connection`] with atomics; [`Watch`] looks at them a few times per time-out
//! and says when to close. So no request sets a timer.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Instant;

use super::limits::{LINGER_TIME_MAX, Timeouts};
use super::metrics::Metrics;

#[derive(Debug)]
pub struct Connection {
    /// Its number, from 1; part of every request id.
    pub number: u64,
    /// The peer; an IPv4 address mapped into IPv6 is given as IPv4.
    pub remote: IpAddr,
    /// The same as text, formatted once.
    pub remote_text: Box<str>,
    pub metrics: Arc<Metrics>,
    /// The place in the list of listeners of the one that took it.
    pub listener: usize,
    pub(super) requests: AtomicU32,
    waiting: AtomicU32,
    pieces: AtomicU32,
    pub(super) head_begun: AtomicBool,
    pub(super) written: AtomicU32,
    pub(super) write_blocked: AtomicBool,
    http2: AtomicBool,
    pub(super) lingering: AtomicBool,
    pub(super) linger: AtomicBool,
}

impl Connection {
    pub fn open(number: u64, remote: IpAddr, listener: usize, metrics: Arc<Metrics>) -> Connection {
        let remote = remote.to_canonical();
        metrics.connections.fetch_add(1, Relaxed);
        Connection {
            number,
            remote,
            remote_text: remote.to_string().into(),
            metrics,
            listener,
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

    /// Notes that a request waits for its body or for work, until the returned value is dropped.
    pub fn wait(self: &Arc<Connection>) -> Waiting {
        self.waiting.fetch_add(1, Relaxed);
        self.metrics.waiting.fetch_add(1, Relaxed);
        Waiting(Arc::clone(self))
    }

    /// Notes that a piece of an answer could be handed over.
    pub fn note_piece(&self) {
        self.pieces.fetch_add(1, Relaxed);
    }

    /// Closes the connection behind the answer, and has the socket read on for a while: closing while the client
    /// sends would lose the answer. HTTP/2 can give up one request alone; there it changes nothing.
    pub fn linger_after_answer(&self) {
        self.linger.store(true, Relaxed);
    }

    pub fn closes_after_answer(&self) -> bool {
        self.linger.load(Relaxed) && !self.http2.load(Relaxed)
    }
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    /// Nothing is under way and nothing has been for long: close in good order.
    Idle,
    /// The client has had its time: close at once.
    Cut,
}

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

    /// Whether a request began or runs, or the client took bytes, since the last look; on HTTP/2 only pieces of an
    /// answer count, since pings make the server write too.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn connection() -> Connection {
        let mapped = "::ffff:192.0.2.7".parse().expect("an address");
        Connection::open(1, mapped, 0, Arc::new(Metrics::over(Vec::new())))
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
}
