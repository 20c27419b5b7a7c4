//! Questions and their answers over open snapshots. Pure and synchronous; no HTTP, no clock.

pub mod bank;
pub mod bank_search;
pub mod catalog;
pub mod corporate;
pub mod postal;

pub use bank::BankData;
pub use bank_search::{Among, BankType, Match, NameQuery};
pub use catalog::{Catalog, CatalogError};
pub use corporate::CorporateData;
pub use postal::{PostalData, PostalRows};
