//! One version of the corporate data, open: look-up by number, and every row for those that build on it.

use std::sync::Arc;

use super::corporate_search::Searchable;
use crate::index::corporate_texts::{POST_CODES, TextField};
use crate::index::numbers::ArchivedNumberIndex;
use crate::record::corporate::archive::{ArchivedCorporateProvenance, ArchivedCorporateTables};
use crate::record::corporate::{CorporateView, PlaceView, tag};
use crate::snapshot::{
    Blocks, Dataset, DatasetKind, Fault, FirstUse, OpenError, Section, SnapshotFile, Tag,
};
use crate::text::codes::{CorporateNumber, DataVersion};

/// A corporate snapshot. Tables and index are checked on first use, once; records block by block.
#[derive(Debug)]
pub struct CorporateData {
    file: SnapshotFile,
    checked: FirstUse<Checked>,
    searchable: FirstUse<Searchable>,
}

#[derive(Debug)]
struct Checked {
    tables: Section<ArchivedCorporateTables>,
    numbers: Section<ArchivedNumberIndex>,
    records: Blocks,
}

impl Dataset for CorporateData {
    const KIND: DatasetKind = DatasetKind::Corporate;

    fn attach(file: SnapshotFile) -> CorporateData {
        CorporateData { file, checked: FirstUse::default(), searchable: FirstUse::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.file
    }

    fn prepare(&self) -> Result<(), Arc<OpenError>> {
        self.checked()?;
        // Damage must not become the default; what these say is checked by the first search. What is
        // compared block by block is too large to be read here.
        let archives = TextField::ALL.map(|field| field.sections().grams);
        for section in
            [POST_CODES, tag::NAME_DIRECTORY, tag::ATTRIBUTES].into_iter().chain(archives)
        {
            self.file.section(section)?;
        }
        Ok(())
    }
}

impl CorporateData {
    /// The data version.
    pub fn version(&self) -> DataVersion {
        self.file.version()
    }

    /// The corporation of a number; none where the number is unknown.
    #[inline]
    pub fn lookup(
        &self,
        number: CorporateNumber,
    ) -> Result<Option<CorporateView<'_>>, Arc<OpenError>> {
        let data = self.checked()?;
        let Some((row, rank)) = data.numbers.root().find(number) else { return Ok(None) };
        let place = data.tables.root().place(row);
        let place = place.ok_or_else(|| self.malformed(tag::TABLES, row))?;
        self.read(data, row, place, rank + 1).map(Some)
    }

