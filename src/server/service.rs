//! The interface between the server and the service that answers requests.
//!
//! The server knows no endpoint: it counts a request under a [`Label`], whose text
//! [`Metrics`](super::metrics::Metrics) received at its construction, and logs the names in an [`Outcome`].

use std::future::Future;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{Either, Empty};
use hyper::Response;
use hyper::body::Incoming;
use hyper::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::http::request::Parts;

use super::access_log::{KnownCaller, RequestId};
use super::answered::Answered;
use super::connection::Connection;
use super::limits::Timeouts;
use super::metrics::Label;

pub trait HttpService: Send + Sync + 'static {
    /// Answers a request. Work that takes long or needs the body must be returned as [`Answer::Waiting`].
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer;

    /// Answers instead of the service: a connection over a limit, a head that is malformed or too large, or an address that
    /// has got too many answers without a key. But for that, the server then closes the connection.
    fn refuse(&self, refusal: Refusal) -> Response<Bytes>;
}

/// A request whose head is complete. The body has not been read.
#[derive(Debug)]
pub struct Request<'c> {
    /// Borrowed, since the log needs it too: an answer that waits copies it.
    pub head: &'c Parts,
    pub body: ArrivingBody,
    pub connection: &'c Arc<Connection>,
    pub id: RequestId,
    pub started: Instant,
    pub timeouts: Timeouts,
}

/// The body of a request, as it arrives; a plain request has none.
pub type ArrivingBody = Either<Empty<Bytes>, Incoming>;

#[expect(
    clippy::large_enum_variant,
    reason = "most answers are ready, and a box would cost an allocation each"
)]
pub enum Answer {
    Ready(Outcome),
    Waiting(Pin<Box<dyn Future<Output = Outcome> + Send>>),
}

pub struct Outcome {
    pub answered: Answered,
    pub label: Label,
    /// `None` without a valid key or session.
    pub caller: Option<KnownCaller>,
    pub api_version: &'static str,
}

/// Why a client is answered before the service sees a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    TooManyConnections {
        connections_max: usize,
    },
    /// The address has as many connections as the server accepts.
    TooManyOfAddress {
        connections_max: u32,
    },
    /// The bytes are not HTTP.
    MalformedHead,
    /// The client does not speak TLS, and the server has a certificate.
    ClearText,
    /// The connection does not begin with the header of the PROXY protocol, which is expected there.
    NoProxyHeader,
    NoHost,
    SeveralHosts,
    /// The headers are longer than [`HEAD_BYTES_MAX`](super::limits::HEAD_BYTES_MAX), or more than
    /// [`HEADERS_MAX`](super::limits::HEADERS_MAX).
    HeadersTooLarge,
    /// The request line alone exceeds the limit of the head.
    TargetTooLong,
    /// The address has got as many answers without a key as it may; the connection stays open.
    TooManyWithoutKey {
        per_second: NonZeroU32,
    },
}

/// Only this server's own files are loaded and forms go nowhere else; no frames, no base.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

pub const PAGE_HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Runs `work` on a thread that may block. A panic in it ends the connection.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_cancelled) => std::future::pending().await,
        },
    }
}
