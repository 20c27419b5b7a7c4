//! How a request is answered: on the thread of its connection, in a lane, after its body, with the store, or as a
//! batch.
//!
//! A request without a body is answered on the thread of its connection, unless it is long or expensive, its answer takes
//! long to compress, or it waits: nothing on that thread may [take long](crate::server::thread_time). An unneeded body is
//! read and discarded, so that the connection can continue. A request keeps the keyring, and a handler the
//! data, that were current when it started: a reload never mixes two states. [`exchange`] has the checks and their
//! order: [`router`] finds the endpoint, [`rights`], [`quota`] and [`params`] check the request, and the handler takes
//! an [`ApiRequest`](params::ApiRequest) and returns a [`Reply`].

mod body_buffer;
pub mod exchange;
pub mod file;
pub mod foreign;
pub mod input;
pub mod language;
pub mod notice;
pub mod params;
pub mod path_params;
pub mod quota;
pub mod reply;
pub mod request_body;
pub mod rights;
pub mod router;
pub mod tag;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::header::IF_NONE_MATCH;
use hyper::http::request::Parts;
use hyper::{Method, Response, Uri};

use crate::account::{self, Account, AccountId, KeyKind, Keyring};
use crate::api::Api;
use crate::api::data::Data;
use crate::api::endpoint::Handler;
use crate::api::error::ApiError;
use crate::api::executor::cost_budget::{CostBudget, Executor, HandlerError, over_budget};
use crate::api::executor::lanes::RunningSlice;
use crate::api::limits::{CONNECTION_BODY_BYTES_MAX, CONNECTION_TARGET_BYTES_MAX, SEARCH_TIME_MAX};
use crate::api::resource::batch::ReceivedBatch;
use crate::language::Language;
use crate::server::access_log::RequestId;
use crate::server::body::Body;
use crate::server::budget::ChargeKind;
use crate::server::connection::{Charge, Connection};
use crate::server::limits::{BODY_BYTES_MAX, Timeouts};
use crate::server::service::{Answer, HttpService, Outcome, Refusal, Request};
use crate::text::codes::ApiVersion;
use exchange::{
    CheckedRequest, Exchange, Route, no_endpoint, require_api_version, target_length, wants_meta,
};
use quota::QuotaOutcome;
use reply::Reply;
use request_body::{BodySink, BodyState, RequestBody};
use router::{NoRoute, RouteMatch, Routes, no_route_label, route};

const OWN: Routes = Routes::own::<true, true>();

impl HttpService for Api {
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer {
        answer(self, request, OWN)
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        reply::bare_error_response(&reply::refusal_error(refusal), Language::English)
    }
}

/// The answer to a request of an account without a key.
pub struct AccountAnswer {
    pub response: Response<Body>,
    pub error: Option<ApiError>,
}

/// Answers as the API would for a secret key of the account, on this thread, within `time_max`. For the dashboard's
/// playground, whose user has signed in instead of sending a key, and for the command line. Nothing is counted or logged.
pub fn answer_for_account(
    api: &Arc<Api>,
    connection: &Arc<Connection>,
    id: RequestId,
    head: &Parts,
    account: &Account,
    time_max: Duration,
) -> AccountAnswer {
    let exchange = Exchange { api, connection, head, id, started: Instant::now() };
    let api_version = account.api_version.unwrap_or(ApiVersion::NEWEST);
    let matched = route(&head.method, head.uri.path()).map_err(|_no_route| no_endpoint());
    let allowed = matched.and_then(|matched| {
        if let Some(service) = matched.endpoint.needs {
            account::authorize(KeyKind::Secret, account, service)
                .map_err(|denied| rights::forbidden(denied, account))?;
        }
        require_api_version(matched.endpoint, api_version)?;
        Ok(Route::Endpoint(matched))
    });
    let wants_meta = match &allowed {
        Ok(Route::Endpoint(matched)) => wants_meta(matched.endpoint, head).unwrap_or_default(),
        _ => false,
    };
    let checked = CheckedRequest {
        label: no_route_label(NoRoute::Path),
        endpoint_name: "none",
        route: allowed,
        presented_key: None,
        entitled_key: None,
        account: Some(account),
        origin: None,
        quota: QuotaOutcome::Unlimited,
        api_version,
        wants_meta,
        error_form: None,
    };
    let data = api.data.load();
    let is_stopped = || exchange.started.elapsed() >= time_max;
    // This thread may block: it drives no connections.
    let limits = api.slots.cost_limits;
    let budget = CostBudget::new(Executor::LongLane, limits, &is_stopped);
    let result = HandlerError::split(exchange.handle(&checked, &data, &budget));
    let result = result.unwrap_or_else(|_executor| Err(over_budget(limits, "q")));
    let error = result.as_ref().err().cloned();
    let outcome = exchange.finish(&checked, result, &data);
    AccountAnswer { response: outcome.answered.into_response(), error }
}

