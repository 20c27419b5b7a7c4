//! The service that hyper calls for the requests of one connection: numbers each request, calls the server's
//! [`HttpService`] once there is memory for the answer, counts and logs the answer.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, DATE, HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Response, StatusCode, Version};

use super::access_log::{AccessLog, Line, RequestId};
use super::body::Body;
use super::budget::ChargeKind;
use super::connection::{Charge, Connection, OVERHEAD_BYTES, Readiness};
use super::limits::{HEAD_BYTES_MAX, TARGET_BYTES_MAX, Timeouts};
use super::metrics::Metrics;
use super::proxies::ThroughTls;
use super::service::{Answer, HttpService, Outcome, Refusal, Request};
use super::wall_clock;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

#[derive(Debug)]
pub struct Telemetry {
    pub metrics: Arc<Metrics>,
    /// `None` if the log level disables it.
    pub log: Option<AccessLog>,
}

#[derive(Debug)]
pub struct HyperService<S> {
    pub service: Arc<S>,
    pub telemetry: Arc<Telemetry>,
    pub connection: Arc<Connection>,
    pub timeouts: Timeouts,
    pub is_tls: bool,
}

/// What remains of a request for the record of its answer.
struct RequestRecord {
    /// The method and the path; some targets, such as a `CONNECT`, have no path. `None` if nothing is logged,
    /// which avoids the copy.
    logged: Option<(Method, Option<PathAndQuery>)>,
    id: RequestId,
    started: Instant,
}

impl<S: HttpService> hyper::service::Service<hyper::Request<Incoming>> for HyperService<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn call(&self, request: hyper::Request<Incoming>) -> ResponseFuture {
        let started = Instant::now();
        let number = self.connection.begin_request(request.version());
        let id = RequestId { connection: self.connection.number, request: number };
        let (mut head, body) = request.into_parts();
        if self.is_tls {
            head.extensions.insert(ThroughTls);
        }
        if let Some(refusal) = self.head_refusal(&head) {
            return ResponseFuture::Ready(Some(self.refuse(refusal)));
        }
        let logged_line = || (head.method.clone(), head.uri.path_and_query().cloned());
        let logged = self.telemetry.log.is_some().then(logged_line);
        let record = RequestRecord { logged, id, started };
        match self.connection.readiness() {
            Readiness::Ready => self.answer(head, body, record),
            Readiness::Queue => self.queue(head, body, record),
            Readiness::Overloaded => {
                self.connection.metrics.requests_overloaded.fetch_add(1, Relaxed);
                ResponseFuture::Ready(Some(service_unavailable()))
            }
        }
    }
}

impl<S: HttpService> HyperService<S> {
    fn head_refusal(&self, head: &Parts) -> Option<Refusal> {
        if head.version == Version::HTTP_11
            && let Some(refusal) = host_refusal(&head.headers)
        {
            return Some(refusal);
        }
        let is_too_large =
            self.connection.long_head_charged.load(Relaxed) && is_head_too_large(head);
        is_too_large.then_some(Refusal::HeadersTooLarge)
    }

    fn answer(&self, head: Parts, body: Incoming, record: RequestRecord) -> ResponseFuture {
        let (connection, timeouts) = (&self.connection, self.timeouts);
        let head_bytes = connection.is_http2().then(|| OVERHEAD_BYTES + head_bytes(&head));
        let (id, started) = (record.id, record.started);
        let request = Request { head, body, connection, id, started, timeouts };
        match self.service.call(request) {
            Answer::Ready(outcome) => {
                ResponseFuture::Ready(Some(self.telemetry.complete(&record, connection, outcome)))
            }
            Answer::Waiting(answer) => {
                let (telemetry, connection) = (Arc::clone(&self.telemetry), Arc::clone(connection));
                let waiting = connection.mark_waiting();
                // On HTTP/1.1 a connection has one request at a time, whose head the socket charges.
                let charge =
                    head_bytes.map(|bytes| Charge::of(&connection, ChargeKind::Request, bytes));
                ResponseFuture::Waiting(Box::pin(async move {
                    let outcome = answer.await;
                    drop((waiting, charge));
                    telemetry.complete(&record, &connection, outcome)
                }))
            }
        }
    }

