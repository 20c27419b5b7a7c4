//! What the benches share: seeded source files at the true scale, a measure, a process's costs.
#![allow(dead_code, reason = "each bench is a program of its own and uses a part of this")]

pub mod banks;
pub mod corporations;
pub mod process;
pub mod source;

use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Instant;

/// Batches of which the minimum and the median are printed.
const SAMPLES: usize = 30;

/// Minimum and median of whole batches, nanoseconds for one input: the mean would measure the
/// machine. Prints both and gives the median.
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

/// Prints how a figure stands to its baseline of the same run.
pub fn ratio(name: &str, found: f64, baseline: f64) {
    println!("  {name:<44} {:.2} times the baseline", found / baseline);
}

/// The program under test, built as the benches are.
pub fn daicho() -> Command {
    Command::new(env!("CARGO_BIN_EXE_daicho"))
}

/// A folder of this bench's own below `target`, emptied.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the bench's own folder");
    }
    std::fs::create_dir_all(&folder).expect("below the target folder");
    folder
}

/// Builds one month of seeded data into `folder/snapshots` with the program itself and returns the
/// snapshot's path.
pub fn build_month(folder: &Path, version: &str) -> PathBuf {
    let files = source::write_month(folder);
    let snapshots = folder.join("snapshots");
    let status = daicho()
        .args(["build", "postal", "--no-download", "--version", version, "--area"])
        .arg(&files.area)
        .arg("--business")
        .arg(&files.business)
        .arg("--out")
        .arg(&snapshots)
        .status()
        .expect("the program runs");
    assert!(status.success(), "the seeded month builds");
    snapshots.join("postal").join(format!("{version}.daicho"))
}

/// Makes an account with a secret key in `folder/daicho.db` and returns the key.
pub fn secret_key(folder: &Path, name: &str) -> String {
    let state = folder.join("daicho.db");
    let account = ["account", "create", name, "--plan", "standard", "--state"];
    let made = daicho().args(account).arg(&state).output().expect("the program runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let key = ["key", "create", "--account", name, "--kind", "secret", "--json", "--state"];
    let made = daicho().args(key).arg(&state).output().expect("the program runs");
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).expect("--json is JSON");
    made["key"].as_str().expect("the member `key`").to_owned()
}

/// The address that a server, started with its output piped, says it listens on.
pub fn listening(server: &mut Child) -> SocketAddr {
    let mut line = String::new();
    let stdout = server.stdout.take().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("the server says where it listens");
    let port = line.rsplit_once("127.0.0.1:").expect("an address").1;
    let digits: String = port.chars().take_while(char::is_ascii_digit).collect();
    SocketAddr::from(([127, 0, 0, 1], digits.parse().expect("a port")))
}
