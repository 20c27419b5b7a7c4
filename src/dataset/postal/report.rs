//! The report of a build.

use std::sync::Arc;

use serde_json::{Value, json};

use super::PostalData;
use super::compile::{PointsReport, PostalReport};
use crate::address::points::build::PointCounts;
use crate::compile::{BuildLog, Warning};
use crate::dataset::report::{BuildReport, SnapshotReport};
use crate::snapshot::{Dataset, OpenError, companion};

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
