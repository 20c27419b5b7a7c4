//! The look-up of one postal code and the list of all institutions over HTTP: 64 keep-alive connections, random
//! existing codes, with authentication, metrics and the access log on. Also the same look-up for an account with a
//! quota.
//!
//! Baseline of the same run: a bare hyper server that answers every request with a fixed body of the same size. Short
//! rounds of both alternate, and the median of the ratios of adjacent rounds is printed, because changes in the speed
//! of the machine then affect both. wrk makes the load and shares the cores with the server.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use support::banks::build_banks;
use support::load::{LOOK_UP_BOUNDS, compare, median, round, serve, serve_baseline};
use support::source::{AREA, BUSINESS, SeededRandom, area_code, business_code};
use support::{build_month, daicho, folder, secret_key};

/// Mean bytes of an answer to a seeded code, as `benches/lookup.rs` prints it.
const BODY_BYTES: usize = 1_042;

fn main() {
    serve_baseline();
    let folder = folder("http");
    build_month(&folder, "2026-05-29");
    build_banks(&folder, "2026-05-25");
    let key = secret_key(&folder, "bench", "standard");
    let plain = script(&folder, "plain", &key);
    let limited = script(&folder, "limited", &limited_key(&folder));
    let (mut ours, address) = serve(&folder);
    let one = "look-up of one code";
    compare(one, (ours.id(), address), &plain, BODY_BYTES, LOOK_UP_BOUNDS);
    compare_quota(ours.id(), address, &plain, &limited);
    let list = list_script(&folder, &key);
    let bytes = body_bytes(address, &key);
    let all = "/v1/bank, all institutions";
    compare(all, (ours.id(), address), &list, bytes, LOOK_UP_BOUNDS);
    ours.kill().expect("our own child");
    ours.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// The key of an account with a rate limit and a monthly quota that the load cannot reach.
fn limited_key(folder: &Path) -> String {
    let key = secret_key(folder, "limited", "standard");
    let set = ["account", "set", "limited", "--rate", "1000000", "--monthly", "1000000000000"];
    let state = folder.join("daicho.db");
    let set = daicho().args(set).arg("--state").arg(state).output().expect("the program runs");
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    key
}

/// Number of pairs of rounds. Many, because the difference is smaller than the noise of one pair.
const QUOTA_ROUNDS: usize = 40;

/// Compares rounds of an account without a quota with rounds of one with both limits, in pairs. The order within a pair
/// alternates, so that it favours neither.
fn compare_quota(ours: u32, address: SocketAddr, plain: &Path, limited: &Path) {
    println!("the same with and without a quota, {QUOTA_ROUNDS} pairs of rounds");
    let measure = |script| round(ours, address, script);
    let rounds: Vec<_> = (0..QUOTA_ROUNDS)
        .map(|n| match n % 2 {
            0 => (measure(plain), measure(limited)),
            _ => {
                let on = measure(limited);
                (measure(plain), on)
            }
        })
        .collect();
    let speed = median(rounds.iter().map(|(off, on)| on.0 / off.0));
    let cost = median(rounds.iter().map(|(off, on)| on.1 / off.1));
    println!("  requests a second: {speed:.3} of the rate without (bound: at least 0.97)");
    println!("  CPU a request:     {cost:.3} of the time without");
}

/// Writes a script with which wrk requests the list of institutions.
fn list_script(folder: &Path, key: &str) -> PathBuf {
    let script = format!(
        "wrk.headers[\"Authorization\"] = \"Token {key}\"\n\
         request = function()\n  return wrk.format(\"GET\", \"/v1/bank\")\nend\n"
    );
    let path = folder.join("list.lua");
    fs::write(&path, script).expect("below the target folder");
    path
}

/// The length of the list of institutions, in bytes.
fn body_bytes(address: SocketAddr, key: &str) -> usize {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!(
        "HEAD /v1/bank HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAuthorization: Token {key}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    let length = answer.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// Writes a script with which wrk requests random existing codes.
fn script(folder: &Path, name: &str, key: &str) -> PathBuf {
    let mut random = SeededRandom::new(11);
    let mut script = String::from("codes = {");
    for n in 0..20_000 {
        let code = match n % 7 {
            0 => business_code(random.below(BUSINESS)),
            _ => area_code(random.below(AREA)),
        };
        let _ = write!(script, "\"{code:07}\",");
    }
    let _ = write!(
        script,
        "}}\nat = 0\nwrk.headers[\"Authorization\"] = \"Token {key}\"\n\
         request = function()\n  at = at % #codes + 1\n  \
         return wrk.format(\"GET\", \"/v1/postalcode/\" .. codes[at])\nend\n"
    );
    let path = folder.join(format!("{name}.lua"));
    fs::write(&path, script).expect("below the target folder");
    path
}
