//! Compiles the ministry's lists of school codes to a snapshot.

use std::sync::Arc;

use build_tools::Files;
use build_tools::school::{SchoolList, SchoolRow, read_schools};
use serde_json::json;

use super::SchoolData;
use super::names::name_key;
use super::record::{School, SchoolProvenance, SchoolTables, tag};
use super::syntax::SchoolText;
use crate::compile::log::{BuildLog, Warning};
use crate::compile::target::Build;
use crate::compile::{CompileError, Progress, Result, Target};
use crate::dataset::postal::PostalData;
use crate::dataset::postal::municipalities::{
    Municipalities, Normaliser, SplitAddress, version_and_fingerprint,
};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::record::parts::{AddressPlace, Parts};
use crate::snapshot::{Dataset, OpenError, SnapshotWriter};
use crate::text::codes::DataVersion;
use crate::text::fold::{Level, folded};
use crate::text::numerals::counted;

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
) -> Result<SchoolReport> {
    let mut build = Build::start::<SchoolData>(target, progress)?;
    progress.step("reading the lists");
    let advance = &mut |done, total| progress.advance(done, total);
    let SchoolList { batch, wrong_check_digits } = read_schools(&sources.lists, advance)?;
    let (postal_version, postal_fingerprint) = version_and_fingerprint(sources.postal.as_ref());
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let provenance = SchoolProvenance {
        postal_version,
        postal_fingerprint,
        rejects: number(batch.rejects.len()),
        wrong_check_digits: number(wrong_check_digits.len()),
    };
    let rows = build.log.add_batch(batch);
    build.check_rejects()?;
    if rows.is_empty() {
        return Err(CompileError::NoSchool);
    }
    if !wrong_check_digits.is_empty() {
        build.log.warnings.push(Warning::WrongCheckDigits(wrong_check_digits));
    }
    if let Some(previous) = build.previous_version::<SchoolData>()? {
        let before = previous.counts()?.schools;
        build.log.warn_if_shrunk("schools", rows.len(), before, previous.version());
    }
    progress.step("normalising addresses");
    let schools = make_records(rows, sources.postal.as_ref(), progress)?;
    let has_no_municipality = |place: &AddressPlace| place.code.is_multiple_of(1_000);
    let unplaced = schools.iter().filter(|(place, _)| has_no_municipality(place)).count();
    progress.step("writing");
    let snapshot = compile(target.version, &provenance, schools)?;
    let data = build.publish(snapshot.of_sample(target.is_sample).stage(target.folder)?)?;
    Ok(SchoolReport { data, unplaced, log: build.log })
}

fn make_records(
    rows: Vec<SchoolRow>,
    postal: Option<&PostalData>,
    progress: &dyn Progress,
) -> Result<Vec<(AddressPlace, School)>> {
    let mut addresses = Addresses::new(postal)?;
    let total = rows.len();
    let mut schools = Vec::with_capacity(total);
    for (index, row) in rows.into_iter().enumerate() {
        if index.is_multiple_of(PROGRESS_SCHOOLS) {
            progress.advance(index as u64, total as u64);
        }
        let parsed = addresses.parse(&row.address, row.prefecture_code)?;
        schools.push(school(row, parsed));
    }
    Ok(schools)
}

/// The snapshot of these schools, each with its municipality.
pub(super) fn compile(
    version: DataVersion,
    provenance: &SchoolProvenance,
    schools: Vec<(AddressPlace, School)>,
) -> Result<SnapshotWriter> {
    let mut snapshot = SnapshotWriter::new(SchoolData::KIND, version);
    snapshot.archive(tag::PROVENANCE, provenance)?;
    let tables = SchoolTables::build(schools);
    snapshot.archive(tag::TABLES, &tables)?;
    for text in SchoolText::ALL {
        let index = text.index(&tables);
        let (grams, lists) = index.map_err(|fault| CompileError::Index(fault.to_string()))?;
        let sections = text.sections();
        snapshot.archive(sections.grams, &grams)?;
        snapshot.blocks(sections.lists, sections.sums, &lists)?;
    }
    Ok(snapshot)
}

/// The record of a school. A published postal code is preferred to the code of the address.
fn school(row: SchoolRow, parsed: ParsedAddress<'_>) -> (AddressPlace, School) {
    let published = Some(row.postal_code).filter(|code| *code != 0);
    let mut school = School {
        code: row.code,
        name_key: name_key(&row.name),
        name: row.name,
        address: row.address,
        street: parsed.street,
        parts: Vec::new(),
        survey_number: row.survey_number,
        new_codes: row.new_codes,
        postal_code: published.or(parsed.postal_code).unwrap_or_default(),
        established: row.established,
        abolished: row.abolished,
        place: 0,
        school_type: row.school_type,
        prefecture: row.prefecture_code,
        establishment: row.establishment,
        branch: row.branch,
    };
    if let Some(parts) = parsed.parts {
        school.set_parts(&parts);
    }
    (parsed.place, school)
}

/// Parses published addresses, one after the other. The normaliser finds the municipality and its end; without postal
/// data only the prefecture is split off.
struct Addresses<'a> {
    municipalities: Municipalities,
    normaliser: Option<Normaliser<'a>>,
}

struct ParsedAddress<'a> {
    place: AddressPlace,
    /// The text after the municipality, in half width.
    street: String,
    /// `None` without postal data.
    parts: Option<Parts<'a>>,
    postal_code: Option<u32>,
}

impl<'a> Addresses<'a> {
    fn new(postal: Option<&'a PostalData>) -> Result<Addresses<'a>> {
        let municipalities = Municipalities::from_postal(postal)?;
        Ok(Addresses { municipalities, normaliser: postal.map(Normaliser::new) })
    }

    /// `prefecture` is responsible for the school; an address that names none is read as being in it.
    fn parse(&mut self, text: &str, prefecture: u8) -> Result<ParsedAddress<'_>> {
        let half_width = |street: &str| folded(street, Level::Width);
        let fallback = u32::from(prefecture) * 1_000;
        let Some(normaliser) = &mut self.normaliser else {
            let split = self.municipalities.split(text, fallback);
            let place = self.municipalities.place(&split);
            return Ok(ParsedAddress {
                place,
                street: half_width(split.street),
                parts: None,
                postal_code: None,
            });
        };
        normaliser.normalise(text, "")?;
        let municipality = normaliser.municipality()?;
        let split = match municipality {
            Some((code, end)) => {
                let [prefecture, city] = self.municipalities.names(code);
                SplitAddress { code, prefecture, city, street: text.get(end..).unwrap_or_default() }
            }
            None => self.municipalities.split(text, fallback),
        };
        let place = self.municipalities.place(&split);
        let street = half_width(split.street);
        let postal_code = normaliser.postal_code()?;
        Ok(ParsedAddress { place, street, parts: Some(normaliser.parts()), postal_code })
    }
}

impl BuildReport for SchoolReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let text = format!(
            "{}: {}, {} of them closed, {} without municipality; {} bytes, {} per school\n",
            file.path().display(),
            counted(counts.schools as u64, "school"),
            counts.closed,
            self.unplaced,
            file.length(),
            file.length() / counts.schools.max(1) as u64
        );
        let counts = json!({
            "schools": counts.schools,
            "closed": counts.closed,
            "unplaced": self.unplaced,
        });
        Ok(SnapshotReport { dataset: SchoolData::KIND, file, log: &self.log, text, counts })
    }
}
