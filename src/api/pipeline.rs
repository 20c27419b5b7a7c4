//! One request, from its head to its outcome: route, key, quota, parameters, body, handler.
//!
//! The order of the checks: target too long (414), declared body too large (413), path (404), method
//! (405), key (401, 403), quota (429), API version (400), the body itself (408, 413), the handler. A
//! request without a body is answered in place, unless it takes long or waits. A body that
//! nobody needs is read and thrown away, so that the connection can go on. A request keeps the keyring
//! that it began with, and the data that its handler began with: a reload does not mix two states.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::header::{HeaderValue, IF_NONE_MATCH};
use hyper::http::request::Parts;
use hyper::{Method, Response, Uri};

use super::ask::{Api, Ask};
use super::batch::questions::Received;
use super::data::Data;
use super::effort::{Effort, NotDone, Place, over_budget};
use super::endpoint::Run;
use super::error::{ApiError, Code};
use super::headers::RequestHeaders;
use super::lanes::Abandoned;
use super::limits::SEARCH_TIME_MAX;
use super::notice::{notice, together};
use super::params::Params;
use super::quota::QuotaOutcome;
use super::refusal;
use super::reply::{self, Reply, Shape};
use super::router::{
    Matched, NoRoute, no_route_label, route, route_of_metrics, route_without_metrics,
};
use super::slots::Arriving;
use super::{cors, input, posted, rights};
use crate::account::{self, Account, AccountId, KeyEntry, KeyKind, Keyring};
use crate::server::access_log::RequestId;
use crate::server::body::Body;
use crate::server::connection::Connection;
use crate::server::held::Charge;
use crate::server::limits::{BODY_BYTES_MAX, TARGET_BYTES_MAX, Timeouts};
use crate::server::metrics::{Label, shard};
use crate::server::pool::Holding;
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

/// Answers a request at an address where the API is not served: no path is known there.
pub fn answer_no_endpoint(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, |_method, _path| Err(NoRoute::Path))
}

/// Answers a request at an address where the counters are not served.
pub fn answer_without_metrics(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, route_without_metrics)
}

/// Answers a request at the address of the counters.
pub fn answer_metrics(api: &Arc<Api>, request: Request<'_>) -> Answer {
    answer(api, request, route_of_metrics)
}

/// What the API gives to an account that is known without a key, as its secret key would: so the
/// dashboard's playground has the very answers of the API. Nothing is counted or logged.
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
        let denied = needs.map(|needs| account::decide(KeyKind::Secret, account, needs));
        denied.unwrap_or(Ok(())).map_err(rights::forbidden).map(|()| Target::Endpoint(matched))
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
    // This thread drives no connections.
    let bounds = api.slots.bounds;
    match exchange.handle(&checked, &data, &Effort::of(Place::Long, bounds, &is_stopped)) {
        Ok(reply) => reply::response(reply, shape),
        Err(NotDone::Error(error)) => reply::error_response(&error, id, shape),
        Err(NotDone::Belongs(_)) => reply::error_response(&over_budget(bounds, "q"), id, shape),
    }
}

/// From a method and a path to what they ask for.
type Find = for<'p> fn(&Method, &'p str) -> Result<Matched<'p>, NoRoute>;

fn answer(api: &Arc<Api>, request: Request<'_>, find: Find) -> Answer {
    let head = &request.head;
    let found = find(&head.method, head.uri.path());
    let known = known_body(&request.body, &found);
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

/// What is known of a body without waiting for it: that there is none, or that it is too large.
fn known_body(body: &Incoming, found: &Result<Matched<'_>, NoRoute>) -> Option<BodyState> {
    if body.is_end_stream() {
        return Some(BodyState::Read(Bytes::new()));
    }
    let bytes_max =
        found.as_ref().map_or(BODY_BYTES_MAX, |matched| matched.endpoint.body_bytes_max);
    (body.size_hint().lower() > bytes_max as u64).then_some(BodyState::TooLarge(bytes_max))
}

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
    /// There is no room for more of it.
    NoRoom(ApiError),
}

