//! How a request is answered: at once, in a lane, after its body, with the store, or as a batch.
//!
//! A request without a body is answered in place, unless it takes long or waits. An unneeded body is read and
//! discarded, so that the connection can continue. A request keeps the keyring that it began with, and a handler
//! the data that it began with: a reload never mixes two states. [`exchange`](super::exchange) has the checks and
//! their order.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::header::IF_NONE_MATCH;
use hyper::http::request::Parts;
use hyper::{Method, Response, Uri};

use super::ask::Api;
use super::batch::questions::Received;
use super::data::Data;
use super::effort::{Effort, NotDone, Place, over_budget};
use super::endpoint::Run;
use super::error::ApiError;
use super::exchange::{Checked, Exchange, Target, no_endpoint};
use super::lanes::Abandoned;
use super::limits::SEARCH_TIME_MAX;
use super::quota::QuotaOutcome;
use super::receive::{BodyState, Kept, Pending, known};
use super::refusal;
use super::reply::{self, Reply, Shape};
use super::router::{
    Matched, NoRoute, no_route_label, route, route_of_metrics, route_without_metrics,
};
use super::{input, posted, rights};
use crate::account::{self, Account, AccountId, KeyKind, Keyring};
use crate::server::access_log::RequestId;
use crate::server::body::Body;
use crate::server::budget::ChargeKind;
use crate::server::charge::Charge;
use crate::server::connection::Connection;
use crate::server::limits::{BODY_BYTES_MAX, Timeouts};
use crate::server::refusal::Refusal;
use crate::server::service::{Answer, Outcome, Request, Service};
use crate::text::codes::ApiVersion;

impl Service for Api {
    fn call(self: &Arc<Self>, request: Request<'_>) -> Answer {
        answer(self, request, route)
    }

    fn refuse(&self, refusal: Refusal) -> Response<Bytes> {
        refusal::refuse(refusal)
    }
}

/// Answers a request on a listener without the API: every path is unknown.
pub fn answer_no_endpoint(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, |_method, _path| Err(NoRoute::Path))
}

/// Answers a request on a listener without `/metrics`.
pub fn answer_without_metrics(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, route_without_metrics)
}

/// Answers a request on the listener of `/metrics`.
pub fn answer_metrics(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, route_of_metrics)
}

/// Answers as the API would for the account's secret key, although the account is identified without a key. So
/// the dashboard's playground has the API's own answers. Nothing is counted or logged.
pub fn ask_for_account(
    api: &Arc<Api>,
    connection: &Arc<Connection>,
    id: RequestId,
    head: &Parts,
    account: &Account,
) -> Response<Body> {
    let exchange = Exchange { api, connection, head, id, started: Instant::now() };
    let target = route(&head.method, head.uri.path()).map_err(|_no_route| no_endpoint());
    let target = target.and_then(|matched| {
        let needs = matched.endpoint.needs;
        let denied = needs.map(|needs| account::authorize(KeyKind::Secret, account, needs));
        denied
            .unwrap_or(Ok(()))
            .map_err(|denied| rights::forbidden(denied, account))
            .map(|()| Target::Endpoint(matched))
    });
    let checked = Checked {
        label: no_route_label(NoRoute::Path),
        target,
        known: None,
        key: None,
        account: Some(account),
        origin: None,
        quota: QuotaOutcome::Unlimited,
        api_version: account.api_version.unwrap_or(ApiVersion::NEWEST),
    };
    let data = api.data.load();
    let shape = Shape {
        headers: &head.headers,
        head: false,
        api: checked.api_version,
        origin: None,
        quota: &checked.quota,
        notice: exchange.notice(&checked, &data),
    };
    let is_stopped = || exchange.started.elapsed() >= SEARCH_TIME_MAX;
    // This thread may block: it drives no connections.
    let bounds = api.slots.bounds;
    match exchange.handle(&checked, &data, &Effort::of(Place::Long, bounds, &is_stopped)) {
        Ok(reply) => reply::response(reply, shape),
        Err(NotDone::Error(error)) => reply::error_response(&error, id, shape),
        Err(NotDone::Belongs(_)) => reply::error_response(&over_budget(bounds, "q"), id, shape),
    }
}

/// The outcome of an internal request without a body, with the client's own headers: checked, counted and
/// limited as if the client had sent it. Nothing is logged.
pub async fn ask_inside(
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    timeouts: Timeouts,
) -> Outcome {
    let owned = Owned { api, connection, head, id, started: Instant::now(), find: route };
    owned.answer_later(Pending::Known(BodyState::Read(Bytes::new())), timeouts).await
}

/// Finds the endpoint of a method and a path.
type Find = for<'p> fn(&Method, &'p str) -> Result<Matched<'p>, NoRoute>;

