//! The accept loops: accept sockets, start connections within the limits, and shut down gracefully.
//!
//! HTTP/1.1 and HTTP/2 in clear text share a port. Above [`ServerConfig::connections_max`] a connection is answered
//! 503 and closed. To stop, listeners and idle connections close, requests in flight get their answer, and after
//! [`Timeouts::stop`] the rest is dropped.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Sleep;

use super::connection::{Connection, Leave};
use super::crowd::{Crowd, Place};
use super::drain::Drain;
use super::exchange::{Exchanges, Journal};
use super::held::Charge;
use super::limits::{
    BACKLOG_MAX, CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS, HEAD_BYTES_MAX, HTTP1_BYTES,
    HTTP2_BYTES, LINGER_TIME_MAX, PLACE_TIME_MAX, REFUSALS_MAX, STREAMS_MAX, Timeouts,
};
use super::pool::Holding;
use super::preface::{FirstBytes, Protocol, detect};
use super::proxies::TrustedProxies;
use super::refusal::{Refusal, response_bytes};
use super::service::Service;
use super::socket::Socket;
use super::watch::{Verdict, Watch};
use super::workers::Workers;

/// Most bytes buffered for an HTTP/2 stream in either direction: receive window and send buffer.
const STREAM_BYTES_MAX: u32 = 64 * 1024;

/// How often an HTTP/2 peer is pinged, and how long it may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIME_MAX: Duration = Duration::from_secs(10);

/// Limit of streams that a client opened and cancelled before they were handled, and of streams that it broke.
/// Above it the connection ends (rapid reset).
const RESETS_MAX: usize = 20;
const ERRORS_MAX: usize = 128;

/// Pause after the system could not open another socket.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
pub struct ServerConfig {
    pub connections_max: usize,
    /// `None`: no limit.
    pub per_address_max: Option<u32>,
    /// Exempt from the limit: all clients behind a proxy share its address.
    pub proxies: TrustedProxies,
    pub timeouts: Timeouts,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            connections_max: CONNECTIONS_MAX,
            per_address_max: Some(CONNECTIONS_PER_ADDRESS),
            proxies: TrustedProxies::default(),
            timeouts: Timeouts::default(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serve,
    Drain(Drain),
    Finish,
    Drop,
}

impl Phase {
    /// Whether no new requests are accepted.
    fn is_end(&self) -> bool {
        matches!(self, Phase::Finish | Phase::Drop)
    }
}

struct Shared<S> {
    config: ServerConfig,
    service: Arc<S>,
    journal: Arc<Journal>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    crowd: Arc<Crowd>,
    slots: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    numbers: AtomicU64,
    /// Number of phase changes; incremented before the waiters are woken.
    turns: AtomicU64,
}

/// Waits until no new requests are accepted.
async fn ended(phase: &mut watch::Receiver<Phase>) {
    // A closed channel has ended too.
    let _ = phase.wait_for(Phase::is_end).await;
}

/// When the connection of this number is asked to close; `None` unless a drain is under way.
fn moment_to_go(phase: &mut watch::Receiver<Phase>, number: u64) -> Option<Instant> {
    match *phase.borrow_and_update() {
        Phase::Drain(drain) => Some(drain.moment(number)),
        Phase::Serve | Phase::Finish | Phase::Drop => None,
    }
}

/// Opens a listening socket at this address.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Lets a restarted server bind while connections of the previous process are still closing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG_MAX)
}

