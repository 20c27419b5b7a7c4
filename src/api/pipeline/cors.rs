//! Cross-origin requests: which web pages may read an answer.
//!
//! An origin registered on any live public key may read answers, including errors, so that a page can tell a wrong
//! key from a wrong path. `rights` decides whether its key works from there. Loopback origins may read too while a
//! public key without origins exists. A preflight carries no key and is answered from the same list, also on an
//! unknown path: otherwise a browser would not show the 404 that follows. Secret keys are not for browsers and
//! allow no origin. A `GET` with its key in the URL has no preflight.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ALLOW, HeaderMap, HeaderValue,
};

use crate::account::Keyring;

/// The request headers that a page may set, see docs/rules.md#keys.
const ALLOWED_HEADERS: &str = "Authorization, Content-Type, KenAll-API-Version, API-Version";

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
