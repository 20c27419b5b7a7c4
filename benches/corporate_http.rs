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
use support::load::{
    CpuBound, LOOK_UP_BOUND, compare, mean_body_bytes, script, serve, serve_baseline,
};
use support::process::memory;
use support::source::SeededRandom;
use support::{folder, secret_key};

/// Number of paths that one script requests in turn.
const PATHS: usize = 5_000;

fn main() {
    serve_baseline();
    let Some(path) = kept_corporations::path() else { return };
    let data = kept_corporations::open(&path);
    let folder = folder("corporate_http");
    let key = secret_key(&folder, "bench", "premium");
    kept_corporations::link(&path, &folder);
    let started = Instant::now();
    let (mut ours, address) = serve(&folder);
    while !is_ready(address) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let ready = started.elapsed().as_secs_f64() * 1e3;
    let resident = memory(ours.id()).expect("our own child").resident_mib;
    println!("server over {} corporations", data.counts().expect("sound").corporations);
    println!(
        "  ready in {ready:.0} ms (bound: 300 ms), {resident:.0} MiB resident (bound: 200 MiB)"
    );
    let authorization = [("Authorization", format!("Token {key}"))];
    for (title, paths, bound) in [
        ("look-up of one number", look_ups(&data, PATHS), LOOK_UP_BOUND),
        ("search in names, 100 rows", searches(&data), CpuBound::Microseconds(200.0)),
        ("suggestions for two letters of a name", suggestions(&data), CpuBound::Unbounded),
        ("match of a name with its address", matches(&data), CpuBound::Unbounded),
    ] {
        let bytes = mean_body_bytes(address, &paths, &authorization);
        let script = script(&folder, "paths", &key, &paths);
        compare(title, (ours.id(), address), &script, bytes, bound);
    }
    let resident = memory(ours.id()).expect("our own child").resident_mib;
    println!("  {resident:.0} MiB resident afterwards");
    ours.kill().expect("our own child");
    ours.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn is_ready(address: SocketAddr) -> bool {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = "GET /readyz HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    answer.starts_with("HTTP/1.1 200")
}

/// Names and addresses of random corporations.
fn corporations(data: &CorporateData, seed: u64) -> impl Iterator<Item = (String, String)> {
    let mut random = SeededRandom::new(seed);
    let rows = data.counts().expect("sound").corporations;
    std::iter::repeat_with(move || {
        let view = data.row(random.below(rows) as u32).expect("sound").expect("a row");
        (view.name().to_string(), view.inland_address())
    })
}

/// The first two letters of names without their kind.
fn suggestions(data: &CorporateData) -> Vec<String> {
    let beginnings = corporations(data, 19).filter_map(|(name, _)| {
        let name = name.replace("株式会社", "").replace("有限会社", "");
        let letters: String = name.chars().take(2).collect();
        let is_word = letters.chars().count() == 2 && letters.chars().all(char::is_alphabetic);
        is_word.then(|| format!("/v1/suggest/corporation?q={}", encode(&letters)))
    });
    beginnings.take(PATHS).collect()
}

/// Names with addresses as the register writes them.
fn matches(data: &CorporateData) -> Vec<String> {
    let paths = corporations(data, 23).map(|(name, address)| {
        let (name, address) = (encode(&name), encode(&address));
        format!("/v1/match/corporation?name={name}&address={address}")
    });
    paths.take(PATHS).collect()
}

/// Searches for two letters of names, without blanks and brackets.
fn searches(data: &CorporateData) -> Vec<String> {
    let mut random = SeededRandom::new(17);
    let paths = corporations(data, 17).filter_map(|(name, _)| {
        let letters: Vec<char> = name.chars().collect();
        let keyword = match letters.len() {
            0..6 => return None,
            length => &letters[random.below(length - 1)..][..2],
        };
        let is_word = keyword.iter().all(|letter| letter.is_alphabetic());
        let keyword: String = keyword.iter().collect();
        is_word.then(|| format!("/v1/houjinbangou?q=name:{}", encode(&keyword)))
    });
    paths.take(PATHS).collect()
}
