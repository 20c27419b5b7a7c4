//! The bounds of the server: how much it reads of one client and how long it waits for it.
//!
//! Every bound is here, with its reason. Sizes are constants; the times are also members of
//! [`Timeouts`], so that a test need not wait for them. Which answer a client gets when it passes
//! a bound stands with each of them; `connection.rs`, `accept.rs` and the service enforce them.

use std::time::Duration;

/// Longest request target (path and query), in bytes; above it 414. A search query of 1,000
/// Japanese characters, percent-encoded, is 9,000 bytes; common proxies stop at 8 KiB.
pub const TARGET_BYTES_MAX: usize = 8 * 1024;

/// Longest request head (request line and headers), in bytes; above it 431, or 414 where the
/// request line alone fills it. Twice what common proxies let through.
pub const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Most header lines of one request; above it 431. hyper's own bound: with another value it
/// would keep them on the heap, which costs about 5% of a request.
pub const HEADERS_MAX: usize = 100;

/// Longest request body, in bytes, declared or counted; above it 413. For requests that need no body.
pub const BODY_BYTES_MAX: usize = 64 * 1024;

/// From the head of a request to the end of long work on it, such as that on a batch; above it 503.
/// The interface specification's one minute for a batch.
pub const WORK_TIME_MAX: Duration = Duration::from_secs(60);

/// Most connections at once; above it 503 and the connection is closed. Each idle one costs
/// about 10 KB and one file descriptor.
pub const CONNECTIONS_MAX: usize = 10_000;

/// Most connections that are being answered 503 at once; above it they are closed without an answer.
pub const REFUSALS_MAX: usize = 64;

/// Most requests in flight on one HTTP/2 connection; further streams wait (`REFUSED_STREAM`).
pub const STREAMS_MAX: u32 = 128;

/// From the first byte of a request (or from connecting) to the end of its headers. A client
/// that dribbles bytes is cut off here.
pub const HEAD_TIME_MAX: Duration = Duration::from_secs(10);

/// From the end of the headers to the end of the body; above it 408.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(20);

/// A kept connection without a request. Longer than the 60 s of common load balancers: the
/// server that closes first makes the balancer's next request fail.
pub const IDLE_TIME_MAX: Duration = Duration::from_secs(75);

/// A response of which the client takes no byte.
pub const WRITE_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a connection that was refused is read after the answer, so that the answer is not
/// lost to a reset.
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
    /// How often a connection looks at its clock. A time-out strikes at most this much late;
    /// in exchange a request sets no timer.
    pub fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.write);
        (shortest / 4).max(Duration::from_millis(10))
    }
}

const _: () = assert!(TARGET_BYTES_MAX < HEAD_BYTES_MAX, "a long target must reach the service");