    /// The corporation of a row; `None` past the last.
    pub fn row(&self, row: u32) -> Result<Option<CorporateView<'_>>, Arc<OpenError>> {
        let data = self.checked()?;
        let Some(place) = data.tables.root().place(row) else { return Ok(None) };
        if row as usize >= data.tables.root().rows() {
            return Ok(None);
        }
        let view = self.read(data, row, place, 0)?;
        let found = data.numbers.root().find(view.number());
        let (_, rank) = found.ok_or_else(|| self.malformed(tag::NUMBERS, row))?;
        self.read(data, row, place, rank + 1).map(Some)
    }

    /// The corporation of a row without place and sequence number; a fault past the last.
    #[inline]
    pub(super) fn record(&self, row: u32) -> Result<CorporateView<'_>, Arc<OpenError>> {
        self.read(self.checked()?, row, PlaceView::none(), 0)
    }

    /// The name of a row.
    pub(super) fn name(&self, row: u32) -> Result<&str, Fault> {
        let malformed = || Fault::Malformed { section: tag::RECORDS, cause: "no such row".into() };
        let data = self.checked().map_err(|_refused_before| malformed())?;
        let range = data.tables.root().range(row).ok_or_else(malformed)?;
        let view = CorporateView::read(data.records.get(range)?, PlaceView::none(), 0);
        Ok(view.ok_or_else(malformed)?.name().text)
    }

    /// The row of a number.
    pub(super) fn row_of(&self, number: CorporateNumber) -> Result<Option<u32>, Arc<OpenError>> {
        Ok(self.checked()?.numbers.root().find(number).map(|(row, _)| row))
    }

    /// Gives every number with its row to `take`, in the order of rows.
    pub(super) fn each_number(
        &self,
        mut take: impl FnMut(CorporateNumber, u32),
    ) -> Result<(), Arc<OpenError>> {
        for row in 0..self.row_count()? as u32 {
            take(self.record(row)?.number(), row);
        }
        Ok(())
    }

    /// How many rows there are.
    pub(super) fn row_count(&self) -> Result<usize, Arc<OpenError>> {
        Ok(self.checked()?.tables.root().rows())
    }

    /// What the search reads, checked on first use.
    pub(super) fn searchable(&self) -> Result<&Searchable, Arc<OpenError>> {
        self.searchable.get(|| self.open_search())
    }

    /// Gives every corporation in the order of rows to `take`, without its sequence number.
    pub fn each(&self, mut take: impl FnMut(CorporateView<'_>)) -> Result<(), Arc<OpenError>> {
        let data = self.checked()?;
        for (place, rows) in data.tables.root().places() {
            for row in rows {
                take(self.read(data, row, place, 0)?);
            }
        }
        Ok(())
    }

    /// Every place in the order of rows, with its rows.
    pub fn places(
        &self,
    ) -> Result<impl Iterator<Item = (PlaceView<'_>, std::ops::Range<u32>)>, Arc<OpenError>> {
        Ok(self.checked()?.tables.root().places())
    }

    /// What the snapshot was made with.
    pub fn provenance(&self) -> Result<Section<ArchivedCorporateProvenance>, OpenError> {
        self.file.archive(tag::PROVENANCE)
    }

    /// Counts for `daicho snapshot inspect`.
    pub fn counts(&self) -> Result<CorporateCounts, Arc<OpenError>> {
        let data = self.checked()?;
        let tables = data.tables.root();
        Ok(CorporateCounts {
            corporations: tables.rows(),
            closed: tables.closed.to_native() as usize,
            places: tables.places().count(),
            record_bytes: data.records.len(),
        })
    }

    #[inline]
    fn read<'s>(
        &self,
        data: &'s Checked,
        row: u32,
        place: PlaceView<'s>,
        sequence_number: u32,
    ) -> Result<CorporateView<'s>, Arc<OpenError>> {
        let malformed = || self.malformed(tag::RECORDS, row);
        let range = data.tables.root().range(row).ok_or_else(malformed)?;
        let bytes = data.records.get(range).map_err(|fault| Arc::new(self.file.refuse(fault)))?;
        CorporateView::read(bytes, place, sequence_number).ok_or_else(malformed)
    }

    #[cold]
    fn malformed(&self, section: Tag, row: u32) -> Arc<OpenError> {
        Arc::new(self.file.malformed(section, format_args!("row {row} is none")))
    }

    fn checked(&self) -> Result<&Checked, Arc<OpenError>> {
        self.checked.get(|| self.check().map_err(Arc::new))
    }

    fn check(&self) -> Result<Checked, OpenError> {
        let tables: Section<ArchivedCorporateTables> = self.file.archive(tag::TABLES)?;
        let numbers: Section<ArchivedNumberIndex> = self.file.archive(tag::NUMBERS)?;
        let records = self.file.blocks(tag::RECORDS, tag::SUMS)?;
        let malformed = |section| {
            move |expected: &str| self.file.malformed(section, format_args!("expected {expected}"))
        };
        tables.root().check(records.len()).map_err(malformed(tag::TABLES))?;
        let rows = tables.root().rows();
        numbers.root().check(rows).map_err(malformed(tag::NUMBERS))?;
        Ok(Checked { tables, numbers, records })
    }
}

/// How much a corporate snapshot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorporateCounts {
    /// Corporations.
    pub corporations: usize,
    /// Of those, how many are closed.
    pub closed: usize,
    /// Places.
    pub places: usize,
    /// Bytes of the records.
    pub record_bytes: usize,
}

#[cfg(test)]
#[path = "corporate_damage_tests.rs"]
mod damage_tests;
