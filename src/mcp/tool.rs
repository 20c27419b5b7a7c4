//! The trait of a tool: its description for agents, its arguments, its answer, and its API requests.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::asker::Asker;
use super::error::ToolError;

pub trait Tool: 'static {
    const NAME: &'static str;
    /// The name that clients show to users, in English and Japanese.
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;

    /// The agent reads serde's message about invalid arguments, so the error texts of these types are written for it.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    type Answer: Serialize + JsonSchema;

    fn call(
        arguments: Self::Arguments,
        asker: &Asker,
    ) -> impl Future<Output = Result<Self::Answer, ToolError>> + Send;
}

type Calling<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

/// A tool in the list of all tools.
pub struct Entry {
    pub name: &'static str,
    pub described: fn() -> Described,
    pub call: for<'a> fn(JsonObject, &'a Asker) -> Calling<'a>,
}

impl Entry {
    pub const fn of<T: Tool>() -> Entry {
        Entry { name: T::NAME, described: described::<T>, call: call::<T> }
    }
}

fn described<T: Tool>() -> Described {
    let input: Arc<JsonObject> =
        schema_for_input::<T::Arguments>().expect("arguments are a struct, which is an object");
    let hints = ToolAnnotations::with_title(T::TITLE)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        // Tools read only the loaded data and call no external service.
        .open_world(false);
    Described::new(T::NAME, T::DESCRIPTION, input)
        .with_title(T::TITLE)
        .with_raw_output_schema(schema_for_output::<T::Answer>())
        .with_annotations(hints)
}

fn call<T: Tool>(arguments: JsonObject, asker: &Asker) -> Calling<'_> {
    Box::pin(async move {
        let arguments =
            serde_json::from_value(Value::Object(arguments)).map_err(ToolError::Arguments)?;
        let answer = T::call(arguments, asker).await?;
        serde_json::to_value(answer).map_err(|error| ToolError::Unreadable(error.to_string()))
    })
}
