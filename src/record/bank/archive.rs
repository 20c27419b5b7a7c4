//! Banks and branches in their archived form.
//!
//! Institutions are sorted by code and so are their branches, so the branches of an institution are a range. An
//! entry holds its search keys in one text, so that a search folds only its keyword. A change of the folding in
//! `text/fold` therefore requires a new snapshot format number.

use rkyv::{Archive, Archived, Serialize};

use super::rows::{BankRow, BranchRow, Names};
use crate::record::strings::{ArchivedStrId, TextStarts};
use crate::record::{StrId, StringPool, TableFault};
use crate::snapshot::Tag;
use crate::text::name_key::name_key;

pub mod tag {
    use super::Tag;

    pub const PROVENANCE: Tag = Tag::new("origin");
    pub const STRINGS: Tag = Tag::new("strings");
    pub const TABLES: Tag = Tag::new("tables");
    /// Institution codes to rows, see [`crate::index::code_index`].
    pub const BANK_CODES: Tag = Tag::new("banks");
    /// Branch codes, prefixed by the code of their institution (seven digits), to rows.
    pub const BRANCH_CODES: Tag = Tag::new("branches");
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct BankTables {
    pub(super) banks: Vec<Bank>,
    pub(super) branches: Vec<Entry>,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Bank {
    pub entry: Entry,
    pub first: u32,
    pub count: u32,
}

#[derive(Debug, Clone, Archive, Serialize)]
pub(super) struct Entry {
    /// Name, katakana, hiragana, Latin letters.
    pub texts: [StrId; 4],
    /// Search keys of name, katakana and Latin letters, see [`KEY_START`].
    pub keys: StrId,
    pub code: u16,
}

/// Precedes each search key; no key contains it.
pub const KEY_START: char = '\n';

const _: () = assert!(size_of::<Archived<Entry>>() <= 24, "a directory has 30,000 of these");

/// The key by which a branch is indexed: the institution's four digits, then its own three.
pub fn branch_key(bank: u16, branch: u16) -> u32 {
    u32::from(bank) * 1_000 + u32::from(branch)
}

impl BankTables {
    /// Stores these rows, which are in the order of their codes, and their texts in `pool`.
    pub fn build(banks: &[BankRow], branches: &[BranchRow], pool: &mut StringPool) -> BankTables {
        assert!(banks.is_sorted_by(|left, right| left.code < right.code), "each code once");
        let key = |row: &BranchRow| branch_key(row.bank, row.code);
        assert!(branches.is_sorted_by_key(key), "branches in the order of their codes");
        let mut tables = BankTables::default();
        let number = |count: usize| u32::try_from(count).expect("a directory has 30,000 rows");
        let mut rest = branches;
        for row in banks {
            let count = rest.iter().take_while(|branch| branch.bank == row.code).count();
            let entry = Entry::build(row.code, &row.names, pool);
            let first = number(tables.branches.len());
            tables.banks.push(Bank { entry, first, count: number(count) });
            let (own, others) = rest.split_at(count);
            for branch in own {
                tables.branches.push(Entry::build(branch.code, &branch.names, pool));
            }
            rest = others;
        }
        assert!(rest.is_empty(), "every branch has an institution");
        tables
    }
}

impl Entry {
    fn build(code: u16, names: &Names, pool: &mut StringPool) -> Entry {
        let texts = [&names.name, &names.katakana, &names.hiragana, &names.romaji];
        let mut keys = String::new();
        for text in [&names.name, &names.katakana, &names.romaji] {
            keys.push(KEY_START);
            keys.extend(name_key(text).chars().filter(|character| *character != KEY_START));
        }
        Entry { texts: texts.map(|text| pool.intern(text)), keys: pool.intern(&keys), code }
    }
}

impl ArchivedBankTables {
    /// Checks all invariants that a view relies on.
    pub fn check(&self, texts: &TextStarts) -> Result<(), TableFault> {
        let fault = |table, row, expected| TableFault { table, row, expected };
        let mut next = 0;
        let mut last = None;
        for (row, bank) in self.banks.iter().enumerate() {
            let code = bank.entry.code.to_native();
            if code > 9_999 || last.is_some_and(|last| last >= code) {
                return Err(fault("bank", row, "codes of four digits that ascend"));
            }
            last = Some(code);
            if bank.first.to_native() as usize != next {
                return Err(fault("bank", row, "branches that follow those of the bank before"));
            }
            next += bank.count.to_native() as usize;
            if !bank.entry.has_texts_of(texts) {
                return Err(fault("bank", row, "texts of the pool"));
            }
            let branches = self.branches.get(bank.first.to_native() as usize..next);
            let Some(branches) = branches else {
                return Err(fault("bank", row, "branches of the table"));
            };
            if !branches.is_sorted_by_key(|branch| branch.code.to_native()) {
                return Err(fault("bank", row, "branches in the order of their codes"));
            }
        }
        if next != self.branches.len() {
            return Err(fault("branch", next, "a bank for each branch"));
        }
        for (row, branch) in self.branches.iter().enumerate() {
            if branch.code.to_native() > 999 || !branch.has_texts_of(texts) {
                return Err(fault("branch", row, "a code of three digits and texts of the pool"));
            }
        }
        Ok(())
    }

    /// The number of institutions.
    pub fn banks(&self) -> usize {
        self.banks.len()
    }

    /// The number of branches.
    pub fn branches(&self) -> usize {
        self.branches.len()
    }
}

impl ArchivedEntry {
    fn has_texts_of(&self, texts: &TextStarts) -> bool {
        let mut ids = self.texts.iter().chain([&self.keys]);
        ids.all(|id: &ArchivedStrId| texts.contains(*id))
    }
}
