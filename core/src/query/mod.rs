//! Searches, independent of a dataset: the language of `q` ([`syntax`]), its evaluation over sets of rows, budgets of work, and
//! counts by area. Each dataset brings its vocabulary and its indexes.
//!
//! Synchronous. Does not know HTTP, JSON or the clock.

pub mod areas;
pub mod budget;
pub mod cost;
pub mod evaluate;
pub mod rows;
pub mod syntax;
pub mod text_index;

pub use areas::{FacetCounts, SearchResults};

/// Rows that a search is restricted to.
pub use crate::index::row_set::RowSet;
