//! One request, from its head to its response: bounds, route, key, handler, reply, counters, log.
//!
//! The order of the checks, so that the same request always fails for the same reason: target too
//! long (414), declared body too large (413), path (404), method (405), key (401, 403), quota (429),
//! API version (400), the body itself (408, 413), then whatever the handler finds. A request without a body is
//! answered in place, without a task or a boxed future; one with a body waits for it, and a batch
//! for the work on it as well. A body that its endpoint has no use for is read and thrown away, so
//! that the connection can go on.
//!
//! One catalogue and one keyring are taken at the start and kept: a reload never shows a request
//! two states.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response};

use super::batch;
use super::error::{ApiError, Code};
use super::params::Params;
use super::quota::Met;
use super::radar::{self, Asked, RadarConfig};
use super::reply::{self, Reply, Shape};
use super::route::{Label, NoRoute, Route, route};
use super::served::Served;
use super::slots::Slots;
use super::state::State;
use super::{
    auth, bank, cities, corporate, corporate_search, cors, download, error, health, holidays,
    input, postal, search, whoami,
};
use crate::account::{self, KeyEntry, KeyKind, Keyring, LiveKeys};
use crate::dashboard;
use crate::dashboard::Dashboard;
use crate::query::syntax::Grouping;
use crate::server::access_log::{AccessLog, Line, RequestId};
use crate::server::body::Body;
use crate::server::connection::{Connection, target_too_long};
use crate::server::limits::{
    BATCH_BODY_BYTES_MAX, BODY_BYTES_MAX, RADAR_BODY_BYTES_MAX, TARGET_BYTES_MAX, Timeouts,
};
use crate::server::metrics::{Metrics, shard};
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
    /// Room for what takes long.
    pub slots: Slots,
    /// The dashboard, where it is on.
    pub dashboard: Option<Dashboard>,
    /// What outlives the server.
    pub state: State,
    /// What the radar works with.
    pub radar: Arc<RadarConfig>,
    /// What parentheses mean in a corporate query.
    pub grouping: Grouping,
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
    timeouts: Timeouts,
}

impl Service {
    /// A service for this connection.
    pub fn over(app: Arc<App>, connection: Arc<Connection>, timeouts: Timeouts) -> Service {
        Service { app, connection, timeouts }
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
        if dashboard::Path::is_below_root(head.uri.path())
            && self.connection.door.opens_dashboard()
            && self.app.dashboard.is_some()
        {
            let (app, connection) = (Arc::clone(&self.app), Arc::clone(&self.connection));
            let answer = dashboard::answer(app, connection, id, head, body, started, self.timeouts);
            return Answer::Waiting(Box::pin(answer));
        }
        let known = at_once(&head, &body);
        let asked = radar::asked(&head);
        let at_once = asked.is_none() && !takes_long(&head);
        if let Some(body) = known.as_ref().filter(|_| at_once) {
            let (app, connection) = (&*self.app, &*self.connection);
            let exchange = Exchange { app, connection, id, head: &head, started };
            return Answer::Ready(Some(exchange.answer(body.clone())));
        }
        let (app, connection) = (Arc::clone(&self.app), Arc::clone(&self.connection));
        let timeouts = self.timeouts;
        Answer::Waiting(Box::pin(async move {
            let _waiting = connection.wait();
            let exchange =
                Exchange { app: &app, connection: &connection, id, head: &head, started };
            if let Some(asked) = asked {
                let body = known.ok_or(body);
                return exchange.answer_radar(asked, body, &app, &connection, timeouts).await;
            }
            if let Some(body) = known {
                return answer_aside(app, connection, id, head, started, body).await;
            }
            exchange.answer_with_body(body, &app, &connection, timeouts).await
        }))
    }
}

/// A query string of so few bytes asks for nothing that takes long: `q=` and two terms are longer.
const SHORT_BYTES: usize = 4;

