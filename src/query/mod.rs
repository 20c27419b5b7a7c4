//! Queries over open snapshots: look-ups, and the searches with their query language. [`postal`], [`corporate`],
//! [`invoice`], [`school`] and [`bank`] are one open version each, [`catalog`] all of them.
//!
//! Synchronous. Does not know HTTP, JSON or the clock.

pub mod address;
mod areas;
pub mod bank;
pub mod bank_search;
pub mod budget;
pub mod catalog;
pub mod corporate;
pub mod corporate_history;
pub mod corporate_search;
pub mod cost;
#[cfg(test)]
mod damage_tests;
mod evaluate;
pub mod invoice;
pub mod postal;
mod postal_rows;
pub mod postal_search;
mod rows;
pub mod school;
mod school_search;
mod search_sections;
pub mod suggest;
pub mod syntax;

pub use address::{AddressNames, Candidate, Explanation};
pub use areas::{FacetCounts, SearchResults};
pub use bank::BankData;
pub use bank_search::{BankType, EntryKind, NameMatch, NameQuery};
pub use catalog::{Catalog, CatalogError};
pub use corporate::CorporateData;
pub use invoice::InvoiceData;
pub use postal::PostalData;
pub use postal_rows::PostalRows;
pub use postal_search::{PostalResults, PostalSearch};
pub use school::SchoolData;
pub use school_search::SchoolSearch;

/// Rows that a search is restricted to; see [`CorporateData::search_within_budget`].
pub use crate::index::row_set::RowSet;
