//! The steps of every request: checks who calls which endpoint and whether they may, calls the handler, and makes the
//! response. [`pipeline`](super) decides where and when the steps run.
//!
//! The order of the checks: target too long (414), declared body too large (413), path (404), method (405), key (401,
//! 403), quota (429), number of parameters (400), API version (400, or 404 if the endpoint is newer), the body itself
//! (408, 413), the handler.
//!
//! Cross-origin requests: an origin registered on any live public key may read answers, including errors, so that a
//! page can tell a wrong key from a wrong path. `rights` decides whether its key works from there. Loopback origins
//! may read too while a public key without origins exists. A preflight carries no key and is answered from the same
//! list, also on an unknown path: otherwise a browser would not show the 404 that follows. Secret keys are not for
//! browsers and allow no origin. A `GET` with its key in the URL has no preflight.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ALLOW, AUTHORIZATION, HeaderMap, HeaderValue,
};
use hyper::http::request::Parts;
use jiff::Timestamp;

use super::foreign::{Caller, Presented};
use super::notice::{gap_notices, notice, sample_notice};
use super::params::{ApiRequest, META_PARAMETER, Params, RequestHeaders};
use super::quota::QuotaOutcome;
use super::reply::{self, ErrorForm, Reply, ResponseContext, join_data_notices, join_notices};
use super::request_body::BodyState;
use super::rights;
use super::router::{NoRoute, RouteMatch, no_route_label};
use crate::account::{Account, AccountId, KeyEntry, Keyring, ResponseKind};
use crate::api::Api;
use crate::api::data::Data;
use crate::api::endpoint::{Endpoint, Handler};
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::{CostBudget, HandlerError};
use crate::api::sources;
use crate::calendar::day_in_japan;
use crate::server::access_log::{KnownCaller, RequestId};
use crate::server::connection::Connection;
use crate::server::limits::TARGET_BYTES_MAX;
use crate::server::metrics::{Label, shard};
use crate::server::proxies;
use crate::server::service::{Outcome, Refusal};
use crate::text::codes::ApiVersion;

/// A request without a response yet, and the API that answers it.
#[derive(Clone, Copy)]
pub struct Exchange<'r> {
    pub api: &'r Arc<Api>,
    pub connection: &'r Arc<Connection>,
    pub head: &'r Parts,
    pub id: RequestId,
    pub started: Instant,
}

/// The facts about a request that are known before its parameters are read.
pub struct CheckedRequest<'r> {
    pub label: Label,
    /// The name of its endpoint in figures of usage.
    pub endpoint_name: &'static str,
    /// What the request is for, or why it is refused.
    pub route: Result<Route<'r>, ApiError>,
    /// The key that was presented, if it exists.
    pub presented_key: Option<&'r KeyEntry>,
    /// The presented key, if it is entitled to the endpoint: only such a request uses quota.
    pub entitled_key: Option<&'r KeyEntry>,
    pub account: Option<&'r Account>,
    /// The origin of the request, if its pages may read the answer.
    pub origin: Option<&'r HeaderValue>,
    pub quota: QuotaOutcome,
    pub api_version: ApiVersion,
    /// Whether the answer is to name its sources.
    pub wants_meta: bool,
    /// How its errors are written, if not as the API does.
    pub error_form: Option<ErrorForm>,
}

impl CheckedRequest<'_> {
    /// The account whose turn the request takes in a lane; requests without a key share a turn of their own.
    pub fn account_id(&self) -> AccountId {
        self.account.map_or(AccountId(0), |account| account.id)
    }
}

