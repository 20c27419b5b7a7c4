//! One open version of the corporate data: look-up by number, and every row for the code that builds on it.
//!
//! Rows are in the order of places, their records in the file in the order of names. So a pass over all rows reads the file
//! in no order, and the system keeps it in memory until [`CorporateData::release_records`].

use std::ops::Range;
use std::sync::Arc;

use super::aliases::Aliases;
use super::fragments::PlaceFragments;
use super::issuer_rows::IssuerRows;
use super::matching::place::Municipalities;
use super::record::{CorporateHead, CorporateView, OfficePlaceView, StoredRecord, tag};
use super::search::search_index::{LooseIndex, NameSections, SuggestIndex, loose_key_of};
use super::syntax::{POST_CODES, TextField};
use crate::dataset::corporate::record::archive::{
    ArchivedCorporateProvenance, ArchivedCorporateTables,
};
use crate::dataset::corporate::record::former_names::ArchivedFormerNames;
use crate::dataset::corporate::search::search_index::SearchIndex;
use crate::dataset::reading::Reading;
use crate::index::grams::Reader;
use crate::index::key_order::KeyOrder;
use crate::index::loose_names::{LooseNames, LooseOrder};
use crate::index::name_order::NameOrder;
use crate::index::numbers::{ArchivedNumberIndex, GroupTable};
use crate::record::CodedText;
use crate::snapshot::{
    Blocks, Dataset, DatasetKind, Fault, LazyValue, OpenError, Result, Section, SnapshotFile,
};
use crate::text::codes::{CorporateNumber, DataVersion};
use crate::text::loose_name::{loose_key, reversed};

/// The length of most stored records is less than this; the mean is 61 bytes.
const USUAL_RECORD_BYTES: usize = 128;

/// A pass over many rows prefetches the record of the row so many rows ahead.
const ROWS_AHEAD: u32 = 32;

/// A corporate snapshot, with the operator's aliases. Tables and index are checked once, on first use; records block by
/// block.
#[derive(Debug)]
pub struct CorporateData {
    opened: Arc<OpenedFile>,
    aliases: Aliases,
}

/// The snapshot, which data with other aliases share.
#[derive(Debug)]
struct OpenedFile {
    file: SnapshotFile,
    sections: LazyValue<Sections>,
    names: LazyValue<Arc<NameSections>>,
    search_index: LazyValue<SearchIndex>,
    suggest_index: LazyValue<SuggestIndex>,
    former_names: LazyValue<Option<Section<ArchivedFormerNames>>>,
    former_keys: LazyValue<Vec<String>>,
    loose_index: LazyValue<LooseIndex>,
    municipalities: LazyValue<Municipalities>,
    fragments: LazyValue<PlaceFragments>,
    issuer_rows: IssuerRows,
}

#[derive(Debug)]
struct Sections {
    tables: Section<ArchivedCorporateTables>,
    numbers: Section<ArchivedNumberIndex>,
    groups: GroupTable,
    records: Blocks,
}

impl Dataset for CorporateData {
    const KIND: DatasetKind = DatasetKind::new(3, "corporate");
    /// The change lists.
    const FOLDERS: &'static [&'static str] = &["changes"];

    fn from_file(file: SnapshotFile) -> CorporateData {
        let opened = OpenedFile {
            file,
            sections: LazyValue::default(),
            names: LazyValue::default(),
            search_index: LazyValue::default(),
            suggest_index: LazyValue::default(),
            former_names: LazyValue::default(),
            former_keys: LazyValue::default(),
            loose_index: LazyValue::default(),
            municipalities: LazyValue::default(),
            fragments: LazyValue::default(),
            issuer_rows: IssuerRows::default(),
        };
        CorporateData { opened: Arc::new(opened), aliases: Aliases::default() }
    }

    fn file(&self) -> &SnapshotFile {
        &self.opened.file
    }

    fn fingerprint(&self) -> u32 {
        self.file().fingerprint() ^ self.aliases.fingerprint
    }

    fn prepare(&self) -> Result<()> {
        self.sections()?;
        // A damaged snapshot must not become the default version; the first search checks the other sections.
        let archives = TextField::ALL.map(|field| field.sections().grams);
        let others = [
            POST_CODES,
            tag::NAME_DIRECTORY,
            tag::SUGGESTED_DIRECTORY,
            tag::LOOSE_DIRECTORY,
            tag::ATTRIBUTES,
        ];
        for section in others.into_iter().chain(archives) {
            self.opened.file.verify_section(section)?;
        }
        Ok(())
    }
}

