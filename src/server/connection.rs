//! One connection: its peer and its state.
//!
//! Socket and requests record their progress in atomics of [`Connection`]. The [`watchdog`](super::watchdog) reads
//! them a few times per time-out and decides when to close, so that no request sets a timer. Other threads may
//! request a connection to close ([`CloseReason`]); the task that drives it then closes it.
//!
//! A [`Charge`] is memory that a request or an answer takes; it counts at the connection and in the total of all
//! connections until it is dropped. An answer is sent in pieces that carry their part of the charge, so written or
//! discarded bytes no longer count. Only counts: the limits are enforced by `connection_service.rs`, which lets requests
//! wait, and by `connection_table.rs`, which closes connections.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::Notify;

use super::budget::{Admission, ByteBudget, ChargeKind, Turn};
use super::limits::{HEAD_BYTES_MAX, QUEUED_BYTES_MAX, TURN_BYTES_MAX, UNSENT_BYTES_MAX};
use super::metrics::Metrics;
use super::thread_time::ThreadTime;

#[derive(Debug)]
pub struct Connection {
    /// Its number, from 1; part of every request id.
    pub number: u64,
    /// The peer; an IPv4 address mapped into IPv6 is given as IPv4.
    pub remote: IpAddr,
    /// The peer's address as text, formatted once.
    pub remote_text: Box<str>,
    /// Whether the peer is a trusted proxy: each request then has a client of its own.
    pub is_from_proxy: bool,
    pub metrics: Arc<Metrics>,
    pub listener: usize,
    /// Number of requests whose head is complete.
    pub(super) requests: AtomicU32,
    /// Number of requests that wait for their body or for work.
    pub(super) waiting: AtomicU32,
    /// Number of pieces of answers that were handed to hyper.
    pub(super) pieces: AtomicU32,
    /// Whether bytes of the next head have arrived, as far as the socket can tell them from a body.
    pub(super) head_begun: AtomicBool,
    pub(super) writes: AtomicU32,
    /// Whether the socket accepts no bytes.
    pub(super) write_blocked: AtomicBool,
    http2: AtomicBool,
    /// Whether to read on for a while after closing our side, see [`Connection::linger_after_answer`].
    pub(super) linger_on_close: AtomicBool,
    /// Whether it is doing so.
    pub(super) lingering: AtomicBool,
    /// Whether to close after the next answer. No effect on HTTP/2.
    close_after_answer: AtomicBool,
    pub(super) checks: AtomicU32,
    /// Idle since this time of [`uptime_ms`]; 0 while it is active.
    idle_since_ms: AtomicU64,
    /// Number of requests when `idle_since_ms` was set.
    requests_when_idle: AtomicU32,
    /// Number of requests that wait until memory is available.
    queued: AtomicU32,
    /// Bytes of answers that the client has not read yet.
    pub(super) unsent: ByteBudget,
    /// `unsent` plus the bytes of requests.
    held_bytes: AtomicUsize,
    /// When bytes were last released or handed to hyper, or the first bytes or the first answer after none were charged, in
    /// [`uptime_ms`].
    pub(super) last_release_ms: AtomicU64,
    /// Number of releases of bytes of answers.
    pub(super) releases: AtomicU32,
    /// Whether the current or last head is charged because it is long.
    pub(super) long_head_charged: AtomicBool,
    close_reason: OnceLock<CloseReason>,
    /// Bytes that it has read and written in this poll.
    turn_bytes: AtomicUsize,
    /// The time that its polls take of the thread that drives it.
    pub(super) thread_time: ThreadTime,
    /// Notifies of the request to close.
    pub(super) close_requested: Notify,
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remote {
    pub address: IpAddr,
    /// Whether that is a trusted proxy.
    pub is_proxy: bool,
}

impl Remote {
    pub fn client(address: IpAddr) -> Remote {
        Remote { address, is_proxy: false }
    }

