//! `daicho build postal`.

use std::io::Write;
use std::path::{Path, PathBuf};

use build_tools::{Kind, Source};
use clap::Args;
use serde_json::{Value, json};

use super::report::{SnapshotReport, build_error, print_report};
use super::target::TargetArgs;
use crate::address::points::build::PointCounts;
use crate::cli::{error::CommandError, progress::StepBar};
use crate::compile::open_verified;
use crate::compile::{BuildLog, Warning};
use crate::dataset::postal::compile::{self, PointsReport, PostalReport, PostalSources};
use crate::snapshot::{Dataset, DatasetKind, companion};

#[derive(Debug, Args)]
pub struct PostalArgs {
    /// KEN_ALL.CSV or utf_ken_all.csv; plain, compressed, or ARCHIVE#MEMBER
    #[arg(long, value_name = "FILE", display_order = 1)]
    area: PathBuf,
    /// KEN_ALL_ROME.CSV: validated and recorded as a source; roman names are derived from the readings
    #[arg(long, value_name = "FILE", display_order = 2)]
    roman: Option<PathBuf>,
    /// JIGYOSYO.CSV
    #[arg(long, value_name = "FILE", display_order = 3)]
    business: Option<PathBuf>,
    /// Town master of the Address Base Registry, the source of town_jukyohyoji
    #[arg(long, value_name = "FILE", display_order = 4)]
    addressing: Option<PathBuf>,
    /// Coordinates of towns (Geolonia 住所データ): latest.csv, or a copy with the columns city_code, city_name,
    /// town, koaza, lat and lng
    #[arg(long, value_name = "FILE", display_order = 5)]
    towns: Option<PathBuf>,
    /// The difference files of the month: ADD, DEL, utf_add, utf_del, JADD, JDEL
    #[arg(long, value_name = "FILE", num_args = 1.., display_order = 6)]
    updates: Vec<PathBuf>,
    /// A corporate snapshot for ranking: places with more corporations are suggested first [default: places with more
    /// postal records]
    #[arg(long, value_name = "SNAPSHOT", display_order = 7)]
    corporate: Option<PathBuf>,
    /// Do not write the file for /v1/download
    #[arg(long, env = "DAICHO_NO_DOWNLOAD", display_order = 8)]
    no_download: bool,
    #[command(flatten)]
    target: TargetArgs,
}

pub fn run(args: PostalArgs, stdout: &mut dyn Write) -> Result<(), CommandError> {
    let target = args.target.target()?;
    let month = target.version.month();
    let open =
        |path: &Path, kind| Source::open(path, kind, Some(&month)).map_err(CommandError::failed);
    let optional =
        |path: &Option<PathBuf>, kind| path.as_deref().map(|path| open(path, kind)).transpose();
    let sources = PostalSources {
        area: open(&args.area, Kind::Area)?,
        roman: optional(&args.roman, Kind::Roman)?,
        business: optional(&args.business, Kind::Business)?,
        addressing: optional(&args.addressing, Kind::Addressing)?,
        towns: optional(&args.towns, Kind::Towns)?,
        corporations: args.corporate.as_deref().map(open_verified).transpose()?,
        updates: args
            .updates
            .iter()
            .map(|path| open(path, Kind::Update))
            .collect::<Result<_, _>>()?,
        download: !args.no_download,
    };
    let report = compile::build(&target, sources, &StepBar::new());
    let report = report.map_err(|error| build_error(error, &target, DatasetKind::Postal))?;
    print_report(&describe(&report)?, args.target.json, stdout)
}

pub fn describe(report: &PostalReport) -> Result<SnapshotReport<'_>, CommandError> {
    let (file, counts) = (report.data.file(), report.data.counts()?);
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
    if let Some(bytes) = report.download_bytes {
        let path = companion::download_path(file.path());
        text.push_str(&format!("{}: {bytes} bytes\n", path.display()));
    }
    if let Some(points) = &report.points {
        text.push_str(&points_line(points));
    }
    let counts = json!({
        "records": counts.records,
        "codes": counts.codes,
        "municipalities": counts.cities,
        "businesses": counts.corporations,
        "changed": counts.changed,
        "abolished": counts.abolished,
        "download_bytes": report.download_bytes,
        "towns_without_reading": without_reading(&report.log),
        "points": report.points.as_ref().map(points_object),
    });
    Ok(SnapshotReport { file, log: &report.log, text, counts })
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
