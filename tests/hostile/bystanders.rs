//! Connections of others while a crowd holds all the memory of connections: none is closed, and each is answered.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::attacker::{Attacker, crowd_size};
use crate::http2::{GOAWAY, HEADERS, frame, frames, get, hello};
use crate::support::{Client, ServerProcess, ask, wait_until};

/// Connections of the crowd. A part of them fills the memory of connections.
const CROWD: usize = 2000;

/// As many as a connection may have.
const STREAMS: u32 = 32;

const REQUEST: &str = "GET /healthz HTTP/1.1\nHost: x";

/// Ends the loop of another thread, also if this one panics.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// How often connections were closed because all together held too much, or a client did not read.
fn cut(served: &ServerProcess) -> u64 {
    let metrics = ask(served.address, "GET /metrics").text();
    let line = metrics.lines().find(|line| line.starts_with("daicho_connections_cut_total"));
    let value = line.and_then(|line| line.split(' ').next_back());
    value.and_then(|value| value.parse().ok()).expect("a counter")
}

#[test]
fn a_crowd_with_a_window_of_zero_closes_no_connection_of_others() {
    let options = ["--connections-per-address", "off", "--keyless-rate", "off"];
    let served = ServerProcess::with_snapshots(None, &options);
    let mut idle_http1: Vec<Client> = (0..10).map(|_| Client::connect(served.address)).collect();
    let mut idle_http2: Vec<Attacker> =
        (0..10).map(|_| Attacker::connect(served.address)).collect();
    for client in &mut idle_http1 {
        client.send(REQUEST);
        assert_eq!(client.receive().status, 200);
    }
    for client in &mut idle_http2 {
        assert!(client.send(&[hello(65_535), get(1, "/healthz")].concat()));
    }
    let is_over = AtomicBool::new(false);
    let mut crowd: Vec<Attacker> = Vec::new();
    std::thread::scope(|scope| {
        let ends_busy = EndOnDrop(&is_over);
        let busy = scope.spawn(|| {
            let mut client = Client::connect(served.address);
            let (mut answers, mut longest) = (0, Duration::ZERO);
            while !is_over.load(Relaxed) {
                let started = Instant::now();
                client.send(REQUEST);
                assert_eq!(client.receive().status, 200);
                answers += 1;
                longest = longest.max(started.elapsed());
            }
            (answers, longest)
        });
        let requests = (0..STREAMS).map(|at| get(2 * at + 1, "/docs/errors"));
        let stalled = [vec![hello(0)], requests.collect()].concat().concat();
        for _ in 0..crowd_size(CROWD) {
            let mut attacker = Attacker::connect(served.address);
            attacker.push(&stalled);
            crowd.push(attacker);
        }
        wait_until("connections of the crowd to be closed", || cut(&served) > 0);
        drop(ends_busy);
        let (answers, longest) = busy.join().expect("each is answered on the same connection");
        println!("{answers} answers to another client meanwhile, the latest after {longest:?}");
    });
    for client in &mut idle_http1 {
        client.send(REQUEST);
        assert_eq!(client.receive().status, 200);
    }
    for client in &mut idle_http2 {
        let end = frame(GOAWAY, 0, 0, &[0; 8]);
        assert!(client.send(&[get(3, "/healthz"), end].concat()));
        let sent = client.read_to_end();
        let answers = frames(&sent).iter().filter(|(kind, _)| *kind == HEADERS).count();
        assert_eq!(answers, 2, "an idle connection of HTTP/2 is still served");
    }
}