fn answer(api: &Arc<Api>, request: Request<'_>, find: Find) -> Answer {
    let head = &request.head;
    let found = find(&head.method, head.uri.path());
    let of_endpoint = found.as_ref().map(|matched| matched.endpoint.body_bytes_max);
    let bytes_max = of_endpoint.unwrap_or(BODY_BYTES_MAX);
    let known = known(&request.body, bytes_max);
    let run = found.as_ref().ok().map(|matched| matched.endpoint.run);
    let posted = head.method == Method::POST && matches!(run, Some(Run::Search(_)));
    let at_once = !posted && run.is_none_or(|run| run.is_at_once());
    let mut begun = None;
    if let (Some(body), true) = (&known, at_once) {
        let Request { connection, id, started, .. } = request;
        let exchange = Exchange { api, connection, head, id, started };
        match exchange.answer_now(found, body.clone()) {
            Ok(outcome) => return Answer::Ready(outcome),
            Err(further) => begun = Some(further),
        }
    } else {
        drop(found);
    }
    let Request { head, body, connection, id, started, timeouts } = request;
    let (api, connection) = (Arc::clone(api), Arc::clone(connection));
    let owned = Owned { api, connection, head, id, started, find };
    match (begun, known) {
        (Some(begun), _) => Answer::Waiting(Box::pin(owned.answer_in_lane(begun, timeouts))),
        (None, known) => {
            let body = known.map_or_else(|| Pending::Coming(body), Pending::Known);
            match posted {
                true => Answer::Waiting(Box::pin(owned.answer_posted(body, timeouts))),
                false => Answer::Waiting(Box::pin(owned.answer_later(body, timeouts))),
            }
        }
    }
}

/// A waiting request, which owns the state that answers it.
struct Owned {
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    started: Instant,
    find: Find,
}

/// A search that was too expensive where it was tried. Its quota is counted already.
struct Begun {
    place: Place,
    account: AccountId,
    quota: QuotaOutcome,
    keyring: Arc<Keyring>,
    data: Arc<Data>,
}

impl Begun {
    fn of(place: Place, checked: &Checked<'_>, keyring: &Arc<Keyring>, data: &Arc<Data>) -> Begun {
        Begun {
            place,
            account: checked.account_id(),
            quota: checked.quota,
            keyring: Arc::clone(keyring),
            data: Arc::clone(data),
        }
    }
}

impl Owned {
    fn exchange(&self) -> Exchange<'_> {
        let Owned { api, connection, head, id, started, .. } = self;
        Exchange { api, connection, head, id: *id, started: *started }
    }

    /// Runs a search in a lane, in its account's turn.
    async fn answer_in_lane(self, begun: Begun, timeouts: Timeouts) -> Outcome {
        let deadline = self.started + timeouts.work.min(SEARCH_TIME_MAX);
        let (mut place, account) = (begun.place, begun.account);
        let searching = Arc::new((self, begun));
        let slots = &searching.0.api.slots;
        loop {
            let abandoned = Abandoned::default();
            let (task, stop) = (Arc::clone(&searching), abandoned.clone());
            let search = move || {
                let (owned, begun) = &*task;
                let is_stopped = || stop.is_set() || Instant::now() >= deadline;
                owned.search(begun, &Effort::of(place, owned.api.slots.bounds, &is_stopped))
            };
            match slots.search(place, account, deadline, &abandoned, search).await {
                Ok(Ok(outcome)) => return outcome,
                Ok(Err(next)) => place = next,
                Err(error) => {
                    let (owned, begun) = &*searching;
                    let exchange = owned.exchange();
                    let checked = exchange.check(owned.found(), &begun.keyring, Some(begun.quota));
                    return exchange.finish(&checked, Err(error), &begun.data);
                }
            }
        }
    }

    fn found(&self) -> Result<Matched<'_>, NoRoute> {
        (self.find)(&self.head.method, self.head.uri.path())
    }

    /// The outcome of a search, or the place where it must run instead.
    fn search(&self, begun: &Begun, effort: &Effort<'_>) -> Result<Outcome, Place> {
        let exchange = self.exchange();
        let checked = exchange.check(self.found(), &begun.keyring, Some(begun.quota));
        match exchange.handle(&checked, &begun.data, effort) {
            Err(NotDone::Belongs(place)) => Err(place),
            Err(NotDone::Error(error)) => Ok(exchange.finish(&checked, Err(error), &begun.data)),
            Ok(reply) => Ok(exchange.finish(&checked, Ok(reply), &begun.data)),
        }
    }

    /// Answers a search whose parameters are in the body.
    async fn answer_posted(mut self, body: Pending, timeouts: Timeouts) -> Outcome {
        let keyring = Arc::clone(&self.api.keys.current());
        let (target, begun) = {
            let exchange = self.exchange();
            let checked = exchange.check(self.found(), &keyring, None);
            let target = exchange.posted_target(&checked, body, timeouts).await;
            let data = self.api.data.load();
            match target {
                Ok(target) => (target, Begun::of(Place::Here, &checked, &keyring, &data)),
                Err(error) => return exchange.finish(&checked, Err(error), &data),
            }
        };
        self.head.uri = target;
        // `If-None-Match` is about an answer to GET, so it does not apply to POST.
        self.head.headers.remove(IF_NONE_MATCH);
        let bounds = self.api.slots.bounds;
        let found = self.search(&begun, &Effort::of(Place::Here, bounds, &|| false));
        match found {
            Ok(outcome) => outcome,
            Err(place) => self.answer_in_lane(Begun { place, ..begun }, timeouts).await,
        }
    }

    /// Reads the body, or waits for the work on it. A wrong path or key is answered without waiting for the
    /// body.
    async fn answer_later(self, body: Pending, timeouts: Timeouts) -> Outcome {
        let keyring = Arc::clone(&self.api.keys.current());
        let begun = {
            let exchange = self.exchange();
            let checked = exchange.check(self.found(), &keyring, None);
            match exchange.reply_later(&checked, body, timeouts).await {
                Ok(reply) => return exchange.finish(&checked, Ok(reply), &self.api.data.load()),
                Err(NotDone::Error(error)) => {
                    return exchange.finish(&checked, Err(error), &self.api.data.load());
                }
                Err(NotDone::Belongs(place)) => {
                    Begun::of(place, &checked, &keyring, &self.api.data.load())
                }
            }
        };
        self.answer_in_lane(begun, timeouts).await
    }
}

