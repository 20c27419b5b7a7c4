//! From what a page's handler gives back to the response: status, headers, compression.
//!
//! Every answer says that nothing may be loaded but from this server, that no other page may frame
//! it, that its type is what it says, and that nobody keeps it; style and script alone are kept,
//! under a tag.

use bytes::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Response, StatusCode};

use super::html::Html;
use crate::api::tag::Tag;
use crate::server::body::Body;
use crate::server::coding;
use crate::server::coding::{COMPRESS_BYTES_MIN, Coding};

/// Nothing but this server's own style and script; forms go nowhere else; no frames, no base.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What is given back.
#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    content: Content,
    cookies: Vec<String>,
    allow: Option<&'static str>,
    /// Seconds.
    retry_after: Option<i64>,
}

#[derive(Debug)]
enum Content {
    Page(Html),
    /// Elsewhere.
    See(String),
    /// A file to keep.
    File {
        name: String,
        media: &'static str,
        body: Vec<u8>,
    },
    /// Style or script.
    Asset {
        media: &'static str,
        text: &'static str,
    },
}

impl Answer {
    fn of(status: StatusCode, content: Content) -> Answer {
        Answer { status, content, cookies: Vec::new(), allow: None, retry_after: None }
    }

    /// A page, or a part of one.
    pub fn page(status: StatusCode, page: Html) -> Answer {
        Answer::of(status, Content::Page(page))
    }

    /// Sends the browser on to a page of this dashboard, with `GET`.
    pub fn see(path: impl Into<String>) -> Answer {
        Answer::of(StatusCode::SEE_OTHER, Content::See(path.into()))
    }

    /// A file to keep. The name is ASCII without quotes.
    pub fn file(name: String, media: &'static str, body: Vec<u8>) -> Answer {
        Answer::of(StatusCode::OK, Content::File { name, media, body })
    }

    /// Style or script.
    pub fn asset(media: &'static str, text: &'static str) -> Answer {
        Answer::of(StatusCode::OK, Content::Asset { media, text })
    }

    /// The same with a cookie.
    pub fn with_cookie(mut self, cookie: String) -> Answer {
        self.cookies.push(cookie);
        self
    }

    /// The same, naming the methods of the path.
    pub fn allowing(mut self, methods: &'static str) -> Answer {
        self.allow = Some(methods);
        self
    }

    /// The same, saying how many seconds to wait.
    pub fn retry_after(mut self, seconds: i64) -> Answer {
        self.retry_after = Some(seconds);
        self
    }

    /// The response to a request with these headers.
    pub fn into_response(self, request: &HeaderMap, is_head: bool) -> Response<Body> {
        let mut headers = HeaderMap::with_capacity(16);
        let mut status = self.status;
        let mut put = |name, value: &'static str| {
            headers.insert(name, HeaderValue::from_static(value));
        };
        put(CONTENT_SECURITY_POLICY, POLICY);
        put(X_CONTENT_TYPE_OPTIONS, "nosniff");
        put(X_FRAME_OPTIONS, "DENY");
        put(REFERRER_POLICY, "no-referrer");
        put(OPENER_POLICY, "same-origin");
        put(RESOURCE_POLICY, "same-origin");
        put(CACHE_CONTROL, "no-store");
        put(VARY, "Accept-Encoding, Accept-Language, Cookie");
        let body: Bytes = match self.content {
            Content::Page(page) => {
                put(CONTENT_TYPE, "text/html; charset=utf-8");
                page.into_string().into()
            }
            Content::See(path) => {
                // Paths are made of our own names and encoded values.
                if let Ok(path) = HeaderValue::try_from(path) {
                    headers.insert(LOCATION, path);
                }
                Bytes::new()
            }
            Content::File { name, media, body } => {
                put(CONTENT_TYPE, media);
                if let Ok(value) = HeaderValue::try_from(format!("attachment; filename=\"{name}\""))
                {
                    headers.insert(CONTENT_DISPOSITION, value);
                }
                body.into()
            }
            Content::Asset { media, text } => {
                put(CONTENT_TYPE, media);
                put(CACHE_CONTROL, "no-cache");
                let tag = Tag::of_bytes(text.as_bytes());
                let known = tag.is_known(request);
                headers.insert(ETAG, tag.value().clone());
                if known {
                    status = StatusCode::NOT_MODIFIED;
                    Bytes::new()
                } else {
                    Bytes::from_static(text.as_bytes())
                }
            }
        };
        for cookie in self.cookies {
            if let Ok(cookie) = HeaderValue::try_from(cookie) {
                headers.append(SET_COOKIE, cookie);
            }
        }
        if let Some(methods) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        let body = compressed(body, request, &mut headers);
        let mut response = if is_head {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
            Response::new(Body::whole(Bytes::new()))
        } else {
            Response::new(Body::whole(body))
        };
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }
}

/// The body in the coding that the browser wants, where that is worth it.
fn compressed(body: Bytes, request: &HeaderMap, headers: &mut HeaderMap) -> Bytes {
    if body.len() < COMPRESS_BYTES_MIN {
        return body;
    }
    let coding = coding::coding(request);
    let name = match coding {
        Coding::Identity => return body,
        Coding::Gzip => "gzip",
        Coding::Zstd => "zstd",
    };
    match coding::compress(coding, &body) {
        Some(smaller) => {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
            smaller.into()
        }
        None => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_locked_down() {
        let none = HeaderMap::new();
        let answers = [
            Answer::page(StatusCode::OK, Html::empty()),
            Answer::page(StatusCode::NOT_FOUND, Html::empty()),
            Answer::see("/dashboard/login"),
            Answer::file("watch.csv".to_owned(), "text/csv; charset=utf-8", b"x".to_vec()),
            Answer::asset("text/css; charset=utf-8", "a{}"),
        ];
        for answer in answers {
            let response = answer.into_response(&none, false);
            let header = |name: &str| {
                response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
            };
            let policy = header("content-security-policy");
            assert!(policy.starts_with("default-src 'none';"), "{response:?}", response = policy);
            assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"));
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert_eq!(header("referrer-policy"), "no-referrer");
            assert!(["no-store", "no-cache"].contains(&header("cache-control")));
        }
    }

    #[test]
    fn an_asset_is_sent_once() {
        let asset = || Answer::asset("text/css; charset=utf-8", "a{}");
        let first = asset().into_response(&HeaderMap::new(), false);
        let tag = first.headers().get(ETAG).expect("a tag").clone();
        let again = [(hyper::header::IF_NONE_MATCH, tag)].into_iter().collect();
        let again = asset().into_response(&again, false);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.body().length(), Some(0));
    }
}
