//! One request, from its head to its response: bounds, route, key, handler, reply, counters, log.
//!
//! The order of the checks, so that the same request always fails for the same reason: target too
//! long (414), declared body too large (413), path (404), method (405), key (401, 403), API version
//! (400), the body itself (408, 413), then whatever the handler finds. A request without a body, as
//! all of this API are, is answered in place, without a task or a boxed future.
//!
//! One catalogue and one keyring are taken at the start and kept: a reload never shows a request
//! two states.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use super::access_log::{AccessLog, Line, RequestId};
use super::connection::{Connection, target_too_long};
use super::error::{ApiError, Code};
use super::limits::{BODY_BYTES_MAX, TARGET_BYTES_MAX};
use super::metrics::Metrics;
use super::params::Params;
use super::reply::{self, Body, Reply, Shape};
use super::route::{Label, NoRoute, Route, route};
use super::served::Served;
use super::{
    auth, bank, cities, corporate, cors, download, error, health, holidays, postal, whoami,
};
use crate::account::{self, KeyEntry, Keyring, LiveKeys};
use crate::snapshot::Live;
use crate::text::codes::ApiVersion;

/// What every request of one server works with.
#[derive(Debug)]
pub struct App {
    /// The data.
    pub served: Live<Served>,
    /// The keys.
    pub keys: Arc<LiveKeys>,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// The access log; `None` where the level hides it.
    pub log: Option<AccessLog>,
}

/// What a handler sees of a request.
#[derive(Debug)]
pub struct Ask<'r> {
    /// The counters and the keys.
    pub app: &'r App,
    /// The data of this moment.
    pub served: &'r Served,
    /// Method, target and headers.
    pub head: &'r Parts,
    /// The query parameters.
    pub params: Params<'r>,
    /// The API version of the answer.
    pub api: ApiVersion,
    /// Where the request came from.
    pub connection: &'r Connection,
    /// Its id in the log.
    pub id: RequestId,
}

/// Answers the requests of one connection.
#[derive(Debug)]
pub struct Service {
    app: Arc<App>,
    connection: Arc<Connection>,
    body_time_max: Duration,
}

impl Service {
    /// A service for this connection.
    pub fn over(app: Arc<App>, connection: Arc<Connection>, body_time_max: Duration) -> Service {
        Service { app, connection, body_time_max }
    }
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Answer {
        let started = Instant::now();
        let number = self.connection.begin_request(request.version());
        let id = RequestId { connection: self.connection.number, request: number };
        let (head, body) = request.into_parts();
        let (app, connection) = (&*self.app, &*self.connection);
        let declared = body.size_hint().lower();
        if body.is_end_stream() || declared > BODY_BYTES_MAX as u64 {
            let state = if declared == 0 { BodyState::Read } else { BodyState::TooLarge };
            let exchange = Exchange { app, connection, id, head: &head, started };
            return Answer::Ready(Some(exchange.answer(state)));
        }
        let (app, connection) = (Arc::clone(&self.app), Arc::clone(&self.connection));
        let body_time_max = self.body_time_max;
        Answer::Waiting(Box::pin(async move {
            let _waiting = connection.wait_for_body();
            let exchange =
                Exchange { app: &app, connection: &connection, id, head: &head, started };
            // A path or a key that is wrong is told without waiting for the body.
            let leads = exchange.find(&app.keys.current()).target.is_ok();
            let state = if leads { read(body, body_time_max).await } else { BodyState::Unread };
            exchange.answer(state)
        }))
    }
}

/// A response that is there, or one that waits for the request's body.
pub enum Answer {
    /// There; taken by the first poll.
    Ready(Option<Response<Body>>),
    /// Not yet there.
    Waiting(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

impl Future for Answer {
    type Output = Result<Response<Body>, std::convert::Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Answer::Ready(response) => match response.take() {
                Some(response) => Poll::Ready(Ok(response)),
                None => Poll::Pending,
            },
            Answer::Waiting(waiting) => waiting.as_mut().poll(context).map(Ok),
        }
    }
}

