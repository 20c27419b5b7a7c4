//! The records of a snapshot in the order of rows, with the parts of their addresses. They are written to the file, from
//! which every index reads them.
//!
//! Normalising addresses is most of the work, so threads share the rows, batch by batch. The result does not depend on the
//! number of threads or batches. A kept row is copied from the base.

use std::{num::NonZero, ops::Range, thread};

use super::issuers::Issuers;
use super::rows::{BaseRows, Rows};
use super::state::Entry;
use crate::compile::{address::Normaliser, error::CompileError};
use crate::index::renumbering::{Kept, Run};
use crate::query::PostalData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{
    CorporateHead, CorporateProvenance, CorporateView, PlaceView, Stored, tag,
};
use crate::snapshot::{SnapshotFileWriter, Spool, Spooled};
use crate::text::codes::CorporateNumber;

pub struct Records {
    pub bytes: Spooled,
    /// The offset of each row's record, and the end of the last.
    pub offsets: Vec<u32>,
    /// The number of each row.
    pub numbers: Vec<CorporateNumber>,
    /// The number of closed corporations.
    pub closed: u32,
}

/// The sources of a snapshot beside its rows.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub provenance: &'a CorporateProvenance,
    pub postal: Option<&'a PostalData>,
    /// The register of issuers; `None` keeps that of the base.
    pub issuers: Option<&'a Issuers>,
}

/// Rows per thread and batch: some megabytes of records.
const BATCH: u32 = 1 << 15;

impl Records {
    /// Makes the records of all rows and writes them as the next sections of a snapshot.
    pub fn spool(
        rows: &Rows<'_>,
        sources: Sources<'_>,
        snapshot: &mut SnapshotFileWriter,
    ) -> Result<Records, CompileError> {
        let spool = Spool::begin(snapshot, tag::RECORDS);
        let mut making = Making { spool, offsets: vec![0], numbers: Vec::new(), closed: 0 };
        making.offsets.reserve(rows.len() as usize);
        making.numbers.reserve(rows.len() as usize);
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let firsts = (0..rows.len()).step_by(BATCH as usize);
        let mut waiting = firsts.map(|first| first..rows.len().min(first + BATCH));
        let mut made: Vec<Share> = Vec::new();
        // Written shares, whose buffers the batch after the next fills: memory that one thread allocates and another
        // frees would stay with the allocator.
        let mut written: Vec<Share> = Vec::new();
        loop {
            let batch: Vec<_> = waiting.by_ref().take(threads).collect();
            if batch.is_empty() && made.is_empty() {
                break;
            }
            // A batch is written while the next is made.
            let next = thread::scope(|scope| {
                let begin = |range| {
                    let emptied = written.pop().unwrap_or_default();
                    scope.spawn(move || share(rows, range, sources, emptied))
                };
                let shares: Vec<_> = batch.into_iter().map(begin).collect();
                made.iter().try_for_each(|share| making.append(share))?;
                let join = |share: thread::ScopedJoinHandle<'_, _>| {
                    share.join().expect("a share of rows is compiled without panic")
                };
                shares.into_iter().map(join).collect::<Result<_, CompileError>>()
            })?;
            written = std::mem::replace(&mut made, next);
        }
        let Making { spool, offsets, numbers, closed } = making;
        Ok(Records { bytes: spool.finish(tag::SUMS)?, offsets, numbers, closed })
    }

    pub fn rows(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The record of a row, for a pass over all rows in order.
    #[inline]
    pub fn view(&self, row: u32) -> CorporateView<'_> {
        read(self.bytes.get(self.range(row)))
    }

    /// The record of a row, for reading few rows or rows in no order.
    pub fn view_at_random(&self, row: u32) -> CorporateView<'_> {
        read(self.bytes.get_at_random(self.range(row)))
    }

    #[inline]
    fn range(&self, row: u32) -> Range<usize> {
        let at = |row: usize| self.offsets[row] as usize;
        at(row as usize)..at(row as usize + 1)
    }
}

#[inline]
fn read(bytes: &[u8]) -> CorporateView<'_> {
    let view = Stored::read(bytes)
        .and_then(|stored| CorporateView::read(stored.bytes, PlaceView::none(), 0));
    view.expect("a record that was packed or read a moment ago")
}

struct Making<'w> {
    spool: Spool<'w>,
    offsets: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl Making<'_> {
    fn append(&mut self, share: &Share) -> Result<(), CompileError> {
        for length in &share.lengths {
            let end = self.offsets.last().and_then(|start| start.checked_add(*length));
            let (what, limit) = ("bytes of records", u64::from(u32::MAX));
            self.offsets.push(end.ok_or(CompileError::TooMany { what, limit })?);
        }
        self.numbers.extend_from_slice(&share.numbers);
        self.closed += share.closed;
        Ok(self.spool.append(&share.records)?)
    }
}

