//! One request to the dashboard, with all that a page is made from.

use std::sync::Arc;

use hyper::StatusCode;
use jiff::Timestamp;

use super::Dashboard;
use super::answer::Answer;
use super::form::Form;
use super::guard::Transport;
use super::html::{Html, html};
use super::words::{Language, Words};
use crate::account::store::StoreError;
use crate::account::{Account, Token, Who};
use crate::api::ask::Api;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;

/// A request whose path and session are known.
pub struct Visit<'r> {
    pub api: &'r Arc<Api>,
    /// The dashboard.
    pub dashboard: &'r Dashboard,
    /// Where the request came from.
    pub connection: &'r Arc<Connection>,
    /// Its id in the log.
    pub id: RequestId,
    /// HTTPS or not, and whose attempts are counted.
    pub transport: Transport,
    /// The language of the answer.
    pub language: Language,
    /// The path as sent.
    pub path: &'r str,
    /// The host that the browser asked.
    pub host: Option<String>,
    /// The query string.
    pub query: Form,
    /// The body, where this is a `POST`.
    pub form: Option<Form>,
    /// When it came.
    pub now: Timestamp,
}

/// Who asks, once that is known.
pub struct Guest {
    /// The session's token.
    pub token: Token,
    /// The operator or an account.
    pub who: Who,
    /// The account, where it is one.
    pub account: Option<Account>,
}

impl Visit<'_> {
    /// The texts of the page.
    pub fn words(&self) -> &'static Words {
        self.language.words()
    }

    /// Whether only the part of the page that changes is wanted.
    pub fn wants_fragment(&self) -> bool {
        self.query.get("fragment") == "1"
    }

    /// Where programs find the API: as the browser finds the dashboard, unless it is elsewhere.
    pub fn api_base(&self) -> String {
        if let Some(base) = &self.dashboard.api_base {
            return base.clone();
        }
        let scheme = if self.transport.https { "https" } else { "http" };
        format!("{scheme}://{}", self.host.as_deref().unwrap_or("localhost"))
    }

    /// A field of the form that was sent.
    pub fn field(&self, name: &str) -> &str {
        self.form.as_ref().map_or("", |form| form.get(name))
    }

    /// Whether a box of the form that was sent is checked.
    pub fn is_checked(&self, name: &str) -> bool {
        self.form.as_ref().is_some_and(|form| form.has(name))
    }
}

impl Guest {
    /// Whether this is whoever runs the server.
    pub fn is_operator(&self) -> bool {
        self.who == Who::Operator
    }

    /// The hidden field that every form of the session has.
    pub fn form_token(&self) -> Html {
        let mut out = Html::empty();
        html!(&mut out, "<input type=\"hidden\" name=\"token\" value=\"" (self.token.form_token()) "\">");
        out
    }
}

/// Why there is no page.
#[derive(Debug)]
pub enum Fault {
    /// No such page, or none for whoever asks: which of them is nobody's business.
    NoSuchPage,
    /// Nobody is signed in.
    SignedOut,
    /// The path lacks the method.
    Method(&'static str),
    /// A form that no page of this site sent.
    Forged,
    /// A form of a session that ended.
    Stale,
    /// What was sent is no form; what was expected and found.
    BadForm(String),
    /// More bytes than a form has.
    TooLarge(usize),
    /// The body did not come in time, or broke off.
    Broken,
    /// As many requests are under way as the dashboard takes.
    Busy,
    /// The store of accounts did not do what it should.
    Store(StoreError),
    /// The system has no random numbers or no memory.
    System(String),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

impl Fault {
    /// The status and what to tell people.
    pub fn told(&self, words: &Words) -> (StatusCode, &'static str, String) {
        let (status, title, detail) = match self {
            Fault::NoSuchPage => (StatusCode::NOT_FOUND, words.no_page, words.no_page_more.into()),
            Fault::SignedOut => (StatusCode::FORBIDDEN, words.sign_in, words.sign_in_first.into()),
            Fault::Method(allow) => {
                (StatusCode::METHOD_NOT_ALLOWED, words.no_page, (*allow).to_owned())
            }
            Fault::Forged => (StatusCode::FORBIDDEN, words.refused, words.forged.into()),
            Fault::Stale => (StatusCode::FORBIDDEN, words.refused, words.stale.into()),
            Fault::BadForm(detail) => (StatusCode::BAD_REQUEST, words.refused, detail.clone()),
            Fault::TooLarge(bytes_max) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                words.refused,
                words.too_large.replace("{}", &bytes_max.to_string()),
            ),
            Fault::Broken => (StatusCode::REQUEST_TIMEOUT, words.refused, words.broken.into()),
            Fault::Busy => (StatusCode::SERVICE_UNAVAILABLE, words.busy, words.busy_more.into()),
            Fault::Store(_) | Fault::System(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, words.no_store, words.no_store_more.into())
            }
        };
        (status, title, detail)
    }
}

/// What a page's handler gives back.
pub type Handled = Result<Answer, Fault>;

/// What is told at the top of a page.
#[derive(Debug, Clone)]
pub enum Notice {
    /// Something was done.
    Done(String),
    /// Nothing was done, and why.
    Refused(String),
}

impl Notice {
    /// The status of a page that begins so.
    pub fn status(&self) -> StatusCode {
        match self {
            Notice::Done(_) => StatusCode::OK,
            Notice::Refused(_) => StatusCode::BAD_REQUEST,
        }
    }
}
