//! Records: the archived form of each dataset's rows, and the views that read them in place.
//!
//! A view is one or two words, `Copy`, and returns text borrowed from the snapshot. Knows nothing of JSON or HTTP.

pub mod address;
pub mod bank;
pub mod corporate;
pub mod invoice;
pub mod postal;
pub mod school;
pub mod strings;

pub use strings::{StrId, StringPool, StringTable, Text, is_plain};

/// Why the tables of a snapshot are refused: they contradict themselves or their texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {row}: expected {expected}")]
pub struct TableFault {
    pub table: &'static str,
    /// The row in that table, from 0.
    pub row: usize,
    pub expected: &'static str,
}