    /// This process itself, which calls the API without a socket.
    pub fn own_process() -> Remote {
        Remote::client(Ipv4Addr::LOCALHOST.into())
    }
}

/// Why a connection is requested to close early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// It is idle, and a new connection needs its slot.
    MakeRoom,
    /// All connections hold too much memory, and its client has read nothing for long.
    MemoryLimit,
    /// It floods the server with frames that request nothing.
    FrameFlood,
    /// A time-out of its client expired.
    TimedOut,
}

/// Milliseconds since the first call, from 1: an instant that fits an atomic.
pub(super) fn uptime_ms() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

impl Connection {
    pub fn open(number: u64, remote: Remote, listener: usize, metrics: Arc<Metrics>) -> Connection {
        let is_from_proxy = remote.is_proxy;
        let remote = remote.address.to_canonical();
        metrics.connections.fetch_add(1, Relaxed);
        Connection {
            number,
            remote,
            remote_text: remote.to_string().into(),
            is_from_proxy,
            metrics,
            listener,
            requests: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            pieces: AtomicU32::new(0),
            head_begun: AtomicBool::new(false),
            writes: AtomicU32::new(0),
            write_blocked: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            linger_on_close: AtomicBool::new(false),
            lingering: AtomicBool::new(false),
            close_after_answer: AtomicBool::new(false),
            checks: AtomicU32::new(0),
            idle_since_ms: AtomicU64::new(uptime_ms()),
            requests_when_idle: AtomicU32::new(0),
            queued: AtomicU32::new(0),
            unsent: ByteBudget::of(UNSENT_BYTES_MAX),
            held_bytes: AtomicUsize::new(0),
            last_release_ms: AtomicU64::new(0),
            releases: AtomicU32::new(0),
            long_head_charged: AtomicBool::new(false),
            close_reason: OnceLock::new(),
            turn_bytes: AtomicUsize::new(0),
            thread_time: ThreadTime::default(),
            close_requested: Notify::new(),
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

    /// Begins a turn: a poll by the thread that drives this connection and others.
    pub(super) fn begin_turn(&self) {
        self.turn_bytes.store(0, Relaxed);
        self.thread_time.begin_poll();
    }

    pub(super) fn end_turn(&self) {
        self.thread_time.end_poll();
    }

    pub(super) fn count_turn_bytes(&self, bytes: usize) {
        // Only the thread that polls the connection writes this.
        self.turn_bytes.store(self.turn_bytes.load(Relaxed) + bytes, Relaxed);
    }

    /// Whether it has moved as many bytes in this turn as it may.
    pub(super) fn is_turn_over(&self) -> bool {
        self.turn_bytes.load(Relaxed) >= TURN_BYTES_MAX
    }

    /// Marks a request as waiting for its body or for work, until the returned value is dropped.
    pub fn mark_waiting(self: &Arc<Connection>) -> WaitingGuard {
        self.waiting.fetch_add(1, Relaxed);
        self.metrics.waiting.fetch_add(1, Relaxed);
        WaitingGuard(Arc::clone(self))
    }

    pub fn record_piece(&self) {
        self.pieces.fetch_add(1, Relaxed);
        self.last_release_ms.store(uptime_ms(), Relaxed);
    }

    /// Closes the connection after the answer, but keeps reading for a while: closing while the client sends
    /// would discard the answer. No effect on HTTP/2, which can give up a single request.
    pub fn linger_after_answer(&self) {
        self.linger_on_close.store(true, Relaxed);
        self.close_after_answer();
    }

    /// Closes the connection after the next answer, whenever that is.
    pub(super) fn close_after_answer(&self) {
        self.close_after_answer.store(true, Relaxed);
    }

    pub fn is_http2(&self) -> bool {
        self.http2.load(Relaxed)
    }

    pub(super) fn charge(&self, kind: ChargeKind, bytes: usize) {
        let is_first_answer = kind == ChargeKind::Answer && self.unsent.bytes() == 0;
        if self.held_bytes.fetch_add(bytes, Relaxed) == 0 || is_first_answer {
            self.last_release_ms.store(uptime_ms(), Relaxed);
        }
        if kind == ChargeKind::Answer {
            self.unsent.add(bytes);
        }
        self.metrics.memory.add(bytes);
    }

    pub(super) fn release(&self, kind: ChargeKind, bytes: usize) {
        self.held_bytes.fetch_sub(bytes, Relaxed);
        self.last_release_ms.store(uptime_ms(), Relaxed);
        if kind == ChargeKind::Answer {
            self.releases.fetch_add(1, Relaxed);
            self.unsent.subtract(bytes);
        }
        self.metrics.memory.subtract(bytes);
    }

    /// Charges the longest allowed head, from when this one is recognised as long until its request is answered.
    pub(super) fn charge_long_head(&self) {
        if !self.long_head_charged.swap(true, Relaxed) {
            self.charge(ChargeKind::Request, HEAD_BYTES_MAX);
        }
    }

    pub(super) fn release_long_head(&self) {
        if self.long_head_charged.load(Relaxed) && self.long_head_charged.swap(false, Relaxed) {
            self.release(ChargeKind::Request, HEAD_BYTES_MAX);
        }
    }

    /// Whether a further answer may be made, or must wait until the client reads its answers or other connections
    /// release memory.
    pub(super) fn readiness(&self) -> Readiness {
        let memory = &self.metrics.memory;
        // While all together hold too much, a connection may have one request in the queue.
        let has_queued_enough = || memory.is_congested() && self.queued.load(Relaxed) > 0;
        let request_bytes = || self.held_bytes().saturating_sub(self.unsent.bytes());
        if memory.has_room() && !self.unsent.is_full() {
            Readiness::Ready
        } else if has_queued_enough() || request_bytes() >= QUEUED_BYTES_MAX {
            Readiness::Overloaded
        } else {
            Readiness::Queue
        }
    }

    /// Counts a request as queued until the returned value is dropped.
    pub(super) fn mark_queued(self: &Arc<Connection>) -> QueuedGuard {
        self.queued.fetch_add(1, Relaxed);
        QueuedGuard(Arc::clone(self))
    }

    pub(super) async fn wait_for_room(&self) -> Admission<'_> {
        loop {
            // Waits outside the queue of all connections: the client may never read its answers.
            self.unsent.until_not_full().await;
            // A client that reads its answers does not wait behind those that do not.
            let has_unread = self.unsent.bytes() > 0;
            let turn = if has_unread { Turn::Later } else { Turn::First };
            let admission = self.metrics.memory.wait_for_room(turn).await;
            if !self.unsent.is_full() {
                return admission;
            }
        }
    }

    /// What kind of memory it holds.
    pub(super) fn holding(&self) -> Holding {
        if self.unsent.bytes() > 0 {
            Holding::UnreadAnswers
        } else if self.queued.load(Relaxed) == 0 {
            Holding::NoAnswers
        } else {
            Holding::WaitingRequests
        }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.held_bytes.load(Relaxed)
    }

    /// Idle since this time; `None` if a request runs or began since that was recorded.
    pub(super) fn idle_since_ms(&self) -> Option<u64> {
        let since = Some(self.idle_since_ms.load(Relaxed)).filter(|since| *since > 0);
        since.filter(|_| !self.is_busy() && !self.is_close_requested())
    }

    /// Whether a request runs, or began since it was last idle.
    pub(super) fn is_busy(&self) -> bool {
        let begun = self.requests.load(Relaxed) != self.requests_when_idle.load(Relaxed);
        begun || self.waiting.load(Relaxed) > 0
    }

    pub(super) fn set_idle_since_ms(&self, since: u64) {
        self.requests_when_idle.store(self.requests.load(Relaxed), Relaxed);
        self.idle_since_ms.store(since, Relaxed);
    }

    /// Requests it to close; `false` if that was requested before.
    pub(super) fn request_close(&self, reason: CloseReason) -> bool {
        let is_first = self.close_reason.set(reason).is_ok();
        if is_first {
            self.close_requested.notify_one();
        }
        is_first
    }

    pub(super) fn is_close_requested(&self) -> bool {
        self.close_reason.get().is_some()
    }

    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        self.close_reason.get().copied()
    }

