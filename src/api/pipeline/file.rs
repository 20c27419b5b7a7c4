//! A file that is part of the program, as it is sent: page headers, entity tag, compression.
//!
//! Everything here is public and needs no key. A file is compressed in each coding when a client first asks for it; copies
//! of the file share that.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};

use super::language::preferred_language;
use super::reply;
use super::tag::EntityTag;
use crate::api::error::{ApiError, Code};
use crate::server::body::Body;
use crate::server::coding::{self, Coding};
use crate::server::metrics::Label;
use crate::server::service::{Answer, Outcome, PAGE_HEADERS, blocking};
use crate::text::codes::ApiVersion;

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

const METHODS: &str = "GET, HEAD";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    OwnPages,
    AnyOrigin,
}

#[derive(Debug, Clone)]
pub struct File {
    media: &'static str,
    body: Bytes,
    tag: EntityTag,
    readers: Readers,
    caching: &'static str,
    vary: &'static str,
    status: StatusCode,
    effort: Effort,
    compressed: Arc<Compressed>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    Fast,
    /// For a file that is sent often.
    Best,
}

/// The body in each coding once it was asked for; inside, `None` if that would not be smaller.
#[derive(Debug, Default)]
struct Compressed {
    gzip: OnceLock<Option<Bytes>>,
    zstd: OnceLock<Option<Bytes>>,
}

impl Compressed {
    /// Where the body in this coding is kept; `None` for the body as it is.
    fn place(&self, coding: Coding) -> Option<&OnceLock<Option<Bytes>>> {
        match coding {
            Coding::Identity => None,
            Coding::Gzip => Some(&self.gzip),
            Coding::Zstd => Some(&self.zstd),
        }
    }
}

impl File {
    /// A file for pages of this server, revalidated each time.
    pub fn new(media: &'static str, body: impl Into<Bytes>) -> File {
        let body = body.into();
        let tag = EntityTag::of_bytes(&body);
        let (readers, caching, vary) = (Readers::OwnPages, "no-cache", "Accept-Encoding");
        let (status, effort, compressed) = (StatusCode::OK, Effort::Fast, Arc::default());
        File { media, body, tag, readers, caching, vary, status, effort, compressed }
    }

    pub fn readers(self, readers: Readers) -> File {
        File { readers, ..self }
    }

    /// Its `Cache-Control`.
    pub fn caching(self, caching: &'static str) -> File {
        File { caching, ..self }
    }

    /// Its `Vary`, if more than the coding decides the answer.
    pub fn vary(self, vary: &'static str) -> File {
        File { vary, ..self }
    }

    /// For the page of a path that has none.
    pub fn not_found(self) -> File {
        File { status: StatusCode::NOT_FOUND, ..self }
    }

    /// Compresses it at a high level, for a file that is requested often.
    pub fn compressed_best(self) -> File {
        File { effort: Effort::Best, ..self }
    }

    /// Whether it is compressed already as this client wants it.
    pub fn is_compressed_for(&self, request: &HeaderMap) -> bool {
        self.compressed.place(coding::coding(request)).is_none_or(|place| place.get().is_some())
    }

    /// The body in a coding, if that is smaller.
    fn compressed_body(&self, wanted: Coding) -> Option<(HeaderValue, Bytes)> {
        let name = wanted.header()?;
        let body = self.compressed.place(wanted)?.get_or_init(|| {
            let body = match self.effort {
                Effort::Fast => coding::compress(wanted, &self.body),
                Effort::Best => coding::compress_best(wanted, &self.body),
            };
            body.map(Bytes::from)
        });
        Some((name, body.clone()?))
    }

    fn response(&self, request: &HeaderMap, is_head: bool) -> Response<Body> {
        let mut headers = HeaderMap::new();
        for (name, value) in PAGE_HEADERS {
            set(&mut headers, name, value);
        }
        set(&mut headers, CONTENT_TYPE, self.media);
        headers.insert(ETAG, self.tag.value().clone());
        set(&mut headers, CACHE_CONTROL, self.caching);
        set(&mut headers, VARY, self.vary);
        if self.readers == Readers::AnyOrigin {
            set(&mut headers, ACCESS_CONTROL_ALLOW_ORIGIN, "*");
            set(&mut headers, CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin");
        }
        if self.status == StatusCode::OK && self.tag.is_held_by_client(request) {
            return build_response(StatusCode::NOT_MODIFIED, headers, Bytes::new(), false);
        }
        let body = match self.compressed_body(coding::coding(request)) {
            Some((name, smaller)) => {
                headers.insert(CONTENT_ENCODING, name);
                smaller
            }
            None => self.body.clone(),
        };
        build_response(self.status, headers, body, is_head)
    }
}

/// Answers a request for the file that `find` returns, counted under `label`. If it is not made and compressed yet, that
/// happens on a thread that may block.
pub fn answer_once_made(
    head: Parts,
    label: Label,
    is_made: bool,
    find: impl FnOnce(&Parts) -> Result<File, ApiError> + Send + 'static,
) -> Answer {
    if is_made {
        return Answer::Ready(answer(&head, label, find));
    }
    Answer::Waiting(Box::pin(blocking(move || answer(&head, label, find))))
}

/// Answers a request for the file that `find` returns, counted under `label`.
fn answer(
    head: &Parts,
    label: Label,
    find: impl FnOnce(&Parts) -> Result<File, ApiError>,
) -> Outcome {
    let is_head = head.method == Method::HEAD;
    let response = match head.method {
        Method::GET | Method::HEAD => match find(head) {
            Ok(file) => file.response(&head.headers, is_head),
            Err(error) => error_response(&error, &head.headers, is_head),
        },
        _ => {
            let detail = format!("expected a method of {METHODS}; found {}", head.method);
            error_response(&ApiError::new(Code::MethodNotAllowed, detail), &head.headers, false)
        }
    };
    let answered = response.into();
    Outcome { answered, label, caller: None, api_version: ApiVersion::NEWEST.as_str() }
}

fn error_response(error: &ApiError, request: &HeaderMap, is_head: bool) -> Response<Body> {
    let language = preferred_language(request);
    let (mut head, body) = reply::bare_error_response(error, language).into_parts();
    if error.code == Code::MethodNotAllowed {
        set(&mut head.headers, ALLOW, METHODS);
    }
    build_response(head.status, head.headers, body, is_head)
}

fn build_response(
    status: StatusCode,
    mut headers: HeaderMap,
    body: Bytes,
    is_head: bool,
) -> Response<Body> {
    if status != StatusCode::NOT_MODIFIED {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    let body = if is_head { Bytes::new() } else { body };
    let mut response = Response::new(Body::Whole(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
