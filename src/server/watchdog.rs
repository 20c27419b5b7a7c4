//! Decides when a connection has timed out.
//!
//! [`Watchdog::check`] runs a few times per time-out and compares what the [`Connection`] has recorded with what it
//! had recorded at the previous check. It is given the time, and closes nothing itself.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

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

/// The watchdog of one connection. Counters have the values of the previous check.
#[derive(Debug)]
pub struct Watchdog {
    timeouts: Timeouts,
    requests: u32,
    writes: u32,
    pieces: u32,
    releases: u32,
    progress_at: Instant,
    /// Since when an HTTP/2 client has read nothing of its waiting answers.
    stalled_since: Option<Instant>,
    /// Since when a head is incomplete.
    head_since: Option<Instant>,
    lingering_since: Option<Instant>,
    closing_since: Option<Instant>,
}

impl Watchdog {
    pub fn start(timeouts: Timeouts, now: Instant) -> Watchdog {
        Watchdog {
            timeouts,
            requests: 0,
            writes: 0,
            pieces: 0,
            releases: 0,
            progress_at: now,
            stalled_since: None,
            head_since: Some(now),
            lingering_since: None,
            closing_since: None,
        }
    }

    /// Checks the connection. At most [`Timeouts::tick`] passes between two calls.
    pub fn check(&mut self, connection: &Connection, now: Instant) -> Verdict {
        connection.checks.fetch_add(1, Relaxed);
        if connection.lingering.load(Relaxed) {
            let since = *self.lingering_since.get_or_insert(now);
            return cut_after(LINGER_TIME_MAX.min(self.timeouts.head), since, now);
        }
        if let Some(since) = self.closing_since {
            return cut_after(self.timeouts.head, since, now);
        }
        let verdict = self.check_open(connection, now);
        match verdict {
            Verdict::Keep => {}
            Verdict::Idle => self.closing_since = Some(now),
            Verdict::Cut => {
                connection.metrics.connections_cut.fetch_add(1, Relaxed);
            }
        }
        verdict
    }

    fn check_open(&mut self, connection: &Connection, now: Instant) -> Verdict {
        let elapsed = |since: Instant| now.saturating_duration_since(since);
        let is_http2 = connection.is_http2();
        let has_read = self.client_has_read(connection);
        let has_progressed = self.has_progressed(connection) || has_read;
        if has_progressed {
            self.progress_at = now;
            self.head_since = None;
            connection.set_idle_since_ms(0);
        } else {
            let idle_ms = u64::try_from(elapsed(self.progress_at).as_millis()).unwrap_or(u64::MAX);
            connection.set_idle_since_ms(uptime_ms().saturating_sub(idle_ms).max(1));
        }
        // A flow-control window that the client keeps closed blocks answers as a full socket does.
        let is_stalled = is_http2 && !has_read && connection.unsent.bytes() > 0;
        self.stalled_since = is_stalled.then(|| self.stalled_since.unwrap_or(now));
        if self.stalled_since.is_some_and(|since| elapsed(since) >= self.timeouts.write) {
            return Verdict::Cut;
        }
        if has_progressed {
            return Verdict::Keep;
        }
        // An HTTP/2 client may send frames that belong to no request at any time; it has the idle time only.
        if connection.head_begun.load(Relaxed) && !is_http2 {
            self.head_since.get_or_insert(now);
        }
        let waited = elapsed(self.progress_at);
        let is_head_late =
            self.head_since.is_some_and(|since| elapsed(since) >= self.timeouts.head);
        let is_write_late = connection.write_blocked.load(Relaxed) && waited >= self.timeouts.write;
        if is_head_late || is_write_late {
            Verdict::Cut
        } else if waited >= self.timeouts.idle {
            Verdict::Idle
        } else {
            Verdict::Keep
        }
    }

    /// Whether bytes of answers were released since the previous check, because the client read them, or
    /// a further piece of a document was handed to hyper.
    fn client_has_read(&mut self, connection: &Connection) -> bool {
        let releases = connection.releases.load(Relaxed);
        let pieces = connection.pieces.load(Relaxed);
        let has_read = (releases, pieces) != (self.releases, self.pieces);
        (self.releases, self.pieces) = (releases, pieces);
        has_read
    }

    /// Whether a request began or runs, or bytes of an answer were written, since the previous check. On HTTP/2 a
    /// write does not count, since pings make the server write too; [`Self::client_has_read`] covers its answers.
    fn has_progressed(&mut self, connection: &Connection) -> bool {
        let requests = connection.requests.load(Relaxed);
        let writes = connection.writes.load(Relaxed);
        let has_written = writes != self.writes && !connection.is_http2();
        let has_begun = requests != self.requests;
        (self.requests, self.writes) = (requests, writes);
        has_begun || has_written || connection.waiting.load(Relaxed) > 0
    }
}

