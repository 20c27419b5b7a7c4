//! Fairness between accounts: rate and times of look-ups, a search of two words and a small batch while eight clients
//! of another account send the worst queries known.
//!
//! It uses the snapshot that `cargo bench --bench corporate` leaves. Baseline of the same run: the same look-ups,
//! searches and batches without the eight clients.

mod support;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use daicho::text::percent::encode;
use support::client::Client;
use support::corporations::COMMON_WORDS;
use support::kept_corporations;
use support::load::{latency, median, script_with_pauses, serve};
use support::{daicho, folder, month, percentiles, secret_key};

/// Clients that send the worst queries, and how many of them send batches of such queries.
const HOSTILE: usize = 8;
const HOSTILE_BATCHES: usize = 2;

/// Number of queries in a hostile batch.
const BATCH_QUERIES: usize = 400;

/// Rounds of look-ups; each has a round without the eight clients beside it.
const ROUNDS: usize = 7;
const ROUND_SECONDS: u32 = 3;

/// Number of connections that look up.
const CONNECTIONS: usize = 64;

/// Milliseconds that a connection pauses before its next request, and the printed bound. Without a pause wrk and the
/// server fill all cores, and the times depend on how the system schedules them; so times are bounded with pauses only.
const PACES: [(u32, &str); 2] = [(0, "at least 0.80"), (5, "p99 at most 5 ms")];

const LOOK_UPS: usize = 5_000;
const SEARCHES: usize = 400;
const BATCHES: usize = 40;

fn main() {
    let Some(path) = kept_corporations::path() else { return };
    let folder = folder("starvation");
    month(&folder);
    kept_corporations::link(&path, &folder);
    let [calm, hostile] = ["calm", "hostile"].map(|name| key(&folder, name));
    let paths = kept_corporations::look_ups(&kept_corporations::open(&path), LOOK_UPS);
    let scripts = PACES.map(|(pause_ms, bound)| {
        let name = format!("look_ups_{pause_ms}");
        (script_with_pauses(&folder, &name, &calm, &paths, pause_ms), pause_ms, bound)
    });
    let (mut server, address) = serve(&folder);
    while Client::connect(address).get("", "/readyz").0 != 200 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The first search of a version checks the blocks that it reads.
    Client::connect(address).get(&calm, &search_path("name:建設"));
    let attack = Attack::of(address, &hostile);
    // A refused query costs nothing, so even the most expensive one must be within the limit.
    let worst = &attack.paths[0];
    assert_eq!(Client::connect(address).get(&hostile, worst).0, 200, "{worst}");
    for (script, pause, bound) in &scripts {
        look_ups(address, script, (*pause, bound), &attack);
    }
    beside("a search of two words", 50.0, SEARCHES, &attack, |turn| {
        let [left, right] = [
            COMMON_WORDS[turn % COMMON_WORDS.len()],
            COMMON_WORDS[turn / COMMON_WORDS.len() % COMMON_WORDS.len()],
        ];
        let path = search_path(&format!("name:{left} name:{right}"));
        let mut client = Client::connect(address);
        time(|| assert_eq!(client.get(&calm, &path).0, 200))
    });
    beside("a batch of ten addresses", 1_000.0, BATCHES, &attack, |_turn| {
        let queries = ["{\"t\":\"東京都千代田区千代田1-1\"}"; 10].join(",");
        let body = format!("{{\"queries\":[{queries}]}}");
        time(|| {
            let path = "/v1/batch/postalcode/search";
            assert_eq!(post(address, &calm, path, &body, &Waiting::default()), Some(200));
        })
    });
    server.kill().expect("our own child");
    server.wait().expect("our own child");
    fs::remove_dir_all(folder).expect("the bench's own folder");
}

