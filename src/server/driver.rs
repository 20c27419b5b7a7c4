//! One accepted connection, from its first bytes to its end: agrees on TLS where the server has a certificate, detects the
//! protocol, and serves it between the events that may end it.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::sync::{mpsc, watch};
use tokio::time::Sleep;

use super::budget::{ChargeKind, Turn};
use super::certificate::Certificate;
use super::connection::{Charge, CloseReason, Connection};
use super::connection_service::{ConnectionService, Telemetry};
use super::connection_table::ConnectionTable;
use super::frames::{FirstBytes, Protocol, detect};
use super::http1::Http1Connection;
use super::http1::answer::refusal_bytes;
use super::limits::{
    HEAD_BYTES_MAX, HTTP1_BYTES, HTTP2_BYTES, STREAMS_MAX, TLS_BYTES, TLS_HANDSHAKE_BYTES, Timeouts,
};
use super::served_connection::{ConnectionError, ServedConnection};
use super::service::{HttpService, Refusal};
use super::socket::Socket;
use super::stream::{Stream, begins_with_tls, send_refusal};
use super::watchdog::{Verdict, Watchdog};

/// Most bytes buffered for an HTTP/2 stream in either direction: receive window and send buffer.
const STREAM_BYTES_MAX: u32 = 64 * 1024;

/// How often an HTTP/2 peer is pinged, and how long it may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the first request of a connection may take that was accepted just before the end. A client connects and then
/// sends, and does not expect that a new connection closes.
const FIRST_REQUEST_TIME: Duration = Duration::from_millis(250);

/// Limit of streams that a client opened and cancelled before they were handled, and of streams that it broke.
/// Above it the connection ends (rapid reset).
const RESETS_MAX: usize = 20;
const ERRORS_MAX: usize = 128;

/// Drives the connections of a server; has what all of them share.
pub struct Driver<S> {
    pub service: Arc<S>,
    pub telemetry: Arc<Telemetry>,
    timeouts: Timeouts,
    /// `None` if connections are in clear text.
    certificate: Option<Arc<Certificate>>,
    table: Arc<ConnectionTable>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    phase_changes: AtomicU64,
}

impl<S: HttpService> Driver<S> {
    pub fn new(
        service: Arc<S>,
        telemetry: Telemetry,
        timeouts: Timeouts,
        certificate: Option<Arc<Certificate>>,
        table: Arc<ConnectionTable>,
    ) -> Driver<S> {
        Driver {
            service,
            telemetry: Arc::new(telemetry),
            timeouts,
            certificate,
            table,
            http1: http1_builder(),
            http2: http2_builder(),
            phase_changes: AtomicU64::new(0),
        }
    }

    /// Whether the client of an accepted connection begins with TLS.
    pub fn expects_tls(&self, stream: &Stream) -> bool {
        self.certificate.is_some() && matches!(stream, Stream::Tcp(_))
    }

    /// Must be called before each change of the phase: connections read the phase only if this was called.
    pub fn announce_phase_change(&self) {
        self.phase_changes.fetch_add(1, Relaxed);
    }

    pub async fn run(
        &self,
        stream: Stream,
        connection: Arc<Connection>,
        mut phase: watch::Receiver<Phase>,
        end_unseen: EndUnseen,
    ) {
        let mut end_unseen = Some(end_unseen);
        let opened = tokio::select! {
            biased;
            () = wait_for_end_of_opening(&mut phase, &mut end_unseen) => return,
            () = connection.close_requested.notified() => {
                connection.metrics.connections_gave_way.fetch_add(1, Relaxed);
                return;
            }
            () = tokio::time::sleep(self.timeouts.head) => {
                connection.metrics.connections_cut.fetch_add(1, Relaxed);
                return;
            }
            opened = self.open(stream, &connection) => opened,
        };
        let Some(Opened { stream, protocol, first_bytes, _charges }) = opened else { return };
        let is_tls = stream.is_tls();
        let socket =
            Socket::new(stream, protocol, first_bytes, connection.clone(), self.service.clone());
        let service = ConnectionService {
            service: self.service.clone(),
            telemetry: self.telemetry.clone(),
            connection: connection.clone(),
            table: self.table.clone(),
            timeouts: self.timeouts,
            is_tls,
            begun: Cell::default(),
        };
        match protocol {
            Protocol::Http1 => {
                let http_connection = Http1Connection::new(socket, service, self.http1.clone());
                self.drive(http_connection, protocol, &connection, phase, end_unseen).await;
            }
            Protocol::Http2 => {
                let http_connection = self.http2.serve_connection(TokioIo::new(socket), service);
                self.drive(http_connection, protocol, &connection, phase, end_unseen).await;
            }
        }
    }

