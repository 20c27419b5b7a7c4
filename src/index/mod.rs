//! Indexes: how a key or a keyword finds its rows. Building and reading an index stand side by side, in one
//! file or one folder.

pub mod attributes;
pub mod beginnings;
pub mod corporate_texts;
pub mod exact;
pub mod folding;
pub mod grams;
pub mod name_order;
pub mod numbers;
mod packing;
pub mod post_codes;
pub mod postal_texts;
pub mod prominence;
mod ranked;
pub mod reading_order;
pub mod renumbering;
pub mod row_set;
pub mod school_texts;
pub mod suggested_names;