/// Creates an account of the plan premium with the batch option, and returns its secret key.
fn key(folder: &Path, name: &str) -> String {
    let key = secret_key(folder, name, "premium");
    let set = ["account", "set", name, "--batch", "true", "--state"];
    let set = daicho().args(set).arg(folder.join("daicho.db")).output().expect("the program runs");
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    key
}

/// The milliseconds that `work` takes.
fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}

fn look_ups(address: SocketAddr, script: &Path, (pause, bound): (u32, &str), attack: &Attack) {
    let round = || latency(address, script, (CONNECTIONS, ROUND_SECONDS));
    latency(address, script, (CONNECTIONS, 1));
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(round());
        let running = attack.begin();
        beside.push(round());
        running.end();
    }
    let kept = median(beside.iter().zip(&alone).map(|(beside, alone)| beside.0 / alone.0));
    println!(
        "look-ups of corporations, {CONNECTIONS} connections that pause for {pause} ms, {ROUNDS} rounds of {ROUND_SECONDS} s"
    );
    for (name, rounds) in [("alone", &alone), ("with the eight clients", &beside)] {
        let speed = median(rounds.iter().map(|round| round.0));
        let p99 = median(rounds.iter().map(|round| round.1));
        println!("  {name:<24} {speed:>9.0} requests/s   p99 {p99:>7.2} ms");
    }
    println!("  rate with the eight: {kept:.2} of the rate alone (bound: {bound})");
}

/// Times the same work without the eight clients and with them.
fn beside(
    what: &str,
    bound_ms: f64,
    turns: usize,
    attack: &Attack,
    mut work: impl FnMut(usize) -> f64,
) {
    println!("{what}, times in ms; bound with the eight: p99 {bound_ms} ms");
    let micros = |times: Vec<f64>| times.into_iter().map(|ms| ms * 1e3).collect();
    let alone: Vec<f64> = (0..turns).map(&mut work).collect();
    let [_, alone] = percentiles("alone", micros(alone));
    let running = attack.begin();
    // Wait until the lanes are full.
    std::thread::sleep(Duration::from_millis(500));
    let times: Vec<f64> = (0..turns).map(&mut work).collect();
    let [_, beside] = percentiles("with the eight clients", micros(times));
    running.end();
    println!("  p99 {:.1} times that alone", beside / alone);
}

/// Clients of one account that send the worst queries.
struct Attack {
    address: SocketAddr,
    key: Arc<str>,
    paths: Arc<[String]>,
    batch: Arc<str>,
}

struct Running {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicU64>,
    refused: Arc<AtomicU64>,
    /// Each client, with the connection on which it waits.
    clients: Vec<(JoinHandle<()>, Waiting)>,
}

/// The connection on which a client waits, so that another thread can close it.
type Waiting = Arc<Mutex<Option<TcpStream>>>;

fn wait_at(waiting: &Waiting, stream: &TcpStream) {
    let clone = stream.try_clone().expect("a descriptor");
    *waiting.lock().expect("no panic") = Some(clone);
}

impl Attack {
    fn of(address: SocketAddr, key: &str) -> Attack {
        let queries = worst_queries();
        let query = |q: &String| serde_json::json!({ "q": q, "limit": 100 }).to_string();
        let expensive: Vec<String> = queries.iter().map(query).collect();
        let queries_of_batch: Vec<&str> =
            expensive.iter().map(String::as_str).cycle().take(BATCH_QUERIES).collect();
        let batch = format!("{{\"queries\":[{}]}}", queries_of_batch.join(","));
        Attack {
            address,
            key: key.into(),
            paths: worst_paths(&queries).into(),
            batch: batch.into(),
        }
    }

