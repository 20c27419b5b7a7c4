//! Turns the result of a handler into a response: headers, tags, caching, compression.
//!
//! Answers from a pinned data version never change and may be cached for ever; those from the latest must be
//! revalidated. Errors are never stored.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ALLOW, CACHE_CONTROL,
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};

use super::body_buffer;
use super::language::{mark, preferred_language};
use super::quota::{QuotaOutcome, QuotaPolicy, RATE_LIMIT_POLICY};
use super::tag::{EntityTag, ThreadCache};
use crate::api::error::{ApiError, Code};
use crate::dataset::correction::Correction;
use crate::language::Language;
use crate::server::answered::{Answered, SharedHeaders};
use crate::server::body::{Body, Document};
use crate::server::coding::{self, COMPRESS_BYTES_MIN, Coder, Coding};
use crate::server::connection::Connection;
use crate::server::limits::{HEAD_BYTES_MAX, HEADERS_MAX, TARGET_BYTES_MAX};
use crate::server::service::Refusal;
use crate::text::codes::{ApiVersion, DataVersion};

pub const API_VERSION: HeaderName = HeaderName::from_static("api-version");

/// The header with the request id, on answers of status 500.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that names parameters without effect, see `notice`.
pub const NOTICE: HeaderName = HeaderName::from_static("daicho-notice");

/// The header that says that data are made up, of `daicho build sample`.
pub const SAMPLE: HeaderName = HeaderName::from_static("daicho-sample");

/// The data version of an answer in a foreign protocol, whose body does not name it.
pub const DATA_VERSION: HeaderName = HeaderName::from_static("daicho-data-version");

/// Request headers that an answer under `/v1/` depends on.
const VARY_ON: &str = "Accept-Encoding, Authorization, KenAll-API-Version, API-Version, Origin";

/// The response headers that a script of another origin may read.
const EXPOSED: &str = "API-Version, Daicho-Data-Version, Daicho-Notice, Daicho-Sample, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

const JSON: &str = "application/json";
const XZ: &str = "application/x-xz";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq)]
enum CachePolicy {
    NoStore,
    /// Must be revalidated by its tag.
    Tagged(EntityTag),
    /// Cacheable for ever: the request named the data version.
    Pinned(EntityTag),
    /// Cacheable by anyone for a day, as the files are that other services publish.
    Public(EntityTag, Option<DataVersion>),
}

type Notices = (HeaderValue, HeaderValue);

thread_local! {
    static JOINED_NOTICES: RefCell<ThreadCache<Notices, HeaderValue>> = const { RefCell::new(ThreadCache::empty()) };
    static COMMON_HEADERS: RefCell<ThreadCache<CommonHeaders, Arc<SharedHeaders>>> = const { RefCell::new(ThreadCache::empty()) };
}

/// Capacity for the headers of most answers and some more: a full map grows even if a header in it is replaced.
const HEADERS_CAPACITY: usize = 8;

/// A body that was written and compressed in advance.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    plain: Bytes,
    gzip: Option<Bytes>,
    zstd: Option<Bytes>,
}

impl Prepared {
    pub fn new(body: Vec<u8>) -> Prepared {
        let compressed = |coding| coding::compress(coding, &body).map(Bytes::from);
        let (gzip, zstd) = (compressed(Coding::Gzip), compressed(Coding::Zstd));
        Prepared { plain: body.into(), gzip, zstd }
    }

    /// The bytes that it keeps.
    pub fn bytes(&self) -> usize {
        let compressed = [&self.gzip, &self.zstd].map(|body| body.as_ref().map_or(0, Bytes::len));
        self.plain.len() + compressed.iter().sum::<usize>()
    }

