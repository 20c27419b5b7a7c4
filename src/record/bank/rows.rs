//! Rows from the builder: plain owned text, without ids.

use rkyv::{Archive, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Names {
    pub name: String,
    /// Reading in full-width katakana.
    pub katakana: String,
    pub hiragana: String,
    /// Reading in Latin letters, in the directory's own romanisation.
    pub romaji: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankRow {
    /// Institution code, `0..=9999`.
    pub code: u16,
    pub names: Names,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRow {
    pub bank: u16,
    /// Branch code, `0..=999`; several branches may share one.
    pub code: u16,
    pub names: Names,
}

/// The sources of a snapshot, for `daicho snapshot inspect`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Serialize)]
pub struct BankProvenance {
    /// The source's format: `zengin-code` or `ginkositen`.
    pub format: String,
    pub rejects: u32,
    /// Number of branch files whose institution is no longer in the source; they were left out.
    pub abolished: u32,
    /// Number of readings in hiragana and Latin letters given by the source; the others were derived.
    pub given: u32,
}