    fn begin(&self) -> Running {
        let (stop, answered, refused) =
            <(Arc<AtomicBool>, Arc<AtomicU64>, Arc<AtomicU64>)>::default();
        let clients = (0..HOSTILE).map(|number| {
            let (stop, answered, refused) =
                (Arc::clone(&stop), Arc::clone(&answered), Arc::clone(&refused));
            let (address, key) = (self.address, Arc::clone(&self.key));
            let (paths, batch) = (Arc::clone(&self.paths), Arc::clone(&self.batch));
            let count = move |status: Option<u16>| match status {
                Some(200) => _ = answered.fetch_add(1, Relaxed),
                _ => _ = refused.fetch_add(1, Relaxed),
            };
            let waiting = Waiting::default();
            let there = Arc::clone(&waiting);
            let client = std::thread::spawn(move || {
                let mut client = Client::connect(address);
                wait_at(&there, client.stream.get_ref());
                for path in paths.iter().cycle().skip(number) {
                    if stop.load(Relaxed) {
                        return;
                    }
                    match number < HOSTILE_BATCHES {
                        true => {
                            count(post(
                                address,
                                &key,
                                "/v1/batch/houjinbangou/search",
                                &batch,
                                &there,
                            ));
                        }
                        false => match client.try_get(&key, path) {
                            Ok((status, _length)) => count(Some(status)),
                            Err(_) if stop.load(Relaxed) => return,
                            Err(error) => panic!("{path}: {error}"),
                        },
                    }
                }
            });
            (client, waiting)
        });
        let clients = clients.collect();
        Running { stop, answered, refused, clients }
    }
}

impl Running {
    /// Closes the connections of the clients and ends them; prints how many queries were answered and refused.
    fn end(self) {
        self.stop.store(true, Relaxed);
        let (answered, refused) = (self.answered.load(Relaxed), self.refused.load(Relaxed));
        println!("    (the eight got {answered} answers and {refused} refusals)");
        for (client, waiting) in self.clients {
            while !client.is_finished() {
                if let Some(stream) = waiting.lock().expect("no panic").take() {
                    // An error means that the server has already closed it.
                    let _ = stream.shutdown(Shutdown::Both);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            client.join().expect("no panic");
        }
    }
}

/// The most expensive queries; the first costs the most.
fn worst_queries() -> Vec<String> {
    let parts = |count: usize| -> Vec<String> {
        (0..count).map(|part| format!("corporate_number:{part:02}")).collect()
    };
    let kinds = ["株式", "式会", "会社", "有限", "限会", "合同"].map(|word| format!("name:{word}"));
    vec![
        parts(64).join(" "),
        parts(2).join(" "),
        kinds.join(" "),
        COMMON_WORDS.join(" OR "),
        "post_code:00".to_owned(),
        "株式会社 建設".to_owned(),
        "name:株式 AND name:会社 AND street_number:丁目 AND street_number:番地".to_owned(),
    ]
}

fn worst_paths(queries: &[String]) -> Vec<String> {
    let facets = "&facet_area=/&facet_kind=/&facet_process=/&facet_close_cause=/";
    let mut paths: Vec<String> = Vec::new();
    for q in queries {
        paths.push(search_path(q));
        paths.push(search_path(q) + facets);
    }
    for offset in [100_000, 1_000_000, 1_812_000, 2_600_000] {
        paths.push(format!("{}&offset={offset}", search_path("株式会社")));
        paths.push(format!("{}&offset={offset}", search_path("株式会社 建設")));
        paths.push(format!("{}&offset={offset}", search_path("_facet_kind:/株式会社")));
    }
    paths.push(format!("/v1/postalcode/?explain=1&t={}", encode(&"本町1-2-3".repeat(20))));
    paths.push(format!("/v1/postalcode/?q={}", encode(&COMMON_WORDS.join(" "))));
    paths
}

fn search_path(q: &str) -> String {
    format!("/v1/houjinbangou?q={}", encode(q))
}

/// Sends a body on a new connection. Returns the status, or `None` if the server closed the connection.
fn post(address: SocketAddr, key: &str, path: &str, body: &str, waiting: &Waiting) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    wait_at(waiting, &stream);
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nAuthorization: Token {key}\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()
}
