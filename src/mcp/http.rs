//! `POST /mcp`: the tools over HTTP. No session and no stream: a request has one message, and its answer is JSON.
//!
//! Path, method, key, origin and the body's length are checked first, as in the API; then `rmcp` checks the protocol's
//! versions and headers, and parses the message, on threads of their own. A message counts as one request of its
//! account, or as many as the API requests of its tool.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, ORIGIN, REFERER};
use hyper::http::request::Parts;
use hyper::{Method, Request as HttpRequest, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::Value;

use super::tool::{ApiClient, Paid};
use super::{McpHandler, threads};
use crate::account::Rights;
use crate::api::Api;
use crate::api::endpoint::Endpoint;
use crate::api::error::ApiError;
use crate::api::pipeline::exchange::{CheckedRequest, Exchange, Route, known_caller};
use crate::api::pipeline::params::{KEY_PARAMETER, Params, RequestHeaders};
use crate::api::pipeline::quota::QuotaOutcome;
use crate::api::pipeline::reply::{self, Reply};
use crate::api::pipeline::request_body::{BodySink, BodyState, RequestBody};
use crate::api::pipeline::rights::origin_not_allowed;
use crate::api::pipeline::router::{NoRoute, RouteMatch};
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::limits::Timeouts;
use crate::server::metrics::Label;
use crate::server::service::{Answer, Outcome, Request};

const PATH: &str = "/mcp";

/// Metrics label of messages.
pub const LABEL: &str = PATH;

const METHODS: &str = "POST, OPTIONS";

/// Longest message, in bytes. The longest text that a tool takes has some 1,000 letters.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// Not in the API's table of endpoints, because the documentation made from that table does not cover MCP messages.
static ENDPOINT: Endpoint = Endpoint {
    path: PATH,
    needs: Some(Rights::ANY_KEY),
    body_bytes_max: MESSAGE_BYTES_MAX,
    ..Endpoint::POST
};

static ROUTER: LazyLock<matchit::Router<()>> = LazyLock::new(|| {
    let mut router = matchit::Router::new();
    router.insert(PATH, ()).expect("the only path has no conflict");
    router
});

/// Whether a path is `/mcp`, with or without one trailing slash.
pub fn is_mcp_path(path: &str) -> bool {
    path.strip_suffix('/').unwrap_or(path) == PATH
}

pub fn answer(api: &Arc<Api>, request: Request<'_>, label: Label) -> Answer {
    let Request { head, body, connection, id, started, timeouts } = request;
    let (api, connection) = (Arc::clone(api), Arc::clone(connection));
    let body = RequestBody::new(body, ENDPOINT.body_bytes_max);
    let head = head.clone();
    let message = MessageRequest { api, connection, head, id, started, timeouts, label };
    Answer::Waiting(Box::pin(message.answer(body)))
}

struct MessageRequest {
    api: Arc<Api>,
    connection: Arc<Connection>,
    head: Parts,
    id: RequestId,
    started: Instant,
    timeouts: Timeouts,
    label: Label,
}

impl MessageRequest {
    async fn answer(self, body: RequestBody) -> Outcome {
        let MessageRequest { api, connection, head, id, started, .. } = &self;
        let exchange = Exchange { api, connection, head, id: *id, started: *started };
        let keyring = Arc::clone(&api.keys.current());
        let checked = exchange.check(self.route(), &keyring, None);
        let caller = checked.presented_key.map(known_caller);
        // The account pays for the message, not for an error in it. Agents read English.
        let checked = CheckedRequest {
            entitled_key: None,
            presented_key: None,
            error_form: Some(reply::english_form),
            ..checked
        };
        let result = self.reply(&exchange, &checked, body).await;
        Outcome { caller, ..exchange.finish(&checked, result, &api.data.load()) }
    }

    fn route(&self) -> Result<RouteMatch<'_>, NoRoute> {
        let path = self.head.uri.path();
        let path = path.strip_suffix('/').unwrap_or(path);
        let found = ROUTER.at(path).map_err(|_none| NoRoute::Path)?;
        match self.head.method {
            Method::POST => {
                let path = found.params.into();
                Ok(RouteMatch { endpoint: &ENDPOINT, label: self.label, path, path_key: None })
            }
            Method::OPTIONS => Err(NoRoute::Options(METHODS)),
            _ => Err(NoRoute::Method(METHODS)),
        }
    }

    async fn reply(
        &self,
        exchange: &Exchange<'_>,
        checked: &CheckedRequest<'_>,
        body: RequestBody,
    ) -> Result<Reply, ApiError> {
        let is_over_quota = matches!(checked.quota, QuotaOutcome::Refused(_));
        if !is_over_quota && !matches!(checked.route, Ok(Route::Endpoint(_))) {
            exchange.accept_body(body.discard(), checked)?;
            return Ok(Reply::no_content());
        }
        if self.head.headers.contains_key(ORIGIN) && checked.origin.is_none() {
            exchange.accept_body(body.discard(), checked)?;
            let expected = "expected no Origin, or one registered for a public key";
            return Err(origin_not_allowed(expected, &RequestHeaders::new(&self.head.headers)));
        }
        let bytes_max = ENDPOINT.body_bytes_max;
        let _counted = exchange.charge_body(&body, bytes_max);
        let body = body.read(bytes_max, BodySink::Buffer, self.timeouts).await;
        let body = match body {
            // The agent reads the refusal as the result of its call: its API request is refused too.
            BodyState::Read(body) if is_over_quota && calls_tool(&body) => body,
            other => exchange.accept_body(other, checked)?,
        };
        let (head, handler) =
            (self.head.clone(), McpHandler { client: self.client(checked.quota)? });
        threads::run(async move {
            let headers = head.headers.clone();
            let reply = respond(HttpRequest::from_parts(head, body), handler).await;
            Ok(reply.compressed(&headers))
        })
        .await
    }

    /// A client that sends API requests with the key of this request.
    fn client(&self, quota: QuotaOutcome) -> Result<ApiClient, ApiError> {
        let mut credentials = HeaderMap::new();
        for name in [AUTHORIZATION, ORIGIN, REFERER] {
            if let Some(value) = self.head.headers.get(&name) {
                credentials.insert(name, value.clone());
            }
        }
        let key = Params::new(self.head.uri.query()).non_empty(KEY_PARAMETER)?;
        if let (Some(key), false) = (key, credentials.contains_key(AUTHORIZATION)) {
            let token = HeaderValue::try_from(format!("Token {key}"));
            credentials.insert(AUTHORIZATION, token.expect("a known key is a valid header value"));
        }
        let (api, connection) = (Arc::clone(&self.api), Arc::clone(&self.connection));
        let paid = Paid::new(quota);
        Ok(ApiClient { api, connection, id: self.id, credentials, timeouts: self.timeouts, paid })
    }
}