    /// Agrees on TLS, if this server has a certificate, and detects the protocol. Charges the connection's own memory as
    /// soon as there is room for it: while all connections hold too much, its bytes wait in the kernel.
    async fn open(&self, stream: Stream, connection: &Arc<Connection>) -> Option<Opened> {
        let mut charges = Vec::with_capacity(2);
        let mut stream = match (stream, &self.certificate) {
            (Stream::Tcp(tcp), Some(certificate)) => {
                if !begins_with_tls(&tcp).await? {
                    let answer = refusal_bytes(self.service.refuse(Refusal::ClearText));
                    send_refusal(Stream::Tcp(tcp), &answer).await;
                    return None;
                }
                let _during_handshake = charge(connection, TLS_HANDSHAKE_BYTES).await;
                charges.push(Charge::of(connection, ChargeKind::Request, TLS_BYTES));
                let accepted = Stream::accept_tls(tcp, certificate.settings()).await;
                accepted
                    .inspect_err(|error| {
                        tracing::debug!(%error, connection = connection.number, "no TLS connection");
                    })
                    .ok()?
            }
            (stream, _) => stream,
        };
        let (protocol, first_bytes) = detect(&mut stream).await?;
        let own_bytes = match protocol {
            Protocol::Http1 => HTTP1_BYTES,
            Protocol::Http2 => HTTP2_BYTES,
        };
        charges.push(charge(connection, own_bytes).await);
        Some(Opened { stream, protocol, first_bytes, _charges: charges })
    }

    /// Polls a connection until it ends, and acts on the events in between.
    async fn drive<C: ServedConnection>(
        &self,
        http_connection: C,
        protocol: Protocol,
        connection: &Connection,
        mut phase: watch::Receiver<Phase>,
        mut end_unseen: Option<EndUnseen>,
    ) {
        let mut http_connection = pin!(http_connection);
        let mut watchdog = Watchdog::start(self.timeouts, Instant::now());
        // Not marked as seen: if the server ended just now, the first event is that change.
        let mut drain_at = phase.borrow().drain_time(connection.number);
        let is_past = drain_at.take_if(|time| *time <= Instant::now()).is_some();
        if is_past || end_unseen.is_none() {
            // The drain or the end came before its first request; the end may come before its second.
            close_in_order(protocol, connection, http_connection.as_mut());
        }
        let mut tick = pin!(tokio::time::sleep_until(self.next_tick(drain_at)));
        loop {
            let event =
                self.next_event(http_connection.as_mut(), tick.as_mut(), &mut phase, connection);
            match event.await {
                Event::Ended(result) => {
                    if let Err(error) = result {
                        tracing::debug!(%error, connection = connection.number, "connection ended");
                    }
                    return;
                }
                Event::PhaseChanged => {
                    let now = *phase.borrow_and_update();
                    drain_at = now.drain_time(connection.number);
                    match now {
                        Phase::Drop => return,
                        Phase::Finish => {
                            http_connection.as_mut().graceful_shutdown();
                            drop(end_unseen.take());
                        }
                        Phase::Serve | Phase::Drain(_) => {
                            tick.as_mut().reset(self.next_tick(drain_at));
                        }
                    }
                }
                Event::CloseRequested => {
                    count_close_request(connection);
                    if closes_at_once(connection) {
                        return;
                    }
                    http_connection.as_mut().graceful_shutdown();
                }
                Event::Tick => {
                    let now = Instant::now();
                    if drain_at.take_if(|time| *time <= now).is_some() {
                        close_in_order(protocol, connection, http_connection.as_mut());
                    }
                    match watchdog.check(connection, now) {
                        Verdict::Keep => {}
                        Verdict::Idle => http_connection.as_mut().graceful_shutdown(),
                        Verdict::Cut => {
                            connection.request_close(CloseReason::TimedOut);
                            return;
                        }
                    }
                    tick.as_mut().reset(self.next_tick(drain_at));
                }
            }
        }
    }

    /// When the watchdog checks next, or the drain reaches the connection.
    fn next_tick(&self, drain_at: Option<Instant>) -> tokio::time::Instant {
        let check_at = Instant::now() + self.timeouts.tick();
        drain_at.map_or(check_at, |time| time.min(check_at)).into()
    }

