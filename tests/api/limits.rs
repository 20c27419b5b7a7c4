//! Limits of `server::limits` and `api::limits`, just below and above each: sizes of target, headers and body, time limits,
//! the number of connections, of parameters, of letters, and of answers without a key. Limits of HTTP/2 and of one address are tested in `tests/hostile`.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use daicho::api::limits::{PARAMETERS_MAX, TYPED_LETTERS_MAX};
use daicho::server::accept::ServerConfig;
use daicho::server::limits::{
    BODY_BYTES_MAX, HEAD_BYTES_MAX, HEADERS_MAX, TARGET_BYTES_MAX, Timeouts,
};

use crate::support::{
    Client, DEADLINE, InProcessServer, ServerProcess, ask, encoded, sample, wait_until,
};

fn plain() -> InProcessServer {
    InProcessServer::start(ServerConfig::default())
}

fn whoami(local: &InProcessServer, headers: &str) -> String {
    format!("GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {}\n{headers}", local.key)
        .trim_end()
        .to_owned()
}

#[test]
fn a_target_above_its_limit_is_414() {
    let local = plain();
    let target = |length: usize| format!("/healthz?{}", "x".repeat(length - 9));
    let get = |length| ask(local.address, &format!("GET {}", target(length)));
    assert_eq!(get(TARGET_BYTES_MAX).status, 200);
    get(TARGET_BYTES_MAX + 1).expect_error(414, "target_too_long", None);
    get(40_000).expect_error(414, "target_too_long", None);
    // Longer than a whole head may be, and (below) a target without an end.
    for length in [HEAD_BYTES_MAX + 1, 70_000, 1_000_000] {
        get(length).expect_error(414, "target_too_long", None);
    }
    let mut client = Client::connect(local.address);
    client.send_bytes(&[b"GET /".as_slice(), &vec![b'x'; 2 * HEAD_BYTES_MAX]].concat());
    client.receive().expect_error(414, "target_too_long", None);
    assert!(client.is_closed());
}

#[test]
fn headers_above_their_limits_are_431() {
    let local = plain();
    let lines = |count: usize| "X: y\n".repeat(count);
    // `ask` adds two headers: Host and Connection.
    let count = |count: usize| ask(local.address, &format!("GET /healthz\n{}", lines(count - 2)));
    assert_eq!(count(HEADERS_MAX).status, 200);
    count(HEADERS_MAX + 1).expect_error(431, "headers_too_large", None);
    count(1000).expect_error(431, "headers_too_large", None);
    let long =
        |length: usize| ask(local.address, &format!("GET /healthz\nX: {}", "y".repeat(length)));
    assert_eq!(long(HEAD_BYTES_MAX - 200).status, 200);
    long(HEAD_BYTES_MAX).expect_error(431, "headers_too_large", None);
    long(500_000).expect_error(431, "headers_too_large", None);
    assert!(local.metrics.protocol_errors.load(Relaxed) >= 4);
}

#[test]
fn a_head_above_its_limit_is_431_for_every_size_of_read() {
    let local = plain();
    let get =
        |length: usize| format!("GET /healthz HTTP/1.1\nHost: test\nX: {}", "y".repeat(length));
    for before in [0, 1, 3, 10] {
        let mut client = Client::connect(local.address);
        // Earlier requests enlarge the read buffer, and one read then fills it.
        for _ in 0..before {
            client.send(&get(HEAD_BYTES_MAX - 200));
            assert_eq!(client.receive().status, 200);
        }
        client.send(&get(2 * HEAD_BYTES_MAX));
        client.receive().expect_error(431, "headers_too_large", None);
        assert!(client.is_closed());
    }
}

#[test]
fn a_body_above_its_limit_is_413_declared_or_counted() {
    let local = plain();
    let mut client = Client::connect(local.address);
    client.send(&whoami(&local, &format!("Content-Length: {BODY_BYTES_MAX}")));
    client.send_bytes(&vec![b'x'; BODY_BYTES_MAX]);
    assert_eq!(client.receive().status, 200);
    client.send(&whoami(&local, "Content-Length: 0"));
    assert_eq!(client.receive().status, 200, "the connection stays usable");

    for declared in ["65537", "1000000000000", "18446744073709551613"] {
        let mut client = Client::connect(local.address);
        client.send(&whoami(&local, &format!("Content-Length: {declared}")));
        let answer = client.receive();
        answer.expect_error(413, "body_too_large", None);
        assert_eq!(answer.header("connection"), Some("close"));
    }

    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let chunks = |count: usize| chunk.repeat(count) + "0\r\n\r\n";
    let mut client = Client::connect(local.address);
    client.send(&whoami(&local, "Transfer-Encoding: chunked"));
    client.send_bytes(chunks(BODY_BYTES_MAX / 0x1000).as_bytes());
    assert_eq!(client.receive().status, 200);
    client.send(&whoami(&local, "Transfer-Encoding: chunked"));
    client.send_bytes(chunks(BODY_BYTES_MAX / 0x1000 + 1).as_bytes());
    client.receive().expect_error(413, "body_too_large", None);
    assert!(client.is_closed());

    // hyper rejects a length above 2^64 - 3 as malformed.
    for declared in ["18446744073709551614", "18446744073709551615", "18446744073709551616"] {
        let mut client = Client::connect(local.address);
        client.send(&whoami(&local, &format!("Content-Length: {declared}")));
        let answer = client.receive();
        answer.expect_error(400, "malformed_request", None);
        assert_eq!(answer.header("connection"), Some("close"));
    }

    // A client that waits for `100 Continue` gets the answer immediately.
    let mut client = Client::connect(local.address);
    client.send(&whoami(&local, "Content-Length: 999999\nExpect: 100-continue"));
    client.receive().expect_error(413, "body_too_large", None);
}

