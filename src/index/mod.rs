//! Indexes: how a key finds its rows. Building and reading in the same file.

pub mod exact;
pub mod folding;
pub mod grams;
pub mod numbers;
mod packing;
pub mod row_set;
pub mod substring;