/// Whether the answer may take long enough to hold up the connections of this thread.
fn takes_long(head: &Parts) -> bool {
    // Shorter ones cannot: that spares the others a look at their route.
    let Some(query) = head.uri.query().filter(|query| query.len() > SHORT_BYTES) else {
        return false;
    };
    let params = Params::over(Some(query));
    match route(&head.method, head.uri.path()) {
        Ok(Route::PostalSearch) => search::takes_long(&params),
        Ok(Route::CorporateSearch) => corporate_search::takes_long(&params),
        _ => false,
    }
}

/// The response to a request whose work is done by a thread that drives no connections.
async fn answer_aside(
    app: Arc<App>,
    connection: Arc<Connection>,
    id: RequestId,
    head: Parts,
    started: Instant,
    body: BodyState,
) -> Response<Body> {
    let turn = app.slots.search_turn().await;
    let work = tokio::task::spawn_blocking(move || {
        let exchange = Exchange { app: &app, connection: &connection, id, head: &head, started };
        let response = exchange.answer(body);
        drop(turn);
        response
    });
    match work.await {
        Ok(response) => response,
        Err(error) => match error.try_into_panic() {
            // Ends this connection, as a panic here would.
            Ok(panic) => std::panic::resume_unwind(panic),
            // The server ends, and this task with it.
            Err(_cancelled) => std::future::pending().await,
        },
    }
}

/// What is known of a body without waiting for it: that there is none, or that it is too large.
fn at_once(head: &Parts, body: &Incoming) -> Option<BodyState> {
    if body.is_end_stream() {
        return Some(BodyState::Read(Bytes::new()));
    }
    let bytes_max = route(&head.method, head.uri.path()).map_or(BODY_BYTES_MAX, body_bytes_max);
    (body.size_hint().lower() > bytes_max as u64).then_some(BodyState::TooLarge(bytes_max))
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

/// What became of a request's body.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BodyState {
    /// All of it was read; nothing is kept of it where nobody has a use for it.
    Read(Bytes),
    /// It was not worth reading.
    Unread,
    /// It is larger than this.
    TooLarge(usize),
    TooSlow,
    /// The client broke off, or sent something that is no body.
    Broken,
}

/// Reads a body to its end. `kept` is where it goes.
async fn read(mut body: Incoming, bytes_max: usize, mut kept: Option<Vec<u8>>) -> BodyState {
    let mut count = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyState::Broken };
        let Some(data) = frame.data_ref() else { continue };
        count += data.len();
        if count > bytes_max {
            return BodyState::TooLarge(bytes_max);
        }
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(data);
        }
    }
    BodyState::Read(kept.unwrap_or_default().into())
}

/// Asks the API for an account that is known without a key, as its secret key would: so the
/// dashboard's playground gives the very answers of the API. Nothing is counted or logged.
pub fn ask_for_account(
    app: &App,
    connection: &Connection,
    id: RequestId,
    head: &Parts,
    account: &account::Account,
) -> Response<Body> {
    let exchange = Exchange { app, connection, id, head, started: Instant::now() };
    let params = Params::over(head.uri.query());
    let api = account.api_version.unwrap_or(ApiVersion::NEWEST);
    let found = route(&head.method, head.uri.path()).map_err(|_no_route| no_endpoint());
    let target = found.and_then(|route| {
        let denied =
            needs(route).map(|service| account::decide_for(KeyKind::Secret, account, service));
        denied.unwrap_or(Ok(())).map_err(auth::forbidden).map(|()| Target::Route(route))
    });
    let quota = Met::Nothing;
    let shape = Shape { headers: &head.headers, head: false, api, origin: None, quota: &quota };
    let found = Found { label: Label::None, target, key: None, quota, params, api };
    match exchange.handle(&found, &app.served.load()) {
        Ok(reply) => reply::response(reply, &shape),
        Err(error) => reply::error_response(&error, id, &shape),
    }
}

