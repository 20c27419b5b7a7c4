//! The language of `q` (`docs/rules.md`, 'Search query'): parses text to a [`Query`], or to an error with its
//! position and reason.
//!
//! [`QUERY_MAX`], [`TERMS_MAX`] and [`DEPTH_MAX`] bound every query. A [`Vocabulary`] defines the identifiers; each
//! dataset has its own. Knows text. Does not know an index.

mod error;
mod facet_path;
mod parse;
mod tree;

pub use error::{SyntaxError, SyntaxFault};
pub use facet_path::{CodeFacet, CodePath, FacetFilter, FacetPath, FacetPathError, FacetPaths};
pub use parse::{DEPTH_MAX, Grouping, QUERY_MAX, TERMS_MAX};
pub use tree::{Clause, Conjunction, Query, Term, TermKind, Vocabulary};
