//! One open version of the register of qualified invoice issuers: look-up by number, and every record for the code
//! that builds on it.

use std::sync::Arc;

use super::record::{ArchivedInvoiceProvenance, ArchivedInvoiceTables, InvoiceView, tag};
use crate::dataset::corporate::CorporateData;
use crate::index::numbers::{ArchivedNumberIndex, GroupTable};
use crate::index::row_set::RowSet;
use crate::record::codec::{LENGTH_BYTES_MAX, stored_length};
use crate::snapshot::{
    Blocks, Dataset, DatasetKind, Fault, LazyValue, OpenError, Result, Section, SnapshotFile,
};
use crate::text::codes::{CorporateNumber, DataVersion, InvoiceNumber};

/// An invoice snapshot. Tables and index are checked once, on first use; records block by block.
#[derive(Debug)]
pub struct InvoiceData {
    file: SnapshotFile,
    sections: LazyValue<Sections>,
}

#[derive(Debug)]
struct Sections {
    tables: Section<ArchivedInvoiceTables>,
    numbers: Section<ArchivedNumberIndex>,
    groups: GroupTable,
    records: Blocks,
}

impl Dataset for InvoiceData {
    const KIND: DatasetKind = DatasetKind::new(4, "invoice");
    /// The change lists.
    const FOLDERS: &'static [&'static str] = &["changes"];

    fn from_file(file: SnapshotFile) -> InvoiceData {
        InvoiceData { file, sections: LazyValue::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<()> {
        self.sections().map(|_sections| ())
    }
}

impl InvoiceData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// The record of a number; `None` if the register does not have it.
    pub fn lookup(&self, number: InvoiceNumber) -> Result<Option<InvoiceView<'_>>> {
        let Some(offset) = self.find_offset(number)? else { return Ok(None) };
        let view = self.read_record(self.sections()?, offset)?;
        if view.number() == number { Ok(Some(view)) } else { Err(self.malformed(offset)) }
    }

    /// The offset of a number's record; `None` if the register does not have it.
    pub fn find_offset(&self, number: InvoiceNumber) -> Result<Option<u32>> {
        let data = self.sections()?;
        let found = data.numbers.root().find(&data.groups, number.corporate());
        Ok(found.or_else(|| data.tables.root().find_individual(number)))
    }

    /// The record at an offset from [`find_offset`](Self::find_offset).
    pub fn record(&self, offset: u32) -> Result<InvoiceView<'_>> {
        self.read_record(self.sections()?, offset)
    }

    /// Whether a corporation is registered on a day, such as 20260731.
    pub fn is_registered(&self, number: CorporateNumber, date: u32) -> Result<bool> {
        let view = self.lookup(InvoiceNumber::from_corporate(number))?;
        Ok(view.is_some_and(|view| view.is_registered_on(date)))
    }

    /// Every record by number; individuals come last.
    pub fn records(&self) -> Result<impl Iterator<Item = Result<InvoiceView<'_>>>> {
        let data = self.sections()?;
        let individuals = data.tables.root().individual_offsets.iter();
        let others = data.numbers.root().iter().map(|(_, offset)| offset);
        let offsets = others.chain(individuals.map(|offset| offset.to_native()));
        Ok(offsets.map(move |offset| self.read_record(data, offset)))
    }

    /// Calls `visit` with every record, and whether it is an individual's; individuals come last.
    pub fn for_each(&self, mut visit: impl FnMut(InvoiceView<'_>, bool)) -> Result<()> {
        let others = self.counts()?.others;
        for (index, view) in self.records()?.enumerate() {
            visit(view?, index >= others);
        }
        Ok(())
    }

    /// The rows of those corporations of a corporate version that are registered on the day of this version.
    pub fn registered_rows(&self, corporations: &CorporateData) -> Result<Arc<RowSet>> {
        let find = || self.find_registered_rows(corporations);
        corporations.issuer_rows().get((self.version(), self.file.fingerprint()), find)
    }

    /// The same rows if they are known. Never waits.
    pub fn known_registered_rows(&self, corporations: &CorporateData) -> Option<Arc<RowSet>> {
        corporations.issuer_rows().known((self.version(), self.file.fingerprint()))
    }

    fn find_registered_rows(&self, corporations: &CorporateData) -> Result<RowSet> {
        let date = self.version().number();
        let mut numbers = Vec::new();
        self.for_each(|view, individual| {
            if !individual && view.is_registered_on(date) {
                numbers.push(view.number().corporate());
            }
        })?;
        let mut rows = RowSet::empty(corporations.row_count()?);
        for number in numbers {
            if let Some(row) = corporations.row_of(number)? {
                rows.insert(row as usize);
            }
        }
        Ok(rows)
    }

    pub fn provenance(&self) -> Result<Section<ArchivedInvoiceProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<InvoiceCounts> {
        let data = self.sections()?;
        let tables = data.tables.root();
        Ok(InvoiceCounts {
            others: tables.others.to_native() as usize,
            individuals: tables.individuals.len(),
            registered: tables.registered.to_native() as usize,
            places: tables.places.len(),
            record_bytes: data.records.len(),
        })
    }

    fn read_record<'s>(&'s self, data: &'s Sections, offset: u32) -> Result<InvoiceView<'s>> {
        let refuse = |fault: Fault| Arc::new(self.file.refuse(fault));
        let start = offset as usize;
        let rest_of_block = data.records.rest_of_block(start).map_err(refuse)?;
        // A length has a few bytes, which may continue in the next block.
        let stored = match stored_length(rest_of_block) {
            Some(stored) => Some(stored),
            None => {
                let end = data.records.len().min(start + LENGTH_BYTES_MAX);
                stored_length(data.records.get(start..end).map_err(refuse)?)
            }
        };
        let (length, length_bytes) = stored.ok_or_else(|| self.malformed(offset))?;
        let bytes = match rest_of_block.get(length_bytes..length_bytes + length) {
            Some(bytes) => bytes,
            None => {
                let range = start + length_bytes..start + length_bytes + length;
                data.records.get(range).map_err(refuse)?
            }
        };
        let view = InvoiceView::read(bytes, Some(data.tables.root()));
        view.ok_or_else(|| self.malformed(offset))
    }

    #[cold]
    fn malformed(&self, offset: u32) -> Arc<OpenError> {
        let cause = format_args!("expected a record at byte {offset}, found other bytes");
        Arc::new(self.file.malformed(tag::RECORDS, cause))
    }

    fn sections(&self) -> Result<&Sections> {
        self.sections.get(|| self.open_sections().map_err(Arc::new))
    }

    fn open_sections(&self) -> Result<Sections, OpenError> {
        let records = self.file.blocks(tag::RECORDS, tag::SUMS)?;
        let check = |it: &ArchivedInvoiceTables| it.check(records.len());
        let tables = self.file.checked_archive(tag::TABLES, check)?;
        let numbers: Section<ArchivedNumberIndex> = self.file.archive(tag::NUMBERS)?;
        let others = tables.root().others.to_native() as usize;
        let checked = numbers.root().check(others, records.len());
        checked.map_err(|expected| self.file.unexpected(tag::NUMBERS, expected))?;
        let groups = numbers.root().group_table();
        Ok(Sections { tables, numbers, groups, records })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoiceCounts {
    /// Number of corporations and associations.
    pub others: usize,
    pub individuals: usize,
    /// How many of both are registered on the day of the version.
    pub registered: usize,
    pub places: usize,
    pub record_bytes: usize,
}