enum Pending {
    Known(BodyState),
    Coming(Incoming),
}

impl Pending {
    /// What is known of it where nobody reads it.
    fn unread(self) -> BodyState {
        match self {
            Pending::Known(state) => state,
            Pending::Coming(_) => BodyState::Unread,
        }
    }

    /// How many bytes it has at most.
    fn bytes(&self, bytes_max: usize) -> usize {
        match self {
            Pending::Known(_) => 0,
            Pending::Coming(body) => {
                let declared = body.size_hint().upper().and_then(|it| usize::try_from(it).ok());
                declared.map_or(bytes_max, |declared| declared.min(bytes_max))
            }
        }
    }

    /// Reads a body to its end, within the time of a body. `kept` is where it goes.
    async fn read(self, bytes_max: usize, kept: Kept<'_>, timeouts: Timeouts) -> BodyState {
        match self {
            Pending::Known(state) => state,
            Pending::Coming(body) => {
                let read = read(body, bytes_max, kept);
                tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
            }
        }
    }
}

/// What becomes of a body's bytes.
enum Kept<'a> {
    Nothing,
    All,
    /// All, as far as there is room for them.
    Within(&'a mut Arriving),
}

async fn read(mut body: Incoming, bytes_max: usize, mut kept: Kept<'_>) -> BodyState {
    let (mut count, mut bytes) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyState::Broken };
        let Some(data) = frame.data_ref() else { continue };
        count += data.len();
        if count > bytes_max {
            return BodyState::TooLarge(bytes_max);
        }
        match &mut kept {
            Kept::Nothing => continue,
            Kept::All => {}
            Kept::Within(room) => match room.take(data.len()) {
                Ok(()) => {}
                Err(error) => return BodyState::NoRoom(error),
            },
        }
        bytes.extend_from_slice(data);
    }
    BodyState::Read(bytes.into())
}

fn no_endpoint() -> ApiError {
    ApiError::plain(Code::NoSuchEndpoint, "no endpoint has this path")
}

/// A request that waits: it holds what it is answered from.
struct Owned {
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    started: Instant,
    find: Find,
}

/// A search that was tried where it does not belong, and what it began with: its quota is counted.
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

    /// Does a search on a thread that drives no connections, in its account's turn.
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

    /// The outcome of a search, or where it belongs instead.
    fn search(&self, begun: &Begun, effort: &Effort<'_>) -> Result<Outcome, Place> {
        let exchange = self.exchange();
        let checked = exchange.check(self.found(), &begun.keyring, Some(begun.quota));
        match exchange.handle(&checked, &begun.data, effort) {
            Err(NotDone::Belongs(place)) => Err(place),
            Err(NotDone::Error(error)) => Ok(exchange.finish(&checked, Err(error), &begun.data)),
            Ok(reply) => Ok(exchange.finish(&checked, Ok(reply), &begun.data)),
        }
    }

    /// Answers a search whose parameters are the body.
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
        // Such a request of a client is about what it has, which it has of GET alone.
        self.head.headers.remove(IF_NONE_MATCH);
        let bounds = self.api.slots.bounds;
        let found = self.search(&begun, &Effort::of(Place::Here, bounds, &|| false));
        match found {
            Ok(outcome) => outcome,
            Err(place) => self.answer_in_lane(Begun { place, ..begun }, timeouts).await,
        }
    }

    /// Reads the body, or waits for the work on it. A wrong path or key is answered without waiting
    /// for the body.
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

/// A request that has no response yet, and what it is answered from.
#[derive(Clone, Copy)]
struct Exchange<'r> {
    api: &'r Arc<Api>,
    connection: &'r Arc<Connection>,
    head: &'r Parts,
    id: RequestId,
    started: Instant,
}

/// What is known of a request before its parameters are read.
struct Checked<'r> {
    label: Label,
    target: Result<Target<'r>, ApiError>,
    /// Whose key it is.
    known: Option<&'r KeyEntry>,
    /// The same, where the key may ask what it asks: such a request counts.
    key: Option<&'r KeyEntry>,
    account: Option<&'r Account>,
    /// Where the request comes from, if its pages may read the answer.
    origin: Option<&'r HeaderValue>,
    quota: QuotaOutcome,
    api_version: ApiVersion,
}

