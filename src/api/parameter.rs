//! What a parameter of an endpoint is: its name, what it may be, what it means. Where it stands is known from the
//! path of the endpoint.
//!
//! Routing, notices and documentation come from this. The handlers read the values themselves; a test sends them
//! what a kind does not allow.

use super::words::Words;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub meaning: Words,
    pub example: &'static str,
    /// Whether the endpoint needs it; those of the path it always does.
    pub is_required: bool,
    /// The oldest API version that reads it; older ones ignore it.
    pub since: ApiVersion,
}

/// What the text of a parameter may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// Text that this regular expression matches, as JSON Schema writes them.
    Pattern(&'static str),
    /// ASCII digits of a number within these bounds.
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
    /// The same, where the endpoint needs it.
    pub const fn required(self) -> Parameter {
        Parameter { is_required: true, ..self }
    }

    /// The same, where it came with a later API version.
    pub const fn since(self, since: ApiVersion) -> Parameter {
        Parameter { since, ..self }
    }
}
