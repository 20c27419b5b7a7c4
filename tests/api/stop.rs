//! The stop in good order.

use std::net::TcpStream;

use rustix::process::Signal;

use crate::support::{Client, Local, Served, ask, until};

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
