//! The trait of a tool: its description for agents, its arguments, its answer, and its API requests.

use std::future::Future;
use std::pin::Pin;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool as ToolDescription, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::api_client::ApiClient;
use super::error::ToolError;

/// A tool that an agent can call. The type itself holds the arguments of one call, parsed from the JSON that the agent
/// sends. The agent reads serde's message about invalid arguments, so the error texts of their types are written for
/// it.
pub trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    /// The name that clients show to users, in English and Japanese.
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;

    type Output: Serialize + JsonSchema;

    fn call(
        self,
        client: &ApiClient,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}

type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

pub struct ToolEntry {
    pub name: &'static str,
    pub describe: fn() -> ToolDescription,
    pub call: for<'a> fn(JsonObject, &'a ApiClient) -> CallFuture<'a>,
}

impl ToolEntry {
    pub const fn new<T: Tool>() -> ToolEntry {
        ToolEntry { name: T::NAME, describe: describe::<T>, call: call::<T> }
    }
}

fn describe<T: Tool>() -> ToolDescription {
    let input = schema_for_input::<T>().expect("arguments are a struct, which is an object");
    let hints = ToolAnnotations::with_title(T::TITLE)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        // Tools read only the loaded data and call no external service.
        .open_world(false);
    ToolDescription::new(T::NAME, T::DESCRIPTION, input)
        .with_title(T::TITLE)
        .with_raw_output_schema(schema_for_output::<T::Output>())
        .with_annotations(hints)
}

fn call<T: Tool>(arguments: JsonObject, client: &ApiClient) -> CallFuture<'_> {
    Box::pin(async move {
        let arguments =
            serde_json::from_value(Value::Object(arguments)).map_err(ToolError::Arguments)?;
        let answer = T::call(arguments, client).await?;
        serde_json::to_value(answer).map_err(|error| ToolError::Unreadable(error.to_string()))
    })
}
