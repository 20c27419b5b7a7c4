//! One open version of the bank directory: look-up by code, lists, search by name or reading.

use std::sync::Arc;

use rkyv::rend::u32_le;

use crate::index::exact::ArchivedCodeIndex;
use crate::record::bank::archive::{ArchivedBankTables, branch_key};
use crate::record::bank::rows::ArchivedBankProvenance;
use crate::record::bank::{BankView, EntryView, tag};
use crate::record::strings::ArchivedStringTable;
use crate::snapshot::{Dataset, DatasetKind, FirstUse, OpenError, Section, SnapshotFile};
use crate::text::codes::{BankCode, BranchCode, DataVersion};

/// A bank snapshot. Its content is checked once, on first use.
#[derive(Debug)]
pub struct BankData {
    file: SnapshotFile,
    checked: FirstUse<Checked>,
}

/// The sections, in which every reference has been checked.
#[derive(Debug)]
struct Checked {
    strings: Section<ArchivedStringTable>,
    tables: Section<ArchivedBankTables>,
    bank_codes: Section<ArchivedCodeIndex>,
    branch_codes: Section<ArchivedCodeIndex>,
}

impl Dataset for BankData {
    const KIND: DatasetKind = DatasetKind::Bank;

    fn attach(file: SnapshotFile) -> BankData {
        BankData { file, checked: FirstUse::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<(), Arc<OpenError>> {
        self.checked().map(|_| ())
    }
}

impl BankData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    pub fn banks(&self) -> Result<impl ExactSizeIterator<Item = BankView<'_>>, Arc<OpenError>> {
        let data = self.checked()?;
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let view = move |row| BankView::of(tables, strings, row).expect("a row of the table");
        Ok((0..tables.banks()).map(view))
    }

    pub fn bank(&self, code: BankCode) -> Result<Option<BankView<'_>>, Arc<OpenError>> {
        let data = self.checked()?;
        let row = data.bank_codes.root().find(u32::from(code.number())).first();
        let (tables, strings) = (data.tables.root(), data.strings.root());
        Ok(row.and_then(|row| BankView::of(tables, strings, row.to_native() as usize)))
    }

    /// The branches of a code in the source's order; empty if the code is unknown.
    pub fn branch(
        &self,
        bank: BankCode,
        branch: BranchCode,
    ) -> Result<impl ExactSizeIterator<Item = EntryView<'_>> + Clone, Arc<OpenError>> {
        let data = self.checked()?;
        let key = branch_key(bank.number(), branch.number());
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let view = move |row: &u32_le| EntryView::branch(tables, strings, row.to_native() as usize);
        let rows = data.branch_codes.root().find(key).iter();
        Ok(rows.map(move |row| view(row).expect("a row of the table")))
    }

    pub fn provenance(&self) -> Result<Section<ArchivedBankProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<BankCounts, Arc<OpenError>> {
        let data = self.checked()?;
        let tables = data.tables.root();
        Ok(BankCounts {
            banks: tables.banks(),
            branches: tables.branches(),
            codes: data.branch_codes.root().count(),
            texts: data.strings.root().len(),
        })
    }

    fn checked(&self) -> Result<&Checked, Arc<OpenError>> {
        self.checked.get(|| self.check().map_err(Arc::new))
    }

    fn check(&self) -> Result<Checked, OpenError> {
        let strings: Section<ArchivedStringTable> = self.file.archive(tag::STRINGS)?;
        let tables: Section<ArchivedBankTables> = self.file.archive(tag::TABLES)?;
        let places = strings.root().check();
        let places = places.map_err(|cause| self.file.malformed(tag::STRINGS, cause))?;
        let in_tables = tables.root().check(&places);
        in_tables.map_err(|fault| self.file.malformed(tag::TABLES, fault))?;
        let codes = |section, rows| {
            self.file.sound_archive(section, |it: &ArchivedCodeIndex| it.check(rows))
        };
        let bank_codes = codes(tag::BANK_CODES, tables.root().banks())?;
        let branch_codes = codes(tag::BRANCH_CODES, tables.root().branches())?;
        Ok(Checked { strings, tables, bank_codes, branch_codes })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankCounts {
    pub banks: usize,
    pub branches: usize,
    /// Number of distinct branch codes, counted per institution.
    pub codes: usize,
    pub texts: usize,
}

#[cfg(test)]
#[path = "bank_damage_tests.rs"]
mod damage_tests;