    fn for_client(&self, headers: &HeaderMap) -> ReplyBody {
        let plain = self.plain.clone();
        let coding = coding::coding(headers);
        let body = match coding {
            Coding::Identity => None,
            Coding::Gzip => self.gzip.clone(),
            Coding::Zstd => self.zstd.clone(),
        };
        match body {
            Some(body) => ReplyBody::Encoded { body, coding, plain },
            None => ReplyBody::Encoded { body: plain.clone(), coding: Coding::Identity, plain },
        }
    }
}

pub struct Reply {
    status: StatusCode,
    media: &'static str,
    cache_policy: CachePolicy,
    content: ReplyBody,
    /// Of the texts for people in it.
    language: Language,
    extra_headers: Option<Box<HeaderMap>>,
    /// The operator's corrections that changed the answer.
    corrections: Vec<Arc<Correction>>,
}

pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send + 'a>>;

/// The body from a handler: written, or still to be written.
enum ReplyBody {
    Bytes(Bytes),
    /// Compressed, and plain.
    Encoded {
        body: Bytes,
        coding: Coding,
        plain: Bytes,
    },
    Document {
        piece: Vec<u8>,
        document: Box<dyn Document>,
        connection: Arc<Connection>,
    },
}

impl Reply {
    /// JSON of one data version. `write` appends it, and is not called if the client has it already.
    pub fn data(
        headers: &HeaderMap,
        tag: EntityTag,
        is_pinned: bool,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Reply {
        let Ok(reply) = Reply::try_data(headers, tag, is_pinned, |out| {
            write(out);
            Ok::<(), Infallible>(())
        });
        reply
    }

    /// As [`Reply::data`], for a search that runs in `write` and may fail.
    pub fn try_data<E>(
        headers: &HeaderMap,
        tag: EntityTag,
        is_pinned: bool,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Reply, E> {
        let (status, body) = if tag.is_held_by_client(headers) {
            (StatusCode::NOT_MODIFIED, Bytes::new())
        } else {
            (StatusCode::OK, body_buffer::body(write)?)
        };
        let cache_policy =
            if is_pinned { CachePolicy::Pinned(tag) } else { CachePolicy::Tagged(tag) };
        Ok(Reply::new(status, JSON, cache_policy, ReplyBody::Bytes(body)))
    }

    fn new(
        status: StatusCode,
        media: &'static str,
        cache_policy: CachePolicy,
        content: ReplyBody,
    ) -> Reply {
        let (language, extra_headers, corrections) = (Language::English, None, Vec::new());
        Reply { status, media, cache_policy, content, language, extra_headers, corrections }
    }

    /// Uncacheable JSON that is written while the client reads it; a short one is written now.
    pub fn document(mut document: Box<dyn Document>, connection: Arc<Connection>) -> Reply {
        let mut piece = Vec::new();
        if !document.write_piece(&mut piece) {
            return Reply::uncached(StatusCode::OK, piece);
        }
        let content = ReplyBody::Document { piece, document, connection };
        Reply::new(StatusCode::OK, JSON, CachePolicy::NoStore, content)
    }

    pub fn prepared(
        headers: &HeaderMap,
        tag: EntityTag,
        is_pinned: bool,
        prepared: &Prepared,
    ) -> Reply {
        let mut reply = Reply::data(headers, tag, is_pinned, |_out| {});
        if reply.status == StatusCode::OK {
            reply.content = prepared.for_client(headers);
        }
        reply
    }

    /// An answer in a foreign protocol. `version` is of the data that it is from.
    pub fn foreign(
        headers: &HeaderMap,
        tag: EntityTag,
        version: Option<DataVersion>,
        media: &'static str,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Reply {
        let policy = CachePolicy::Public(tag.clone(), version);
        let reply = Reply::data(headers, tag, false, write);
        Reply { media, cache_policy: policy, ..reply }
    }

    /// As [`Reply::foreign`], with a body that was made before.
    pub fn foreign_prepared(
        headers: &HeaderMap,
        tag: EntityTag,
        version: Option<DataVersion>,
        media: &'static str,
        prepared: &Prepared,
    ) -> Reply {
        let mut reply = Reply::foreign(headers, tag, version, media, |_out| {});
        if reply.status == StatusCode::OK {
            reply.content = prepared.for_client(headers);
        }
        reply
    }

    /// An answer in a foreign protocol that must be asked for again: its data change daily. Its tag is made of its bytes.
    pub fn foreign_tagged(
        headers: &HeaderMap,
        version: DataVersion,
        media: &'static str,
        body: Vec<u8>,
    ) -> Reply {
        let reply = Reply { media, ..Reply::tagged(headers, body) };
        match HeaderValue::try_from(version.to_string()) {
            Ok(version) => reply.with_header(DATA_VERSION, version),
            Err(_) => reply,
        }
    }

    /// An error that a foreign protocol reports in its own words.
    pub fn foreign_error(error: ErrorText) -> Reply {
        let ErrorText { status, media, body } = error;
        Reply::new(status, media, CachePolicy::NoStore, ReplyBody::Bytes(body.into()))
    }

    /// A file for download, or a part of it, which is compressed already and has a strong tag.
    pub fn file(headers: &HeaderMap, tag: EntityTag, body: Bytes) -> Reply {
        let mut reply = Reply::data(headers, tag, false, |_out| {});
        reply.media = XZ;
        if reply.status == StatusCode::OK {
            reply.content =
                ReplyBody::Encoded { plain: body.clone(), body, coding: Coding::Identity };
        }
        reply
    }

    /// An error with headers of its own. `request` decides its language.
    pub fn error(error: &ApiError, request: &HeaderMap) -> Reply {
        let language = preferred_language(request);
        let mut body = Vec::new();
        error.write(language, &mut body);
        let mut reply = Reply::uncached(error.code.status(), body);
        reply.language = language;
        reply
    }

    /// Replaces the status, unless the client has the answer already (304).
    pub fn with_status(mut self, status: StatusCode) -> Reply {
        if self.status == StatusCode::OK {
            self.status = status;
        }
        self
    }

    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Reply {
        self.extra_headers.get_or_insert_default().insert(name, value);
        self
    }

    pub fn with_corrections(self, corrections: Vec<Arc<Correction>>) -> Reply {
        Reply { corrections, ..self }
    }

    pub fn corrections(&self) -> &[Arc<Correction>] {
        &self.corrections
    }

    /// A JSON object with a last member: `tail` is that with its comma and the brace that closes the object. It is not
    /// cached, since its tag is that of the object without it.
    pub fn with_last_member(mut self, tail: Vec<u8>) -> Reply {
        if self.media != JSON || !self.status.is_success() {
            return self;
        }
        let append = |object: &[u8], tail: &[u8]| match object.strip_suffix(b"}") {
            Some(open) => [open, tail].concat().into(),
            None => Bytes::copy_from_slice(object),
        };
        self.content = match self.content {
            ReplyBody::Bytes(body) => ReplyBody::Bytes(append(&body, &tail)),
            ReplyBody::Encoded { plain, .. } => ReplyBody::Bytes(append(&plain, &tail)),
            ReplyBody::Document { piece, document, connection } => {
                let document = Box::new(WithLastMember { document, tail });
                ReplyBody::Document { piece, document, connection }
            }
        };
        self.cache_policy = CachePolicy::NoStore;
        self
    }

    /// Whether compressing it for this client takes too long for the thread of a connection. A document is compressed piece
    /// by piece instead.
    pub fn takes_long_to_compress(&self, headers: &HeaderMap) -> bool {
        match &self.content {
            ReplyBody::Bytes(body) if body.len() >= COMPRESS_BYTES_MIN => {
                coding::takes_long(coding::coding(headers), body.len())
            }
            _ => false,
        }
    }

    /// Compresses it now, for a thread that may take its time.
    pub fn compressed(mut self, headers: &HeaderMap) -> Reply {
        if let ReplyBody::Bytes(plain) = &self.content
            && let Some((body, coding)) = compress_for(headers, plain)
        {
            self.content = ReplyBody::Encoded { body, coding, plain: plain.clone() };
        }
        self
    }

    /// JSON that is not from one data version. Its tag is made of its bytes.
    pub fn tagged(headers: &HeaderMap, body: Vec<u8>) -> Reply {
        let tag = EntityTag::of_bytes(&body);
        Reply::data(headers, tag, false, |out| out.extend_from_slice(&body))
    }

    pub fn uncached(status: StatusCode, body: Vec<u8>) -> Reply {
        Reply::new(status, JSON, CachePolicy::NoStore, ReplyBody::Bytes(body.into()))
    }

    pub fn metrics(headers: &HeaderMap, page: &Prepared) -> Reply {
        let content = page.for_client(headers);
        Reply::new(StatusCode::OK, OPEN_METRICS, CachePolicy::NoStore, content)
    }

    pub fn empty_ok() -> Reply {
        Reply::new(StatusCode::OK, "", CachePolicy::NoStore, ReplyBody::Bytes(Bytes::new()))
    }

    pub fn no_content() -> Reply {
        Reply::new(StatusCode::NO_CONTENT, "", CachePolicy::NoStore, ReplyBody::Bytes(Bytes::new()))
    }
}

/// A document whose object gets a last member.
struct WithLastMember {
    document: Box<dyn Document>,
    tail: Vec<u8>,
}

impl Document for WithLastMember {
    fn write_piece(&mut self, out: &mut Vec<u8>) -> bool {
        let has_more = self.document.write_piece(out);
        if !has_more && out.last() == Some(&b'}') {
            out.pop();
            out.append(&mut self.tail);
        }
        has_more
    }
}

/// The properties of the request that affect the response.
#[derive(Debug)]
pub struct ResponseContext<'r> {
    pub headers: &'r HeaderMap,
    /// Whether to omit the body.
    pub is_head: bool,
    pub api: ApiVersion,
    /// The origin whose scripts may read the answer.
    pub origin: Option<&'r HeaderValue>,
    pub quota: &'r QuotaOutcome,
    pub notice: Option<HeaderValue>,
    /// Whether the request has parameters, which the notice may be about.
    pub has_query: bool,
    /// Which of its data are made up.
    pub sample: Option<HeaderValue>,
}

/// The values from which the headers of most answers follow.
#[derive(Debug, PartialEq, Eq)]
struct CommonHeaders {
    /// Empty if there is no body.
    media: &'static str,
    cache_policy: CachePolicy,
    api: ApiVersion,
    policy: Option<QuotaPolicy>,
    /// That of all answers from old data, if no other header comes before it.
    notice: Option<HeaderValue>,
}

impl CommonHeaders {
    /// The headers: the last equal ones, which costs less than building them.
    fn shared(self) -> Arc<SharedHeaders> {
        COMMON_HEADERS.with_borrow_mut(|cache| {
            cache.get(self, |common| Arc::new(SharedHeaders::new(common.build())))
        })
    }

