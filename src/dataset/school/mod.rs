//! Schools.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
pub mod search;
pub mod syntax;
pub mod texts;
pub mod update;

pub use data::SchoolData;