    /// Serves until another event occurs. Once the phase and the clock have registered their waker, they are
    /// checked by one load each: polling them takes a lock, and nearly every poll belongs to a request.
    async fn next_event<C: ServedConnection>(
        &self,
        mut http_connection: Pin<&mut C>,
        mut tick: Pin<&mut Sleep>,
        phase: &mut watch::Receiver<Phase>,
        connection: &Connection,
    ) -> Event {
        let seen_changes = self.phase_changes.load(Relaxed);
        let mut phase_changed = pin!(phase.changed());
        let mut close_requested = pin!(connection.close_requested.notified());
        let mut has_registered = false;
        poll_fn(|context| {
            // Check this first: a connection that holds too much must not take more.
            if connection.is_close_requested() && close_requested.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(Event::CloseRequested);
            }
            connection.begin_turn();
            let polled = http_connection.as_mut().poll_end(context);
            connection.end_turn();
            if let Poll::Ready(result) = polled {
                return Poll::Ready(Event::Ended(result));
            }
            let has_changed = self.phase_changes.load(Relaxed) != seen_changes;
            if has_registered && !has_changed && !tick.is_elapsed() {
                return Poll::Pending;
            }
            has_registered = true;
            if phase_changed.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::PhaseChanged);
            }
            if close_requested.as_mut().poll(context).is_ready() {
                return Poll::Ready(Event::CloseRequested);
            }
            tick.as_mut().poll(context).map(|()| Event::Tick)
        })
        .await
    }
}

/// Waits until a connection without a request must close, because the server ends. When the server begins to end,
/// `end_unseen` becomes `None`: the connection has seen it, and does not keep the listener open.
async fn wait_for_end_of_opening(
    phase: &mut watch::Receiver<Phase>,
    end_unseen: &mut Option<EndUnseen>,
) {
    wait_for_end(phase).await;
    drop(end_unseen.take());
    let dropped = phase.wait_for(|phase| *phase == Phase::Drop);
    let _ = tokio::time::timeout(FIRST_REQUEST_TIME, dropped).await;
}

/// Lets a connection finish what its client has sent or is sending now.
fn close_in_order<C: ServedConnection>(
    protocol: Protocol,
    connection: &Connection,
    http_connection: Pin<&mut C>,
) {
    match protocol {
        // An idle connection closes after its next answer: closing now could cross the next request.
        Protocol::Http1 => connection.close_after_answer(),
        Protocol::Http2 => http_connection.graceful_shutdown(),
    }
}

enum Event {
    Ended(Result<(), ConnectionError>),
    PhaseChanged,
    CloseRequested,
    Tick,
}

fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // `watchdog.rs` enforces this time-out, without a timer for each request.
        .header_read_timeout(None)
        // A head must fit this buffer; bodies pass through it in pieces.
        .max_buf_size(HEAD_BYTES_MAX);
    builder
}

fn http2_builder() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(u32::try_from(HEAD_BYTES_MAX).expect("48 KiB"))
        .max_send_buf_size(STREAM_BYTES_MAX as usize)
        .initial_stream_window_size(STREAM_BYTES_MAX)
        .initial_connection_window_size(STREAM_BYTES_MAX)
        .max_pending_accept_reset_streams(RESETS_MAX)
        .max_local_error_reset_streams(ERRORS_MAX)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIME_MAX);
    builder
}

/// A connection whose protocol is known.
struct Opened {
    stream: Stream,
    protocol: Protocol,
    first_bytes: FirstBytes,
    /// Dropped when the connection ends.
    _charges: Vec<Charge>,
}

/// Waits until there is room for these bytes, which then count as held by the connection.
async fn charge(connection: &Arc<Connection>, bytes: usize) -> Charge {
    let memory = &connection.metrics.memory;
    let admission =
        if memory.has_room() { None } else { Some(memory.wait_for_room(Turn::First).await) };
    let charge = Charge::of(connection, ChargeKind::Request, bytes);
    drop(admission);
    charge
}

fn count_close_request(connection: &Connection) {
    let metrics = &connection.metrics;
    let count = match connection.close_reason() {
        Some(CloseReason::MakeRoom) => &metrics.connections_gave_way,
        _ => &metrics.connections_cut,
    };
    count.fetch_add(1, Relaxed);
}

/// Whether a connection that is requested to close does not finish its requests.
fn closes_at_once(connection: &Connection) -> bool {
    connection.close_reason() != Some(CloseReason::MakeRoom) || !connection.is_busy()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Serve,
    /// Connections close over time; requests and new connections are still served.
    Drain(Drain),
    /// Requests in flight get their answers; no others are accepted.
    Finish,
    /// Everything ends at once.
    Drop,
}

