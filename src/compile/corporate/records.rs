//! The records of a snapshot in the order of rows: with the parts of their addresses, in a spool that every index reads.
//!
//! Normalising addresses is most of the work, so rows are divided among threads, a batch after the other. The result
//! depends on neither.

use std::{num::NonZero, path::Path, thread};

use super::issuers::Issuers;
use super::state::{Entry, State};
use crate::compile::{address::Normaliser, error::CompileError};
use crate::query::PostalData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{CorporateProvenance, CorporateView, Place, PlaceView, Stored};
use crate::snapshot::{Spool, Spooled};

pub struct Records {
    pub bytes: Spooled,
    /// Where each record begins in the order of rows, and where the last ends.
    pub offsets: Vec<u32>,
    /// How many corporations are closed.
    pub closed: u32,
}

/// What a snapshot is made with beside the rows.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub provenance: &'a CorporateProvenance,
    pub postal: Option<&'a PostalData>,
    pub issuers: Option<&'a Issuers>,
}

/// Rows of a thread in a batch: some megabytes of records.
const BATCH: usize = 1 << 15;

impl Records {
    /// Makes the records of a state, with a spool in this folder.
    pub fn spool(
        state: &State,
        sources: Sources<'_>,
        folder: &Path,
    ) -> Result<Records, CompileError> {
        let io = |cause| CompileError::io(folder, cause);
        let mut making =
            Making { spool: Spool::begin(folder).map_err(io)?, offsets: vec![0], closed: 0 };
        making.offsets.reserve(state.entries.len());
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut waiting = state.entries.chunks(BATCH);
        let mut made: Vec<Share> = Vec::new();
        loop {
            let batch: Vec<_> = waiting.by_ref().take(threads).collect();
            if batch.is_empty() && made.is_empty() {
                break;
            }
            // A batch is written while the next is made.
            made = thread::scope(|scope| {
                let begin = |rows| scope.spawn(move || share(state, rows, sources));
                let shares: Vec<_> = batch.into_iter().map(begin).collect();
                made.drain(..).try_for_each(|share| making.append(&share, folder))?;
                let join = |share: thread::ScopedJoinHandle<'_, _>| {
                    share.join().expect("a share of rows is compiled without panic")
                };
                shares.into_iter().map(join).collect::<Result<_, CompileError>>()
            })?;
        }
        let Making { spool, offsets, closed } = making;
        Ok(Records { bytes: spool.finish().map_err(io)?, offsets, closed })
    }

    pub fn rows(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The record of a row. Of rows in their order, some megabytes stay in memory.
    #[inline]
    pub fn view(&self, row: u32) -> CorporateView<'_> {
        let at = |row: usize| self.offsets[row] as usize;
        let stored = Stored::read(self.bytes.get(at(row as usize)..at(row as usize + 1)));
        let view = stored.and_then(|it| CorporateView::read(it.bytes, PlaceView::none(), 0));
        view.expect("a record that was packed or read a moment ago")
    }
}

struct Making {
    spool: Spool,
    offsets: Vec<u32>,
    closed: u32,
}

impl Making {
    fn append(&mut self, share: &Share, folder: &Path) -> Result<(), CompileError> {
        for length in &share.lengths {
            let end = self.offsets.last().and_then(|start| start.checked_add(*length));
            let (what, limit) = ("bytes of records", u64::from(u32::MAX));
            self.offsets.push(end.ok_or(CompileError::TooMany { what, limit })?);
        }
        self.closed += share.closed;
        self.spool.append(&share.records).map_err(|cause| CompileError::io(folder, cause))
    }
}

/// Records that are made, and the length of each.
#[derive(Default)]
struct Share {
    records: Vec<u8>,
    lengths: Vec<u32>,
    closed: u32,
}

fn share(
    state: &State,
    entries: &[Entry],
    Sources { postal, issuers, .. }: Sources<'_>,
) -> Result<Share, CompileError> {
    let mut share = Share::default();
    let mut normaliser = postal.map(Normaliser::of);
    let mut place = (None, String::new());
    let mut bytes = Vec::new();
    for entry in entries {
        if place.0 != Some(entry.place) {
            let Place { prefecture, city, .. } = &state.places[entry.place as usize];
            place = (Some(entry.place), [prefecture.as_str(), city].concat());
        }
        let record = state.record(entry);
        bytes.clear();
        bytes.extend_from_slice(record);
        let view = CorporateView::read(record, PlaceView::none(), 0);
        let view = view.expect("a record that was packed or read a moment ago");
        share.closed += u32::from(view.is_closed());
        let abroad = state.places[entry.place as usize].prefecture_code == ABROAD;
        if let Some(normaliser) = normaliser.as_mut().filter(|_| !abroad && !entry.normalised) {
            let street = view.street().text;
            let parts = normaliser.parts(&place.1, street)?;
            parts.append(&mut bytes, 0, street);
        }
        let start = share.records.len();
        let place = u16::try_from(entry.place).expect("places were counted");
        let issuer = issuers.is_none_or(|issuers| issuers.contains(entry.number));
        let Entry { published, rank, .. } = *entry;
        Stored { place, issuer, rank, published, bytes: &bytes }.append(&mut share.records);
        share.lengths.push((share.records.len() - start) as u32);
    }
    Ok(share)
}
