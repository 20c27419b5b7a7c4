//! Indexes: how a key finds its rows. Building and reading in the same file.

pub mod exact;
pub mod numbers;
