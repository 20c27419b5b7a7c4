//! Suggestions while a user types: the records that the typed beginning may mean, the most likely first. Each has
//! [`MatchInfo`](crate::text::match_info::MatchInfo) beside its record.

pub mod address;
pub mod bank;
mod bank_words;
pub mod corporation;
