//! Indexes from keys and keywords to rows. The code that builds an index and the code that reads it are in the same
//! file or folder.

pub mod attributes;
pub mod beginnings;
pub mod code_index;
pub mod core_chunks;
pub mod folding;
pub mod grams;
pub mod name_order;
pub mod numbers;
mod packing;
pub mod post_codes;
pub mod postal_texts;
pub mod prominence;
pub mod reading_order;
pub mod renumbering;
pub mod row_set;
pub mod suggested_names;

/// Most rows of a dataset: indexes and records number them in three bytes.
pub const ROWS_MAX: usize = 1 << 24;