    /// Answers once the client has read enough of its earlier answers and all connections hold little enough.
    fn queue(&self, head: Parts, body: Incoming, record: RequestRecord) -> ResponseFuture {
        let bytes = OVERHEAD_BYTES + head_bytes(&head);
        let charge = Charge::of(&self.connection, ChargeKind::Request, bytes);
        let queued = self.connection.mark_queued();
        let (service, telemetry) = (Arc::clone(&self.service), Arc::clone(&self.telemetry));
        let (connection, timeouts) = (Arc::clone(&self.connection), self.timeouts);
        ResponseFuture::Waiting(Box::pin(async move {
            let admission = connection.wait_for_room().await;
            drop(queued);
            let waiting = connection.mark_waiting();
            let (id, started) = (record.id, record.started);
            let request = Request { head, body, connection: &connection, id, started, timeouts };
            match service.call(request) {
                Answer::Ready(outcome) => {
                    drop((waiting, charge));
                    let response = telemetry.complete(&record, &connection, outcome);
                    // Its body is charged now, so the next one may be admitted.
                    drop(admission);
                    response
                }
                Answer::Waiting(answer) => {
                    // Do not keep others waiting during long work; its answer is charged when it is done.
                    drop(admission);
                    let outcome = answer.await;
                    drop((waiting, charge));
                    telemetry.complete(&record, &connection, outcome)
                }
            }
        }))
    }

    /// Answers a request that the service does not see; the connection is then closed.
    fn refuse(&self, refusal: Refusal) -> Response<Body> {
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        let mut response = self.service.refuse(refusal).map(Body::Whole);
        response.headers_mut().insert(CONNECTION, CLOSE);
        response
    }
}

/// An answer without a body: even a short one would wait for the client. Nor is it logged, which would cost more than
/// the answer.
fn service_unavailable() -> Response<Body> {
    let mut response = Response::new(Body::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Whether an HTTP/1.1 head exceeds its limit although its target does not: the service refuses a target that is
/// too long. hyper checks the limit between two reads, and one read may bring more than the rest of it.
fn is_head_too_large(head: &Parts) -> bool {
    head.version != Version::HTTP_2
        && target_bytes(head) <= TARGET_BYTES_MAX
        && head_bytes(head) > HEAD_BYTES_MAX
}

fn target_bytes(head: &Parts) -> usize {
    head.uri.path().len() + head.uri.query().map_or(0, str::len)
}

/// Length of a request's head without separators.
fn head_bytes(head: &Parts) -> usize {
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    target_bytes(head) + headers.sum::<usize>()
}

/// HTTP/1.1 requires exactly one `Host` (RFC 9112, 3.2): with several, two recipients may choose different
/// ones.
fn host_refusal(headers: &HeaderMap) -> Option<Refusal> {
    // A pass over the few headers takes less time than to look the name up.
    match headers.iter().filter(|(name, _)| **name == HOST).count() {
        0 => Some(Refusal::NoHost),
        1 => None,
        _ => Some(Refusal::SeveralHosts),
    }
}

pub enum ResponseFuture {
    /// Taken by the first poll.
    Ready(Option<Response<Body>>),
    Waiting(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            ResponseFuture::Ready(response) => {
                response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response)))
            }
            ResponseFuture::Waiting(waiting) => waiting.as_mut().poll(context).map(Ok),
        }
    }
}

impl Telemetry {
    /// Adds the headers of the transport, counts and logs the answer, and charges its body.
    fn complete(
        &self,
        record: &RequestRecord,
        connection: &Arc<Connection>,
        outcome: Outcome,
    ) -> Response<Body> {
        let Outcome { mut response, label, account, api_version } = outcome;
        if connection.closes_after_answer() {
            response.headers_mut().insert(CONNECTION, CLOSE);
            connection.linger_after_answer();
        }
        connection.release_long_head();
        let ended = Instant::now();
        let duration = ended - record.started;
        response.headers_mut().insert(DATE, wall_clock::date(ended));
        self.metrics.count_request(label, response.status(), duration);
        if let (Some(log), Some((method, target))) = (&self.log, &record.logged) {
            log.push(&Line {
                id: record.id,
                method,
                path: target.as_ref().map_or("", PathAndQuery::path),
                query: target.as_ref().and_then(PathAndQuery::query),
                status: response.status(),
                bytes: response.body().length(),
                ended,
                duration,
                api_version,
                account: account.as_deref(),
                remote: &connection.remote_text,
            });
        }
        response.map(|body| body.charged(connection))
    }
}
