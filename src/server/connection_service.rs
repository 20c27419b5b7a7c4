//! What is done for each request of one connection, whoever reads it: numbers the request, calls the server's
//! [`HttpService`] once there is memory for the answer, counts and logs the answer.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Response, StatusCode, Version};

use super::access_log::{AccessLog, Line, RequestId};
use super::answered::Answered;
use super::body::Body;
use super::budget::ChargeKind;
use super::connection::{Charge, Connection, OVERHEAD_BYTES, Readiness};
use super::connection_table::{ConnectionTable, Registration};
use super::keyless_budget::{Exhausted, KeylessBudget};
use super::limits::{HEAD_BYTES_MAX, TARGET_BYTES_MAX, Timeouts};
use super::metrics::Metrics;
use super::proxies::{ThroughProxy, ThroughTls};
use super::service::{Answer, ArrivingBody, HttpService, Outcome, Refusal, Request};
use super::trace_context::TraceParent;
use super::wall_clock;

const CLOSE: HeaderValue = HeaderValue::from_static("close");

#[derive(Debug)]
pub struct Telemetry {
    pub metrics: Arc<Metrics>,
    /// `None` if the log level disables it.
    pub log: Option<AccessLog>,
    pub keyless: KeylessBudget,
}

pub struct ConnectionService<S> {
    pub service: Arc<S>,
    pub telemetry: Arc<Telemetry>,
    pub connection: Arc<Connection>,
    pub table: Arc<ConnectionTable>,
    pub timeouts: Timeouts,
    pub is_tls: bool,
    /// The answer to the request that hyper reads first, if it was begun before.
    pub begun: Cell<Option<ResponseFuture>>,
}

/// What remains of a request for the record of its answer.
struct RequestRecord {
    id: RequestId,
    started: Instant,
    /// `None` if the peer of the connection is the client.
    client: Option<CountedClient>,
}

/// The parts of a request's head that the log has.
struct LoggedHead<'h> {
    method: &'h Method,
    /// Some targets, such as that of a `CONNECT`, have no path.
    target: Option<&'h PathAndQuery>,
    user_agent: Option<&'h HeaderValue>,
    /// The only one.
    trace_parent: Option<&'h HeaderValue>,
}

/// The same for an answer that waits, while the head is elsewhere.
struct LoggedCopy {
    method: Method,
    target: Option<PathAndQuery>,
    user_agent: Option<HeaderValue>,
    trace_parent: Option<HeaderValue>,
}

impl LoggedHead<'_> {
    fn copy(&self) -> LoggedCopy {
        LoggedCopy {
            method: self.method.clone(),
            target: self.target.cloned(),
            user_agent: self.user_agent.cloned(),
            trace_parent: self.trace_parent.cloned(),
        }
    }
}

impl LoggedCopy {
    fn head(&self) -> LoggedHead<'_> {
        LoggedHead {
            method: &self.method,
            target: self.target.as_ref(),
            user_agent: self.user_agent.as_ref(),
            trace_parent: self.trace_parent.as_ref(),
        }
    }
}

/// The client of a request through a trusted proxy; counted until this is dropped.
struct CountedClient {
    address: IpAddr,
    _registration: Registration,
}

impl<S: HttpService> hyper::service::Service<hyper::Request<Incoming>> for ConnectionService<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = HyperFuture;

    fn call(&self, request: hyper::Request<Incoming>) -> HyperFuture {
        HyperFuture(self.begun.take().unwrap_or_else(|| {
            let (mut head, body) = request.into_parts();
            self.respond(&mut head, ArrivingBody::Right(body))
        }))
    }
}

