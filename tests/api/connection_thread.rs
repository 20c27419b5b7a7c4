//! No request takes the thread of its connection for long: every endpoint of the tables, with its worst inputs.
//!
//! A build with debug assertions reports how long a poll of the connection took its thread (`daicho::server::thread_time`).
//! Such a build is slow, so the bound is a multiple of a look-up of the same run: in a release build a look-up takes a tenth
//! of the bound. The shortest of several turns counts, because another process may take the cache meanwhile. A machine may
//! be slow for seconds: what took long is measured again later, each time beside a look-up.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use daicho::api::endpoint::{Endpoint, Handler, Verb};
use daicho::api::table::TABLE;
use daicho::compat::PROTOCOLS;
use daicho::server::thread_time::HEADER;

use crate::support::{Client, ServerProcess, encoded, sample};

/// The bound as a multiple of a look-up. It was 20 while hyper read every request; in a build with debug assertions, a look-up
/// takes two thirds of that time now.
const LOOK_UPS_MAX: u64 = 30;

/// How often a request is sent. The kernel may have to clear new memory for a long body, some milliseconds, but does so only
/// sometimes.
const TURNS: usize = 3;
const TURNS_OF_LOOK_UP: usize = 100;

/// How often a request that took long is measured again, with a pause before each time.
const ROUNDS_OF_SLOW: usize = 20;
const PAUSE: Duration = Duration::from_millis(250);

/// Bytes of the longest target and, below the limit of a body, of the longest value in it.
const LONG_BYTES: usize = 31_000;

/// Bytes of the longest value of a target that is answered on the thread of its connection.
const SHORT_BYTES: usize = 880;

/// What a request sends beside its example.
struct Request {
    what: String,
    method: &'static str,
    target: String,
    headers: String,
    body: String,
}

impl Request {
    fn get(what: impl Into<String>, target: impl Into<String>, headers: &str) -> Request {
        let (what, target, headers) = (what.into(), target.into(), headers.to_owned());
        Request { what, method: "GET", target, headers, body: String::new() }
    }

    fn post(
        what: impl Into<String>,
        target: impl Into<String>,
        key: &str,
        body: String,
    ) -> Request {
        let headers = format!("{key}\nContent-Type: application/json");
        Request { method: "POST", body, ..Request::get(what, target, &headers) }
    }

    fn send(&self, client: &mut Client) -> Option<Times> {
        let mut head =
            format!("{} {} HTTP/1.1\nHost: test\n{}", self.method, self.target, self.headers);
        if self.method == "POST" {
            let _ = write!(head, "\nContent-Length: {}", self.body.len());
        }
        let lines: Vec<&str> = head.lines().filter(|line| !line.is_empty()).collect();
        client.send(&lines.join("\n"));
        // The server may have refused the head already.
        let _ = client.send_bytes(self.body.as_bytes());
        let answer = client.receive_any(true)?;
        let own = answer.header(HEADER.as_str()).and_then(|text| text.parse().ok());
        let closes = answer.header("connection") == Some("close");
        Some(Times { own_ns: own.unwrap_or(0), closes })
    }
}

struct Times {
    own_ns: u64,
    closes: bool,
}

/// The longest poll of a request in nanoseconds: the shortest of its turns.
fn measure(address: SocketAddr, request: &Request, turns: usize) -> u64 {
    let after = Request::get("", "/healthz", "");
    let mut client = Client::connect(address);
    let mut shortest = u64::MAX;
    for _ in 0..turns {
        let Some(times) = request.send(&mut client) else {
            panic!("{}: no answer", request.what);
        };
        let rest = match times.closes {
            true => {
                client = Client::connect(address);
                0
            }
            false => after.send(&mut client).map_or(0, |times| times.own_ns),
        };
        shortest = shortest.min(times.own_ns.max(rest));
    }
    shortest
}