/// Serves on these listeners until `stop` is ready, then shuts down gracefully. Once `drain` is ready,
/// connections are asked to close within its time; new ones are still served.
pub async fn serve<S: Service>(
    listeners: Vec<TcpListener>,
    workers: Workers,
    config: ServerConfig,
    service: Arc<S>,
    journal: Journal,
    drain: impl Future<Output = Duration>,
    stop: impl Future<Output = ()>,
) {
    let timeouts = config.timeouts;
    let shared = Arc::new(Shared {
        service,
        journal: Arc::new(journal),
        http1: http1_builder(),
        http2: http2_builder(),
        crowd: Crowd::of(config.per_address_max, config.proxies.clone()),
        slots: Arc::new(Semaphore::new(config.connections_max)),
        config,
        refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
        numbers: AtomicU64::new(0),
        turns: AtomicU64::new(0),
    });
    let (phase, watching) = watch::channel(Phase::Serve);
    // Not part of `Shared`: a worker thread must not be the one that drops the workers.
    let workers = Arc::new(workers);
    for listener in listeners.into_iter().enumerate() {
        tokio::spawn(accept(listener, workers.clone(), shared.clone(), watching.clone()));
    }
    drop(watching);
    let bound = {
        let shared = shared.clone();
        tokio::spawn(async move { shared.crowd.bound_memory(&shared.journal.metrics.held).await })
    };
    // Accept loops and connections hold the receivers: when all are dropped, everything has ended.
    let turn = |to| {
        shared.turns.fetch_add(1, Relaxed);
        phase.send_replace(to);
    };
    let mut stop = pin!(stop);
    tokio::select! {
        biased;
        () = &mut stop => {}
        time = drain => {
            turn(Phase::Drain(Drain { began: Instant::now(), time }));
            stop.await;
        }
    }
    turn(Phase::Finish);
    if tokio::time::timeout(timeouts.stop, phase.closed()).await.is_err() {
        tracing::warn!(
            connections = phase.receiver_count(),
            "closing connections that did not finish within {:?}",
            timeouts.stop
        );
        turn(Phase::Drop);
        phase.closed().await;
    }
    bound.abort();
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

async fn accept<S: Service>(
    (number, listener): (usize, TcpListener),
    workers: Arc<Workers>,
    shared: Arc<Shared<S>>,
    mut phase: watch::Receiver<Phase>,
) {
    let watching = phase.clone();
    let mut failing = false;
    loop {
        let accepted = tokio::select! {
            biased;
            () = ended(&mut phase) => {
                // After this, every connection knows the new phase.
                workers.wait_for_turn().await;
                return;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((tcp, peer)) => {
                failing = false;
                let phase = watching.clone();
                take(Accepted { tcp, peer, listener: number, phase }, &workers, &shared);
            }
            // The client disconnected while it waited; accept the next one.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                if !failing {
                    tracing::warn!(%error, "cannot accept connections; retrying");
                }
                failing = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// An accepted connection that is not admitted yet.
struct Accepted {
    tcp: TcpStream,
    peer: SocketAddr,
    listener: usize,
    phase: watch::Receiver<Phase>,
}

/// Admits a connection. If there are too many, an idle one is closed for it; otherwise it is answered 503.
fn take<S: Service>(accepted: Accepted, workers: &Arc<Workers>, shared: &Arc<Shared<S>>) {
    let place = match shared.crowd.admit(accepted.peer.ip()) {
        Ok(place) => place,
        Err(connections_max) => {
            let refusal = Refusal::TooManyOfAddress { connections_max };
            shared.journal.metrics.connections_refused.fetch_add(1, Relaxed);
            return if let Ok(permit) = shared.refusals.clone().try_acquire_owned() {
                tokio::spawn(refuse(accepted.tcp, shared.refusal(refusal), permit));
            };
        }
    };
    if let Ok(slot) = shared.slots.clone().try_acquire_owned() {
        return begin(accepted, (slot, place), workers, shared);
    }
    let gives_way = shared.crowd.make_room();
    let Ok(permit) = shared.refusals.clone().try_acquire_owned() else {
        shared.journal.metrics.connections_refused.fetch_add(1, Relaxed);
        return;
    };
    let (workers, shared) = (workers.clone(), shared.clone());
    tokio::spawn(async move {
        let freed = shared.slots.clone().acquire_owned();
        if gives_way && let Ok(Ok(slot)) = tokio::time::timeout(PLACE_TIME_MAX, freed).await {
            return begin(accepted, (slot, place), &workers, &shared);
        }
        shared.journal.metrics.connections_refused.fetch_add(1, Relaxed);
        let connections_max = shared.config.connections_max;
        let refusal = shared.refusal(Refusal::TooManyConnections { connections_max });
        refuse(accepted.tcp, refusal, permit).await;
    });
}

impl<S: Service> Shared<S> {
    fn refusal(&self, refusal: Refusal) -> Vec<u8> {
        response_bytes(&self.service.refuse(refusal))
    }
}

/// Drives a connection to its end, on the next worker thread in turn.
fn begin<S: Service>(
    Accepted { tcp, peer, listener, phase }: Accepted,
    (slot, mut place): (OwnedSemaphorePermit, Place),
    workers: &Workers,
    shared: &Arc<Shared<S>>,
) {
    // Answers are written whole; Nagle's algorithm would only delay them.
    let ended = |error| tracing::debug!(%error, "cannot set up an accepted connection");
    let tcp = match tcp.set_nodelay(true).and_then(|()| tcp.into_std()) {
        Ok(tcp) => tcp,
        Err(error) => return ended(error),
    };
    let number = shared.numbers.fetch_add(1, Relaxed) + 1;
    let metrics = shared.journal.metrics.clone();
    let connection = Arc::new(Connection::open(number, peer.ip(), listener, metrics));
    place.enter(&connection);
    let shared = shared.clone();
    workers.spawn(async move {
        // Registered on the runtime that drives it: another runtime's events would cross threads.
        match TcpStream::from_std(tcp) {
            Ok(tcp) => run(tcp, connection, shared, phase, (slot, place)).await,
            Err(error) => ended(error),
        }
    });
}

/// Sends the refusal and lingers, so that a reset does not discard the answer.
async fn refuse(mut tcp: TcpStream, answer: Vec<u8>, _permit: OwnedSemaphorePermit) {
    let talk = async {
        tcp.write_all(&answer).await?;
        tcp.shutdown().await?;
        let mut waste = [0; 1024];
        while tcp.read(&mut waste).await? > 0 {}
        Ok::<(), std::io::Error>(())
    };
    // Ignore whether the client read it.
    let _ = tokio::time::timeout(LINGER_TIME_MAX, talk).await;
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

async fn run<S: Service>(
    mut tcp: TcpStream,
    connection: Arc<Connection>,
    shared: Arc<Shared<S>>,
    mut phase: watch::Receiver<Phase>,
    _kept: (OwnedSemaphorePermit, Place),
) {
    let timeouts = shared.config.timeouts;
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
    let service = shared.service.clone();
    let socket =
        TokioIo::new(Socket::over(tcp, (protocol, first), connection.clone(), service.clone()));
    let (journal, connection_of) = (shared.journal.clone(), connection.clone());
    let exchanges = Exchanges { service, journal, connection: connection_of, timeouts };
    match protocol {
        Protocol::Http1 => {
            let http_connection = shared.http1.serve_connection(socket, exchanges);
            drive(http_connection, (&connection, protocol), timeouts, phase, &shared.turns).await;
        }
        Protocol::Http2 => {
            let http_connection = shared.http2.serve_connection(socket, exchanges);
            drive(http_connection, (&connection, protocol), timeouts, phase, &shared.turns).await;
        }
    }
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
                if connection.left() == Some(Leave::ForAnother) {
                    connection.metrics.connections_gave_way.fetch_add(1, Relaxed);
                    if connection.is_at_work() {
                        http_connection.as_mut().graceful_shutdown();
                        continue;
                    }
                } else {
                    connection.metrics.connections_cut.fetch_add(1, Relaxed);
                }
                return;
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
