//! The headers that request checks need, collected in one pass over all headers.
//!
//! Knows their names and how often each may occur, not their meaning.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERER};

use super::reply::API_VERSION;

/// The header that existing client libraries send.
const KENALL_API_VERSION: HeaderName = HeaderName::from_static("kenall-api-version");

/// If a header occurs twice, the first; but a key may be sent only once.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestHeaders<'h> {
    pub authorization: Sent<'h>,
    pub origin: Option<&'h HeaderValue>,
    pub referer: Option<&'h HeaderValue>,
    pub kenall_api_version: Option<&'h HeaderValue>,
    pub api_version: Option<&'h HeaderValue>,
}

#[derive(Debug, Clone, Copy, Default)]
pub enum Sent<'h> {
    #[default]
    Never,
    Once(&'h HeaderValue),
    Twice,
}

impl<'h> RequestHeaders<'h> {
    pub fn of(headers: &'h HeaderMap) -> RequestHeaders<'h> {
        let mut found = RequestHeaders::default();
        for (name, value) in headers {
            let place = if *name == AUTHORIZATION {
                found.authorization = match found.authorization {
                    Sent::Never => Sent::Once(value),
                    Sent::Once(_) | Sent::Twice => Sent::Twice,
                };
                continue;
            } else if *name == ORIGIN {
                &mut found.origin
            } else if *name == REFERER {
                &mut found.referer
            } else if *name == KENALL_API_VERSION {
                &mut found.kenall_api_version
            } else if *name == API_VERSION {
                &mut found.api_version
            } else {
                continue;
            };
            place.get_or_insert(value);
        }
        found
    }
}
