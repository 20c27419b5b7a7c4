//! hyper's service for one connection: numbers each request, calls the [`Service`], counts and logs the answer.

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
use hyper::{Method, Response, StatusCode, Uri, Version};

use super::access_log::{AccessLog, Line, RequestId};
use super::body::Body;
use super::connection::{Connection, Room};
use super::date;
use super::held::{Charge, OVERHEAD_BYTES};
use super::limits::{HEAD_BYTES_MAX, TARGET_BYTES_MAX, Timeouts};
use super::metrics::Metrics;
use super::pool::Holding;
use super::refusal::Refusal;
use super::service::{Answer, Outcome, Request, Service};

const CLOSE: HeaderValue = HeaderValue::from_static("close");

#[derive(Debug)]
pub struct Journal {
    pub metrics: Arc<Metrics>,
    /// `None` if the log level disables it.
    pub log: Option<AccessLog>,
}

#[derive(Debug)]
pub struct Exchanges<S> {
    pub service: Arc<S>,
    pub journal: Arc<Journal>,
    pub connection: Arc<Connection>,
    pub timeouts: Timeouts,
}

/// The data of a request that its log line needs.
struct RequestNote {
    /// Method and target; `None` if nothing is logged, which avoids the copy.
    logged: Option<(Method, Uri)>,
    id: RequestId,
    started: Instant,
}

impl<S: Service> hyper::service::Service<hyper::Request<Incoming>> for Exchanges<S> {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Exchange;

    fn call(&self, request: hyper::Request<Incoming>) -> Exchange {
        let started = Instant::now();
        let number = self.connection.begin_request(request.version());
        let id = RequestId { connection: self.connection.number, request: number };
        let (head, body) = request.into_parts();
        if head.version == Version::HTTP_11
            && let Some(refusal) = fault_of_host(&head.headers)
        {
            return Exchange::Ready(Some(self.refuse(refusal)));
        }
        if self.connection.has_long_head() && is_over_bound(&head) {
            return Exchange::Ready(Some(self.refuse(Refusal::HeadersTooLarge)));
        }
        let logs = self.journal.log.is_some();
        let logged = logs.then(|| (head.method.clone(), head.uri.clone()));
        let note = RequestNote { logged, id, started };
        let (connection, timeouts) = (&self.connection, self.timeouts);
        match connection.room() {
            Room::Enough => {}
            Room::Later => return self.answer_with_room(head, body, note),
            Room::None => return Exchange::Ready(Some(no_room())),
        }
        let (id, head_bytes) =
            (note.id, connection.is_http2().then(|| OVERHEAD_BYTES + bytes_of(&head)));
        let request = Request { head, body, connection, id, started, timeouts };
        match self.service.call(request) {
            Answer::Ready(outcome) => {
                Exchange::Ready(Some(self.journal.record(&note, connection, outcome)))
            }
            Answer::Waiting(answer) => {
                let (journal, connection) = (Arc::clone(&self.journal), Arc::clone(connection));
                let waiting = connection.wait();
                // On HTTP/1.1 a connection has one request at a time, whose head the socket counts.
                let counted = head_bytes.map(|it| Charge::of(&connection, Holding::Request, it));
                Exchange::Waiting(Box::pin(async move {
                    let outcome = answer.await;
                    drop((waiting, counted));
                    journal.record(&note, &connection, outcome)
                }))
            }
        }
    }
}

impl<S: Service> Exchanges<S> {
    /// Answers once the client has read enough of its earlier answers and all connections hold little enough.
    fn answer_with_room(&self, head: Parts, body: Incoming, note: RequestNote) -> Exchange {
        let bytes = OVERHEAD_BYTES + bytes_of(&head);
        let counted = Charge::of(&self.connection, Holding::Request, bytes);
        let queued = self.connection.queue();
        let (service, journal) = (Arc::clone(&self.service), Arc::clone(&self.journal));
        let (connection, timeouts) = (Arc::clone(&self.connection), self.timeouts);
        Exchange::Waiting(Box::pin(async move {
            let turn = connection.until_room().await;
            drop(queued);
            let waiting = connection.wait();
            let (id, started) = (note.id, note.started);
            let request = Request { head, body, connection: &connection, id, started, timeouts };
            match service.call(request) {
                Answer::Ready(outcome) => {
                    drop((waiting, counted));
                    let answer = journal.record(&note, &connection, outcome);
                    drop(turn);
                    answer
                }
                Answer::Waiting(answer) => {
                    // Do not hold the turn during long work; its answer is counted when it is done.
                    drop(turn);
                    let outcome = answer.await;
                    drop((waiting, counted));
                    journal.record(&note, &connection, outcome)
                }
            }
        }))
    }

    /// Answers a request that the service does not see; the connection is then closed.
    fn refuse(&self, refusal: Refusal) -> Response<Body> {
        self.connection.metrics.protocol_errors.fetch_add(1, Relaxed);
        self.connection.linger_after_answer();
        let mut response = self.service.refuse(refusal).map(Body::whole);
        response.headers_mut().insert(CONNECTION, CLOSE);
        response
    }
}

/// An answer without a body: even a short one would wait for the client.
fn no_room() -> Response<Body> {
    let mut response = Response::new(Body::whole(Bytes::new()));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// Whether an HTTP/1.1 head exceeds its limit. hyper checks the limit between two reads, and one read may bring
/// more than the rest of it. The service refuses a target that is too long.
fn is_over_bound(head: &Parts) -> bool {
    head.version != Version::HTTP_2
        && target_bytes(head) <= TARGET_BYTES_MAX
        && bytes_of(head) > HEAD_BYTES_MAX
}

fn target_bytes(head: &Parts) -> usize {
    head.uri.path().len() + head.uri.query().map_or(0, str::len)
}

/// Length of a request's head without separators.
fn bytes_of(head: &Parts) -> usize {
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    target_bytes(head) + headers.sum::<usize>()
}

/// HTTP/1.1 requires exactly one `Host` (RFC 9112, 3.2): with several, two recipients may choose different
/// ones.
fn fault_of_host(headers: &HeaderMap) -> Option<Refusal> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(_), None) => None,
        (None, _) => Some(Refusal::NoHost),
        (Some(_), Some(_)) => Some(Refusal::SeveralHosts),
    }
}

pub enum Exchange {
    /// Taken by the first poll.
    Ready(Option<Response<Body>>),
    Waiting(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

impl Future for Exchange {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Exchange::Ready(response) => {
                response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response)))
            }
            Exchange::Waiting(waiting) => waiting.as_mut().poll(context).map(Ok),
        }
    }
}

impl Journal {
    fn record(
        &self,
        note: &RequestNote,
        connection: &Arc<Connection>,
        outcome: Outcome,
    ) -> Response<Body> {
        let Outcome { mut response, label, account, api_version } = outcome;
        if connection.closes_after_answer() {
            response.headers_mut().insert(CONNECTION, CLOSE);
            connection.linger_after_answer();
        }
        connection.release_head();
        response.headers_mut().insert(DATE, date::now());
        let took = note.started.elapsed();
        self.metrics.end(label, response.status(), took);
        if let (Some(log), Some((method, uri))) = (&self.log, &note.logged) {
            log.push(&Line {
                id: note.id,
                method,
                path: uri.path(),
                query: uri.query(),
                status: response.status(),
                bytes: response.body().length(),
                ended: note.started + took,
                took,
                api_version,
                account: account.as_deref(),
                remote: &connection.remote_text,
            });
        }
        response.map(|body| body.counted(connection))
    }
}
