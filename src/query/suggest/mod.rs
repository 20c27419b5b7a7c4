//! Suggestions while a user types: the records that the typed beginning may mean, the most likely first.
//!
//! The typed text arrives as [`TypedKeys`](crate::text::typed_keys::TypedKeys). Each suggestion has
//! [`MatchInfo`](crate::text::match_info::MatchInfo) beside its record.

pub mod address;
pub mod bank;
mod bank_words;
pub mod corporation;
pub(super) mod suggest_index;