/// What became of a request's body. No endpoint has a use for one yet; it is read so that the
/// connection can go on, and thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyState {
    /// There is none, or all of it was read.
    Read,
    /// It was not worth reading.
    Unread,
    TooLarge,
    TooSlow,
    /// The client broke off, or sent something that is no body.
    Broken,
}

async fn read(mut body: Incoming, time_max: Duration) -> BodyState {
    let reading = async {
        let mut count = 0;
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return BodyState::Broken };
            count += frame.data_ref().map_or(0, |data| data.len());
            if count > BODY_BYTES_MAX {
                return BodyState::TooLarge;
            }
        }
        BodyState::Read
    };
    tokio::time::timeout(time_max, reading).await.unwrap_or(BodyState::TooSlow)
}

/// A request that has no response yet, and what it is answered with.
#[derive(Clone, Copy)]
struct Exchange<'r> {
    app: &'r App,
    connection: &'r Connection,
    id: RequestId,
    head: &'r Parts,
    started: Instant,
}

/// What is known of a request before its parameters are read.
struct Found<'r> {
    label: Label,
    target: Result<Target<'r>, ApiError>,
    /// The key, where the target needs one.
    key: Option<&'r KeyEntry>,
}

/// Where a request leads.
#[derive(Debug, Clone, Copy)]
enum Target<'r> {
    Route(Route<'r>),
    /// `OPTIONS` on a path with these methods.
    Options(&'static str),
}

impl<'r> Exchange<'r> {
    /// Path, method and key.
    fn find<'k>(&self, keyring: &'k Keyring) -> Found<'k>
    where
        'r: 'k,
    {
        let found = route(&self.head.method, self.head.uri.path());
        let label = Label::from(&found);
        let (target, key) = match found {
            _ if target_length(self.head) > TARGET_BYTES_MAX => (Err(target_too_long()), None),
            Ok(route) => match needs(route) {
                None => (Ok(Target::Route(route)), None),
                Some(service) => match auth::authorize(&self.head.headers, keyring, service) {
                    Ok(key) => (Ok(Target::Route(route)), Some(key)),
                    Err(error) => (Err(error), None),
                },
            },
            Err(NoRoute::Options(allow)) => (Ok(Target::Options(allow)), None),
            Err(NoRoute::Method(allow)) => (Err(not_allowed(&self.head.method, allow)), None),
            Err(NoRoute::Path) => {
                let detail = "expected a path of this API; found another";
                (Err(ApiError::plain(Code::NoSuchEndpoint, detail)), None)
            }
        };
        Found { label, target, key }
    }

    /// The response, counted and logged.
    fn answer(self, body: BodyState) -> Response<Body> {
        let keyring = self.app.keys.current();
        let served = self.app.served.load();
        let Found { label, target, key } = self.find(&keyring);
        let params = Params::over(self.head.uri.query());
        let asked = params.api_version(&self.head.headers);
        let account = key.map(|key| &*key.account);
        let standing = account.and_then(|account| account.api_version);
        let named = asked.as_ref().ok().copied().flatten();
        let api = named.or(standing).unwrap_or(ApiVersion::NEWEST);
        let options = match target {
            Ok(Target::Options(allow)) => Some(allow),
            _ => None,
        };
        let result = self.settle(body, target).and_then(|target| match target {
            Target::Options(_) => Ok(Reply::empty()),
            Target::Route(route) => {
                asked?;
                let ask = Ask {
                    app: self.app,
                    served: &served,
                    head: self.head,
                    params,
                    api,
                    connection: self.connection,
                    id: self.id,
                };
                handle(route, &ask)
            }
        });
        let shape = Shape {
            headers: &self.head.headers,
            head: self.head.method == Method::HEAD,
            api,
            origin: cors::readable_origin(&self.head.headers, &keyring),
        };
        let (mut response, bytes) = match result {
            Ok(reply) => reply::response(reply, &shape),
            Err(error) => reply::error_response(&error, self.id, &shape),
        };
        if let Some(allow) = options {
            cors::answer_options(response.headers_mut(), allow, shape.headers, shape.origin);
        }
        let account = account.map(|account| account.name.as_str());
        self.record(label, response.status(), bytes, api, account);
        response
    }

    /// Weighs what became of the body against where the request leads: a target that is too long
    /// or a body that is too large comes before all else, a body that failed after it.
    fn settle<'t>(
        &self,
        body: BodyState,
        target: Result<Target<'t>, ApiError>,
    ) -> Result<Target<'t>, ApiError> {
        let fault = match body {
            BodyState::Read => return target,
            BodyState::Unread => None,
            BodyState::TooLarge => Some(ApiError::plain(
                Code::BodyTooLarge,
                format!("expected a body of at most {BODY_BYTES_MAX} bytes; found more"),
            )),
            BodyState::TooSlow => Some(ApiError::plain(
                Code::BodyTooSlow,
                "expected the whole body in time; found a part of it",
            )),
            BodyState::Broken => Some(ApiError::plain(
                Code::MalformedRequest,
                "expected a whole body; found a part of it",
            )),
        };
        // The client is still sending: see it out, so that it reads the answer.
        self.connection.linger_after_answer();
        match (target, fault) {
            (Err(error), _) if error.code == Code::TargetTooLong => Err(error),
            (_, Some(fault)) => Err(fault),
            (target, None) => target,
        }
    }

    fn record(
        &self,
        label: Label,
        status: StatusCode,
        bytes: usize,
        api: ApiVersion,
        account: Option<&str>,
    ) {
        let took = self.started.elapsed();
        self.app.metrics.end(label, status, took);
        if let Some(log) = &self.app.log {
            let line = Line {
                id: self.id,
                method: &self.head.method,
                path: self.head.uri.path(),
                query: self.head.uri.query(),
                status,
                bytes,
                ended: self.started + took,
                took,
                api,
                account,
                remote: &self.connection.remote_text,
            };
            log.push(&line);
        }
    }
}

