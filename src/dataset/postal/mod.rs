//! Postal codes. Their records are in `core/src/record/postal`, because the address normaliser reads them.

pub mod address_parts;
pub mod address_search;
mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod explain;
pub mod members;
pub mod municipalities;
pub mod rows;
pub mod search;
pub mod search_answer;
pub mod suggest;
pub mod suggestion;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod update;

pub use answer::{CityFragments, write_all_postal};
pub use data::PostalData;
pub use search_answer::{AddressOutcome, write_address_outcome, write_search};
