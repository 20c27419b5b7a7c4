//! The trait of a tool: its description for agents, its arguments, its answer, and its API requests; and the arguments
//! that several tools take. The limits on the rows of an answer are low because an agent reads every row.
//!
//! [`ApiClient`] calls the API with the agent's key, and parses the members of the answer that a tool needs. It uses
//! no socket, because the API runs in the same process. The API version is always the newest, whatever version the
//! account is set to, because the tools are written for it. A [`ToolError`] is a text for the agent: what happened,
//! what was expected, and what to do.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::BodyExt;
use hyper::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Request, StatusCode};
use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool as ToolDescription, ToolAnnotations};
use rmcp::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::remedy::{remedy, title};
use crate::api::error::{Code, excerpt};
use crate::api::pipeline::answer_internal;
use crate::api::pipeline::quota::QuotaOutcome;
use crate::api::pipeline::reply::API_VERSION;
use crate::api::{Api, RequestTarget};
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::limits::Timeouts;
use crate::snapshot::DatasetKind;
use crate::text::codes::{ApiVersion, plain_code};
use crate::text::prefecture_name::{PrefectureName, prefecture_named};

/// A tool that an agent can call. The type itself holds the arguments of one call, parsed from the JSON that the agent
/// sends. The agent reads serde's message about invalid arguments, so the error texts of their types are written for
/// it.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    /// The name that clients show to users, in English and Japanese.
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    /// The dataset without which the tool cannot answer.
    const DATASET: Option<DatasetKind>;

    type Output: Serialize + JsonSchema;

    fn call(
        self,
        client: &ApiClient,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}

type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

pub struct ToolEntry {
    pub name: &'static str,
    pub dataset: Option<DatasetKind>,
    pub describe: fn() -> ToolDescription,
    pub call: for<'a> fn(JsonObject, &'a ApiClient) -> CallFuture<'a>,
}

impl ToolEntry {
    pub const fn new<T: Tool>() -> ToolEntry {
        let (name, dataset) = (T::NAME, T::DATASET);
        ToolEntry { name, dataset, describe: describe::<T>, call: call::<T> }
    }
}

fn describe<T: Tool>() -> ToolDescription {
    let input = schema_for_input::<T>().expect("arguments are a struct, which is an object");
    let hints = ToolAnnotations::with_title(T::TITLE)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        // Tools read only the loaded data and call no external service.
        .open_world(false);
    ToolDescription::new(T::NAME, T::DESCRIPTION, input)
        .with_title(T::TITLE)
        .with_raw_output_schema(schema_for_output::<T::Output>())
        .with_annotations(hints)
}

fn call<T: Tool>(arguments: JsonObject, client: &ApiClient) -> CallFuture<'_> {
    Box::pin(async move {
        let arguments =
            serde_json::from_value(Value::Object(arguments)).map_err(ToolError::Arguments)?;
        let answer = T::call(arguments, client).await?;
        serde_json::to_value(answer).map_err(|error| ToolError::Unreadable(error.to_string()))
    })
}

/// A text with at least one character that is not a space.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct NonBlank(String);

impl NonBlank {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NonBlank {
    type Error = &'static str;

    fn try_from(text: String) -> Result<NonBlank, &'static str> {
        match text.trim().is_empty() {
            true => Err("expected a text; found an empty one"),
            false => Ok(NonBlank(text)),
        }
    }
}

