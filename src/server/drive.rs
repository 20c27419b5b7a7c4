//! One accepted connection, from its first bytes to its end: detects the protocol, and runs hyper's connection
//! between the events that may end it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Sleep;

use super::connection::{Connection, Leave};
use super::exchange::{Exchanges, Journal};
use super::held::Charge;
use super::limits::{HEAD_BYTES_MAX, HTTP1_BYTES, HTTP2_BYTES, STREAMS_MAX, Timeouts};
use super::phase::{Phase, ended, moment_to_go};
use super::pool::Holding;
use super::preface::{FirstBytes, Protocol, detect};
use super::service::Service;
use super::socket::Socket;
use super::watch::{Verdict, Watch};

/// Most bytes buffered for an HTTP/2 stream in either direction: receive window and send buffer.
const STREAM_BYTES_MAX: u32 = 64 * 1024;

/// How often an HTTP/2 peer is pinged, and how long it may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIME_MAX: Duration = Duration::from_secs(10);

/// Limit of streams that a client opened and cancelled before they were handled, and of streams that it broke.
/// Above it the connection ends (rapid reset).
const RESETS_MAX: usize = 20;
const ERRORS_MAX: usize = 128;

/// What every connection of a server shares.
pub struct Drive<S> {
    pub service: Arc<S>,
    pub journal: Arc<Journal>,
    timeouts: Timeouts,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    /// Number of phase changes.
    turns: AtomicU64,
}

impl<S: Service> Drive<S> {
    pub fn over(service: Arc<S>, journal: Journal, timeouts: Timeouts) -> Drive<S> {
        Drive {
            service,
            journal: Arc::new(journal),
            timeouts,
            http1: http1_builder(),
            http2: http2_builder(),
            turns: AtomicU64::new(0),
        }
    }

    /// Must be called before each change of the phase: connections look at it only if this was called.
    pub fn note_turn(&self) {
        self.turns.fetch_add(1, Relaxed);
    }

    /// Serves the connection until it ends.
    pub async fn run(
        &self,
        mut tcp: TcpStream,
        connection: Arc<Connection>,
        mut phase: watch::Receiver<Phase>,
    ) {
        let timeouts = self.timeouts;
        let detected = tokio::select! {
            biased;
            () = ended(&mut phase) => return,
            () = connection.asked_to_leave() => {
                connection.metrics.connections_gave_way.fetch_add(1, Relaxed);
                return;
            }
            () = tokio::time::sleep(timeouts.head) => {
                connection.metrics.connections_cut.fetch_add(1, Relaxed);
                return;
            }
            detected = begin_to_talk(&mut tcp, &connection) => detected,
        };
        let Some((protocol, first, _own)) = detected else { return };
        let service = self.service.clone();
        let socket =
            TokioIo::new(Socket::over(tcp, (protocol, first), connection.clone(), service.clone()));
        let (journal, connection_of) = (self.journal.clone(), connection.clone());
        let exchanges = Exchanges { service, journal, connection: connection_of, timeouts };
        match protocol {
            Protocol::Http1 => {
                let http_connection = self.http1.serve_connection(socket, exchanges);
                drive(http_connection, (&connection, protocol), timeouts, phase, &self.turns).await;
            }
            Protocol::Http2 => {
                let http_connection = self.http2.serve_connection(socket, exchanges);
                drive(http_connection, (&connection, protocol), timeouts, phase, &self.turns).await;
            }
        }
    }
}

fn http1_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // `watch.rs` enforces this time-out, without a timer for each request.
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

/// Detects the protocol, and counts the memory of the connection when its turn comes. While all connections
/// hold too much, its bytes wait in the kernel.
async fn begin_to_talk(
    tcp: &mut TcpStream,
    connection: &Arc<Connection>,
) -> Option<(Protocol, FirstBytes, Charge)> {
    let (protocol, first) = detect(tcp).await?;
    let own_bytes = match protocol {
        Protocol::Http1 => HTTP1_BYTES,
        Protocol::Http2 => HTTP2_BYTES,
    };
    let held = &connection.metrics.held;
    let turn = if held.has_room() { None } else { Some(held.turn().await) };
    let own = Charge::of(connection, Holding::Request, own_bytes);
    drop(turn);
    Some((protocol, first, own))
}

