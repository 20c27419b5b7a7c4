//! Compiles the ministry's lists of school codes to a snapshot.

mod address;

use build_tools::Files;
use build_tools::school::{SchoolList, SchoolRow, read_schools};

use self::address::{Addresses, Placed};
use super::address::version_and_fingerprint;
use super::log::{BuildLog, Warning};
use super::{Target, error::CompileError, progress::Progress};
use crate::index::{folding, school_texts::SchoolText};
use crate::query::{PostalData, SchoolData};
use crate::record::address::Place;
use crate::record::school::{School, SchoolProvenance, SchoolTables, tag};
use crate::snapshot::{DatasetKind, SnapshotWriter};

/// Schools between two reports of progress.
const PROGRESS_SCHOOLS: usize = 1_024;

pub struct SchoolSources {
    /// Lists, or folders or archives of them.
    pub lists: Vec<Files>,
    pub postal: Option<PostalData>,
}

pub struct SchoolReport {
    pub data: SchoolData,
    /// Addresses whose municipality was not found.
    pub unplaced: usize,
    pub log: BuildLog,
}

pub fn build(
    target: &Target<'_>,
    sources: &SchoolSources,
    progress: &dyn Progress,
) -> Result<SchoolReport, CompileError> {
    let mut log = target.start::<SchoolData>()?;
    progress.step("reading the lists");
    let advance = &mut |done, total| progress.advance(done, total);
    let SchoolList { batch, unsound } = read_schools(&sources.lists, advance)?;
    let (postal_version, postal_fingerprint) = version_and_fingerprint(sources.postal.as_ref());
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let provenance = SchoolProvenance {
        postal_version,
        postal_fingerprint,
        rejects: number(batch.rejects.len()),
        unsound: number(unsound.len()),
    };
    let rows = log.add_batch(batch);
    target.check_rejects(&mut log)?;
    if rows.is_empty() {
        return Err(CompileError::NoSchool);
    }
    if !unsound.is_empty() {
        log.warnings.push(Warning::CheckDigits(unsound));
    }
    if let Some(before) = target.version_before::<SchoolData>()? {
        let known = before.counts()?.schools;
        log.warn_if_shrunk("schools", rows.len() as u64, known as u64, before.version());
    }
    progress.step("normalising addresses");
    let mut addresses = Addresses::of(sources.postal.as_ref())?;
    let (total, mut unplaced) = (rows.len(), 0);
    let mut schools = Vec::with_capacity(total);
    for (at, row) in rows.into_iter().enumerate() {
        if at.is_multiple_of(PROGRESS_SCHOOLS) {
            progress.advance(at as u64, total as u64);
        }
        let placed = addresses.place(&row.address, row.prefecture_code)?;
        unplaced += usize::from(placed.place.code.is_multiple_of(1_000));
        schools.push(school(row, placed));
    }
    progress.step("writing");
    let mut snapshot = SnapshotWriter::begin(DatasetKind::School, target.version);
    snapshot.archive(tag::PROVENANCE, &provenance)?;
    let tables = SchoolTables::build(schools);
    snapshot.archive(tag::TABLES, &tables)?;
    for text in SchoolText::ALL {
        let made = text.index(&tables);
        let (grams, lists) = made.map_err(|fault| CompileError::Index(fault.to_string()))?;
        let sections = text.sections();
        snapshot.archive(sections.grams, &grams)?;
        snapshot.blocks(sections.lists, sections.sums, &lists)?;
    }
    let data = target.publish(snapshot.write_beside(target.folder)?, &mut log)?;
    Ok(SchoolReport { data, unplaced, log })
}

fn school(row: SchoolRow, placed: Placed<'_>) -> (Place, School) {
    let published = Some(row.postal_code).filter(|code| *code != 0);
    let mut school = School {
        code: row.code,
        name_key: folding::key(&row.name, SchoolText::LEVEL),
        name: row.name,
        address: row.address,
        street: placed.street,
        parts: Vec::new(),
        survey_number: row.survey_number,
        new_codes: row.new_codes,
        postal_code: published.or(placed.postal_code).unwrap_or_default(),
        established: row.established,
        abolished: row.abolished,
        place: 0,
        school_type: row.school_type,
        prefecture: row.prefecture_code,
        establishment: row.establishment,
        branch: row.branch,
    };
    if let Some(parts) = placed.parts {
        school.set_parts(&parts);
    }
    (placed.place, school)
}
