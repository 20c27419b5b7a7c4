//! An endpoint: one entry of the [`table`](super::table), from which routing, rights, limits, metrics and
//! documentation follow.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

use super::ask::Ask;
use super::batch::questions::Received;
use super::effort::{Effort, NotDone};
use super::error::{ApiError, Code};
use super::parameter::Parameter;
use super::reply::Reply;
use super::shape::Shape;
use super::words::Words;
use crate::account::Service;
use crate::server::limits::BODY_BYTES_MAX;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub struct Endpoint {
    pub method: Verb,
    /// The path, parameters in braces. One trailing slash is accepted too.
    pub path: &'static str,
    /// Its name in metrics, if that is not the path.
    pub label: Option<&'static str>,
    /// The service that the account must be entitled to; `None` if no key is needed.
    pub needs: Option<Service>,
    /// Whether it answers from the postal data, and so has a notice when these are old.
    pub postal: bool,
    /// The longest body in bytes; above it 413.
    pub body_bytes_max: usize,
    pub run: Run,
    /// The oldest API version that has it; older ones have no such path.
    pub since: ApiVersion,
    pub summary: Words,
    pub parameters: &'static [Parameter],
    /// Description of the answer.
    pub answer: Words,
    pub content: Content,
    /// The body of the request, if it has one. The body of a search by `POST` follows from its parameters.
    pub body: Option<&'static Shape>,
    /// The errors that do not follow from its kind and its rights.
    pub errors: &'static [Code],
    /// An example request over the sample data: its target, and its body if it has one.
    pub example: &'static str,
    pub example_body: &'static str,
}

/// Content type of an answer.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    Nothing,
    Json(&'static Shape),
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
pub type Handler = fn(&Ask<'_>) -> Result<Reply, ApiError>;

pub type Replying<'a> = Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send + 'a>>;

/// Returns the reply, or where the work must run instead.
pub type WeighedHandler = fn(&Ask<'_>, &Effort<'_>) -> Result<Reply, NotDone>;

#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// On the thread of the connection, within microseconds.
    AtOnce(Handler),
    /// The same, unless it is more expensive: then in a lane, in the account's turn.
    Weighed(WeighedHandler),
    /// The same for a search: by `POST` too, with the parameters as JSON.
    Search(WeighedHandler),
    /// With the account store, which may be slow: the handler gets the body and may wait.
    WithStore(for<'a> fn(&'a Ask<'a>, Bytes) -> Replying<'a>),
    /// A batch: the handler gets the body with its slot, and may wait until its deadline.
    Batch(for<'a> fn(&'a Ask<'a>, Received) -> Replying<'a>),
}

impl Run {
    /// Whether it is answered, or first tried, on the thread of the connection.
    pub fn is_at_once(&self) -> bool {
        matches!(self, Run::AtOnce(_) | Run::Weighed(_) | Run::Search(_))
    }
}

impl Endpoint {
    /// The path parameters, each with the index of its segment.
    pub fn path_parameters(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.path
            .split('/')
            .enumerate()
            .filter_map(|(at, segment)| Some((at, segment.strip_prefix('{')?.strip_suffix('}')?)))
    }

    /// Whether a parameter is in the path; otherwise it is in the query string.
    pub fn has_in_path(&self, name: &str) -> bool {
        self.path_parameters().any(|(_, known)| known == name)
    }

    /// The names of the parameters that its query string may have.
    pub fn query_parameters(&self) -> impl Iterator<Item = &'static str> {
        let names = self.parameters.iter().map(|parameter| parameter.name);
        names.filter(|name| !self.has_in_path(name))
    }

    /// Defaults of the entries of the table.
    pub const GET: Endpoint = Endpoint {
        method: Verb::Get,
        path: "",
        label: None,
        needs: Some(Service::AnyKey),
        postal: false,
        body_bytes_max: BODY_BYTES_MAX,
        run: Run::AtOnce(|_ask| Ok(Reply::empty())),
        since: ApiVersion::V2022_09_01,
        summary: Words::NONE,
        parameters: &[],
        answer: Words::NONE,
        content: Content::Nothing,
        body: None,
        errors: &[],
        example: "",
        example_body: "",
    };

    /// Defaults of entries with a body.
    pub const POST: Endpoint = Endpoint { method: Verb::Post, ..Endpoint::GET };
}
