//! One request to the dashboard, the same request with its session, and its parameters.
//!
//! A form is decoded strictly: an incomplete escape, or text that is not UTF-8, is an error that names the field. A
//! field that is sent twice but expected once counts as empty.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use maud::{Markup, html};

use super::error::PageError;
use super::headers::Transport;
use super::state::Dashboard;
use super::words::Words;
use crate::account::store::{OperatedAt, Operation, Store, TransactionError};
use crate::account::{Account, Token, Who};
use crate::radar::RadarError;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::text::percent::{PlusSign, decode};

pub struct Request<'r> {
    pub dashboard: &'r Dashboard,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
    pub transport: Transport<'r>,
    /// The token in the cookie of the device, which may be unknown.
    pub device: Option<Token>,
    pub words: &'static Words,
    /// The path without a trailing slash; the dashboard's root if there is no such page.
    pub path: &'r str,
    /// The public URL, if it is known.
    pub site_url: Option<String>,
    pub host: Option<&'r str>,
    /// What the browser calls itself.
    pub browser: Option<&'r str>,
    pub query: Form,
    /// The body of a `POST`; empty for other methods.
    pub form: Form,
    pub now: Timestamp,
}

#[derive(derive_more::Deref)]
pub struct SignedIn<'r> {
    #[deref(forward)]
    pub request: &'r Request<'r>,
    pub token: Token,
    pub who: Who,
    /// `None` for the operator.
    pub account: Option<Account>,
}

impl Request<'_> {
    pub fn with_store<T, E: TransactionError>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.dashboard.parts.store.run(work)
    }

    /// For a form that changes the store. Errors that the user can act on become `PageError::Refused`.
    pub fn change_store<T, E: TransactionError + Into<RadarError>>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, PageError> {
        self.with_store(work).map_err(|error| PageError::from_store(error.into(), self.words))
    }

    /// Whether the script requested only the part of the page that changes.
    pub fn wants_fragment(&self) -> bool {
        self.query.get("fragment") == "1"
    }

    /// The API's address: the dashboard's own, unless the API has another one.
    pub fn api_base(&self) -> String {
        if let Some(base) = self.dashboard.parts.api_base.as_ref().or(self.site_url.as_ref()) {
            return base.clone();
        }
        let scheme = if self.transport.https { "https" } else { "http" };
        format!("{scheme}://{}", self.host.unwrap_or("localhost"))
    }

    /// A field of the form; empty if it is missing.
    pub fn field(&self, name: &str) -> &str {
        self.form.get(name)
    }

    pub fn is_checked(&self, name: &str) -> bool {
        self.form.has(name)
    }
}

impl SignedIn<'_> {
    pub fn is_operator(&self) -> bool {
        self.who == Who::Operator
    }

    /// Records what the operator did with the form of this request. The change is made already, so that a store which
    /// fails now is only logged.
    pub fn record_operation(&self, account: Option<&str>) {
        let page = self.path.rsplit('/').next().unwrap_or_default();
        let subject = ["key", "name", "plan", "session"].map(|name| self.field(name));
        let subject = subject.into_iter().find(|subject| !subject.is_empty());
        let operation = Operation {
            done_at: self.now,
            actor: self.transport.client.to_string(),
            place: OperatedAt::Dashboard,
            action: format!("{page} {}", self.field("action")).trim_end().to_owned(),
            account: account.map(str::to_owned),
            subject: subject.map(|text| text.chars().take(FOUND_CHARACTERS_MAX).collect()),
        };
        if let Err(error) = self.with_store(|store| store.add_operation(&operation)) {
            tracing::warn!(%error, action = operation.action, "cannot record what the operator did");
        }
    }

    /// The hidden field that every form has: a token of the session, against forged requests.
    pub fn token_field(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token.form_token()); }
    }

    /// The token field and a hidden field with the form's action.
    pub fn action_fields(&self, action: &str) -> Markup {
        html! { (self.token_field()) input type="hidden" name="action" value=(action); }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(Vec<(String, String)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// The field's name as sent, shortened.
    #[error("a form holds percent-encoded UTF-8; found something else in {field:?}")]
    Encoding { field: String },
    #[error("a form has at most {FIELDS_MAX} fields; found more")]
    TooMany,
}

/// How much of a name or value an error repeats, in characters.
pub const FOUND_CHARACTERS_MAX: usize = 40;

/// The most fields that a form may have; every page has less than half as many.
const FIELDS_MAX: usize = 64;

impl Form {
    pub fn parse(text: &[u8]) -> Result<Form, FormError> {
        let mut fields = Vec::new();
        for pair in text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            if fields.len() == FIELDS_MAX {
                return Err(FormError::TooMany);
            }
            let end = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            let (name, value) = (&pair[..end], pair.get(end + 1..).unwrap_or(b""));
            let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
                let name = String::from_utf8_lossy(name);
                let field = name.chars().take(FOUND_CHARACTERS_MAX).collect();
                return Err(FormError::Encoding { field });
            };
            fields.push((name, value));
        }
        Ok(Form(fields))
    }

    /// The value of a field; empty if it is missing or was sent twice.
    pub fn get(&self, name: &str) -> &str {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => value,
            _ => "",
        }
    }

    /// Whether the field is present, as it is if a box is checked.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

fn decoded(text: &[u8]) -> Option<String> {
    decode(std::str::from_utf8(text).ok()?, PlusSign::Space).ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::percent::encode;

    #[test]
    fn fields_are_decoded() {
        let form = Form::parse("name=%E4%BE%8B+1&batch=on&&empty=&twice=1&twice=2&bare".as_bytes());
        let form = form.expect("a form");
        for (name, expected) in
            [("name", "例 1"), ("batch", "on"), ("empty", ""), ("twice", ""), ("bare", "")]
        {
            assert_eq!(form.get(name), expected, "{name}");
            assert!(form.has(name));
        }
        assert!(!form.has("none") && form.get("none").is_empty());
    }

    #[test]
    fn error_names_the_field_that_is_malformed() {
        for (text, expected) in [
            ("a=%", "a"),
            ("b=1&a=%4", "a"),
            ("a=%zz", "a"),
            ("%61=%FF", "%61"),
            ("a=%+1", "a"),
            ("%E4=1", "%E4"),
        ] {
            let fault = Form::parse(text.as_bytes()).expect_err(text);
            assert_eq!(fault, FormError::Encoding { field: expected.to_owned() }, "{text}");
        }
        assert_eq!(Form::parse("a=1&".repeat(65).as_bytes()), Err(FormError::TooMany));
        assert!(Form::parse("a=1&".repeat(64).as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn encoded_text_reads_back(text in any::<String>()) {
            let form = Form::parse(format!("t={}", encode(&text)).as_bytes());
            let form = form.expect("a form");
            prop_assert_eq!(form.get("t"), text);
        }

        #[test]
        fn any_bytes_can_be_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Form::parse(&bytes);
        }
    }
}