    pub fn closes_after_answer(&self) -> bool {
        self.close_after_answer.load(Relaxed) && !self.http2.load(Relaxed)
    }
}

/// What kind of memory a connection holds, in the order in which connections are closed while all together hold too
/// much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holding {
    /// Answers that its client has not read.
    UnreadAnswers,
    /// That of the connection itself, a head or a body: it may be idle.
    NoAnswers,
    /// Requests that wait for memory although the client has read every answer, because others hold too much.
    WaitingRequests,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    Ready,
    /// The request waits for memory.
    Queue,
    /// There is no memory even for waiting.
    Overloaded,
}

#[derive(Debug)]
pub(super) struct QueuedGuard(Arc<Connection>);

impl Drop for QueuedGuard {
    fn drop(&mut self) {
        self.0.queued.fetch_sub(1, Relaxed);
    }
}

#[derive(Debug)]
pub struct WaitingGuard(Arc<Connection>);

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        // What arrived meanwhile was the body. If it was also the beginning of a pipelined head, the time-out of that
        // head starts with its next byte.
        self.0.head_begun.store(false, Relaxed);
        self.0.waiting.fetch_sub(1, Relaxed);
        self.0.metrics.waiting.fetch_sub(1, Relaxed);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.release_long_head();
        self.metrics.connections_closed.fetch_add(1, Relaxed);
    }
}

