//! The datasets: the list of them, what is declared once for each, and what is generic over all.
//!
//! A dataset has a folder, and a line in the list. It implements [`snapshot::Dataset`](crate::snapshot::Dataset), its open
//! form, and [`Declaration`], which says what servers, commands and pages need to know of it. Everything that handles
//! each dataset runs over the list: no other file names them all.

pub mod address;
mod any_versions;
pub mod bank;
mod catalog;
pub mod census;
pub mod corporate;
#[cfg(test)]
mod damage_tests;
mod declaration;
mod declare;
mod found;
pub mod included;
pub mod invoice;
pub mod member;
pub mod name;
pub mod postal;
pub mod report;
mod sample;
pub mod school;
#[cfg(test)]
pub mod station;
pub mod suggestion;
pub mod updates;

pub use any_versions::AnyVersions;
pub use declaration::{DatasetVisitor, Declaration, Exports, Facts, OtherData};
pub use declare::CatalogError;
pub use found::{FoundSnapshot, facts_named, named};

declare::datasets! {
    postal: postal::PostalData,
    bank: bank::BankData,
    corporate: corporate::CorporateData,
    invoice: invoice::InvoiceData,
    school: school::SchoolData,
    #[cfg(test)]
    station: station::StationData,
}