    fn build(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(HEADERS_CAPACITY);
        if !self.media.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media));
        }
        let (cache, tag) = match &self.cache_policy {
            CachePolicy::NoStore => ("no-store", None),
            CachePolicy::Tagged(tag) => ("private, no-cache", Some(tag)),
            CachePolicy::Pinned(tag) => ("private, max-age=31536000, immutable", Some(tag)),
            CachePolicy::Public(tag, _) => ("public, max-age=86400", Some(tag)),
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        if let Some(tag) = tag {
            headers.insert(ETAG, tag.value().clone());
        }
        if let CachePolicy::Public(_, Some(version)) = &self.cache_policy
            && let Ok(version) = HeaderValue::try_from(version.to_string())
        {
            headers.insert(DATA_VERSION, version);
        }
        headers.insert(API_VERSION, HeaderValue::from_static(self.api.as_str()));
        headers.insert(VARY, HeaderValue::from_static(VARY_ON));
        if let Some(policy) = self.policy {
            headers.insert(RATE_LIMIT_POLICY, policy.value());
        }
        if let Some(notice) = &self.notice {
            headers.insert(NOTICE, notice.clone());
        }
        headers
    }
}

pub fn response(reply: Reply, mut context: ResponseContext<'_>) -> Answered {
    let (body, coding) = encode(reply.content, &context);
    let media = if reply.status == StatusCode::NOT_MODIFIED { "" } else { reply.media };
    let policy = context.quota.policy();
    let has_headers_before_notice = coding != Coding::Identity
        || reply.language != Language::English
        || reply.extra_headers.is_some();
    // A notice about parameters is that of few answers, and would displace the headers of others.
    let is_common = !has_headers_before_notice && !context.has_query;
    let notice = context.notice.take_if(|_| is_common);
    let (cache_policy, api) = (reply.cache_policy, context.api);
    let shared = CommonHeaders { media, cache_policy, api, policy, notice }.shared();
    // The others may replace a common header.
    let (shared, mut headers) = match has_headers_before_notice || context.notice.is_some() {
        true => (None, shared.map().clone()),
        false => (Some(shared), HeaderMap::new()),
    };
    if let Some(name) = coding.header() {
        headers.insert(CONTENT_ENCODING, name);
    }
    mark(&mut headers, reply.language);
    if let Some(extra) = reply.extra_headers {
        headers.extend(*extra);
    }
    finish(reply.status, shared, headers, body, context)
}