/// The target of an example with a parameter replaced or added.
fn with_parameter(target: &str, name: &str, value: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let others = query.split('&').filter(|pair| !pair.is_empty());
    let others = others.filter(|pair| pair.split('=').next() != Some(name));
    let pairs: Vec<String> = others.map(str::to_owned).chain([format!("{name}={value}")]).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// Texts of about this many bytes when encoded, each of one letter or word.
fn values(bytes: usize) -> Vec<String> {
    let parts = ["あ", "1", "a", "京都市", "東京 ", "会社 OR ", "1-", "2026-01-01,"];
    parts.iter().map(encoded).map(|part| part.repeat(bytes / part.len())).collect()
}

const CODINGS: [&str; 3] = ["", "Accept-Encoding: gzip", "Accept-Encoding: zstd"];

fn requests_of(endpoint: &Endpoint, key: &str) -> Vec<Request> {
    let name = format!("{} {}", endpoint.method.as_str(), endpoint.path);
    let example = endpoint.example;
    let mut requests = Vec::new();
    if endpoint.method == Verb::Post {
        requests.extend(bodies(endpoint, &name, key));
        return requests;
    }
    for coding in CODINGS {
        let headers = format!("{key}\n{coding}");
        requests.push(Request::get(format!("{name} {coding}"), example, &headers));
        let most = with_parameter(example, "limit", "100");
        requests.push(Request::get(format!("{name} limit=100 {coding}"), most, &headers));
    }
    requests.push(Request::get(format!("{name} without a key"), example, ""));
    let unknown: Vec<String> = (0..60).map(|n| format!("{n}={}", "%41".repeat(160))).collect();
    let [few, many] = [unknown.join("&"), "a=b&".repeat(7_700)];
    for (what, query) in [("60 unknown parameters", few), ("7,700 parameters", many)] {
        let target = format!("{}?{query}", example.split('?').next().unwrap_or_default());
        requests.push(Request::get(format!("{name} {what}"), target, key));
    }
    for parameter in endpoint.query_parameters().chain(["api_version", "meta", "key", "none"]) {
        for bytes in [SHORT_BYTES, LONG_BYTES] {
            for (number, value) in values(bytes).iter().enumerate() {
                let what = format!("{name} {parameter}, text {number} of {bytes} bytes");
                requests.push(Request::get(what, with_parameter(example, parameter, value), key));
            }
        }
    }
    for (index, parameter) in endpoint.path_parameters() {
        for (number, value) in values(LONG_BYTES).iter().chain(&values(SHORT_BYTES)).enumerate() {
            let path = example.split('?').next().unwrap_or_default();
            let segments = path.split('/').enumerate();
            let segments = segments.map(|(at, segment)| if at == index { value } else { segment });
            let target = segments.collect::<Vec<_>>().join("/");
            requests.push(Request::get(format!("{name} {parameter}, text {number}"), target, key));
        }
    }
    if matches!(endpoint.handler, Handler::Search(_)) {
        requests.extend(bodies(endpoint, &name, key));
    }
    requests
}

/// The worst bodies of an endpoint.
fn bodies(endpoint: &Endpoint, name: &str, key: &str) -> Vec<Request> {
    let room = endpoint.body_bytes_max - 200;
    let members: Vec<String> = (0..room / 14).map(|n| format!("\"a{n}\":1")).collect();
    let bodies = [
        ("its example", endpoint.example_body.to_owned()),
        ("nested lists", format!("{{\"queries\":{}", "[".repeat(room))),
        ("nested objects", "{\"q\":".repeat(room / 5)),
        ("a long text", format!("{{\"q\":\"{}\"}}", "あ".repeat(room / 3))),
        ("many members", format!("{{{}}}", members.join(","))),
        ("many queries", format!("{{\"queries\":[{}{{}}]}}", "{\"t\":\"\"},".repeat(room / 9))),
    ];
    let target = endpoint.example.split('?').next().unwrap_or_default();
    let target = if target.is_empty() { endpoint.path } else { target };
    bodies
        .into_iter()
        .map(|(what, body)| Request::post(format!("{name} {what}"), target, key, body))
        .collect()
}

/// Requests that are no endpoint of a table, or whose headers are the worst.
fn other_requests(key: &str) -> Vec<Request> {
    let long = |text: &str| text.repeat(30_000 / text.len());
    let look_up = "/v1/postalcode/1000001";
    let mut requests = vec![
        Request::get("a long unknown path", format!("/{}", long("a")), ""),
        Request::get("a long key", look_up, &format!("Authorization: Token {}", long("a"))),
        Request::get(
            "a long Accept-Encoding",
            look_up,
            &format!("{key}\nAccept-Encoding: {}", long("a;q=0.1,")),
        ),
        Request::get(
            "a long If-None-Match",
            look_up,
            &format!("{key}\nIf-None-Match: {}", long("W/a, ")),
        ),
        Request::get(
            "a long Accept-Language",
            "/v1/postalcode/1",
            &format!("{key}\nAccept-Language: {}", long("ab;q=0.1,")),
        ),
        Request::get(
            "an error in Japanese",
            "/v1/postalcode/1",
            &format!("{key}\nAccept-Language: ja"),
        ),
        Request::get("a long Origin", look_up, &format!("{key}\nOrigin: https://{}", long("a."))),
        Request::get("a long Referer", look_up, &format!("{key}\nReferer: https://{}", long("a/"))),
        Request::get("a long Cookie", "/dashboard", &format!("Cookie: {}", long("a=b; "))),
    ];
    for coding in CODINGS {
        for path in [
            "/",
            "/docs/",
            "/docs/rules",
            "/docs/nothing",
            "/openapi.json",
            "/llms.txt",
            "/js/daicho.js",
            "/demo",
            "/dashboard/login",
            "/metrics",
        ] {
            requests.push(Request::get(format!("{path} {coding}"), path, coding));
        }
    }
    let accepts = "Accept: application/json, text/event-stream\nMCP-Protocol-Version: 2025-06-18";
    let messages = [
        ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned()),
        ("tools/list", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned()),
        ("broken JSON", long("[")),
        ("broken JSON of 8 KB", "[1,".repeat(2_700)),
        ("64 KB", format!("{{\"method\":\"{}\"}}", long("あ"))),
        (
            "tools/call",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"normalize_address","arguments":{"address":"千代田区千代田1-1"}}}"#.to_owned(),
        ),
    ];
    for (what, body) in messages {
        for coding in CODINGS {
            let headers = format!("{key}\n{accepts}\n{coding}");
            requests.push(Request::post(
                format!("/mcp {what} {coding}"),
                "/mcp",
                &headers,
                body.clone(),
            ));
        }
    }
    requests
}

