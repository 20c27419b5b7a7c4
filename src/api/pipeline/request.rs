//! One request, as a handler gets it: routed, checked and with its data.

use std::sync::Arc;

use hyper::http::request::Parts;

use super::params::Params;
use crate::account::Account;
use crate::api::data::Data;
use crate::api::error::{ApiError, Code};
use crate::api::service::Api;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::text::codes::ApiVersion;

#[derive(Debug)]
pub struct ApiRequest<'r> {
    pub api: &'r Arc<Api>,
    /// The data that were current when the request started: a reload never mixes two states in one request.
    pub data: &'r Arc<Data>,
    pub head: &'r Parts,
    /// The parameters of the path, as they were sent.
    pub path: &'r matchit::Params<'r, 'r>,
    pub params: Params<'r>,
    pub api_version: ApiVersion,
    /// The account of the key; `None` if the endpoint needs no key.
    pub account: Option<&'r Account>,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
}

impl<'r> ApiRequest<'r> {
    /// The path parameter of this name, as it was sent; empty if the path has none.
    pub fn path(&self, name: &str) -> &'r str {
        self.path.get(name).unwrap_or_default()
    }

    /// The calling account. Every endpoint that needs a key has one.
    pub fn account(&self) -> Result<&'r Account, ApiError> {
        self.account.ok_or_else(|| {
            ApiError::new(Code::MissingKey, "expected the key of an account; found none")
        })
    }
}
