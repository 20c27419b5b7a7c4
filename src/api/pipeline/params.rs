//! The settings of a request: query parameters, API version, path parameters.
//!
//! Percent-decoding is strict: a bad escape or text that is not UTF-8 is an error that names the parameter, never a
//! replacement character. A known parameter may occur once; an unknown one is ignored, whatever its value, because
//! existing clients send extra ones. Does not know which versions have data; the handlers do.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERER};
use hyper::http::request::Parts;

use super::path_params::PathParams;
use super::reply::API_VERSION;
use crate::account::Account;
use crate::api::Api;
use crate::api::data::Data;
use crate::api::error::{ApiError, Code, excerpt};
use crate::api::limits::{PARAMETERS_MAX, TYPED_LETTERS_MAX};
use crate::json::QueryOutcome;
use crate::query::SearchResults;
use crate::query::syntax::{
    CodeFacet, CodePath, FacetPath, FacetPaths, Grouping, Query, Vocabulary,
};
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::text::codes::{ApiVersion, DataVersion, digit};
use crate::text::key_mask::mask_keys;
use crate::text::numerals::whole_number;
use crate::text::percent::{PercentFault, PlusSign, decode};

/// Every endpoint has it.
pub const API_VERSION_PARAMETER: &str = "api_version";

/// Every endpoint with data has it: `1` for an answer with [`sources`](crate::api::sources).
pub const META_PARAMETER: &str = "meta";

/// Longest value of a parameter that takes one of a few words, in bytes as it was sent. A longer one is not decoded: every
/// request has such parameters, and they are read on the thread of the connection.
const WORD_BYTES_MAX: usize = 128;

/// The day on which data answer that differ from day to day.
pub const DATE_PARAMETER: &str = "date";

/// Every endpoint that needs a key accepts a public one here.
pub const KEY_PARAMETER: &str = "key";

/// Most records in an answer, and the default of `limit`.
pub const LIMIT_MAX: u64 = 100;

/// The query string of a request, decoded on demand, parameter by parameter.
///
/// Above [`PARAMETERS_MAX`] it has none: the request is refused, and reading them all first would cost more than the refusal.
#[derive(Debug, Clone, Copy)]
pub struct Params<'q> {
    query: &'q str,
    are_too_many: bool,
}

impl<'q> Params<'q> {
    /// Wraps a query string without its question mark.
    pub fn new(query: Option<&'q str>) -> Params<'q> {
        let query = query.unwrap_or("");
        let are_too_many = query.len() > PARAMETERS_MAX
            && memchr::memchr_iter(b'&', query.as_bytes()).nth(PARAMETERS_MAX - 1).is_some();
        Params { query: if are_too_many { "" } else { query }, are_too_many }
    }

    /// The error of more parameters than [`PARAMETERS_MAX`].
    pub fn excess(&self) -> Option<ApiError> {
        self.are_too_many.then(|| {
            let detail = format!("expected at most {PARAMETERS_MAX} parameters; found more");
            ApiError::new(Code::InvalidParameter, detail)
        })
    }

    /// Whether the query string is empty. Most requests have none and ask for several parameters, so this is asked before
    /// any of them is searched.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.query.is_empty()
    }

