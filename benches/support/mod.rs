//! Shared by the benches: seeded source files of the true size, timing, and CPU time and memory of a process.
#![allow(dead_code, reason = "each bench is a program of its own and uses a part of this")]

pub mod banks;
pub mod building;
pub mod client;
pub mod corporations;
pub mod disk;
pub mod kept_corporations;
pub mod load;
pub mod process;
pub mod seeded;
#[path = "../../tests/support/shared_data.rs"]
mod shared_data;
pub mod snapshot_version;
pub mod source;

use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Instant;

/// A file or folder of the official data; `None` if this machine does not have it.
pub fn official(name: &str) -> Option<PathBuf> {
    Some(shared_data::place(name)).filter(|path| path.exists())
}

/// Number of batches; their minimum and median are printed.
const SAMPLES: usize = 30;

/// Prints the minimum and the median of whole batches, in nanoseconds for one input, and returns
/// the median. A mean would include the machine's other work.
pub fn measure<T, R>(name: &str, inputs: &[T], mut run: impl FnMut(&T) -> R) -> f64 {
    let mut samples_ns = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let started = Instant::now();
        for input in inputs {
            black_box(run(black_box(input)));
        }
        samples_ns.push(started.elapsed().as_nanos() as f64 / inputs.len() as f64);
    }
    samples_ns.sort_by(f64::total_cmp);
    let median = samples_ns[SAMPLES / 2];
    println!("  {name:<44} min {:>9.1} ns   median {median:>9.1} ns", samples_ns[0]);
    median
}

/// Prints the percentiles of times in microseconds, and returns the 50th and the 99th.
pub fn percentiles(name: &str, mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    let percentile = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    let (p50, p99) = (percentile(0.5), percentile(0.99));
    println!(
        "  {name:<40} p50 {p50:>9.1} us   p99 {p99:>9.1} us   max {:>9.1} us",
        percentile(1.0)
    );
    [p50, p99]
}

/// Prints a figure as a multiple of its baseline of the same run.
pub fn ratio(name: &str, found: f64, baseline: f64) {
    println!("  {name:<44} {:.2} times the baseline", found / baseline);
}

/// The program `daicho`, built with the profile of the benches.
pub fn daicho() -> Command {
    Command::new(env!("CARGO_BIN_EXE_daicho"))
}

/// An empty folder below `target`, for this bench only.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the bench's own folder");
    }
    std::fs::create_dir_all(&folder).expect("below the target folder");
    folder
}

/// Runs `daicho build postal` over one month of seeded data into `folder/snapshots` and returns the
/// snapshot's path.
pub fn build_month(folder: &Path, version: &str) -> PathBuf {
    let files = source::write_month(folder);
    build_postal(folder, version, &files.area, &files.business)
}

/// Builds the official files of May 2026 into `folder/snapshots`; `None` without those files.
pub fn official_month(folder: &Path) -> Option<PathBuf> {
    let month = official("postal/2026-05")?;
    let (area, business) = (month.join("utf_ken_all.csv.xz"), month.join("JIGYOSYO.CSV.xz"));
    Some(build_postal(folder, MAY_2026, &area, &business))
}

/// Data version of [`official_month`], and of the seeded month that replaces it.
pub const MAY_2026: &str = "2026-05-29";

/// The official month if its files are available, else the seeded one; and which it is.
pub fn month(folder: &Path) -> (PathBuf, &'static str) {
    match official_month(folder) {
        Some(path) => (path, "May 2026"),
        None => (build_month(folder, MAY_2026), "seeded"),
    }
}

/// As [`month`], with coordinates. `towns` writes the file of those of a seeded month into the folder.
pub fn month_with_points(
    folder: &Path,
    towns: impl FnOnce(&Path, &Path) -> PathBuf,
) -> (PathBuf, &'static str) {
    if let (Some(month), Some(towns)) = (official("postal/2026-05"), official("towns/towns.csv.xz"))
    {
        let (area, business) = (month.join("utf_ken_all.csv.xz"), month.join("JIGYOSYO.CSV.xz"));
        return (build_postal_with(folder, MAY_2026, [&area, &business], Some(&towns)), "May 2026");
    }
    let files = source::write_month(folder);
    let towns = towns(&build_postal(folder, MAY_2026, &files.area, &files.business), folder);
    let sources = [&*files.area, &files.business];
    (build_postal_with(folder, MAY_2026, sources, Some(&towns)), "seeded")
}

fn build_postal(folder: &Path, version: &str, area: &Path, business: &Path) -> PathBuf {
    build_postal_with(folder, version, [area, business], None)
}

fn build_postal_with(
    folder: &Path,
    version: &str,
    [area, business]: [&Path; 2],
    towns: Option<&Path>,
) -> PathBuf {
    let snapshots = folder.join("snapshots");
    let status = daicho()
        .args(["build", "postal", "--no-download", "--version", version, "--area"])
        .arg(area)
        .arg("--business")
        .arg(business)
        .args(towns.map(|towns| [Path::new("--towns"), towns]).into_iter().flatten())
        .arg("--out")
        .arg(&snapshots)
        .status()
        .expect("the program runs");
    assert!(status.success(), "the month builds");
    snapshots.join("postal").join(format!("{version}.daicho"))
}

/// Creates an account of a plan with a secret key in `folder/daicho.db` and returns the key.
pub fn secret_key(folder: &Path, name: &str, plan: &str) -> String {
    let state = folder.join("daicho.db");
    let account = ["account", "create", name, "--plan", plan, "--state"];
    let created = daicho().args(account).arg(&state).output().expect("the program runs");
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    account_key(folder, name, "secret")
}

/// Creates a key of an account in `folder/daicho.db` and returns it.
pub fn account_key(folder: &Path, account: &str, kind: &str) -> String {
    let state = folder.join("daicho.db");
    let key = ["key", "create", "--account", account, "--kind", kind, "--json", "--state"];
    let created = daicho().args(key).arg(&state).output().expect("the program runs");
    let created: serde_json::Value =
        serde_json::from_slice(&created.stdout).expect("--json is JSON");
    created["key"].as_str().expect("the member `key`").to_owned()
}

/// The address that a server prints on its piped standard output.
pub fn read_address(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let stdout = server.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("the server prints its address");
    let port = line.rsplit_once("127.0.0.1:").expect("an address").1;
    let digits: String = port.chars().take_while(char::is_ascii_digit).collect();
    SocketAddr::from(([127, 0, 0, 1], digits.parse().expect("a port")))
}
