//! The newest rows into the sections of a snapshot, each of which is in its file before the next is made.

use super::records::{Records, Sources};
use super::search;
use super::state::State;
use crate::compile::{error::CompileError, progress::Progress, target::Target};
use crate::index::numbers::NumberIndex;
use crate::record::corporate::{CorporateTables, PLACES_MAX, Place, ROWS_MAX, tag};
use crate::snapshot::{DatasetKind, SnapshotFileWriter, Written};
use crate::text::codes::CorporateNumber;

/// Origin, tables and numbers; the search's; and the records with their checksums.
const SECTIONS: usize = 3 + search::SECTIONS + 2;

/// Writes the snapshot of a state that keeps the newest rows only, beside its place.
pub fn compile(
    target: &Target<'_>,
    state: State,
    sources: Sources<'_>,
    progress: &dyn Progress,
) -> Result<Written, CompileError> {
    let rows = state.entries.len();
    if rows == 0 {
        return Err(CompileError::NoCorporation);
    }
    if rows > ROWS_MAX {
        return Err(CompileError::TooMany { what: "corporations", limit: ROWS_MAX as u64 });
    }
    if state.places.len() > PLACES_MAX {
        return Err(CompileError::TooMany { what: "cities", limit: PLACES_MAX as u64 });
    }
    let (folder, kind) = (target.folder, DatasetKind::Corporate);
    let mut snapshot = SnapshotFileWriter::begin_in(folder, kind, target.version, SECTIONS)?;
    let records = Records::spool(&state, sources, snapshot.folder())?;
    progress.step("indexing and writing");
    let numbers: Vec<CorporateNumber> = state.entries.iter().map(|entry| entry.number).collect();
    let places = places(state);
    snapshot.archive(tag::PROVENANCE, sources.provenance)?;
    let (offsets, closed) = (records.offsets.clone(), records.closed);
    snapshot.archive(tag::TABLES, &CorporateTables { places, offsets, closed })?;
    let offsets = records.offsets.iter().copied();
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers.into_iter().zip(offsets)))?;
    search::append(&mut snapshot, &records)?;
    snapshot.spooled(tag::RECORDS, tag::SUMS, &records.bytes)?;
    Ok(snapshot.write_beside()?)
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
