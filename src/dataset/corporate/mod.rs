//! Corporations.

mod answer;
pub mod compile;
#[cfg(test)]
mod damage_tests;
mod data;
pub mod history;
mod history_answer;
pub mod members;
pub mod record;
pub mod search;
mod search_sections;
pub mod suggest;
pub mod suggestion;
pub mod syntax;
#[cfg(test)]
mod syntax_tests;
pub mod texts;
pub mod update;

pub use answer::{
    CorporateForm, PlaceFragments, write_corporate_record, write_corporate_search,
    write_corporation,
};
pub use data::CorporateData;
pub use history_answer::{CHANGE, write_history};