fn cut_after(time_max: Duration, since: Instant, now: Instant) -> Verdict {
    if now.saturating_duration_since(since) >= time_max { Verdict::Cut } else { Verdict::Keep }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::server::budget::ChargeKind;
    use crate::server::connection::{Charge, ChargedBytes, Remote};
    use crate::server::metrics::Metrics;

    const SECOND: Duration = Duration::from_secs(1);

    fn connection() -> Connection {
        let mapped = "::ffff:192.0.2.7".parse().expect("an address");
        Connection::open(1, Remote::client(mapped), 0, Arc::new(Metrics::over(Vec::new())))
    }

    fn timeouts() -> Timeouts {
        Timeouts { head: 10 * SECOND, idle: 75 * SECOND, write: 30 * SECOND, ..Timeouts::default() }
    }

    #[test]
    fn a_silent_new_connection_is_cut_after_the_head_timeout() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        assert_eq!(watchdog.check(&connection, start + 9 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 10 * SECOND), Verdict::Cut);
    }

    #[test]
    fn a_kept_alive_connection_is_idle_until_a_head_begins() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        assert_eq!(connection.begin_request(hyper::Version::HTTP_11), 1);
        assert_eq!(watchdog.check(&connection, start), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 70 * SECOND), Verdict::Keep);
        connection.head_begun.store(true, Relaxed);
        assert_eq!(watchdog.check(&connection, start + 71 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 74 * SECOND), Verdict::Keep);
        connection.head_begun.store(false, Relaxed);
        watchdog.head_since = None;
        assert_eq!(watchdog.check(&connection, start + 75 * SECOND), Verdict::Idle);
        assert_eq!(watchdog.check(&connection, start + 84 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 85 * SECOND), Verdict::Cut);
    }

    #[test]
    fn a_slow_head_is_cut_even_if_bytes_keep_arriving() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_11);
        watchdog.check(&connection, start);
        for second in 1..=10 {
            connection.head_begun.store(true, Relaxed);
            assert_eq!(watchdog.check(&connection, start + second * SECOND), Verdict::Keep);
        }
        assert_eq!(watchdog.check(&connection, start + 11 * SECOND), Verdict::Cut);
        assert_eq!(connection.metrics.connections_cut.load(Relaxed), 1);
    }

    #[test]
    fn a_waiting_request_is_never_idle_and_a_blocked_answer_times_out() {
        let (connection, start) = (Arc::new(connection()), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_11);
        watchdog.check(&connection, start);
        let waiting = connection.mark_waiting();
        assert_eq!(connection.metrics.waiting.load(Relaxed), 1);
        assert_eq!(watchdog.check(&connection, start + 1000 * SECOND), Verdict::Keep);
        drop(waiting);
        assert_eq!(connection.metrics.waiting.load(Relaxed), 0);
        connection.write_blocked.store(true, Relaxed);
        assert_eq!(watchdog.check(&connection, start + 1029 * SECOND), Verdict::Keep);
        connection.writes.fetch_add(1, Relaxed);
        assert_eq!(watchdog.check(&connection, start + 1031 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 1061 * SECOND), Verdict::Cut);
    }

    #[test]
    fn pings_do_not_keep_an_http2_connection_open() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watchdog.check(&connection, start);
        connection.head_begun.store(true, Relaxed);
        connection.writes.fetch_add(1, Relaxed);
        assert_eq!(watchdog.check(&connection, start + 74 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 75 * SECOND), Verdict::Idle);
    }

    #[test]
    fn a_long_answer_is_progress_while_its_pieces_are_read() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watchdog.check(&connection, start);
        for minute in 1..10 {
            connection.record_piece();
            assert_eq!(watchdog.check(&connection, start + minute * 60 * SECOND), Verdict::Keep);
        }
        assert_eq!(watchdog.check(&connection, start + 614 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 615 * SECOND), Verdict::Idle);
    }

    #[test]
    fn a_slow_reader_over_http2_is_not_idle() {
        let (connection, start) = (Arc::new(connection()), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watchdog.check(&connection, start);
        let mut answer = ChargedBytes::of(vec![b'x'; 40].into(), false, &connection, 1);
        for at in 1..=40 {
            // The client reads a byte every 20 seconds.
            drop(answer.next_piece());
            assert_eq!(watchdog.check(&connection, start + at * 20 * SECOND), Verdict::Keep);
        }
        assert_eq!(watchdog.check(&connection, start + 801 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 830 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 831 * SECOND), Verdict::Cut);
    }

    #[test]
    fn answers_that_an_http2_client_does_not_read_time_out() {
        let (connection, start) = (Arc::new(connection()), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        connection.begin_request(hyper::Version::HTTP_2);
        watchdog.check(&connection, start);
        let mut charges = vec![Charge::of(&connection, ChargeKind::Answer, 100)];
        // New, running or completed requests do not show that the client reads anything.
        let waiting = connection.mark_waiting();
        for second in [1, 10, 20, 30] {
            connection.begin_request(hyper::Version::HTTP_2);
            charges.push(Charge::of(&connection, ChargeKind::Answer, 100));
            drop(Charge::of(&connection, ChargeKind::Request, 100));
            assert_eq!(watchdog.check(&connection, start + second * SECOND), Verdict::Keep);
        }
        charges.pop();
        assert_eq!(watchdog.check(&connection, start + 31 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 60 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 89 * SECOND), Verdict::Keep);
        assert_eq!(watchdog.check(&connection, start + 90 * SECOND), Verdict::Cut);
        drop(waiting);
    }

    #[test]
    fn a_connection_is_idle_since_its_last_progress() {
        let (connection, start) = (connection(), Instant::now());
        let mut watchdog = Watchdog::start(timeouts(), start);
        assert!(connection.idle_since_ms().is_some(), "idle from the start");
        connection.begin_request(hyper::Version::HTTP_11);
        assert_eq!(connection.idle_since_ms(), None);
        watchdog.check(&connection, start);
        assert_eq!(connection.idle_since_ms(), None);
        watchdog.check(&connection, start + SECOND);
        assert!(connection.idle_since_ms().is_some());
        connection.begin_request(hyper::Version::HTTP_11);
        assert_eq!(connection.idle_since_ms(), None);
    }
}
