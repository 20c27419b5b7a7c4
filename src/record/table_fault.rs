//! The reason to refuse the tables of a snapshot.

/// The tables contradict themselves or their texts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table} {row}: expected {expected}")]
pub struct TableFault {
    pub table: &'static str,
    /// The row in that table, from 0.
    pub row: usize,
    pub expected: &'static str,
}
