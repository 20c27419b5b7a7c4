//! The rows into the sections of a snapshot, each of which is in its file before the next is made.

use super::records::{Records, Sources};
use super::rows::Rows;
use super::search;
use crate::compile::{error::CompileError, progress::Progress, target::Target};
use crate::index::numbers::NumberIndex;
use crate::record::corporate::{CorporateTables, tag};
use crate::snapshot::{DatasetKind, SnapshotFileWriter, Written};

/// The records with their checksums; origin, tables and numbers; and the search's.
const SECTIONS: usize = 2 + 3 + search::SECTIONS;

/// Writes the snapshot of rows beside its place.
pub fn compile(
    target: &Target<'_>,
    rows: Rows<'_>,
    sources: Sources<'_>,
    progress: &dyn Progress,
) -> Result<Written, CompileError> {
    rows.check()?;
    let (folder, kind) = (target.folder, DatasetKind::Corporate);
    let mut snapshot = SnapshotFileWriter::begin_in(folder, kind, target.version, SECTIONS)?;
    let mut records = Records::spool(&rows, sources, &mut snapshot)?;
    progress.step("indexing and writing");
    let places = rows.places()?;
    let earlier = rows.into_earlier();
    snapshot.archive(tag::PROVENANCE, sources.provenance)?;
    let (offsets, closed) = (records.offsets.clone(), records.closed);
    snapshot.archive(tag::TABLES, &CorporateTables { places, offsets, closed })?;
    let numbers = std::mem::take(&mut records.numbers);
    let offsets = records.offsets.iter().copied();
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers.into_iter().zip(offsets)))?;
    search::append(&mut snapshot, &records, earlier.as_ref())?;
    drop(records);
    Ok(snapshot.write_beside()?)
}
