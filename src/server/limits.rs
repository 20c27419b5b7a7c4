//! The limits of the server: how much it reads from one client and how long it waits for it.
//!
//! The limits of connections and requests, with their reasons. Limits of frames, HTTP/2 settings and the log are beside
//! their code. Sizes are constants; most times are in [`Timeouts`], so that tests can shorten them. Each limit names
//! the answer that a client gets above it.

use std::time::Duration;

/// Longest request target, in bytes; above it 414. A query of 3,500 Japanese letters, nine bytes each, fits.
/// Common proxies stop at 8 KiB; behind them a long query goes by POST.
pub const TARGET_BYTES_MAX: usize = 32 * 1024;

/// Longest request head, in bytes; above it 431, or 414 if the request line alone exceeds it. This leaves 16
/// KiB for headers beside the longest target. All connections together hold at most [`HELD_BYTES_MAX`] of long
/// heads.
pub const HEAD_BYTES_MAX: usize = 48 * 1024;

/// Most header lines; above it 431. This is hyper's own limit: changing it would cost 5% of a request.
pub const HEADERS_MAX: usize = 100;

/// Longest request body, in bytes, declared or counted; above it 413. For endpoints without a limit of their
/// own.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

/// Bytes that a connection reads and writes before the others of its thread have their turn. Copying them takes some 30 µs.
pub const TURN_BYTES_MAX: usize = 128 * 1024;

/// Most connections; above it 503 and the connection is closed. An idle one takes 9 KB and a file descriptor, and 18 KB
/// once hyper reads it.
pub const CONNECTIONS_MAX: usize = 10_000;

/// Most connections that wait to be accepted; above it clients retry after a second. As many as Linux allows by
/// default (`net.core.somaxconn`).
pub const BACKLOG_MAX: u32 = 4096;

/// Most connections that are being answered 503 at once; above it they are closed without an answer.
pub const REFUSALS_MAX: usize = 64;

/// Most connections of one address (IPv6: of one /64); above it 503 and the connection is closed. An office
/// behind one address has some hundreds, and it takes ten addresses to use up all connections.
pub const CONNECTIONS_PER_ADDRESS: u32 = 1000;

/// A connection is closed for a new one only after it was idle for this long: its request may be on the way.
pub const IDLE_TIME_MIN: Duration = Duration::from_secs(1);

/// How long a new connection waits for the slot of one that was requested to close; then 503.
pub const SLOT_TIME_MAX: Duration = Duration::from_secs(1);

/// Most requests in flight on one HTTP/2 connection; further streams are refused (`REFUSED_STREAM`). Clients
/// respect it. Most answers take microseconds, so 32 keep a connection busy; each waiting one takes 4 KB.
pub const STREAMS_MAX: u32 = 32;

/// Bytes of answers that a connection holds because its client has not read them; above it further requests of
/// the connection wait. So a connection holds at most one answer more than this; a full page of a search takes
/// up to 250 KB.
pub const UNSENT_BYTES_MAX: usize = 128 * 1024;

/// Bytes that waiting requests of a connection hold; above it a further one is answered 503 without a body.
/// Enough for more than 32 requests with heads of the usual length. Answers do not count: a client that has yet
/// to read several long ones only waits.
pub const QUEUED_BYTES_MAX: usize = 1024 * 1024;

/// Bytes that all connections hold of requests, answers and for themselves. Above it requests wait, one of each
/// connection, and connections are closed until [`HELD_BYTES_LOW`] are left: first those whose client has read
/// nothing of its answers for longest, then idle ones, last those that only wait for memory. 10,000 idle HTTP/1.1
/// connections take less. The memory of the process is up to twice as much.
pub const HELD_BYTES_MAX: usize = 192 * 1024 * 1024;
pub const HELD_BYTES_LOW: usize = HELD_BYTES_MAX / 8 * 7;

/// Memory of a connection itself once it has sent something: buffers, tables, its task.
pub const HTTP1_BYTES: usize = 16 * 1024;
pub const HTTP2_BYTES: usize = 40 * 1024;

/// Further memory of a connection with TLS: 3,000 idle ones took 8 KB more each. With TLS, [`HELD_BYTES_MAX`] is reached by
/// 8,000 connections.
pub const TLS_BYTES: usize = 8 * 1024;

/// Memory that the handshake of a connection with TLS may take: rustls joins a message of at most this size.
pub const TLS_HANDSHAKE_BYTES: usize = 64 * 1024;

/// An answer over HTTP/1.1 and the head of a request count as held only above this size. A connection has one
/// of each at a time, which below this takes no more than the connection itself.
pub const UNCOUNTED_BYTES_MAX: usize = 8 * 1024;

/// How long a refused connection is read after the answer, so that a reset does not discard the answer.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(1);

/// Most bytes read and discarded in that time.
pub const LINGER_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From connecting to the end of the header of the PROXY protocol, where one is expected. A proxy sends it at once.
    pub proxy_header: Duration,
    /// From the first byte of a request (or from connecting) to the end of its headers.
    pub head: Duration,
    /// From the end of the headers to the end of the body; above it 408.
    pub body: Duration,
    /// From a request's head to the end of long work on it; above it 503. A batch has one minute.
    pub work: Duration,
    /// A keep-alive connection without a request. Longer than the 60 s of load balancers, so that they close first.
    pub idle: Duration,
    /// A response of which the client reads no byte.
    pub write: Duration,
    /// How long requests in flight may take after the signal to stop.
    pub stop: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            proxy_header: Duration::from_secs(5),
            head: Duration::from_secs(10),
            body: Duration::from_secs(20),
            work: Duration::from_secs(60),
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            stop: Duration::from_secs(10),
        }
    }
}

impl Timeouts {
    /// How often a connection is checked, and so how late a time-out may strike.
    pub fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.write);
        (shortest / 4).max(Duration::from_millis(10))
    }
}

const _: () = assert!(TARGET_BYTES_MAX < HEAD_BYTES_MAX, "a long target must reach the service");
