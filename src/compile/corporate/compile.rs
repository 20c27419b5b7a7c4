//! Writes the sections of a corporate snapshot. To save memory, each is in the file before the next is made. Only the
//! n-gram indexes are all made first, because two threads make them together.

use super::records::{Records, Sources};
use super::rows::Rows;
use super::search;
use crate::compile::{error::CompileError, progress::Progress, target::Target};
use crate::index::numbers::NumberIndex;
use crate::record::corporate::{CorporateTables, tag};
use crate::snapshot::{DatasetKind, SnapshotFileWriter, StagedSnapshot};

/// Sections of records and their checksums; of provenance, tables and numbers; and of the search.
const SECTION_COUNT: usize = 2 + 3 + search::SECTION_COUNT;

/// Writes the snapshot to an unfinished file beside its final path.
pub fn compile(
    target: &Target<'_>,
    rows: Rows<'_>,
    sources: Sources<'_>,
    progress: &dyn Progress,
) -> Result<StagedSnapshot, CompileError> {
    rows.check_limits()?;
    let (folder, kind) = (target.folder, DatasetKind::Corporate);
    let mut snapshot = SnapshotFileWriter::create(folder, kind, target.version, SECTION_COUNT)?;
    let mut records = Records::spool(&rows, sources, &mut snapshot)?;
    progress.step("indexing and writing");
    let places = rows.places()?;
    let renewable = rows.into_renewable_base();
    snapshot.archive(tag::PROVENANCE, sources.provenance)?;
    let (offsets, closed) = (records.offsets.clone(), records.closed);
    snapshot.archive(tag::TABLES, &CorporateTables { places, offsets, closed })?;
    let numbers = std::mem::take(&mut records.numbers);
    let offsets = records.offsets.iter().copied();
    snapshot.archive(tag::NUMBERS, &NumberIndex::build(numbers.into_iter().zip(offsets)))?;
    search::append_sections(&mut snapshot, &records, renewable.as_ref())?;
    drop(records);
    Ok(snapshot.stage()?)
}
