//! Suggestions while somebody types: which records a beginning may mean, the most likely first.
//!
//! What was typed comes as [`Beginning`](crate::text::beginning::Beginning); what a suggestion says beside its record are
//! [`Marks`](crate::text::suggested::Marks).

pub mod address;
pub mod bank;
mod bank_words;
pub mod corporation;
pub(super) mod suggestible;
