//! The search for the places near a location, in process: percentiles over random locations.
//!
//! The month is the official one with the official points if these files are available, else a seeded one. Baseline of the
//! same run: points sorted by latitude, of which those within 10 km to the north and south are looked at.

mod support;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use daicho::address::Degrees;
use daicho::address::points::location::Location;
use daicho::address::points::tree::METRES_MAX;
use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};
use support::source::SeededRandom;
use support::{folder, month_with_points, percentiles};

const LOCATIONS: usize = 20_000;
/// The baseline takes longer.
const BASELINE: usize = 500;
/// Passes over a location; the fastest is used.
const PASSES: usize = 5;
/// Places of an answer.
const LIMIT: usize = 10;

fn main() {
    let folder = folder("reverse");
    let (path, source) = month_with_points(&folder, seeded_towns);
    let data = PostalData::from_file(SnapshotFile::open(&path).expect("built a moment ago"));
    let points: Vec<Location> =
        data.places_with_points().expect("sound").into_iter().map(|(_, at)| at).collect();
    println!("places near a location, {} points ({source})", points.len());
    let sections = data.file().sections().iter();
    let bytes =
        sections.filter(|it| it.tag.to_string() == "nearest").map(|it| it.length).sum::<usize>();
    println!("  {:<40} {:.2} MB (bound: 3 MB)", "the index", bytes as f64 / 1e6);
    let mut random = SeededRandom::new(11);
    let near = near_places(&points, &mut random);
    let anywhere: Vec<Location> = (0..LOCATIONS)
        .map(|_| {
            let lat = 20_000_000 + random.below(26_000_000) as i32;
            Location {
                lat: Degrees(lat),
                lon: Degrees(122_000_000 + random.below(32_000_000) as i32),
            }
        })
        .collect();
    let find = |limit: usize| {
        let data = &data;
        move |at: Location| data.nearest(at, limit).expect("sound").map_or(0, |found| found.len())
    };
    assert!(near.iter().all(|at| find(1)(*at) == 1), "every location is near a place");
    percentiles("the nearest", times(&near, find(1)));
    let [_, p99] = percentiles("the ten nearest (bound: p99 20 us)", times(&near, find(LIMIT)));
    percentiles("ten anywhere in the rectangle of Japan", times(&anywhere, find(LIMIT)));
    let named = |at: Location| {
        let near = data.nearest(at, LIMIT).expect("sound").unwrap_or_default();
        near.into_iter().filter_map(|near| data.near_town(near).expect("sound")).count()
    };
    percentiles("ten with their names and codes", times(&near, named));
    let mut sorted = points.clone();
    sorted.sort_by_key(|at| at.lat.0);
    let scan = |at: Location| scan(&sorted, at).len();
    let [_, baseline] = percentiles("baseline: points by latitude", times(&near[..BASELINE], scan));
    support::ratio("p99 of the ten nearest", p99, baseline);
    std::fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Locations within some kilometres of a place.
fn near_places(points: &[Location], random: &mut SeededRandom) -> Vec<Location> {
    let offset = |random: &mut SeededRandom| random.below(40_000) as i32 - 20_000;
    (0..LOCATIONS)
        .map(|_| {
            let at = points[random.below(points.len())];
            let (north, east) = (offset(random), offset(random));
            Location { lat: Degrees(at.lat.0 + north), lon: Degrees(at.lon.0 + east) }
        })
        .collect()
}

/// The fastest pass over each location, in microseconds.
fn times(locations: &[Location], run: impl Fn(Location) -> usize) -> Vec<f64> {
    let fastest = |at: &Location| {
        let passes = (0..PASSES).map(|_| {
            let started = Instant::now();
            black_box(run(black_box(*at)));
            started.elapsed().as_nanos() as f64 / 1e3
        });
        passes.fold(f64::INFINITY, f64::min)
    };
    locations.iter().map(fastest).collect()
}

/// The nearest by a look at every point of some latitudes.
fn scan(sorted: &[Location], from: Location) -> Vec<f64> {
    const REACH: i32 = 90_500;
    let start = sorted.partition_point(|at| at.lat.0 < from.lat.0 - REACH);
    let end = sorted.partition_point(|at| at.lat.0 <= from.lat.0 + REACH);
    let mut found: Vec<f64> = sorted[start..end].iter().map(|at| from.metres_to(*at)).collect();
    found.retain(|metres| *metres <= METRES_MAX);
    found.sort_unstable_by(f64::total_cmp);
    found.truncate(LIMIT);
    found
}

/// Writes a file with a random point for each town of a month.
fn seeded_towns(month: &Path, folder: &Path) -> PathBuf {
    let data = PostalData::from_file(SnapshotFile::open(month).expect("built a moment ago"));
    let mut random = SeededRandom::new(5);
    let mut rows = "city_code,city_name,town,koaza,lat,lng\n".to_owned();
    for record in data.records().expect("sound") {
        let (city, town) = (record.city(), record.town().name.text);
        if town.is_empty() || record.corporation().is_some() {
            continue;
        }
        let lat = 31.0 + random.below(12_000_000) as f64 / 1e6;
        let lon = 130.0 + random.below(14_000_000) as f64 / 1e6;
        let name = city.city().name.text;
        let _ = writeln!(rows, "{:05},{name},{town},,{lat:.6},{lon:.6}", city.jisx0402());
    }
    let path = folder.join("towns.csv");
    std::fs::write(&path, rows).expect("the bench's own folder");
    path
}
