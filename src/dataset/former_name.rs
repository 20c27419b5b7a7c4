//! The mark of a record that a search or a suggestion found by a former name. Other records have none of its members, so
//! that they have the members of the hosted service only.

use super::member::members;
use super::member::shape::Columns;
use super::member::shape::Shape::{OneOf, Text};

/// A former name beside the mark that says so.
#[derive(Debug, Clone, Copy)]
pub struct FormerName<'a>(pub Option<&'a str>);

members! {
    members of it: FormerName<'_>;
    "former_name": Text => it.0, "The former name by which the record was found; absent from all other records", "見つかった以前の名称。それ以外のレコードにはない", is optional, columns Columns::NONE;
}

/// The former name by which a record was found; `None` if it was found by what it has today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundByFormerName<'a>(pub Option<&'a str>);

members! {
    members of it: FoundByFormerName<'_>;
    "matched": OneOf(&["former_name"]) => it.0.map(|_| "former_name"), "former_name if a search found the record by a former name; absent from all other records", "以前の名称で見つかった場合はformer_name。それ以外のレコードにはない", is optional, columns Columns::NONE;
    ..FormerName { FormerName(it.0) };
}