#[test]
fn an_invalid_path_or_key_is_refused_without_reading_the_body() {
    let local = plain();
    for (line, status, code) in [
        ("POST /nothing", 404, "no_such_endpoint"),
        ("POST /v1/whoami", 405, "method_not_allowed"),
        ("GET /v1/whoami", 401, "missing_key"),
    ] {
        let mut client = Client::connect(local.address);
        client.send(&format!("{line} HTTP/1.1\nHost: x\nContent-Length: 60000"));
        let answer = client.receive();
        answer.expect_error(status, code, None);
        assert_eq!(answer.header("connection"), Some("close"), "{line}");
    }
}

#[test]
fn a_malformed_chunk_is_400() {
    let local = plain();
    let mut client = Client::connect(local.address);
    client.send(&whoami(&local, "Transfer-Encoding: chunked"));
    client.send_bytes(b"not a chunk\r\n");
    client.receive().expect_error(400, "malformed_request", None);
}

#[test]
fn a_slow_head_ends_the_connection() {
    let local = InProcessServer::with_short_timeouts();
    // Sends nothing, the first byte of HTTP/1.1, a part of the HTTP/2 preface, a part of a head, and (below) a
    // part of the second head on a connection.
    for begin in ["", "G", "PRI * HTTP/2.0\r\n\r\nSM", "GET /healthz HTTP/1.1\r\nA: "] {
        let mut client = Client::connect(local.address);
        client.send_bytes(begin.as_bytes());
        dribble(&mut client, if begin.starts_with("GET") { "x" } else { "" });
    }
    let mut client = Client::connect(local.address);
    client.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(client.receive().status, 200);
    client.send_bytes(b"GET /healthz HTTP/1.1\r\nA: ");
    dribble(&mut client, "x");
    wait_until("all connections to be closed", || open_connections(&local) == 0);
}

