//! What handlers work with: [`Api`], of the whole server, and [`Ask`], of one request.

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
use crate::snapshot::Live;
use crate::text::codes::ApiVersion;

#[derive(Debug)]
pub struct Api {
    pub data: Live<Data>,
    pub keys: Arc<LiveKeys>,
    pub slots: Slots,
    pub store: ApiStore,
    pub radar: RadarSettings,
    /// What parentheses mean in a corporate query.
    pub grouping: Grouping,
    pub counters: Arc<Counters>,
    pub metrics: Registry,
    pub metrics_access: MetricsAccess,
    /// Whether the server is about to stop, so that it should get no more requests.
    pub is_draining: AtomicBool,
    /// Whether the server has begun with older data than it should, and is about to get the right ones.
    pub is_behind: AtomicBool,
}

#[derive(Debug)]
pub struct RadarSettings {
    /// The snapshot folder, which has the change lists too.
    pub snapshots: PathBuf,
    pub watched_max: u64,
}

#[derive(Debug)]
pub struct Ask<'r> {
    pub api: &'r Arc<Api>,
    /// The data of this moment: a reload never shows a request two states.
    pub data: &'r Arc<Data>,
    pub head: &'r Parts,
    /// The parameters of the path, as they were sent.
    pub path: &'r matchit::Params<'r, 'r>,
    pub params: Params<'r>,
    pub api_version: ApiVersion,
    /// Whose key it is; none where the endpoint needs no key.
    pub account: Option<&'r Account>,
    pub connection: &'r Arc<Connection>,
    pub id: RequestId,
}

impl<'r> Ask<'r> {
    /// The parameter of the path of this name, as it was sent; empty where the path has none of it.
    pub fn path(&self, name: &str) -> &'r str {
        self.path.get(name).unwrap_or_default()
    }

    /// The account that asks. Every endpoint that needs a key has one.
    pub fn account(&self) -> Result<&'r Account, ApiError> {
        self.account.ok_or_else(|| {
            ApiError::plain(Code::MissingKey, "expected the key of an account; found none")
        })
    }
}
