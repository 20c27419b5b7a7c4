//! Answers the requests of the protocol: the server's description, the list of tools, and tool calls.
//!
//! A failed call is an answer with `isError`, which the agent reads; only an unknown tool is a protocol error.

use std::sync::LazyLock;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::api_client::ApiClient;
use super::tools::TOOLS;

/// How long a client may cache the list of tools, in milliseconds. The list changes only with a release.
const LIST_TTL_MS: u64 = 3_600_000;

const INSTRUCTIONS: &str = "Japanese reference data from official sources: addresses and postal codes \
    (住所・郵便番号), corporations (法人番号), qualified invoice issuers (適格請求書発行事業者), banks and \
    branches (金融機関・支店), holidays and business days (祝日・営業日). Pass names and addresses in \
    Japanese, as they are written. Lists have a few rows and the total `count`; if there are more rows, a `hint` \
    says how to narrow the search. `version` is the date of the data.";

#[derive(Debug, Clone)]
pub struct McpHandler {
    pub client: ApiClient,
}

static DESCRIPTIONS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| TOOLS.iter().map(|entry| (entry.describe)()).collect());

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("daicho", env!("CARGO_PKG_VERSION"))
                    .with_title("daicho (台帳)"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(DESCRIPTIONS.clone());
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
