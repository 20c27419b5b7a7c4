//! The records of a snapshot. Every index reads them by row; then they are written to the snapshot in the order of names.
//!
//! If few rows changed and the postal data are the same, a build makes only the records of the added rows
//! ([`MadeRecords`]), and reads the others in the base, whose file has them in nearly the order of the new one. Otherwise
//! it makes all.
//!
//! A record of the base that cannot be read is left out of the indexes; the build then fails where it copies the records,
//! and nothing is published.

mod made;

use std::ops::Range;

use self::made::{Chunk, end_of_record};
use super::rounds::in_rounds;
use super::rows::RenewableBase;
use crate::compile::{CompileError, Result};
use crate::dataset::corporate::record::{CorporateView, tag};
use crate::index::renumbering::RowOrigin;
use crate::snapshot::{RandomReads, SnapshotFileWriter, StreamedSection};
use crate::text::codes::CorporateNumber;

pub use self::made::{MadeRecords, Sources};

pub struct Records<'b> {
    made: MadeRecords,
    /// The base that has the other records; `None` if all are made.
    base: Option<&'b RenewableBase<'b>>,
    rows: u32,
}

/// Where the record of a row is.
enum Place<'b> {
    /// At this position of the made records.
    Made(usize),
    /// In this row of the base.
    InBase(&'b RenewableBase<'b>, u32),
}

/// Rows whose made records are appended to a snapshot at once: some 60 MB.
const PART_ROWS: usize = 1 << 20;

/// A pass over the records of the base releases their memory after so many chunks: some 100 MB.
const CHUNKS_PER_RELEASE: usize = 32;

/// A pass over the base prefetches so many records at once: where they start is in the order of rows, so each would wait for
/// memory.
const ROWS_AHEAD: usize = 32;

