//! The graceful stop: requests in flight, the drain (`--drain`), signals and the time limit.

use std::net::TcpStream;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustix::process::Signal;

use crate::support::{Client, InProcessServer, ServerProcess, ask, sample, wait_until};

#[test]
fn a_signal_lets_requests_in_flight_finish_and_refuses_new_ones() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut served = ServerProcess::start();
        let mut idle = Client::connect(served.address);
        idle.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(idle.receive().status, 200);
        let mut flying = Client::connect(served.address);
        let key = &served.secret;
        flying.send(&format!(
            "GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {key}\nContent-Length: 2"
        ));
        flying.send_bytes(b"x");
        // Wait until the metrics count the request as in flight.
        wait_until("the request to be in flight", || {
            let counters = ask(served.address, "GET /metrics").text();
            counters.contains("daicho_http_requests_in_flight 2")
        });
        served.signal(signal);
        assert!(idle.is_closed());
        wait_until("new connections to be refused", || TcpStream::connect(served.address).is_err());
        assert!(flying.send_bytes(b"y"));
        let answer = flying.receive();
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
        assert_eq!(served.wait(), Some(0));
        let log = served.logged();
        assert!(log.contains("\"path\":\"/v1/whoami\""), "the last request is not logged: {log}");
    }
}

/// Status and `status` member of the answer of `/readyz`.
fn readiness(served: &ServerProcess) -> (u16, String) {
    let ready = ask(served.address, "GET /readyz");
    (ready.status, ready.json()["status"].as_str().expect("a word").to_owned())
}

#[test]
fn during_a_drain_readyz_is_503_and_requests_are_answered() {
    let mut served = ServerProcess::with_snapshots(Some(sample()), &["--drain", "1h"]);
    let mut idle = Client::connect(served.address);
    idle.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(idle.receive().status, 200);
    assert_eq!(readiness(&served), (200, "ready".to_owned()));
    served.signal(Signal::TERM);
    wait_until("the drain to begin", || readiness(&served) == (503, "draining".to_owned()));
    let required = ask(served.address, "GET /readyz?require=postal");
    assert_eq!((required.status, required.json().get("missing")), (503, None));
    assert!(
        required.text().contains("\"postal\":{\"versions\":3"),
        "the answer does not list the loaded data"
    );
    for _ in 0..3 {
        assert_eq!(served.get("/v1/postalcode/1000001").status, 200, "a new connection");
        idle.send("GET /healthz HTTP/1.1\nHost: x");
        let answer = idle.receive();
        assert_eq!(
            (answer.status, answer.header("connection")),
            (200, None),
            "a connection from before the drain"
        );
    }
    let reloads = || {
        let metrics = ask(served.address, "GET /metrics").text();
        metrics.contains("daicho_reloads_total{result=\"ok\"} 1")
    };
    assert!(!reloads());
    served.signal(Signal::HUP);
    wait_until("a reload", reloads);
    assert_eq!(readiness(&served), (503, "draining".to_owned()));
    served.signal(Signal::TERM);
    assert!(idle.is_closed());
    assert_eq!(served.wait(), Some(0));
    let log = served.logged();
    assert!(log.contains("draining for 3600s") && log.contains("stopped"), "{log}");
}

/// The drain closes kept connections at moments spread over its duration. After the first of them, 10 s leave a
/// busy machine enough time for the other requests of a test.
const DRAIN: [&str; 2] = ["--drain", "10s"];

