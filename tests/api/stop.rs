//! The stop in good order.

use std::net::TcpStream;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustix::process::Signal;

use crate::support::{Client, Local, Served, ask, sample, until};

#[test]
fn a_signal_lets_requests_in_flight_finish_and_refuses_new_ones() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut served = Served::start();
        let mut idle = Client::connect(served.address);
        idle.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(idle.receive().status, 200);
        let mut flying = Client::connect(served.address);
        let key = &served.secret;
        flying.send(&format!(
            "GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {key}\nContent-Length: 2"
        ));
        flying.send_bytes(b"x");
        // The request is in flight once the counters say so.
        until("the request to begin", || {
            let counters = ask(served.address, "GET /metrics").text();
            counters.contains("daicho_http_requests_in_flight 1")
        });
        served.signal(signal);
        assert!(idle.is_closed());
        until("new connections to be refused", || TcpStream::connect(served.address).is_err());
        assert!(flying.send_bytes(b"y"));
        let answer = flying.receive();
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
        assert_eq!(served.wait(), Some(0));
        let log = served.logged();
        assert!(log.contains("\"path\":\"/v1/whoami\""), "the last line is written: {log}");
    }
}

/// What `/readyz` answers.
fn readiness(served: &Served) -> (u16, String) {
    let ready = ask(served.address, "GET /readyz");
    (ready.status, ready.json()["status"].as_str().expect("a word").to_owned())
}

#[test]
fn a_drain_turns_readyz_away_and_answers_everything_else() {
    let mut served = Served::over(Some(sample()), &["--drain", "1h"]);
    let mut idle = Client::connect(served.address);
    idle.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(idle.receive().status, 200);
    assert_eq!(readiness(&served), (200, "ready".to_owned()));
    served.signal(Signal::TERM);
    until("the drain to begin", || readiness(&served) == (503, "draining".to_owned()));
    let required = ask(served.address, "GET /readyz?require=postal");
    assert_eq!((required.status, required.json().get("missing")), (503, None));
    assert!(required.text().contains("\"postal\":{\"versions\":3"), "it says what it has still");
    for _ in 0..3 {
        assert_eq!(served.get("/v1/postalcode/1000001").status, 200, "a new connection");
        idle.send("GET /healthz HTTP/1.1\nHost: x");
        let answer = idle.receive();
        assert_eq!((answer.status, answer.header("connection")), (200, None), "one that was there");
    }
    let reloads = || {
        let metrics = ask(served.address, "GET /metrics").text();
        metrics.contains("daicho_reloads_total{result=\"ok\"} 1")
    };
    assert!(!reloads());
    served.signal(Signal::HUP);
    until("a reload", reloads);
    assert_eq!(readiness(&served), (503, "draining".to_owned()));
    served.signal(Signal::TERM);
    assert!(idle.is_closed());
    assert_eq!(served.wait(), Some(0));
    let log = served.logged();
    assert!(log.contains("draining for 3600s") && log.contains("stopped"), "{log}");
}

/// Long enough for everything that is asked behind the moment of the first connections on a busy machine.
const DRAIN: [&str; 2] = ["--drain", "10s"];

#[test]
fn a_drain_closes_kept_connections_behind_an_answer() {
    let mut served = Served::over(Some(sample()), &DRAIN);
    let mut kept = Client::connect(served.address);
    let mut pipelined = Client::connect(served.address);
    let mut quiet = Client::connect(served.address);
    for client in [&mut kept, &mut pipelined, &mut quiet] {
        client.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(client.receive().status, 200);
    }
    served.signal(Signal::TERM);
    until("a last answer", || {
        kept.send("GET /healthz HTTP/1.1\nHost: x");
        let answer = kept.receive();
        assert_eq!(answer.status, 200);
        answer.header("connection") == Some("close")
    });
    assert!(kept.is_closed());
    until("the moment of every connection", || {
        pipelined.send("GET /healthz HTTP/1.1\nHost: x\n\nGET /healthz HTTP/1.1\nHost: x");
        let answer = pipelined.receive();
        assert_eq!(answer.status, 200);
        let is_last = answer.header("connection") == Some("close");
        assert!(is_last || pipelined.receive().status == 200);
        is_last
    });
    assert!(pipelined.is_closed(), "what stands behind the last answer is not answered");
    assert_eq!(readiness(&served), (503, "draining".to_owned()), "a new connection is served");
    quiet.send("GET /healthz HTTP/1.1\nHost: x");
    assert_eq!(quiet.receive().status, 200, "one that was quiet until now");
    served.signal(Signal::TERM);
    assert!(quiet.is_closed());
    assert_eq!(served.wait(), Some(0));
}

#[tokio::test]
async fn a_drain_ends_http_2_connections_without_failing_a_request() {
    let mut served = Served::over(Some(sample()), &DRAIN);
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
            Err(error) => assert!(error.is_canceled(), "it may be sent again: {error}"),
        }
        if answers == 0 {
            served.signal(Signal::TERM);
        }
        answers += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(answers > 1, "it goes on behind the begin of the drain");
    connection.await.expect("joined").expect("a connection that ends in good order");
    assert_eq!(readiness(&served), (503, "draining".to_owned()), "a new connection is served");
    served.signal(Signal::TERM);
    assert_eq!(served.wait(), Some(0));
}

#[test]
fn a_drain_ends_by_itself() {
    let mut served = Served::over(Some(sample()), &["--drain", "200ms"]);
    served.signal(Signal::TERM);
    assert_eq!(served.wait(), Some(0));
    assert!(served.logged().contains("draining for 200ms"));
}

#[test]
fn an_interrupt_stops_without_a_drain_and_ends_one() {
    for signals in [&[Signal::INT][..], &[Signal::TERM, Signal::INT]] {
        let mut served = Served::over(Some(sample()), &["--drain", "1h"]);
        for signal in signals {
            served.signal(*signal);
        }
        assert_eq!(served.wait(), Some(0));
    }
}

#[test]
fn what_does_not_finish_is_dropped() {
    let mut local = Local::impatient();
    let mut stuck = Client::connect(local.address);
    stuck.send(&format!(
        "GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {}\nContent-Length: 2",
        local.key
    ));
    local.begin_stop();
    local.stopped();
    // Either its body's time or the stop's was over first.
    let answer = stuck.receive_any(true);
    assert!(answer.is_none_or(|answer| answer.status == 408));
}
