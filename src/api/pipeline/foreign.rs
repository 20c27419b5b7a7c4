//! Keys of the endpoints of foreign protocols, whose clients cannot send a header.
//!
//! A key is taken from the first segment of the path, else from the id of the protocol, else from what every endpoint
//! reads (`Authorization`, the parameter `key`). A request without a key is of the account that the operator named, if
//! any. Only public keys may be in a URL.
//!
//! An id that does not begin as a key does was given by another service: it says nothing here.
//!
//! The origin of a public key is checked where a browser sends one: a page that loads a script may send none.

use std::borrow::Cow;

use super::params::{Params, RequestHeaders};
use super::rights::{self, find_key, find_url_key, header_text};
use crate::account::{self, AccountName, KeyEntry, KeyKind, Keyring, Rights};
use crate::api::error::{ApiError, Code};

/// Whose request it is: of a key, or of the account that takes those without one.
#[derive(Debug, Clone, Copy)]
pub enum Caller<'k> {
    Key(&'k KeyEntry),
    Keyless(&'k KeyEntry),
}

/// The request's key in its headers, its parameters and its path, and the account that takes requests without one.
pub struct Presented<'r> {
    pub headers: &'r RequestHeaders<'r>,
    pub params: Params<'r>,
    pub path_key: Option<&'r str>,
    /// The parameter with the id of the protocol, if it has one.
    pub id_parameter: Option<&'static str>,
    pub keyless: Option<&'r AccountName>,
}

impl<'r> Presented<'r> {
    /// The id of the protocol, if it is not empty.
    fn id(&self) -> Result<Option<Cow<'r, str>>, ApiError> {
        self.id_parameter.map_or(Ok(None), |name| self.params.non_empty(name))
    }
}

impl<'k> Caller<'k> {
    pub fn find(presented: &Presented<'_>, keyring: &'k Keyring) -> Result<Caller<'k>, ApiError> {
        if let Some(key) = presented.path_key {
            return find_url_key(key, keyring).map(Caller::Key);
        }
        let id = presented.id()?;
        if let Some(key) = id.as_deref().filter(|id| KeyKind::from_prefix(id).is_some()) {
            return find_url_key(key, keyring).map(Caller::Key);
        }
        let missing = match find_key(presented.headers, presented.params, keyring) {
            Ok(entry) => return Ok(Caller::Key(entry)),
            Err(error) if error.code == Code::MissingKey => error,
            Err(error) => return Err(error),
        };
        let keyless = presented.keyless.and_then(|account| keyring.first_key_of(account));
        keyless.map(Caller::Keyless).ok_or_else(|| match id {
            Some(_) => {
                ApiError::new(Code::InvalidKey, "expected a public key as the id; found another id")
            }
            None => missing,
        })
    }

    pub fn entry(self) -> &'k KeyEntry {
        let (Caller::Key(entry) | Caller::Keyless(entry)) = self;
        entry
    }

    /// Decides whether the caller has the rights that a request needs, from the request's origin.
    pub fn authorize(self, headers: &RequestHeaders<'_>, needs: Rights) -> Result<(), ApiError> {
        let entry = self.entry();
        let (origin, referer) = (header_text(headers.origin), header_text(headers.referer));
        let is_from_browser = origin.is_some() || referer.is_some();
        if matches!(self, Caller::Key(_)) && is_from_browser {
            return rights::authorize(headers, entry, needs);
        }
        account::authorize(entry.kind, &entry.account, needs)
            .map_err(|denied| rights::forbidden(denied, &entry.account))
    }
}
