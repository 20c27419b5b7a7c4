//! The records of a snapshot, with the parts of their addresses. They are written to a scratch file in the order of rows,
//! from which every index reads them; then to the snapshot in the order of names.
//!
//! Normalising addresses is most of the work, so threads share the rows, chunk by chunk. The result does not depend on
//! the number of threads or chunks. A kept row is copied from the base.
//!
//! Which corporations are qualified invoice issuers comes from the register and its differences: a number's newest
//! published entry counts. It is registered from its registration date until it lapses or is revoked. Events after the
//! date of the data version do not count.

use std::{collections::HashMap, num::NonZero, ops::Range, path::Path, thread};

use build_tools::Kind;
use build_tools::invoice::{DELETED, Holder, InvoiceRow, read_invoice};
use build_tools::stream::Input;

use super::rows::{BaseRows, Rows};
use super::state::Entry;
use crate::compile::target::Build;
use crate::compile::{CompileError, Result};
use crate::dataset::corporate::record::archive::ABROAD;
use crate::dataset::corporate::record::fields;
use crate::dataset::corporate::record::{
    CorporateHead, CorporateProvenance, CorporateView, OfficePlaceView, StoredRecord, tag,
};
use crate::dataset::invoice::compile::registration;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::municipalities::Normaliser;
use crate::index::renumbering::{KeptRows, RowRun};
use crate::snapshot::{
    RandomReads, Scratch, ScratchWriter, SnapshotFileWriter, StreamedSection, prefetch_to_cache,
};
use crate::text::codes::{CorporateNumber, DataVersion};

pub struct Records {
    bytes: Scratch,
    /// The offset of each row's record in the scratch file, and the end of the last.
    offsets: Vec<u32>,
    /// The number of each row.
    pub numbers: Vec<CorporateNumber>,
    pub closed: u32,
}

/// The sources of a snapshot beside its rows.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub provenance: &'a CorporateProvenance,
    pub postal: Option<&'a PostalData>,
    /// The register of issuers; `None` keeps the register of the base.
    pub issuers: Option<&'a Issuers>,
}

/// Rows that a thread makes into records at a time: some megabytes.
const CHUNK_ROWS: u32 = 1 << 15;

/// Bytes of records that are appended to a snapshot at once.
const PART_BYTES: usize = 1 << 18;

/// How many rows before it is copied a record is prefetched.
const ROWS_AHEAD: usize = 16;