fn no_endpoint() -> ApiError {
    ApiError::plain(Code::NoSuchEndpoint, "expected a path of this API; found another")
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
    /// What the request met at the key's quota.
    quota: Met,
    params: Params<'r>,
    /// The API version of the answer.
    api: ApiVersion,
}

/// Where a request leads.
#[derive(Debug, Clone, Copy)]
enum Target<'r> {
    Route(Route<'r>),
    /// `OPTIONS` on a path with these methods.
    Options(&'static str),
}

impl<'r> Exchange<'r> {
    /// Path, method, key and API version.
    fn find<'k>(&self, keyring: &'k Keyring) -> Found<'k>
    where
        'r: 'k,
    {
        let found = match self.connection.door.opens_api() {
            true => route(&self.head.method, self.head.uri.path()),
            false => Err(NoRoute::Path),
        };
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
            Err(NoRoute::Path) => (Err(no_endpoint()), None),
        };
        let quota = key.map_or(Met::Nothing, |key| {
            Met::of(key.meter.admit(&key.quota, self.started, shard()))
        });
        let target = quota.error().map_or(target, Err);
        let params = Params::over(self.head.uri.query());
        let asked = params.api_version(&self.head.headers);
        let standing = key.and_then(|key| key.account.api_version);
        let named = asked.as_ref().ok().copied().flatten();
        let api = named.or(standing).unwrap_or(ApiVersion::NEWEST);
        let target = match (target, asked) {
            (Ok(Target::Route(_)), Err(error)) => Err(error),
            (target, _) => target,
        };
        Found { label, target, key, quota, params, api }
    }

    /// The response to a request of whose body everything is known.
    fn answer(self, body: BodyState) -> Response<Body> {
        let keyring = self.app.keys.current();
        let served = self.app.served.load();
        let found = self.find(&keyring);
        let result = self.settle(body, &found).and_then(|_body| self.handle(&found, &served));
        self.conclude(&found, &keyring, result)
    }

    /// The response to a request whose body is on its way. A path or a key that is wrong is told
    /// without waiting for it.
    async fn answer_with_body(
        self,
        body: Incoming,
        app: &Arc<App>,
        connection: &Arc<Connection>,
        timeouts: Timeouts,
    ) -> Response<Body> {
        let keyring = Arc::clone(&app.keys.current());
        let found = self.find(&keyring);
        let Ok(Target::Route(route @ (Route::PostalBatch | Route::CorporateBatch))) = found.target
        else {
            let body = match found.target {
                Ok(_) => {
                    let read = read(body, BODY_BYTES_MAX, None);
                    tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
                }
                Err(_) => BodyState::Unread,
            };
            let served = app.served.load();
            let result = self.settle(body, &found).and_then(|_body| self.handle(&found, &served));
            return self.conclude(&found, &keyring, result);
        };
        let work = (app, connection, timeouts);
        let result = match route {
            Route::CorporateBatch => {
                self.answer_batch::<batch::Corporations>(&found, body, app.grouping, work).await
            }
            _ => self.answer_batch::<batch::Addresses>(&found, body, (), work).await,
        };
        self.conclude(&found, &keyring, result)
    }

    /// The response to a request of the radar, whose body is known or still on its way.
    async fn answer_radar(
        self,
        asked: Asked,
        body: Result<BodyState, Incoming>,
        app: &Arc<App>,
        connection: &Arc<Connection>,
        timeouts: Timeouts,
    ) -> Response<Body> {
        let keyring = Arc::clone(&app.keys.current());
        let found = self.find(&keyring);
        let body = match (body, &found.target) {
            (Ok(known), _) => known,
            (Err(_), Err(_)) => BodyState::Unread,
            (Err(body), Ok(_)) => {
                let read = read(body, RADAR_BODY_BYTES_MAX, Some(Vec::new()));
                tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
            }
        };
        let result = match (self.settle(body, &found), found.key) {
            (Ok(body), Some(key)) => {
                let served = Arc::clone(&app.served.load());
                let (account, connection) = (key.account.id, Arc::clone(connection));
                let request = self.id;
                let job = radar::Job { asked, account, body, served, connection, request };
                radar::answer(app, job).await
            }
            (Ok(_), None) => self.handle(&found, &app.served.load()),
            (Err(error), _) => Err(error),
        };
        self.conclude(&found, &keyring, result)
    }

    /// The answer to a batch, once its body is there and the work is done.
    async fn answer_batch<K: batch::Questions>(
        &self,
        found: &Found<'_>,
        body: Incoming,
        options: K::Options,
        (app, connection, timeouts): (&Arc<App>, &Arc<Connection>, Timeouts),
    ) -> Result<Reply, ApiError> {
        let slot = match app.slots.batch() {
            Ok(slot) => slot,
            Err(error) => {
                self.connection.linger_after_answer();
                return Err(error);
            }
        };
        let declared = usize::try_from(body.size_hint().lower()).unwrap_or(0);
        let read = read(body, BATCH_BODY_BYTES_MAX, Some(Vec::with_capacity(declared)));
        let body = tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow);
        let body = self.settle(body, found)?;
        let served = Arc::clone(&app.served.load());
        let ask = self.ask(found, &served);
        let chosen = K::choose(&ask)?;
        let job = batch::Job::<K> {
            data: Arc::clone(chosen.data),
            options,
            served: Arc::clone(&served),
            api: found.api,
            body,
            slot,
            connection: Arc::clone(connection),
        };
        let time_max = timeouts.batch;
        let answered = batch::answer(job, &app.slots, self.started + time_max, time_max).await;
        answered.map_err(|fault| match fault {
            batch::Fault::Told(error) => error,
            batch::Fault::Damaged(error) => chosen.damaged(&ask, &error),
        })
    }

    /// What a handler sees.
    fn ask<'a>(&'a self, found: &Found<'a>, served: &'a Served) -> Ask<'a> {
        Ask {
            app: self.app,
            served,
            head: self.head,
            params: found.params,
            api: found.api,
            connection: self.connection,
            id: self.id,
        }
    }

    /// What the target answers.
    fn handle(&self, found: &Found<'_>, served: &Served) -> Result<Reply, ApiError> {
        match found.target.clone()? {
            Target::Options(_) => Ok(Reply::empty()),
            Target::Route(route) => handle(route, &self.ask(found, served)),
        }
    }

    /// The response, counted and logged.
    fn conclude(
        &self,
        found: &Found<'_>,
        keyring: &Keyring,
        result: Result<Reply, ApiError>,
    ) -> Response<Body> {
        let shape = Shape {
            headers: &self.head.headers,
            head: self.head.method == Method::HEAD,
            api: found.api,
            origin: cors::readable_origin(&self.head.headers, keyring),
            quota: &found.quota,
        };
        let mut response = match result {
            Ok(reply) => reply::response(reply, &shape),
            Err(error) => reply::error_response(&error, self.id, &shape),
        };
        if let Ok(Target::Options(allow)) = found.target {
            cors::answer_options(response.headers_mut(), allow, shape.headers, shape.origin);
        }
        self.app.metrics.note_quota(&found.quota);
        if let (Some(key), Met::Nothing | Met::Room(_)) = (found.key, &found.quota)
            && response.status().as_u16() >= 400
        {
            key.meter.count_error(shard());
        }
        let took = self.started.elapsed();
        self.app.metrics.end(found.label, response.status(), took);
        if let Some(log) = &self.app.log {
            let account = found.key.map(|key| key.account.name.as_str());
            let line = Line {
                id: self.id,
                method: &self.head.method,
                path: self.head.uri.path(),
                query: self.head.uri.query(),
                status: response.status(),
                bytes: response.body().length(),
                ended: self.started + took,
                took,
                api: found.api,
                account,
                remote: &self.connection.remote_text,
            };
            log.push(&line);
        }
        response
    }

    /// Weighs what became of the body against where the request leads, and gives the body: a target
    /// that is too long or a body that is too large comes before all else, a body that failed after
    /// it.
    fn settle(&self, body: BodyState, found: &Found<'_>) -> Result<Bytes, ApiError> {
        let fault = match body {
            BodyState::Read(body) => return found.target.clone().map(|_target| body),
            BodyState::Unread => None,
            BodyState::TooLarge(bytes_max) => Some(ApiError::plain(
                Code::BodyTooLarge,
                format!("expected a body of at most {bytes_max} bytes; found more"),
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
        match (&found.target, fault) {
            (Err(error), _) if error.code == Code::TargetTooLong => Err(error.clone()),
            (_, Some(fault)) => Err(fault),
            (target, None) => target.clone().map(|_target| Bytes::new()),
        }
    }
}

/// The service that a route belongs to; `None` where it needs no key.
fn needs(route: Route<'_>) -> Option<account::Service> {
    match route {
        Route::Postal(_) | Route::PostalVersions | Route::PostalUpdates => {
            Some(account::Service::Postal)
        }
        Route::PostalSearch => Some(account::Service::AddressSearch),
        Route::PostalBatch => Some(account::Service::PostalBatch),
        Route::Banks
        | Route::BankVersions
        | Route::Bank(_)
        | Route::Branches(_)
        | Route::Branch(..) => Some(account::Service::Bank),
        Route::Corporation(_) | Route::CorporateSearch => Some(account::Service::Corporate),
        Route::CorporateBatch => Some(account::Service::CorporateBatch),
        Route::Watched | Route::Watch | Route::Unwatch | Route::Changed(_) => {
            Some(account::Service::Radar)
        }
        Route::PostalDownload => Some(account::Service::Download),
        Route::Cities(_) | Route::Holidays | Route::BusinessDay | Route::Whoami => {
            Some(account::Service::Own)
        }
        Route::Health | Route::Ready | Route::Metrics | Route::ErrorPage => None,
    }
}

/// The longest body that a route takes.
fn body_bytes_max(route: Route<'_>) -> usize {
    match route {
        Route::PostalBatch | Route::CorporateBatch => BATCH_BODY_BYTES_MAX,
        Route::Watch | Route::Unwatch => RADAR_BODY_BYTES_MAX,
        _ => BODY_BYTES_MAX,
    }
}

/// Every route and its handler.
fn handle(route: Route<'_>, ask: &Ask<'_>) -> Result<Reply, ApiError> {
    match route {
        Route::Postal(code) => postal::lookup(ask, code),
        Route::PostalVersions => Ok(postal::versions(ask)),
        Route::PostalUpdates => postal::updates(ask),
        Route::PostalSearch => search::search(ask),
        // A batch with a body is answered where its body is read.
        Route::PostalBatch | Route::CorporateBatch => Err(input::no_body()),
        Route::Banks => bank::list(ask),
        Route::BankVersions => bank::versions(ask),
        Route::Bank(code) => bank::lookup(ask, code),
        Route::Branches(code) => bank::branches(ask, code),
        Route::Branch(code, branch) => bank::branch(ask, code, branch),
        Route::Corporation(number) => corporate::lookup(ask, number),
        // Answered where the store is asked, which is before this.
        Route::Watched | Route::Watch | Route::Unwatch | Route::Changed(_) => {
            let detail = "expected the store to be asked; found that it was not";
            Err(ApiError::plain(Code::Internal, detail))
        }
        Route::CorporateSearch => corporate_search::search(ask),
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
    let known =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let known = known.contains(method);
    let found = if known { method.as_str() } else { "another" };
    let detail = format!("expected one of {allow}; found {found}");
    ApiError { allow: Some(allow), ..ApiError::plain(Code::MethodNotAllowed, detail) }
}

fn target_length(head: &Parts) -> usize {
    head.uri.path().len() + head.uri.query().map_or(0, |query| query.len() + 1)
}
