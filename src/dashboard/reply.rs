//! The result of a page's handler, and the response made of it: status, headers, compression.
//!
//! Every response forbids framing, type sniffing, caching, and loading anything from another server. Only the style
//! sheet, the script and the icon are cached, under an entity tag.

use bytes::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    ETAG, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER, SET_COOKIE, VARY,
};
use hyper::{Response, StatusCode};
use maud::Markup;

use crate::api::pipeline::tag::EntityTag;
use crate::server::body::Body;
use crate::server::coding::{self, COMPRESS_BYTES_MIN};
use crate::server::public_site::PublicSite;
use crate::server::service::PAGE_HEADERS;

const VARY_ON: &str = "Accept-Encoding, Accept-Language, Cookie";

#[derive(Debug)]
pub struct Reply {
    status: StatusCode,
    /// The headers of this reply only. [`Reply::into_response`] adds the headers that every reply has.
    headers: HeaderMap,
    body: Bytes,
    /// The entity tag of cacheable files.
    tag: Option<EntityTag>,
}

impl Reply {
    fn new(status: StatusCode, body: impl Into<Bytes>) -> Reply {
        Reply { status, headers: HeaderMap::with_capacity(16), body: body.into(), tag: None }
    }

    /// Adds a header. A value that is not valid is omitted; ours are ASCII.
    fn with_header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Reply {
        if let Ok(value) = value.try_into() {
            self.headers.append(name, value);
        }
        self
    }

    pub fn page(status: StatusCode, page: Markup) -> Reply {
        Reply::new(status, page.into_string()).with_header(CONTENT_TYPE, "text/html; charset=utf-8")
    }

    /// Redirects the browser to a page of this dashboard, with `GET`.
    pub fn redirect(path: &str) -> Reply {
        Reply::new(StatusCode::SEE_OTHER, Bytes::new()).with_header(LOCATION, path)
    }

    /// A file for download. The name must be ASCII without quotes.
    pub fn download(name: &str, media: &'static str, body: Vec<u8>) -> Reply {
        Reply::new(StatusCode::OK, body)
            .with_header(CONTENT_TYPE, media)
            .with_header(CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))
    }

    /// A file that browsers cache.
    pub fn asset(media: &'static str, text: &'static str) -> Reply {
        let tag = Some(EntityTag::of_bytes(text.as_bytes()));
        Reply { tag, ..Reply::new(StatusCode::OK, text).with_header(CONTENT_TYPE, media) }
    }

    pub fn with_cookie(self, cookie: String) -> Reply {
        self.with_header(SET_COOKIE, cookie)
    }

    pub fn with_allow(self, methods: &'static str) -> Reply {
        self.with_header(ALLOW, methods)
    }

    pub fn with_retry_after(self, seconds: u64) -> Reply {
        self.with_header(RETRY_AFTER, seconds)
    }

    /// The reply as browsers reach it, perhaps below a path: with the links of a page, and the page to go to, there.
    pub fn below(mut self, site: &PublicSite) -> Reply {
        if site.base().is_empty() {
            return self;
        }
        let header =
            |name| self.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        if header(CONTENT_TYPE).is_some_and(|media| media.starts_with("text/html"))
            && let Ok(page) = str::from_utf8(&self.body)
        {
            self.body = site.page(page.to_owned()).into();
        }
        let location = self.headers.get(LOCATION).and_then(|value| value.to_str().ok());
        if let Some(Ok(location)) = location.map(|path| HeaderValue::try_from(&*site.path(path))) {
            self.headers.insert(LOCATION, location);
        }
        self
    }

    pub fn into_response(mut self, request: &HeaderMap, is_head: bool) -> Response<Body> {
        for (name, value) in PAGE_HEADERS {
            self.headers.insert(name, HeaderValue::from_static(value));
        }
        self.headers.insert(VARY, HeaderValue::from_static(VARY_ON));
        let caching = if self.tag.is_some() { "no-cache" } else { "no-store" };
        self.headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
        if let Some(tag) = self.tag {
            self.headers.insert(ETAG, tag.value().clone());
            if tag.is_held_by_client(request) {
                (self.status, self.body) = (StatusCode::NOT_MODIFIED, Bytes::new());
            }
        }
        let mut body = compressed(self.body, request, &mut self.headers);
        if is_head {
            self.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
            body = Bytes::new();
        }
        let mut response = Response::new(Body::Whole(body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// The body in the coding that the browser prefers, if that is smaller.
fn compressed(body: Bytes, request: &HeaderMap, headers: &mut HeaderMap) -> Bytes {
    if body.len() < COMPRESS_BYTES_MIN {
        return body;
    }
    let coding = coding::coding(request);
    let Some(name) = coding.header() else { return body };
    match coding::compress(coding, &body) {
        Some(smaller) => {
            headers.insert(CONTENT_ENCODING, name);
            smaller.into()
        }
        None => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_response_has_security_headers() {
        let none = HeaderMap::new();
        let replies = [
            Reply::page(StatusCode::OK, Markup::default()),
            Reply::page(StatusCode::NOT_FOUND, Markup::default()),
            Reply::redirect("/dashboard/login"),
            Reply::download("watch.csv", "text/csv; charset=utf-8", b"x".to_vec()),
            Reply::asset("text/css; charset=utf-8", "a{}"),
        ];
        for reply in replies {
            let response = reply.into_response(&none, false);
            let header = |name: &str| {
                response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
            };
            let policy = header("content-security-policy");
            assert!(policy.starts_with("default-src 'none';"), "{policy}");
            assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"));
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert_eq!(header("referrer-policy"), "no-referrer");
            assert!(["no-store", "no-cache"].contains(&header("cache-control")));
        }
    }

    #[test]
    fn an_asset_is_cached_under_its_tag() {
        let asset = || Reply::asset("text/css; charset=utf-8", "a{}");
        let first = asset().into_response(&HeaderMap::new(), false);
        let tag = first.headers().get(ETAG).expect("a tag").clone();
        let again = [(hyper::header::IF_NONE_MATCH, tag)].into_iter().collect();
        let again = asset().into_response(&again, false);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.body().length(), Some(0));
    }
}