impl Records {
    /// Makes the records of all rows and writes them to a scratch file in this folder.
    pub fn make(rows: &Rows<'_>, sources: Sources<'_>, folder: &Path) -> Result<Records> {
        let mut writer = RecordWriter::new(folder, rows.len() as usize)?;
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let starts = (0..rows.len()).step_by(CHUNK_ROWS as usize);
        let mut ranges = starts.map(|start| start..rows.len().min(start + CHUNK_ROWS));
        let mut finished: Vec<Chunk> = Vec::new();
        // Written chunks, whose buffers are filled again in the round after the next: memory that one thread allocates
        // and another frees would stay with the allocator.
        let mut written: Vec<Chunk> = Vec::new();
        loop {
            let round: Vec<_> = ranges.by_ref().take(threads).collect();
            if round.is_empty() && finished.is_empty() {
                break;
            }
            // The chunks of a round are made while the chunks of the round before are written.
            let next = thread::scope(|scope| {
                let start = |range| {
                    let buffers = written.pop().unwrap_or_default();
                    scope.spawn(move || fill_chunk(rows, range, sources, buffers))
                };
                let running: Vec<_> = round.into_iter().map(start).collect();
                finished.iter().try_for_each(|chunk| writer.append(chunk))?;
                let join = |handle: thread::ScopedJoinHandle<'_, _>| {
                    handle.join().expect("records are made without panic")
                };
                running.into_iter().map(join).collect::<Result<_, CompileError>>()
            })?;
            written = std::mem::replace(&mut finished, next);
        }
        if let Some(base_rows) = rows.base() {
            base_rows.base.data.release_records()?;
        }
        writer.finish()
    }

    /// Appends the sections of the records to a snapshot. `order` has each row once. Returns the start of each row's record
    /// in the section. The scratch file stays in memory meanwhile: nothing else needs much then.
    pub fn append_sections(
        self,
        order: &[u32],
        snapshot: &mut SnapshotFileWriter,
    ) -> Result<Vec<u32>> {
        let bytes = self.bytes.all();
        let mut starts = vec![0; self.offsets.len() - 1];
        let mut section = StreamedSection::new(snapshot, tag::RECORDS);
        let (mut part, mut appended) = (Vec::with_capacity(2 * PART_BYTES), 0);
        for (index, row) in order.iter().enumerate() {
            if let Some(ahead) = order.get(index + ROWS_AHEAD) {
                prefetch_to_cache(&bytes[self.range(*ahead)]);
            }
            starts[*row as usize] = (appended + part.len()) as u32;
            part.extend_from_slice(&bytes[self.range(*row)]);
            if part.len() >= PART_BYTES {
                section.append(&part)?;
                appended += part.len();
                part.clear();
            }
        }
        section.append(&part)?;
        section.finish(tag::SUMS)?;
        Ok(starts)
    }

    pub fn rows(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The record of a row, for a pass over all rows in order.
    #[inline]
    pub fn view(&self, row: u32) -> CorporateView<'_> {
        read(self.bytes.get(self.range(row)))
    }

    /// For a reader of few rows, or of rows in no order.
    pub fn at_random(&self) -> RandomRecords<'_> {
        RandomRecords { records: self, reads: RandomReads::default() }
    }

    #[inline]
    fn range(&self, row: u32) -> Range<usize> {
        let row = row as usize;
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }
}

/// The records for one reader that reads few of them, or reads them in no order.
pub struct RandomRecords<'r> {
    records: &'r Records,
    reads: RandomReads,
}

impl<'r> RandomRecords<'r> {
    pub fn view(&self, row: u32) -> CorporateView<'r> {
        read(self.bytes(row))
    }

    /// The number of the place of a row's office.
    pub fn place(&self, row: u32) -> u16 {
        let stored = StoredRecord::read(self.bytes(row));
        stored.expect("a record that was packed or read a moment ago").place
    }

    fn bytes(&self, row: u32) -> &'r [u8] {
        self.records.bytes.get_random_access(self.records.range(row), &self.reads)
    }
}

#[inline]
fn read(bytes: &[u8]) -> CorporateView<'_> {
    let view = StoredRecord::read(bytes)
        .and_then(|stored| CorporateView::read(stored.bytes, OfficePlaceView::none(), 0));
    view.expect("a record that was packed or read a moment ago")
}

struct RecordWriter {
    bytes: ScratchWriter,
    offsets: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl RecordWriter {
    fn new(folder: &Path, rows: usize) -> Result<RecordWriter> {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let (bytes, numbers) = (ScratchWriter::create(folder)?, Vec::with_capacity(rows));
        Ok(RecordWriter { bytes, offsets, numbers, closed: 0 })
    }

    fn append(&mut self, chunk: &Chunk) -> Result<()> {
        for length in &chunk.lengths {
            let end = self.offsets.last().and_then(|start| start.checked_add(*length));
            let (what, limit) = ("bytes of records", u64::from(u32::MAX));
            self.offsets.push(end.ok_or(CompileError::TooMany { what, limit })?);
        }
        self.numbers.extend_from_slice(&chunk.numbers);
        self.closed += chunk.closed;
        Ok(self.bytes.append(&chunk.records)?)
    }

    fn finish(self) -> Result<Records> {
        let RecordWriter { bytes, offsets, numbers, closed } = self;
        Ok(Records { bytes: bytes.finish()?, offsets, numbers, closed })
    }
}

/// The records of a range of rows, with the length and number of each.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    lengths: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl Chunk {
    /// Removes the records but keeps the buffers.
    fn clear(&mut self) {
        self.records.clear();
        self.lengths.clear();
        self.numbers.clear();
        self.closed = 0;
    }

