//! The input of handlers: [`Api`], of the whole server, and [`Ask`], of one request.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyper::http::request::Parts;
use prometheus_client::registry::Registry;

use super::counters::Counters;
use super::data::Data;
use super::error::{ApiError, Code};
use super::metrics_access::MetricsAccess;
use super::params::Params;
use super::slots::Slots;
use super::store::ApiStore;
use crate::account::{Account, LiveKeys};
use crate::query::syntax::Grouping;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::snapshot::LiveValue;
use crate::text::codes::ApiVersion;

#[derive(Debug)]
pub struct Api {
    pub data: LiveValue<Data>,
    pub keys: Arc<LiveKeys>,
    pub slots: Slots,
    pub store: ApiStore,
    pub radar: RadarSettings,
    /// What parentheses mean in a corporate query.
    pub grouping: Grouping,
    pub counters: Arc<Counters>,
    pub metrics: Registry,
    pub metrics_access: MetricsAccess,
    /// Whether the server is about to stop and should get no more requests.
    pub is_draining: AtomicBool,
    /// Whether the server started with a release older than the active one, and is still fetching that.
    pub is_behind: AtomicBool,
}

#[derive(Debug)]
pub struct RadarSettings {
    /// The snapshot folder, which also has the change lists.
    pub snapshots: PathBuf,
    pub watched_max: u64,
}

#[derive(Debug)]
pub struct Ask<'r> {
    pub api: &'r Arc<Api>,
    /// The data that the request began with: a reload never mixes two states in one request.
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

impl<'r> Ask<'r> {
    /// The path parameter of this name, as it was sent; empty if the path has none.
    pub fn path(&self, name: &str) -> &'r str {
        self.path.get(name).unwrap_or_default()
    }

    /// The calling account. Every endpoint that needs a key has one.
    pub fn account(&self) -> Result<&'r Account, ApiError> {
        self.account.ok_or_else(|| {
            ApiError::plain(Code::MissingKey, "expected the key of an account; found none")
        })
    }
}
