//! Decides when a connection has timed out.
//!
//! It is called a few times per time-out and uses what the [`Connection`] recorded; it reads no clock and closes
//! nothing.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::connection::{Connection, uptime_ms};
use super::limits::{LINGER_TIME_MAX, Timeouts};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    /// Idle for too long: close gracefully.
    Idle,
    /// A time-out of the client expired: close at once.
    Cut,
}

#[derive(Debug)]
pub struct Watch {
    timeouts: Timeouts,
    requests: u32,
    written: u32,
    pieces: u32,
    released: u32,
    progress_at: Instant,
    /// Since when an HTTP/2 client has read nothing of its waiting answers.
    stalled_at: Option<Instant>,
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
            released: 0,
            progress_at: now,
            stalled_at: None,
            head_at: Some(now),
            linger_at: None,
            closing_at: None,
        }
    }

    /// Checks the connection. At most [`Timeouts::tick`] passes between two calls.
    pub fn look(&mut self, connection: &Connection, now: Instant) -> Verdict {
        let since = |instant: Instant| now.saturating_duration_since(instant);
        connection.looks.fetch_add(1, Relaxed);
        if connection.lingering.load(Relaxed) {
            let linger_at = *self.linger_at.get_or_insert(now);
            let over = since(linger_at) >= LINGER_TIME_MAX.min(self.timeouts.head);
            return if over { Verdict::Cut } else { Verdict::Keep };
        }
        if let Some(closing_at) = self.closing_at {
            let over = since(closing_at) >= self.timeouts.head;
            return if over { Verdict::Cut } else { Verdict::Keep };
        }
        let taken = self.took_bytes(connection);
        if self.progressed(connection) {
            self.progress_at = now;
            self.head_at = None;
            connection.note_quiet_since(0);
        } else {
            let quiet = u64::try_from(since(self.progress_at).as_millis()).unwrap_or(u64::MAX);
            connection.note_quiet_since(uptime_ms().saturating_sub(quiet).max(1));
        }
        // A flow-control window that the client keeps closed blocks answers as a full socket does.
        let stalled = connection.is_http2() && !taken && connection.unsent.bytes() > 0;
        self.stalled_at = stalled.then(|| self.stalled_at.unwrap_or(now));
        if self.stalled_at.is_some_and(|at| since(at) >= self.timeouts.write) {
            connection.metrics.connections_cut.fetch_add(1, Relaxed);
            return Verdict::Cut;
        }
        if self.progress_at == now {
            return Verdict::Keep;
        }
        // An HTTP/2 client may send frames that belong to no request at any time; it has the idle time only.
        let http2 = connection.is_http2();
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

    /// Whether bytes of answers were released since the last check, because the client read them.
    fn took_bytes(&mut self, connection: &Connection) -> bool {
        let released = connection.released.load(Relaxed);
        let pieces = connection.pieces.load(Relaxed);
        let taken = (released, pieces) != (self.released, self.pieces);
        self.released = released;
        taken
    }

    /// Whether a request began or runs, or the client read bytes, since the last check. On HTTP/2 only pieces
    /// of an answer count, since pings make the server write too.
    fn progressed(&mut self, connection: &Connection) -> bool {
        let (requests, written) =
            (connection.requests.load(Relaxed), connection.written.load(Relaxed));
        let wrote = written != self.written && !connection.is_http2();
        let pieces = connection.pieces.load(Relaxed);
        let advanced = requests != self.requests || pieces != self.pieces;
        let progressed = advanced || wrote || connection.waiting.load(Relaxed) > 0;
        (self.requests, self.written, self.pieces) = (requests, written, pieces);
        progressed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::server::held::Charge;
    use crate::server::metrics::Metrics;
    use crate::server::pool::Holding;

    const SECOND: Duration = Duration::from_secs(1);

    fn connection() -> Connection {
        let mapped = "::ffff:192.0.2.7".parse().expect("an address");
        Connection::open(1, mapped, 0, Arc::new(Metrics::over(Vec::new())))
    }

    fn timeouts() -> Timeouts {
        Timeouts { head: 10 * SECOND, idle: 75 * SECOND, write: 30 * SECOND, ..Timeouts::default() }
    }

    #[test]
    fn a_silent_new_connection_is_cut_after_the_head_timeout() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        assert_eq!(watch.look(&connection, start + 9 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 10 * SECOND), Verdict::Cut);
    }

    #[test]
    fn a_kept_alive_connection_is_idle_until_a_head_begins() {
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
    fn a_slow_head_is_cut_even_if_bytes_keep_arriving() {
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
    fn a_waiting_request_is_never_idle_and_a_blocked_answer_times_out() {
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
    fn pings_do_not_keep_an_http2_connection_open() {
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
    fn a_long_answer_is_progress_while_its_pieces_are_read() {
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
    fn answers_that_an_http2_client_does_not_read_time_out() {
        let (connection, start) = (Arc::new(connection()), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watch.look(&connection, start);
        let mut charges = vec![Charge::of(&connection, Holding::Answer, 100)];
        // New or running requests do not show that the client reads anything.
        let waiting = connection.wait();
        for second in [1, 10, 20, 30] {
            connection.begin_request(hyper::Version::HTTP_2);
            charges.push(Charge::of(&connection, Holding::Answer, 100));
            assert_eq!(watch.look(&connection, start + second * SECOND), Verdict::Keep);
        }
        charges.pop();
        assert_eq!(watch.look(&connection, start + 31 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 60 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 89 * SECOND), Verdict::Keep);
        assert_eq!(watch.look(&connection, start + 90 * SECOND), Verdict::Cut);
        drop(waiting);
    }

    #[test]
    fn a_connection_is_quiet_since_its_last_progress() {
        let (connection, start) = (connection(), Instant::now());
        let mut watch = Watch::start(timeouts(), start);
        assert!(connection.quiet_since().is_some(), "quiet from the start");
        connection.begin_request(hyper::Version::HTTP_11);
        assert_eq!(connection.quiet_since(), None);
        watch.look(&connection, start);
        assert_eq!(connection.quiet_since(), None);
        watch.look(&connection, start + SECOND);
        assert!(connection.quiet_since().is_some());
        connection.begin_request(hyper::Version::HTTP_11);
        assert_eq!(connection.quiet_since(), None);
    }
}
