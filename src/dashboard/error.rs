//! Errors of the dashboard, with the status and the text of their pages.

use std::fmt::Display;

use hyper::StatusCode;

use super::elements::grouped;
use super::reply::Reply;
use super::words::{Words, count, fill};
use crate::account::store::StoreError;
use crate::radar::RadarError;

pub type PageResult = Result<Reply, PageError>;

#[derive(Debug)]
pub enum PageError {
    /// There is no such page, or it is not for this session; the answer does not tell which.
    NotFound,
    SignedOut,
    /// The page does not have this method, only these.
    MethodNotAllowed(&'static str),
    /// A form that was not sent from a page of this site.
    CrossSiteForm,
    EndedSession,
    /// Nothing was changed. Pages show why as a notice.
    Refused(Refusal),
    /// The seconds to wait.
    TooManyAttempts(u64),
    /// The request is larger than this many bytes.
    TooLarge(usize),
    /// The body did not arrive in time, or not completely.
    IncompleteForm,
    Busy,
    Store(StoreError),
    /// The system failed, for example to provide random numbers.
    System(String),
}

/// Why nothing was changed, for a user who can act on it.
#[derive(Debug)]
pub struct Refusal {
    /// In the language of the page.
    text: String,
    /// What another room says of a value, in English; empty if the text says all.
    reason: String,
}

impl Refusal {
    fn in_words(&self, words: &Words) -> String {
        let Refusal { text, reason } = self;
        let reason = words.reason(reason);
        [text.as_str(), reason.as_str()].map(str::trim).join(" ").trim().to_owned()
    }
}

impl From<RadarError> for PageError {
    fn from(error: RadarError) -> PageError {
        match error {
            RadarError::Store(error) => error.into(),
            error => PageError::system(error),
        }
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> PageError {
        match error {
            // Another session deleted the account meanwhile.
            StoreError::NoSuchAccount { .. } => PageError::NotFound,
            error => PageError::Store(error),
        }
    }
}

impl PageError {
    pub fn refused(text: &str) -> PageError {
        PageError::refused_for(text, "")
    }

    /// A refusal with a reason after the text. The reason is translated where it is shown.
    pub fn refused_for(text: &str, reason: impl Display) -> PageError {
        PageError::Refused(Refusal { text: text.to_owned(), reason: reason.to_string() })
    }

    pub fn system(error: impl Display) -> PageError {
        PageError::System(error.to_string())
    }

    /// The error of a change in the store. Errors that the user can act on become `PageError::Refused`.
    pub fn from_store(error: RadarError, words: &Words) -> PageError {
        PageError::refused(match error {
            RadarError::Store(StoreError::AccountExists { .. }) => words.account_exists,
            RadarError::Store(StoreError::NoSuchKey { .. }) => words.no_key,
            RadarError::Store(StoreError::OriginsOnSecretKey { .. }) => words.secret_has_no_origins,
            RadarError::Store(StoreError::TooManyKeys { keys_max, .. }) => {
                return PageError::refused(&fill(words.keys_full, [grouped(keys_max)]));
            }
            RadarError::NoWebhook => words.no_webhook,
            RadarError::NoSuchDelivery { .. } => words.no_delivery,
            RadarError::WatchListFull { count_max, found } => {
                let counts = [grouped(count_max), grouped(found)];
                return PageError::refused(&fill(words.watch_full, counts));
            }
            RadarError::TooOften { wait, .. } => {
                return PageError::TooManyAttempts(wait.unsigned_abs());
            }
            RadarError::Key(fault) => {
                tracing::error!(%fault, "dashboard: cannot encrypt the secret of a webhook");
                words.no_webhook_key
            }
            RadarError::Store(error) => return error.into(),
        })
    }

