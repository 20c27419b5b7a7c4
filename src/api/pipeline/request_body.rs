//! The body of a request: what is known before it arrives, reading it within its limits, and its errors.
//!
//! Search parameters sent as a JSON object by `POST` are converted to a query string, so that the same code reads
//! both. A query string has room for some thousands of Japanese letters, and for fewer behind many proxies. The
//! members must be parameters of the endpoint; their meaning is unknown here.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Uri;
use hyper::body::Body as _;
use hyper::http::uri::{Parts, PathAndQuery};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::input::{Input, fault};
use super::params::{API_VERSION_PARAMETER, META_PARAMETER};
use crate::api::endpoint::Endpoint;
use crate::api::error::{ApiError, Code, excerpt};
use crate::api::executor::BodyReservation;
use crate::server::limits::{TARGET_BYTES_MAX, Timeouts};
use crate::server::service::ArrivingBody;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyState {
    /// Read completely; empty if the content was not needed.
    Read(Bytes),
    /// Not read, because it is not needed.
    Unread,
    /// Larger than this limit.
    TooLarge(usize),
    TooSlow,
    /// The client disconnected, or sent an invalid body.
    Broken,
    /// No memory is left for more of it.
    NoRoom(ApiError),
}

impl BodyState {
    /// The error of a body that was not read completely; `None` for an unneeded one.
    pub fn fault(self) -> Option<ApiError> {
        Some(match self {
            BodyState::Read(_) | BodyState::Unread => return None,
            BodyState::TooLarge(bytes_max) => {
                let detail = format!("expected a body of at most {bytes_max} bytes; found more");
                ApiError::new(Code::BodyTooLarge, detail)
            }
            BodyState::TooSlow => {
                let detail = "the body did not arrive in time; send it at once";
                ApiError::new(Code::BodyTooSlow, detail)
            }
            BodyState::Broken => {
                let detail = "the body ended before its declared length, or is not valid HTTP";
                ApiError::new(Code::MalformedRequest, detail)
            }
            BodyState::NoRoom(error) => error,
        })
    }
}

pub enum RequestBody {
    /// Its state is known without waiting: it is absent or too large.
    Known(BodyState),
    Arriving(ArrivingBody),
}

impl RequestBody {
    pub fn new(body: ArrivingBody, bytes_max: usize) -> RequestBody {
        if body.is_end_stream() {
            return RequestBody::Known(BodyState::Read(Bytes::new()));
        }
        match body.size_hint().lower() > bytes_max as u64 {
            true => RequestBody::Known(BodyState::TooLarge(bytes_max)),
            false => RequestBody::Arriving(body),
        }
    }

    pub fn discard(self) -> BodyState {
        match self {
            RequestBody::Known(state) => state,
            RequestBody::Arriving(_) => BodyState::Unread,
        }
    }

    /// The most bytes that reading it keeps: the declared length, or the limit if none is declared.
    pub fn bytes_expected(&self, bytes_max: usize) -> usize {
        match self {
            RequestBody::Known(_) => 0,
            RequestBody::Arriving(body) => {
                let declared = body.size_hint().upper().and_then(|it| usize::try_from(it).ok());
                declared.map_or(bytes_max, |declared| declared.min(bytes_max))
            }
        }
    }

    /// Reads the body to its end into `sink`, within the time-out of bodies.
    pub async fn read(self, bytes_max: usize, sink: BodySink<'_>, timeouts: Timeouts) -> BodyState {
        match self {
            RequestBody::Known(state) => state,
            RequestBody::Arriving(body) => {
                let read = read(body, bytes_max, sink);
                tokio::time::timeout(timeouts.body, read).await.unwrap_or(BodyState::TooSlow)
            }
        }
    }
}

pub enum BodySink<'a> {
    Discard,
    Buffer,
    /// A buffer whose bytes are reserved as they arrive.
    Reserved(&'a mut BodyReservation),
}

async fn read(mut body: ArrivingBody, bytes_max: usize, mut sink: BodySink<'_>) -> BodyState {
    // Growing a long buffer step by step would copy it, and touch new memory, several times.
    let declared = body.size_hint().exact().and_then(|it| usize::try_from(it).ok());
    let capacity = match sink {
        BodySink::Discard => 0,
        BodySink::Buffer | BodySink::Reserved(_) => declared.unwrap_or(0).min(bytes_max),
    };
    let (mut count, mut bytes) = (0, Vec::with_capacity(capacity));
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return BodyState::Broken };
        let Some(data) = frame.data_ref() else { continue };
        count += data.len();
        if count > bytes_max {
            return BodyState::TooLarge(bytes_max);
        }
        match &mut sink {
            BodySink::Discard => continue,
            BodySink::Buffer => {}
            BodySink::Reserved(reservation) => match reservation.add_bytes(data.len()) {
                Ok(()) => {}
                Err(error) => return BodyState::NoRoom(error),
            },
        }
        bytes.extend_from_slice(data);
    }
    BodyState::Read(bytes.into())
}

const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':');

