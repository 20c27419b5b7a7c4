//! The datasets: what is declared once for each of them, and what is generic over them. A folder for each dataset holds its
//! record, its open form, its searches, its build and its update.

pub mod address;
pub mod bank;
pub mod catalog;
pub mod census;
pub mod corporate;
#[cfg(test)]
mod damage_tests;
pub mod included;
pub mod invoice;
pub mod member;
pub mod name;
pub mod postal;
pub mod sample;
pub mod school;
pub mod suggestion;

pub use catalog::{Catalog, CatalogError};
