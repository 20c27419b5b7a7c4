//! Connections above the limits: the limit of one address and the limit of the server.

use std::sync::atomic::Ordering::Relaxed;

use daicho::server::accept::ServerConfig;
use daicho::server::limits::IDLE_TIME_MIN;

use crate::attacker::Attacker;
use crate::support::{Client, InProcessServer, ServerProcess, ask, wait_until};

const REQUEST: &str = "GET /healthz HTTP/1.1\nHost: x";

/// A keep-alive connection that has received one answer.
#[track_caller]
fn keep_alive(address: std::net::SocketAddr) -> Client {
    let mut client = Client::connect(address);
    client.send(REQUEST);
    assert_eq!(client.receive().status, 200);
    client
}

#[test]
fn the_option_limits_the_connections_of_one_address() {
    let served = ServerProcess::with_snapshots(None, &["--connections-per-address", "3"]);
    let mut clients: Vec<Client> = (0..3).map(|_| keep_alive(served.address)).collect();
    let answer = ask(served.address, "GET /healthz");
    answer.expect_error(503, "too_many_connections", None);
    let detail = answer.json()["detail"].as_str().map(str::to_owned);
    assert!(detail.is_some_and(|detail| {
        detail.contains("your address has reached its limit of 3 connections")
    }));
    for client in &mut clients {
        client.send(REQUEST);
        assert_eq!(client.receive().status, 200, "the open connections stay usable");
    }
    clients.pop();
    wait_until("a new connection to be accepted", || {
        ask(served.address, "GET /healthz").status == 200
    });
}

#[test]
fn the_limit_of_one_address_can_be_turned_off() {
    for off in ["0", "off"] {
        let served = ServerProcess::with_snapshots(None, &["--connections-per-address", off]);
        let _clients: Vec<Client> = (0..1100).map(|_| keep_alive(served.address)).collect();
        assert_eq!(ask(served.address, "GET /healthz").status, 200);
    }
}

#[test]
fn the_longest_idle_connection_is_closed_for_a_new_one() {
    let config = ServerConfig { connections_max: 3, ..ServerConfig::default() };
    let local = InProcessServer::start(config);
    let first = Attacker::connect(local.address);
    // The server accepts the connection a little after `connect` returns.
    std::thread::sleep(2 * IDLE_TIME_MIN);
    let second = Attacker::connect(local.address);
    let mut last = keep_alive(local.address);
    assert_eq!(ask(local.address, "GET /healthz").status, 200);
    assert_eq!(local.metrics.connections_gave_way.load(Relaxed), 1);
    // The thread that owns the connection closes it, possibly a little later.
    wait_until("the first connection to be closed", || first.is_closed());
    assert!(!second.is_closed());
    last.send(REQUEST);
    assert_eq!(last.receive().status, 200);
}

#[test]
fn many_simultaneous_connections_are_all_accepted() {
    let served = ServerProcess::with_snapshots(None, &["--connections-per-address", "off"]);
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