    /// The parameter of this name; `None` if it is absent, an error if it occurs twice.
    #[inline]
    pub fn get(&self, name: &'static str) -> Result<Option<Cow<'q, str>>, ApiError> {
        if self.is_empty() { Ok(None) } else { self.find(name) }
    }

    fn find(&self, name: &'static str) -> Result<Option<Cow<'q, str>>, ApiError> {
        let mut found = None;
        for value in self.values(name) {
            if found.is_some() {
                return Err(invalid(name, "a parameter is given once; found it twice"));
            }
            found = Some(value.map_err(|fault| invalid(name, fault.to_string()))?);
        }
        Ok(found)
    }

    pub fn values(
        &self,
        name: &'static str,
    ) -> impl Iterator<Item = Result<Cow<'q, str>, PercentFault>> + use<'q> {
        self.encoded_values(name).map(|value| decode(value, PlusSign::Space))
    }

    /// The values of this name as they were sent.
    pub fn encoded_values(&self, name: &'static str) -> impl Iterator<Item = &'q str> + use<'q> {
        let has_pairs = !self.is_empty();
        let pairs = has_pairs.then(|| self.query.split('&'));
        let is_encoded = has_pairs && memchr::memchr2(b'%', b'+', self.query.as_bytes()).is_some();
        pairs.into_iter().flatten().filter_map(move |pair| {
            if let Some(value) = value_of(pair, name) {
                return Some(value);
            }
            // A name that cannot be decoded is unknown.
            let (key, value) = is_encoded.then(|| pair.split_once('=').unwrap_or((pair, "")))?;
            let is_wanted = decode(key, PlusSign::Space).ok().as_deref() == Some(name);
            is_wanted.then_some(value)
        })
    }

    /// A value of this name, as it was sent, that is longer than any word.
    fn overlong_word(&self, name: &'static str) -> Option<&'q str> {
        self.encoded_values(name).find(|value| value.len() > WORD_BYTES_MAX)
    }

    /// The parameter of this name, if not empty: an empty one counts as absent.
    #[inline]
    pub fn non_empty(&self, name: &'static str) -> Result<Option<Cow<'q, str>>, ApiError> {
        Ok(self.get(name)?.filter(|value| !value.is_empty()))
    }

    /// As [`non_empty`](Self::non_empty), for a text that is compared with each name: at most [`TYPED_LETTERS_MAX`] letters.
    pub fn typed(&self, name: &'static str) -> Result<Option<Cow<'q, str>>, ApiError> {
        let Some(text) = self.non_empty(name)? else { return Ok(None) };
        let letters = text.chars().count();
        if letters > TYPED_LETTERS_MAX {
            let detail = format!("expected at most {TYPED_LETTERS_MAX} letters; found {letters}");
            return Err(invalid(name, detail));
        }
        Ok(Some(text))
    }

    /// The number of this name within `range`, in ASCII digits only. An empty one counts as absent.
    pub fn number(
        &self,
        name: &'static str,
        code: Code,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.non_empty(name)? else { return Ok(None) };
        let number = whole_number(&text).filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| unexpected(name, code, WholeNumber(range), &text))
    }

    /// How many records to skip, and how many to return.
    pub fn page(&self) -> Result<(u64, usize), ApiError> {
        let offset = self.number("offset", Code::InvalidOffset, 0..=u64::MAX)?.unwrap_or(0);
        let limit = self.number("limit", Code::InvalidLimit, 1..=LIMIT_MAX)?;
        Ok((offset, usize::try_from(limit.unwrap_or(LIMIT_MAX)).expect("at most 100")))
    }

    /// The path of an area, such as `/東京都/千代田区`, by which a search narrows its results.
    pub fn area(&self, name: &'static str) -> Result<Option<FacetPath>, ApiError> {
        let path = self.non_empty(name)?.map(|path| FacetPath::parse(&path)).transpose();
        path.map_err(|error| ApiError::in_parameter(name, Code::InvalidFacet, error.to_string()))
    }

    /// 1 or 0; absent means 0.
    #[inline]
    pub fn flag(&self, name: &'static str) -> Result<bool, ApiError> {
        if self.is_empty() {
            return Ok(false);
        }
        Ok(self.word(name, &[(true, "1"), (false, "0")])?.unwrap_or_default())
    }

    /// The parameter of this name that takes one of a few words. An empty one counts as absent.
    pub fn word<T: Copy>(
        &self,
        name: &'static str,
        words: &[(T, &'static str)],
    ) -> Result<Option<T>, ApiError> {
        if self.overlong_word(name).is_some() {
            let detail = format!("expected at most {WORD_BYTES_MAX} bytes; found more");
            return Err(invalid(name, detail));
        }
        self.non_empty(name)?.map(|text| one_of(name, &text, words)).transpose()
    }

    pub fn version(&self) -> Result<Option<DataVersion>, ApiError> {
        let Some(text) = self.non_empty("version")? else { return Ok(None) };
        let version = DataVersion::parse(&text);
        version.map(Some).map_err(|error| {
            ApiError::in_parameter("version", Code::InvalidVersion, error.to_string())
        })
    }

    /// Whether the request names a data version, valid or not.
    pub fn names_version(&self) -> bool {
        !matches!(self.non_empty("version"), Ok(None))
    }

    /// The API version that the request names: in the header `KenAll-API-Version`, else in `API-Version`, else
    /// in the parameter `api_version`.
    pub fn api_version(
        &self,
        headers: &RequestHeaders<'_>,
    ) -> Result<Option<ApiVersion>, ApiError> {
        if let Some(value) = headers.kenall_api_version.or(headers.api_version) {
            return known_api_version(value.to_str().unwrap_or("")).map(Some);
        }
        if self.is_empty() {
            return Ok(None);
        }
        let name = API_VERSION_PARAMETER;
        if let Some(long) = self.overlong_word(name) {
            return known_api_version(long).map(Some);
        }
        self.get(name)?.map(|value| known_api_version(&value)).transpose()
    }
}

/// The value in a pair whose name is written without escapes.
fn value_of<'q>(pair: &'q str, name: &str) -> Option<&'q str> {
    let rest = pair.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('=') }
}

fn known_api_version(text: &str) -> Result<ApiVersion, ApiError> {
    ApiVersion::parse(text).ok_or_else(|| {
        let known: Vec<&str> = ApiVersion::ALL.iter().map(|version| version.as_str()).collect();
        let expected = format!("one of {}", known.join(", "));
        unexpected("api_version", Code::UnknownApiVersion, expected, text)
    })
}

/// The value of a parameter that takes one of a few words.
pub fn one_of<T: Copy>(
    name: &'static str,
    text: &str,
    words: &[(T, &'static str)],
) -> Result<T, ApiError> {
    if let Some((value, _)) = words.iter().find(|(_, word)| *word == text) {
        return Ok(*value);
    }
    let words: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
    let expected = format!("one of {}", words.join(", "));
    Err(unexpected(name, Code::InvalidParameter, expected, text))
}

pub fn unexpected(
    name: &'static str,
    code: Code,
    expected: impl fmt::Display,
    found: &str,
) -> ApiError {
    let detail = format!("expected {expected}; found {:?}", excerpt(found));
    ApiError::in_parameter(name, code, detail)
}

pub struct WholeNumber(pub RangeInclusive<u64>);

impl fmt::Display for WholeNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number of {} to {}", self.0.start(), self.0.end())
    }
}

fn invalid(name: &'static str, detail: impl Into<Cow<'static, str>>) -> ApiError {
    ApiError::in_parameter(name, Code::InvalidParameter, detail)
}

/// The decoded path parameter; `code` is the error if it cannot be decoded.
pub fn path_parameter<'p>(
    name: &'static str,
    code: Code,
    text: &'p str,
) -> Result<Cow<'p, str>, ApiError> {
    decode(text, PlusSign::Literal)
        .map_err(|fault| ApiError::in_parameter(name, code, fault.to_string()))
}

/// The path parameter `in_path` as `parse` reads it; `code` is the error if it cannot, `name` the parameter in it.
///
/// `parse` also reads what people type, such as full-width digits and 100-0001. The hosted service refuses these in
/// paths, and so does this; the error names the path that works.
pub fn path_value<T: fmt::Display, E: fmt::Display>(
    request: &ApiRequest<'_>,
    in_path: &str,
    name: &'static str,
    code: Code,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, ApiError> {
    let encoded = request.path(in_path);
    let refused = |error: E| ApiError::in_parameter(name, code, error.to_string());
    if encoded.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return parse(encoded).map_err(refused);
    }
    let text = path_parameter(name, code, encoded)?;
    let value = parse(&text).map_err(refused)?;
    match text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => Ok(value),
        false => Err(not_plain(request, name, code, &text, &value.to_string())),
    }
}

