//! Parts of the benches of searches and suggestions: rows read from a snapshot, queries about them, daicho's engine,
//! and the engines that it is compared with.
//!
//! In searches all engines get the same folded texts of the same rows, and must give the same exact count, the same
//! number of returned rows (at most a hundred; each engine has its own order, so the rows may differ), and the same
//! counts by prefecture; with all facets also by kind, process and cause of closing.

pub mod beginnings;
pub mod daicho_search;
pub mod fts5;
pub mod question;
pub mod rows;
pub mod tantivy_bigrams;
pub mod times;
