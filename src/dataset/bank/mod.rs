//! Banks and their branches.

pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod record;
pub mod search;
pub mod suggest;
mod suggest_words;
pub mod update;

pub use data::BankData;
