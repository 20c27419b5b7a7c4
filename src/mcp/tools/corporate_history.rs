//! The changes of a corporation, as the look-up tool returns them.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::mcp::api_client::ApiClient;
use crate::mcp::error::ToolError;
use crate::mcp::request_target::RequestTarget;
use crate::query::corporate_history::ChangeKind;
use crate::query::syntax::{Attribute, CodeFacet};

/// The response of the API with the changes.
#[derive(Debug, Deserialize)]
pub struct History {
    /// The newest version that was compared.
    pub version: String,
    #[serde(rename = "data")]
    pub changes: Vec<Change>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars", inline)]
pub struct Change {
    /// Kind of change; removed means that the data no longer contain the number
    #[schemars(extend("enum" = ChangeKind::WORDS))]
    kind: String,
    /// Day of the change; absent if the register does not give it
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Date of the oldest data version that contains the change
    version: String,
    /// The previous value; absent if unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The new value; absent if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// 登記記録の閉鎖等の事由
    #[serde(deserialize_with = "in_words", skip_serializing_if = "Option::is_none")]
    close_cause: Option<String>,
    /// Number of the corporation that took it over (承継先法人番号)
    #[serde(skip_serializing_if = "Option::is_none")]
    successor_corporate_number: Option<String>,
    /// Details of a closing or merger from the register, in Japanese
    #[serde(skip_serializing_if = "Option::is_none")]
    change_cause: Option<String>,
}

impl History {
    pub async fn request(
        corporation: RequestTarget,
        client: &ApiClient,
    ) -> Result<History, ToolError> {
        client.get(corporation.with_segment("history")).await
    }
}

fn in_words<'de, D: Deserializer<'de>>(cause: D) -> Result<Option<String>, D::Error> {
    let cause = Option::<u16>::deserialize(cause)?;
    Ok(cause.and_then(|cause| Attribute::CloseCause.word(cause)).map(str::to_owned))
}