pub enum Route<'r> {
    Endpoint(RouteMatch<'r>),
    /// `OPTIONS` on a path with these methods; `None` for a preflight of an unknown path.
    Options(Option<&'static str>),
}

impl<'r> Exchange<'r> {
    /// Checks key, quota and API version of a request. `counted` is the quota result if the same request was checked
    /// before with the same keyring: it uses quota only once.
    pub fn check<'k>(
        &self,
        routed: Result<RouteMatch<'k>, NoRoute>,
        keyring: &'k Keyring,
        counted: Option<QuotaOutcome>,
    ) -> CheckedRequest<'k>
    where
        'r: 'k,
    {
        let label = match &routed {
            Ok(matched) => matched.label,
            Err(no_route) => no_route_label(*no_route),
        };
        let endpoint_name = match &routed {
            Ok(matched) => matched.endpoint.name(),
            Err(_) => "none",
        };
        let error_form = routed.as_ref().ok().and_then(|matched| {
            let english: ErrorForm = reply::english_form;
            matched.endpoint.error_form.or(matched.endpoint.is_foreign.then_some(english))
        });
        let headers = RequestHeaders::new(&self.head.headers);
        let origin = match &routed {
            Err(NoRoute::ForeignOptions(_)) => Some(&ANY_ORIGIN),
            Ok(matched) if matched.endpoint.is_foreign => Some(&ANY_ORIGIN),
            _ => headers.origin.filter(|origin| may_read(origin, keyring)),
        };
        let params = Params::new(self.head.uri.query());
        let mut presented_key = None;
        let mut route = match routed {
            _ if target_length(self.head) > TARGET_BYTES_MAX => {
                Err(reply::refusal_error(Refusal::TargetTooLong))
            }
            Ok(matched) => match matched.endpoint.needs {
                None => Ok(Route::Endpoint(matched)),
                Some(needs) => match matched.endpoint.is_foreign {
                    false => rights::find_key(&headers, params, keyring).and_then(|key| {
                        rights::authorize(&headers, presented_key.insert(key), needs)
                    }),
                    true => {
                        let (path_key, keyless) = (matched.path_key, self.api.keyless.as_ref());
                        let id_parameter = matched.endpoint.id_parameter;
                        let presented = Presented {
                            headers: &headers,
                            params,
                            path_key,
                            id_parameter,
                            keyless,
                        };
                        Caller::find(&presented, keyring).and_then(|caller| {
                            presented_key = Some(caller.entry());
                            caller.authorize(&headers, needs)
                        })
                    }
                }
                .map(|()| Route::Endpoint(matched)),
            },
            Err(NoRoute::Options(allow) | NoRoute::ForeignOptions(allow)) => {
                Ok(Route::Options(Some(allow)))
            }
            Err(NoRoute::Method(allow)) => Err(not_allowed(&self.head.method, allow)),
            Err(NoRoute::Path) if self.is_preflight(origin) => Ok(Route::Options(None)),
            Err(NoRoute::Path) => Err(no_endpoint()),
        };
        let entitled_key = presented_key.filter(|_| route.is_ok());
        let admit = || {
            entitled_key.map_or(QuotaOutcome::Unlimited, |key| {
                QuotaOutcome::new(key.meter.admit(&key.quota, self.started, shard()))
            })
        };
        if let Some(excess) = params.excess()
            && may_have_parameters(&route)
        {
            route = Err(excess);
        }
        let quota = counted.unwrap_or_else(admit);
        if let Some(error) = quota.error() {
            route = Err(error);
        }
        let requested_version = params.api_version(&headers).unwrap_or_else(|error| {
            if matches!(route, Ok(Route::Endpoint(_))) {
                route = Err(error);
            }
            None
        });
        let account = entitled_key.map(|key| &*key.account);
        let default_version = account.and_then(|account| account.api_version);
        let api_version = requested_version.or(default_version).unwrap_or(ApiVersion::NEWEST);
        let wants_meta = match &route {
            Ok(Route::Endpoint(matched)) => wants_meta(matched.endpoint, self.head),
            _ => Ok(false),
        };
        let wants_meta = wants_meta.unwrap_or_else(|error| {
            route = Err(error);
            false
        });
        if let Ok(Route::Endpoint(matched)) = &route
            && let Err(error) = require_api_version(matched.endpoint, api_version)
        {
            route = Err(error);
        }
        CheckedRequest {
            label,
            endpoint_name,
            route,
            presented_key,
            entitled_key,
            account,
            origin,
            quota,
            api_version,
            wants_meta,
            error_form,
        }
    }

    fn is_preflight(&self, origin: Option<&HeaderValue>) -> bool {
        let Parts { method, headers, .. } = self.head;
        *method == Method::OPTIONS && is_preflight(headers, origin)
    }

    /// The header `Daicho-Notice`: parameters without effect, which data are old, and what they lack.
    fn notice(&self, checked: &CheckedRequest<'_>, data: &Data) -> Option<HeaderValue> {
        let Ok(Route::Endpoint(matched)) = &checked.route else { return None };
        let query = self.head.uri.query();
        let own_query = query.filter(|_| !matched.endpoint.is_foreign);
        let mut found = own_query.and_then(|query| {
            let has_key_header = self.head.headers.contains_key(AUTHORIZATION);
            notice(query, matched.endpoint, has_key_header)
        });
        // What a client typed must not fill the memory of joined notices.
        let join = if query.is_none() { join_data_notices } else { join_notices };
        if !Params::new(query).names_version() {
            for old in data.old.iter().filter(|it| matched.endpoint.datasets.contains(&it.kind)) {
                found = Some(join(found, &old.header));
            }
        }
        for gap in gap_notices(data.gaps(), matched.endpoint, checked.api_version) {
            found = Some(join(found, gap));
        }
        found
    }

    pub fn api_request<'a>(
        &'a self,
        matched: &'a RouteMatch<'a>,
        checked: &CheckedRequest<'a>,
        data: &'a Arc<Data>,
    ) -> ApiRequest<'a> {
        ApiRequest {
            api: self.api,
            data,
            head: self.head,
            path: matched.path,
            params: Params::new(self.head.uri.query()),
            api_version: checked.api_version,
            account: checked.account,
            connection: self.connection,
            id: self.id,
        }
    }

    /// Calls the handler of an endpoint that needs neither a body nor the store.
    pub fn handle(
        &self,
        checked: &CheckedRequest<'_>,
        data: &Arc<Data>,
        budget: &CostBudget<'_>,
    ) -> Result<Reply, HandlerError> {
        let matched = match &checked.route {
            Ok(Route::Endpoint(matched)) => matched,
            Ok(Route::Options(_)) => return Ok(Reply::no_content()),
            Err(error) => return Err(error.clone().into()),
        };
        match matched.endpoint.handler {
            Handler::Immediate(handler) => Ok(handler(&self.api_request(matched, checked, data))?),
            Handler::Budgeted(handler) | Handler::Search(handler) => {
                handler(&self.api_request(matched, checked, data), budget)
            }
            // Only the playground and the command line get here, which have neither a body nor access to the store.
            Handler::Store(_) | Handler::Batch(_) => Err(no_endpoint().into()),
        }
    }

    /// Makes the response and counts it.
    pub fn finish(
        &self,
        checked: &CheckedRequest<'_>,
        result: Result<Reply, ApiError>,
        data: &Data,
    ) -> Outcome {
        let (headers, origin) = (&self.head.headers, checked.origin);
        let context = ResponseContext {
            headers,
            is_head: self.head.method == Method::HEAD,
            api: checked.api_version,
            origin,
            quota: &checked.quota,
            notice: self.notice(checked, data),
            has_query: self.head.uri.query().is_some(),
            sample: sample(checked, data),
        };
        let mut answered = match result {
            Ok(reply) if checked.wants_meta => {
                reply::response(self.with_meta(reply, checked, data), context)
            }
            Ok(reply) => reply::response(reply, context),
            Err(error) => reply::error_response(&error, checked.error_form, self.id, context),
        };
        if let Ok(Route::Options(allow)) = checked.route {
            answer_options(answered.own_headers_mut(), allow, headers, origin);
        }
        self.api.counters.count_refusal(&checked.quota);
        if let Some(key) = checked.entitled_key
            && !matches!(checked.quota, QuotaOutcome::Refused(_))
            && answered.status().as_u16() >= 400
        {
            key.meter.count_error(shard());
        }
        if let Some(key) = checked.presented_key {
            let kind = ResponseKind {
                account: key.account.id,
                key: key.id,
                endpoint: checked.endpoint_name,
                status: answered.status().as_u16(),
            };
            let client = proxies::client(self.head, self.connection);
            self.api.keys.tally.count(kind, client, shard());
        }
        Outcome {
            answered,
            label: checked.label,
            caller: checked.presented_key.map(known_caller),
            api_version: checked.api_version.as_str(),
        }
    }

    /// The reply with its sources.
    fn with_meta(&self, reply: Reply, checked: &CheckedRequest<'_>, data: &Data) -> Reply {
        let Ok(Route::Endpoint(matched)) = &checked.route else { return reply };
        let today = day_in_japan(Timestamp::now());
        let version = Params::new(self.head.uri.query()).version().ok().flatten();
        let mut tail = b",\"meta\":".to_vec();
        let (endpoint, rows) = (matched.endpoint, reply.corrections());
        sources::write_for(&mut tail, data, endpoint, version, today, rows);
        tail.push(b'}');
        reply.with_last_member(tail)
    }

    /// The body, or the error of the request. If there are several errors, a too long target comes first, then the
    /// fault of the body, then the others. A body that was read completely has no fault.
    pub fn accept_body(
        &self,
        body: BodyState,
        checked: &CheckedRequest<'_>,
    ) -> Result<Bytes, ApiError> {
        let route = checked.route.as_ref();
        let fault = match body {
            BodyState::Read(body) => return route.map(|_route| body).map_err(ApiError::clone),
            other => other.fault(),
        };
        // The client is still sending: go on reading after the answer, so that it gets the answer.
        self.connection.linger_after_answer();
        match (route, fault) {
            (Err(error), _) if error.code == Code::TargetTooLong => Err(error.clone()),
            (_, Some(fault)) => Err(fault),
            (route, None) => route.map(|_route| Bytes::new()).map_err(ApiError::clone),
        }
    }
}

