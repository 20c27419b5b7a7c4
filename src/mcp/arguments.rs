//! Arguments that several tools take: a text that must not be blank, and the limit on the rows of an answer, with the hint
//! if there are more. Limits are low because an agent reads every row.

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

const DEFAULT: u8 = 10;
const MAX: u8 = 50;

/// The maximum number of rows in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct Limit(u8);

impl Limit {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Limit {
        Limit(DEFAULT)
    }
}

impl TryFrom<i64> for Limit {
    type Error = String;

    fn try_from(number: i64) -> Result<Limit, String> {
        let limit = u8::try_from(number).ok().filter(|limit| (1..=MAX).contains(limit));
        limit.map(Limit).ok_or_else(|| format!("expected a limit of 1 to {MAX}; found {number}"))
    }
}

impl JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "integer",
            "minimum": 1,
            "maximum": MAX,
            "default": DEFAULT,
            "description": "Maximum number of rows",
        })
    }
}

/// The hint if fewer rows are listed than were found, else `None`. `narrow` says how to narrow the search.
pub fn hint(listed: usize, count: u64, narrow: &str) -> Option<String> {
    let has_more = (listed as u64) < count;
    let limit = match listed < usize::from(MAX) {
        true => format!(", or use a limit of up to {MAX}"),
        false => String::new(),
    };
    has_more.then(|| format!("{listed} of {count} rows are listed; {narrow}{limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_one_to_fifty() {
        for (text, expected) in [("1", Some(1)), ("50", Some(50)), ("0", None), ("51", None)] {
            let limit = serde_json::from_str::<Limit>(text).ok().map(Limit::get);
            assert_eq!(limit, expected, "{text}");
        }
        for wrong in ["-1", "1.5", "\"3\"", "300", "null"] {
            assert!(serde_json::from_str::<Limit>(wrong).is_err(), "{wrong}");
        }
        let error = serde_json::from_str::<Limit>("0").expect_err("too few");
        assert_eq!(error.to_string(), "expected a limit of 1 to 50; found 0");
    }

    #[test]
    fn a_hint_is_added_only_if_rows_are_missing() {
        assert_eq!(hint(10, 10, "name a city"), None);
        let expected = "10 of 11 rows are listed; name a city, or use a limit of up to 50";
        assert_eq!(hint(10, 11, "name a city").as_deref(), Some(expected));
        let expected = "50 of 51 rows are listed; name a city";
        assert_eq!(
            hint(50, 51, "name a city").as_deref(),
            Some(expected),
            "the limit is the highest"
        );
    }

    #[test]
    fn a_blank_text_is_refused() {
        for (text, expected) in
            [("\"台帳\"", true), ("\" a\"", true), ("\"\"", false), ("\"　 \"", false)]
        {
            assert_eq!(serde_json::from_str::<NonBlank>(text).is_ok(), expected, "{text}");
        }
    }
}