async fn drive<C: GracefulConnection<Error = hyper::Error>>(
    http_connection: C,
    (connection, protocol): (&Connection, Protocol),
    timeouts: Timeouts,
    mut phase: watch::Receiver<Phase>,
    turns: &AtomicU64,
) {
    let mut http_connection = pin!(http_connection);
    let mut watch = Watch::start(timeouts, Instant::now());
    let mut goes_at = moment_to_go(&mut phase, connection.number);
    let next_tick = |goes_at: Option<Instant>| {
        let next = Instant::now() + timeouts.tick();
        tokio::time::Instant::from(goes_at.map_or(next, |at| at.min(next)))
    };
    let mut tick = pin!(tokio::time::sleep_until(next_tick(goes_at)));
    loop {
        match next_event(http_connection.as_mut(), tick.as_mut(), &mut phase, turns, connection)
            .await
        {
            Event::Ended(ended) => {
                if let Err(error) = ended {
                    tracing::debug!(%error, connection = connection.number, "connection ended");
                }
                return;
            }
            Event::Phase => {
                goes_at = moment_to_go(&mut phase, connection.number);
                match *phase.borrow() {
                    Phase::Drop => return,
                    Phase::Finish => http_connection.as_mut().graceful_shutdown(),
                    Phase::Serve | Phase::Drain(_) => tick.as_mut().reset(next_tick(goes_at)),
                }
            }
            Event::Leave => {
                if leaves_now(connection) {
                    return;
                }
                http_connection.as_mut().graceful_shutdown();
            }
            Event::Tick => {
                let now = Instant::now();
                if goes_at.take_if(|at| *at <= now).is_some() {
                    match protocol {
                        // An idle connection closes after its next answer: closing now could cross the next
                        // request.
                        Protocol::Http1 => connection.end_after_answer(),
                        Protocol::Http2 => http_connection.as_mut().graceful_shutdown(),
                    }
                }
                match watch.look(connection, now) {
                    Verdict::Keep => {}
                    Verdict::Idle => http_connection.as_mut().graceful_shutdown(),
                    Verdict::Cut => {
                        connection.ask_to_leave(Leave::TimeOver);
                        return;
                    }
                }
                tick.as_mut().reset(next_tick(goes_at));
            }
        }
    }
}

/// Counts a connection that was asked to leave. Returns whether it ends now, not after its requests.
fn leaves_now(connection: &Connection) -> bool {
    if connection.left() == Some(Leave::ForAnother) {
        connection.metrics.connections_gave_way.fetch_add(1, Relaxed);
        return !connection.is_at_work();
    }
    connection.metrics.connections_cut.fetch_add(1, Relaxed);
    true
}

enum Event {
    Ended(hyper::Result<()>),
    Phase,
    Leave,
    Tick,
}

/// Serves until another event occurs. Once the phase and the clock have registered their waker they are checked
/// by one load each: polling them takes a lock, and nearly every poll belongs to a request.
async fn next_event<C: GracefulConnection<Error = hyper::Error>>(
    mut http_connection: Pin<&mut C>,
    mut tick: Pin<&mut Sleep>,
    phase: &mut watch::Receiver<Phase>,
    turns: &AtomicU64,
    connection: &Connection,
) -> Event {
    let seen = turns.load(Relaxed);
    let mut changed = pin!(phase.changed());
    let mut asked = pin!(connection.asked_to_leave());
    let mut waits = false;
    poll_fn(|context| {
        // Check this first: a connection that holds too much must not take more.
        if connection.is_asked_to_leave() && asked.as_mut().poll(context).is_ready() {
            return Poll::Ready(Event::Leave);
        }
        if let Poll::Ready(ended) = http_connection.as_mut().poll(context) {
            return Poll::Ready(Event::Ended(ended));
        }
        if waits && turns.load(Relaxed) == seen && !tick.is_elapsed() {
            return Poll::Pending;
        }
        waits = true;
        if changed.as_mut().poll(context).is_ready() {
            return Poll::Ready(Event::Phase);
        }
        if asked.as_mut().poll(context).is_ready() {
            return Poll::Ready(Event::Leave);
        }
        tick.as_mut().poll(context).map(|()| Event::Tick)
    })
    .await
}