/// Whether the parameters of a request matter to its answer: it has a key, needs none, or has its key among them.
fn may_have_parameters(route: &Result<Route<'_>, ApiError>) -> bool {
    match route {
        Ok(Route::Endpoint(_)) => true,
        Ok(Route::Options(_)) => false,
        Err(error) => error.code == Code::MissingKey,
    }
}

/// Whether the answer is to name its sources.
pub fn wants_meta(endpoint: &Endpoint, head: &Parts) -> Result<bool, ApiError> {
    match endpoint.has_meta() {
        true => Params::new(head.uri.query()).flag(META_PARAMETER),
        false => Ok(false),
    }
}

/// Who presented this key.
pub fn known_caller(key: &KeyEntry) -> KnownCaller {
    KnownCaller { account: key.account.name.shared(), key: Some(key.id.0) }
}

fn sample(checked: &CheckedRequest<'_>, data: &Data) -> Option<HeaderValue> {
    match &checked.route {
        Ok(Route::Endpoint(matched)) => sample_notice(data.gaps(), matched.endpoint),
        _ => None,
    }
}

pub fn require_api_version(endpoint: &Endpoint, found: ApiVersion) -> Result<(), ApiError> {
    let since = endpoint.since;
    if found >= since {
        return Ok(());
    }
    let detail = format!("expected API version {since} or later for this path; found {found}");
    Err(ApiError::new(Code::NoSuchEndpoint, detail))
}

