//! The mark of a record that a search or a suggestion found by a former name, or by an alias that the operator gave. Other
//! records have none of its members, so that they have the members of the hosted service only.

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

/// The name that a record does not have today, by which a search found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherName<'a> {
    /// It was its name before.
    Former(&'a str),
    /// The operator gave it.
    Alias(&'a str),
}

impl<'a> OtherName<'a> {
    fn kind(self) -> &'static str {
        match self {
            OtherName::Former(_) => "former_name",
            OtherName::Alias(_) => "alias",
        }
    }

    fn former(self) -> Option<&'a str> {
        match self {
            OtherName::Former(name) => Some(name),
            OtherName::Alias(_) => None,
        }
    }

    fn alias(self) -> Option<&'a str> {
        match self {
            OtherName::Alias(name) => Some(name),
            OtherName::Former(_) => None,
        }
    }
}

/// `None` if the record was found by what it has today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundBy<'a>(pub Option<OtherName<'a>>);

members! {
    members of it: FoundBy<'_>;
    "matched": OneOf(&["former_name", "alias"]) => it.0.map(OtherName::kind), "former_name if a search found the record by a former name, alias if by a name that the operator gave; absent from all other records", "以前の名称で見つかった場合はformer_name、運用者が登録した別名で見つかった場合はalias。それ以外のレコードにはない", is optional, columns Columns::NONE;
    ..FormerName { FormerName(it.0.and_then(OtherName::former)) };
    "alias": Text => it.0.and_then(OtherName::alias), "The operator's name by which the record was found; absent from all other records", "見つかった、運用者が登録した別名。それ以外のレコードにはない", is optional, columns Columns::NONE;
}
