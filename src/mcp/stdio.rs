//! Serves one agent on standard input and output, from local data. The API runs in this process, with one account that
//! may use everything; the key of the account never leaves the process.
//!
//! Each line is one message. A line that is not JSON or is too long is logged and gets no response, because the id of
//! its request is unknown.

use std::fmt::Display;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use jiff::Timestamp;
use rmcp::RoleServer;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use super::api_client::ApiClient;
use super::handler::McpHandler;
use crate::account::{
    Account, ApiKey, KEY_RANDOM_LENGTH, KeyEntry, KeyId, KeyKind, Keyring, Meters, Quota,
};
use crate::api::data::Data;
use crate::api::executor::slots::Slots;
use crate::api::service::Api;
use crate::server::access_log::RequestId;
use crate::server::connection::Connection;
use crate::server::limits::{BODY_BYTES_MAX, Timeouts};
use crate::server::metrics::Metrics;

/// Serves until the input ends.
pub async fn serve(
    client: ApiClient,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let transport = AsyncRwTransport::<RoleServer, _, _>::new(input, output)
        .with_max_line_length(BODY_BYTES_MAX);
    let failed = |error: &dyn Display| format!("the connection to the MCP client failed: {error}");
    match serve_server(McpHandler { client }, transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| failed(&error)),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// A client of an API of its own, which serves these data.
pub fn local_client(data: Data, snapshots: PathBuf) -> Result<ApiClient, getrandom::Error> {
    let mut random = [0; KEY_RANDOM_LENGTH];
    getrandom::fill(&mut random)?;
    let key = ApiKey::generate(KeyKind::Secret, random);
    let token = HeaderValue::try_from(format!("Token {}", key.reveal()))
        .expect("a key is a valid header value");
    let remote = Ipv4Addr::LOCALHOST.into();
    let metrics = Arc::new(Metrics::over(Vec::new()));
    Ok(ApiClient {
        // No tool uses the account store or the radar.
        api: Arc::new(Api::local(data, keyring(&key), Slots::default(), snapshots)),
        connection: Arc::new(Connection::open(1, remote, 0, metrics)),
        id: RequestId { connection: 1, request: 1 },
        credentials: HeaderMap::from_iter([(AUTHORIZATION, token)]),
        timeouts: Timeouts::default(),
    })
}

/// The keys of the API: this one, of an account that may use everything.
fn keyring(key: &ApiKey) -> Keyring {
    let account = Account::operator();
    Keyring::new([KeyEntry {
        id: KeyId(0),
        hash: key.hash(),
        kind: key.kind(),
        meter: Meters::new(Timestamp::now()).of(account.id),
        account: Arc::new(account),
        origins: Box::default(),
        quota: Quota::default(),
    }])
}
