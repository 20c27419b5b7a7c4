//! Errors without the context of a request: the answers to malformed requests, which have the same errors as any other
//! request.

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

use super::reply::API_VERSION;
use crate::api::error::{ApiError, Code};
use crate::server::limits::{HEAD_BYTES_MAX, HEADERS_MAX, TARGET_BYTES_MAX};
use crate::server::service::Refusal;
use crate::text::codes::ApiVersion;

/// The response with an error to a request of which nothing else is known.
pub fn error_response(error: &ApiError) -> Response<Bytes> {
    let mut body = Vec::new();
    error.write(&mut body);
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = error.code.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(API_VERSION, HeaderValue::from_static(ApiVersion::NEWEST.as_str()));
    if error.code.status() == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

pub fn error(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::TooManyConnections { connections_max } => ApiError::new(
            Code::TooManyConnections,
            format!(
                "the server has reached its limit of {connections_max} connections; retry later"
            ),
        ),
        Refusal::TooManyOfAddress { connections_max } => ApiError::new(
            Code::TooManyConnections,
            format!(
                "your address has reached its limit of {connections_max} connections; keep connections open and reuse them"
            ),
        ),
        Refusal::MalformedHead => ApiError::new(
            Code::MalformedRequest,
            "expected a request line and headers of HTTP/1.1; found something else",
        ),
        Refusal::NoHost => {
            ApiError::new(Code::MalformedRequest, "expected the header Host; found none")
        }
        Refusal::SeveralHosts => {
            ApiError::new(Code::MalformedRequest, "expected the header Host once; found it twice")
        }
        Refusal::HeadersTooLarge => ApiError::new(
            Code::HeadersTooLarge,
            format!(
                "expected at most {HEADERS_MAX} headers, and a request line and headers of at most \
                 {HEAD_BYTES_MAX} bytes together; found more"
            ),
        ),
        Refusal::TargetTooLong => ApiError::new(
            Code::TargetTooLong,
            format!("expected at most {TARGET_BYTES_MAX} bytes of path and query; found more"),
        ),
    }
}