/// Overhead of a request or an answer beside its bytes: its task and table entries.
pub const OVERHEAD_BYTES: usize = 4 * 1024;

/// Bytes that count as held by a connection until this is dropped.
#[derive(Debug)]
pub struct Charge {
    connection: Arc<Connection>,
    kind: ChargeKind,
    bytes: usize,
}

impl Charge {
    pub fn of(connection: &Arc<Connection>, kind: ChargeKind, bytes: usize) -> Charge {
        connection.charge(kind, bytes);
        Charge { connection: Arc::clone(connection), kind, bytes }
    }

    /// Splits off a part that is dropped at another time.
    fn split(&mut self, bytes: usize) -> Charge {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Charge { connection: Arc::clone(&self.connection), kind: self.kind, bytes }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.connection.release(self.kind, self.bytes);
    }
}

/// Charge for each piece of an answer whose bytes are shared: the piece's entry in hyper's queue.
const SHARED_PIECE_OVERHEAD_BYTES: usize = 256;

/// The rest of an answer that was not handed to hyper yet, with the charge for it.
#[derive(Debug)]
pub struct ChargedBytes {
    rest: Bytes,
    charge: Charge,
    piece_bytes: usize,
    are_shared: bool,
}

impl ChargedBytes {
    /// Shared bytes, such as a mapped file, take no memory of this answer. Only their overhead is charged, so that it
    /// shows whether the client reads.
    pub fn of(
        rest: Bytes,
        are_shared: bool,
        connection: &Arc<Connection>,
        piece_bytes: usize,
    ) -> ChargedBytes {
        let bytes = OVERHEAD_BYTES + if are_shared { 0 } else { rest.len() };
        let charge = Charge::of(connection, ChargeKind::Answer, bytes);
        ChargedBytes { rest, charge, piece_bytes, are_shared }
    }

    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next piece; its charge lasts until the sender drops it.
    pub fn next_piece(&mut self) -> Option<Bytes> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.rest.split_to(self.rest.len().min(self.piece_bytes));
        let charge = match self.are_shared {
            true => {
                Charge::of(&self.charge.connection, ChargeKind::Answer, SHARED_PIECE_OVERHEAD_BYTES)
            }
            false => self.charge.split(bytes.len()),
        };
        Some(Bytes::from_owner(ChargedPiece { bytes, _charge: charge }))
    }
}

struct ChargedPiece {
    bytes: Bytes,
    _charge: Charge,
}