impl<S: HttpService> ConnectionService<S> {
    /// Begins the answer to a request whose head is complete. It adds to the extensions of the head.
    pub fn respond(&self, head: &mut Parts, body: ArrivingBody) -> ResponseFuture {
        let started = Instant::now();
        let number = self.connection.begin_request(head.version);
        let id = RequestId { connection: self.connection.number, request: number };
        if self.is_tls {
            head.extensions.insert(ThroughTls);
        }
        let headers = TransportHeaders::of(&head.headers);
        if let Some(refusal) = self.head_refusal(head, &headers) {
            return ResponseFuture::Ready(Some(self.refuse(refusal)));
        }
        let logged = LoggedHead {
            method: &head.method,
            target: head.uri.path_and_query(),
            user_agent: headers.user_agent,
            trace_parent: headers.trace_parent(),
        };
        let mut client = None;
        if self.connection.is_from_proxy {
            match self.table.admit_through(self.connection.remote, &head.headers) {
                Ok((address, registration)) => {
                    head.extensions.insert(ThroughProxy { client: address });
                    client = Some(CountedClient { address, _registration: registration });
                }
                Err(connections_max) => return self.refuse_client(connections_max),
            }
        }
        let record = RequestRecord { id, started, client };
        match self.connection.readiness() {
            Readiness::Ready => self.answer(head, body, record, logged),
            Readiness::Queue => {
                let logged = logged.copy();
                self.queue(head.clone(), body, record, logged)
            }
            Readiness::Overloaded => {
                self.connection.metrics.requests_overloaded.fetch_add(1, Relaxed);
                ResponseFuture::Ready(Some(service_unavailable().into()))
            }
        }
    }

    fn head_refusal(&self, head: &Parts, headers: &TransportHeaders<'_>) -> Option<Refusal> {
        if head.version == Version::HTTP_11
            && let Some(refusal) = headers.host_refusal()
        {
            return Some(refusal);
        }
        let is_too_large =
            self.connection.long_head_charged.load(Relaxed) && is_head_too_large(head);
        is_too_large.then_some(Refusal::HeadersTooLarge)
    }

    fn answer(
        &self,
        head: &Parts,
        body: ArrivingBody,
        record: RequestRecord,
        logged: LoggedHead<'_>,
    ) -> ResponseFuture {
        let (connection, timeouts) = (&self.connection, self.timeouts);
        let (id, started) = (record.id, record.started);
        let request = Request { head, body, connection, id, started, timeouts };
        match self.service.call(request) {
            Answer::Ready(outcome) => ResponseFuture::Ready(Some(self.telemetry.complete(
                &*self.service,
                &record,
                &logged,
                connection,
                outcome,
            ))),
            Answer::Waiting(answer) => {
                let (telemetry, connection) = (Arc::clone(&self.telemetry), Arc::clone(connection));
                let service = Arc::clone(&self.service);
                let waiting = connection.mark_waiting();
                let logged = logged.copy();
                // On HTTP/1.1 a connection has one request at a time, whose head the socket charges.
                let charge = connection.is_http2().then(|| {
                    let bytes = OVERHEAD_BYTES + head_bytes(head);
                    Charge::of(&connection, ChargeKind::Request, bytes)
                });
                ResponseFuture::Waiting(Box::pin(async move {
                    let outcome = answer.await;
                    drop((waiting, charge));
                    telemetry.complete(&*service, &record, &logged.head(), &connection, outcome)
                }))
            }
        }
    }

