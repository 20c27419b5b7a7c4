//! The headers that request checks need, collected in one pass over all headers.
//!
//! Knows their names and how often each may occur, not their meaning.

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERER};

use super::reply::API_VERSION;

/// The header that existing client libraries send.
const KENALL_API_VERSION: HeaderName = HeaderName::from_static("kenall-api-version");

/// Of a repeated header this has the first. `Authorization` is the exception: a key may be sent only once.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestHeaders<'h> {
    pub authorization: Occurrence<'h>,
    pub origin: Option<&'h HeaderValue>,
    pub referer: Option<&'h HeaderValue>,
    pub kenall_api_version: Option<&'h HeaderValue>,
    pub api_version: Option<&'h HeaderValue>,
}

#[derive(Debug, Clone, Copy, Default)]
pub enum Occurrence<'h> {
    #[default]
    Never,
    Once(&'h HeaderValue),
    Repeated,
}

impl<'h> RequestHeaders<'h> {
    pub fn new(headers: &'h HeaderMap) -> RequestHeaders<'h> {
        let mut found = RequestHeaders::default();
        for (name, value) in headers {
            let slot = if *name == AUTHORIZATION {
                found.authorization = match found.authorization {
                    Occurrence::Never => Occurrence::Once(value),
                    Occurrence::Once(_) | Occurrence::Repeated => Occurrence::Repeated,
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
            slot.get_or_insert(value);
        }
        found
    }
}
