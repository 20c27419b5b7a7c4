//! The client of the API for tools: calls it with the agent's key, and parses the members of the answer that a tool
//! needs. It uses no socket, because the API runs in the same process.
//!
//! The API version is always the newest, whatever version the account is set to, because the tools are written for it.

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Request, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::ToolError;
use crate::api::pipeline::answer_internal;
use crate::api::pipeline::reply::API_VERSION;
use crate::api::service::Api;
use crate::api::target::RequestTarget;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::limits::Timeouts;
use crate::text::codes::ApiVersion;

/// An answer from one version of the data.
#[derive(Debug, Deserialize)]
pub struct Versioned<T> {
    pub version: String,
    pub data: T,
}

/// The answer of a search.
#[derive(Debug, Deserialize)]
pub struct Found<T> {
    pub version: String,
    pub data: Vec<T>,
    /// How many records there are, with those that are not listed.
    pub count: u64,
}

#[derive(Debug, Clone)]
pub struct ApiClient {
    pub api: Arc<Api>,
    pub connection: Arc<Connection>,
    pub id: RequestId,
    /// The headers with the caller's key and origin.
    pub credentials: HeaderMap,
    pub timeouts: Timeouts,
}

impl ApiClient {
    /// The answer to a `GET`; an error unless its status is 200.
    pub async fn get<T: DeserializeOwned>(&self, target: RequestTarget) -> Result<T, ToolError> {
        let request = Request::get(target.into_text()).body(());
        let mut head = request.map_err(|_too_long| ToolError::TooLong)?.into_parts().0;
        head.headers.clone_from(&self.credentials);
        let version = HeaderValue::from_static(ApiVersion::NEWEST.as_str());
        head.headers.insert(API_VERSION, version);
        let (api, connection) = (Arc::clone(&self.api), Arc::clone(&self.connection));
        let outcome = answer_internal(api, connection, head, self.id, self.timeouts).await;
        let (head, body) = outcome.response.into_parts();
        let body =
            body.collect().await.map_err(|error| ToolError::Unreadable(error.to_string()))?;
        let body = body.to_bytes();
        match head.status {
            StatusCode::OK => serde_json::from_slice(&body)
                .map_err(|error| ToolError::Unreadable(error.to_string())),
            StatusCode::URI_TOO_LONG => Err(ToolError::TooLong),
            status => {
                let retry = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                let retry = retry.and_then(|text| text.parse().ok());
                Err(ToolError::refused(status, retry, &body))
            }
        }
    }
}
