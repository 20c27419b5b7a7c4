//! An endpoint: one entry of the [`table`](super::table), from which routing, rights, limits, metrics, errors and
//! documentation follow.

use bytes::Bytes;

use super::data::Data;
use super::error::{ApiError, Code};
use super::executor::cost_budget::{CostBudget, HandlerError};
use super::pipeline::params::ApiRequest;
use super::pipeline::path_params::PathParams;
use super::pipeline::reply::{ErrorForm, Reply, ReplyFuture};
use super::resource::batch::ReceivedBatch;
use super::shape::{Object, Shape};
use super::words::Words;
use crate::account::Rights;
use crate::server::limits::BODY_BYTES_MAX;
use crate::snapshot::DatasetKind;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    pub method: Verb,
    /// The path, parameters in braces. One trailing slash is accepted too.
    pub path: &'static str,
    /// Its name in metrics, if that is not the path.
    pub label: Option<&'static str>,
    /// What it needs of the key and its account; `None` if no key is needed.
    pub needs: Option<Rights>,
    /// The datasets that it answers from: its answers have a notice when one of them is old. The parameter `version` names
    /// one of the first.
    pub datasets: &'static [DatasetKind],
    /// Other datasets in whose newest versions it searches.
    pub also_searches: &'static [DatasetKind],
    /// Whether it answers from the national holidays, which are no dataset.
    pub uses_holidays: bool,
    /// Whether its records have the number of an invoice issuer, which is no registration without a register.
    pub names_issuers: bool,
    /// The longest body in bytes; above it 413.
    pub body_bytes_max: usize,
    pub handler: Handler,
    /// Starts loading into the processor's cache what an immediate handler reads first; the key is checked meanwhile.
    /// Must not wait.
    pub prefetch: Option<Prefetch>,
    /// The oldest API version that has it; older ones have no such path.
    pub since: ApiVersion,
    pub summary: Words,
    pub parameters: &'static [Parameter],
    pub answer: Words,
    pub content: Content,
    /// The body of the request, if it has one. The body of a search by `POST` follows from its parameters.
    pub body: Option<&'static Object>,
    /// The errors that do not follow from its kind and its rights.
    pub errors: &'static [Code],
    /// An example request over the sample data: its target, and its body if it has one.
    pub example: &'static str,
    pub example_body: &'static str,
    /// Whether it speaks the protocol of another service: its clients cannot send a key in a header, pages of any origin
    /// may read its answers, and its unknown parameters are not reported.
    pub is_foreign: bool,
    /// The parameter in which clients of a foreign protocol send their id. It may hold a public key.
    pub id_parameter: Option<&'static str>,
    /// How a foreign protocol writes errors, if not as the API does.
    pub error_form: Option<ErrorForm>,
}

/// A parameter: its name, its valid values, its description. Whether it is in the path follows from the path of the
/// endpoint.
///
/// Routing, notices and documentation use it. Handlers parse the values themselves; a test sends them invalid values of
/// each kind.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    /// What its text stands for.
    pub shape: Shape,
    pub meaning: Words,
    pub example: &'static str,
    /// Whether the endpoint needs it; path parameters are always required.
    pub is_required: bool,
    /// The oldest API version that reads it; older ones ignore it.
    pub since: ApiVersion,
}

pub const fn parameter(
    name: &'static str,
    shape: Shape,
    meaning: Words,
    example: &'static str,
) -> Parameter {
    let since = ApiVersion::V2022_09_01;
    Parameter { name, shape, meaning, example, is_required: false, since }
}

impl Parameter {
    pub const fn required(self) -> Parameter {
        Parameter { is_required: true, ..self }
    }

