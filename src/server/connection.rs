//! One connection: its peer, its state, and its time limits.
//!
//! Socket and requests record progress in [`Connection`] with atomics. The [`watch`](super::watch) checks them a
//! few times per time-out and decides when to close, so that no request sets a timer. Other connections may ask
//! this one to close.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use tokio::sync::Notify;

use super::limits::{HEAD_BYTES_MAX, QUEUED_BYTES_MAX, UNSENT_BYTES_MAX};
use super::metrics::Metrics;
use super::pool::{Holding, Pool, Turn};

#[derive(Debug)]
pub struct Connection {
    /// Its number, from 1; part of every request id.
    pub number: u64,
    /// The peer; an IPv4 address mapped into IPv6 is given as IPv4.
    pub remote: IpAddr,
    /// The same as text, formatted once.
    pub remote_text: Box<str>,
    pub metrics: Arc<Metrics>,
    /// Index of the listener that accepted it.
    pub listener: usize,
    pub(super) requests: AtomicU32,
    pub(super) waiting: AtomicU32,
    pub(super) pieces: AtomicU32,
    pub(super) head_begun: AtomicBool,
    pub(super) written: AtomicU32,
    pub(super) write_blocked: AtomicBool,
    http2: AtomicBool,
    pub(super) lingering: AtomicBool,
    pub(super) linger: AtomicBool,
    /// Whether to close after the next answer. No effect on HTTP/2.
    last_answer: AtomicBool,
    /// Number of checks by the watch.
    pub(super) looks: AtomicU32,
    /// Idle since this time, in milliseconds of [`uptime_ms`]; 0 while it is active.
    quiet_since: AtomicU64,
    /// Number of requests when `quiet_since` was set.
    quiet_requests: AtomicU32,
    /// Requests that wait until memory is available.
    queued: AtomicU32,
    /// Bytes of answers that the client has not read yet.
    pub(super) unsent: Pool,
    /// `unsent` plus the bytes of requests.
    held: AtomicUsize,
    /// It has held bytes without releasing any since this time.
    held_since: AtomicU64,
    /// Number of releases of bytes.
    pub(super) released: AtomicU32,
    /// Whether a request head is counted in `held`.
    head_held: AtomicBool,
    /// The request to close: the number of a [`Leave`], or 0.
    leave: AtomicU32,
    asked: Notify,
}

/// Why a connection is asked to close early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It is idle, and a new connection needs its place.
    ForAnother = 1,
    /// All connections hold too much memory, and its client has read nothing for long.
    ForMemory = 2,
    /// It floods the server with frames that request nothing.
    Flood = 3,
    /// A time-out of its client expired.
    TimeOver = 4,
}

