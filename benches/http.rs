//! The look-up of one postal code and the list of all institutions over HTTP: 64 keep-alive connections, random
//! existing codes, with authentication, metrics and the access log on. Also the same look-up for an account with a
//! quota, searches of addresses, and suggestions.
//!
//! Baseline of the same run: a bare hyper server that answers every request with a fixed body of the same size. Short
//! rounds of both alternate, and the median of the ratios of adjacent rounds is printed, because changes in the speed
//! of the machine then affect both. wrk makes the load and shares the cores with the server.

mod support;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset, SnapshotFile};
use daicho::text::percent::encode;
use support::banks::build_banks;
use support::load::{
    CpuBound, LOOK_UP_BOUND, body_bytes, compare, mean_body_bytes, median, round, script, serve,
    serve_baseline,
};
use support::source::{AREA, BUSINESS, SeededRandom, area_code, business_code};
use support::{build_month, daicho, folder, secret_key};

/// Number of codes that a script requests in turn.
const CODES: usize = 20_000;

/// Number of addresses that a script requests in turn.
const ADDRESSES: usize = 5_000;

/// Mean bytes of an answer to a seeded code, as `benches/lookup.rs` prints it.
const BODY_BYTES: usize = 1_042;

fn main() {
    serve_baseline();
    let folder = folder("http");
    let month = build_month(&folder, "2026-05-29");
    build_banks(&folder, "2026-05-25");
    let key = secret_key(&folder, "bench", "standard");
    let codes = look_ups();
    let plain = script(&folder, "plain", &key, &codes);
    let limited = script(&folder, "limited", &limited_key(&folder), &codes);
    let (mut ours, address) = serve(&folder);
    let one = "look-up of one code";
    compare(one, (ours.id(), address), &plain, BODY_BYTES, LOOK_UP_BOUND);
    compare_quota(ours.id(), address, &plain, &limited);
    let list = script(&folder, "list", &key, &["/v1/bank".to_owned()]);
    let authorization = [("Authorization", format!("Token {key}"))];
    let bytes = body_bytes(address, "/v1/bank", &authorization);
    let all = "/v1/bank, all institutions";
    compare(all, (ours.id(), address), &list, bytes, LOOK_UP_BOUND);
    for (title, paths) in [
        ("search of an address (t)", addresses(&month)),
        ("suggestions for the beginning of an address", beginnings(&month)),
    ] {
        let script = script(&folder, "addresses", &key, &paths);
        let bytes = mean_body_bytes(address, &paths, &authorization);
        compare(title, (ours.id(), address), &script, bytes, CpuBound::Unbounded);
    }
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

/// Random places of a month: prefecture, municipality and town, with the letters of the town in the last one.
fn places(month: &Path, seed: u64) -> Vec<(String, String)> {
    let file = SnapshotFile::open(month).expect("built a moment ago");
    let data = PostalData::from_file(file);
    let records: Vec<_> = data.records().expect("sound").collect();
    let mut random = SeededRandom::new(seed);
    let place = |_| {
        let record = &records[random.below(records.len())];
        let city = record.city();
        let city = [city.prefecture().name.text, city.city().name.text].concat();
        (city, record.town().name.text.to_owned())
    };
    (0..ADDRESSES).map(place).collect()
}

/// Addresses with a lot.
fn addresses(month: &Path) -> Vec<String> {
    let path = |(city, town): (String, String)| {
        format!("/v1/postalcode?t={}", encode(&format!("{city}{town}1-2-3")))
    };
    places(month, 29).into_iter().map(path).collect()
}

/// A municipality and the first letter of a town.
fn beginnings(month: &Path) -> Vec<String> {
    let path = |(city, town): (String, String)| {
        let beginning: String = city.chars().chain(town.chars().take(1)).collect();
        format!("/v1/suggest/address?q={}", encode(&beginning))
    };
    places(month, 31).into_iter().map(path).collect()
}

/// Paths of requests for random existing codes.
fn look_ups() -> Vec<String> {
    let mut random = SeededRandom::new(11);
    let path = |n: usize| {
        let code = match n % 7 {
            0 => business_code(random.below(BUSINESS)),
            _ => area_code(random.below(AREA)),
        };
        format!("/v1/postalcode/{code:07}")
    };
    (0..CODES).map(path).collect()
}
