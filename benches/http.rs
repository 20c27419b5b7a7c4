//! The look-up of one code over HTTP: 64 keep-alive connections, random codes that exist, with
//! authentication, metrics and the access log on.
//!
//! Baseline of the same run: a bare hyper server that answers a fixed body of the same size,
//! whatever is asked. Rounds are short and alternate, and what counts is the median of the ratios of
//! neighbours: the machine's mood hits both. Server and client share the cores.

mod support;

use std::convert::Infallible;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body};
use hyper_util::rt::TokioIo;
use support::process::cpu_seconds;
use support::source::{AREA, BUSINESS, Seeded, area_code, business_code};
use support::{build_month, daicho, folder, listening, secret_key};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(1_500);

fn main() {
    if let Ok(bytes) = std::env::var("DAICHO_BENCH_BASELINE") {
        return baseline(bytes.parse().expect("set by this bench"));
    }
    let folder = folder("http");
    build_month(&folder, "2026-05-29");
    let key = secret_key(&folder);
    let requests = Arc::new(requests(&key));
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
    let warm = load(address, &requests, Duration::from_secs(1));
    let body = warm.body_bytes / warm.answers.max(1);
    let mut other = Command::new(std::env::current_exe().expect("this bench"));
    let (mut bare, bare_address) = start(other.env("DAICHO_BENCH_BASELINE", body.to_string()));
    load(bare_address, &requests, Duration::from_secs(1));
    println!(
        "look-up of one code, {CONNECTIONS} connections, {body} bytes of body, {ROUNDS} rounds"
    );
    let (mut found, mut base) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        base.push(round(bare.id(), bare_address, &requests));
        found.push(round(ours.id(), address, &requests));
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
    for server in [&mut ours, &mut bare] {
        server.kill().expect("our own child");
        server.wait().expect("our own child");
    }
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Requests for random codes that exist.
fn requests(key: &str) -> Vec<Vec<u8>> {
    let mut random = Seeded::with(11);
    let code = |n: usize, random: &mut Seeded| match n % 7 {
        0 => business_code(random.below(BUSINESS)),
        _ => area_code(random.below(AREA)),
    };
    (0..10_000)
        .map(|n| {
            let code = code(n, &mut random);
            format!(
                "GET /v1/postalcode/{code:07} HTTP/1.1\r\nHost: localhost\r\n\
                 Authorization: Token {key}\r\nAccept: application/json\r\n\r\n"
            )
            .into_bytes()
        })
        .collect()
}

/// Starts a server that prints its address.
fn start(command: &mut Command) -> (Child, SocketAddr) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
    let address = listening(&mut child);
    (child, address)
}

/// Requests a second and microseconds of the server's CPU time for each.
fn round(pid: u32, address: SocketAddr, requests: &Arc<Vec<Vec<u8>>>) -> (f64, f64) {
    let before = cpu_seconds(pid);
    let load = load(address, requests, ROUND);
    let cpu = cpu_seconds(pid) - before;
    (load.answers as f64 / load.seconds, cpu * 1e6 / load.answers as f64)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

struct Load {
    answers: usize,
    body_bytes: usize,
    seconds: f64,
}

/// Asks as fast as the answers come on every connection, for `time`.
fn load(address: SocketAddr, requests: &Arc<Vec<Vec<u8>>>, time: Duration) -> Load {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let started = Instant::now();
    let (answers, body_bytes) = runtime.block_on(async {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                let requests = Arc::clone(requests);
                tokio::spawn(
                    async move { client(address, &requests, number, started + time).await },
                )
            })
            .collect();
        let mut sum = (0, 0);
        for client in clients {
            let (answers, bytes) = client.await.expect("a client ends by itself");
            sum = (sum.0 + answers, sum.1 + bytes);
        }
        sum
    });
    Load { answers, body_bytes, seconds: started.elapsed().as_secs_f64() }
}

async fn client(
    address: SocketAddr,
    requests: &[Vec<u8>],
    number: usize,
    end: Instant,
) -> (usize, usize) {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    stream.set_nodelay(true).expect("a TCP option");
    let mut buffer = vec![0; 64 * 1024];
    let (mut answers, mut bytes) = (0, 0);
    let mut next = number * requests.len() / CONNECTIONS;
    while Instant::now() < end {
        stream.write_all(&requests[next % requests.len()]).await.expect("sent");
        next += 1;
        bytes += answer(&mut stream, &mut buffer).await;
        answers += 1;
    }
    (answers, bytes)
}

/// Reads one answer and returns its body's length.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> usize {
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await.expect("answered");
        assert!(read > 0, "the server closed the connection");
        filled += read;
        let Some(head) = memchr::memmem::find(&buffer[..filled], b"\r\n\r\n") else { continue };
        assert!(
            buffer.starts_with(b"HTTP/1.1 200"),
            "{}",
            String::from_utf8_lossy(&buffer[..head])
        );
        let length = content_length(&buffer[..head]);
        if filled >= head + 4 + length {
            return length;
        }
    }
}

fn content_length(head: &[u8]) -> usize {
    let at = memchr::memmem::find(head, b"ontent-length: ").expect("both servers send a length");
    let digits = head[at + 15..].iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'))
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
