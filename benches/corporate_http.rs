//! A server over all corporations of the country: time until ready, resident memory, and the cost of a look-up and a
//! search over HTTP, with authentication, metrics and the access log on.
//!
//! It uses the snapshot that `cargo bench --bench corporate` leaves. Baseline of the same run: a bare hyper server that
//! answers every request with a fixed body of the same size.

mod support;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use daicho::query::CorporateData;
use daicho::snapshot::{Dataset, SnapshotFile};
use support::load::{LOOK_UP_BOUNDS, compare, serve, serve_baseline};
use support::process::memory;
use support::source::SeededRandom;
use support::{folder, secret_key};

/// Number of paths that one script requests in turn.
const PATHS: usize = 5_000;

/// Number of answers whose mean length is used as that of the baseline.
const SAMPLE: usize = 500;

fn main() {
    serve_baseline();
    let left = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench/corporate/snapshots");
    let path = left.join("corporate/2026-07-31.daicho");
    if !path.exists() {
        println!(
            "skipped: {} is missing; `cargo bench --bench corporate` builds it",
            path.display()
        );
        return;
    }
    let data =
        CorporateData::from_file(SnapshotFile::open(&path).expect("built by the other bench"));
    let folder = folder("corporate_http");
    let key = secret_key(&folder, "bench", "premium");
    let snapshots = folder.join("snapshots/corporate");
    fs::create_dir_all(&snapshots).expect("below the target folder");
    fs::hard_link(&path, snapshots.join("2026-07-31.daicho")).expect("on the same disk");
    // Read the file once, so that the disk is not measured.
    io::copy(&mut File::open(&path).expect("built by the other bench"), &mut io::sink())
        .expect("it reads");
    let started = Instant::now();
    let (mut ours, address) = serve(&folder);
    while get(address, &key, "/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let ready = started.elapsed().as_secs_f64() * 1e3;
    let resident = memory(ours.id()).expect("our own child").resident_mib;
    println!("server over {} corporations", data.counts().expect("sound").corporations);
    println!(
        "  ready in {ready:.0} ms (bound: 300 ms), {resident:.0} MiB resident (bound: 200 MiB)"
    );
    for (title, paths, bounds) in [
        ("look-up of one number", look_ups(&data), LOOK_UP_BOUNDS),
        ("search in names, 100 rows", searches(&data), ["none", "none, but 200 µs"]),
    ] {
        let answers = paths.iter().take(SAMPLE).map(|path| get(address, &key, path));
        let found = answers.inspect(|(status, _)| assert_eq!(*status, 200, "{title}"));
        let bytes: usize = found.map(|(_, bytes)| bytes).sum();
        let script = script(&folder, &key, &paths);
        compare(title, (ours.id(), address), &script, bytes / SAMPLE, bounds);
    }
    let resident = memory(ours.id()).expect("our own child").resident_mib;
    println!("  {resident:.0} MiB resident afterwards");
    ours.kill().expect("our own child");
    ours.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Status and bytes of the body.
fn get(address: SocketAddr, key: &str, path: &str) -> (u16, usize) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAuthorization: Token {key}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server answers");
    let status = answer.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n").expect("a head");
    (status.expect("a status"), answer.len() - head - 4)
}

fn look_ups(data: &CorporateData) -> Vec<String> {
    let mut random = SeededRandom::new(13);
    let rows = data.counts().expect("sound").corporations;
    let mut path = || {
        let view = data.row(random.below(rows) as u32).expect("sound").expect("a row");
        format!("/v1/houjinbangou/{}", view.number())
    };
    (0..PATHS).map(|_| path()).collect()
}

/// Searches for two letters of names, without blanks and brackets.
fn searches(data: &CorporateData) -> Vec<String> {
    let mut random = SeededRandom::new(17);
    let rows = data.counts().expect("sound").corporations;
    let mut paths = Vec::with_capacity(PATHS);
    while paths.len() < PATHS {
        let view = data.row(random.below(rows) as u32).expect("sound").expect("a row");
        let letters: Vec<char> = view.name().text.chars().collect();
        let keyword = match letters.len() {
            0..6 => continue,
            length => &letters[random.below(length - 1)..][..2],
        };
        if keyword.iter().all(|letter| letter.is_alphabetic()) {
            let mut path = String::from("/v1/houjinbangou?q=name:");
            for byte in keyword.iter().collect::<String>().bytes() {
                let _ = write!(path, "%{byte:02X}");
            }
            paths.push(path);
        }
    }
    paths
}

/// Writes a script with which wrk requests these paths.
fn script(folder: &Path, key: &str, paths: &[String]) -> PathBuf {
    let script = format!(
        "paths = {{\"{}\"}}\nat = 0\nwrk.headers[\"Authorization\"] = \"Token {key}\"\n\
         request = function()\n  at = at % #paths + 1\n  return wrk.format(\"GET\", paths[at])\nend\n",
        paths.join("\",\"")
    );
    let path = folder.join("paths.lua");
    fs::write(&path, script).expect("below the target folder");
    path
}
