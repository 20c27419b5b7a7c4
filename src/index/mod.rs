//! Indexes: how a key finds its rows. Building and reading in the same file.

pub mod attributes;
pub mod exact;
pub mod folding;
pub mod grams;
pub mod name_order;
pub mod numbers;
pub mod row_set;
