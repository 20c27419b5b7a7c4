//! More connections than there may be: of one address, and over all.

use std::sync::atomic::Ordering::Relaxed;

use daicho::server::accept::ServerConfig;
use daicho::server::limits::IDLE_TIME_MIN;

use crate::attacker::Attacker;
use crate::support::{Client, Local, Served, ask, until};

const REQUEST: &str = "GET /healthz HTTP/1.1\nHost: x";

/// A connection that has had an answer and is kept.
#[track_caller]
fn kept(address: std::net::SocketAddr) -> Client {
    let mut client = Client::connect(address);
    client.send(REQUEST);
    assert_eq!(client.receive().status, 200);
    client
}

#[test]
fn an_address_has_as_many_connections_as_the_option_says() {
    let served = Served::over(None, &["--connections-per-address", "3"]);
    let mut clients: Vec<Client> = (0..3).map(|_| kept(served.address)).collect();
    let answer = ask(served.address, "GET /healthz");
    answer.expect_error(503, "too_many_connections", None);
    let detail = answer.json()["detail"].as_str().map(str::to_owned);
    assert!(detail.is_some_and(|detail| {
        detail.contains("your address has reached its limit of 3 connections")
    }));
    for client in &mut clients {
        client.send(REQUEST);
        assert_eq!(client.receive().status, 200, "the others go on");
    }
    clients.pop();
    until("a place to be free", || ask(served.address, "GET /healthz").status == 200);
}

#[test]
fn a_bound_that_is_off_is_none() {
    for off in ["0", "off"] {
        let served = Served::over(None, &["--connections-per-address", off]);
        let _clients: Vec<Client> = (0..1100).map(|_| kept(served.address)).collect();
        assert_eq!(ask(served.address, "GET /healthz").status, 200);
    }
}

#[test]
fn the_connection_that_was_idle_for_longest_gives_way() {
    let config = ServerConfig { connections_max: 3, ..ServerConfig::default() };
    let local = Local::start(config);
    let first = Attacker::connect(local.address);
    // The server takes it a little later than it is made.
    std::thread::sleep(2 * IDLE_TIME_MIN);
    let second = Attacker::connect(local.address);
    let mut last = kept(local.address);
    assert_eq!(ask(local.address, "GET /healthz").status, 200);
    assert_eq!(local.metrics.connections_gave_way.load(Relaxed), 1);
    // It is closed on the thread that drives it, which may have its turn later.
    until("the first to be closed", || first.is_closed());
    assert!(!second.is_closed());
    last.send(REQUEST);
    assert_eq!(last.receive().status, 200);
}

#[test]
fn many_connections_at_once_are_all_taken() {
    let served = Served::over(None, &["--connections-per-address", "off"]);
    let address = served.address;
    let connect = move || (0..500).map(|_| Client::connect(address)).collect::<Vec<_>>();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(connect)).collect();
    for thread in threads {
        for mut client in thread.join().expect("no panic") {
            client.send(REQUEST);
            assert_eq!(client.receive().status, 200);
        }
    }
}
