//! The records that a build makes, with the parts of their addresses: of all rows, or of the added ones. They are in a
//! scratch file in the order of rows.
//!
//! Normalising addresses is most of the work, so threads share the rows.

use std::ops::Range;
use std::path::Path;

use super::super::issuers::Issuers;
use super::super::rounds::in_rounds;
use super::super::rows::{BaseRows, Rows};
use super::super::state::Entry;
use crate::compile::{CompileError, Result};
use crate::dataset::corporate::record::archive::ABROAD;
use crate::dataset::corporate::record::{
    CorporateHead, CorporateProvenance, CorporateView, OfficePlaceView, StoredRecord, fields,
};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::municipalities::Normaliser;
use crate::index::renumbering::{KeptRows, RowRun};
use crate::snapshot::{RandomReads, Scratch, ScratchWriter};
use crate::text::codes::CorporateNumber;

/// The sources of a snapshot beside its rows.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub provenance: &'a CorporateProvenance,
    pub postal: Option<&'a PostalData>,
    /// The register of issuers; `None` keeps the register of the base.
    pub issuers: Option<&'a Issuers>,
}

/// Records by their positions: the rows that were made, in order.
pub struct MadeRecords {
    bytes: Scratch,
    /// The offset of each record in the scratch file, and the end of the last.
    offsets: Vec<u32>,
    /// The number of each, until they are taken.
    pub(super) numbers: Vec<CorporateNumber>,
    pub closed: u32,
}

impl MadeRecords {
    /// Makes the records of all rows, or only of the added ones if the kept ones [stay as they
    /// are](Rows::copies_kept_records). Writes them to a scratch file in this folder.
    pub fn make(rows: &Rows<'_>, sources: Sources<'_>, folder: &Path) -> Result<MadeRecords> {
        let copies_kept = rows.copies_kept_records();
        let count = if copies_kept { rows.added_count() } else { rows.len() as usize };
        let mut writer = MadeWriter::new(folder, count)?;
        let fill = |range: Range<usize>, chunk: &mut Chunk| match copies_kept {
            true => fill_with_added(rows, range, sources, chunk),
            false => fill_with_rows(rows, range, sources, chunk),
        };
        in_rounds(count, fill, |chunk| writer.append(chunk))?;
        if let Some(base_rows) = rows.base() {
            base_rows.base.data.release_records()?;
        }
        writer.finish()
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The record at a position, for a pass over all in order.
    #[inline]
    pub fn view(&self, position: usize) -> CorporateView<'_> {
        view_of(stored(self.bytes.get(self.range(position))))
    }

    /// For a reader of few records, or in no order.
    pub fn view_at_random(&self, position: usize, reads: &RandomReads) -> CorporateView<'_> {
        view_of(self.stored_at_random(position, reads))
    }

    pub fn stored_at_random(&self, position: usize, reads: &RandomReads) -> StoredRecord<'_> {
        stored(self.bytes_at_random(position, reads))
    }

    /// The bytes of a stored record.
    pub fn bytes_at_random(&self, position: usize, reads: &RandomReads) -> &[u8] {
        self.bytes.get_random_access(self.range(position), reads)
    }

    /// Where a record begins in the scratch file.
    pub fn start(&self, position: usize) -> usize {
        self.range(position).start
    }

    pub fn byte_length(&self, position: usize) -> u32 {
        self.offsets[position + 1] - self.offsets[position]
    }

    #[inline]
    fn range(&self, position: usize) -> Range<usize> {
        self.offsets[position] as usize..self.offsets[position + 1] as usize
    }
}

fn stored(bytes: &[u8]) -> StoredRecord<'_> {
    StoredRecord::read(bytes).expect("a record that was packed a moment ago")
}

#[inline]
fn view_of(stored: StoredRecord<'_>) -> CorporateView<'_> {
    let view = CorporateView::read(stored.bytes, OfficePlaceView::none(), 0);
    view.expect("a record that was packed a moment ago")
}

pub(super) struct MadeWriter {
    bytes: ScratchWriter,
    offsets: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl MadeWriter {
    /// A writer of so many records.
    pub(super) fn new(folder: &Path, count: usize) -> Result<MadeWriter> {
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let (bytes, numbers) = (ScratchWriter::create(folder)?, Vec::with_capacity(count));
        Ok(MadeWriter { bytes, offsets, numbers, closed: 0 })
    }

    pub(super) fn append(&mut self, chunk: &Chunk) -> Result<()> {
        for length in &chunk.lengths {
            let start = self.offsets.last().copied().unwrap_or_default();
            self.offsets.push(end_of_record(start, *length)?);
        }
        self.numbers.extend_from_slice(&chunk.numbers);
        self.closed += chunk.closed;
        Ok(self.bytes.append(&chunk.records)?)
    }

    pub(super) fn finish(self) -> Result<MadeRecords> {
        let MadeWriter { bytes, offsets, numbers, closed } = self;
        Ok(MadeRecords { bytes: bytes.finish()?, offsets, numbers, closed })
    }
}

/// Where a record ends that begins here. An error if offsets of records cannot count so far.
pub(super) fn end_of_record(start: u32, length: u32) -> Result<u32> {
    let (what, limit) = ("bytes of records", u64::from(u32::MAX));
    start.checked_add(length).ok_or(CompileError::TooMany { what, limit })
}

/// Records with the length and number of each.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: Vec<u8>,
    pub(super) lengths: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl Chunk {
    /// Removes the records but keeps the buffers.
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.lengths.clear();
        self.numbers.clear();
        self.closed = 0;
    }

    pub(super) fn push(&mut self, number: CorporateNumber, stored: StoredRecord<'_>) {
        self.push_record(stored);
        self.numbers.push(number);
    }

    pub(super) fn push_record(&mut self, stored: StoredRecord<'_>) {
        let start = self.records.len();
        stored.append(&mut self.records);
        self.lengths.push((self.records.len() - start) as u32);
    }
}

/// Makes the records of a range of the added rows.
fn fill_with_added(
    rows: &Rows<'_>,
    mut range: Range<usize>,
    sources: Sources<'_>,
    chunk: &mut Chunk,
) -> Result<()> {
    chunk.clear();
    let mut addresses = Addresses::new(sources.postal);
    range.try_for_each(|index| append_added(rows, index, sources, &mut addresses, chunk))
}

/// Makes the records of a range of all rows.
fn fill_with_rows(
    rows: &Rows<'_>,
    range: Range<usize>,
    sources: Sources<'_>,
    chunk: &mut Chunk,
) -> Result<()> {
    chunk.clear();
    let mut addresses = Addresses::new(sources.postal);
    for run in rows.runs(range.start as u32..range.end as u32) {
        match (run, rows.base()) {
            (RowRun::Kept(run), Some(base_rows)) => {
                append_kept(base_rows, run, sources, &mut addresses, chunk)?;
            }
            (RowRun::Kept(_), None) => unreachable!("only rows of a base are kept"),
            (RowRun::Added(index), _) => {
                append_added(rows, index, sources, &mut addresses, chunk)?;
            }
        }
    }
    Ok(())
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
        let stored = base_rows.renumbered(in_base, sources.issuers);
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

impl<'a> Addresses<'a> {
    fn new(postal: Option<&'a PostalData>) -> Addresses<'a> {
        let normaliser = postal.map(Normaliser::new);
        Addresses { normaliser, place: None, place_text: String::new() }
    }

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
