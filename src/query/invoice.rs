//! One open version of the register of qualified invoice issuers: look-up by number, and every record for the code
//! that builds on it.

use std::sync::Arc;

use super::corporate::CorporateData;
use crate::index::numbers::{ArchivedNumberIndex, Groups};
use crate::index::row_set::RowSet;
use crate::record::invoice::archive::{ArchivedInvoiceProvenance, ArchivedInvoiceTables};
use crate::record::invoice::{InvoiceView, stored_length, tag};
use crate::snapshot::{
    Blocks, Dataset, DatasetKind, Fault, FirstUse, OpenError, Section, SnapshotFile,
};
use crate::text::codes::{CorporateNumber, DataVersion, InvoiceNumber};

/// An invoice snapshot. Tables and index are checked once, on first use; records block by block.
#[derive(Debug)]
pub struct InvoiceData {
    file: SnapshotFile,
    checked: FirstUse<Checked>,
}

#[derive(Debug)]
struct Checked {
    tables: Section<ArchivedInvoiceTables>,
    numbers: Section<ArchivedNumberIndex>,
    groups: Groups,
    records: Blocks,
}

impl Dataset for InvoiceData {
    const KIND: DatasetKind = DatasetKind::Invoice;

    fn attach(file: SnapshotFile) -> InvoiceData {
        InvoiceData { file, checked: FirstUse::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<(), Arc<OpenError>> {
        self.checked().map(|_checked| ())
    }
}

impl InvoiceData {
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// The record of a number; `None` if the register does not have it.
    pub fn lookup(&self, number: InvoiceNumber) -> Result<Option<InvoiceView<'_>>, Arc<OpenError>> {
        let Some(offset) = self.find(number)? else { return Ok(None) };
        let view = self.at(self.checked()?, offset)?;
        if view.number() == number { Ok(Some(view)) } else { Err(self.malformed(offset)) }
    }

    /// The offset of a number's record; `None` if the register does not have it.
    pub fn find(&self, number: InvoiceNumber) -> Result<Option<u32>, Arc<OpenError>> {
        let data = self.checked()?;
        let found = data.numbers.root().find(&data.groups, number.corporate());
        Ok(found.or_else(|| data.tables.root().individual(number)))
    }

    /// The record at an offset from [`find`](Self::find).
    pub fn record(&self, offset: u32) -> Result<InvoiceView<'_>, Arc<OpenError>> {
        self.at(self.checked()?, offset)
    }

    /// Whether a corporation is registered on a day, such as 20260731.
    pub fn is_registered(
        &self,
        number: CorporateNumber,
        date: u32,
    ) -> Result<bool, Arc<OpenError>> {
        let view = self.lookup(InvoiceNumber::from_corporate(number))?;
        Ok(view.is_some_and(|view| view.is_registered_on(date)))
    }

    /// Every record by number; individuals come last.
    pub fn records(
        &self,
    ) -> Result<impl Iterator<Item = Result<InvoiceView<'_>, Arc<OpenError>>>, Arc<OpenError>> {
        let data = self.checked()?;
        let individuals = data.tables.root().individual_offsets.iter();
        let others = data.numbers.root().iter().map(|(_, offset)| offset);
        let offsets = others.chain(individuals.map(|offset| offset.to_native()));
        Ok(offsets.map(move |offset| self.at(data, offset)))
    }

    /// Every record, and whether it is an individual's; individuals come last.
    pub fn each(&self, mut take: impl FnMut(InvoiceView<'_>, bool)) -> Result<(), Arc<OpenError>> {
        let others = self.counts()?.others;
        for (place, view) in self.records()?.enumerate() {
            take(view?, place >= others);
        }
        Ok(())
    }

    /// The rows of those corporations that are registered on the day of this version.
    pub fn rows_among(&self, corporations: &CorporateData) -> Result<RowSet, Arc<OpenError>> {
        let date = self.version().number();
        let mut numbers = Vec::new();
        self.each(|view, individual| {
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

    pub fn counts(&self) -> Result<InvoiceCounts, Arc<OpenError>> {
        let data = self.checked()?;
        let tables = data.tables.root();
        Ok(InvoiceCounts {
            others: tables.others.to_native() as usize,
            individuals: tables.individuals.len(),
            registered: tables.registered.to_native() as usize,
            places: tables.places.len(),
            record_bytes: data.records.len(),
        })
    }

    fn at<'s>(&'s self, data: &'s Checked, offset: u32) -> Result<InvoiceView<'s>, Arc<OpenError>> {
        let refuse = |fault: Fault| Arc::new(self.file.refuse(fault));
        let start = offset as usize;
        let near = data.records.rest_of_block(start).map_err(refuse)?;
        // A length has a few bytes, which may continue in the next block.
        let stored = match stored_length(near) {
            Some(stored) => Some(stored),
            None => {
                let end = data.records.len().min(start + LENGTH_BYTES_MAX);
                stored_length(data.records.get(start..end).map_err(refuse)?)
            }
        };
        let (length, before) = stored.ok_or_else(|| self.malformed(offset))?;
        let bytes = match near.get(before..before + length) {
            Some(bytes) => bytes,
            None => {
                let range = start + before..start + before + length;
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

    fn checked(&self) -> Result<&Checked, Arc<OpenError>> {
        self.checked.get(|| self.check().map_err(Arc::new))
    }

    fn check(&self) -> Result<Checked, OpenError> {
        let records = self.file.blocks(tag::RECORDS, tag::SUMS)?;
        let check = |it: &ArchivedInvoiceTables| it.check(records.len());
        let tables = self.file.sound_archive(tag::TABLES, check)?;
        let numbers: Section<ArchivedNumberIndex> = self.file.index(tag::NUMBERS)?;
        let others = tables.root().others.to_native() as usize;
        let sound = numbers.root().check(others, records.len());
        sound.map_err(|expected| self.file.unexpected(tag::NUMBERS, expected))?;
        let groups = numbers.root().groups();
        Ok(Checked { tables, numbers, groups, records })
    }
}

/// Most bytes of a length.
const LENGTH_BYTES_MAX: usize = 5;

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

#[cfg(test)]
#[path = "invoice_damage_tests.rs"]
mod damage_tests;
