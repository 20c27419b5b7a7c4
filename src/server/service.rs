//! What the server asks for answers, and what it hands over and gets back.
//!
//! The server knows no endpoint: it counts a request under a [`Label`], whose text
//! [`Metrics`](super::metrics::Metrics) was given when it was made, and logs the names that an
//! [`Outcome`] has.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::Response;
use hyper::body::Incoming;
use hyper::http::request::Parts;

use super::access_log::RequestId;
use super::body::Body;
use super::connection::Connection;
use super::limits::Timeouts;
use super::metrics::Label;
use super::refusal::Refusal;

pub trait Service: Send + Sync + 'static {
    /// Answers a request. What takes long or needs the body must be [`Answer::Waiting`].
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer;

    /// The answer to what never became a request; the server closes the connection after it.
    fn refuse(&self, refusal: Refusal) -> Response<Bytes>;
}

/// A request whose head is complete. Nothing of the body has been read.
#[derive(Debug)]
pub struct Request<'c> {
    pub head: Parts,
    pub body: Incoming,
    pub connection: &'c Arc<Connection>,
    pub id: RequestId,
    /// When the head was complete.
    pub started: Instant,
    pub timeouts: Timeouts,
}

pub enum Answer {
    Ready(Outcome),
    Waiting(Pin<Box<dyn Future<Output = Outcome> + Send>>),
}

pub struct Outcome {
    pub response: Response<Body>,
    pub label: Label,
    /// The name of the account that asked, where one is known.
    pub account: Option<Box<str>>,
    pub api_version: &'static str,
}
