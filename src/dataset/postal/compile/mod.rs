//! Compiles Japan Post's files of one month to one snapshot. If it is wanted, also to a download of the whole data.
//!
//! The compressed file for `/v1/download` has the records of the newest API version in area order, under `version` and
//! `data` as in every answer. xz compresses blocks of a fixed size, so the bytes do not depend on the number of
//! threads.

mod block_lot;
mod changes;
pub(super) mod cities;
mod readings;
pub(super) mod rows;
mod sources;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use build_tools::Source;
use build_tools::postal::{TownPointRow, edition_in_file_name, expected_records};
use liblzma::stream::{Check, MtStreamBuilder};
use liblzma::write::XzEncoder;
use serde_json::{Value, json};

use self::rows::Assembly;
use self::sources::{CORPORATE_ROLE, SourceRows};
use super::{PostalData, write_all_postal};
use crate::address::gazetteer::Gazetteer;
use crate::address::points::Points;
use crate::address::points::build::{NamedPoint, PointCounts};
use crate::address::points::tree::PointTree;
use crate::address::suggest::{Counts, Suggestions};
use crate::compile::log::{BuildLog, Refusal, Warning};
use crate::compile::target::Build;
use crate::compile::{CompileError, Progress, Result, Target};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::index::{code_index::CodeIndex, postal_texts::PostalTextIndex};
use crate::record::StringPool;
use crate::record::postal::{CityRow, PostalProvenance, PostalRow, PostalTables, tag};
use crate::snapshot::{Dataset, OpenError, SnapshotWriter, UnfinishedFile, companion};
use crate::text::codes::DataVersion;

pub use self::sources::PostalSources;

/// The first data version with Roman fields.
const ROMAN_SINCE: &str = "2022-11-01";

pub struct PostalReport {
    pub data: PostalData,
    /// The length of the download, if it was made.
    pub download_bytes: Option<u64>,
    /// `None` if the build had no file of coordinates.
    pub points: Option<PointsReport>,
    pub log: BuildLog,
}

/// Builds and writes one version with its download. Without a download, it removes an existing one.
pub fn build(
    target: &Target<'_>,
    sources: PostalSources,
    progress: &dyn Progress,
) -> Result<PostalReport> {
    let mut build = Build::start::<PostalData>(target, progress)?;
    let (has_addressing, with_download) = (sources.addressing.is_some(), sources.download);
    check_months(&mut build, &sources.updates)?;
    let rows = SourceRows::read(sources, &mut build)?;
    build.check_rejects()?;
    progress.step("compiling");
    let previous = build.previous_version::<PostalData>()?;
    if let Some(previous) = &previous {
        compare_sources(previous, &rows, &mut build.log)?;
    }
    let previous = previous.as_deref();
    let (snapshot, points) =
        compile(target.version, rows, has_addressing, previous, &mut build.log)?;
    progress.step("writing");
    let mut download_bytes = None;
    let data = build.publish_with(
        snapshot.of_sample(target.is_sample).stage(target.folder)?,
        |data, path| {
            if !with_download {
                return Ok(Vec::new());
            }
            progress.step("compressing for download");
            let file = prepare(data, path)?;
            download_bytes = file.length().ok();
            Ok(vec![file])
        },
    )?;
    if !with_download {
        let path = data.file().path();
        companion::remove_download(path)
            .map_err(|cause| CompileError::io(&companion::download_path(path), cause))?;
    }
    Ok(PostalReport { data, download_bytes, points, log: build.log })
}

/// An edition is published at the end of its month, or in the first days of the next, at most this many: the edition of
/// April 2026 on May 1, a corrected one of March 2026 on April 2. None is published in the middle of a month.
pub const LATE_DAYS_MAX: i8 = 10;

/// Refuses difference files that are by their names of another edition than the version.
fn check_months(build: &mut Build<'_>, updates: &[Source]) -> Result<()> {
    let version = build.target.version;
    let (month, day) = (version.number() / 100, version.date().day());
    // January 202601 follows December 202512.
    let previous_month = if month % 100 == 1 { month - 89 } else { month - 1 };
    for update in updates {
        let Some(edition) = edition_in_file_name(update.file_name()) else { continue };
        if edition != month && !(edition == previous_month && day <= LATE_DAYS_MAX) {
            let file = update.name().to_owned();
            let found = format!("{:04}-{:02}", edition / 100, edition % 100);
            let expected = version.month();
            build.refuse(Refusal::OtherMonth { file, expected, found })?;
        }
    }
    Ok(())
}

/// Warns of sources that are much shorter than in the previous version, or missing.
fn compare_sources(previous: &PostalData, rows: &SourceRows, log: &mut BuildLog) -> Result<()> {
    let version = previous.version();
    let provenance = previous.provenance()?;
    for source in provenance.root().sources.iter() {
        let role = source.role.as_str();
        let now = rows.counts.iter().find(|now| now.role == role);
        if let Some(now) = now.filter(|_| matches!(role, "area" | "business" | "towns")) {
            let (now, before) = (now.rows as usize, source.rows.to_native() as usize);
            log.warn_if_shrunk(&format!("rows in the {role} file"), now, before, version);
        }
        if role.starts_with(CORPORATE_ROLE) && rows.corporations.is_none() {
            log.warnings.push(Warning::NoCorporations { version });
        }
    }
    if previous.has_points() && rows.towns.is_none() {
        log.warnings.push(Warning::NoPoints { version });
    }
    Ok(())
}