/// The bytes in the coding that the client prefers; `None` if they are short, or would not get smaller.
fn compress_for(headers: &HeaderMap, plain: &[u8]) -> Option<(Bytes, Coding)> {
    if plain.len() < COMPRESS_BYTES_MIN {
        return None;
    }
    let coding = coding::coding(headers);
    Some((coding::compress(coding, plain)?.into(), coding))
}

/// The body in the coding that the client prefers, if that is worthwhile.
fn encode(content: ReplyBody, context: &ResponseContext<'_>) -> (Body, Coding) {
    match content {
        ReplyBody::Encoded { body, coding, .. } => (Body::Shared(body), coding),
        ReplyBody::Bytes(body) => match compress_for(context.headers, &body) {
            Some((compressed, coding)) => (Body::Whole(compressed), coding),
            None => (Body::Whole(body), Coding::Identity),
        },
        ReplyBody::Document { piece, document, connection } => {
            let coder = Coder::begin(coding::coding(context.headers));
            let coding = coder.coding();
            (Body::streamed(piece, document, coder, connection), coding)
        }
    }
}

/// An error as a body says it.
#[derive(Debug, PartialEq, Eq)]
pub struct ErrorText {
    pub status: StatusCode,
    pub media: &'static str,
    pub body: Vec<u8>,
}