/// Answers a request that the server makes for a client, with the client's own headers and without a body. It is
/// checked, counted and limited as if the client had sent it; `counted` if it is paid already. Nothing is logged.
pub async fn answer_internal(
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    timeouts: Timeouts,
    counted: Option<QuotaOutcome>,
) -> Outcome {
    let started = Instant::now();
    let waiting = WaitingRequest { api, connection, head, id, started, routes: OWN };
    let body = RequestBody::Known(BodyState::Read(Bytes::new()));
    waiting.answer_after_body(body, timeouts, counted).await
}

/// Answers a request on a listener that serves what `routes` find.
pub fn answer(api: &Arc<Api>, request: Request<'_>, routes: Routes) -> Answer {
    let routed = routes.find(&request.head.method, request.head.uri.path());
    let endpoint = routed.as_ref().ok().map(|matched| matched.endpoint);
    let asks_for_meta = endpoint.is_some_and(|it| wants_meta(it, request.head) == Ok(true));
    if asks_for_meta && request.head.headers.contains_key(IF_NONE_MATCH) {
        // The client's tag is of an answer without its sources.
        let mut head = request.head.clone();
        head.headers.remove(IF_NONE_MATCH);
        return answer(api, Request { head: &head, ..request }, routes);
    }
    let Request { head, body, connection, id, started, timeouts } = request;
    let bytes_max = endpoint.map_or(BODY_BYTES_MAX, |endpoint| endpoint.body_bytes_max);
    let body = RequestBody::new(body, bytes_max);
    let is_posted_search = head.method == Method::POST
        && endpoint.is_some_and(|endpoint| matches!(endpoint.handler, Handler::Search(_)));
    let starts_on_connection = !is_posted_search
        && endpoint.is_none_or(|endpoint| endpoint.handler.starts_on_connection());
    let mut suspended = None;
    if let (RequestBody::Known(state), true) = (&body, starts_on_connection) {
        let exchange = Exchange { api, connection, head, id, started };
        match exchange.answer_now(routed, state.clone()) {
            Ok(outcome) => return Answer::Ready(outcome),
            Err(search) => suspended = Some(search),
        }
    } else {
        drop(routed);
    }
    let (api, connection) = (Arc::clone(api), Arc::clone(connection));
    let waiting = WaitingRequest { api, connection, head: head.clone(), id, started, routes };
    Answer::Waiting(match suspended {
        Some(search) => Box::pin(waiting.answer_in_lane(search, timeouts)),
        None if is_posted_search => Box::pin(waiting.answer_posted_search(body, timeouts)),
        None => Box::pin(waiting.answer_after_body(body, timeouts, None)),
    })
}

/// A request that waits for its body, a lane or the store. It owns what an [`Exchange`] borrows.
struct WaitingRequest {
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    started: Instant,
    routes: Routes,
}

