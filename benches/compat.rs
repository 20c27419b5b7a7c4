//! Look-ups through the protocols of other services over HTTP, beside `/v1/postalcode/{code}` of the same server, and
//! yubinbango's file of a prefix beside a bare server: the CPU time of a request.
//!
//! Baselines of the same run: rounds of `/v1/postalcode/{code}` with a secret key and the same codes; for the file a bare
//! hyper server that answers with a body of the same size. Rounds alternate, and the medians of the ratios of adjacent
//! rounds are printed. wrk makes the load and shares the cores with the server.

mod support;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::{Dataset as _, SnapshotFile};
use support::load::{
    CpuBound, ROUNDS, Script, body_bytes, compare, median, round, serve_baseline, serve_with,
};
use support::source::SeededRandom;
use support::{account_key, folder, month, secret_key};

/// Number of codes that a script requests in turn.
const CODES: usize = 20_000;

/// The file of the prefix 100: central Tokyo with its office towers.
const FILE: &str = "/data/100.js";

fn main() {
    serve_baseline();
    let folder = folder("compat");
    let (postal, what) = month(&folder);
    let secret = secret_key(&folder, "bench", "standard");
    let public = account_key(&folder, "bench", "public");
    let codes = codes(&postal);
    let (mut ours, address) =
        serve_with(&folder, &["--compat", "all", "--compat-account", "bench"]);
    let server = (ours.id(), address);
    println!("look-ups in a month that is {what}");
    let authorization = [("Authorization", format!("Token {secret}"))];
    let script = |name: &str, headers: &[(&str, String)], path: &dyn Fn(&str) -> String| {
        let paths: Vec<String> = codes.iter().map(|code| path(code)).collect();
        Script { headers, paths: &paths, pause_ms: 0 }.write(&folder, name)
    };
    let own = script("own", &authorization, &|code| format!("/v1/postalcode/{code}"));
    let keyless = script("zipcloud", &[], &|code| format!("/api/search?zipcode={code}"));
    let keyed = script("keyed", &[], &|code| format!("/{public}/api/search?zipcode={code}"));
    let split = |code: &str| [code[..3].to_owned(), code[3..].to_owned()];
    let ttskch = script("ttskch", &[], &|code| format!("/api/v1/{}.json", split(code).join("/")));
    for (title, theirs) in [
        ("zipcloud, no key", &keyless),
        ("zipcloud, public key in the path", &keyed),
        ("ttskch, no key", &ttskch),
    ] {
        compare_scripts(title, server, &own, theirs);
    }
    let gzip = [("Accept-Encoding", "gzip".to_owned())];
    let file = Script { headers: &gzip, paths: &[FILE.to_owned()], pause_ms: 0 };
    let bytes = body_bytes(address, FILE, &gzip);
    let file = file.write(&folder, "file");
    compare(&format!("{FILE}, compressed"), server, &file, bytes, CpuBound::Ratio(2.0));
    ours.kill().expect("our own child");
    ours.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Codes at random of the areas of a month. Those of offices have one record each and are left out: some protocols have
/// none.
fn codes(postal: &Path) -> Vec<String> {
    let file = SnapshotFile::open(postal).expect("built a moment ago");
    let data = PostalData::from_file(file);
    let records = data.records().expect("a sound snapshot");
    let areas = records.filter(|record| record.corporation().is_none());
    let all: Vec<String> = areas.map(|record| format!("{:07}", record.postal_code())).collect();
    let mut random = SeededRandom::new(11);
    (0..CODES).map(|_| all[random.below(all.len())].clone()).collect()
}

/// Alternates rounds of two scripts over one server, and prints the CPU time of a request of the second as a multiple of
/// the first's.
fn compare_scripts(title: &str, (pid, address): (u32, SocketAddr), own: &Path, theirs: &Path) {
    let rounds: Vec<_> =
        (0..ROUNDS).map(|_| [own, theirs].map(|script| round(pid, address, script).1)).collect();
    let [own, theirs] = [0, 1].map(|side| median(rounds.iter().map(|round| round[side])));
    let ratio = median(rounds.iter().map(|[own, theirs]| theirs / own));
    println!("{title}: {theirs:.2} µs CPU a request, /v1/postalcode/{{code}} {own:.2} µs");
    println!("  {ratio:.2} of the look-up (bound: at most 1.3)");
}
