//! A text argument that must not be blank; the error names the argument.

use std::borrow::Cow;

use rmcp::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A text with at least one character that is not a space.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct NonBlank(String);

impl NonBlank {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NonBlank {
    type Error = &'static str;

    fn try_from(text: String) -> Result<NonBlank, &'static str> {
        match text.trim().is_empty() {
            true => Err("expected a text; found an empty one"),
            false => Ok(NonBlank(text)),
        }
    }
}

impl JsonSchema for NonBlank {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NonBlank".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_text_is_refused() {
        for (text, expected) in
            [("\"台帳\"", true), ("\" a\"", true), ("\"\"", false), ("\"　 \"", false)]
        {
            assert_eq!(serde_json::from_str::<NonBlank>(text).is_ok(), expected, "{text}");
        }
    }
}
