//! The rows of a bank directory, in either format.

use crate::Batch;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Name, full-width, without 銀行 or 支店.
    pub name: String,
    /// Reading in full-width katakana; the sources have no small kana, and `－` for the long vowel.
    pub katakana: String,
    /// Reading in hiragana; `None` if the source has none.
    pub hiragana: Option<String>,
    /// Reading in ASCII letters; `None` if the source has none.
    pub romaji: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankRow {
    /// Line in its file, from 1.
    pub line: u64,
    /// Institution code, `0..=9999`.
    pub code: u16,
    pub names: Names,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchRow {
    /// Line in its file, from 1.
    pub line: u64,
    pub bank: u16,
    /// Branch code, `0..=999`.
    pub code: u16,
    pub names: Names,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// banks.json and branches/NNNN.json.
    ZenginCode,
    /// ginkositen.txt, or ginkositen1.txt with shared codes.
    Ginkositen,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::ZenginCode => "zengin-code",
            Format::Ginkositen => "ginkositen",
        }
    }
}

/// All institutions and their branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankDirectory {
    pub format: Format,
    pub banks: Batch<BankRow>,
    /// Branches by institution and code; those that share a code in the source's order.
    pub branches: Batch<BranchRow>,
    /// Number of branch files whose institution is not in the list because it was abolished; they are not read.
    pub abolished: u32,
}
