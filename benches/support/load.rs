//! Load over HTTP from wrk, and a bare hyper server as the baseline.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::process::cpu_seconds;
use super::{daicho, read_address};

pub const CONNECTIONS: usize = 64;

pub const ROUNDS: usize = 15;
const ROUND_SECONDS: u32 = 2;

/// Environment variable with which the bench runs itself again as the bare server; its value is the length of the body
/// in bytes.
const BASELINE: &str = "DAICHO_BENCH_BASELINE";

/// If this process was started as the bare server, serves until it is killed; else returns at once.
pub fn serve_baseline() {
    if let Ok(bytes) = std::env::var(BASELINE) {
        baseline(bytes.parse().expect("set by this bench"));
    }
}

/// The most CPU time that a request may take. Requests a second have no bound, because they depend on how wrk and the
/// server share the cores.
#[derive(Debug, Clone, Copy)]
pub enum CpuBound {
    /// A multiple of the baseline.
    Ratio(f64),
    Microseconds(f64),
    /// None is promised.
    Unbounded,
}

/// The bound of a look-up of one code.
pub const LOOK_UP_BOUND: CpuBound = CpuBound::Ratio(1.25);

/// Alternates rounds over daicho and over the bare server with a body of `body` bytes, and prints
/// both.
pub fn compare(
    title: &str,
    (ours, address): (u32, SocketAddr),
    script: &Path,
    body: usize,
    bound: CpuBound,
) {
    let mut other = Command::new(std::env::current_exe().expect("this bench"));
    let (mut bare, bare_address) = start(other.env(BASELINE, body.to_string()));
    load(address, script, 1);
    load(bare_address, script, 1);
    println!("{title}, {CONNECTIONS} connections, {body} bytes of body, {ROUNDS} rounds");
    let (mut found, mut base) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        base.push(round(bare.id(), bare_address, script));
        found.push(round(ours, address, script));
    }
    let pairs = || found.iter().zip(&base);
    let speed = median(pairs().map(|(found, base)| found.0 / base.0));
    let cost = median(pairs().map(|(found, base)| found.1 / base.1));
    let [of_time, of_ratio] = match bound {
        CpuBound::Microseconds(most) => [format!(" (bound: {most} µs)"), String::new()],
        CpuBound::Ratio(most) => [String::new(), format!(" (bound: at most {most})")],
        CpuBound::Unbounded => [String::new(), String::new()],
    };
    for (name, rounds, bound) in
        [("baseline: bare hyper", &base, ""), ("daicho", &found, of_time.as_str())]
    {
        let speed = median(rounds.iter().map(|round| round.0));
        let cost = median(rounds.iter().map(|round| round.1));
        println!("  {name:<24} {speed:>9.0} requests/s  {cost:>6.2} µs CPU a request{bound}");
    }
    println!("  requests a second: {speed:.2} of the baseline");
    println!("  CPU a request:     {cost:.2} of the baseline{of_ratio}");
    bare.kill().expect("our own child");
    bare.wait().expect("our own child");
}

/// What wrk requests.
#[derive(Debug, Clone, Copy)]
pub struct Script<'s> {
    pub headers: &'s [(&'s str, String)],
    /// Requested in turn.
    pub paths: &'s [String],
    /// The pause of a connection before its next request.
    pub pause_ms: u32,
}

impl Script<'_> {
    /// Writes the script into a folder. Returns its path.
    pub fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let mut script = format!("paths = {{\"{}\"}}\nat = 0\n", self.paths.join("\",\""));
        for (header, value) in self.headers {
            let _ = writeln!(script, "wrk.headers[\"{header}\"] = \"{value}\"");
        }
        script.push_str(
            "request = function()\n  at = at % #paths + 1\n  return wrk.format(\"GET\", paths[at])\nend\n",
        );
        if self.pause_ms > 0 {
            let _ = writeln!(script, "delay = function() return {} end", self.pause_ms);
        }
        let path = folder.join(format!("{name}.lua"));
        fs::write(&path, script).expect("below the target folder");
        path
    }
}

/// Writes a script with which wrk requests these paths in turn with a key. Returns the path of the script.
pub fn script(folder: &Path, name: &str, key: &str, paths: &[String]) -> PathBuf {
    script_with_pauses(folder, name, key, paths, 0)
}

/// Like [`script`]; each connection pauses before its next request.
pub fn script_with_pauses(
    folder: &Path,
    name: &str,
    key: &str,
    paths: &[String],
    pause_ms: u32,
) -> PathBuf {
    let headers = [("Authorization", format!("Token {key}"))];
    Script { headers: &headers, paths, pause_ms }.write(folder, name)
}

