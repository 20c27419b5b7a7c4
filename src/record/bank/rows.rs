//! Rows as the builder gives them: plain owned text, nothing numbered yet.

use rkyv::{Archive, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Names {
    pub name: String,
    /// Reading in full-width katakana.
    pub katakana: String,
    pub hiragana: String,
    /// Reading in Latin letters, by the list's own romanisation.
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

/// What a snapshot was made from, for `daicho snapshot inspect`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Serialize)]
pub struct BankProvenance {
    /// The source's format: `zengin-code` or `ginkositen`.
    pub format: String,
    pub rejects: u32,
    /// Branch files of institutions that the source no longer lists; they were left out.
    pub abolished: u32,
    /// Readings in hiragana and in Latin letters that the source gave; the others were derived.
    pub given: u32,
}
