//! Indexes: how a key finds its rows. Building and reading in the same file.

pub mod attributes;
pub mod corporate_texts;
pub mod exact;
pub mod folding;
pub mod grams;
pub mod name_order;
pub mod numbers;
mod packing;
pub mod post_codes;
pub mod row_set;
pub mod substring;
