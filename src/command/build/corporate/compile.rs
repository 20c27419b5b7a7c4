//! A settled state into the sections of a snapshot.
//!
//! Normalising addresses is most of the work, so the rows are shared out among threads; what each makes
//! of its rows does not depend on how many there are.

use std::num::NonZero;
use std::thread;

use super::address::Normaliser;
use super::search;
use super::state::{Entry, State};
use crate::command::CommandError;
use crate::command::build::unwritten;
use crate::index::numbers::{NumberIndex, ROWS_MAX};
use crate::query::PostalData;
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{
    CorporateProvenance, CorporateTables, CorporateView, Place, PlaceView, tag,
};
use crate::snapshot::{DatasetKind, SnapshotWriter};
use crate::text::codes::{CorporateNumber, DataVersion};

/// The snapshot of a settled state.
pub fn compile(
    version: DataVersion,
    state: State,
    provenance: &CorporateProvenance,
    postal: Option<&PostalData>,
) -> Result<SnapshotWriter, CommandError> {
    let rows = state.entries.len();
    if rows == 0 {
        let message = "expected corporations, found none; check the files and --prefecture";
        return Err(CommandError::BadInput(message.to_owned()));
    }
    if rows > ROWS_MAX {
        let message = format!("expected at most {ROWS_MAX} corporations, found {rows}");
        return Err(CommandError::BadInput(message));
    }
    let shares = records(&state, postal)?;
    let numbers: Vec<CorporateNumber> = state.entries.iter().map(|entry| entry.number).collect();
    let places = places(state);
    let mut tables = CorporateTables { places, offsets: vec![0], closed: 0 };
    tables.offsets.reserve(rows);
    let mut records = Vec::with_capacity(shares.iter().map(|share| share.records.len()).sum());
    for share in shares {
        for length in share.lengths {
            let end = tables.offsets.last().and_then(|start| start.checked_add(length));
            let end = end.ok_or_else(|| {
                let message = "expected records of at most 4 GiB, found more".to_owned();
                CommandError::BadInput(message)
            })?;
            tables.offsets.push(end);
        }
        tables.closed += share.closed;
        records.extend_from_slice(&share.records);
    }
    let mut snapshot = SnapshotWriter::begin(DatasetKind::Corporate, version);
    let sections = (|| {
        snapshot.archive(tag::PROVENANCE, provenance)?;
        snapshot.archive(tag::TABLES, &tables)?;
        snapshot.archive(tag::NUMBERS, &NumberIndex::build(&numbers))?;
        Ok(())
    })();
    sections.map_err(unwritten)?;
    let view = |row: u32| {
        let range =
            tables.offsets[row as usize] as usize..tables.offsets[row as usize + 1] as usize;
        CorporateView::read(&records[range], PlaceView::none(), 0)
            .expect("a record that was packed or read a moment ago")
    };
    search::append(&mut snapshot, rows as u32, view)?;
    snapshot.blocks(tag::RECORDS, tag::SUMS, records).map_err(unwritten)?;
    Ok(snapshot)
}

/// The places with their first rows. The state's rows are no longer needed.
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

/// The records of some rows that follow one another.
#[derive(Default)]
struct Share {
    records: Vec<u8>,
    lengths: Vec<u32>,
    closed: u32,
}

/// The records of all rows, in shares.
fn records(state: &State, postal: Option<&PostalData>) -> Result<Vec<Share>, CommandError> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let size = state.entries.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let shares: Vec<_> = state
            .entries
            .chunks(size)
            .map(|entries| scope.spawn(move || share(state, entries, postal)))
            .collect();
        let join = |share: thread::ScopedJoinHandle<'_, _>| {
            share.join().expect("a share of rows is compiled without panic")
        };
        shares.into_iter().map(join).collect()
    })
}

fn share(
    state: &State,
    entries: &[Entry],
    postal: Option<&PostalData>,
) -> Result<Share, CommandError> {
    let mut share = Share::default();
    let mut normaliser = postal.map(Normaliser::of);
    let mut place = (None, String::new());
    for entry in entries {
        if place.0 != Some(entry.place) {
            let Place { prefecture, city, .. } = &state.places[entry.place as usize];
            place = (Some(entry.place), [prefecture.as_str(), city].concat());
        }
        let start = share.records.len();
        let record = state.record(entry);
        share.records.extend_from_slice(record);
        let view = CorporateView::read(record, PlaceView::none(), 0);
        let view = view.expect("a record that was packed or read a moment ago");
        share.closed += u32::from(view.is_closed());
        let abroad = state.places[entry.place as usize].prefecture_code == ABROAD;
        if let Some(normaliser) = normaliser.as_mut().filter(|_| !abroad && !entry.normalised) {
            let street = view.street().text;
            let parts = normaliser.parts(&place.1, street)?;
            parts.append(&mut share.records, start, street);
        }
        share.lengths.push((share.records.len() - start) as u32);
    }
    Ok(share)
}