/// How a foreign protocol writes errors.
pub type ErrorForm = fn(&ApiError) -> ErrorText;

/// The form of the API in English, for the foreign protocols that have none of their own.
pub fn english_form(error: &ApiError) -> ErrorText {
    api_form(error, Language::English)
}

/// The form of the API.
fn api_form(error: &ApiError, language: Language) -> ErrorText {
    let mut body = Vec::new();
    error.write(language, &mut body);
    ErrorText { status: error.code.status(), media: JSON, body }
}

/// The response with an error. `request` is the id that an answer of status 500 repeats.
pub fn error_response(
    error: &ApiError,
    form: Option<ErrorForm>,
    request: impl std::fmt::Display,
    context: ResponseContext<'_>,
) -> Answered {
    let (ErrorText { status, media, body }, language) = match form {
        Some(form) => (form(error), Language::English),
        None => {
            let language = preferred_language(context.headers);
            (api_form(error, language), language)
        }
    };
    let policy = context.quota.policy();
    let (cache_policy, api, notice) = (CachePolicy::NoStore, context.api, None);
    let shared = CommonHeaders { media, cache_policy, api, policy, notice }.shared();
    let mut headers = shared.map().clone();
    mark(&mut headers, language);
    match error.code {
        Code::TooManyBatches | Code::TooManySearches | Code::SearchTimeout => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Code::NoData | Code::StateUnavailable => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        _ => {}
    }
    if status == StatusCode::UNAUTHORIZED {
        let scheme = if error.code == Code::InvalidToken { "Bearer" } else { "Token" };
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
    }
    if let Some(allow) = error.allow {
        headers.insert(ALLOW, HeaderValue::from_static(allow));
    }
    if status == StatusCode::INTERNAL_SERVER_ERROR
        && let Ok(id) = HeaderValue::try_from(request.to_string())
    {
        headers.insert(REQUEST_ID, id);
    }
    finish(status, None, headers, Body::Whole(body.into()), context)
}