/// Whether a message calls a tool.
fn calls_tool(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Method<'m> {
        #[serde(borrow)]
        method: Cow<'m, str>,
    }
    serde_json::from_slice::<Method<'_>>(message).is_ok_and(|it| it.method == "tools/call")
}

/// Answers a message.
async fn respond(request: HttpRequest<Bytes>, handler: McpHandler) -> Reply {
    // `Host` is not checked: callers have a key, and `Origin` was checked.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts();
    let new_handler = move || Ok(handler.clone());
    let service =
        StreamableHttpService::new(new_handler, Arc::<NeverSessionManager>::default(), config);
    let message = request.body().clone();
    let (head, body) = service.handle(request.map(Full::new)).await.into_parts();
    let Ok(body) = body.collect().await;
    let body = body.to_bytes();
    let is_json = head.headers.get(CONTENT_TYPE).is_some_and(|media| media == "application/json");
    if is_json {
        return Reply::uncached(head.status, body.into());
    }
    if body.is_empty() {
        return Reply::empty_ok().with_status(head.status);
    }
    // `rmcp` refused it in a text. A message that it could not parse is parsed again only for a better reason.
    match message_error(&message) {
        Some(error) => protocol_error(StatusCode::BAD_REQUEST, error),
        None => {
            let text = String::from_utf8_lossy(&body).into_owned();
            protocol_error(head.status, ErrorData::invalid_request(text, None))
        }
    }
}

/// The error of a body that is not a single message; `None` for a message.
fn message_error(body: &[u8]) -> Option<ErrorData> {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("expected a message in JSON; found invalid JSON: {error}");
            return Some(ErrorData::parse_error(message, None));
        }
    };
    if value.is_array() {
        let message =
            "expected one message; found a batch; send each message in a separate request";
        return Some(ErrorData::invalid_request(message, None));
    }
    let error = serde_json::from_value::<ClientJsonRpcMessage>(value).err()?;
    let message =
        format!("expected a JSON-RPC 2.0 message with a method; found another body: {error}");
    Some(ErrorData::invalid_request(message, None))
}

/// A protocol error without the id of a request.
fn protocol_error(status: StatusCode, error: ErrorData) -> Reply {
    let body = serde_json::to_vec(&JsonRpcError::new(None, error));
    Reply::uncached(status, body.expect("texts and numbers are JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_message_is_accepted() {
        for (body, expected) in [
            ("", Some(-32700)),
            ("{", Some(-32700)),
            ("[]", Some(-32600)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Some(-32600)),
            ("1", Some(-32600)),
            ("{}", Some(-32600)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None),
        ] {
            let found = message_error(body.as_bytes()).map(|error| error.code.0);
            assert_eq!(found, expected, "{body}");
        }
    }

    #[test]
    fn the_path_may_end_with_a_slash() {
        for (path, expected) in [("/mcp", true), ("/mcp/", true), ("/mcp//", false), ("/mc", false)]
        {
            assert_eq!(is_mcp_path(path), expected, "{path}");
        }
    }
}
