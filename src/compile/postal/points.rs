//! Builds the coordinates of a version from the rows of the file of towns, and warns if they do not fit the version.

use build_tools::postal::TownPointRow;

use super::rows::Assembly;
use crate::address::gazetteer::Gazetteer;
use crate::address::points::Points;
use crate::address::points::build::{NamedPoint, PointCounts};
use crate::compile::log::{BuildLog, Warning};

/// The report of a build on its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsReport {
    pub counts: PointCounts,
    /// Rows of the file that have no coordinates.
    pub without: usize,
}

pub(super) fn build(
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
