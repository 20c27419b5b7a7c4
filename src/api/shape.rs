//! The structure of a JSON body: a tree of values and named objects, with the API versions that have a member.
//!
//! For documentation only: `json` writes bytes and the handlers parse them. A test compares real answers with it.

use super::words::Words;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text,
    /// Text that this regular expression matches, as JSON Schema writes them.
    Pattern(&'static str),
    /// A day, `YYYY-MM-DD`.
    Date,
    Whole {
        min: u64,
        max: u64,
    },
    Decimal,
    Bool,
    OneOf(&'static [&'static str]),
    OneNumber(&'static [u64]),
    List(&'static Shape),
    /// A list of at most this many values.
    UpTo(u64, &'static Shape),
    /// A list of exactly these values.
    Tuple(&'static [Shape]),
    /// An object whose names match the expression, with values of one shape.
    Map(&'static str, &'static Shape),
    Object(&'static Object),
    OrNull(&'static Shape),
    /// One shape before an API version, another one from it on.
    Changed {
        before: &'static Shape,
        since: ApiVersion,
        then: &'static Shape,
    },
}

/// A named object, which the documentation describes once.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    pub name: &'static str,
    pub members: &'static [Member],
    /// Whether readers ignore unknown members.
    pub is_open: bool,
}

impl Object {
    pub const fn new(name: &'static str, members: &'static [Member]) -> Object {
        Object { name, members, is_open: false }
    }

    /// Marks a body that clients send: unknown members are ignored.
    pub const fn open(self) -> Object {
        Object { is_open: true, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub meaning: Words,
    pub is_optional: bool,
    /// The oldest API version that has it.
    pub since: ApiVersion,
    /// The first API version that no longer has it.
    pub until: Option<ApiVersion>,
}

pub const fn member(name: &'static str, shape: Shape, meaning: Words) -> Member {
    let since = ApiVersion::V2022_09_01;
    Member { name, shape, meaning, is_optional: false, since, until: None }
}

impl Member {
    pub const fn optional(self) -> Member {
        Member { is_optional: true, ..self }
    }

    pub const fn since(self, since: ApiVersion) -> Member {
        Member { since, ..self }
    }

    pub const fn until(self, until: ApiVersion) -> Member {
        Member { until: Some(until), ..self }
    }

    pub fn is_in(&self, version: ApiVersion) -> bool {
        version >= self.since && self.until.is_none_or(|until| version < until)
    }
}