#[test]
fn a_drain_closes_kept_connections_after_an_answer() {
    let mut served = ServerProcess::with_snapshots(Some(sample()), &DRAIN);
    let mut kept = Client::connect(served.address);
    let mut pipelined = Client::connect(served.address);
    let mut quiet = Client::connect(served.address);
    for client in [&mut kept, &mut pipelined, &mut quiet] {
        client.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(client.receive().status, 200);
    }
    served.signal(Signal::TERM);
    wait_until("an answer with Connection: close", || {
        kept.send("GET /healthz HTTP/1.1\nHost: x");
        let answer = kept.receive();
        assert_eq!(answer.status, 200);
        answer.header("connection") == Some("close")
    });
    assert!(kept.is_closed());
    wait_until("the pipelined connection to be closed", || {
        pipelined.send("GET /healthz HTTP/1.1\nHost: x\n\nGET /healthz HTTP/1.1\nHost: x");
        let answer = pipelined.receive();
        assert_eq!(answer.status, 200);
        let is_last = answer.header("connection") == Some("close");
        assert!(is_last || pipelined.receive().status == 200);
        is_last
    });
    assert!(pipelined.is_closed(), "a request after the last answer was answered");
    assert_eq!(readiness(&served), (503, "draining".to_owned()), "a new connection is served");
    quiet.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(quiet.receive().status, 200, "a connection that was idle until now");
    served.signal(Signal::TERM);
    assert!(quiet.is_closed());
    assert_eq!(served.wait(), Some(0));
}

/// Otherwise the end of the drain would cross the second request of some of them.
#[test]
fn late_in_a_drain_a_new_connection_closes_after_its_first_answer() {
    let mut served = ServerProcess::with_snapshots(Some(sample()), &DRAIN);
    served.signal(Signal::TERM);
    wait_until("the drain to begin", || readiness(&served).0 == 503);
    let mut in_a_row = 0;
    wait_until("twenty connections in a row that close", || {
        let mut client = Client::connect(served.address);
        client.send("GET /healthz HTTP/1.1\nHost: x");
        let closes = client.receive().header("connection") == Some("close");
        in_a_row = if closes { in_a_row + 1 } else { 0 };
        in_a_row == 20
    });
    served.signal(Signal::TERM);
    assert_eq!(served.wait(), Some(0));
}

#[tokio::test]
async fn a_drain_ends_http_2_connections_without_failing_a_request() {
    let mut served = ServerProcess::with_snapshots(Some(sample()), &DRAIN);
    let socket = tokio::net::TcpStream::connect(served.address).await.expect("a connection");
    let socket = TokioIo::new(socket);
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), socket).await.expect("a handshake");
    let connection = tokio::spawn(connection);
    let mut answers = 0;
    while sender.ready().await.is_ok() {
        let uri = format!("http://{}/healthz", served.address);
        let request = Request::get(uri).body(Empty::<Bytes>::new()).expect("a request");
        match sender.send_request(request).await {
            Ok(answer) => assert_eq!(answer.status(), 200),
            Err(error) => assert!(error.is_canceled(), "no retry is possible: {error}"),
        }
        if answers == 0 {
            served.signal(Signal::TERM);
        }
        answers += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(answers > 1, "the connection ended at the start of the drain");
    connection.await.expect("joined").expect("a connection that ends in good order");
    assert_eq!(readiness(&served), (503, "draining".to_owned()), "a new connection is served");
    served.signal(Signal::TERM);
    assert_eq!(served.wait(), Some(0));
}

#[test]
fn a_drain_ends_after_its_duration() {
    let mut served = ServerProcess::with_snapshots(Some(sample()), &["--drain", "200ms"]);
    served.signal(Signal::TERM);
    assert_eq!(served.wait(), Some(0));
    assert!(served.logged().contains("draining for 200ms"));
}

#[test]
fn an_interrupt_stops_without_a_drain_or_ends_it() {
    for signals in [&[Signal::INT][..], &[Signal::TERM, Signal::INT]] {
        let mut served = ServerProcess::with_snapshots(Some(sample()), &["--drain", "1h"]);
        for signal in signals {
            served.signal(*signal);
        }
        assert_eq!(served.wait(), Some(0));
    }
}

#[test]
fn an_unfinished_request_is_dropped_at_the_time_limit() {
    let mut local = InProcessServer::with_short_timeouts();
    let mut stuck = Client::connect(local.address);
    stuck.send(&format!(
        "GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {}\nContent-Length: 2",
        local.key
    ));
    local.begin_stop();
    local.stopped();
    // Either the time limit of the body or that of the stop was reached first.
    let answer = stuck.receive_any(true);
    assert!(answer.is_none_or(|answer| answer.status == 408));
}
