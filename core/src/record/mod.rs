//! Parts of records that several datasets share: text pools, coded texts, packed numbers and days, addresses and their parts. Also
//! the postal records, because the address normaliser reads them; the records of other datasets are in `dataset/`.
//!
//! A view is `Copy` and returns texts of the snapshot, borrowed or coded. Knows nothing of JSON or HTTP.

use rkyv::Deserialize;
use rkyv::api::high::HighDeserializer;
use rkyv::rancor::Error;

pub mod codec;
pub mod coded_text;
pub mod parts;
pub mod postal;
pub mod strings;

pub use codec::Day;
pub use coded_text::{CodedText, StoredText};
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

/// A copy of an archived value, in memory of its own.
pub fn owned<T>(archived: &impl Deserialize<T, HighDeserializer<Error>>) -> T {
    rkyv::deserialize(archived).expect("records have numbers, texts and lists, and nothing shared")
}