/// Sends `byte` every 50 ms until the server closes the connection. Sends nothing if it is empty.
#[track_caller]
fn dribble(client: &mut Client, byte: &str) {
    let started = Instant::now();
    while client.send_bytes(byte.as_bytes()) && !byte.is_empty() {
        assert!(started.elapsed() < DEADLINE, "the slow client was not disconnected");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(client.is_closed());
}

fn open_connections(local: &InProcessServer) -> u64 {
    local.metrics.connections.load(Relaxed) - local.metrics.connections_closed.load(Relaxed)
}

#[test]
fn a_slow_body_is_408() {
    let local = InProcessServer::with_short_timeouts();
    for headers in ["Content-Length: 1000", "Transfer-Encoding: chunked"] {
        let mut client = Client::connect(local.address);
        client.send(&whoami(&local, headers));
        for _ in 0..5 {
            client.send_bytes(if headers.starts_with('C') { b"x" } else { b"1\r\nx\r\n" });
            std::thread::sleep(Duration::from_millis(50));
        }
        client.receive().expect_error(408, "request_timeout", None);
        assert!(client.is_closed());
    }
}

#[test]
fn an_idle_connection_is_closed_and_a_busy_one_is_not() {
    let local = InProcessServer::with_short_timeouts();
    let mut idle = Client::connect(local.address);
    idle.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(idle.receive().status, 200);
    assert!(idle.is_closed());
    let mut busy = Client::connect(local.address);
    for _ in 0..15 {
        busy.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(busy.receive().status, 200);
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_body_that_arrives_after_its_head_does_not_begin_another_head() {
    let head = Duration::from_millis(400);
    let timeouts = Timeouts { head, ..Timeouts::default() };
    let local = InProcessServer::start(ServerConfig { timeouts, ..ServerConfig::default() });
    let mut client = Client::connect(local.address);
    for _ in 0..2 {
        client.send(&whoami(&local, "Content-Length: 4"));
        std::thread::sleep(head / 4);
        assert!(client.send_bytes(b"body"));
        assert_eq!(client.receive().status, 200);
        // Idle for longer than a head may take.
        std::thread::sleep(4 * head);
    }
    client.send_bytes(b"GET /healthz HTTP/1.1\r\nA: ");
    dribble(&mut client, "x");
}

#[test]
fn the_body_of_a_request_to_the_store_is_counted_while_it_arrives() {
    let local = plain();
    let mut client = Client::connect(local.address);
    let length = 1_000_000;
    client.send(&format!(
        "POST /v1/houjinbangou/radar/corporate_numbers/add HTTP/1.1\nHost: x\n\
         Authorization: Token {}\nContent-Length: {length}",
        local.key
    ));
    wait_until("the body to be counted", || local.metrics.memory.bytes() > length);
    drop(client);
    wait_until("nothing to be counted", || local.metrics.memory.bytes() == 0);
}

#[test]
fn an_unread_answer_ends_the_connection() {
    let local = InProcessServer::with_short_timeouts();
    let mut client = Client::connect(local.address);
    // Requests with answers of several kilobytes, until sending fails.
    let request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    let started = Instant::now();
    while client.send_bytes(request.as_bytes()) {
        assert!(started.elapsed() < DEADLINE, "the server did not close the connection");
    }
    wait_until("the connection to be closed", || open_connections(&local) == 0);
}

#[test]
fn connections_above_the_maximum_get_503() {
    let local =
        InProcessServer::start(ServerConfig { connections_max: 3, ..ServerConfig::default() });
    let mut kept: Vec<Client> = (0..3).map(|_| Client::connect(local.address)).collect();
    for client in &mut kept {
        client.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(client.receive().status, 200);
    }
    for _ in 0..3 {
        let answer = ask(local.address, "GET /healthz");
        answer.expect_error(503, "too_many_connections", None);
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    assert_eq!(local.metrics.connections_refused.load(Relaxed), 3);
    kept.pop();
    wait_until("a new connection to be accepted", || {
        ask(local.address, "GET /healthz").status == 200
    });
}

#[test]
fn a_request_with_more_than_64_parameters_is_refused_after_its_key() {
    let served = ServerProcess::start();
    let target = |count: usize| format!("/v1/whoami?{}", vec!["a=b"; count].join("&"));
    assert_eq!(served.get(&target(PARAMETERS_MAX)).status, 200);
    for target in [target(PARAMETERS_MAX + 1), format!("/v1/whoami?{}", "&".repeat(30_000))] {
        let refused = served.get(&target);
        refused.expect_error(400, "invalid_parameter", None);
        let detail = refused.json()["detail"].to_string();
        assert!(detail.contains("at most 64 parameters; found more"), "{detail}");
        // A wrong key is refused first; one among the parameters is not looked for.
        let wrong = ask(served.address, &format!("GET {target}\nAuthorization: Token wrong"));
        wrong.expect_error(401, "invalid_key", None);
        let in_url = ask(served.address, &format!("GET {target}&key={}", served.unbound));
        in_url.expect_error(400, "invalid_parameter", None);
    }
}

#[test]
fn a_typed_text_has_at_most_256_letters() {
    let served = ServerProcess::start();
    let longest = encoded("あ".repeat(TYPED_LETTERS_MAX));
    let longer = encoded("あ".repeat(TYPED_LETTERS_MAX + 1));
    for (path, name) in [
        ("/v1/suggest/bank?q=", "q"),
        ("/v1/suggest/branch?bank=0001&q=", "q"),
        ("/v1/suggest/corporation?q=", "q"),
        ("/v1/suggest/address?q=", "q"),
        ("/v1/suggest/address?q=a&near=", "near"),
        ("/v1/suggest/address?parent=13101", "parent"),
        ("/v1/bank?q=", "q"),
        ("/v1/bank/0001/branches?q=", "q"),
    ] {
        let get = |value: &str| {
            ask(
                served.address,
                &format!("GET {path}{value}\nAuthorization: Token {}", served.premium),
            )
        };
        let refused = get(&longer);
        refused.expect_error(400, "invalid_parameter", Some(name));
        let detail = refused.json()["detail"].to_string();
        assert!(detail.contains("expected at most 256 letters; found 2"), "{path}: {detail}");
        if name == "q" {
            assert_eq!(get(&longest).status, 200, "{path}");
        }
    }
}

#[test]
fn an_address_gets_a_limited_number_of_answers_without_a_key() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--keyless-rate", "1"]);
    let paths = ["/healthz", "/docs/", "/v1/whoami", "/nothing", "/metrics"];
    let statuses: Vec<u16> = (0..20)
        .map(|turn| ask(served.address, &format!("GET {}", paths[turn % paths.len()])).status)
        .collect();
    assert_eq!(statuses[..5], [200, 200, 401, 404, 200]);
    let refused = ask(served.address, "GET /docs/\nAccept-Language: ja");
    refused.expect_error(429, "too_many_requests", None);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(
        refused.text().contains("1 answers a second without a valid key"),
        "{}",
        refused.text()
    );
    assert!(statuses[10..].contains(&429), "{statuses:?}");
    // A key has the quota of its account.
    assert_eq!(served.get("/v1/whoami").status, 200);
    wait_until("the address to get an answer again", || {
        ask(served.address, "GET /healthz").status == 200
    });
}
