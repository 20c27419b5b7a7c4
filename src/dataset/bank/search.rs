//! Search in the bank directory by name or reading. All entries are compared ([`names`](super::names)): some 1,200 banks, or
//! the branches of one.

use super::names::{Class, EntryKind, TypedName};
use super::record::EntryView;
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// Where a name must contain the searched text.
    #[derive(Default)]
    pub enum NameMatch {
        #[default]
        Prefix = "prefix",
        Contains = "contains",
    }
}

/// A searched name.
#[derive(Debug)]
pub struct NameQuery {
    /// `None` if nothing matches, since the text has nothing to compare.
    typed: Option<TypedName>,
    name_match: NameMatch,
}

impl NameQuery {
    pub fn new(q: &str, name_match: NameMatch, kind: EntryKind) -> NameQuery {
        NameQuery { typed: TypedName::parse(q, kind), name_match }
    }

    /// How an entry matches; the smallest class is the best. `None` if it does not.
    pub fn class_of(&self, entry: EntryView<'_>) -> Option<Class> {
        let class = self.typed.as_ref()?.find(entry)?.class;
        let is_found = match (self.name_match, class) {
            (NameMatch::Contains, _) => true,
            (NameMatch::Prefix, Class::Inside | Class::Within) => false,
            (NameMatch::Prefix, _) => true,
        };
        is_found.then_some(class)
    }
}