/// Milliseconds since the first call, from 1: an instant that fits an atomic.
pub(super) fn uptime_ms() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
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
            last_answer: AtomicBool::new(false),
            looks: AtomicU32::new(0),
            quiet_since: AtomicU64::new(uptime_ms()),
            quiet_requests: AtomicU32::new(0),
            queued: AtomicU32::new(0),
            unsent: Pool::of(UNSENT_BYTES_MAX),
            held: AtomicUsize::new(0),
            held_since: AtomicU64::new(0),
            released: AtomicU32::new(0),
            head_held: AtomicBool::new(false),
            leave: AtomicU32::new(0),
            asked: Notify::new(),
        }
    }

    /// Records that a request's head is complete; returns the request's number, from 1.
    pub fn begin_request(&self, version: hyper::Version) -> u32 {
        if version == hyper::Version::HTTP_2 {
            self.http2.store(true, Relaxed);
        }
        self.head_begun.store(false, Relaxed);
        // Only the connection's own task begins requests, so there is no concurrent write.
        let number = self.requests.load(Relaxed).wrapping_add(1);
        self.requests.store(number, Relaxed);
        number
    }

    /// Marks a request as waiting for its body or for work, until the returned value is dropped.
    pub fn wait(self: &Arc<Connection>) -> Waiting {
        self.waiting.fetch_add(1, Relaxed);
        self.metrics.waiting.fetch_add(1, Relaxed);
        Waiting(Arc::clone(self))
    }

    /// Records that a piece of an answer was handed to hyper.
    pub fn note_piece(&self) {
        self.pieces.fetch_add(1, Relaxed);
        self.held_since.store(uptime_ms(), Relaxed);
    }

    /// Closes the connection after the answer, but keeps reading for a while: closing while the client sends
    /// would discard the answer. No effect on HTTP/2, which can give up a single request.
    pub fn linger_after_answer(&self) {
        self.linger.store(true, Relaxed);
        self.end_after_answer();
    }

    /// Closes the connection after the next answer, whenever that is.
    pub(super) fn end_after_answer(&self) {
        self.last_answer.store(true, Relaxed);
    }

    pub fn is_http2(&self) -> bool {
        self.http2.load(Relaxed)
    }

    pub(super) fn hold(&self, holding: Holding, bytes: usize) {
        if self.held.fetch_add(bytes, Relaxed) == 0 {
            self.held_since.store(uptime_ms(), Relaxed);
        }
        if holding == Holding::Answer {
            self.unsent.add(bytes);
        }
        self.metrics.held.add(bytes);
    }

    pub(super) fn release(&self, holding: Holding, bytes: usize) {
        self.held.fetch_sub(bytes, Relaxed);
        self.held_since.store(uptime_ms(), Relaxed);
        self.released.fetch_add(1, Relaxed);
        if holding == Holding::Answer {
            self.unsent.take(bytes);
        }
        self.metrics.held.take(bytes);
    }

    /// Counts a long head as held, from when it is recognised as long until its request is answered.
    pub(super) fn hold_head(&self) {
        if !self.head_held.swap(true, Relaxed) {
            self.hold(Holding::Request, HEAD_BYTES_MAX);
        }
    }

    /// Whether the current or last head is counted because it is long.
    pub(super) fn has_long_head(&self) -> bool {
        self.head_held.load(Relaxed)
    }

    pub(super) fn release_head(&self) {
        if self.head_held.load(Relaxed) && self.head_held.swap(false, Relaxed) {
            self.release(Holding::Request, HEAD_BYTES_MAX);
        }
    }

    /// Whether a further answer must wait, until the client reads its answers or other connections release
    /// memory.
    pub(super) fn room(&self) -> Room {
        let held = &self.metrics.held;
        let is_crowded = || held.is_crowded() && self.queued.load(Relaxed) > 0;
        if held.has_room() && !self.unsent.is_full() {
            Room::Enough
        } else if is_crowded() || self.request_bytes() >= QUEUED_BYTES_MAX {
            Room::None
        } else {
            Room::Later
        }
    }

    /// Counts a request as queued until the returned value is dropped.
    pub(super) fn queue(self: &Arc<Connection>) -> Queued {
        self.queued.fetch_add(1, Relaxed);
        Queued(Arc::clone(self))
    }

    /// Waits until a further answer may be made. The caller counts the answer before it drops the turn.
    pub(super) async fn until_room(&self) -> Turn<'_> {
        loop {
            // Waits outside the queue of all connections: the client may never read its answers.
            self.unsent.until_full(false).await;
            let turn = self.metrics.held.turn().await;
            if !self.unsent.is_full() {
                return turn;
            }
        }
    }

    /// Whether requests wait for memory although the client has read every answer, because other connections
    /// hold too much.
    pub(super) fn waits_for_turn(&self) -> bool {
        self.queued.load(Relaxed) > 0 && self.unsent.bytes() == 0
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// Held bytes of requests.
    fn request_bytes(&self) -> usize {
        self.held_bytes().saturating_sub(self.unsent.bytes())
    }

    /// It has held bytes without releasing any since this time.
    pub(super) fn held_since(&self) -> u64 {
        self.held_since.load(Relaxed)
    }

    /// Idle since this time; `None` if a request runs or began since that was recorded.
    pub(super) fn quiet_since(&self) -> Option<u64> {
        let since = Some(self.quiet_since.load(Relaxed)).filter(|since| *since > 0);
        since.filter(|_| !self.is_at_work() && !self.is_asked_to_leave())
    }

    /// Whether a request runs, or began since it was last idle.
    pub(super) fn is_at_work(&self) -> bool {
        let begun = self.requests.load(Relaxed) != self.quiet_requests.load(Relaxed);
        begun || self.waiting.load(Relaxed) > 0
    }

    pub(super) fn note_quiet_since(&self, since: u64) {
        self.quiet_requests.store(self.requests.load(Relaxed), Relaxed);
        self.quiet_since.store(since, Relaxed);
    }

    /// Asks it to close; `false` if it was asked before.
    pub(super) fn ask_to_leave(&self, why: Leave) -> bool {
        let first = self.leave.compare_exchange(0, why as u32, Relaxed, Relaxed).is_ok();
        if first {
            self.asked.notify_one();
        }
        first
    }

    pub(super) fn is_asked_to_leave(&self) -> bool {
        self.leave.load(Relaxed) != 0
    }

    pub(super) fn left(&self) -> Option<Leave> {
        [Leave::ForAnother, Leave::ForMemory, Leave::Flood, Leave::TimeOver]
            .into_iter()
            .find(|why| *why as u32 == self.leave.load(Relaxed))
    }

    /// Waits until it is asked to close.
    pub(super) async fn asked_to_leave(&self) {
        self.asked.notified().await;
    }

    pub fn closes_after_answer(&self) -> bool {
        self.last_answer.load(Relaxed) && !self.http2.load(Relaxed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    Later,
    /// No room even to queue.
    None,
}

#[derive(Debug)]
pub(super) struct Queued(Arc<Connection>);

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Relaxed);
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
        self.release_head();
        self.metrics.connections_closed.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::held::Charge;
    use crate::server::limits::HELD_BYTES_MAX;

    #[test]
    fn a_request_waits_for_unsent_answers_and_is_refused_past_the_queue_limit() {
        #[track_caller]
        fn check(held: &[(Holding, usize)], queued: usize, held_by_others: usize, expected: Room) {
            let metrics = Arc::new(Metrics::over(Vec::new()));
            metrics.held.add(held_by_others);
            let remote = std::net::Ipv4Addr::LOCALHOST.into();
            let connection = Arc::new(Connection::open(1, remote, 0, metrics));
            let _queued: Vec<Queued> = (0..queued).map(|_| connection.queue()).collect();
            let charge = |(holding, bytes): &(_, _)| Charge::of(&connection, *holding, *bytes);
            let _held: Vec<Charge> = held.iter().map(charge).collect();
            assert_eq!(connection.room(), expected, "{held:?}");
        }
        let (answer, request) = (Holding::Answer, Holding::Request);
        check(&[], 0, 0, Room::Enough);
        check(&[(answer, UNSENT_BYTES_MAX - 1)], 0, 0, Room::Enough);
        check(&[(answer, UNSENT_BYTES_MAX)], 0, 0, Room::Later);
        // Several long answers that began at the same time.
        check(&[(answer, 8 * QUEUED_BYTES_MAX), (request, 40_000)], 31, 0, Room::Later);
        check(&[(answer, UNSENT_BYTES_MAX), (request, QUEUED_BYTES_MAX)], 20, 0, Room::None);
        check(&[], 0, HELD_BYTES_MAX, Room::Later);
        check(&[(request, 4_000)], 1, HELD_BYTES_MAX, Room::None);
    }

    #[test]
    fn a_mapped_address_is_shown_as_ipv4() {
        let mapped = "::ffff:192.0.2.7".parse().expect("an address");
        let connection = Connection::open(1, mapped, 0, Arc::new(Metrics::over(Vec::new())));
        assert_eq!(&*connection.remote_text, "192.0.2.7");
    }
}