impl<'b> Records<'b> {
    /// `made` are the records of the rows that were added to the base, or those of all rows.
    pub fn new(made: MadeRecords, base: Option<&'b RenewableBase<'b>>) -> Records<'b> {
        let base = base.filter(|base| base.copies_records);
        let rows = base.map_or(made.len() as u32, |base| base.renumbering.rows());
        Records { made, base, rows }
    }

    pub fn rows(&self) -> u32 {
        self.rows
    }

    #[inline]
    fn place(&self, row: u32) -> Place<'b> {
        let Some(base) = self.base else { return Place::Made(row as usize) };
        match base.renumbering.origin(row) {
            RowOrigin::Kept(row) => Place::InBase(base, row),
            RowOrigin::Added(index) => Place::Made(index),
        }
    }

    /// The record of a row, for a pass over all rows in order; `None` if the base has other bytes there.
    #[inline]
    pub fn view(&self, row: u32) -> Option<CorporateView<'_>> {
        match self.place(row) {
            Place::Made(position) => Some(self.made.view(position)),
            Place::InBase(base, row) => base.data.record(row).ok(),
        }
    }

    /// Where the record of a row is in its file: for readers of many rows, which save time if they ascend.
    pub fn position(&self, row: u32) -> usize {
        match self.place(row) {
            Place::Made(position) => self.made.start(position),
            Place::InBase(base, row) => base.data.record_start(row).unwrap_or_default(),
        }
    }

    /// For a reader of few rows, or of rows in no order.
    pub fn at_random(&self) -> RandomRecords<'_> {
        RandomRecords { records: self, reads: RandomReads::default() }
    }

    /// The number of each made record, for [`numbers`](Self::numbers): few sections need them, so they need not stay in
    /// memory.
    pub fn take_made_numbers(&mut self) -> Vec<CorporateNumber> {
        std::mem::take(&mut self.made.numbers)
    }

    /// Every number with its row; `made` are the numbers of the made records.
    pub fn numbers(
        &self,
        made: &[CorporateNumber],
    ) -> Result<impl Iterator<Item = (CorporateNumber, u32)>> {
        let in_base = self.base.map(|base| base.data.numbers()).transpose()?.into_iter().flatten();
        let kept =
            in_base.filter_map(|(number, row)| Some((number, self.base?.renumbering.row(row)?)));
        let made = made.iter().enumerate();
        Ok(kept.chain(made.map(|(position, number)| (*number, self.made_row(position)))))
    }

    /// The row of a made record.
    fn made_row(&self, position: usize) -> u32 {
        let added = self.base.and_then(|base| base.renumbering.added().get(position));
        added.copied().unwrap_or(position as u32)
    }

    pub fn closed(&self) -> Result<u32> {
        let Some(RenewableBase { data, renumbering, .. }) = self.base else {
            return Ok(self.made.closed);
        };
        let mut closed = self.made.closed + data.counts()?.closed as u32;
        for row in renumbering.removed() {
            closed = closed.saturating_sub(data.record_at_random(row)?.is_closed().into());
        }
        Ok(closed)
    }

    /// What `of` makes of each record, by row. A pass over the made records and those of the base, each as they lie in their
    /// file.
    pub fn collect<T: Send>(
        &self,
        of: impl Fn(CorporateView<'_>) -> Option<T> + Sync,
    ) -> Result<Vec<Option<T>>> {
        let mut collected: Vec<Option<T>> = Vec::new();
        collected.resize_with(self.rows as usize, || None);
        let (made, in_base) = (self.made.len(), self.base.map(|base| base.data.rows_as_stored()));
        let in_base = in_base.transpose()?.unwrap_or_default();
        let fill = |range: Range<usize>, chunk: &mut Vec<(u32, Option<T>)>| {
            chunk.clear();
            for position in range.start..range.end.min(made) {
                chunk.push((self.made_row(position), of(self.made.view(position))));
            }
            let Some(base) = self.base else { return Ok(()) };
            let [start, end] = [range.start, range.end].map(|it| it.saturating_sub(made));
            for rows in in_base[start..end].chunks(ROWS_AHEAD) {
                base.data.prefetch_heads(rows);
                for row in rows {
                    let Some(present) = base.renumbering.row(*row) else { continue };
                    chunk.push((present, of(base.data.record(*row)?)));
                }
            }
            Ok(())
        };
        let mut used = 0;
        in_rounds(made + in_base.len(), fill, |chunk| {
            for (row, found) in chunk.drain(..) {
                collected[row as usize] = found;
            }
            self.release_base_sometimes(&mut used)
        })?;
        Ok(collected)
    }

    /// Appends the sections of the records to a snapshot. Returns the start of each row's record in the section. An error
    /// if `order` has not each row once.
    pub fn append_sections(
        &self,
        order: &[u32],
        snapshot: &mut SnapshotFileWriter,
    ) -> Result<Vec<u32>> {
        let mut section = StreamedSection::new(snapshot, tag::RECORDS);
        let mut starts = Starts::of_rows(self.rows);
        match self.base {
            Some(_) => self.copy_kept(order, &mut section, &mut starts)?,
            None => self.append_made(order, &mut section, &mut starts)?,
        }
        section.finish(tag::SUMS)?;
        starts.finish()
    }

    /// Appends the made records of all rows. The order is cut into parts. For each, a pass over the scratch file copies its
    /// records to their places, so only a part of the file is in memory.
    fn append_made(
        &self,
        order: &[u32],
        section: &mut StreamedSection<'_>,
        starts: &mut Starts,
    ) -> Result<()> {
        let reads = RandomReads::default();
        let (mut part, mut rows) = (Vec::new(), Vec::new());
        for ordered in order.chunks(PART_ROWS) {
            let appended = starts.next as usize;
            for row in ordered {
                starts.set_next(*row, self.made.byte_length(*row as usize))?;
            }
            part.resize(starts.next as usize - appended, 0);
            rows.clear();
            rows.extend_from_slice(ordered);
            rows.sort_unstable();
            for row in &rows {
                let record = self.made.bytes_at_random(*row as usize, &reads);
                let start = starts.by_row[*row as usize] as usize - appended;
                part[start..start + record.len()].copy_from_slice(record);
            }
            section.append(&part)?;
        }
        Ok(())
    }

    /// Appends the records of all rows, most of which are in the base, where kept rows are usually in the same order.
    fn copy_kept(
        &self,
        order: &[u32],
        section: &mut StreamedSection<'_>,
        starts: &mut Starts,
    ) -> Result<()> {
        let reads = RandomReads::default();
        let fill = |range: Range<usize>, chunk: &mut Chunk| {
            chunk.clear();
            let mut places = Vec::with_capacity(ROWS_AHEAD);
            for rows in order[range].chunks(ROWS_AHEAD) {
                places.clear();
                places.extend(rows.iter().map(|row| self.place(*row)));
                for place in &places {
                    if let Place::InBase(base, row) = place {
                        base.data.prefetch_head(*row);
                    }
                }
                for place in &places {
                    chunk.push_record(match place {
                        Place::Made(position) => self.made.stored_at_random(*position, &reads),
                        Place::InBase(base, row) => base.renumbered(base.data.stored_record(*row)?),
                    });
                }
            }
            Ok(())
        };
        let (mut rows, mut used) = (order.iter(), 0);
        in_rounds(order.len(), fill, |chunk| {
            for (row, length) in rows.by_ref().zip(&chunk.lengths) {
                starts.set_next(*row, *length)?;
            }
            section.append(&chunk.records)?;
            self.release_base_sometimes(&mut used)
        })
    }

    /// Called after each chunk of a pass.
    fn release_base_sometimes(&self, used: &mut usize) -> Result<()> {
        *used += 1;
        match self.base {
            Some(base) if used.is_multiple_of(CHUNKS_PER_RELEASE) => {
                Ok(base.data.release_records()?)
            }
            _ => Ok(()),
        }
    }
}

