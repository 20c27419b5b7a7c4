//! Questions and their answers over open snapshots. Pure and synchronous; no HTTP, no clock.

pub mod address;
pub mod bank;
pub mod bank_search;
pub mod catalog;
pub mod corporate;
pub mod corporate_search;
pub mod postal;
pub mod question;
pub mod search;
pub mod syntax;

pub use bank::BankData;
pub use bank_search::{Among, BankType, Match, NameQuery};
pub use catalog::{Catalog, CatalogError};
pub use corporate::CorporateData;
pub use postal::{PostalData, PostalRows};
pub use search::{Found, Search};