impl JsonSchema for NonBlank {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NonBlank".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// A code as people write it, in the form of the API. One of marks only stays as it is, for the error.
pub fn typed_code(text: &NonBlank) -> String {
    let plain = plain_code(text.as_str());
    if plain.is_empty() { text.as_str().trim().to_owned() } else { plain }
}

/// A number as people write it, for the path of the API. A word is refused with the error of the API for a wrong number:
/// it may be another path there, such as `radar` and `versions`.
pub fn number_segment(text: &NonBlank, wrong: Code) -> Result<String, ToolError> {
    let number = typed_code(text);
    if number.bytes().any(|byte| byte.is_ascii_digit()) {
        return Ok(number);
    }
    let detail = format!("expected digits; found {}", excerpt(text.as_str()));
    Err(ToolError::Refused(Problem { code: wrong.as_str().to_owned(), detail }, None))
}

/// A prefecture, in any of the ways in which people write one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Prefecture(PrefectureName);

impl Prefecture {
    /// JIS X 0401.
    pub fn code(self) -> u16 {
        self.0.code
    }

    /// In Japanese.
    pub fn name(self) -> &'static str {
        self.0.name
    }
}

impl TryFrom<String> for Prefecture {
    type Error = String;

    fn try_from(text: String) -> Result<Prefecture, String> {
        let found = prefecture_named(&text).map(Prefecture);
        found.ok_or_else(|| {
            let found = excerpt(&text);
            format!(
                "expected a prefecture, such as 東京都, Tokyo, とうきょう or 13; found {found:?}"
            )
        })
    }
}

impl JsonSchema for Prefecture {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Prefecture".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A prefecture (都道府県) in Japanese, in Roman letters or in kana, such as 東京都, Tokyo or とうきょう",
        })
    }
}

const DEFAULT: u8 = 10;
const MAX: u8 = 50;

/// The maximum number of rows in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct Limit(u8);

impl Limit {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Limit {
        Limit(DEFAULT)
    }
}

impl TryFrom<i64> for Limit {
    type Error = String;

    fn try_from(number: i64) -> Result<Limit, String> {
        let limit = u8::try_from(number).ok().filter(|limit| (1..=MAX).contains(limit));
        limit.map(Limit).ok_or_else(|| format!("expected a limit of 1 to {MAX}; found {number}"))
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": MAX,
            "default": DEFAULT,
            "description": "Maximum number of rows",
        })
    }
}

/// The hint if fewer rows are listed than were found, or if none was found; else `None`. `narrow` says how to narrow the
/// search, `widen` how to find more.
pub fn hint(listed: usize, count: u64, narrow: &str, widen: &str) -> Option<String> {
    if count == 0 {
        return Some(format!("nothing was found; {widen}"));
    }
    let has_more = (listed as u64) < count;
    let limit = match listed < usize::from(MAX) {
        true => format!(", or use a limit of up to {MAX}"),
        false => String::new(),
    };
    has_more.then(|| format!("{listed} of {count} rows are listed; {narrow}{limit}"))
}

/// An answer from one version of the data.
#[derive(Debug, Deserialize)]
pub struct Versioned<T> {
    pub version: String,
    pub data: T,
}

/// The answer of a search.
#[derive(Debug, Deserialize)]
pub struct Found<T> {
    pub version: String,
    pub data: Vec<T>,
    /// How many records there are, with those that are not listed.
    pub count: u64,
}

#[derive(Clone)]
pub struct ApiClient {
    pub api: Arc<Api>,
    pub connection: Arc<Connection>,
    pub id: RequestId,
    /// The headers with the caller's key and origin.
    pub credentials: HeaderMap,
    pub timeouts: Timeouts,
    pub paid: Paid,
}

/// What the account paid for the message, which its first API request uses. So a tool costs as many requests as it makes,
/// and a message without an API request costs one.
#[derive(Debug, Clone, Default)]
pub struct Paid(Arc<Mutex<Option<QuotaOutcome>>>);

impl Paid {
    pub fn new(outcome: QuotaOutcome) -> Paid {
        Paid(Arc::new(Mutex::new(Some(outcome))))
    }

