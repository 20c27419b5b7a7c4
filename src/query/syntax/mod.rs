//! The language of `q` (`docs/rules.md`, 'Search query'): parses text to a typed expression, or to an error with
//! place and reason.
//!
//! [`QUERY_MAX`], [`TERMS_MAX`] and [`DEPTH_MAX`] bound every query. A [`Vocabulary`] defines the identifiers:
//! [`Postal`], [`Corporate`] or [`School`]. Knows text. Does not know an index.

mod code_path;
mod corporate;
mod error;
mod facet_path;
mod parse;
mod postal;
mod school;
mod tree;

pub use crate::index::attributes::Attribute;
pub use code_path::{CodeFacet, CodePath, FacetFilter, FacetPaths};
pub use corporate::{Corporate, CorporateField, CorporateFilter};
pub use error::{SyntaxError, SyntaxFault};
pub use facet_path::{FacetPath, FacetPathError};
pub use parse::{DEPTH_MAX, Grouping, QUERY_MAX, TERMS_MAX};
pub use postal::{DataKind, Field, Filter, Postal};
pub use school::{School, SchoolFacet, SchoolField, SchoolFilter};
pub use tree::{Clause, Conjunction, Names, Query, Term, Vocabulary, What};

pub type Expression = Query<Postal>;

pub type CorporateExpression = Query<Corporate>;

pub type SchoolExpression = Query<School>;

#[cfg(test)]
mod corporate_tests;
#[cfg(test)]
mod tests;
