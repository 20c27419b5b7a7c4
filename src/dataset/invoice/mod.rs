//! Qualified invoice issuers.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
pub mod update;

pub use answer::{write_invoice, write_invoice_outcome};
pub use data::InvoiceData;
