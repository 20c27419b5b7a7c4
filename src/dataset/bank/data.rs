//! One open version of the bank directory: look-up by code, and lists. [`crate::dataset::bank::search`] compares the names.

use std::sync::Arc;

use rkyv::rend::u32_le;

use super::record::{
    ArchivedBankProvenance, ArchivedBankTables, BankView, EntryView, branch_key, tag,
};
use crate::index::code_index::ArchivedCodeIndex;
use crate::record::strings::ArchivedStringTable;
use crate::snapshot::{Dataset, DatasetKind, LazyValue, OpenError, Result, Section, SnapshotFile};
use crate::text::codes::{BankCode, BranchCode, DataVersion};

/// A bank snapshot. Its content is checked once, on first use.
#[derive(Debug)]
pub struct BankData {
    file: SnapshotFile,
    sections: LazyValue<Sections>,
}

/// The sections. Opening them checks every reference in them.
#[derive(Debug)]
struct Sections {
    strings: Section<ArchivedStringTable>,
    tables: Section<ArchivedBankTables>,
    bank_codes: Section<ArchivedCodeIndex>,
    branch_codes: Section<ArchivedCodeIndex>,
}

impl Dataset for BankData {
    const KIND: DatasetKind = DatasetKind::new(2, "bank");

    fn from_file(file: SnapshotFile) -> BankData {
        BankData { file, sections: LazyValue::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<()> {
        self.sections().map(|_sections| ())
    }
}

impl BankData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// Every institution, in the order of codes.
    pub fn banks(&self) -> Result<impl ExactSizeIterator<Item = BankView<'_>>> {
        let data = self.sections()?;
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let view = move |row| BankView::read(tables, strings, row).expect("a row of the table");
        Ok((0..tables.banks()).map(view))
    }

    pub fn bank(&self, code: BankCode) -> Result<Option<BankView<'_>>> {
        let data = self.sections()?;
        let row = data.bank_codes.root().find(u32::from(code.number())).first();
        let (tables, strings) = (data.tables.root(), data.strings.root());
        Ok(row.and_then(|row| BankView::read(tables, strings, row.to_native() as usize)))
    }

    /// The branches of a code in the source's order; empty if the code is unknown.
    pub fn branch(
        &self,
        bank: BankCode,
        branch: BranchCode,
    ) -> Result<impl ExactSizeIterator<Item = EntryView<'_>> + Clone> {
        let data = self.sections()?;
        let key = branch_key(bank.number(), branch.number());
        let (tables, strings) = (data.tables.root(), data.strings.root());
        let view =
            move |row: &u32_le| EntryView::read_branch(tables, strings, row.to_native() as usize);
        let rows = data.branch_codes.root().find(key).iter();
        Ok(rows.map(move |row| view(row).expect("a row of the table")))
    }

    pub fn provenance(&self) -> Result<Section<ArchivedBankProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<BankCounts> {
        let data = self.sections()?;
        let tables = data.tables.root();
        Ok(BankCounts {
            banks: tables.banks(),
            branches: tables.branches(),
            codes: data.branch_codes.root().count(),
            texts: data.strings.root().count(),
        })
    }

    fn sections(&self) -> Result<&Sections> {
        self.sections.get(|| self.open_sections().map_err(Arc::new))
    }

    fn open_sections(&self) -> Result<Sections, OpenError> {
        let strings: Section<ArchivedStringTable> = self.file.archive(tag::STRINGS)?;
        let tables: Section<ArchivedBankTables> = self.file.archive(tag::TABLES)?;
        let text_starts = strings.root().check();
        let text_starts = text_starts.map_err(|cause| self.file.malformed(tag::STRINGS, cause))?;
        let checked = tables.root().check(&text_starts);
        checked.map_err(|fault| self.file.malformed(tag::TABLES, fault))?;
        let codes = |section, rows| {
            self.file.checked_archive(section, |it: &ArchivedCodeIndex| it.check(rows))
        };
        let bank_codes = codes(tag::BANK_CODES, tables.root().banks())?;
        let branch_codes = codes(tag::BRANCH_CODES, tables.root().branches())?;
        Ok(Sections { strings, tables, bank_codes, branch_codes })
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