/// Adds the headers that depend on the request.
fn finish(
    status: StatusCode,
    shared: Option<Arc<SharedHeaders>>,
    mut headers: HeaderMap,
    mut body: Body,
    context: ResponseContext<'_>,
) -> Answered {
    context.quota.write(&mut headers);
    if let Some(notice) = context.notice {
        let notice = join_notices(headers.remove(NOTICE), &notice);
        headers.insert(NOTICE, notice);
    }
    if let Some(sample) = context.sample {
        headers.insert(SAMPLE, sample);
    }
    if let Some(origin) = context.origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    if context.is_head {
        // The length that GET would have; hyper sends no body to HEAD but keeps this header.
        if let Some(length) = body.length() {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        body = Body::Whole(Bytes::new());
    }
    Answered::new(status, shared, headers, body)
}

/// Two notices in one header.
pub fn join_notices(first: Option<HeaderValue>, next: &HeaderValue) -> HeaderValue {
    let Some(first) = first else { return next.clone() };
    let both = [first.as_bytes(), next.as_bytes()].join(&b"; "[..]);
    HeaderValue::from_bytes(&both).unwrap_or(first)
}

/// As [`join_notices`] for notices about data, which are the same in many answers.
pub fn join_data_notices(first: Option<HeaderValue>, next: &HeaderValue) -> HeaderValue {
    let Some(first) = first else { return next.clone() };
    JOINED_NOTICES.with_borrow_mut(|cache| {
        cache.get((first, next.clone()), |(first, next)| join_notices(Some(first.clone()), next))
    })
}

/// The response with an error to a request of which at most its language is known.
pub fn bare_error_response(error: &ApiError, language: Language) -> Response<Bytes> {
    let mut body = Vec::new();
    error.write(language, &mut body);
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = error.code.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(API_VERSION, HeaderValue::from_static(ApiVersion::NEWEST.as_str()));
    mark(headers, language);
    if matches!(
        error.code.status(),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
    ) {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// The error of a malformed request, or of one above a limit.
pub fn refusal_error(refusal: Refusal) -> ApiError {
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
        Refusal::ClearText => ApiError::new(
            Code::MalformedRequest,
            "expected HTTPS at this address; found HTTP in clear text; begin the URL with https://",
        ),
        Refusal::NoProxyHeader => ApiError::new(
            Code::MalformedRequest,
            "expected a header of the PROXY protocol, version 1 or 2, before the request; found none that is valid; let \
             the proxy send it, or start the server without --proxy-protocol",
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
        Refusal::TooManyWithoutKey { per_second } => ApiError::new(
            Code::TooManyRequests,
            format!(
                "expected at most {per_second} answers a second without a valid key for your address; found more; send the \
                 key of an account, or wait"
            ),
        ),
        Refusal::TargetTooLong => ApiError::new(
            Code::TargetTooLong,
            format!("expected at most {TARGET_BYTES_MAX} bytes of path and query; found more"),
        ),
    }
}
