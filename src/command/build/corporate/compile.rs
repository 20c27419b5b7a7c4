//! A settled state into the sections of a snapshot.

use super::address::Normaliser;
use super::state::State;
use crate::command::CommandError;
use crate::command::build::unwritten;
use crate::index::numbers::{NumberIndex, ROWS_MAX};
use crate::record::corporate::archive::ABROAD;
use crate::record::corporate::{
    CorporateProvenance, CorporateTables, CorporateView, PlaceView, tag,
};
use crate::snapshot::{DatasetKind, SnapshotWriter};
use crate::text::codes::{CorporateNumber, DataVersion};

/// The snapshot of a settled state.
pub fn compile(
    version: DataVersion,
    state: State,
    provenance: &CorporateProvenance,
    normaliser: &mut Normaliser<'_>,
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
    let mut tables =
        CorporateTables { offsets: Vec::with_capacity(rows + 1), ..Default::default() };
    let mut records: Vec<u8> = Vec::new();
    let mut numbers: Vec<CorporateNumber> = Vec::with_capacity(rows);
    let mut text = String::new();
    for (row, entry) in (0u32..).zip(&state.entries) {
        if tables.places.len() <= entry.place as usize {
            let mut place = state.places[entry.place as usize].clone();
            place.first = row;
            text.clear();
            text.push_str(&place.prefecture);
            text.push_str(&place.city);
            tables.places.push(place);
        }
        let start = records.len();
        tables.offsets.push(offset(start)?);
        numbers.push(entry.number);
        let record = state.record(entry);
        records.extend_from_slice(record);
        let view = CorporateView::read(record, PlaceView::none(), 0);
        let view = view.expect("a record that was packed or read a moment ago");
        tables.closed += u32::from(view.is_closed());
        let abroad = tables.places.last().is_some_and(|place| place.prefecture_code == ABROAD);
        if entry.fields as usize == record.len() && !abroad {
            let street = view.street().text;
            normaliser.parts(&text, street, |parts| {
                if let Some(parts) = parts {
                    parts.append(&mut records, start, street);
                }
            })?;
        }
    }
    tables.offsets.push(offset(records.len())?);
    drop(state);
    let mut snapshot = SnapshotWriter::begin(DatasetKind::Corporate, version);
    let sections = (|| {
        snapshot.archive(tag::PROVENANCE, provenance)?;
        snapshot.archive(tag::TABLES, &tables)?;
        snapshot.archive(tag::NUMBERS, &NumberIndex::build(&numbers))?;
        snapshot.blocks(tag::RECORDS, tag::SUMS, records)
    })();
    sections.map_err(unwritten)?;
    Ok(snapshot)
}

fn offset(place: usize) -> Result<u32, CommandError> {
    u32::try_from(place).map_err(|_large| {
        CommandError::BadInput("expected records of at most 4 GiB, found more".to_owned())
    })
}
