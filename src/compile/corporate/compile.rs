//! Writes the sections of a snapshot. Each is in the file before the next is made, to save memory.

use super::records::{Records, Sources};
use super::rows::Rows;
use super::search;
use crate::compile::{error::CompileError, progress::Progress, target::Target};
use crate::index::numbers::NumberIndex;
use crate::record::corporate::{CorporateTables, tag};
use crate::snapshot::{DatasetKind, SnapshotFileWriter, Written};

/// Records and their checksums; provenance, tables and numbers; and those of the search.
const SECTIONS: usize = 2 + 3 + search::SECTIONS;

/// Writes the snapshot to an unfinished file beside its final path.
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
    let previous = rows.into_previous();
    snapshot.archive(tag::PROVENANCE, sources.provenance)?;
    let (offsets, closed) = (records.offsets.clone(), records.closed);
    snapshot.archive(tag::TABLES, &CorporateTables { places, offsets, closed })?;
    let numbers = std::mem::take(&mut records.numbers);
    let offsets = records.offsets.iter().copied();
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers.into_iter().zip(offsets)))?;
    search::append(&mut snapshot, &records, previous.as_ref())?;
    drop(records);
    Ok(snapshot.write_beside()?)
}
