//! Time and memory of building one month of postal codes, and the size of each section of the snapshot.
//!
//! Baseline of the same run: decoding the same files and splitting them into columns, the least work that any
//! reader of them must do.

mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};
use support::building::{BuildCost, run};
use support::source::{AREA, BUSINESS, write_month};
use support::{daicho, folder, official, ratio};

/// Number of timed builds; their median is printed.
const BUILDS: usize = 5;

fn main() {
    let folder = folder("build");
    let files = write_month(&folder);
    println!("one month: {AREA} area and {BUSINESS} business rows, seeded");
    month(&folder, &files.area, &files.business);
    match official("postal/2026-05") {
        Some(files) => {
            println!("one month: the official files of May 2026, xz-compressed");
            month(&folder, &files.join("utf_ken_all.csv.xz"), &files.join("JIGYOSYO.CSV.xz"));
        }
        None => println!("no official files: built only the seeded data"),
    }
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn month(folder: &Path, area: &Path, business: &Path) {
    let (seconds, mib) = median(|| build(folder, area, business, &[]));
    println!("  build with its download     {seconds:>8.2} s");
    println!("  highest resident memory     {mib:>8.0} MiB");
    let download = folder.join("snapshots/postal/2026-05-29.kenall.json.xz");
    let bytes = fs::metadata(download).expect("written beside the snapshot").len();
    println!("  download                    {:>8.1} MB", bytes as f64 / 1e6);
    let (seconds, mib) = median(|| build(folder, area, business, &["--no-download"]));
    println!("  build                       {seconds:>8.2} s   (bound: 5 s)");
    println!("  highest resident memory     {mib:>8.0} MiB (bound: 300 MiB)");
    let started = Instant::now();
    let columns = split(area) + split(business);
    let baseline = started.elapsed().as_secs_f64();
    println!("  baseline: {columns} columns split  {baseline:.2} s");
    ratio("build", seconds, baseline);
    sizes(&folder.join("snapshots/postal/2026-05-29.daicho"));
}

/// Median seconds and the highest resident MiB of several builds.
fn median(build: impl Fn() -> (f64, f64)) -> (f64, f64) {
    let mut builds: Vec<(f64, f64)> = (0..BUILDS).map(|_| build()).collect();
    builds.sort_by(|left, right| left.0.total_cmp(&right.0));
    let (seconds, _) = builds[BUILDS / 2];
    (seconds, builds.iter().map(|(_, mib)| *mib).fold(0.0, f64::max))
}

/// Seconds and highest resident MiB of one build.
fn build(folder: &Path, area: &Path, business: &Path, arguments: &[&str]) -> (f64, f64) {
    let mut command = daicho();
    command.args(["build", "postal", "--version", "2026-05-29", "--area"]).arg(area);
    command.arg("--business").arg(business).args(arguments);
    let BuildCost { seconds, resident_mib, .. } =
        run(command.arg("--out").arg(folder.join("snapshots")));
    (seconds, resident_mib)
}

fn split(path: &Path) -> usize {
    let bytes = fs::read(path).expect("a source file");
    let mut bytes = bytes.as_slice();
    let mut unpacked = Vec::new();
    if path.extension().is_some_and(|extension| extension == "xz") {
        let mut reader = liblzma::read::XzDecoder::new(bytes);
        std::io::Read::read_to_end(&mut reader, &mut unpacked).expect("an xz file");
        bytes = &unpacked;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::SHIFT_JIS.decode(bytes).0,
    };
    text.lines().map(|line| line.split(',').map(std::hint::black_box).count()).sum()
}

fn sizes(path: &Path) {
    let file = SnapshotFile::open(path).expect("built a moment ago");
    let bytes = file.length();
    let sections: Vec<(String, usize)> =
        file.sections().iter().map(|section| (section.tag.to_string(), section.length)).collect();
    let data = PostalData::from_file(file);
    let records = data.counts().expect("built a moment ago").records;
    println!(
        "  snapshot                    {:>8.2} MB  (bound: 30 MB), {:.1} bytes a record of {records}",
        bytes as f64 / 1e6,
        bytes as f64 / records as f64
    );
    for (name, length) in sections {
        println!(
            "    {name:<10} {length:>10} bytes {:>7.1} a record",
            length as f64 / records as f64
        );
    }
}
