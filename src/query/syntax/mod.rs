//! The language of `q` (`docs/rules.md`, 'Search query'): parses text to a [`Query`], or to an error with its
//! position and reason.
//!
//! [`QUERY_MAX`], [`TERMS_MAX`] and [`DEPTH_MAX`] bound every query. A [`Vocabulary`] defines the identifiers:
//! [`PostalVocabulary`], [`CorporateVocabulary`] or [`SchoolVocabulary`]. Knows text. Does not know an index.

mod corporate;
mod error;
mod facet_path;
mod parse;
mod postal;
mod school;
mod tree;

pub use crate::index::attributes::Attribute;
pub use corporate::{CorporateField, CorporateFilter, CorporateVocabulary};
pub use error::{SyntaxError, SyntaxFault};
pub use facet_path::{CodeFacet, CodePath, FacetFilter, FacetPath, FacetPathError, FacetPaths};
pub use parse::{DEPTH_MAX, Grouping, QUERY_MAX, TERMS_MAX};
pub use postal::{PostalField, PostalFilter, PostalVocabulary, RecordKind};
pub use school::{SchoolFacet, SchoolField, SchoolFilter, SchoolVocabulary};
pub use tree::{Clause, Conjunction, Query, Term, TermKind, Vocabulary};

pub type PostalQuery = Query<PostalVocabulary>;

pub type CorporateQuery = Query<CorporateVocabulary>;

pub type SchoolQuery = Query<SchoolVocabulary>;

#[cfg(test)]
mod corporate_tests;
#[cfg(test)]
mod tests;
