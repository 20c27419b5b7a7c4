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
use crate::account::store::{Store, StoreFailure};
use crate::account::{Account, Token, Who};
use crate::radar::RadarError;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;

pub struct Request<'r> {
    pub dashboard: &'r Dashboard,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
    pub transport: Transport,
    /// The cookie of the device, whether or not it is known.
    pub device: Option<Token>,
    pub words: &'static Words,
    /// The path without a slash at its end; the dashboard's root where there is no such page.
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
    pub fn store<T, E: StoreFailure>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, E> {
        self.dashboard.store.run(work)
    }

    /// The same for a form. What the user can act on is refused with a text.
    pub fn change<T, E: StoreFailure + Into<RadarError>>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, E>,
    ) -> Result<T, PageError> {
        self.store(work).map_err(|error| PageError::of_store(error.into(), self.words))
    }

    /// Whether the script asked for the changing part of a page, without its frame.
    pub fn wants_fragment(&self) -> bool {
        self.query.get("fragment") == "1"
    }

    /// The API's address: the dashboard's own, unless the API has another one.
    pub fn api_base(&self) -> String {
        if let Some(base) = &self.dashboard.api_base {
            return base.clone();
        }
        let scheme = if self.transport.https { "https" } else { "http" };
        format!("{scheme}://{}", self.host.unwrap_or("localhost"))
    }

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

    /// The hidden field that every form of the session carries against forged requests.
    pub fn form_token(&self) -> Markup {
        html! { input type="hidden" name="token" value=(self.token.form_token()); }
    }

    /// The same, and the hidden field that says what the form does.
    pub fn form_action(&self, action: &str) -> Markup {
        html! { (self.form_token()) input type="hidden" name="action" value=(action); }
    }
}
