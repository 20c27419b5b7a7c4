//! Bank records: institutions and their branches, in their archived form, and the views that read them in place.
//!
//! Institutions are sorted by code and so are their branches, so the branches of an institution are a range. An
//! entry holds its search keys in one text, so that a search folds only its keyword. A change of the folding in
//! `text/fold` therefore requires a new snapshot format number.

use build_tools::bank::{BankRow, BranchRow, Names};
use rkyv::{Archive, Archived, Deserialize, Serialize};

use crate::record::strings::{ArchivedStrId, ArchivedStringTable, TextStarts};
use crate::record::{StrId, StringPool, TableFault, Text};
use crate::snapshot::SectionTag;
use crate::text::typed_keys::name_key;

pub mod tag {
    use super::SectionTag;

    pub const PROVENANCE: SectionTag = SectionTag::new("origin");
    pub const STRINGS: SectionTag = SectionTag::new("strings");
    pub const TABLES: SectionTag = SectionTag::new("tables");
    /// Institution codes to rows, see [`crate::index::code_index`].
    pub const BANK_CODES: SectionTag = SectionTag::new("banks");
    /// Branch codes, prefixed by the code of their institution (seven digits), to rows.
    pub const BRANCH_CODES: SectionTag = SectionTag::new("branches");
}

/// The sources of a snapshot, for `daicho snapshot inspect`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Archive, Deserialize, Serialize)]
pub struct BankProvenance {
    /// The source's format: `zengin-code` or `ginkositen`.
    pub format: String,
    pub rejects: u32,
    /// Number of branch files whose institution is no longer in the source; they were left out.
    pub abolished: u32,
    /// Number of readings in hiragana and Latin letters given by the source; the others were derived.
    pub given: u32,
}

#[derive(Debug, Default, Archive, Serialize)]
pub struct BankTables {
    banks: Vec<Bank>,
    branches: Vec<Entry>,
}

#[derive(Debug, Clone, Archive, Serialize)]
struct Bank {
    entry: Entry,
    first: u32,
    count: u32,
}

#[derive(Debug, Clone, Archive, Serialize)]
struct Entry {
    /// Name, katakana, hiragana, Latin letters.
    texts: [StrId; 4],
    /// Search keys of name, katakana and Latin letters, see [`KEY_START`].
    keys: StrId,
    code: u16,
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
        let [hiragana, romaji] = [&names.hiragana, &names.romaji]
            .map(|reading| reading.as_deref().expect("the build derives what the source lacks"));
        let texts = [&names.name, &names.katakana, hiragana, romaji];
        let mut keys = String::new();
        for text in [&names.name, &names.katakana, romaji] {
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
            let Some(branches) = self.branches.get(bank.first.to_native() as usize..next) else {
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

    pub fn banks(&self) -> usize {
        self.banks.len()
    }

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

#[derive(Clone, Copy)]
pub struct BankView<'s> {
    tables: &'s ArchivedBankTables,
    strings: &'s ArchivedStringTable,
    bank: &'s ArchivedBank,
}

/// The common part of institutions and branches: a code, the name and readings.
#[derive(Clone, Copy)]
pub struct EntryView<'s> {
    strings: &'s ArchivedStringTable,
    entry: &'s ArchivedEntry,
}

impl<'s> BankView<'s> {
    /// The institution of this row; `None` past the end. The tables must have been checked against the texts.
    pub fn read(
        tables: &'s ArchivedBankTables,
        strings: &'s ArchivedStringTable,
        row: usize,
    ) -> Option<BankView<'s>> {
        Some(BankView { tables, strings, bank: tables.banks.get(row)? })
    }

    pub fn entry(self) -> EntryView<'s> {
        EntryView { strings: self.strings, entry: &self.bank.entry }
    }

    /// In the order of their codes; branches with the same code in the source's order.
    pub fn branches(self) -> impl ExactSizeIterator<Item = EntryView<'s>> + Clone {
        let first = self.bank.first.to_native() as usize;
        let rows = &self.tables.branches[first..first + self.bank.count.to_native() as usize];
        rows.iter().map(move |entry| EntryView { strings: self.strings, entry })
    }
}

/// Defines a method for each text of an entry.
macro_rules! texts {
    ($($name:ident: $index:literal),*) => {
        $(pub fn $name(self) -> Text<'s> {
            self.strings.get(self.entry.texts[$index])
        })*
    };
}

impl<'s> EntryView<'s> {
    pub fn read_branch(
        tables: &'s ArchivedBankTables,
        strings: &'s ArchivedStringTable,
        row: usize,
    ) -> Option<EntryView<'s>> {
        Some(EntryView { strings, entry: tables.branches.get(row)? })
    }

    /// The code: four digits for an institution, three for a branch.
    pub fn code(self) -> u16 {
        self.entry.code.to_native()
    }

    texts! { name: 0, katakana: 1, hiragana: 2, romaji: 3 }

    /// Search keys of name, katakana and Latin letters, each after a [`KEY_START`].
    pub fn keys(self) -> &'s str {
        self.strings.get(self.entry.keys).text
    }
}
