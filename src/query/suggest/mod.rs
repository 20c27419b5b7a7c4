//! Suggestions while a user types: the records that a beginning may mean, the most likely first.
//!
//! The typed text arrives as [`Beginning`](crate::text::beginning::Beginning). Each suggestion has
//! [`Marks`](crate::text::suggested::Marks) beside its record.

pub mod address;
pub mod bank;
mod bank_words;
pub mod corporation;
pub(super) mod suggestible;