    fn take(&self) -> Option<QuotaOutcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ApiClient {
    /// Whether data of a dataset are loaded.
    pub fn has(&self, dataset: DatasetKind) -> bool {
        self.api.data.load().loaded(None).iter().any(|loaded| loaded.kind == dataset)
    }

    /// Whether a register of invoice issuers says who is one.
    pub fn has_register(&self) -> bool {
        !self.api.data.load().gaps().has_no_register
    }

    /// What an agent should know of a search that found nothing; `None` if the data are of the whole country.
    pub fn coverage_hint(&self) -> Option<String> {
        let data = self.api.data.load();
        let (coverage, _) = data.gaps().coverage.as_ref()?;
        Some(format!("the data have corporations of {} only", coverage.japanese()))
    }

    /// The answer to a `GET`; an error unless its status is 200.
    pub async fn get<T: DeserializeOwned>(&self, target: RequestTarget) -> Result<T, ToolError> {
        let request = Request::get(target.into_text()).body(());
        let mut head = request.map_err(|_too_long| ToolError::TooLong)?.into_parts().0;
        head.headers.clone_from(&self.credentials);
        let version = HeaderValue::from_static(ApiVersion::NEWEST.as_str());
        head.headers.insert(API_VERSION, version);
        let (api, connection) = (Arc::clone(&self.api), Arc::clone(&self.connection));
        let (id, timeouts, paid) = (self.id, self.timeouts, self.paid.take());
        let outcome = answer_internal(api, connection, head, id, timeouts, paid).await;
        let (head, body) = outcome.answered.into_response().into_parts();
        let body =
            body.collect().await.map_err(|error| ToolError::Unreadable(error.to_string()))?;
        let body = body.to_bytes();
        match head.status {
            StatusCode::OK => serde_json::from_slice(&body)
                .map_err(|error| ToolError::Unreadable(error.to_string())),
            StatusCode::URI_TOO_LONG => Err(ToolError::TooLong),
            status => {
                let retry = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                let retry = retry.and_then(|text| text.parse().ok());
                Err(ToolError::refused(status, retry, &body))
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error("invalid arguments: {0}; see the input schema of the tool")]
    Arguments(serde_json::Error),
    #[error(
        "the arguments are too long: expected at most about 3,000 Japanese characters; shorten them"
    )]
    TooLong,
    #[error("{}", message(.0, .1))]
    Refused(Problem, Option<u64>),
    #[error("cannot read the response of the server: {0}; this is a server error")]
    Unreadable(String),
}

/// The body of an error of the API.
#[derive(Debug, Deserialize)]
pub struct Problem {
    pub code: String,
    detail: String,
}

impl ToolError {
    pub fn refused(status: StatusCode, retry_after_s: Option<u64>, body: &[u8]) -> ToolError {
        match serde_json::from_slice(body) {
            Ok(problem) => ToolError::Refused(problem, retry_after_s),
            Err(_no_problem) => ToolError::Unreadable(format!("it has the status {status}")),
        }
    }

