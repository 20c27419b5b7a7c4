//! Tools for agents over the Model Context Protocol: `daicho mcp` on standard input and output, `POST /mcp` over HTTP.
//!
//! A tool calls the API as a client would: `tool` sends a `GET` with the caller's key through the API's own
//! pipeline. So keys, plans, quotas, limits and rules are the API's. `tools` has the tools, and [`McpHandler`] answers
//! the requests of the protocol over any transport. A failed call is an answer with `isError`, which the agent reads;
//! only an unknown tool is a protocol error. The crate `rmcp` implements the protocol. Opens neither sockets nor
//! snapshots.
//!
//! On standard input and output, the API runs in this process, with one account that may use everything; the key of
//! the account never leaves the process. `lines` reads and writes the messages there.

pub mod http;
mod lines;
mod remedy;
mod threads;
mod tool;
mod tools;

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use jiff::Timestamp;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError, serve_server};
use rmcp::{RoleServer, ServerHandler};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::account::{
    Account, ApiKey, KEY_RANDOM_LENGTH, KeyEntry, KeyId, KeyKind, Keyring, Meters, Quota,
};
use crate::api::Api;
use crate::api::data::Data;
use crate::api::executor::Slots;
use crate::server::access_log::RequestId;
use crate::server::connection::{Connection, Remote};
use crate::server::limits::Timeouts;
use crate::server::metrics::Metrics;
use lines::Lines;
use tool::{ApiClient, Paid, ToolEntry};
use tools::TOOLS;

/// How long a client may cache the list of tools, in milliseconds. The list changes with a release, and when the first
/// data of a dataset are loaded.
const LIST_TTL_MS: u64 = 300_000;

const INSTRUCTIONS: &str = "Japanese reference data from official sources: addresses and postal codes \
    (住所・郵便番号), corporations (法人番号), qualified invoice issuers (適格請求書発行事業者), banks and \
    branches (金融機関・支店), accounts and names for transfers (ゆうちょ・振込名義), schools (学校), holidays and \
    business days (祝日・営業日). Pass names and addresses in \
    Japanese, as they are written. Lists have a few rows and the total `count`; if there are more rows or none, a `hint` \
    says how to narrow or widen the search. `version` is the date of the data.";

#[derive(Clone)]
pub struct McpHandler {
    pub client: ApiClient,
}

/// In the order of [`TOOLS`].
static DESCRIPTIONS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| TOOLS.iter().map(|entry| (entry.describe)()).collect());

impl McpHandler {
    /// Whether the data that a tool needs are loaded. A tool without data is not listed; if it is called all the same,
    /// the API says what is missing.
    fn has_data(&self, entry: &ToolEntry) -> bool {
        entry.dataset.is_none_or(|dataset| self.client.has(dataset))
    }

    /// The instructions, with the tools that are left out for want of data.
    fn instructions(&self) -> String {
        let without: Vec<&str> =
            TOOLS.iter().filter(|entry| !self.has_data(entry)).map(|entry| entry.name).collect();
        match without.is_empty() {
            true => INSTRUCTIONS.to_owned(),
            false => format!(
                "{INSTRUCTIONS} The server has no data for these tools, so they are not listed: {}. Its operator \
                 installs data with `daicho update`.",
                without.join(", ")
            ),
        }
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("daicho", env!("CARGO_PKG_VERSION"))
                    .with_title("daicho (台帳)"),
            )
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let all = TOOLS.iter().zip(DESCRIPTIONS.iter());
        let listed = all.filter(|(entry, _)| self.has_data(entry));
        let list = ListToolsResult::with_all_items(listed.map(|(_, tool)| tool.clone()).collect());
        Ok(list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = TOOLS.iter().find(|entry| entry.name == request.name) else {
            let known: Vec<&str> = TOOLS.iter().map(|entry| entry.name).collect();
            let known = known.join(", ");
            let found = &request.name;
            let message = format!("unknown tool: expected one of {known}; found {found:?}");
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = match (entry.call)(arguments, &self.client).await {
            Ok(answer) => CallToolResult::structured(answer),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        DESCRIPTIONS.iter().find(|tool| tool.name == name).cloned()
    }
}

/// Serves until the input ends.
pub async fn serve(
    client: ApiClient,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let failed = |error: &dyn Display| format!("the connection to the MCP client failed: {error}");
    match serve_server(McpHandler { client }, Lines::new(input, output)).await {
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
    let metrics = Arc::new(Metrics::over(Vec::new()));
    Ok(ApiClient {
        // No tool uses the account store or the radar.
        api: Arc::new(Api::local(data, keyring(&key), Slots::default(), snapshots)),
        connection: Arc::new(Connection::open(1, Remote::own_process(), 0, metrics)),
        id: RequestId { connection: 1, request: 1 },
        credentials: HeaderMap::from_iter([(AUTHORIZATION, token)]),
        timeouts: Timeouts::default(),
        paid: Paid::default(),
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
        expires_at: None,
        account: Arc::new(account),
        origins: Box::default(),
        quota: Quota::default(),
    }])
}