/// The error of a code that a path has in another writing than `plain`.
#[cold]
fn not_plain(
    request: &ApiRequest<'_>,
    name: &'static str,
    code: Code,
    text: &str,
    plain: &str,
) -> ApiError {
    let path = request.head.uri.path();
    let segments = path.split('/').map(|segment| match decode(segment, PlusSign::Literal) {
        Ok(segment) if segment == text => Cow::Borrowed(plain),
        Ok(segment) => Cow::Owned(half_width_digits(&segment)),
        Err(_) => Cow::Borrowed(segment),
    });
    let path = segments.collect::<Vec<_>>().join("/");
    let detail = format!(
        "expected {plain}, half-width and without marks; found {:?}; request {}",
        excerpt(text),
        mask_keys(&path)
    );
    ApiError::in_parameter(name, code, detail)
}

/// The text with its full-width digits in half width: the other code of a path may have some too.
fn half_width_digits(text: &str) -> String {
    let plain = |letter| digit(letter).map_or(letter, |value| char::from(b'0' + value));
    text.chars().map(plain).collect()
}

/// The parameters that all searches by query share: corporations, invoice issuers and schools.
pub struct QueryParams<'r, V: Vocabulary, F> {
    pub text: Cow<'r, str>,
    pub expression: Query<V>,
    pub facets: FacetPaths<F>,
    pub offset: u64,
    pub limit: usize,
}

