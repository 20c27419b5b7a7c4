//! From a request to a page or a description.
//!
//! Everything is made of what the binary has, once, when it is first asked for. No key is needed: what is told here is
//! public.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};

use super::language::Language;
use super::markdown::rendered;
use super::openapi::document;
use super::page::{GUIDE, REFERENCE, SCRIPT, STYLE, page};
use super::{llms, reference};
use crate::api::error::{ApiError, Code};
use crate::api::headers::RequestHeaders;
use crate::api::params::{Params, one_of};
use crate::api::tag::Tag;
use crate::server::body::Body;
use crate::server::coding;
use crate::server::metrics::Label;
use crate::server::page_headers::PAGE_HEADERS;
use crate::server::service::Outcome;
use crate::text::codes::ApiVersion;

/// The text of the label that requests for documentation count under.
pub const LABEL: &str = "/docs";

const JSON: &str = "application/json";
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

const OPENAPI: &str = "/openapi.json";
const METHODS: &str = "GET, HEAD";

/// Whether a path is answered here. The list of errors, `/docs/errors`, is the API's own.
pub fn is_documentation(path: &str) -> bool {
    path == OPENAPI || FILES.contains_key(path)
}

/// The files that are the same for everybody, by their paths.
static FILES: LazyLock<HashMap<&str, File>> = LazyLock::new(|| {
    const HTML: &str = "text/html; charset=utf-8";
    let mut files = HashMap::from([
        ("/docs/style.css", File::of("text/css; charset=utf-8", STYLE.to_owned())),
        ("/docs/script.js", File::of("text/javascript; charset=utf-8", SCRIPT.to_owned())),
        ("/llms.txt", File::of("text/plain; charset=utf-8", llms::text())),
    ]);
    for (language, text) in [(Language::English, GUIDE_EN), (Language::Japanese, GUIDE_JA)] {
        let (body, headings) = rendered(text, language.of(REFERENCE.paths));
        let guide = File::of(HTML, page(&GUIDE, language, &body, &headings));
        let path = language.of(GUIDE.paths);
        files.insert(path.trim_end_matches('/'), guide.clone());
        files.insert(path, guide);
        let (body, headings) = reference::body(language);
        let reference = page(&REFERENCE, language, &body, &headings);
        files.insert(language.of(REFERENCE.paths), File::of(HTML, reference));
    }
    files
});

const GUIDE_EN: &str = include_str!("../../docs/guide.md");
const GUIDE_JA: &str = include_str!("../../docs/guide.ja.md");

/// A file as it is sent.
#[derive(Clone)]
struct File {
    media: &'static str,
    body: Bytes,
    tag: Tag,
}

impl File {
    fn of(media: &'static str, body: String) -> File {
        File { media, tag: Tag::of_bytes(body.as_bytes()), body: body.into() }
    }
}

pub fn answer(head: &Parts, label: Label) -> Outcome {
    let is_head = head.method == Method::HEAD;
    let response = match head.method {
        Method::GET | Method::HEAD => match find(head) {
            Ok(file) => sent(&file, &head.headers, is_head),
            Err(error) => refused(&error, is_head),
        },
        _ => {
            let detail = format!("expected a method of {METHODS}; found {}", head.method);
            refused(&ApiError::plain(Code::MethodNotAllowed, detail), false)
        }
    };
    Outcome { response, label, account: None, api_version: ApiVersion::NEWEST.as_str() }
}

fn find(head: &Parts) -> Result<File, ApiError> {
    if let Some(file) = FILES.get(head.uri.path()) {
        return Ok(file.clone());
    }
    let params = Params::over(head.uri.query());
    let version = params.api_version(&RequestHeaders::of(&head.headers))?;
    const LANGUAGES: [(Language, &str); 2] =
        [(Language::English, "en"), (Language::Japanese, "ja")];
    let language = params.filled("lang")?;
    let language = language.map(|text| one_of("lang", &text, &LANGUAGES)).transpose()?;
    let version = version.unwrap_or(ApiVersion::NEWEST);
    Ok(openapi(version, language.unwrap_or(Language::English)))
}

/// The description for an API version, made when it is first asked for.
fn openapi(version: ApiVersion, language: Language) -> File {
    type Made = HashMap<(&'static str, &'static str), File>;
    static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = made
        .entry((version.as_str(), language.code()))
        .or_insert_with(|| File::of(JSON, document(version, language).to_string()));
    file.clone()
}

fn sent(file: &File, request: &HeaderMap, is_head: bool) -> Response<Body> {
    let mut headers = HeaderMap::new();
    for (name, value) in PAGE_HEADERS {
        set(&mut headers, name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media));
    headers.insert(ETAG, file.tag.value().clone());
    set(&mut headers, CACHE_CONTROL, "no-cache");
    set(&mut headers, VARY, "Accept-Encoding, KenAll-API-Version, API-Version");
    if file.media == JSON {
        // Anybody may read it, and tools that show it run on other origins.
        set(&mut headers, ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        set(&mut headers, CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin");
    }
    if file.tag.is_known(request) {
        return made(StatusCode::NOT_MODIFIED, headers, Bytes::new(), false);
    }
    let wanted = coding::coding(request);
    let coded = wanted.header().zip(coding::compress(wanted, &file.body));
    let body = match coded {
        Some((name, smaller)) => {
            headers.insert(CONTENT_ENCODING, name);
            smaller.into()
        }
        None => file.body.clone(),
    };
    made(StatusCode::OK, headers, body, is_head)
}

fn refused(error: &ApiError, is_head: bool) -> Response<Body> {
    let mut body = Vec::new();
    error.write(&mut body);
    let mut headers = HeaderMap::new();
    set(&mut headers, CONTENT_TYPE, "application/json");
    set(&mut headers, CACHE_CONTROL, "no-store");
    if error.code == Code::MethodNotAllowed {
        set(&mut headers, ALLOW, METHODS);
    }
    made(error.code.status(), headers, body.into(), is_head)
}

fn made(status: StatusCode, mut headers: HeaderMap, body: Bytes, is_head: bool) -> Response<Body> {
    if status != StatusCode::NOT_MODIFIED {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    let body = if is_head { Bytes::new() } else { body };
    let mut response = Response::new(Body::whole(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