impl AsRef<[u8]> for ChargedPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Charge, *};
    use crate::server::limits::HELD_BYTES_MAX;

    #[test]
    fn a_request_waits_for_unsent_answers_and_is_refused_past_the_queue_limit() {
        #[track_caller]
        fn check(
            held: &[(ChargeKind, usize)],
            queued: usize,
            held_by_others: usize,
            expected: Readiness,
        ) {
            let metrics = Arc::new(Metrics::over(Vec::new()));
            metrics.memory.add(held_by_others);
            let remote = Remote::own_process();
            let connection = Arc::new(Connection::open(1, remote, 0, metrics));
            let _queued: Vec<QueuedGuard> = (0..queued).map(|_| connection.mark_queued()).collect();
            let charge = |(kind, bytes): &(_, _)| Charge::of(&connection, *kind, *bytes);
            let _held: Vec<Charge> = held.iter().map(charge).collect();
            assert_eq!(connection.readiness(), expected, "{held:?}");
        }
        let (answer, request) = (ChargeKind::Answer, ChargeKind::Request);
        check(&[], 0, 0, Readiness::Ready);
        check(&[(answer, UNSENT_BYTES_MAX - 1)], 0, 0, Readiness::Ready);
        check(&[(answer, UNSENT_BYTES_MAX)], 0, 0, Readiness::Queue);
        // Several long answers that began at the same time.
        check(&[(answer, 8 * QUEUED_BYTES_MAX), (request, 40_000)], 31, 0, Readiness::Queue);
        check(
            &[(answer, UNSENT_BYTES_MAX), (request, QUEUED_BYTES_MAX)],
            20,
            0,
            Readiness::Overloaded,
        );
        check(&[], 0, HELD_BYTES_MAX, Readiness::Queue);
        check(&[(request, 4_000)], 1, HELD_BYTES_MAX, Readiness::Overloaded);
    }

    #[test]
    fn a_mapped_address_is_shown_as_ipv4() {
        let mapped = Remote::client("::ffff:192.0.2.7".parse().expect("an address"));
        let connection = Connection::open(1, mapped, 0, Arc::new(Metrics::over(Vec::new())));
        assert_eq!(&*connection.remote_text, "192.0.2.7");
    }
}

#[cfg(test)]
mod charge_tests {
    use super::*;
    use crate::server::metrics::Metrics;

    #[test]
    fn an_answer_is_counted_until_its_last_piece_is_dropped() {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let remote = Remote::own_process();
        let connection = Arc::new(Connection::open(1, remote, 0, Arc::clone(&metrics)));
        let counted = || metrics.memory.bytes();
        let mut answer = ChargedBytes::of(vec![b'x'; 40].into(), false, &connection, 16);
        assert_eq!(counted(), OVERHEAD_BYTES + 40);
        let pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next_piece()).collect();
        assert_eq!(pieces.iter().map(Bytes::len).collect::<Vec<_>>(), [16, 16, 8]);
        assert_eq!(counted(), OVERHEAD_BYTES + 40);
        drop(answer);
        assert_eq!(counted(), 40);
        let part = pieces[0].slice(..1);
        drop(pieces);
        assert_eq!(counted(), 16);
        drop(part);
        assert_eq!(counted(), 0);
    }

    #[test]
    fn shared_bytes_are_charged_little_until_their_last_piece_is_dropped() {
        let metrics = Arc::new(Metrics::over(Vec::new()));
        let remote = Remote::own_process();
        let connection = Arc::new(Connection::open(1, remote, 0, Arc::clone(&metrics)));
        let counted = || metrics.memory.bytes();
        let mut answer = ChargedBytes::of(vec![b'x'; 1_000_000].into(), true, &connection, 16_384);
        assert_eq!(counted(), OVERHEAD_BYTES);
        let pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next_piece()).take(3).collect();
        assert_eq!(counted(), OVERHEAD_BYTES + 3 * SHARED_PIECE_OVERHEAD_BYTES);
        drop(answer);
        assert_eq!(counted(), 3 * SHARED_PIECE_OVERHEAD_BYTES);
        drop(pieces);
        assert_eq!(counted(), 0);
    }
}
