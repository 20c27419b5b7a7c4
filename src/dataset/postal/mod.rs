//! Postal codes. Their records are in `core/src/record/postal`, because the address normaliser reads them.

pub mod address_parts;
pub mod address_search;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod municipalities;
pub mod rows;
pub mod search;
pub mod suggest;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod update;

pub use data::PostalData;