/// The requests that take more than the bound, each with its time in tenths of a look-up.
fn slow_requests<'r>(
    address: SocketAddr,
    look_up: &Request,
    requests: Vec<&'r Request>,
) -> Vec<(&'r Request, u64)> {
    let unit = measure(address, look_up, TURNS_OF_LOOK_UP);
    assert!(unit > 0, "a build with debug assertions reports the time");
    let measured = requests.into_iter().map(|request| (request, measure(address, request, TURNS)));
    let slow = measured.filter(|(_, found)| *found > LOOK_UPS_MAX * unit);
    slow.map(|(request, found)| (request, found * 10 / unit)).collect()
}

#[test]
fn no_request_takes_the_thread_of_a_connection_for_long() {
    let served = ServerProcess::with_snapshots(
        Some(sample()),
        &["--compat", "all", "--compat-account", "premium-batch", "--keyless-rate", "off"],
    );
    let key = format!("Authorization: Token {}", served.premium_batch);
    let look_up = Request::get("", "/v1/postalcode/1000001", &key);
    let protocols = PROTOCOLS.iter().flat_map(|protocol| protocol.endpoints);
    let mut requests: Vec<Request> =
        TABLE.iter().chain(protocols).flat_map(|endpoint| requests_of(endpoint, &key)).collect();
    requests.extend(other_requests(&key));
    let slow = |requests| slow_requests(served.address, &look_up, requests);
    let mut found = slow(requests.iter().collect());
    for _ in 0..ROUNDS_OF_SLOW {
        if found.is_empty() {
            return;
        }
        thread::sleep(PAUSE);
        found = found.into_iter().flat_map(|(request, _)| slow(vec![request])).collect();
    }
    let lines: Vec<String> = found
        .iter()
        .map(|(request, tenths)| format!("{}.{} {}", tenths / 10, tenths % 10, request.what))
        .collect();
    assert!(
        found.is_empty(),
        "{} of {} requests take more than {LOOK_UPS_MAX} look-ups:\n{}",
        found.len(),
        requests.len(),
        lines.join("\n")
    );
}
