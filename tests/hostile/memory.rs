//! Memory that the server holds for clients that send many requests and do not read the answers.

use std::sync::atomic::Ordering::Relaxed;

use daicho::server::accept::ServerConfig;

use crate::attacker::{Attacker, crowd_size};
use crate::cost::resident_bytes;
use crate::http2::{
    CONTINUATION, END_STREAM, HEADERS, append_header, frame, get, head, hello, request,
};
use crate::support::{InProcessServer, ServerProcess, ask, wait_until};

const MEGABYTE: u64 = 1024 * 1024;

/// The most resident memory of the server, for any number of connections.
const RESIDENT_MAX: u64 = 512 * MEGABYTE;

/// The most growth of resident memory with the usual number of connections.
const GROWTH_MAX: u64 = 192 * MEGABYTE;

/// Streams that an attacker opens on one connection.
const STREAMS: u32 = 128;

/// Starts a server, opens `usual` connections (or more, see [`crowd_size`]) that send `bytes` in turn, and checks the
/// server's resident memory.
#[track_caller]
fn check(name: &str, usual: usize, bytes: &[&[u8]]) {
    let served = ServerProcess::with_snapshots(None, &["--connections-per-address", "off"]);
    assert_eq!(ask(served.address, "GET /docs/errors").status, 200);
    let (_, before) = resident_bytes(served.pid());
    let mut crowd: Vec<Attacker> = Vec::new();
    for at in 0..crowd_size(usual) {
        let mut attacker = Attacker::connect(served.address);
        attacker.push(bytes[at % bytes.len()]);
        crowd.push(attacker);
    }
    let answered = ask(served.address, "GET /healthz");
    let (most, now) = resident_bytes(served.pid());
    let open = crowd.iter().filter(|attacker| !attacker.is_closed()).count();
    println!(
        "{name}: {} connections, {open} open; resident {} MB before, {} MB now, {} MB at most",
        crowd.len(),
        before / MEGABYTE,
        now / MEGABYTE,
        most / MEGABYTE
    );
    assert!(most < RESIDENT_MAX, "{name}: {most} bytes resident");
    if crowd.len() <= usual {
        assert!(most < before + GROWTH_MAX, "{name}: {most} bytes resident, {before} before");
    }
    assert_eq!(answered.status, 200);
}

/// [`STREAMS`] HTTP/2 requests on a connection whose streams have a window of zero.
fn stalled(path: &str) -> Vec<u8> {
    let requests = (0..STREAMS).map(|at| get(2 * at + 1, path));
    [vec![hello(0)], requests.collect()].concat().concat()
}

/// Requests with long heads. They wait, because the answers before them cannot be sent.
fn stalled_with_heads() -> Vec<u8> {
    let long = |stream| frame(HEADERS, 4 | END_STREAM, stream, &head("/docs/errors", 15_000));
    let requests = (0..STREAMS).map(|at| long(2 * at + 1));
    [vec![hello(0)], requests.collect()].concat().concat()
}

/// An HTTP/2 request whose head never ends.
fn half_head() -> Vec<u8> {
    let begin = frame(HEADERS, END_STREAM, 1, &head("/docs/errors", 16_000));
    let on = frame(CONTINUATION, 0, 1, &head("/docs/errors", 14_000));
    [hello(0), begin, on.clone(), on].concat()
}

/// HTTP/1.1 requests. The attacker does not read the answers.
fn unread() -> Vec<u8> {
    b"GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000)
}

fn half_head_of_http1() -> Vec<u8> {
    [&b"GET / HTTP/1.1\r\nHost: x\r\nA: "[..], &[b'x'; 15_000]].concat()
}

#[test]
fn stalled_streams_hold_little_memory() {
    check("window of zero, a page", 500, &[&stalled("/docs/errors")]);
}

#[test]
fn stalled_metrics_requests_hold_little_memory() {
    check("window of zero, metrics", 500, &[&stalled("/metrics")]);
}

#[test]
fn waiting_requests_with_long_heads_hold_little_memory() {
    check("window of zero, long heads", 100, &[&stalled_with_heads()]);
}

#[test]
fn unfinished_heads_hold_little_memory() {
    check("half heads", 500, &[&half_head(), &half_head_of_http1()]);
}

#[test]
fn unread_answers_hold_little_memory() {
    check("slow readers of HTTP/1.1", 500, &[&unread()]);
}

#[test]
fn mixed_attacks_hold_little_memory() {
    let crowd: &[&[u8]] = &[
        &stalled("/docs/errors"),
        &stalled("/metrics"),
        &stalled_with_heads(),
        &half_head(),
        &half_head_of_http1(),
        &unread(),
        b"P",
        b"",
    ];
    check("mixed", 500, crowd);
}

#[test]
fn a_request_without_memory_even_for_waiting_is_counted() {
    let local = InProcessServer::start(ServerConfig::default());
    let mut unread = head("/v1/holidays", 0);
    append_header(&mut unread, "authorization", format!("Token {}", local.key).as_bytes());
    // Each of these waits until the answers of 70 KB before it are read.
    let waiting = head("/healthz", 45_000);
    let requests = (0..30).map(|at| request(2 * at + 1, if at < 3 { &unread } else { &waiting }));
    let requests: Vec<Vec<u8>> = requests.collect();
    let mut attacker = Attacker::connect(local.address);
    assert!(attacker.send(&[hello(0), requests[..3].concat()].concat()));
    wait_until("three answers to be held", || {
        local.metrics.memory.bytes() > daicho::server::limits::UNSENT_BYTES_MAX
    });
    assert!(attacker.send(&requests[3..].concat()));
    wait_until("a request to be refused", || local.metrics.requests_overloaded.load(Relaxed) > 0);
}

#[test]
fn a_connection_that_hardly_opens_its_window_is_closed() {
    let local = InProcessServer::with_short_timeouts();
    let mut attacker = Attacker::connect(local.address);
    assert!(attacker.send(&[hello(0), get(1, "/docs/errors")].concat()));
    let sent = attacker.read_to_end();
    assert_eq!(crate::http2::reason(&sent), Some(11));
    // The client opens the window by one byte at a time and keeps sending requests.
    let mut attacker = Attacker::connect(local.address);
    assert!(attacker.send(&[hello(0), get(1, "/docs/errors")].concat()));
    let mut stream = 3;
    wait_until("the connection to be closed", || {
        let update = frame(crate::http2::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]);
        stream += 2;
        !attacker.send(&[update, get(stream, "/healthz")].concat())
    });
}