impl<'r, V: Vocabulary, F: CodeFacet> QueryParams<'r, V, F> {
    /// `facet_names` are the facets that are codes, with their parameters; `read` parses `q`.
    pub fn parse(
        params: &Params<'r>,
        facet_names: &[(F, &'static str)],
        read: impl FnOnce(&str) -> Result<Query<V>, ApiError>,
    ) -> Result<QueryParams<'r, V, F>, ApiError> {
        let text = params.non_empty("q")?.ok_or_else(|| {
            ApiError::in_parameter("q", Code::MissingQuery, "expected q (a query); found none")
        })?;
        let expression = read(&text)?;
        let area = params.area("facet_area")?;
        let mut codes = Vec::new();
        for (facet, name) in facet_names {
            let Some(path) = params.non_empty(name)? else { continue };
            let code = CodePath::parse(*facet, &path);
            codes.push(
                code.map_err(|expected| unexpected(name, Code::InvalidFacet, expected, &path))?,
            );
        }
        let (offset, limit) = params.page()?;
        Ok(QueryParams { text, expression, facets: FacetPaths { area, codes }, offset, limit })
    }

    pub fn outcome<'a>(&'a self, found: &'a SearchResults) -> QueryOutcome<'a> {
        QueryOutcome { q: &self.text, found, offset: self.offset, limit: self.limit }
    }
}

pub fn expression<V: Vocabulary>(
    parameter: impl Into<Cow<'static, str>>,
    q: &str,
    grouping: Grouping,
) -> Result<Query<V>, ApiError> {
    Query::parse_with(q, grouping)
        .map_err(|error| ApiError::in_parameter(parameter, Code::InvalidQuery, error.to_string()))
}

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

pub struct ApiRequest<'r> {
    pub api: &'r Arc<Api>,
    /// The data that were current when the request started: a reload never mixes two states in one request.
    pub data: &'r Arc<Data>,
    pub head: &'r Parts,
    /// The parameters of the path, as they were sent.
    pub path: PathParams<'r>,
    pub params: Params<'r>,
    pub api_version: ApiVersion,
    /// The account of the key; `None` if the endpoint needs no key.
    pub account: Option<&'r Account>,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
}

