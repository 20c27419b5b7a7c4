//! Measures time and memory of building a large dataset. Baseline: splitting the same files into columns.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::daicho;
use super::process::memory;

/// Runs `daicho build DATASET` with these arguments, of which the first is the version. Prints and returns the seconds;
/// prints the highest resident memory.
pub fn build(dataset: &str, folder: &Path, what: &str, arguments: &[&str], bound: f64) -> f64 {
    let started = Instant::now();
    let mut child = daicho()
        .args(["build", dataset, "--version"])
        .args(arguments)
        .arg("--out")
        .arg(folder.join("snapshots"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let (mut highest, mut anonymous): (f64, f64) = (0.0, 0.0);
    let status = loop {
        if let Some(memory) = memory(child.id()) {
            highest = highest.max(memory.resident_max_mib);
            anonymous = anonymous.max(memory.anonymous_mib);
        }
        match child.try_wait().expect("our own child") {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(status.success(), "the {dataset} data build");
    let seconds = started.elapsed().as_secs_f64();
    println!("  {what:<28} {seconds:>8.2} s   (bound: {bound} s)");
    let bound = if dataset == "corporate" { 1_229 } else { 3_072 };
    println!(
        "  {:<28} {highest:>8.0} MiB (bound: {bound} MiB), {anonymous:.0} MiB without mapped files",
        "highest resident memory"
    );
    seconds
}

/// Splits files into columns; prints and returns the seconds.
pub fn split<P: AsRef<Path>>(paths: &[P]) -> f64 {
    let started = Instant::now();
    let (mut line, mut columns) = (String::new(), 0);
    for path in paths {
        let file = File::open(path).expect("a source file");
        let mut file = BufReader::with_capacity(1 << 20, file);
        while file.read_line(&mut line).expect("text") > 0 {
            columns += line.split(',').map(std::hint::black_box).count();
            line.clear();
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("  baseline: {columns} columns split in {seconds:.2} s");
    seconds
}
