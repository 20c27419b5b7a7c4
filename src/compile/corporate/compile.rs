//! The newest rows into the sections of a snapshot.
//!
//! Normalising addresses is most of the work, so the rows are divided among threads. The result does not
//! depend on their number.

use std::{num::NonZero, thread};

use super::state::{Entry, State};
use super::{issuers::Issuers, search};
use crate::compile::{address::Normaliser, error::CompileError};
use crate::index::numbers::NumberIndex;
use crate::query::PostalData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{
    CorporateProvenance, CorporateTables, CorporateView, PLACES_MAX, Place, PlaceView, ROWS_MAX,
    Stored, tag,
};
use crate::snapshot::{DatasetKind, SnapshotWriter};
use crate::text::codes::{CorporateNumber, DataVersion};

/// The snapshot of a state that keeps the newest rows only.
pub fn compile(
    version: DataVersion,
    state: State,
    provenance: &CorporateProvenance,
    postal: Option<&PostalData>,
    issuers: Option<&Issuers>,
) -> Result<SnapshotWriter, CompileError> {
    let rows = state.entries.len();
    if rows == 0 {
        return Err(CompileError::NoCorporation);
    }
    let too_many = |what, limit: usize| CompileError::TooMany { what, limit: limit as u64 };
    if rows > ROWS_MAX {
        return Err(too_many("corporations", ROWS_MAX));
    }
    if state.places.len() > PLACES_MAX {
        return Err(too_many("cities", PLACES_MAX));
    }
    let shares = records(&state, postal, issuers)?;
    let numbers: Vec<CorporateNumber> = state.entries.iter().map(|entry| entry.number).collect();
    let places = places(state);
    let mut tables = CorporateTables { places, offsets: vec![0], closed: 0 };
    tables.offsets.reserve(rows);
    let mut records = Vec::with_capacity(shares.iter().map(|share| share.records.len()).sum());
    for share in shares {
        for length in share.lengths {
            let end = tables.offsets.last().and_then(|start| start.checked_add(length));
            let end = end.ok_or_else(|| too_many("bytes of records", u32::MAX as usize))?;
            tables.offsets.push(end);
        }
        tables.closed += share.closed;
        records.extend_from_slice(&share.records);
    }
    let mut snapshot = SnapshotWriter::begin(DatasetKind::Corporate, version);
    snapshot.archive(tag::PROVENANCE, provenance)?;
    snapshot.archive(tag::TABLES, &tables)?;
    let offsets = tables.offsets.iter().copied();
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers.into_iter().zip(offsets)))?;
    let view = |row: u32| {
        let at = |row: usize| tables.offsets[row] as usize;
        let stored = Stored::read(&records[at(row as usize)..at(row as usize + 1)]);
        let view = stored.and_then(|it| CorporateView::read(it.bytes, PlaceView::none(), 0));
        view.expect("a record that was packed or read a moment ago")
    };
    search::append(&mut snapshot, rows as u32, view)?;
    snapshot.blocks(tag::RECORDS, tag::SUMS, records)?;
    Ok(snapshot)
}

fn places(state: State) -> Vec<Place> {
    let mut places = state.places;
    let mut behind = None;
    for (row, entry) in (0..).zip(&state.entries) {
        if behind != Some(entry.place) {
            behind = Some(entry.place);
            places[entry.place as usize].first = row;
        }
    }
    places
}

/// The rank of each row's number among all numbers, from 0.
fn ranks(entries: &[Entry]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    order.sort_unstable_by_key(|row| entries[*row as usize].number);
    let mut ranks = vec![0; entries.len()];
    for (rank, row) in (0..).zip(order) {
        ranks[row as usize] = rank;
    }
    ranks
}

#[derive(Default)]
struct Share {
    records: Vec<u8>,
    lengths: Vec<u32>,
    closed: u32,
}

fn records(
    state: &State,
    postal: Option<&PostalData>,
    issuers: Option<&Issuers>,
) -> Result<Vec<Share>, CompileError> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = state.entries.len().div_ceil(threads).max(1);
    let ranks = ranks(&state.entries);
    thread::scope(|scope| {
        let shares: Vec<_> = state
            .entries
            .chunks(size)
            .zip(ranks.chunks(size))
            .map(|(entries, ranks)| {
                scope.spawn(move || share(state, (entries, ranks), postal, issuers))
            })
            .collect();
        let join = |share: thread::ScopedJoinHandle<'_, _>| {
            share.join().expect("a share of rows is compiled without panic")
        };
        shares.into_iter().map(join).collect()
    })
}

/// Bytes of most records beyond the packed ones: their prefix, and the parts of a new address.
const USUAL_EXTRA_BYTES: usize = 24;

fn share(
    state: &State,
    (entries, ranks): (&[Entry], &[u32]),
    postal: Option<&PostalData>,
    issuers: Option<&Issuers>,
) -> Result<Share, CompileError> {
    let mut share = Share::default();
    // Half a gigabyte that grows by doubling is copied and cleared as often again.
    let room = entries.iter().map(|entry| state.record(entry).len() + USUAL_EXTRA_BYTES).sum();
    share.records.reserve(room);
    share.lengths.reserve(entries.len());
    let mut normaliser = postal.map(Normaliser::of);
    let mut place = (None, String::new());
    let mut bytes = Vec::new();
    for (entry, rank) in entries.iter().zip(ranks) {
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
        let published = entry.published;
        Stored { place, issuer, rank: *rank, published, bytes: &bytes }.append(&mut share.records);
        share.lengths.push((share.records.len() - start) as u32);
    }
    Ok(share)
}