fn not_allowed(method: &Method, allow: &'static str) -> ApiError {
    // A method may be any token: repeat only a known one.
    let known =
        [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    let known = known.contains(method);
    let found = if known { method.as_str() } else { "another" };
    let detail = format!("expected one of {allow}; found {found}");
    ApiError { allow: Some(allow), ..ApiError::new(Code::MethodNotAllowed, detail) }
}

pub fn target_length(head: &Parts) -> usize {
    head.uri.path().len() + head.uri.query().map_or(0, |query| query.len() + 1)
}

pub fn no_endpoint() -> ApiError {
    ApiError::new(Code::NoSuchEndpoint, "no endpoint has this path")
}

/// The request headers that a page may set, see docs/rules.md#keys.
const ALLOWED_HEADERS: &str = "Authorization, Content-Type, KenAll-API-Version, API-Version";

/// The origin of a page that may read the answers of foreign protocols: any.
static ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

const ALLOWED_METHODS: &str = "GET, HEAD, POST";

/// How long a browser may cache a preflight's answer, in seconds: a day, the most that Firefox allows. Chromium
/// allows two hours. If an origin is removed from a key, the request itself is refused.
const MAX_AGE_S: &str = "86400";

pub fn may_read(origin: &HeaderValue, keyring: &Keyring) -> bool {
    origin.to_str().is_ok_and(|origin| keyring.registers_origin(origin))
}

/// Whether `OPTIONS` is a preflight from an origin that may read.
pub fn is_preflight(request: &HeaderMap, origin: Option<&HeaderValue>) -> bool {
    origin.is_some() && request.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Adds the headers of `OPTIONS`: the methods of the path, if it exists, and for a preflight the permissions.
pub fn answer_options(
    response: &mut HeaderMap,
    allow: Option<&'static str>,
    request: &HeaderMap,
    origin: Option<&HeaderValue>,
) {
    if let Some(allow) = allow {
        response.insert(ALLOW, HeaderValue::from_static(allow));
    }
    if is_preflight(request, origin) {
        for (name, value) in [
            (ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS),
            (ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS),
            (ACCESS_CONTROL_MAX_AGE, MAX_AGE_S),
        ] {
            response.insert(name, HeaderValue::from_static(value));
        }
    }
}
