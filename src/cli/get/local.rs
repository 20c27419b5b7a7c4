//! The API in this process, over the snapshots of a folder. It has no limits of cost and time: it serves nobody else.

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::header::{HeaderMap, HeaderName};
use hyper::{Method, Request};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::account::{Account, Keyring};
use crate::api::data::Data;
use crate::api::endpoint::Handler;
use crate::api::error::{ApiError, Code};
use crate::api::executor::cost_budget::CostLimits;
use crate::api::executor::slots::Slots;
use crate::api::holidays::Holidays;
use crate::api::pipeline::router::{NoRoute, route};
use crate::api::pipeline::{AccountAnswer, answer_for_account};
use crate::api::service::Api;
use crate::cli::error::CommandError;
use crate::dataset::Catalog;
use crate::query::syntax::Grouping;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::metrics::Metrics;

/// The ASCII characters of a typed target that are encoded. Escapes stay as they are.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'#');

pub struct LocalApi {
    api: Arc<Api>,
    connection: Arc<Connection>,
}

/// The answer to a request that succeeded.
pub struct LocalAnswer {
    headers: HeaderMap,
    pub body: Bytes,
}

impl LocalAnswer {
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl LocalApi {
    pub fn open(folder: &Path, grouping: Grouping) -> Result<LocalApi, CommandError> {
        let catalog = Catalog::scan(folder, None).map_err(CommandError::failed)?;
        let holidays = Holidays::open(folder, None).map_err(CommandError::failed)?;
        let mut data = Data::unprepared(catalog);
        data.holidays = Arc::new(holidays);
        let slots = Slots::new(CostLimits::UNLIMITED);
        let api = Api::local(data, Keyring::new([]), slots, folder.to_owned());
        let metrics = Arc::new(Metrics::over(Vec::new()));
        Ok(LocalApi {
            api: Arc::new(Api { grouping, ..api }),
            connection: Arc::new(Connection::open(1, Ipv4Addr::LOCALHOST.into(), 0, metrics)),
        })
    }

    /// The files of the folder that were refused as damaged.
    pub fn refused_files(&self) -> Vec<String> {
        let data = self.data();
        let refused = data.catalog.datasets().into_iter().flat_map(|versions| versions.refused());
        refused.map(ToString::to_string).collect()
    }

    pub fn data(&self) -> Arc<Data> {
        Arc::clone(&self.api.data.load())
    }

    /// The answer to a `GET` of a path with its query string.
    pub fn get(&self, target: &str) -> Result<LocalAnswer, ApiError> {
        if !target.starts_with('/') {
            let detail = "expected a path that begins with /; found another text";
            return Err(ApiError::new(Code::NoSuchEndpoint, detail));
        }
        let request = Request::get(utf8_percent_encode(target, ENCODED).to_string()).body(());
        let malformed =
            |error: hyper::http::Error| ApiError::new(Code::MalformedRequest, error.to_string());
        let head = request.map_err(malformed)?.into_parts().0;
        match route(&Method::GET, head.uri.path()) {
            Err(NoRoute::Method(_allow)) => {
                let detail = "expected a path that GET reads; found one that takes POST only";
                return Err(ApiError::new(Code::MethodNotAllowed, detail));
            }
            Ok(matched) if matches!(matched.endpoint.handler, Handler::Store(_)) => {
                let detail = "expected a path that needs no account; found one of the radar";
                return Err(ApiError::new(Code::StateUnavailable, detail));
            }
            _ => {}
        }
        let id = RequestId { connection: 1, request: 1 };
        let account = Account::operator();
        let AccountAnswer { response, error } =
            answer_for_account(&self.api, &self.connection, id, &head, &account, Duration::MAX);
        if let Some(error) = error {
            return Err(error);
        }
        let (head, body) = response.into_parts();
        let unreadable = |cause| ApiError::new(Code::Internal, format!("no answer: {cause}"));
        // No body waits for anything, so it needs neither threads nor timers.
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(unreadable)?;
        let body = runtime.block_on(body.collect()).map_err(unreadable)?;
        Ok(LocalAnswer { headers: head.headers, body: body.to_bytes() })
    }
}