/// Bytes of a snapshot for each of its records, rounded up: official months have 160 to 185.
const BYTES_PER_RECORD: usize = 200;

fn compile(
    version: DataVersion,
    rows: SourceRows,
    has_addressing: bool,
    previous: Option<&PostalData>,
    log: &mut BuildLog,
) -> Result<(SnapshotWriter, Option<PointsReport>)> {
    let roman_since = DataVersion::parse(ROMAN_SINCE).expect("a constant date");
    let has_roman = version >= roman_since;
    let compares = rows.area_differences.is_none() || rows.business_differences.is_none();
    let compared_with = previous.filter(|_| compares).map(|data| data.version().to_string());
    let provenance = PostalProvenance {
        sources: rows.counts,
        roman: has_roman,
        addressing: has_addressing,
        compared_with: compared_with.unwrap_or_default(),
    };
    let expected = expected_records(rows.area.len()) + rows.business.len();
    let mut assembly = Assembly::new(expected, has_roman, rows.addressing, previous)?;
    // The rows take much memory: the rows of a file are dropped when its records are made.
    {
        let changes = changes::find(&rows.area, rows.area_differences.as_ref(), previous)?;
        assembly.add_area(&rows.area, &changes)?;
    }
    drop(rows.area);
    {
        let changes = changes::find(&rows.business, rows.business_differences.as_ref(), previous)?;
        assembly.add_business(&rows.business, &changes)?;
    }
    drop(rows.business);
    let towns = assembly.towns_without_reading();
    if !towns.is_empty() {
        log.warnings.push(Warning::TownsWithoutReading { towns });
    }
    assembly.sort();
    let mut snapshot =
        SnapshotWriter::with_capacity(PostalData::KIND, version, expected * BYTES_PER_RECORD);
    snapshot.archive(tag::PROVENANCE, &provenance)?;
    let points = write_sections(
        &mut snapshot,
        assembly,
        rows.towns.as_deref(),
        rows.corporations.as_ref(),
        log,
    )?;
    Ok((snapshot, points))
}

fn write_sections(
    snapshot: &mut SnapshotWriter,
    assembly: Assembly,
    towns: Option<&[TownPointRow]>,
    corporations: Option<&Counts>,
    log: &mut BuildLog,
) -> Result<Option<PointsReport>> {
    let cities = assembly.cities.rows();
    let gazetteer = Gazetteer::build(cities, &assembly.current);
    let (points, report) =
        towns.map(|towns| build_points(towns, &gazetteer, &assembly, log)).unzip();
    let suggestions = Suggestions::build(&gazetteer, cities, &assembly.current, corporations)
        .map_err(|fault| CompileError::Index(fault.to_string()))?;
    let Assembly { cities, current, abolished, .. } = assembly;
    let derived = Derived { gazetteer, suggestions, points };
    write_records(snapshot, cities.rows(), current, abolished, derived)?;
    Ok(report)
}

/// What is made of the records.
pub(super) struct Derived {
    pub gazetteer: Gazetteer,
    pub suggestions: Suggestions,
    /// `None` without coordinates.
    pub points: Option<Points>,
}

