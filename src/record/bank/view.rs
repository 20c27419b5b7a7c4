//! Bank records read in place, borrowed from the snapshot.

use super::archive::{ArchivedBank, ArchivedBankTables, ArchivedEntry};
use crate::record::strings::{ArchivedStringTable, Text};

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
    ($($name:ident: $texts:ident[$index:literal]),*) => {
        $(pub fn $name(self) -> Text<'s> {
            self.strings.get(self.entry.$texts[$index])
        })*
    };
}

impl<'s> EntryView<'s> {
    /// The branch of this row; `None` past the end.
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

    texts! { name: texts[0], katakana: texts[1], hiragana: texts[2], romaji: texts[3] }

    /// Search keys of name, katakana and Latin letters, each after a [`super::archive::KEY_START`].
    pub fn keys(self) -> &'s str {
        self.strings.get(self.entry.keys).text
    }
}
