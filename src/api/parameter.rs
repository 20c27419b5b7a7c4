//! A parameter of an endpoint: its name, its valid values, its description. Whether it is in the path follows from
//! the path of the endpoint.
//!
//! Routing, notices and documentation use it. Handlers parse the values themselves; a test sends them invalid
//! values of each kind.

use super::words::Words;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub meaning: Words,
    pub example: &'static str,
    /// Whether the endpoint needs it; path parameters are always required.
    pub is_required: bool,
    /// The oldest API version that reads it; older ones ignore it.
    pub since: ApiVersion,
}

/// The valid texts of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// Text that this regular expression matches, as JSON Schema writes them.
    Pattern(&'static str),
    /// A number in ASCII digits, within these limits.
    Whole { min: u64, max: u64 },
    /// A day that exists, `YYYY-MM-DD`.
    Date,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `1` or `0`.
    Flag,
}

pub const fn parameter(
    name: &'static str,
    kind: Kind,
    meaning: Words,
    example: &'static str,
) -> Parameter {
    let since = ApiVersion::V2022_09_01;
    Parameter { name, kind, meaning, example, is_required: false, since }
}

impl Parameter {
    /// Makes it required.
    pub const fn required(self) -> Parameter {
        Parameter { is_required: true, ..self }
    }

    /// Sets the API version that introduced it.
    pub const fn since(self, since: ApiVersion) -> Parameter {
        Parameter { since, ..self }
    }
}