/// The target with the members of the body in its query string.
pub fn target(uri: &Uri, endpoint: &Endpoint, body: &[u8]) -> Result<Uri, ApiError> {
    let mut members = Input::parse(body)?.object()?;
    let mut text = uri.path().to_owned();
    let mut separator = '?';
    if let Some(query) = uri.query().filter(|query| !query.is_empty()) {
        text.push(separator);
        text.push_str(query);
        separator = '&';
    }
    let meta = endpoint.has_meta().then_some(META_PARAMETER);
    let known = || endpoint.query_parameters().chain([API_VERSION_PARAMETER]).chain(meta);
    for name in known() {
        let Some(value) = members.remove(name)? else { continue };
        let value = value.parameter()?;
        text.push(separator);
        text.push_str(name);
        text.push('=');
        text.extend(utf8_percent_encode(&value, ENCODED));
        separator = '&';
    }
    if let Some(unknown) = members.first_name() {
        let expected = known().collect::<Vec<_>>().join(", ");
        let detail = format!("expected a member of {expected}; found another");
        return Err(fault(excerpt(unknown).to_owned(), detail));
    }
    if text.len() > TARGET_BYTES_MAX {
        let detail =
            format!("expected at most {TARGET_BYTES_MAX} bytes when encoded in a URL; found more");
        return Err(fault(String::new(), detail));
    }
    let mut parts: Parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(text).ok();
    // All parts are from a valid URL or percent-encoded ASCII.
    Uri::from_parts(parts).map_err(|_fault| fault(String::new(), "it cannot be written as a URL"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::api::error::Code;
    use crate::api::pipeline::params::Params;
    use crate::api::pipeline::router::route;

    fn posted(target: &str, body: &str) -> Result<Uri, ApiError> {
        let matched = route(&hyper::Method::POST, "/v1/houjinbangou").expect("a search");
        super::target(&target.parse().expect("a URI"), matched.endpoint, body.as_bytes())
    }

    #[test]
    fn members_become_parameters() {
        #[track_caller]
        fn check(target: &str, body: &str, expected: &str) {
            let found = posted(target, body).map(|uri| uri.to_string());
            assert_eq!(found.as_deref().map_err(|error| &*error.detail), Ok(expected), "{body}");
        }
        let path = "/v1/houjinbangou";
        check(path, r#"{"q":"a b","limit":10}"#, "/v1/houjinbangou?q=a%20b&limit=10");
        check(path, r#"{"limit":"10","q":"台"}"#, "/v1/houjinbangou?q=%E5%8F%B0&limit=10");
        check(
            path,
            r#"{"q":"x","normalize_name":true}"#,
            "/v1/houjinbangou?q=x&normalize_name=true",
        );
        check(path, r#"{"q":"&=+%","offset":-1.5}"#, "/v1/houjinbangou?q=%26%3D%2B%25&offset=-1.5");
        check(path, r#"{"q":null,"mode":""}"#, "/v1/houjinbangou?mode=");
        check(path, "{}", path);
        check("/v1/houjinbangou/?limit=5", r#"{"q":"x"}"#, "/v1/houjinbangou/?limit=5&q=x");
        check(
            path,
            r#"{"q":"x","api_version":"2023-09-01"}"#,
            "/v1/houjinbangou?q=x&api_version=2023-09-01",
        );
    }

    #[test]
    fn a_wrong_member_is_named() {
        #[track_caller]
        fn check(body: &str, parameter: Option<&str>, detail: &str) {
            let error = posted("/v1/houjinbangou", body).expect_err("refused");
            assert_eq!((error.code, error.parameter.as_deref()), (Code::InvalidBody, parameter));
            assert!(error.detail.contains(detail), "{}", error.detail);
        }
        check("", None, "found an empty body");
        check("[1]", None, "expected an object; found a list");
        check("{\"q\":", None, "expected JSON");
        check(r#"{"q":["x"]}"#, Some("q"), "found a list");
        check(r#"{"q":"x","limit":{}}"#, Some("limit"), "found an object");
        check(r#"{"q":"x","q":"y"}"#, Some("q"), "found it twice");
        check(r#"{"q":"x","limt":1}"#, Some("limt"), "expected a member of q, mode,");
        let long = "x".repeat(100);
        check(&format!("{{\"{long}\":1}}"), Some(&long[..40]), "found another");
        let long = format!("{{\"q\":\"{}\"}}", "台".repeat(4000));
        check(&long, None, "expected at most 32768 bytes");
    }

    proptest! {
        #[test]
        fn a_posted_query_reads_back(q in "\\PC{1,50}", noise in any::<Vec<u8>>()) {
            let body = serde_json::json!({ "q": q }).to_string();
            let uri = posted("/v1/houjinbangou", &body).expect("a URI");
            let read = Params::new(uri.query()).get("q").expect("decoded");
            prop_assert_eq!(read.as_deref(), Some(&*q));
            let _ = posted("/v1/houjinbangou", &String::from_utf8_lossy(&noise));
        }
    }
}