/// Finished records of a range of rows, with the length and number of each.
#[derive(Default)]
struct Share {
    records: Vec<u8>,
    lengths: Vec<u32>,
    numbers: Vec<CorporateNumber>,
    closed: u32,
}

impl Share {
    /// Removes the records but keeps the buffers.
    fn clear(&mut self) {
        self.records.clear();
        self.lengths.clear();
        self.numbers.clear();
        self.closed = 0;
    }

    fn push(&mut self, number: CorporateNumber, stored: Stored<'_>) {
        let start = self.records.len();
        stored.append(&mut self.records);
        self.lengths.push((self.records.len() - start) as u32);
        self.numbers.push(number);
    }
}

/// Makes the records of a range of rows, in the buffers of an earlier share.
fn share(
    rows: &Rows<'_>,
    range: Range<u32>,
    sources: Sources<'_>,
    mut share: Share,
) -> Result<Share, CompileError> {
    share.clear();
    let mut addresses = Addresses::of(sources.postal);
    for run in rows.runs(range) {
        match (run, rows.base()) {
            (Run::Kept(run), Some(base)) => {
                kept(base, run, sources, &mut addresses, &mut share)?;
            }
            (Run::Kept(_), None) => unreachable!("rows stay in a base only"),
            (Run::Added(at), _) => added(rows, at, sources, &mut addresses, &mut share)?,
        }
    }
    Ok(share)
}

/// Appends kept rows. Normalises their addresses again if the base was made with other postal data.
fn kept(
    base: &BaseRows<'_>,
    run: Kept,
    sources: Sources<'_>,
    addresses: &mut Addresses<'_>,
    share: &mut Share,
) -> Result<(), CompileError> {
    let mut bytes = Vec::new();
    for row in run.before..run.before + run.rows {
        let before = base.base.data.stored_row(row)?;
        let head = CorporateHead::read(before.bytes, PlaceView::none(), 0);
        let head = head.expect("the base was checked whole");
        share.closed += u32::from(head.is_closed());
        let number = head.number();
        let issuer = sources.issuers.map_or(before.issuer, |it| it.contains(number));
        let (place, rank) = (base.place(before.place), base.rank(before.rank));
        let stored = Stored { place, issuer, rank, ..before };
        if base.base.keeps_parts {
            share.push(number, stored);
            continue;
        }
        let view = base.base.data.record(row)?;
        bytes.clear();
        view.fields(&mut String::new()).append(&mut bytes);
        let place = view.place();
        let names = (place.prefecture(), place.city());
        let inland = place.prefecture_code().is_some();
        addresses.append(
            Area { place: before.place.into(), inland, names },
            view.street().text,
            &mut bytes,
        )?;
        share.push(number, Stored { bytes: &bytes, ..stored });
    }
    Ok(())
}

/// Appends an added row.
fn added(
    rows: &Rows<'_>,
    at: usize,
    sources: Sources<'_>,
    addresses: &mut Addresses<'_>,
    share: &mut Share,
) -> Result<(), CompileError> {
    let (entry, view) = rows.added(at);
    let mut bytes = view.bytes().0.to_vec();
    share.closed += u32::from(view.is_closed());
    let place = rows.place(entry);
    let names = (place.prefecture.as_str(), place.city.as_str());
    let inland = place.prefecture_code != ABROAD;
    addresses.append(Area { place: entry.place, inland, names }, view.street().text, &mut bytes)?;
    let issuer = match (sources.issuers, rows.base()) {
        (Some(issuers), _) => issuers.contains(entry.number),
        (None, Some(base)) => base.base.is_issuer(entry.number)?,
        (None, None) => true,
    };
    let Entry { number, published, rank, .. } = *entry;
    let place = u16::try_from(entry.place).expect("places were counted");
    share.push(number, Stored { place, issuer, rank, published, bytes: &bytes });
    Ok(())
}

/// Prefecture and city of a street.
struct Area<'a> {
    /// Its number in its table of places.
    place: u32,
    inland: bool,
    names: (&'a str, &'a str),
}

/// Normalises the addresses of records.
struct Addresses<'a> {
    normaliser: Option<Normaliser<'a>>,
    /// The area of the last address: rows of the same area follow one another.
    area: (Option<u32>, String),
}

impl<'a> Addresses<'a> {
    fn of(postal: Option<&'a PostalData>) -> Addresses<'a> {
        Addresses { normaliser: postal.map(Normaliser::of), area: (None, String::new()) }
    }

    /// Appends the parts of an address to a record without parts. Does nothing for an address abroad or without postal data.
    fn append(
        &mut self,
        Area { place, inland, names }: Area<'_>,
        street: &str,
        record: &mut Vec<u8>,
    ) -> Result<(), CompileError> {
        let Some(normaliser) = self.normaliser.as_mut().filter(|_| inland) else { return Ok(()) };
        if self.area.0 != Some(place) {
            self.area = (Some(place), [names.0, names.1].concat());
        }
        normaliser.parts(&self.area.1, street)?.append(record, 0, street);
        Ok(())
    }
}
