//! The look-up of one code, and the list of all institutions, over HTTP: 64 keep-alive connections, random codes that exist, with
//! authentication, metrics and the access log on; and the same for an account with a quota.
//!
//! Baseline of the same run: a bare hyper server that answers a fixed body of the same size,
//! whatever is asked. Rounds are short and alternate, and what counts is the median of the ratios of
//! neighbours: the machine's mood hits both. The load is wrk's, which shares the cores with the server.

mod support;

use std::convert::Infallible;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body};
use hyper_util::rt::TokioIo;
use support::banks::build_banks;
use support::process::cpu_seconds;
use support::source::{AREA, BUSINESS, Seeded, area_code, business_code};
use support::{build_month, daicho, folder, listening, secret_key};
use tokio::net::TcpListener;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 15;
const ROUND_SECONDS: u32 = 2;
/// What the answers to the seeded codes have on average, as `benches/lookup.rs` prints.
const BODY_BYTES: usize = 1_042;

fn main() {
    if let Ok(bytes) = std::env::var("DAICHO_BENCH_BASELINE") {
        return baseline(bytes.parse().expect("set by this bench"));
    }
    let folder = folder("http");
    build_month(&folder, "2026-05-29");
    build_banks(&folder, "2026-05-25");
    let key = secret_key(&folder, "bench");
    let plain = script(&folder, "plain", &key);
    let limited = script(&folder, "limited", &limited_key(&folder));
    let log = File::create(folder.join("access.log")).expect("below the target folder");
    let (mut ours, address) = start(
        daicho()
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log-level",
                "info",
                "--log-format",
                "json",
            ])
            .arg("--snapshots")
            .arg(folder.join("snapshots"))
            .arg("--state")
            .arg(folder.join("daicho.db"))
            .stderr(log),
    );
    let title = format!("look-up of one code, {CONNECTIONS} connections");
    compare(&title, ours.id(), address, &plain, BODY_BYTES);
    compare_quota(ours.id(), address, &plain, &limited);
    let list = list_script(&folder, &key);
    let bytes = body_bytes(address, &key);
    compare("/v1/bank, all institutions", ours.id(), address, &list, bytes);
    ours.kill().expect("our own child");
    ours.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Alternates rounds over our server and over a bare one with a body of so many bytes.
fn compare(title: &str, ours: u32, address: SocketAddr, script: &Path, body: usize) {
    let mut other = Command::new(std::env::current_exe().expect("this bench"));
    let (mut bare, bare_address) = start(other.env("DAICHO_BENCH_BASELINE", body.to_string()));
    load(address, script, 1);
    load(bare_address, script, 1);
    println!("{title}, {body} bytes of body, {ROUNDS} rounds");
    let (mut found, mut base) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        base.push(round(bare.id(), bare_address, script));
        found.push(round(ours, address, script));
    }
    let pairs = || found.iter().zip(&base);
    let speed = median(pairs().map(|(found, base)| found.0 / base.0));
    let cost = median(pairs().map(|(found, base)| found.1 / base.1));
    for (name, rounds) in [("baseline: bare hyper", &base), ("daicho", &found)] {
        let speed = median(rounds.iter().map(|round| round.0));
        let cost = median(rounds.iter().map(|round| round.1));
        println!("  {name:<24} {speed:>9.0} requests/s  {cost:>6.2} µs CPU a request");
    }
    println!("  requests a second: {speed:.2} of the baseline (bound: at least 0.85)");
    println!("  CPU a request:     {cost:.2} of the baseline (bound: at most 1.35)");
    bare.kill().expect("our own child");
    bare.wait().expect("our own child");
}

/// The key of an account with a rate and a monthly quota that no machine uses up.
fn limited_key(folder: &Path) -> String {
    let key = secret_key(folder, "limited");
    let set = ["account", "set", "limited", "--rate", "1000000", "--monthly", "1000000000000"];
    let state = folder.join("daicho.db");
    let set = daicho().args(set).arg("--state").arg(state).output().expect("the program runs");
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    key
}

/// Alternates rounds with the key of an account without a quota and of one with both limits.
fn compare_quota(ours: u32, address: SocketAddr, plain: &Path, limited: &Path) {
    println!("the same with and without a quota, {ROUNDS} rounds");
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push((round(ours, address, plain), round(ours, address, limited)));
    }
    let speed = median(rounds.iter().map(|(off, on)| on.0 / off.0));
    let cost = median(rounds.iter().map(|(off, on)| on.1 / off.1));
    println!("  requests a second: {speed:.3} of those without (bound: at least 0.97)");
    println!("  CPU a request:     {cost:.3} of that without");
}

/// Writes a script that makes wrk ask for the list of institutions.
fn list_script(folder: &Path, key: &str) -> PathBuf {
    let script = format!(
        "wrk.headers[\"Authorization\"] = \"Token {key}\"\n\
         request = function()\n  return wrk.format(\"GET\", \"/v1/bank\")\nend\n"
    );
    let path = folder.join("list.lua");
    fs::write(&path, script).expect("below the target folder");
    path
}

/// How long the list of institutions is.
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

/// Writes a script that makes wrk ask for random codes that exist.
fn script(folder: &Path, name: &str, key: &str) -> PathBuf {
    let mut random = Seeded::with(11);
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

/// Starts a server that prints its address.
fn start(command: &mut Command) -> (Child, SocketAddr) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
    let address = listening(&mut child);
    (child, address)
}

/// Requests a second and microseconds of the server's CPU time for each.
fn round(pid: u32, address: SocketAddr, script: &Path) -> (f64, f64) {
    let before = cpu_seconds(pid);
    let (requests, per_second) = load(address, script, ROUND_SECONDS);
    let cpu = cpu_seconds(pid) - before;
    (per_second, cpu * 1e6 / requests)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Lets wrk ask as fast as the answers come; gives its requests, in all and a second.
fn load(address: SocketAddr, script: &Path, seconds: u32) -> (f64, f64) {
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{seconds}s"), "-s"])
        .arg(script)
        .arg(format!("http://{address}/"))
        .output()
        .expect("this bench needs wrk, of Debian's package of that name");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(!report.contains("Non-2xx") && !report.contains("Socket errors"), "{report}");
    let number = |found: Option<&str>| found.and_then(|text| text.trim().parse::<f64>().ok());
    let all = report.split(" requests in ").next().and_then(|text| text.lines().last());
    let per_second = report.split("Requests/sec:").nth(1).and_then(|text| text.lines().next());
    number(all).zip(number(per_second)).unwrap_or_else(|| panic!("wrk says: {report}"))
}

/// The bare server: a fixed body of so many bytes to every request.
fn baseline(bytes: usize) {
    let body = Bytes::from(vec![b'x'; bytes]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        println!("listening on {}", listener.local_addr().expect("bound"));
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a TCP option");
            let body = body.clone();
            tokio::spawn(async move {
                let answer = service_fn(move |_: Request<body::Incoming>| {
                    let answer = Response::builder()
                        .header("content-type", "application/json")
                        .body(Full::new(body.clone()));
                    async move { Ok::<_, Infallible>(answer.expect("a sound answer")) }
                });
                let served = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
                // A client that goes away ends its connection; that is no fault of the bench.
                let _ = served.await;
            });
        }
    });
}
