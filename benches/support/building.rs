//! Measures time and memory of builds. Baseline of a large dataset: splitting the same files into columns.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::daicho;
use super::process::memory;

/// Time between two checks of a build's memory and of its end.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Time and highest memory of a build.
pub struct BuildCost {
    pub seconds: f64,
    pub resident_mib: f64,
    /// Resident memory without mapped files.
    pub anonymous_mib: f64,
}

/// Runs a build to its end, without its output. It must succeed.
pub fn run(build: &mut Command) -> BuildCost {
    let started = Instant::now();
    let mut child = build.stdout(Stdio::null()).spawn().expect("the program runs");
    let (mut resident_mib, mut anonymous_mib): (f64, f64) = (0.0, 0.0);
    let status = loop {
        if let Some(memory) = memory(child.id()) {
            resident_mib = resident_mib.max(memory.resident_max_mib);
            anonymous_mib = anonymous_mib.max(memory.anonymous_mib);
        }
        match child.try_wait().expect("our own child") {
            Some(status) => break status,
            None => thread::sleep(POLL_INTERVAL),
        }
    };
    assert!(status.success(), "{build:?} succeeds");
    BuildCost { seconds: started.elapsed().as_secs_f64(), resident_mib, anonymous_mib }
}

/// Runs `daicho build DATASET` with these arguments, of which the first is the version. Prints and returns the seconds;
/// prints the highest resident memory.
pub fn build(dataset: &str, folder: &Path, what: &str, arguments: &[&str], bound: f64) -> f64 {
    let mut command = daicho();
    command.args(["build", dataset, "--version"]).args(arguments);
    let BuildCost { seconds, resident_mib, anonymous_mib } =
        run(command.arg("--out").arg(folder.join("snapshots")));
    println!("  {what:<28} {seconds:>8.2} s   (bound: {bound} s)");
    let bound = if dataset == "corporate" { 1_229 } else { 3_072 };
    println!(
        "  {:<28} {resident_mib:>8.0} MiB (bound: {bound} MiB), {anonymous_mib:.0} MiB without mapped files",
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