    /// The status of its page, the title and the text.
    pub fn describe(&self, words: &Words) -> (StatusCode, &'static str, String) {
        let forbidden = StatusCode::FORBIDDEN;
        let (status, title, text) = match self {
            PageError::NotFound => (StatusCode::NOT_FOUND, words.no_page, words.no_page_detail),
            PageError::SignedOut => (forbidden, words.sign_in, words.sign_in_first),
            PageError::MethodNotAllowed(_) => {
                (StatusCode::METHOD_NOT_ALLOWED, words.wrong_method, words.wrong_method_detail)
            }
            PageError::CrossSiteForm => (forbidden, words.refused, words.cross_site_form),
            PageError::EndedSession => (forbidden, words.refused, words.ended_session),
            PageError::Refused(_) => (StatusCode::BAD_REQUEST, words.refused, "{}"),
            PageError::TooManyAttempts(_) => {
                (StatusCode::TOO_MANY_REQUESTS, words.refused, words.too_many_attempts)
            }
            PageError::TooLarge(_) => {
                (StatusCode::PAYLOAD_TOO_LARGE, words.refused, words.too_large)
            }
            PageError::IncompleteForm => {
                (StatusCode::REQUEST_TIMEOUT, words.refused, words.incomplete_form)
            }
            PageError::Busy => (StatusCode::SERVICE_UNAVAILABLE, words.busy, words.busy_detail),
            PageError::Store(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, words.no_store, words.no_store_detail)
            }
            PageError::System(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, words.system_failed, words.system_failed_detail)
            }
        };
        let detail = match self {
            PageError::TooManyAttempts(seconds) => count(text, *seconds),
            PageError::MethodNotAllowed(allow) => fill(text, [allow]),
            PageError::Refused(refusal) => fill(text, [refusal.in_words(words)]),
            PageError::TooLarge(bytes_max) => fill(text, [grouped(*bytes_max as u64)]),
            _ => text.to_owned(),
        };
        (status, title, detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::KeyLabel;
    use crate::account::store::{StoreFault, StoreLocation};
    use crate::dashboard::request::Form;
    use crate::dashboard::words::{ENGLISH, JAPANESE};

    #[test]
    fn the_page_names_what_failed() {
        #[track_caller]
        fn check(error: PageError, status: u16, title: &str) {
            let (found_status, found_title, _) = error.describe(&ENGLISH);
            assert_eq!((found_status.as_u16(), found_title), (status, title), "{error:?}");
        }
        let from_store = |error: StoreError| PageError::from_store(error.into(), &ENGLISH);
        check(PageError::system("no random numbers"), 500, "The server failed");
        check(from_store(StoreError::NoSuchAccount { name: "demo".into() }), 404, "Page not found");
        let (location, fault) = (StoreLocation::File("daicho.db".into()), StoreFault::Full);
        check(from_store(StoreError::Unusable { location, fault }), 503, "Store unavailable");
        let exists = from_store(StoreError::AccountExists { name: "demo".into() });
        check(exists, 400, "Request rejected");
    }

    #[test]
    fn a_refusal_is_in_the_language_of_the_page() {
        let label = KeyLabel::parse(&"x".repeat(65)).expect_err("it is too long");
        let form = Form::parse(b"%ff").expect_err("it is no UTF-8");
        for (error, english, japanese) in [
            (
                PageError::refused_for("!", label),
                "! a key's label has 1 to 60 characters; found 65 characters",
                "! キーのラベルは1から60文字ですが、65文字でした",
            ),
            (
                PageError::refused_for("", form),
                "a form holds percent-encoded UTF-8; found something else in \"%ff\"",
                "フォームはパーセントエンコードされたUTF-8ですが、\"%ff\"に別のものがありました",
            ),
            (PageError::refused("done"), "done", "done"),
            (
                PageError::refused_for("a", "own text of a user"),
                "a own text of a user",
                "a own text of a user",
            ),
        ] {
            assert_eq!(error.describe(&ENGLISH).2, english);
            assert_eq!(error.describe(&JAPANESE).2, japanese);
        }
    }
}