/// Writes the records, which are in area order, with their indexes.
pub(super) fn write_records(
    snapshot: &mut SnapshotWriter,
    cities: &[CityRow],
    current: Vec<PostalRow>,
    abolished: Vec<PostalRow>,
    derived: Derived,
) -> Result<()> {
    let grams = PostalTextIndex::build(cities, &current)
        .map_err(|fault| CompileError::Index(fault.to_string()))?;
    let codes: Vec<u32> = current.iter().map(|row| row.postal_code).collect();
    // The pool comes last: with its index of every text it is as large as the memory that the two indexes need.
    let mut pool = StringPool::default();
    let tables = PostalTables::build(cities, current, abolished, &mut pool);
    snapshot.archive(tag::TABLES, &tables)?;
    drop(tables);
    snapshot.archive(tag::TOWNS, &derived.gazetteer)?;
    snapshot.archive(tag::CODES, &CodeIndex::build(&codes))?;
    snapshot.archive(tag::STRINGS, &pool.into_table())?;
    snapshot.archive(tag::GRAMS, &grams)?;
    snapshot.archive(tag::SUGGEST, &derived.suggestions)?;
    if let Some(points) = derived.points {
        snapshot.archive(tag::NEAREST, &PointTree::build(&points, &derived.gazetteer))?;
        snapshot.archive(tag::POINTS, &points)?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsReport {
    pub counts: PointCounts,
    /// Rows of the file that have no coordinates.
    pub without: usize,
}

/// Builds the coordinates of a version from the rows of the file of towns, and warns if they do not fit the version.
fn build_points(
    rows: &[TownPointRow],
    gazetteer: &Gazetteer,
    assembly: &Assembly,
    log: &mut BuildLog,
) -> (Points, PointsReport) {
    let points: Vec<NamedPoint<'_>> = rows.iter().filter_map(named_point).collect();
    let (cities, records) = (assembly.cities.rows(), &assembly.current);
    let without = rows.len() - points.len();
    let (points, counts) = Points::build(gazetteer, cities, records, &points);
    let PointCounts { points: all, unplaced, unknown_cities, .. } = counts;
    if unplaced * 2 > all {
        log.warnings.push(Warning::UnplacedPoints { unplaced, all });
    }
    if unknown_cities > 0 {
        log.warnings.push(Warning::UnknownCities { points: unknown_cities });
    }
    (points, PointsReport { counts, without })
}

/// The point of a row, if it has coordinates.
fn named_point(row: &TownPointRow) -> Option<NamedPoint<'_>> {
    let [lat, lon] = row.point?;
    let TownPointRow { jisx0402, city, town, koaza, .. } = row;
    Some(NamedPoint { jisx0402: *jisx0402, city, town, koaza, lat: lat.0, lon: lon.0 })
}

impl BuildReport for PostalReport {
    fn describe(&self) -> Result<SnapshotReport<'_>, Arc<OpenError>> {
        let (file, counts) = (self.data.file(), self.data.counts()?);
        let mut text = format!(
            "{}: {} records, {} codes, {} municipalities, {} businesses; {} changed, {} abolished; {} \
             bytes\n",
            file.path().display(),
            counts.records,
            counts.codes,
            counts.cities,
            counts.corporations,
            counts.changed,
            counts.abolished,
            file.length()
        );
        if let Some(bytes) = self.download_bytes {
            let path = companion::download_path(file.path());
            text.push_str(&format!("{}: {bytes} bytes\n", path.display()));
        }
        if let Some(points) = &self.points {
            text.push_str(&points_line(points));
        }
        let counts = json!({
            "records": counts.records,
            "codes": counts.codes,
            "municipalities": counts.cities,
            "businesses": counts.corporations,
            "changed": counts.changed,
            "abolished": counts.abolished,
            "download_bytes": self.download_bytes,
            "towns_without_reading": without_reading(&self.log),
            "points": self.points.as_ref().map(points_object),
        });
        Ok(SnapshotReport { dataset: PostalData::KIND, file, log: &self.log, text, counts })
    }
}

fn points_line(points: &PointsReport) -> String {
    let PointCounts { towns, records, cities, points: all, unplaced, .. } = points.counts;
    format!(
        "coordinates of {} of {} towns, {} of {} records of towns, {} of {} municipalities; {unplaced} of {all} \
         points are of no town, {} rows have no coordinates\n",
        towns[0], towns[1], records[0], records[1], cities[0], cities[1], points.without
    )
}

fn points_object(points: &PointsReport) -> Value {
    let PointCounts { towns, records, cities, points: all, unplaced, unknown_cities } =
        points.counts;
    json!({
        "towns": towns[0],
        "towns_in_all": towns[1],
        "records": records[0],
        "records_in_all": records[1],
        "municipalities": cities[0],
        "municipalities_in_all": cities[1],
        "points": all,
        "unplaced": unplaced,
        "unknown_municipality": unknown_cities,
        "without_coordinates": points.without,
    })
}

/// All towns of a warning that lists only the first ones.
fn without_reading(log: &BuildLog) -> &[String] {
    let towns = log.warnings.iter().find_map(|warning| match warning {
        Warning::TownsWithoutReading { towns } => Some(towns.as_slice()),
        _ => None,
    });
    towns.unwrap_or_default()
}

/// Preset of xz. Per month of data: 1 takes 2.1 s of CPU for 5.0 MB, 3 takes 4.8 s for 4.6 MB, 6 takes 18 s for 4.4
/// MB.
const PRESET: u32 = 1;

/// Large enough that the start of a block costs nothing, small enough that each core of a machine has one.
const BLOCK_BYTES: u64 = 8 << 20;

/// Most threads: each holds a block and its tables, some 30 MB.
const THREADS_MAX: usize = 4;

/// The unfinished download of data whose snapshot will be at `path`.
pub fn prepare(data: &PostalData, path: &Path) -> Result<UnfinishedFile> {
    let records = data.records()?;
    let cities = data.prepare_fragments()?;
    let written = companion::prepare_download(path, |out| {
        let mut encoder = XzEncoder::new_stream(out, encoder()?);
        write_all_postal(data.version(), records, cities, |bytes| encoder.write_all(bytes))?;
        encoder.finish().map(|_out| ())
    });
    written.map_err(|cause| CompileError::io(&companion::download_path(path), cause))
}

fn encoder() -> io::Result<liblzma::stream::Stream> {
    let threads = available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX));
    let threads = u32::try_from(threads).expect("a few");
    let mut builder = MtStreamBuilder::new();
    builder.threads(threads).block_size(BLOCK_BYTES).preset(PRESET).check(Check::Crc64);
    Ok(builder.encoder()?)
}
