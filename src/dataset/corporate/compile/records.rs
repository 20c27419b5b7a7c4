//! The records of a snapshot, with the parts of their addresses. They are written to a scratch file in the order of rows,
//! from which every index reads them; then to the snapshot in the order of names.
//!
//! Normalising addresses is most of the work, so threads share the rows, chunk by chunk. The result does not depend on
//! the number of threads or chunks. A kept row is copied from the base.

use std::{num::NonZero, ops::Range, path::Path, thread};

use super::issuers::Issuers;
use super::rows::{BaseRows, Rows};
use super::state::Entry;
use crate::compile::{CompileError, Result};
use crate::dataset::corporate::record::archive::ABROAD;
use crate::dataset::corporate::record::fields;
use crate::dataset::corporate::record::{
    CorporateHead, CorporateProvenance, CorporateView, OfficePlaceView, StoredRecord, tag,
};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::municipalities::Normaliser;
use crate::index::renumbering::{KeptRows, RowRun};
use crate::snapshot::{RandomReads, Scratch, ScratchWriter, SnapshotFileWriter, StreamedSection};
use crate::text::codes::CorporateNumber;

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

/// Rows whose records are appended to a snapshot at once: some 60 MB.
const PART_ROWS: usize = 1 << 20;

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

    /// Appends the sections of the records to a snapshot. Returns the start of each row's record in the section. An error
    /// if `order` has not each row once.
    ///
    /// The order is cut into parts. For each, a pass over the scratch file copies its records to their places, so only a part
    /// of the file is in memory.
    pub fn append_sections(
        self,
        order: &[u32],
        snapshot: &mut SnapshotFileWriter,
    ) -> Result<Vec<u32>> {
        let mut starts = vec![NO_START; self.rows() as usize];
        let mut section = StreamedSection::new(snapshot, tag::RECORDS);
        let reads = RandomReads::default();
        let (mut part, mut rows, mut appended) = (Vec::new(), Vec::new(), 0);
        for ordered in order.chunks(PART_ROWS) {
            let mut length = 0;
            for row in ordered {
                let start = (appended + length) as u32;
                if std::mem::replace(&mut starts[*row as usize], start) != NO_START {
                    return Err(not_each_once());
                }
                length += self.range(*row).len();
            }
            part.resize(length, 0);
            rows.clear();
            rows.extend_from_slice(ordered);
            rows.sort_unstable();
            for row in &rows {
                let record = self.bytes.get_random_access(self.range(*row), &reads);
                let start = starts[*row as usize] as usize - appended;
                part[start..start + record.len()].copy_from_slice(record);
            }
            section.append(&part)?;
            appended += length;
        }
        if order.len() != starts.len() {
            return Err(not_each_once());
        }
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

/// No record begins here: a section of records is shorter.
const NO_START: u32 = u32::MAX;

/// The order of names is renewed from that of the base, which another program may have made.
fn not_each_once() -> CompileError {
    let text =
        "expected each row once in the base's order of names; build it again from full files";
    CompileError::Index(text.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::corporate::CorporateData;
    use crate::record::Day;
    use crate::snapshot::Dataset;
    use crate::text::codes::DataVersion;

    #[test]
    fn records_are_stored_in_an_order_that_has_each_row_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let records = || {
            let mut writer = RecordWriter::new(folder.path(), 3).expect("a scratch file");
            let mut chunk = Chunk::default();
            for length in [5, 700, 60] {
                let number = CorporateNumber::from_body(length as u64).expect("twelve digits");
                let bytes = vec![length as u8; length];
                let published = Day::from_date(20_260_731);
                let stored =
                    StoredRecord { place: 0, issuer: false, rank: 0, published, bytes: &bytes };
                chunk.push(number, stored);
            }
            writer.append(&chunk).expect("appended");
            writer.finish().expect("mapped")
        };
        let store = |order: &[u32]| {
            let day = DataVersion::parse("2026-07-31").expect("a date");
            let (folder, kind) = (folder.path(), CorporateData::KIND);
            let snapshot = SnapshotFileWriter::create(folder, kind, day, 2);
            let mut snapshot = snapshot.expect("a temporary folder");
            let starts = records().append_sections(order, &mut snapshot)?;
            let file = snapshot.stage().and_then(|staged| Ok(staged.open()?)).expect("sound");
            let blocks = file.blocks(tag::RECORDS, tag::SUMS).expect("there");
            let length = |start: &u32| {
                let bytes = blocks.get(*start as usize..blocks.len()).expect("sound");
                StoredRecord::read(bytes).map(|stored| stored.bytes.len())
            };
            Ok(starts.iter().map(length).collect::<Vec<_>>())
        };
        assert_eq!(store(&[2, 0, 1]).expect("each row once"), [Some(5), Some(700), Some(60)]);
        for wrong in [&[0, 1][..], &[0, 0, 1], &[0, 1, 2, 2], &[]] {
            let refused: CompileError = store(wrong).expect_err("not each row once");
            assert!(refused.to_string().contains("each row once"), "{wrong:?}: {refused}");
        }
    }
}