impl Exchange<'_> {
    /// The outcome of a request whose body is known completely, unless it is too expensive here.
    fn answer_now(
        self,
        found: Result<Matched<'_>, NoRoute>,
        body: BodyState,
    ) -> Result<Outcome, Begun> {
        let keyring = self.api.keys.current();
        let data = self.api.data.load();
        let checked = self.check(found, &keyring, None);
        let effort = Effort::of(Place::Here, self.api.slots.bounds, &|| false);
        let result = match self.weigh(body, &checked) {
            Ok(_body) => self.handle(&checked, &data, &effort),
            Err(error) => Err(error.into()),
        };
        let result = match result {
            Err(NotDone::Belongs(place)) => {
                return Err(Begun::of(place, &checked, &keyring, &data));
            }
            Err(NotDone::Error(error)) => Err(error),
            Ok(reply) => Ok(reply),
        };
        Ok(self.finish(&checked, result, &data))
    }

    /// The reply to a request that waits for its body, the store, or the work of a batch.
    async fn reply_later(
        &self,
        checked: &Checked<'_>,
        body: Pending,
        timeouts: Timeouts,
    ) -> Result<Reply, NotDone> {
        let Ok(Target::Endpoint(matched)) = &checked.target else {
            let body = match &checked.target {
                Err(_) => body.unread(),
                Ok(_) => body.read(BODY_BYTES_MAX, Kept::Nothing, timeouts).await,
            };
            self.weigh(body, checked)?;
            return Ok(Reply::empty());
        };
        let bytes_max = matched.endpoint.body_bytes_max;
        match matched.endpoint.run {
            Run::AtOnce(_) | Run::Weighed(_) | Run::Search(_) => {
                self.weigh(body.read(bytes_max, Kept::Nothing, timeouts).await, checked)?;
                let effort = Effort::of(Place::Here, self.api.slots.bounds, &|| false);
                self.handle(checked, &self.api.data.load(), &effort)
            }
            Run::WithStore(handler) => {
                let body = body.read(bytes_max, Kept::All, timeouts).await;
                let body = self.weigh(body, checked)?;
                let data = Arc::clone(&self.api.data.load());
                Ok(handler(&self.ask(matched, checked, &data), body).await?)
            }
            Run::Batch(handler) => {
                let received = self.receive_batch(checked, body, bytes_max, timeouts).await?;
                let data = Arc::clone(&self.api.data.load());
                Ok(handler(&self.ask(matched, checked, &data), received).await?)
            }
        }
    }

    /// The target with the body's parameters in its query string.
    async fn posted_target(
        &self,
        checked: &Checked<'_>,
        body: Pending,
        timeouts: Timeouts,
    ) -> Result<Uri, ApiError> {
        let Ok(Target::Endpoint(matched)) = &checked.target else {
            self.weigh(body.unread(), checked)?;
            return Err(no_endpoint());
        };
        let bytes_max = matched.endpoint.body_bytes_max;
        let _counted = Charge::of(self.connection, ChargeKind::Request, body.bytes(bytes_max));
        let body = body.read(bytes_max, Kept::All, timeouts).await;
        posted::target(&self.head.uri, matched.endpoint, &self.weigh(body, checked)?)
    }

    /// Reads the body of a batch, and takes a slot once it is complete.
    async fn receive_batch(
        &self,
        checked: &Checked<'_>,
        body: Pending,
        bytes_max: usize,
        timeouts: Timeouts,
    ) -> Result<Received, ApiError> {
        let body = match body {
            Pending::Known(state) => {
                self.weigh(state, checked)?;
                return Err(input::no_body());
            }
            Pending::Coming(body) => Pending::Coming(body),
        };
        let (slots, account) = (&self.api.slots, checked.account_id());
        let mut arriving = slots.body(account).inspect_err(|_full| {
            self.connection.linger_after_answer();
        })?;
        let body = body.read(bytes_max, Kept::Within(&mut arriving), timeouts).await;
        let body = self.weigh(body, checked)?;
        let slot = slots.batch(account)?;
        let (bytes, deadline) = (arriving.arrived(), self.started + timeouts.work);
        Ok(Received { body, bytes, slot, deadline, time_max: timeouts.work })
    }
}
