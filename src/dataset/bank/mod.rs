//! Banks and their branches.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod members;
pub mod record;
pub mod search;
pub mod suggest;
mod suggest_words;
pub mod suggestion;
pub mod update;

pub use answer::{ARRAYS_SINCE, write_branch, write_branches};
pub use data::BankData;