    pub fn has_code(&self, code: Code) -> bool {
        matches!(self, ToolError::Refused(problem, _) if problem.code == code.as_str())
    }
}

fn message(problem: &Problem, retry_after_s: &Option<u64>) -> String {
    let Problem { code, detail } = problem;
    let known = Code::ALL.iter().copied().find(|known| known.as_str() == code);
    let title = known.map_or("Error", title);
    let remedy = match known {
        // Omit `Retry-After`: an operator must build the data first, so an agent should not wait.
        Some(Code::NoData) => {
            return format!(
                "{title} ({code}): {detail}. The operator must build the data first; other tools still work."
            );
        }
        Some(code) => remedy(code),
        None => "",
    };
    let retry = retry_after_s.map(|seconds| format!(" Retry in {seconds} s."));
    format!("{title} ({code}): {detail}. {remedy}{}", retry.unwrap_or_default())
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_one_to_fifty() {
        for (text, expected) in [("1", Some(1)), ("50", Some(50)), ("0", None), ("51", None)] {
            let limit = serde_json::from_str::<Limit>(text).ok().map(Limit::get);
            assert_eq!(limit, expected, "{text}");
        }
        for wrong in ["-1", "1.5", "\"3\"", "300", "null"] {
            assert!(serde_json::from_str::<Limit>(wrong).is_err(), "{wrong}");
        }
        let error = serde_json::from_str::<Limit>("0").expect_err("too few");
        assert_eq!(error.to_string(), "expected a limit of 1 to 50; found 0");
    }

    #[test]
    fn a_hint_is_added_only_if_rows_are_missing_or_none_was_found() {
        let hint = |listed, count, narrow| super::hint(listed, count, narrow, "use fewer words");
        assert_eq!(hint(10, 10, "name a city"), None);
        assert_eq!(
            hint(0, 0, "name a city").as_deref(),
            Some("nothing was found; use fewer words")
        );
        let expected = "10 of 11 rows are listed; name a city, or use a limit of up to 50";
        assert_eq!(hint(10, 11, "name a city").as_deref(), Some(expected));
        let expected = "50 of 51 rows are listed; name a city";
        assert_eq!(
            hint(50, 51, "name a city").as_deref(),
            Some(expected),
            "the limit is the highest"
        );
    }

    #[test]
    fn a_prefecture_is_read_and_another_text_is_refused() {
        let parse = |text: &str| Prefecture::try_from(text.to_owned());
        let found = parse("Tottori").expect("a prefecture");
        assert_eq!((found.code(), found.name()), (31, "鳥取県"));
        let error = parse("Kantō").expect_err("a region");
        assert!(error.contains("expected a prefecture") && error.contains("Kantō"), "{error}");
        assert!(parse("").is_err());
    }

    #[test]
    fn a_code_of_marks_only_stays() {
        for (typed, expected) in [("〒100-0001", "1000001"), ("〒-", "〒-"), (" １ ", "1")] {
            let text = NonBlank::try_from(typed.to_owned()).expect("a text");
            assert_eq!(typed_code(&text), expected);
        }
    }

    #[test]
    fn a_blank_text_is_refused() {
        for (text, expected) in
            [("\"台帳\"", true), ("\" a\"", true), ("\"\"", false), ("\"　 \"", false)]
        {
            assert_eq!(serde_json::from_str::<NonBlank>(text).is_ok(), expected, "{text}");
        }
    }
}

#[cfg(test)]
mod api_client_tests {
    use super::*;
    use crate::api::error::ApiError;
    use crate::language::Language;

    #[test]
    fn an_error_of_the_api_has_a_remedy() {
        let error = ApiError::in_parameter(
            "postal_code",
            Code::InvalidPostalCode,
            "a postal code has 7 digits; found 8",
        );
        let mut body = Vec::new();
        error.write(Language::English, &mut body);
        let error = ToolError::refused(StatusCode::BAD_REQUEST, None, &body);
        assert!(error.has_code(Code::InvalidPostalCode) && !error.has_code(Code::NoSuchPostalCode));
        assert_eq!(
            error.to_string(),
            "Invalid postal code (invalid_postal_code): a postal code has 7 digits; found 8. \
             Send 7 half-width digits, such as 1000001."
        );
        let late = ApiError::new(Code::TooManyRequests, "found more");
        let mut body = Vec::new();
        late.write(Language::English, &mut body);
        let error = ToolError::refused(StatusCode::TOO_MANY_REQUESTS, Some(3), &body).to_string();
        assert!(error.ends_with("Retry in 3 s."), "{error}");
        let mut body = Vec::new();
        ApiError::new(Code::NoData, "no bank data is loaded").write(Language::English, &mut body);
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let error = ToolError::refused(status, Some(5), &body).to_string();
        assert!(error.contains("build the data first; other tools still work"), "{error}");
        assert!(!error.contains("Retry"), "{error}");
    }

    #[test]
    fn an_error_without_a_problem_body_names_the_status() {
        let error = ToolError::refused(StatusCode::SERVICE_UNAVAILABLE, None, b"<html>");
        assert!(error.to_string().contains("503"), "{error}");
    }
}