    /// Answers once the client has read enough of its earlier answers and all connections hold little enough.
    fn queue(
        &self,
        head: Parts,
        body: ArrivingBody,
        record: RequestRecord,
        logged: LoggedCopy,
    ) -> ResponseFuture {
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
            let head = &head;
            let request = Request { head, body, connection: &connection, id, started, timeouts };
            let complete = |outcome| {
                telemetry.complete(&*service, &record, &logged.head(), &connection, outcome)
            };
            match service.call(request) {
                Answer::Ready(outcome) => {
                    drop((waiting, charge));
                    let response = complete(outcome);
                    // Its body is charged now, so the next one may be admitted.
                    drop(admission);
                    response
                }
                Answer::Waiting(answer) => {
                    // Do not keep others waiting during long work; its answer is charged when it is done.
                    drop(admission);
                    let outcome = answer.await;
                    drop((waiting, charge));
                    complete(outcome)
                }
            }
        }))
    }

    /// Answers a client that has too many requests in progress. The connection stays open: the proxy has other clients.
    fn refuse_client(&self, connections_max: u32) -> ResponseFuture {
        self.connection.metrics.connections_refused.fetch_add(1, Relaxed);
        let refusal = Refusal::TooManyOfAddress { connections_max };
        ResponseFuture::Ready(Some(self.service.refuse(refusal).map(Body::Whole).into()))
    }

    /// Answers a request that the service does not see; the connection is then closed.
    fn refuse(&self, refusal: Refusal) -> Answered {
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        let mut response = self.service.refuse(refusal).map(Body::Whole);
        response.headers_mut().insert(CONNECTION, CLOSE);
        response.into()
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

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The headers that the transport itself reads.
#[derive(Default)]
struct TransportHeaders<'h> {
    host_count: usize,
    /// The first one.
    user_agent: Option<&'h HeaderValue>,
    trace_parents: [Option<&'h HeaderValue>; 2],
}

impl<'h> TransportHeaders<'h> {
    fn of(headers: &'h HeaderMap) -> TransportHeaders<'h> {
        let mut found = TransportHeaders::default();
        // A pass over the few headers takes less time than to look the names up.
        for (name, value) in headers {
            match name {
                name if *name == HOST => found.host_count += 1,
                name if *name == USER_AGENT => {
                    found.user_agent.get_or_insert(value);
                }
                name if *name == TRACE_PARENT => {
                    let [first, second] = &mut found.trace_parents;
                    *if first.is_none() { first } else { second } = Some(value);
                }
                _ => {}
            }
        }
        found
    }

    /// HTTP/1.1 requires exactly one `Host` (RFC 9112, 3.2): with several, two recipients may choose different
    /// ones.
    fn host_refusal(&self) -> Option<Refusal> {
        match self.host_count {
            0 => Some(Refusal::NoHost),
            1 => None,
            _ => Some(Refusal::SeveralHosts),
        }
    }

    /// With two of them, no trace is valid.
    fn trace_parent(&self) -> Option<&'h HeaderValue> {
        match self.trace_parents {
            [only, None] => only,
            _ => None,
        }
    }
}

pub enum ResponseFuture {
    /// Taken by the first poll.
    Ready(Option<Answered>),
    Waiting(Pin<Box<dyn Future<Output = Answered> + Send>>),
}

/// The same, as hyper polls it.
pub struct HyperFuture(ResponseFuture);

impl Future for HyperFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answered = match &mut self.0 {
            ResponseFuture::Ready(answered) => answered.take().map_or(Poll::Pending, Poll::Ready),
            ResponseFuture::Waiting(waiting) => waiting.as_mut().poll(context),
        };
        answered.map(|answered| Ok(answered.into_response()))
    }
}

impl Telemetry {
    /// Adds the headers of the transport, counts and logs the answer, and charges its body.
    fn complete(
        &self,
        service: &impl HttpService,
        record: &RequestRecord,
        head: &LoggedHead<'_>,
        connection: &Arc<Connection>,
        outcome: Outcome,
    ) -> Answered {
        let Outcome { mut answered, label, caller, api_version } = outcome;
        if connection.closes_after_answer() {
            answered.own_headers_mut().insert(CONNECTION, CLOSE);
            connection.linger_after_answer();
        }
        connection.release_long_head();
        let ended = Instant::now();
        if caller.is_none() {
            let client = record.client.as_ref().map_or(connection.remote, |client| client.address);
            let bytes = answered.body().length().unwrap_or(0);
            if let Err(Exhausted { per_second }) = self.keyless.take(client, bytes, ended) {
                let refusal = Refusal::TooManyWithoutKey { per_second };
                answered = service.refuse(refusal).map(Body::Whole).into();
            }
        }
        let duration = ended - record.started;
        answered.set_ended(ended);
        connection.thread_time.report(answered.own_headers_mut());
        self.metrics.count_request(label, answered.status(), duration);
        if let Some(log) = &self.log {
            let client = record.client.as_ref().map(|client| client.address.to_string());
            log.push(&Line {
                id: record.id,
                method: head.method,
                path: head.target.map_or("", PathAndQuery::path),
                query: head.target.and_then(PathAndQuery::query),
                status: answered.status(),
                bytes: answered.body().length(),
                ended,
                ended_at: wall_clock::since_epoch(ended),
                duration,
                api_version,
                caller: caller.as_ref(),
                user_agent: head.user_agent.map(HeaderValue::as_bytes),
                trace: head.trace_parent.and_then(|only| TraceParent::parse(only.as_bytes())),
                remote: client.as_deref().unwrap_or(&connection.remote_text),
            });
        }
        answered.body_mut().charge(connection);
        answered
    }
}
