//! Errors of the dashboard, with the status and the text of their pages.

use std::fmt::Display;

use hyper::StatusCode;

use super::format::grouped;
use super::reply::Reply;
use super::words::{Words, count, fill};
use crate::account::store::StoreError;
use crate::radar::RadarError;

pub type PageResult = Result<Reply, PageError>;

#[derive(Debug)]
pub enum PageError {
    /// No such page, or not for this session; the answer does not tell which.
    NotFound,
    SignedOut,
    /// The page lacks the method; the methods it has.
    Method(&'static str),
    /// A form that was not sent from a page of this site.
    Forged,
    /// A form of a session that has ended.
    Stale,
    /// Nothing was changed, for a reason that the user can act on. Pages show it as a notice.
    Refused(String),
    /// Too many attempts; the seconds to wait.
    Wait(u64),
    /// The request is larger than this many bytes.
    TooLarge(usize),
    /// The body did not arrive in time, or not completely.
    Broken,
    Busy,
    Store(StoreError),
    /// The system failed, for example to provide random numbers.
    System(String),
}

impl From<RadarError> for PageError {
    fn from(error: RadarError) -> PageError {
        match error {
            RadarError::Store(error) => PageError::Store(error),
            error => PageError::system(error),
        }
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> PageError {
        PageError::Store(error)
    }
}

impl PageError {
    pub fn refused(text: &str) -> PageError {
        PageError::Refused(text.to_owned())
    }

    pub fn refused_for(text: &str, reason: impl Display) -> PageError {
        PageError::Refused(format!("{text} {reason}"))
    }

    pub fn system(error: impl Display) -> PageError {
        PageError::System(error.to_string())
    }

    /// An error of the store. Errors that the user can act on become `PageError::Refused`.
    pub fn of_store(error: RadarError, words: &Words) -> PageError {
        PageError::refused(match error {
            RadarError::Store(StoreError::AccountExists { .. }) => words.account_exists,
            RadarError::Store(StoreError::NoSuchKey { .. }) => words.no_key,
            RadarError::Store(StoreError::OriginsOnSecretKey { .. }) => words.secret_has_no_origins,
            RadarError::NoWebhook => words.no_webhook,
            RadarError::NoSuchDelivery { .. } => words.no_delivery,
            RadarError::WatchListFull { count_max, found } => {
                let counts = [grouped(count_max), grouped(found)];
                return PageError::Refused(fill(words.watch_full, counts));
            }
            RadarError::TooOften { wait, .. } => return PageError::Wait(wait.unsigned_abs()),
            RadarError::Key(fault) => {
                tracing::error!(%fault, "dashboard: cannot encrypt the secret of a webhook");
                words.no_webhook_key
            }
            RadarError::Store(error) => return PageError::Store(error),
        })
    }

    pub fn describe(&self, words: &Words) -> (StatusCode, &'static str, String) {
        let forbidden = StatusCode::FORBIDDEN;
        let (status, title, text) = match self {
            PageError::NotFound => (StatusCode::NOT_FOUND, words.no_page, words.no_page_more),
            PageError::SignedOut => (forbidden, words.sign_in, words.sign_in_first),
            PageError::Method(_) => {
                (StatusCode::METHOD_NOT_ALLOWED, words.wrong_method, words.wrong_method_more)
            }
            PageError::Forged => (forbidden, words.refused, words.forged),
            PageError::Stale => (forbidden, words.refused, words.stale),
            PageError::Refused(_) => (StatusCode::BAD_REQUEST, words.refused, "{}"),
            PageError::Wait(_) => (StatusCode::TOO_MANY_REQUESTS, words.refused, words.wait),
            PageError::TooLarge(_) => {
                (StatusCode::PAYLOAD_TOO_LARGE, words.refused, words.too_large)
            }
            PageError::Broken => (StatusCode::REQUEST_TIMEOUT, words.refused, words.broken),
            PageError::Busy => (StatusCode::SERVICE_UNAVAILABLE, words.busy, words.busy_more),
            PageError::Store(_) | PageError::System(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, words.no_store, words.no_store_more)
            }
        };
        let value = match self {
            PageError::Wait(seconds) => return (status, title, count(text, *seconds)),
            PageError::Method(allow) => (*allow).to_owned(),
            PageError::Refused(why) => why.clone(),
            PageError::TooLarge(bytes_max) => grouped(*bytes_max as u64),
            _ => String::new(),
        };
        (status, title, fill(text, [value]))
    }
}
