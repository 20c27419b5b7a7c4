//! One request to the dashboard, and the same request with its session.

use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use maud::{Markup, html};

use super::error::PageError;
use super::form::Form;
use super::headers::Transport;
use super::state::Dashboard;
use super::words::Words;
use crate::account::store::{Store, TransactionError};
use crate::account::{Account, Token, Who};
use crate::radar::RadarError;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;

pub struct Request<'r> {
    pub dashboard: &'r Dashboard,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
    pub transport: Transport,
    /// The token in the cookie of the device, which may be unknown.
    pub device: Option<Token>,
    pub words: &'static Words,
    /// The path without a trailing slash; the dashboard's root if there is no such page.
    pub path: &'r str,
    pub host: Option<&'r str>,
    pub query: Form,
    /// The body of a `POST`; empty for other methods.
    pub form: Form,
    pub now: Timestamp,
}

pub struct SignedIn<'r> {
    pub request: &'r Request<'r>,
    pub token: Token,
    pub who: Who,
    /// `None` for the operator.
    pub account: Option<Account>,
}

impl<'r> Deref for SignedIn<'r> {
    type Target = Request<'r>;

    fn deref(&self) -> &Request<'r> {
        self.request
    }
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
        if let Some(base) = &self.dashboard.parts.api_base {
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

    /// The hidden field that every form has: a token of the session, against forged requests.
    pub fn token_field(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token.form_token()); }
    }

    /// The token field and a hidden field with the form's action.
    pub fn action_fields(&self, action: &str) -> Markup {
        html! { (self.token_field()) input type="hidden" name="action" value=(action); }
    }
}
