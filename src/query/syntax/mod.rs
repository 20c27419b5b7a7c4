//! The language of `q`: text to a typed expression, or to an error that says where and why.
//!
//! ```text
//! query       = clause { space clause } ;
//! clause      = conjunction { "OR" conjunction } ;
//! conjunction = term { "AND" term } ;
//! term        = [ "-" ] ( [ identifier ":" ] keyword | group ) ;
//! group       = "(" query ")" ;
//! keyword     = word | phrase ;
//! word        = characters other than space, '"' and those the vocabulary forbids ;
//! phrase      = '"' { character | '\"' | '\\' } '"' ;
//! space       = half-width space, tab, line feed, carriage return, full-width space, again and again ;
//! ```
//!
//! What it means:
//!
//! - `AND` binds tighter than `OR`, and `OR` tighter than standing side by side, which means OR too:
//!   `a b AND c` is `a OR (b AND c)`. Operators are upper case and half-width; `and` is a keyword.
//! - A clause in which nothing is to be found, only filters and `-` terms, restricts the whole query:
//!   `塔 _type:2 -東京` finds what has 塔, is a business and has no 東京. Inside a conjunction a filter
//!   or a `-` term holds for that conjunction. A query of such clauses alone begins with every record.
//! - `-` terms alone on a side of `OR` are an error: `a OR -b` would find nearly everything.
//! - A keyword has at least [`Vocabulary::KEYWORD_MIN`] characters, also among others, as they are
//!   compared: spaces do not count, and a voiced half-width kana is one.
//! - The full-width space separates although the specification names only half-width ones: width
//!   never matters in a search, and a Japanese keyboard types it. A phrase holds any of them.
//! - A colon outside a phrase ends an identifier: `10:30` is an error that says to quote it. Behind an
//!   identifier further colons are part of the keyword. In a phrase, a backslash that stands before
//!   neither a quote nor a backslash stands for itself.
//! - `NOT` is an error too, since it would silently be searched for.
//! - Parentheses are an error unless [`Grouping`] allows them; a group then counts as one term, and
//!   one in which nothing is to be found as a filter. A vocabulary may ban characters everywhere:
//!   the corporate one bans brackets and the apostrophe, in phrases too.
//!
//! [`QUERY_MAX`], [`TERMS_MAX`] and [`DEPTH_MAX`] bound every query. Which identifiers there are is the
//! [`Vocabulary`]: [`Postal`] or [`Corporate`].
//!
//! Knows text. Does not know an index.

mod corporate;
mod corporate_facets;
mod error;
mod facet_path;
mod parse;
mod postal;

pub use corporate::{Corporate, CorporateField, CorporateFilter};
pub use corporate_facets::{CodeFacet, CodePath};
pub use error::{SyntaxError, SyntaxFault};
pub use facet_path::{FacetPath, FacetPathError};
pub use parse::{
    Clause, Conjunction, DEPTH_MAX, Grouping, Names, QUERY_MAX, Query, TERMS_MAX, Term, Vocabulary,
    What,
};
pub use postal::{DataKind, Field, Filter, Postal};

pub type Expression = Query<Postal>;

pub type CorporateExpression = Query<Corporate>;

#[cfg(test)]
mod corporate_tests;
#[cfg(test)]
mod tests;