impl Phase {
    /// Whether no new requests are accepted.
    pub fn is_end(&self) -> bool {
        matches!(self, Phase::Finish | Phase::Drop)
    }

    /// Whether new connections are accepted.
    pub fn accepts(&self) -> bool {
        match self {
            Phase::Serve => true,
            Phase::Drain(drain) => drain.reason == DrainReason::Stop,
            Phase::Finish | Phase::Drop => false,
        }
    }

    /// When the connection of this number is to close; `None` unless a drain is under way.
    pub fn drain_time(&self, number: u64) -> Option<Instant> {
        match self {
            Phase::Drain(drain) => Some(drain.close_time(number)),
            Phase::Serve | Phase::Finish | Phase::Drop => None,
        }
    }
}

/// Why connections close.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainReason {
    /// The server will stop.
    Stop,
    /// Another process accepts the new connections from now on.
    Handover,
}

/// The time between the signal to stop and the stop, in which connections close.
///
/// Each connection has a time of its own, so that not all clients reconnect to the other servers at once. The times
/// lie in the middle half of the drain: earlier, a balancer may not have noticed yet and would send the client here
/// again; later, a client with infrequent requests would not learn of it in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drain {
    pub began: Instant,
    pub time: Duration,
    pub reason: DrainReason,
}

/// 2^32 divided by the golden ratio: its multiples modulo 2^32 are evenly spread, however many there are.
const STEP: u32 = 0x9E37_79B9;

impl Drain {
    pub fn close_time(&self, number: u64) -> Instant {
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are what counts")]
        let share = f64::from((number as u32).wrapping_mul(STEP)) / 2_f64.powi(32);
        self.began + self.time / 4 + self.time.mul_f64(share / 2.0)
    }
}

/// Waits until no new connections are accepted; returns whether another process does so.
pub async fn wait_for_last_accept(phase: &mut watch::Receiver<Phase>) -> bool {
    let last = phase.wait_for(|phase| !phase.accepts()).await;
    last.is_ok_and(|phase| !phase.is_end())
}

pub async fn wait_for_end(phase: &mut watch::Receiver<Phase>) {
    // A closed channel has ended too.
    let _ = phase.wait_for(Phase::is_end).await;
}

/// What a connection has until it acts on the end of the server. Nothing is sent: dropping it is the message.
#[derive(Debug, Clone)]
pub struct EndUnseen {
    _sender: mpsc::Sender<Infallible>,
}

/// Waits for the connections that have an [`EndUnseen`].
#[derive(Debug)]
pub struct EndSeen(mpsc::Receiver<Infallible>);

impl EndUnseen {
    pub fn new() -> (EndUnseen, EndSeen) {
        let (sender, receiver) = mpsc::channel(1);
        (EndUnseen { _sender: sender }, EndSeen(receiver))
    }
}

impl EndSeen {
    /// Waits until every connection acts on the end, or has ended.
    pub async fn by_all(mut self) {
        // Without senders, the channel is closed.
        let _ = self.0.recv().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_seen_by_all_once_each_connection_has_dropped_its_part() {
        let (unseen, seen) = EndUnseen::new();
        let other = unseen.clone();
        let mut by_all = std::pin::pin!(seen.by_all());
        drop(unseen);
        assert!(
            tokio::time::timeout(Duration::ZERO, by_all.as_mut()).await.is_err(),
            "one has not seen it"
        );
        drop(other);
        assert!(tokio::time::timeout(Duration::ZERO, by_all).await.is_ok());
    }

    #[test]
    fn connections_close_evenly_in_the_middle_half_of_the_drain() {
        for time in [Duration::from_millis(1), Duration::from_secs(5), Duration::from_secs(3600)] {
            let drain = Drain { began: Instant::now(), time, reason: DrainReason::Stop };
            for first in [0, 1, 1_000, u64::from(u32::MAX) - 50, u64::MAX - 100] {
                let mut eighths = [0; 8];
                for number in first..first + 100 {
                    let passed = drain.close_time(number) - drain.began;
                    let part = 8.0 * passed.as_secs_f64() / time.as_secs_f64();
                    eighths[part as usize] += 1;
                }
                let [0, 0, middle @ .., 0, 0] = eighths else {
                    panic!("from {first}: {eighths:?}")
                };
                assert!(middle.iter().all(|count| (20..=30).contains(count)), "{eighths:?}");
            }
        }
    }
}
