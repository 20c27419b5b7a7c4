//! A server over 120 full months of postal codes: time until ready, resident memory, and the first look-up in a version
//! that has not been used yet.
//!
//! Baseline of the same run: reading the source file of one month into a hash map at start, as a library that embeds
//! the file does.

mod support;

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::process::memory;
use support::snapshot_version::with_version;
use support::{build_month, daicho, folder, read_address, secret_key};

const VERSIONS: u32 = 120;

fn main() {
    let folder = folder("versions");
    let month = build_month(&folder, "2025-12-28");
    let bytes = fs::read(&month).expect("built a moment ago");
    let versions: Vec<String> =
        (0..VERSIONS).map(|n| format!("{}-{:02}-28", 2016 + n / 12, n % 12 + 1)).collect();
    for version in &versions {
        fs::write(month.with_file_name(format!("{version}.daicho")), with_version(&bytes, version))
            .expect("below the target folder");
    }
    println!("{VERSIONS} full versions of {:.1} MB each", bytes.len() as f64 / 1e6);
    let key = secret_key(&folder, "bench", "standard");
    let started = Instant::now();
    let (mut server, address) = serve(&folder);
    while !get(&address, "/readyz", None).starts_with("HTTP/1.1 200") {
        thread::sleep(Duration::from_millis(1));
    }
    let ready = started.elapsed();
    let memory = memory(server.id()).expect("the server lives");
    println!("  ready after                   {:>8.1} ms  (bound: 300 ms)", millis(ready));
    println!(
        "  resident                      {:>8.1} MiB (bound: 100 MiB; {:.1} without mapped files)",
        memory.resident_mib, memory.anonymous_mib
    );
    cold(&address, &key, &versions);
    server.kill().expect("our own child");
    server.wait().expect("our own child");
    let started = Instant::now();
    let codes = library(&folder.join("utf_ken_all.csv"));
    println!(
        "  baseline: one month of {codes} codes into a map {:.1} ms",
        millis(started.elapsed())
    );
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn serve(folder: &Path) -> (Child, String) {
    let mut server = daicho()
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "warn", "--snapshots"])
        .arg(folder.join("snapshots"))
        .arg("--state")
        .arg(folder.join("daicho.db"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let address = read_address(&mut server).to_string();
    (server, address)
}

fn get(address: &str, path: &str, key: Option<&str>) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let authorization =
        key.map(|key| format!("Authorization: Token {key}\r\n")).unwrap_or_default();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: bench\r\n{authorization}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    answer
}

fn cold(address: &str, key: &str, versions: &[String]) {
    let mut times: Vec<f64> = versions
        .iter()
        .take(20)
        .map(|version| {
            let path = format!("/v1/postalcode/1000061?version={version}");
            let started = Instant::now();
            let answer = get(address, &path, Some(key));
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            millis(started.elapsed())
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "  first look-up, cold version   {:>8.1} ms median, {:.1} ms worst (bound: 300 ms)",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

fn library(path: &Path) -> usize {
    let text = fs::read_to_string(path).expect("the seeded file");
    let mut towns: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for line in text.lines() {
        let fields: Vec<String> =
            line.split(',').map(|field| field.trim_matches('"').to_owned()).collect();
        towns.entry(fields[2].clone()).or_default().push(fields);
    }
    towns.len()
}
