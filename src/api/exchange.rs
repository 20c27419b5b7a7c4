//! One request on its way to a response: who calls which endpoint, whether they may, and the outcome.
//!
//! The order of the checks: target too long (414), declared body too large (413), path (404), method (405), key (401,
//! 403), quota (429), API version (400), the body itself (408, 413), the handler.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::http::request::Parts;

use super::ask::{Api, Ask};
use super::data::Data;
use super::effort::{Effort, NotDone};
use super::endpoint::Run;
use super::error::{ApiError, Code};
use super::headers::RequestHeaders;
use super::notice::{notice, together};
use super::params::Params;
use super::quota::QuotaOutcome;
use super::receive::BodyState;
use super::refusal;
use super::reply::{self, Reply, Shape};
use super::router::{Matched, NoRoute, label_text, no_route_label};
use super::{cors, rights};
use crate::account::{Account, AccountId, KeyEntry, Keyring, ResponseKind};
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::limits::TARGET_BYTES_MAX;
use crate::server::metrics::{Label, shard};
use crate::server::refusal::Refusal;
use crate::server::service::Outcome;
use crate::text::codes::ApiVersion;

/// A request without a response yet, and the state that answers it.
#[derive(Clone, Copy)]
pub struct Exchange<'r> {
    pub api: &'r Arc<Api>,
    pub connection: &'r Arc<Connection>,
    pub head: &'r Parts,
    pub id: RequestId,
    pub started: Instant,
}

/// The facts about a request that are known before its parameters are read.
pub struct Checked<'r> {
    pub label: Label,
    pub target: Result<Target<'r>, ApiError>,
    /// The key that was presented.
    pub known: Option<&'r KeyEntry>,
    /// The same, if the key is entitled to the endpoint: such a request counts.
    pub key: Option<&'r KeyEntry>,
    pub account: Option<&'r Account>,
    /// The origin of the request, if its pages may read the answer.
    pub origin: Option<&'r HeaderValue>,
    pub quota: QuotaOutcome,
    pub api_version: ApiVersion,
}

impl Checked<'_> {
    /// The account whose turn the request takes in a lane; requests without a key share a turn of their own.
    pub fn account_id(&self) -> AccountId {
        self.account.map_or(AccountId(0), |account| account.id)
    }
}

pub enum Target<'r> {
    Endpoint(Matched<'r>),
    /// `OPTIONS` on a path with these methods; `None` for a preflight of an unknown path.
    Options(Option<&'static str>),
}

impl<'r> Exchange<'r> {
    /// Checks key, quota and API version of a request to this endpoint. `counted` is the quota result of a
    /// request that was already checked with the same keyring.
    pub fn check<'k>(
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
        let params = Params::over(self.head.uri.query());
        let mut known = None;
        let mut target = match found {
            _ if target_length(self.head) > TARGET_BYTES_MAX => {
                Err(refusal::error(Refusal::TargetTooLong))
            }
            Ok(matched) => match matched.endpoint.needs {
                None => Ok(Target::Endpoint(matched)),
                Some(needs) => rights::find(&headers, params, keyring)
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
        let asked = params.api_version(&headers);
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

    /// The notice: parameters without effect, and whether the data are old.
    pub fn notice(&self, checked: &Checked<'_>, data: &Data) -> Option<HeaderValue> {
        let Ok(Target::Endpoint(matched)) = &checked.target else { return None };
        let query = self.head.uri.query();
        let without_effect = query.and_then(|query| {
            let by_header = self.head.headers.contains_key(AUTHORIZATION);
            notice(query, matched.endpoint, by_header)
        });
        let old = data.old_postal.as_ref().filter(|_| matched.endpoint.postal);
        match old.filter(|_| !Params::over(query).names_version()) {
            None => without_effect,
            Some(old) => Some(together(without_effect, &old.header)),
        }
    }

    pub fn ask<'a>(
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

    pub fn handle(
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
            Run::Weighed(handler) | Run::Search(handler) => {
                handler(&self.ask(matched, checked, data), effort)
            }
            // Only the playground gets here, which has neither a body nor the account's store.
            Run::WithStore(_) | Run::Batch(_) => Err(no_endpoint().into()),
        }
    }

    pub fn finish(
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
        if let Some(key) = checked.known {
            let answered = ResponseKind {
                account: key.account.id,
                key: key.id,
                endpoint: label_text(checked.label),
                status: response.status().as_u16(),
            };
            self.api.keys.tally().count(answered, shard());
        }
        Outcome {
            response,
            label: checked.label,
            account: checked.known.map(|key| key.account.name.as_str().into()),
            api_version: checked.api_version.as_str(),
        }
    }

    /// The body, or the error of the request: a too long target or a too large body comes before all other
    /// errors, a body that failed after them.
    pub fn weigh(&self, body: BodyState, checked: &Checked<'_>) -> Result<Bytes, ApiError> {
        let target = checked.target.as_ref();
        let fault = match body {
            BodyState::Read(body) => return target.map(|_target| body).map_err(ApiError::clone),
            other => other.fault(),
        };
        // The client is still sending: read on, so that it gets the answer.
        self.connection.linger_after_answer();
        match (target, fault) {
            (Err(error), _) if error.code == Code::TargetTooLong => Err(error.clone()),
            (_, Some(fault)) => Err(fault),
            (target, None) => target.map(|_target| Bytes::new()).map_err(ApiError::clone),
        }
    }
}

fn not_allowed(method: &Method, allow: &'static str) -> ApiError {
    // A method may be any token: repeat only a known one.
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

pub fn no_endpoint() -> ApiError {
    ApiError::plain(Code::NoSuchEndpoint, "no endpoint has this path")
}