    fn push(&mut self, number: CorporateNumber, stored: StoredRecord<'_>) {
        let start = self.records.len();
        stored.append(&mut self.records);
        self.lengths.push((self.records.len() - start) as u32);
        self.numbers.push(number);
    }
}

/// Makes the records of a range of rows, in the buffers of an earlier chunk.
fn fill_chunk(
    rows: &Rows<'_>,
    range: Range<u32>,
    sources: Sources<'_>,
    mut chunk: Chunk,
) -> Result<Chunk> {
    chunk.clear();
    let normaliser = sources.postal.map(Normaliser::new);
    let mut addresses = Addresses { normaliser, place: None, place_text: String::new() };
    for run in rows.runs(range) {
        match (run, rows.base()) {
            (RowRun::Kept(run), Some(base_rows)) => {
                append_kept(base_rows, run, sources, &mut addresses, &mut chunk)?;
            }
            (RowRun::Kept(_), None) => unreachable!("only rows of a base are kept"),
            (RowRun::Added(index), _) => {
                append_added(rows, index, sources, &mut addresses, &mut chunk)?;
            }
        }
    }
    Ok(chunk)
}

/// Appends kept rows. Normalises their addresses again if the base was made with other postal data.
fn append_kept(
    base_rows: &BaseRows<'_>,
    run: KeptRows,
    sources: Sources<'_>,
    addresses: &mut Addresses<'_>,
    chunk: &mut Chunk,
) -> Result<()> {
    let mut bytes = Vec::new();
    let base = &base_rows.base.data;
    let rows = run.earlier_row..run.earlier_row + run.rows;
    for (row, in_base) in rows.clone().zip(base.stored_rows(rows)?) {
        let in_base = in_base?;
        let head = CorporateHead::read(in_base.bytes, OfficePlaceView::none(), 0);
        let head = head.expect("the base was checked whole");
        chunk.closed += u32::from(head.is_closed());
        let number = head.number();
        let issuer = sources.issuers.map_or(in_base.issuer, |issuers| issuers.contains(number));
        let (place, rank) = (base_rows.new_place(in_base.place), base_rows.new_rank(in_base.rank));
        let stored = StoredRecord { place, issuer, rank, ..in_base };
        if base_rows.base.has_same_postal {
            chunk.push(number, stored);
            continue;
        }
        let view = base.record(row)?;
        bytes.clear();
        view.append_without_parts(&mut bytes);
        let place = view.place();
        let names = place.prefecture_code().map(|_code| [place.prefecture(), place.city()]);
        addresses.append_parts(
            in_base.place.into(),
            names,
            &view.street().to_string(),
            &mut bytes,
        )?;
        chunk.push(number, StoredRecord { bytes: &bytes, ..stored });
    }
    Ok(())
}

fn append_added(
    rows: &Rows<'_>,
    index: usize,
    sources: Sources<'_>,
    addresses: &mut Addresses<'_>,
    chunk: &mut Chunk,
) -> Result<()> {
    let (entry, view) = rows.added(index);
    let mut bytes = view.bytes.to_vec();
    chunk.closed += u32::from(view.is_closed());
    let place = rows.place(entry);
    let names = [place.prefecture.as_str(), &place.city];
    let names = Some(names).filter(|_| place.prefecture_code != ABROAD);
    addresses.append_parts(entry.place, names, &view.street().to_string(), &mut bytes)?;
    let issuer = match (sources.issuers, rows.base()) {
        (Some(issuers), _) => issuers.contains(entry.number),
        (None, Some(base_rows)) => base_rows.base.is_issuer(entry.number)?,
        (None, None) => true,
    };
    let Entry { number, published, rank, .. } = *entry;
    let place = u16::try_from(entry.place).expect("places were counted");
    chunk.push(number, StoredRecord { place, issuer, rank, published, bytes: &bytes });
    Ok(())
}

