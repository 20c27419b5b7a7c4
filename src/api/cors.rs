//! Cross-origin requests: which pages of the web may read an answer.
//!
//! An origin registered on any live public key may read answers, errors too, so that a page can tell
//! a wrong key from a wrong path; whether its key works from there is for `rights` to decide. So are
//! loopback origins while there is a public key without origins. A preflight carries no key and is
//! answered from the same list, on an unknown path too: without it a browser would not show the 404
//! that follows. Secret keys are not meant for browsers and open no origin. A `GET` with its key in the
//! URL has no preflight.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, ALLOW, HeaderMap, HeaderValue,
};

use crate::account::Keyring;

/// The request headers that a page may set, see docs/rules.md#keys.
const ALLOWED_HEADERS: &str = "Authorization, Content-Type, KenAll-API-Version, API-Version";

const ALLOWED_METHODS: &str = "GET, HEAD, POST";

/// How long a browser may keep a preflight's answer, in seconds: a day, the most that Firefox keeps.
/// Chromium keeps none longer than two hours. An origin that is taken off a key is refused by the
/// request itself.
const MAX_AGE_S: &str = "86400";

/// Whether the pages of this origin may read answers.
pub fn may_read(origin: &HeaderValue, keyring: &Keyring) -> bool {
    origin.to_str().is_ok_and(|origin| keyring.registers_origin(origin))
}

/// Whether `OPTIONS` is a preflight of an origin that may read.
pub fn is_preflight(request: &HeaderMap, origin: Option<&HeaderValue>) -> bool {
    origin.is_some() && request.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Adds what `OPTIONS` says: the methods of the path, where there is one, and the permissions where it
/// is a preflight.
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
