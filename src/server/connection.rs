//! One connection: who is at the other end, what it is doing, and for how long it may.
//!
//! Socket and requests note progress in [`Connection`] with atomics; the [`watch`](super::watch) looks at them a few
//! times per time-out and says when to close. So no request sets a timer. Others may ask the connection to go.

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
    /// The place in the list of listeners of the one that took it.
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
    /// Whether the next answer is the last one. On HTTP/2 it changes nothing.
    last_answer: AtomicBool,
    /// How often the watch looked.
    pub(super) looks: AtomicU32,
    /// Since when nothing happens, in milliseconds of [`uptime_ms`]; 0 where something does.
    quiet_since: AtomicU64,
    /// The number of requests when that was noted.
    quiet_requests: AtomicU32,
    /// Requests that wait for room.
    queued: AtomicU32,
    /// Bytes of answers that the client has yet to take.
    pub(super) unsent: Pool,
    /// Those, and bytes of requests.
    held: AtomicUsize,
    /// Since when it holds bytes and none was let go.
    held_since: AtomicU64,
    /// How often bytes were let go.
    pub(super) released: AtomicU32,
    /// Whether a head is counted among what is held.
    head_held: AtomicBool,
    /// What it was asked; the number of a [`Leave`], or 0.
    leave: AtomicU32,
    asked: Notify,
}

/// Why a connection is asked to go before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// It is quiet, and another one wants its place.
    ForAnother = 1,
    /// All connections hold too much, and of its bytes none was taken for long.
    ForMemory = 2,
    /// It sends what asks for nothing.
    Flood = 3,
    /// Its client has had its time.
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
        self.held_since.store(uptime_ms(), Relaxed);
    }

    /// Closes the connection behind the answer, and has the socket read on for a while: closing while the client
    /// sends would lose the answer. HTTP/2 can give up one request alone; there it changes nothing.
    pub fn linger_after_answer(&self) {
        self.linger.store(true, Relaxed);
        self.end_after_answer();
    }

    /// Closes the connection behind the next answer, whenever that is.
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

    /// Counts a long head as held, from when it is seen to be long until its request is answered.
    pub(super) fn hold_head(&self) {
        if !self.head_held.swap(true, Relaxed) {
            self.hold(Holding::Request, HEAD_BYTES_MAX);
        }
    }

    /// Whether the head that is read, or was read last, is counted because it is long.
    pub(super) fn has_long_head(&self) -> bool {
        self.head_held.load(Relaxed)
    }

    pub(super) fn release_head(&self) {
        if self.head_held.load(Relaxed) && self.head_held.swap(false, Relaxed) {
            self.release(Holding::Request, HEAD_BYTES_MAX);
        }
    }

    /// Whether a further answer has to wait: the client takes what it has first, or other connections go.
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

    /// Notes that a request waits for room, until the returned value is dropped.
    pub(super) fn queue(self: &Arc<Connection>) -> Queued {
        self.queued.fetch_add(1, Relaxed);
        Queued(Arc::clone(self))
    }

    /// Waits until a further answer need not wait; it is counted before the turn is let go.
    pub(super) async fn until_room(&self) -> Turn<'_> {
        loop {
            // Not in the row of all connections: the client may never take what it has.
            self.unsent.until_full(false).await;
            let turn = self.metrics.held.turn().await;
            if !self.unsent.is_full() {
                return turn;
            }
        }
    }

    /// Whether requests wait for room although the client took every answer: others are in the way.
    pub(super) fn waits_for_turn(&self) -> bool {
        self.queued.load(Relaxed) > 0 && self.unsent.bytes() == 0
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// What it holds that is not of answers.
    fn request_bytes(&self) -> usize {
        self.held_bytes().saturating_sub(self.unsent.bytes())
    }

    /// Since when it holds bytes of which none was let go.
    pub(super) fn held_since(&self) -> u64 {
        self.held_since.load(Relaxed)
    }

    /// Since when nothing has happened; `None` where a request runs or began since that was noted.
    pub(super) fn quiet_since(&self) -> Option<u64> {
        let since = Some(self.quiet_since.load(Relaxed)).filter(|since| *since > 0);
        since.filter(|_| !self.is_at_work() && !self.is_asked_to_leave())
    }

    /// Whether a request runs, or one began since it was last quiet.
    pub(super) fn is_at_work(&self) -> bool {
        let begun = self.requests.load(Relaxed) != self.quiet_requests.load(Relaxed);
        begun || self.waiting.load(Relaxed) > 0
    }

    pub(super) fn note_quiet_since(&self, since: u64) {
        self.quiet_requests.store(self.requests.load(Relaxed), Relaxed);
        self.quiet_since.store(since, Relaxed);
    }

    /// Asks it to go; `false` where it was asked before.
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

    /// Waits until it is asked to go.
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
    /// Not even to wait in.
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
    fn a_request_waits_for_answers_and_is_refused_behind_too_many_bytes_of_requests() {
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
        // Several long answers that were begun together.
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
