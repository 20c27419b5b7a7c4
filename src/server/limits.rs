//! The bounds of the server: how much it reads of one client and how long it waits for it.
//!
//! Every bound is here, with its reason. Sizes are constants; the times are also members of
//! [`Timeouts`], so that a test need not wait for them. Which answer a client gets when it passes
//! a bound stands with each of them; `connection.rs`, `accept.rs` and the service enforce them.

use std::time::Duration;

/// Longest request target, in bytes; above it 414. A query of 3,500 Japanese letters, nine bytes each, fits.
/// Common proxies stop at 8 KiB; behind them a long query goes by POST.
pub const TARGET_BYTES_MAX: usize = 32 * 1024;

/// Longest request head, in bytes; above it 431, or 414 where the request line alone fills it. Beside the
/// longest target there are 16 KiB for headers. Of long heads the connections have no more than
/// [`HELD_BYTES_MAX`].
pub const HEAD_BYTES_MAX: usize = 48 * 1024;

/// Most header lines; above it 431. hyper's own bound: another would cost 5% of a request.
pub const HEADERS_MAX: usize = 100;

/// Longest request body, in bytes, declared or counted; above it 413. For requests that need no body.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

/// From a request's head to the end of long work on it; above it 503. One minute for a batch.
pub const WORK_TIME_MAX: Duration = Duration::from_secs(60);

/// Most connections; above it 503 and the connection is closed. An idle one takes 10 KB and a file.
pub const CONNECTIONS_MAX: usize = 10_000;

/// Most connections that the system has made and nobody has accepted yet; above it clients try again after
/// a second. As many as Linux allows by default (`net.core.somaxconn`).
pub const BACKLOG_MAX: u32 = 4096;

/// Most connections that are being answered 503 at once; above it they are closed without an answer.
pub const REFUSALS_MAX: usize = 64;

/// Most connections of one address (of IPv6: of a /64); above it 503 and the connection is closed. An office
/// behind one address has some hundreds, and ten such addresses are needed to take all connections.
pub const CONNECTIONS_PER_ADDRESS: u32 = 1000;

/// A connection gives way to a new one only after it was quiet for so long: its request may be on the way.
pub const IDLE_TIME_MIN: Duration = Duration::from_secs(1);

/// How long a new connection waits for the place of one that was asked to go; then 503.
pub const PLACE_TIME_MAX: Duration = Duration::from_secs(1);

/// Most requests in flight on one HTTP/2 connection; further streams are refused (`REFUSED_STREAM`), and clients
/// keep to it. Most answers take microseconds, so 32 keep a connection busy; each that waits takes 4 KB.
pub const STREAMS_MAX: u32 = 32;

/// Bytes of answers that a connection holds and its client has not taken; above it further requests of the
/// connection wait. So a connection holds one more answer than this; a full page of a search takes up to 250 KB.
pub const UNSENT_BYTES_MAX: usize = 128 * 1024;

/// Bytes that requests of a connection hold while they wait; above it a further one is answered 503 without a body.
/// More than 32 requests with heads of the usual length. Answers do not count: a client that has yet to take several
/// long ones only waits.
pub const QUEUED_BYTES_MAX: usize = 1024 * 1024;

/// Bytes that all connections hold of requests, answers and for themselves; above it requests wait, one of each
/// connection, and connections are closed of which the client took nothing for longest (one that only waits for its
/// turn last), until [`HELD_BYTES_LOW`] are left. 10,000 quiet connections of HTTP/1.1 take less. What
/// the process takes for it is up to twice as much.
pub const HELD_BYTES_MAX: usize = 192 * 1024 * 1024;
pub const HELD_BYTES_LOW: usize = HELD_BYTES_MAX / 8 * 7;

/// What a connection takes for itself once it has sent something: buffers, tables, its task.
pub const HTTP1_BYTES: usize = 16 * 1024;
pub const HTTP2_BYTES: usize = 40 * 1024;

/// Above so many bytes an answer over HTTP/1.1 and the head of a request count among those. Below, a connection
/// has one, which takes no more than the connection itself.
pub const UNCOUNTED_BYTES_MAX: usize = 8 * 1024;

/// From the first byte of a request (or from connecting) to the end of its headers.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// From the end of the headers to the end of the body; above it 408.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(20);

/// A kept connection without a request. Longer than load balancers' 60 s, so that they close first.
pub const IDLE_TIME_MAX: Duration = Duration::from_secs(75);

/// A response of which the client takes no byte.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a refused connection is read after the answer, which a reset would lose.
pub const LINGER_TIME_MAX: Duration = Duration::from_secs(1);

/// Most bytes read and thrown away in that time.
pub const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// How long requests in flight may take after the signal to stop.
pub const STOP_TIME_MAX: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub head: Duration,
    pub body: Duration,
    pub work: Duration,
    pub idle: Duration,
    pub write: Duration,
    pub stop: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            head: HEAD_TIME_MAX,
            body: BODY_TIME_MAX,
            work: WORK_TIME_MAX,
            idle: IDLE_TIME_MAX,
            write: WRITE_TIME_MAX,
            stop: STOP_TIME_MAX,
        }
    }
}

impl Timeouts {
    /// How often a connection looks at its clock, and so how late a time-out may strike.
    pub fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.write);
        (shortest / 4).max(Duration::from_millis(10))
    }
}

const _: () = assert!(TARGET_BYTES_MAX < HEAD_BYTES_MAX, "a long target must reach the service");
