//! An answer on its way to the client. The headers that it has in common with many others are shared: kept once as a map
//! for hyper, and once as text for answers that are written without it. Copying the map of a look-up takes 800
//! instructions, copying its text 50.

use std::sync::Arc;
use std::time::Instant;

use hyper::header::{DATE, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};

use super::body::Body;
use super::wall_clock;

/// Headers that many answers share.
#[derive(Debug)]
pub struct SharedHeaders {
    map: HeaderMap,
    /// The same as lines of HTTP/1.1.
    lines: Box<[u8]>,
}

impl SharedHeaders {
    pub fn new(map: HeaderMap) -> SharedHeaders {
        let mut lines = Vec::new();
        for (name, value) in &map {
            push_line(name.as_str(), value.as_bytes(), &mut lines);
        }
        SharedHeaders { map, lines: lines.into() }
    }

    pub fn map(&self) -> &HeaderMap {
        &self.map
    }
}

/// Appends a header as a line of HTTP/1.1.
pub fn push_line(name: &str, value: &[u8], out: &mut Vec<u8>) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

pub struct Answered {
    response: Response<Body>,
    shared: Option<Arc<SharedHeaders>>,
    /// `None` for what is refused before it is counted.
    ended: Option<Instant>,
}

impl From<Response<Body>> for Answered {
    fn from(response: Response<Body>) -> Answered {
        Answered { response, shared: None, ended: None }
    }
}

impl Answered {
    /// An answer with `own` headers beside those that it shares, none of which has the name of another.
    pub fn new(
        status: StatusCode,
        shared: Option<Arc<SharedHeaders>>,
        own: HeaderMap,
        body: Body,
    ) -> Answered {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = own;
        Answered { response, shared, ended: None }
    }

    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    pub fn body(&self) -> &Body {
        self.response.body()
    }

    pub fn body_mut(&mut self) -> &mut Body {
        self.response.body_mut()
    }

    /// The headers that it does not share.
    pub fn own_headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    pub fn own_headers_mut(&mut self) -> &mut HeaderMap {
        self.response.headers_mut()
    }

    /// The headers that it shares, as lines of HTTP/1.1.
    pub fn shared_lines(&self) -> &[u8] {
        self.shared.as_ref().map_or(&[], |shared| &shared.lines)
    }

    /// The header `Date`: the time when the work for the answer ended.
    pub fn date(&self) -> HeaderValue {
        wall_clock::date(self.ended.unwrap_or_else(Instant::now))
    }

    pub fn set_ended(&mut self, ended: Instant) {
        self.ended = Some(ended);
    }

    /// The answer with all its headers.
    pub fn into_response(self) -> Response<Body> {
        let date = self.date();
        let Answered { mut response, shared, .. } = self;
        let headers = response.headers_mut();
        if let Some(shared) = shared {
            let own = std::mem::replace(headers, shared.map.clone());
            headers.extend(own);
        }
        headers.insert(DATE, date);
        response
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn a_response_has_the_shared_headers_and_its_own() {
        let map = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (name.parse().expect("a name"), HeaderValue::from_static(value))
            };
            pairs.iter().map(pair).collect()
        };
        let usual = [("content-type", "text/plain"), ("etag", "\"a\"")];
        let shared = Arc::new(SharedHeaders::new(map(&usual)));
        let own = map(&[("ratelimit", "1")]);
        let body = || Body::Whole(Bytes::from_static(b"x"));
        let mut answered = Answered::new(StatusCode::OK, Some(shared), own.clone(), body());
        assert_eq!(answered.shared_lines(), b"content-type: text/plain\r\netag: \"a\"\r\n");
        assert_eq!(answered.own_headers(), &own);
        answered.set_ended(Instant::now());
        let date = answered.date();
        let mut expected = map(&[&usual[..], &[("ratelimit", "1")]].concat());
        expected.insert(DATE, date);
        assert_eq!(answered.into_response().headers(), &expected);
        let bare = Answered::new(StatusCode::OK, None, own, body());
        assert!(bare.shared_lines().is_empty());
        let headers = bare.into_response().into_parts().0.headers;
        assert_eq!((headers.len(), headers.contains_key(DATE)), (2, true));
    }
}