/// A request that takes too long for the thread where it was tried, and continues on `executor`. Its quota is counted
/// already, and it keeps the keys and the data that it started with.
struct SuspendedRequest {
    executor: Executor,
    /// The reply, if only its compression is left.
    reply: Mutex<Option<Box<Reply>>>,
    account: AccountId,
    quota: QuotaOutcome,
    keyring: Arc<Keyring>,
    data: Arc<Data>,
}

impl SuspendedRequest {
    fn new(
        executor: Executor,
        checked: &CheckedRequest<'_>,
        keyring: &Arc<Keyring>,
        data: &Arc<Data>,
    ) -> SuspendedRequest {
        SuspendedRequest {
            executor,
            reply: Mutex::new(None),
            account: checked.account_id(),
            quota: checked.quota,
            keyring: Arc::clone(keyring),
            data: Arc::clone(data),
        }
    }

    fn with_reply(self, reply: Reply) -> SuspendedRequest {
        SuspendedRequest { reply: Mutex::new(Some(Box::new(reply))), ..self }
    }

    fn take_reply(&self) -> Option<Reply> {
        let mut reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner);
        reply.take().map(|reply| *reply)
    }
}

impl WaitingRequest {
    fn exchange(&self) -> Exchange<'_> {
        let WaitingRequest { api, connection, head, id, started, .. } = self;
        Exchange { api, connection, head, id: *id, started: *started }
    }

    /// Runs a search in a lane, in its account's turn, and in the next lane if it is too expensive for this one.
    async fn answer_in_lane(self, search: SuspendedRequest, timeouts: Timeouts) -> Outcome {
        let deadline = self.started + timeouts.work.min(SEARCH_TIME_MAX);
        let (mut executor, account) = (search.executor, search.account);
        let shared = Arc::new((self, search));
        let slots = &shared.0.api.slots;
        loop {
            let task = Arc::clone(&shared);
            let run = move |running: &RunningSlice<'_>| {
                let (waiting, search) = &*task;
                let is_stopped = || running.must_stop();
                let limits = waiting.api.slots.cost_limits;
                waiting.try_search(search, &CostBudget::new(executor, limits, &is_stopped))
            };
            match slots.run_search(executor, account, deadline, run).await {
                Ok(Ok(outcome)) => return outcome,
                Ok(Err(next)) => executor = next,
                Err(error) => {
                    let (waiting, search) = &*shared;
                    let exchange = waiting.exchange();
                    let checked =
                        exchange.check(waiting.route(), &search.keyring, Some(search.quota));
                    return exchange.finish(&checked, Err(error), &search.data);
                }
            }
        }
    }

    fn route(&self) -> Result<RouteMatch<'_>, NoRoute> {
        self.routes.find(&self.head.method, self.head.uri.path())
    }

    /// The outcome of a search, or the executor on which it must run instead.
    fn try_search(
        &self,
        search: &SuspendedRequest,
        budget: &CostBudget<'_>,
    ) -> Result<Outcome, Executor> {
        let exchange = self.exchange();
        let checked = exchange.check(self.route(), &search.keyring, Some(search.quota));
        let result = match search.take_reply() {
            Some(reply) => Ok(reply),
            None => HandlerError::split(exchange.handle(&checked, &search.data, budget))?,
        };
        Ok(exchange.finish(&checked, result, &search.data))
    }

    async fn answer_posted_search(mut self, body: RequestBody, timeouts: Timeouts) -> Outcome {
        let keyring = Arc::clone(&self.api.keys.current());
        let (target, quota, data) = {
            let exchange = self.exchange();
            let checked = exchange.check(self.route(), &keyring, None);
            let target = exchange.posted_target(&checked, body, timeouts).await;
            let data = Arc::clone(&self.api.data.load());
            match target {
                Ok(target) => (target, checked.quota, data),
                Err(error) => return exchange.finish(&checked, Err(error), &data),
            }
        };
        self.head.uri = target;
        // `If-None-Match` is about an answer to GET, so it does not apply to POST.
        self.head.headers.remove(IF_NONE_MATCH);
        let suspended = {
            let exchange = self.exchange();
            let checked = exchange.check(self.route(), &keyring, Some(quota));
            let result = exchange.handle_here(&checked, &data);
            match exchange.finish_here(&checked, result, (&keyring, &data)) {
                Ok(outcome) => return outcome,
                Err(suspended) => suspended,
            }
        };
        self.answer_in_lane(suspended, timeouts).await
    }

    /// Answers after the body was read or the store was asked, and runs batches. A wrong path or key is answered
    /// without waiting for the body.
    async fn answer_after_body(
        self,
        body: RequestBody,
        timeouts: Timeouts,
        counted: Option<QuotaOutcome>,
    ) -> Outcome {
        let keyring = Arc::clone(&self.api.keys.current());
        let search = {
            let exchange = self.exchange();
            let checked = exchange.check(self.route(), &keyring, counted);
            let result = exchange.reply_after_body(&checked, body, timeouts).await;
            let data = self.api.data.load();
            match exchange.finish_here(&checked, result, (&keyring, &data)) {
                Ok(outcome) => return outcome,
                Err(suspended) => suspended,
            }
        };
        self.answer_in_lane(search, timeouts).await
    }
}