/// The service that a route belongs to; `None` where it needs no key.
fn needs(route: Route<'_>) -> Option<account::Service> {
    match route {
        Route::Postal(_) | Route::PostalVersions | Route::PostalUpdates => {
            Some(account::Service::Postal)
        }
        Route::Banks
        | Route::BankVersions
        | Route::Bank(_)
        | Route::Branches(_)
        | Route::Branch(..) => Some(account::Service::Bank),
        Route::Corporation(_) => Some(account::Service::Corporate),
        Route::PostalDownload => Some(account::Service::Download),
        Route::Cities(_) | Route::Holidays | Route::BusinessDay | Route::Whoami => {
            Some(account::Service::Own)
        }
        Route::Health | Route::Ready | Route::Metrics | Route::ErrorPage => None,
    }
}

/// Every route and its handler.
fn handle(route: Route<'_>, ask: &Ask<'_>) -> Result<Reply, ApiError> {
    match route {
        Route::Postal(code) => postal::lookup(ask, code),
        Route::PostalVersions => Ok(postal::versions(ask)),
        Route::PostalUpdates => postal::updates(ask),
        Route::Banks => bank::list(ask),
        Route::BankVersions => bank::versions(ask),
        Route::Bank(code) => bank::lookup(ask, code),
        Route::Branches(code) => bank::branches(ask, code),
        Route::Branch(code, branch) => bank::branch(ask, code, branch),
        Route::Corporation(number) => corporate::lookup(ask, number),
        Route::Cities(code) => cities::list(ask, code),
        Route::PostalDownload => download::latest(ask),
        Route::Holidays => holidays::list(ask),
        Route::BusinessDay => holidays::check(ask),
        Route::Whoami => Ok(whoami::whoami(ask)),
        Route::Health => Ok(health::health()),
        Route::Ready => Ok(health::ready(ask)),
        Route::Metrics => health::metrics(ask),
        Route::ErrorPage => Ok(Reply::page(error::page())),
    }
}

fn not_allowed(method: &Method, allow: &'static str) -> ApiError {
    // A method may be any token: only a known one is repeated.
    let known = [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(method);
    let found = if known { method.as_str() } else { "another" };
    let detail = format!("expected one of {allow}; found {found}");
    ApiError { allow: Some(allow), ..ApiError::plain(Code::MethodNotAllowed, detail) }
}

fn target_length(head: &Parts) -> usize {
    head.uri.path().len() + head.uri.query().map_or(0, |query| query.len() + 1)
}