/// The start of each row's record in the section, while they are appended.
struct Starts {
    by_row: Vec<u32>,
    next: u32,
    set: usize,
}

/// No record begins here: a section of records is shorter.
const NO_START: u32 = u32::MAX;

impl Starts {
    fn of_rows(rows: u32) -> Starts {
        Starts { by_row: vec![NO_START; rows as usize], next: 0, set: 0 }
    }

    /// The next record is that of this row. An error if it had one before, or if the section is too long.
    fn set_next(&mut self, row: u32, length: u32) -> Result<()> {
        let start = self.by_row.get_mut(row as usize).ok_or_else(not_each_once)?;
        if std::mem::replace(start, self.next) != NO_START {
            return Err(not_each_once());
        }
        self.next = end_of_record(self.next, length)?;
        self.set += 1;
        Ok(())
    }

    fn finish(self) -> Result<Vec<u32>> {
        if self.set == self.by_row.len() { Ok(self.by_row) } else { Err(not_each_once()) }
    }
}

/// The order of names is renewed from that of the base, which another program may have made.
fn not_each_once() -> CompileError {
    let text =
        "expected each row once in the base's order of names; build it again from full files";
    CompileError::Index(text.to_owned())
}

/// The records for one reader that reads few of them, or reads them in no order.
pub struct RandomRecords<'r> {
    records: &'r Records<'r>,
    reads: RandomReads,
}

impl<'r> RandomRecords<'r> {
    /// `None` if the base has other bytes there.
    pub fn view(&self, row: u32) -> Option<CorporateView<'r>> {
        match self.records.place(row) {
            Place::Made(position) => Some(self.records.made.view_at_random(position, &self.reads)),
            Place::InBase(base, row) => base.data.record_at_random(row).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::made::MadeWriter;
    use super::*;
    use crate::dataset::corporate::CorporateData;
    use crate::dataset::corporate::record::StoredRecord;
    use crate::record::Day;
    use crate::snapshot::Dataset;
    use crate::text::codes::DataVersion;

    #[test]
    fn records_are_stored_in_an_order_that_has_each_row_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let records = || {
            let mut writer = MadeWriter::new(folder.path(), 3).expect("a scratch file");
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
            Records::new(writer.finish().expect("mapped"), None)
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
