//! What a corporate search is measured with: rows read from a snapshot, questions about them, and the
//! engines that stand for what else could answer.
//!
//! Of a search all engines get the same folded texts of the same rows, and answer the same: exact count, the first
//! hundred rows, and rows by prefecture; with all facets also by kind, process and cause of closing.

pub mod beginnings;
pub mod daicho_search;
pub mod fts5;
pub mod question;
pub mod rows;
pub mod tantivy_bigrams;
pub mod times;