impl Exchange<'_> {
    /// The outcome of a request whose body is known without waiting, unless it is too expensive for this thread.
    fn answer_now(
        self,
        routed: Result<RouteMatch<'_>, NoRoute>,
        body: BodyState,
    ) -> Result<Outcome, SuspendedRequest> {
        let keyring = self.api.keys.current();
        let data = self.api.data.load();
        if let Ok(matched) = &routed
            && !self.is_long()
            && let Some(prefetch) = matched.endpoint.prefetch
        {
            prefetch(&data, matched.path);
        }
        let checked = self.check(routed, &keyring, None);
        let result = match self.accept_body(body, &checked) {
            Ok(_body) => self.handle_here(&checked, &data),
            Err(error) => Err(error.into()),
        };
        self.finish_here(&checked, result, (&keyring, &data))
    }

    /// Whether the request is too long for the thread of the connection.
    fn is_long(&self) -> bool {
        target_length(self.head) > CONNECTION_TARGET_BYTES_MAX
    }

    /// Calls the handler on the thread of the connection, unless the request is too long for it.
    fn handle_here(
        &self,
        checked: &CheckedRequest<'_>,
        data: &Arc<Data>,
    ) -> Result<Reply, HandlerError> {
        if self.is_long() && matches!(checked.route, Ok(Route::Endpoint(_))) {
            return Err(HandlerError::MoveTo(Executor::ShortLane));
        }
        let budget = CostBudget::new(Executor::Connection, self.api.slots.cost_limits, &|| false);
        self.handle(checked, data, &budget)
    }

    /// Makes the response on the thread of the connection, unless that takes too long for it.
    fn finish_here(
        &self,
        checked: &CheckedRequest<'_>,
        result: Result<Reply, HandlerError>,
        (keyring, data): (&Arc<Keyring>, &Arc<Data>),
    ) -> Result<Outcome, SuspendedRequest> {
        let suspend = |executor| SuspendedRequest::new(executor, checked, keyring, data);
        match HandlerError::split(result) {
            Ok(Ok(reply)) if reply.takes_long_to_compress(&self.head.headers) => {
                Err(suspend(Executor::ShortLane).with_reply(reply))
            }
            Ok(result) => Ok(self.finish(checked, result, data)),
            Err(executor) => Err(suspend(executor)),
        }
    }

    /// The reply to a request that waits for its body, the store or a batch.
    async fn reply_after_body(
        &self,
        checked: &CheckedRequest<'_>,
        body: RequestBody,
        timeouts: Timeouts,
    ) -> Result<Reply, HandlerError> {
        let Ok(Route::Endpoint(matched)) = &checked.route else {
            let body = match &checked.route {
                Err(_) => body.discard(),
                Ok(_) => body.read(BODY_BYTES_MAX, BodySink::Discard, timeouts).await,
            };
            self.accept_body(body, checked)?;
            return Ok(Reply::no_content());
        };
        let bytes_max = matched.endpoint.body_bytes_max;
        match matched.endpoint.handler {
            Handler::Immediate(_) | Handler::Budgeted(_) | Handler::Search(_) => {
                self.accept_body(body.read(bytes_max, BodySink::Discard, timeouts).await, checked)?;
                self.handle_here(checked, &self.api.data.load())
            }
            Handler::Store(handler) => {
                let _counted = self.charge_body(&body, bytes_max);
                let body = body.read(bytes_max, BodySink::Buffer, timeouts).await;
                let body = self.accept_body(body, checked)?;
                let data = Arc::clone(&self.api.data.load());
                Ok(handler(&self.api_request(matched, checked, &data), body).await?)
            }
            Handler::Batch(handler) => {
                let received = self.receive_batch(checked, body, bytes_max, timeouts).await?;
                let data = Arc::clone(&self.api.data.load());
                Ok(handler(&self.api_request(matched, checked, &data), received).await?)
            }
        }
    }

    /// The request target with the body's parameters in its query string.
    async fn posted_target(
        &self,
        checked: &CheckedRequest<'_>,
        body: RequestBody,
        timeouts: Timeouts,
    ) -> Result<Uri, ApiError> {
        let Ok(Route::Endpoint(matched)) = &checked.route else {
            self.accept_body(body.discard(), checked)?;
            return Err(no_endpoint());
        };
        let bytes_max = matched.endpoint.body_bytes_max;
        let _counted = self.charge_body(&body, bytes_max);
        let body = body.read(bytes_max, BodySink::Buffer, timeouts).await;
        let body = self.accept_body(body, checked)?;
        let (uri, endpoint) = (self.head.uri.clone(), matched.endpoint);
        if body.len() <= CONNECTION_BODY_BYTES_MAX {
            return request_body::target(&uri, endpoint, &body);
        }
        let deadline = self.started + timeouts.work.min(SEARCH_TIME_MAX);
        let parse = move |_running: &RunningSlice<'_>| request_body::target(&uri, endpoint, &body);
        let (slots, account) = (&self.api.slots, checked.account_id());
        slots.run_search(Executor::ShortLane, account, deadline, parse).await?
    }

    /// Charges the bytes that reading a body keeps. A batch reserves the bytes of its body instead.
    pub fn charge_body(&self, body: &RequestBody, bytes_max: usize) -> Charge {
        Charge::of(self.connection, ChargeKind::Request, body.bytes_expected(bytes_max))
    }

    /// Reads the body of a batch, and takes a slot once it is complete.
    async fn receive_batch(
        &self,
        checked: &CheckedRequest<'_>,
        body: RequestBody,
        bytes_max: usize,
        timeouts: Timeouts,
    ) -> Result<ReceivedBatch, ApiError> {
        if let RequestBody::Known(state) = body {
            self.accept_body(state, checked)?;
            return Err(input::no_body());
        }
        let (slots, account) = (&self.api.slots, checked.account_id());
        let mut reservation = slots.reserve_body(account).inspect_err(|_too_many| {
            self.connection.linger_after_answer();
        })?;
        let body = body.read(bytes_max, BodySink::Reserved(&mut reservation), timeouts).await;
        let body = self.accept_body(body, checked)?;
        let slot = slots.reserve_batch(account)?;
        let (bytes, deadline) = (reservation.into_bytes(), self.started + timeouts.work);
        Ok(ReceivedBatch { body, bytes, slot, deadline, time_max: timeouts.work })
    }
}