impl<'r> ApiRequest<'r> {
    /// The path parameter of this name, as it was sent; empty if the path has none.
    pub fn path(&self, name: &str) -> &'r str {
        self.path.get(name).unwrap_or_default()
    }

    /// The calling account. Every endpoint that needs a key has one.
    pub fn account(&self) -> Result<&'r Account, ApiError> {
        self.account.ok_or_else(|| {
            ApiError::new(Code::MissingKey, "expected the key of an account; found none")
        })
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderMap, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_parameter_is_decoded_strictly_and_may_occur_once() {
        #[track_caller]
        fn check(query: &str, expected: Result<Option<&str>, Code>) {
            let found = Params::new(Some(query)).get("version");
            let found = found.map_err(|error| {
                assert_eq!(error.parameter.as_deref(), Some("version"));
                error.code
            });
            assert_eq!(found.as_ref().map(Option::as_deref), expected.as_ref().copied(), "{query}");
        }
        check("", Ok(None));
        check("version=2026-05-29", Ok(Some("2026-05-29")));
        check("a=b&version=x&c", Ok(Some("x")));
        check("version=", Ok(Some("")));
        check("version", Ok(Some("")));
        check("version=a=b", Ok(Some("a=b")));
        check("version=%E6%9D%B1+%e4%BA%AC", Ok(Some("東 京")));
        check("%76ersion=x", Ok(Some("x")));
        check("Version=x&versions=y&&=&=z", Ok(None));
        check("%zz=x&version=y&other=%zz", Ok(Some("y")));
        for bad in ["%", "%4", "%4x", "%x4", "a%", "%+1", "%EF%BC", "%FF"] {
            check(&format!("version={bad}"), Err(Code::InvalidParameter));
        }
        check("version=x&version=x", Err(Code::InvalidParameter));
        check("version=x&%76ersion=y", Err(Code::InvalidParameter));
    }

    #[test]
    fn a_path_keeps_its_plus() {
        let decoded = path_parameter("postal_code", Code::InvalidPostalCode, "1+%31");
        assert_eq!(decoded.as_deref(), Ok("1+1"));
        let error = path_parameter("postal_code", Code::InvalidPostalCode, "%1");
        assert_eq!(error.map_err(|error| error.code), Err(Code::InvalidPostalCode));
    }

    #[test]
    fn a_number_is_digits_within_its_range() {
        #[track_caller]
        fn check(query: &str, expected: Result<Option<u64>, &str>) {
            let found = Params::new(Some(query)).number("limit", Code::InvalidLimit, 1..=100);
            let found = found.map_err(|error| {
                assert_eq!(
                    (error.code, error.parameter.as_deref()),
                    (Code::InvalidLimit, Some("limit"))
                );
                error.detail.into_owned()
            });
            let expected = expected
                .map_err(|found| format!("expected a whole number of 1 to 100; found {found}"));
            assert_eq!(found, expected, "{query}");
        }
        check("", Ok(None));
        check("limit=1", Ok(Some(1)));
        check("limit=100", Ok(Some(100)));
        check("limit=007", Ok(Some(7)));
        check("limit=", Ok(None));
        check("limit", Ok(None));
        for bad in ["0", "101", "-1", "1e2", "1.0", "0x10", "18446744073709551616", "ten"] {
            check(&format!("limit={bad}"), Err(&format!("{bad:?}")));
        }
        check("limit=%2B5", Err("\"+5\""));
        check("limit=+5", Err("\" 5\""));
        check("limit=%EF%BC%95", Err("\"５\""));
        check("limit=5%00", Err("\"5\\0\""));
        check(&format!("limit={}", "9".repeat(5000)), Err(&format!("\"{}\"", "9".repeat(40))));
    }

    #[test]
    fn empty_optional_parameters_count_as_absent() {
        let params = Params::new(Some("t=&q=%20&facet"));
        assert_eq!(params.non_empty("t"), Ok(None));
        assert_eq!(params.non_empty("q").map(|q| q.map(Cow::into_owned)), Ok(Some(" ".to_owned())));
        assert_eq!(params.non_empty("facet"), Ok(None));
    }

    #[test]
    fn a_version_is_a_date() {
        let version = |query| Params::new(Some(query)).version().map_err(|error| error.code);
        assert_eq!(
            version("version=2026-05-29").map(|v| v.map(|v| v.number())),
            Ok(Some(20260529))
        );
        assert_eq!(version("version=20260529"), Err(Code::InvalidVersion));
        assert_eq!(version("version="), Ok(None));
        assert_eq!(version("version=%20"), Err(Code::InvalidVersion));
    }

    #[test]
    fn the_api_version_is_the_first_that_the_request_names() {
        #[track_caller]
        fn check(kenall: &str, plain: &str, query: &str, expected: Result<Option<&str>, ()>) {
            let mut headers = HeaderMap::new();
            for (name, value) in [("kenall-api-version", kenall), ("api-version", plain)] {
                if !value.is_empty() {
                    let value = HeaderValue::from_str(value).expect("a header value");
                    headers.insert(name, value);
                }
            }
            let headers = RequestHeaders::new(&headers);
            let found = Params::new(Some(query)).api_version(&headers).map_err(|error| {
                assert_eq!(
                    (error.code, error.parameter.as_deref()),
                    (Code::UnknownApiVersion, Some("api_version"))
                );
                assert!(error.detail.contains("2022-09-01, 2022-11-01"), "{}", error.detail);
            });
            assert_eq!(found.map(|version| version.map(ApiVersion::as_str)), expected);
        }
        check("", "", "", Ok(None));
        check("2022-09-01", "", "", Ok(Some("2022-09-01")));
        check("", "2022-11-01", "", Ok(Some("2022-11-01")));
        check("", "", "api_version=2023-09-01", Ok(Some("2023-09-01")));
        check("2022-09-01", "2022-11-01", "api_version=2023-09-01", Ok(Some("2022-09-01")));
        check("", "2022-11-01", "api_version=2023-09-01", Ok(Some("2022-11-01")));
        check("2022-09-01", "bad", "api_version=bad", Ok(Some("2022-09-01")));
        check("2022-09-02", "2022-11-01", "", Err(()));
        check("", "newest", "", Err(()));
        check("", "", "api_version=", Err(()));
    }

    proptest! {
        #[test]
        fn noise_never_panics(junk in "[%+0-9a-fx]{0,12}") {
            let _ = Params::new(Some(&junk)).get("version");
        }
    }
}