struct Addresses<'a> {
    normaliser: Option<Normaliser<'a>>,
    /// The place of the last address, and the text of its prefecture and city: rows of the same place follow one
    /// another.
    place: Option<u32>,
    place_text: String,
}

impl Addresses<'_> {
    /// Appends the parts of an address to a record without parts. Does nothing for an address abroad, whose place has no
    /// names of prefecture and city, or without postal data.
    fn append_parts(
        &mut self,
        place: u32,
        names: Option<[&str; 2]>,
        street: &str,
        record: &mut Vec<u8>,
    ) -> Result<()> {
        let (Some(normaliser), Some(names)) = (&mut self.normaliser, names) else { return Ok(()) };
        if self.place != Some(place) {
            self.place = Some(place);
            self.place_text = names.concat();
        }
        fields::append_parts(&normaliser.normalise(&self.place_text, street)?, record, 0, street);
        Ok(())
    }
}

/// The corporations that are qualified invoice issuers by the register of a day.
#[derive(Debug, Default)]
pub struct Issuers {
    /// The newest entry of each number: its date, and whether it registers the number.
    entries: HashMap<CorporateNumber, (u32, bool)>,
    pub date: u32,
}

impl Issuers {
    pub fn read(inputs: &[Input<'_>], build: &mut Build<'_>) -> Result<Issuers> {
        let (version, progress) = (build.target.version, build.progress);
        let mut issuers = Issuers::default();
        for input in inputs {
            let mut add_row = |row: InvoiceRow<'_>| issuers.add(&row, version);
            let advance = &mut |done, total| progress.advance(done, total);
            let files = read_invoice(*input, Kind::InvoiceRegister, &mut add_row, advance)?;
            for file in files {
                build.check_published(&file.name, file.date)?;
                issuers.date = issuers.date.max(file.date);
                build.log.add(file.rows, file.rejects);
            }
        }
        Ok(issuers)
    }

    fn add(&mut self, row: &InvoiceRow<'_>, version: DataVersion) {
        let number = CorporateNumber::from_number(row.number).filter(|number| number.is_sound());
        let is_individual = row.holder == Some(Holder::Individual);
        let Some(number) = number.filter(|_| !is_individual) else { return };
        if row.latest || row.process == DELETED {
            let is_registered = registration(row).is_in_force_on(version.number());
            let entry = (row.update_date, is_registered);
            let newest = self.entries.entry(number).or_insert(entry);
            // Of the entries of one day, the last counts.
            if newest.0 <= entry.0 {
                *newest = entry;
            }
        }
    }

    pub fn contains(&self, number: CorporateNumber) -> bool {
        self.entries.get(&number).is_some_and(|(_, is_registered)| *is_registered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(body: u64, update_date: u32) -> InvoiceRow<'static> {
        InvoiceRow {
            number: CorporateNumber::from_body(body).expect("twelve digits").number(),
            process: 1,
            latest: true,
            registration_date: 20_231_001,
            update_date,
            ..InvoiceRow::default()
        }
    }

    fn version(text: &str) -> DataVersion {
        DataVersion::parse(text).expect("a date")
    }

    #[test]
    fn the_newest_entry_counts_in_any_order() {
        let revoked = InvoiceRow { process: 4, disposal_date: 20_250_101, ..row(1, 20_250_102) };
        let superseded = InvoiceRow { latest: false, ..row(1, 20_260_101) };
        let deleted = InvoiceRow { process: DELETED, latest: false, ..row(3, 20_250_102) };
        let mut rows = vec![row(1, 20_230_101), revoked, superseded, row(2, 20_230_101)];
        rows.extend([row(3, 20_230_101), deleted]);
        for _ in 0..rows.len() {
            rows.rotate_left(1);
            let mut issuers = Issuers::default();
            rows.iter().for_each(|row| issuers.add(row, version("2026-07-31")));
            let found = [1, 2, 3].map(|body| {
                issuers.contains(CorporateNumber::from_body(body).expect("twelve digits"))
            });
            assert_eq!(found, [false, true, false]);
        }
    }
}