impl CorporateData {
    /// The same snapshot with other aliases.
    pub fn with_aliases(&self, aliases: Aliases) -> CorporateData {
        CorporateData { opened: Arc::clone(&self.opened), aliases }
    }

    /// The operator's aliases.
    pub fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    pub fn version(&self) -> DataVersion {
        self.opened.file.version()
    }

    /// The corporation of a number; `None` if the number is unknown.
    #[inline]
    pub fn lookup(&self, number: CorporateNumber) -> Result<Option<CorporateView<'_>>> {
        let row = self.row_of(number)?;
        row.map(|row| self.record_of(row, number)).transpose()
    }

    /// The record of the row that [`row_of`](Self::row_of) returned for this number.
    #[inline]
    pub fn record_of(&self, row: u32, number: CorporateNumber) -> Result<CorporateView<'_>> {
        let data = self.sections()?;
        let stored = self.stored(data, row)?.filter(|stored| stored.has_number(number));
        let head = stored.and_then(|stored| self.head(data, stored));
        let view = head.and_then(CorporateView::from_head);
        view.ok_or_else(|| self.malformed(number))
    }

    /// Starts loading what [`row_of`](Self::row_of) reads for a number; nothing while the index is not open.
    #[inline]
    pub fn prefetch_row(&self, number: CorporateNumber) {
        if let Some(data) = self.opened.sections.loaded() {
            data.numbers.root().prefetch(&data.groups, number);
        }
    }

    /// The row of a number, without reading its record; `None` if the number is unknown.
    #[inline]
    pub fn row_of(&self, number: CorporateNumber) -> Result<Option<u32>> {
        let data = self.sections()?;
        Ok(data.numbers.root().find(&data.groups, number))
    }

    /// The corporation of a row; `None` past the last.
    pub fn row(&self, row: u32) -> Result<Option<CorporateView<'_>>> {
        let exists = (row as usize) < self.row_count()?;
        exists.then(|| self.record(row)).transpose()
    }

    /// The corporation of a row; an error past the last.
    #[inline]
    pub fn record(&self, row: u32) -> Result<CorporateView<'_>> {
        self.whole_record(row, self.record_head(row)?)
    }

    /// As [`record`](Self::record), for a build that reads few rows in no order.
    pub fn record_at_random(&self, row: u32) -> Result<CorporateView<'_>> {
        let data = self.sections()?;
        if let Some(start) = data.tables.root().start(row) {
            data.records.count_random_read(start);
        }
        self.record(row)
    }

    /// The front of a row's record: of many rows most are known not to be meant by it.
    #[inline]
    pub fn record_head(&self, row: u32) -> Result<CorporateHead<'_>> {
        let data = self.sections()?;
        let head = self.stored(data, row)?.and_then(|stored| self.head(data, stored));
        head.ok_or_else(|| self.malformed(format_args!("row {row}")))
    }

    /// The whole record of a front that [`record_head`](Self::record_head) gave for this row.
    pub fn whole_record<'s>(&self, row: u32, head: CorporateHead<'s>) -> Result<CorporateView<'s>> {
        CorporateView::from_head(head).ok_or_else(|| self.malformed(format_args!("row {row}")))
    }

    pub fn row_count(&self) -> Result<usize> {
        Ok(self.sections()?.tables.root().rows())
    }

    /// The name of a row, for reading many names; an error past the last.
    pub fn name(&self, row: u32) -> Result<String, Fault> {
        Ok(self.coded_name(row)?.to_string())
    }

    /// The reading of a row's name, like [`Self::name`]; empty if it has none.
    pub fn reading(&self, row: u32) -> Result<String, Fault> {
        Ok(self.stored_reading(row)?.to_string())
    }

    /// As [`reading`](Self::reading), in its stored form.
    pub fn stored_reading(&self, row: u32) -> Result<Reading<'_>, Fault> {
        self.head_without_place(row)?.reading().ok_or_else(|| no_record(row))
    }

    /// As [`name`](Self::name), in its stored form.
    pub fn coded_name(&self, row: u32) -> Result<CodedText<'_>, Fault> {
        Ok(self.head_without_place(row)?.name())
    }

    /// The address of a row below its municipality, in its stored form.
    pub fn coded_street(&self, row: u32) -> Result<CodedText<'_>, Fault> {
        self.head_without_place(row)?.read_street().ok_or_else(|| no_record(row))
    }

    pub fn is_closed(&self, row: u32) -> Result<bool, Fault> {
        Ok(self.head_without_place(row)?.is_closed())
    }

    fn head_without_place(&self, row: u32) -> Result<CorporateHead<'_>, Fault> {
        let malformed = || no_record(row);
        // If the tables were damaged, nobody could have got a row.
        let data = self.sections().map_err(|_refused_before| malformed())?;
        let stored = data.stored(row)?.ok_or_else(malformed)?;
        CorporateHead::read(stored.bytes, OfficePlaceView::none(), 0).ok_or_else(malformed)
    }

    /// For each row, the bits that `bits_of` returns for its number; no record is read. `bits_of` gets each number
    /// without its check digit; its error ends the pass.
    pub fn bits_by_number<E: From<Arc<OpenError>>>(
        &self,
        mut bits_of: impl FnMut(u64) -> Result<u64, E>,
    ) -> Result<Vec<u64>, E> {
        let data = self.sections()?;
        let mut bits_by_row = vec![0; data.tables.root().rows()];
        for (body, row) in data.numbers.root().bodies() {
            let bits = bits_of(body)?;
            if bits != 0
                && let Some(row_bits) = bits_by_row.get_mut(row as usize)
            {
                *row_bits |= bits;
            }
        }
        Ok(bits_by_row)
    }

    /// All numbers with their rows, ordered without their check digits.
    pub fn numbers(&self) -> Result<impl Iterator<Item = (CorporateNumber, u32)>> {
        Ok(self.sections()?.numbers.root().iter())
    }

    /// A row in its stored form; an error past the last.
    #[inline]
    pub fn stored_record(&self, row: u32) -> Result<StoredRecord<'_>> {
        let stored = self.stored(self.sections()?, row)?;
        stored.ok_or_else(|| self.malformed(format_args!("row {row}")))
    }

    /// Where the record of a row is in its section; the end of the section past the last row.
    pub fn record_start(&self, row: u32) -> Result<usize> {
        let data = self.sections()?;
        Ok(data.tables.root().start(row).unwrap_or(data.records.len()))
    }

    /// The rows in the order in which the file has their records: that of names, the hidden ones last.
    pub fn rows_as_stored(&self) -> Result<Vec<u32>> {
        let (order, count) = (self.name_order()?, self.row_count()? as u32);
        let mut rows = Vec::with_capacity(count as usize);
        let mut read = || -> Result<(), Fault> {
            rows.extend(order.rows(0..order.places)?);
            for row in 0..count {
                if order.form(row)?.is_none() {
                    rows.push(row);
                }
            }
            Ok(())
        };
        read().map_err(|fault| self.refuse(fault))?;
        Ok(rows)
    }

    /// Rows in their stored form, for a pass over many; an error past the last. The memory that it reads is released by
    /// [`release_records`](Self::release_records).
    pub fn stored_rows(
        &self,
        rows: Range<u32>,
    ) -> Result<impl Iterator<Item = Result<StoredRecord<'_>>>> {
        Ok(rows.map(move |row| {
            self.prefetch_head(row + ROWS_AHEAD);
            self.stored_record(row)
        }))
    }

    /// After a pass over many rows: returns the memory of the file's records to the system.
    pub fn release_records(&self) -> Result<()> {
        self.sections()?.records.release();
        Ok(())
    }

    /// Starts loading the front of a row's record into the processor's cache.
    #[inline]
    pub fn prefetch_head(&self, row: u32) {
        if let Some(data) = self.opened.sections.loaded()
            && let Some(start) = data.tables.root().start(row)
        {
            data.records.prefetch_to_cache(start..start + USUAL_RECORD_BYTES);
        }
    }

    /// As [`prefetch_head`](Self::prefetch_head), of rows that are read next.
    pub fn prefetch_heads(&self, rows: &[u32]) {
        rows.iter().for_each(|row| self.prefetch_head(*row));
    }

    /// Prefetches the records of rows without waiting, so that reading them waits for the disk once, not once per row.
    pub fn prefetch(&self, rows: &[u32]) -> Result<()> {
        let data = self.sections()?;
        let starts = rows.iter().filter_map(|row| data.tables.root().start(*row));
        starts.for_each(|start| data.records.prefetch(start..start + USUAL_RECORD_BYTES));
        Ok(())
    }

    pub fn is_lookup_checked(&self) -> bool {
        self.opened.sections.is_loaded()
    }

    /// Whether the sections of searches are already checked, which the first search of a version does.
    pub fn is_search_checked(&self) -> bool {
        self.opened.search_index.is_loaded()
    }

    /// The name order, from which a build makes the name order of the next version.
    pub fn name_order(&self) -> Result<NameOrder<'_>> {
        Ok(self.names()?.order())
    }

    /// The reading order, from which a build makes the reading order of the next version.
    pub fn reading_order(&self) -> Result<KeyOrder<'_>> {
        Ok(self.suggest_index()?.readings())
    }

    /// The index of a searched text, from which a build makes the index of the next version.
    pub fn text_index(&self, field: TextField) -> Result<Reader<'_>> {
        Ok(self.search_index()?.texts[field as usize].reader())
    }

    pub fn search_index(&self) -> Result<&SearchIndex> {
        let tables = self.sections()?.tables.root();
        self.opened.search_index.get(|| {
            SearchIndex::open(&self.opened.file, tables, Arc::clone(self.names()?))
                .map_err(Arc::new)
        })
    }

    pub fn suggest_index(&self) -> Result<&SuggestIndex> {
        self.opened.suggest_index.get(|| {
            SuggestIndex::open(&self.opened.file, Arc::clone(self.names()?)).map_err(Arc::new)
        })
    }

    /// The former names; `None` if the snapshot was built from full files alone, which have none.
    pub fn former_names(&self) -> Result<Option<&ArchivedFormerNames>> {
        let rows = self.row_count()?;
        let names = self.opened.former_names.get(|| {
            if !self.opened.file.has_section(tag::FORMER_NAMES) {
                return Ok(None);
            }
            let check = |it: &ArchivedFormerNames| it.check(rows);
            self.opened.file.checked_archive(tag::FORMER_NAMES, check).map(Some).map_err(Arc::new)
        })?;
        Ok(names.as_ref().map(Section::root))
    }

    /// The loose keys of the former names; none if the snapshot has no former names.
    pub fn former_keys(&self) -> Result<&[String]> {
        let names = self.former_names()?;
        let keys = || Ok(names.map(ArchivedFormerNames::loose_keys).unwrap_or_default());
        self.opened.former_keys.get(keys).map(Vec::as_slice)
    }

    /// The former name of an index, for answers.
    pub fn former_name(&self, index: Option<u32>) -> Result<Option<&str>> {
        let Some(index) = index else { return Ok(None) };
        Ok(self.former_names()?.and_then(|names| names.get(index)).map(|entry| entry.name.as_str()))
    }

    /// The municipalities with which addresses are compared.
    pub fn municipalities(&self) -> Result<&Municipalities> {
        let read = || {
            let cities = self.places()?.map(|(place, _)| place.city());
            Ok(Municipalities::new(self.search_index()?.places.areas.all(), cities))
        };
        self.opened.municipalities.get(read)
    }

    /// The orders of loose names.
    pub fn loose_names(&self) -> Result<LooseNames<'_>> {
        let rows = self.row_count()?;
        let open = || LooseIndex::open(&self.opened.file, rows).map_err(Arc::new);
        Ok(self.opened.loose_index.get(open)?.names())
    }

    /// The key of a row in an order of loose names.
    pub fn loose_key(&self, order: LooseOrder, row: u32) -> Result<String, Fault> {
        let head = self.head_without_place(row)?;
        // The name is at the front of a record, so the rest need not be read.
        match order {
            LooseOrder::Name => Ok(loose_key(&head.name().to_string())),
            LooseOrder::End => Ok(reversed(&loose_key(&head.name().to_string()))),
            LooseOrder::English | LooseOrder::Sound => {
                let view = CorporateView::from_head(head).ok_or_else(|| no_record(row))?;
                Ok(loose_key_of(order, view))
            }
        }
    }

    fn names(&self) -> Result<&Arc<NameSections>> {
        let rows = self.row_count()?;
        self.opened
            .names
            .get(|| NameSections::open(&self.opened.file, rows).map(Arc::new).map_err(Arc::new))
    }

    /// Calls `visit` with every corporation in the order of rows.
    pub fn for_each(&self, mut visit: impl FnMut(CorporateView<'_>)) -> Result<()> {
        for row in 0..self.row_count()? as u32 {
            self.prefetch_head(row + ROWS_AHEAD);
            visit(self.record(row)?);
        }
        self.release_records()
    }

    /// Every place in the order of rows, with its rows.
    pub fn places(&self) -> Result<impl Iterator<Item = (OfficePlaceView<'_>, Range<u32>)>> {
        Ok(self.sections()?.tables.root().places())
    }

    /// Writes the members of its places, unless they are written.
    pub fn prepare_fragments(&self) -> Result<&PlaceFragments> {
        self.opened.fragments.get(|| {
            let places = self.places()?.map(|(place, _rows)| place);
            Ok(PlaceFragments::new(places))
        })
    }

    /// The members of its places as far as they are prepared.
    pub fn fragments(&self) -> &PlaceFragments {
        self.opened.fragments.loaded().unwrap_or(PlaceFragments::NONE)
    }

    /// Which of its rows are registered in versions of the register of invoice issuers.
    pub fn issuer_rows(&self) -> &IssuerRows {
        &self.opened.issuer_rows
    }

    pub fn provenance(&self) -> Result<Section<ArchivedCorporateProvenance>, OpenError> {
        self.opened.file.archive(tag::PROVENANCE)
    }

    pub fn counts(&self) -> Result<CorporateCounts> {
        let data = self.sections()?;
        let tables = data.tables.root();
        Ok(CorporateCounts {
            corporations: tables.rows(),
            closed: tables.closed.to_native() as usize,
            places: tables.places().count(),
            record_bytes: data.records.len(),
        })
    }

    #[inline]
    fn stored<'s>(&self, data: &'s Sections, row: u32) -> Result<Option<StoredRecord<'s>>> {
        data.stored(row).map_err(|fault| self.refuse(fault))
    }

    #[inline]
    fn head<'s>(&self, data: &'s Sections, stored: StoredRecord<'s>) -> Option<CorporateHead<'s>> {
        let place = data.tables.root().place(stored.place)?;
        let mut head = CorporateHead::read(stored.bytes, place, stored.rank + 1)?;
        (head.is_issuer, head.published) = (stored.issuer, stored.published);
        Some(head)
    }

    #[cold]
    fn refuse(&self, fault: Fault) -> Arc<OpenError> {
        Arc::new(self.opened.file.refuse(fault))
    }

    #[cold]
    fn malformed(&self, of: impl std::fmt::Display) -> Arc<OpenError> {
        let cause = format_args!("expected the record of {of}, found other bytes");
        Arc::new(self.opened.file.malformed(tag::RECORDS, cause))
    }

    fn sections(&self) -> Result<&Sections> {
        self.opened.sections.get(|| self.open_sections().map_err(Arc::new))
    }

    fn open_sections(&self) -> Result<Sections, OpenError> {
        let records = self.opened.file.blocks(tag::RECORDS, tag::SUMS)?;
        let check = |it: &ArchivedCorporateTables| it.check(records.len());
        let tables = self.opened.file.checked_archive(tag::TABLES, check)?;
        let numbers: Section<ArchivedNumberIndex> = self.opened.file.archive(tag::NUMBERS)?;
        let rows = tables.root().rows();
        let checked = numbers.root().check(rows, rows);
        checked.map_err(|expected| self.opened.file.unexpected(tag::NUMBERS, expected))?;
        let groups = numbers.root().group_table();
        Ok(Sections { tables, numbers, groups, records })
    }
}

impl Sections {
    /// A row in its stored form; `None` past the last row, or if the bytes at its place are no record.
    #[inline]
    fn stored(&self, row: u32) -> Result<Option<StoredRecord<'_>>, Fault> {
        let Some(start) = self.tables.root().start(row) else { return Ok(None) };
        match StoredRecord::read(self.records.rest_of_block(start)?) {
            Some(stored) => Ok(Some(stored)),
            None => self.stored_in_blocks(start),
        }
    }

    /// A stored record that spans several blocks.
    #[cold]
    fn stored_in_blocks(&self, start: usize) -> Result<Option<StoredRecord<'_>>, Fault> {
        let end = self.records.len();
        let front = self.records.get(start..end.min(start + StoredRecord::FRONT_MAX))?;
        let Some(length) = StoredRecord::length(front) else { return Ok(None) };
        Ok(StoredRecord::read(self.records.get(start..start.saturating_add(length))?))
    }
}

fn no_record(row: u32) -> Fault {
    let cause = format!("expected the record of row {row}, found other bytes");
    Fault::Malformed { section: tag::RECORDS, cause }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorporateCounts {
    pub corporations: usize,
    pub closed: usize,
    pub places: usize,
    pub record_bytes: usize,
}
