//! A server over all corporations of the country: time until ready, resident memory, and the cost of a look-up and a
//! search over HTTP, with authentication, metrics and the access log on.
//!
//! It uses the snapshot that `cargo bench --bench corporate` leaves. Baseline of the same run: a bare hyper server that
//! answers every request with a fixed body of the same size.

mod support;

use std::fs;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use daicho::dataset::corporate::CorporateData;
use daicho::text::percent::encode;
use support::kept_corporations::{self, look_ups};
use support::load::{CpuBound, LOOK_UP_BOUND, compare, script, serve, serve_baseline};
use support::process::memory;
use support::source::SeededRandom;
use support::{folder, secret_key};

/// Number of paths that one script requests in turn.
const PATHS: usize = 5_000;

/// Number of answers whose mean length is used as that of the baseline.
const SAMPLE: usize = 500;

fn main() {
    serve_baseline();
    let Some(path) = kept_corporations::path() else { return };
    let data = kept_corporations::open(&path);
    let folder = folder("corporate_http");
    let key = secret_key(&folder, "bench", "premium");
    kept_corporations::link(&path, &folder);
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
    for (title, paths, bound) in [
        ("look-up of one number", look_ups(&data, PATHS), LOOK_UP_BOUND),
        ("search in names, 100 rows", searches(&data), CpuBound::Microseconds(200.0)),
    ] {
        let answers = paths.iter().take(SAMPLE).map(|path| get(address, &key, path));
        let found = answers.inspect(|(status, _)| assert_eq!(*status, 200, "{title}"));
        let bytes: usize = found.map(|(_, bytes)| bytes).sum();
        let script = script(&folder, "paths", &key, &paths);
        compare(title, (ours.id(), address), &script, bytes / SAMPLE, bound);
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
            let keyword: String = keyword.iter().collect();
            paths.push(format!("/v1/houjinbangou?q=name:{}", encode(&keyword)));
        }
    }
    paths
}