/// The mean length of the bodies of the first of these paths, in bytes.
pub fn mean_body_bytes(address: SocketAddr, paths: &[String], headers: &[(&str, String)]) -> usize {
    /// Enough for a mean.
    const SAMPLE: usize = 500;
    let sample = &paths[..paths.len().min(SAMPLE)];
    let bytes = sample.iter().map(|path| body_bytes(address, path, headers));
    bytes.sum::<usize>() / sample.len()
}

/// The length of the body of a path, in bytes.
pub fn body_bytes(address: SocketAddr, path: &str, headers: &[(&str, String)]) -> usize {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("HEAD {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server answers");
    let length = answer.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// Starts `daicho serve` over a folder's snapshots and accounts; the access log goes to the folder.
pub fn serve(folder: &Path) -> (Child, SocketAddr) {
    serve_with(folder, &[])
}

/// Like [`serve`], with more options.
pub fn serve_with(folder: &Path, options: &[&str]) -> (Child, SocketAddr) {
    start(serve_command(&mut daicho(), folder, &folder.join("snapshots")).args(options))
}

/// Like [`serve`], with a given command that runs the program, and with snapshots in another folder.
pub fn serve_as(mut program: Command, folder: &Path, snapshots: &Path) -> (Child, SocketAddr) {
    start(serve_command(&mut program, folder, snapshots))
}

fn serve_command<'c>(program: &'c mut Command, folder: &Path, snapshots: &Path) -> &'c mut Command {
    let log = File::create(folder.join("access.log")).expect("below the target folder");
    program
        .args(["serve", "--listen", "127.0.0.1:0", "--age-days", "0"])
        .args(["--log-level", "info", "--log-format", "json", "--snapshots"])
        .arg(snapshots)
        .arg("--state")
        .arg(folder.join("daicho.db"))
        .stderr(log)
}

/// Starts a server that prints the address it listens on.
pub fn start(command: &mut Command) -> (Child, SocketAddr) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
    let address = read_address(&mut child);
    (child, address)
}

/// One round: requests a second, and microseconds of the server's CPU for each request.
pub fn round(pid: u32, address: SocketAddr, script: &Path) -> (f64, f64) {
    let before = cpu_seconds(pid);
    let (requests, per_second) = load(address, script, ROUND_SECONDS);
    let cpu = cpu_seconds(pid) - before;
    (per_second, cpu * 1e6 / requests)
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs wrk at full speed; returns the number of requests, and requests a second.
fn load(address: SocketAddr, script: &Path, seconds: u32) -> (f64, f64) {
    let report = run_wrk(address, script, (CONNECTIONS, seconds));
    let number = |found: Option<&str>| found.and_then(|text| text.trim().parse::<f64>().ok());
    let all = report.split(" requests in ").next().and_then(|text| text.lines().last());
    number(all).zip(per_second(&report)).unwrap_or_else(|| panic!("wrk says: {report}"))
}

/// Runs wrk at full speed; returns requests a second, and the 99th percentile of the response time in milliseconds.
pub fn latency(
    address: SocketAddr,
    script: &Path,
    (connections, seconds): (usize, u32),
) -> (f64, f64) {
    let report = run_wrk(address, script, (connections, seconds));
    let p99 = report.lines().find_map(|line| line.trim().strip_prefix("99%"));
    let p99 = p99.and_then(|text| {
        let text = text.trim();
        let (number, factor) = match (text.strip_suffix("us"), text.strip_suffix("ms")) {
            (Some(number), _) => (number, 1e-3),
            (None, Some(number)) => (number, 1.0),
            (None, None) => (text.strip_suffix('s')?, 1e3),
        };
        Some(number.parse::<f64>().ok()? * factor)
    });
    per_second(&report).zip(p99).unwrap_or_else(|| panic!("wrk says: {report}"))
}

fn per_second(report: &str) -> Option<f64> {
    report.split("Requests/sec:").nth(1)?.lines().next()?.trim().parse().ok()
}

fn run_wrk(address: SocketAddr, script: &Path, (connections, seconds): (usize, u32)) -> String {
    let output = Command::new("wrk")
        .args(["-t1", "--latency", &format!("-c{connections}"), &format!("-d{seconds}s"), "-s"])
        .arg(script)
        .arg(format!("http://{address}/"))
        .output()
        .expect("this bench needs wrk, of Debian's package of that name");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!report.contains("Non-2xx") && !report.contains("Socket errors"), "{report}");
    report
}

/// The bare server: answers every request with a fixed body of `bytes` bytes.
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
                let service = service_fn(move |_: Request<body::Incoming>| {
                    let response = Response::builder()
                        .header("content-type", "application/json")
                        .body(Full::new(body.clone()));
                    async move { Ok::<_, Infallible>(response.expect("a valid response")) }
                });
                let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                // A client that disconnects ends the connection with an error; ignore it.
                let _ = served.await;
            });
        }
    });
}
