//! Qualified invoice issuers.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod record;
pub mod update;

pub use data::InvoiceData;
