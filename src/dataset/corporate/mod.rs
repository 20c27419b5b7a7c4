//! Corporations.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod history;
pub mod record;
pub mod search;
mod search_sections;
pub mod suggest;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod texts;
pub mod update;

pub use data::CorporateData;