impl Checked<'_> {
    /// Whose turn it is in a lane; what needs no key has turns of its own.
    fn account_id(&self) -> AccountId {
        self.account.map_or(AccountId(0), |account| account.id)
    }
}

enum Target<'r> {
    Endpoint(Matched<'r>),
    /// `OPTIONS` on a path with these methods; `None` is a preflight of an unknown path.
    Options(Option<&'static str>),
}

impl<'r> Exchange<'r> {
    /// The outcome of a request of whose body everything is known, unless it takes too much to be had here.
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

    /// Key, quota and API version of a request that leads there. `counted` is the quota of one that was checked
    /// before with the same keyring.
    fn check<'k>(
        &self,
        found: Result<Matched<'k>, NoRoute>,
        keyring: &'k Keyring,
        counted: Option<QuotaOutcome>,
    ) -> Checked<'k>
    where
        'r: 'k,
    {
        let label = match &found {
            Ok(matched) => matched.label,
            Err(no_route) => no_route_label(*no_route),
        };
        let headers = RequestHeaders::of(&self.head.headers);
        let origin = headers.origin.filter(|origin| cors::may_read(origin, keyring));
        let mut known = None;
        let mut target = match found {
            _ if target_length(self.head) > TARGET_BYTES_MAX => {
                Err(refusal::error(Refusal::TargetTooLong))
            }
            Ok(matched) => match matched.endpoint.needs {
                None => Ok(Target::Endpoint(matched)),
                Some(needs) => rights::find(&headers, keyring)
                    .and_then(|key| rights::allow(&headers, known.insert(key), needs))
                    .map(|()| Target::Endpoint(matched)),
            },
            Err(NoRoute::Options(allow)) => Ok(Target::Options(Some(allow))),
            Err(NoRoute::Method(allow)) => Err(not_allowed(&self.head.method, allow)),
            Err(NoRoute::Path) if self.is_preflight(origin) => Ok(Target::Options(None)),
            Err(NoRoute::Path) => Err(no_endpoint()),
        };
        let key = known.filter(|_| target.is_ok());
        let admit = || {
            key.map_or(QuotaOutcome::Unlimited, |key| {
                QuotaOutcome::of(key.meter.admit(&key.quota, self.started, shard()))
            })
        };
        let quota = counted.unwrap_or_else(admit);
        if let Some(error) = quota.error() {
            target = Err(error);
        }
        let asked = Params::over(self.head.uri.query()).api_version(&headers);
        let named = asked.unwrap_or_else(|error| {
            if matches!(target, Ok(Target::Endpoint(_))) {
                target = Err(error);
            }
            None
        });
        let account = key.map(|key| &*key.account);
        let standing = account.and_then(|account| account.api_version);
        let api_version = named.or(standing).unwrap_or(ApiVersion::NEWEST);
        Checked { label, target, known, key, account, origin, quota, api_version }
    }

    fn is_preflight(&self, origin: Option<&HeaderValue>) -> bool {
        let Parts { method, headers, .. } = self.head;
        *method == Method::OPTIONS && cors::is_preflight(headers, origin)
    }

    /// What of the query string has no effect, and whether the answer is from old data.
    fn notice(&self, checked: &Checked<'_>, data: &Data) -> Option<HeaderValue> {
        let Ok(Target::Endpoint(matched)) = &checked.target else { return None };
        let query = self.head.uri.query();
        let without_effect = query.and_then(|query| notice(query, matched.endpoint));
        let old = data.old_postal.as_ref().filter(|_| matched.endpoint.postal);
        match old.filter(|_| !Params::over(query).names_version()) {
            None => without_effect,
            Some(old) => Some(together(without_effect, &old.header)),
        }
    }

    /// The reply to a request that waits for its body, for the store, or for the work of a batch.
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
            Run::AtOnce(_) | Run::Search(_) => {
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

    /// The target with the parameters that the body has.
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
        let _counted = Charge::of(self.connection, Holding::Request, body.bytes(bytes_max));
        let body = body.read(bytes_max, Kept::All, timeouts).await;
        posted::target(&self.head.uri, matched.endpoint, &self.weigh(body, checked)?)
    }

    /// Reads the body of a batch, and takes a slot once all of it is there.
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

    fn ask<'a>(
        &'a self,
        matched: &'a Matched<'a>,
        checked: &Checked<'a>,
        data: &'a Arc<Data>,
    ) -> Ask<'a> {
        Ask {
            api: self.api,
            data,
            head: self.head,
            path: &matched.path,
            params: Params::over(self.head.uri.query()),
            api_version: checked.api_version,
            account: checked.account,
            connection: self.connection,
            id: self.id,
        }
    }

    fn handle(
        &self,
        checked: &Checked<'_>,
        data: &Arc<Data>,
        effort: &Effort<'_>,
    ) -> Result<Reply, NotDone> {
        let matched = match &checked.target {
            Ok(Target::Endpoint(matched)) => matched,
            Ok(Target::Options(_)) => return Ok(Reply::empty()),
            Err(error) => return Err(error.clone().into()),
        };
        match matched.endpoint.run {
            Run::AtOnce(handler) => Ok(handler(&self.ask(matched, checked, data))?),
            Run::Search(handler) => handler(&self.ask(matched, checked, data), effort),
            // Only the playground comes here, which has neither a body nor the account's store.
            Run::WithStore(_) | Run::Batch(_) => Err(no_endpoint().into()),
        }
    }

    fn finish(
        &self,
        checked: &Checked<'_>,
        result: Result<Reply, ApiError>,
        data: &Data,
    ) -> Outcome {
        let (headers, origin) = (&self.head.headers, checked.origin);
        let shape = Shape {
            headers,
            head: self.head.method == Method::HEAD,
            api: checked.api_version,
            origin,
            quota: &checked.quota,
            notice: self.notice(checked, data),
        };
        let mut response = match result {
            Ok(reply) => reply::response(reply, shape),
            Err(error) => reply::error_response(&error, self.id, shape),
        };
        if let Ok(Target::Options(allow)) = checked.target {
            cors::answer_options(response.headers_mut(), allow, headers, origin);
        }
        self.api.counters.note_quota(&checked.quota);
        if let Some(key) = checked.key
            && !matches!(checked.quota, QuotaOutcome::Refused(_))
            && response.status().as_u16() >= 400
        {
            key.meter.count_error(shard());
        }
        Outcome {
            response,
            label: checked.label,
            account: checked.known.map(|key| key.account.name.as_str().into()),
            api_version: checked.api_version.as_str(),
        }
    }

    /// The body, or the error of the request: a target that is too long or a body that is too large
    /// comes before all else, a body that failed after it.
    fn weigh(&self, body: BodyState, checked: &Checked<'_>) -> Result<Bytes, ApiError> {
        let target = checked.target.as_ref();
        let fault = match body {
            BodyState::Read(body) => return target.map(|_target| body).map_err(ApiError::clone),
            BodyState::Unread => None,
            BodyState::TooLarge(bytes_max) => Some(ApiError::plain(
                Code::BodyTooLarge,
                format!("expected a body of at most {bytes_max} bytes; found more"),
            )),
            BodyState::TooSlow => Some(ApiError::plain(
                Code::BodyTooSlow,
                "the body did not arrive in time; send it at once",
            )),
            BodyState::Broken => Some(ApiError::plain(
                Code::MalformedRequest,
                "the body ended before its declared length, or is not valid HTTP",
            )),
            BodyState::NoRoom(error) => Some(error),
        };
        // The client is still sending: see it out, so that it reads the answer.
        self.connection.linger_after_answer();
        match (target, fault) {
            (Err(error), _) if error.code == Code::TargetTooLong => Err(error.clone()),
            (_, Some(fault)) => Err(fault),
            (target, None) => target.map(|_target| Bytes::new()).map_err(ApiError::clone),
        }
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