    pub const fn since(self, since: ApiVersion) -> Parameter {
        Parameter { since, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Content {
    Nothing,
    Json(&'static Object),
    /// Bytes of this type.
    Other(&'static str),
}

/// The method of an endpoint. `GET` answers `HEAD` too, a search `POST` too, and every path answers `OPTIONS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
}

impl Verb {
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "GET",
            Verb::Post => "POST",
        }
    }
}

/// Returns the reply to a request; runs on the thread that drives the connection.
pub type ImmediateHandler = fn(&ApiRequest<'_>) -> Result<Reply, ApiError>;

/// Gets the data and the parameters of the path. It takes the newest version: few requests name another.
pub type Prefetch = fn(&Data, PathParams<'_>);

/// Returns the reply, or the executor on which the work must run instead.
pub type BudgetedHandler = fn(&ApiRequest<'_>, &CostBudget<'_>) -> Result<Reply, HandlerError>;

#[derive(Debug, Clone, Copy)]
pub enum Handler {
    /// Runs on the thread of the connection, within microseconds.
    Immediate(ImmediateHandler),
    /// Runs on the thread of the connection too if it is cheap; otherwise in a lane, in the account's turn.
    Budgeted(BudgetedHandler),
    /// Like [`Budgeted`](Self::Budgeted), for a search: it may also be sent by `POST` with the parameters as JSON.
    Search(BudgetedHandler),
    /// Uses the account store, which may be slow: the handler gets the body and may wait.
    Store(for<'a> fn(&'a ApiRequest<'a>, Bytes) -> ReplyFuture<'a>),
    /// A batch: the handler gets the body and a batch slot, and may wait until the deadline.
    Batch(for<'a> fn(&'a ApiRequest<'a>, ReceivedBatch) -> ReplyFuture<'a>),
}

impl Handler {
    /// Whether it is answered, or first tried, on the thread of the connection.
    pub fn starts_on_connection(&self) -> bool {
        matches!(self, Handler::Immediate(_) | Handler::Budgeted(_) | Handler::Search(_))
    }
}

impl Endpoint {
    /// Its name in metrics and figures of usage.
    pub fn name(&self) -> &'static str {
        self.label.unwrap_or(self.path)
    }

    /// The path parameters, each with the index of its segment.
    pub fn path_parameters(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.path.split('/').enumerate().filter_map(|(index, segment)| {
            Some((index, segment.strip_prefix('{')?.strip_suffix('}')?))
        })
    }

    /// Whether a parameter is in the path; otherwise it is in the query string.
    pub fn has_path_parameter(&self, name: &str) -> bool {
        self.path_parameters().any(|(_, known)| known == name)
    }

    /// Whether its answers can name their sources.
    pub fn has_meta(&self) -> bool {
        let has_sources = self.uses_holidays || !self.datasets.is_empty();
        has_sources && !self.is_foreign && matches!(self.content, Content::Json(_))
    }

    pub fn query_parameters(&self) -> impl Iterator<Item = &'static str> {
        let names = self.parameters.iter().map(|parameter| parameter.name);
        names.filter(|name| !self.has_path_parameter(name))
    }

    /// Defaults of the entries of the table.
    pub const GET: Endpoint = Endpoint {
        method: Verb::Get,
        path: "",
        label: None,
        needs: Some(Rights::ANY_KEY),
        datasets: &[],
        also_searches: &[],
        uses_holidays: false,
        names_issuers: false,
        body_bytes_max: BODY_BYTES_MAX,
        handler: Handler::Immediate(|_request| Ok(Reply::no_content())),
        prefetch: None,
        since: ApiVersion::V2022_09_01,
        summary: Words::NONE,
        parameters: &[],
        answer: Words::NONE,
        content: Content::Nothing,
        body: None,
        errors: &[],
        example: "",
        example_body: "",
        is_foreign: false,
        id_parameter: None,
        error_form: None,
    };

    pub const POST: Endpoint = Endpoint { method: Verb::Post, ..Endpoint::GET };
}

const ANY_REQUEST: &[Code] = &[
    Code::MalformedRequest,
    Code::NoSuchEndpoint,
    Code::MethodNotAllowed,
    Code::TargetTooLong,
    Code::HeadersTooLarge,
    Code::Internal,
    Code::TooManyConnections,
];

const WITH_KEY: &[Code] = &[
    Code::UnknownApiVersion,
    Code::MissingKey,
    Code::UnsupportedScheme,
    Code::InvalidKey,
    Code::SecretKeyInUrl,
    Code::TooManyRequests,
    Code::QuotaExhausted,
];

const WITH_BODY: &[Code] = &[Code::InvalidBody, Code::BodyTooSlow, Code::BodyTooLarge];

const BATCH: &[Code] =
    &[Code::QueryTooExpensive, Code::TooManyQueries, Code::TooManyBatches, Code::BatchTimeout];

const VERSION: &[Code] =
    &[Code::InvalidVersion, Code::NoSuchVersion, Code::NoData, Code::DamagedData];

const BUDGETED: &[Code] = &[Code::QueryTooExpensive, Code::TooManySearches, Code::SearchTimeout];

impl Endpoint {
    /// The errors of a request with this method, each once, in the order of their statuses.
    pub fn errors_of(&self, method: Verb) -> Vec<Code> {
        let mut codes = [ANY_REQUEST, self.errors].concat();
        if let Some(needs) = self.needs {
            codes.extend(WITH_KEY);
            codes.push(match needs.secret_key {
                true => Code::SecretKeyRequired,
                false => Code::OriginNotAllowed,
            });
            codes.push(Code::PlanTooLow);
            if needs.batch_option {
                codes.push(Code::BatchOptionMissing);
            }
        }
        if method == Verb::Post {
            codes.extend(WITH_BODY);
        }
        codes.extend(match self.handler {
            Handler::Immediate(_) => &[][..],
            Handler::Budgeted(_) | Handler::Search(_) => BUDGETED,
            Handler::Store(_) => &[Code::StateUnavailable],
            Handler::Batch(_) => BATCH,
        });
        self.add_errors_of_parameters(&mut codes);
        codes.sort_by_key(|code| (code.status(), code.as_str()));
        codes.dedup();
        codes
    }

    fn add_errors_of_parameters(&self, codes: &mut Vec<Code>) {
        if self.query_parameters().next().is_some() {
            codes.push(Code::InvalidParameter);
        }
        for parameter in self.parameters {
            codes.extend(match parameter.name {
                "version" => VERSION,
                "limit" => &[Code::InvalidLimit],
                "offset" => &[Code::InvalidOffset],
                _ => &[],
            });
        }
    }
}
