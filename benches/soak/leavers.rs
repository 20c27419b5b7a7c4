//! Slow clients, clients that leave in the middle, and clients that do not speak HTTP.
//!
//! Clients that leave are not checked themselves: the server must survive them and free their resources. The responses
//! to slow clients are checked.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

use crate::client::{Answer, Client};
use crate::questions::{Expected, fault, head, summary};
use crate::seeded::SeededRandom;
use crate::tally::Load;

const LOOK_UP: &str = "/v1/postalcode/1000001";
const SEARCH: &str = "/v1/postalcode/?q=東京都&limit=100";
const BATCH: &str = "/v1/batch/postalcode/search";

/// One visit of a client, chosen at random: slow, broken off, or not HTTP.
pub fn visit(load: &Load, seeded: &mut SeededRandom) {
    let pause = || sleep(Duration::from_millis(100));
    match seeded.below(40) {
        0 => return waits_with_half_a_body(load),
        1..5 => return sends_slowly(load),
        _ => {}
    }
    let key = Some(load.key.as_str());
    let Ok(mut tcp) = TcpStream::connect(load.address) else {
        return load.tally.count_wrong("slow client", "cannot connect".to_owned());
    };
    load.tally.abandoned.fetch_add(1, Ordering::Relaxed);
    // Ignore errors: the server may have closed the connection.
    let mut send = |bytes: &[u8]| _ = tcp.write_all(bytes);
    match seeded.below(6) {
        // Half a head.
        0 => send(&head("GET", LOOK_UP, key).as_bytes()[..30]),
        // A part of a body.
        1 => {
            let head = head("POST", BATCH, key) + "Content-Length: 50000\r\n\r\n{\"queries\":[";
            send(head.as_bytes());
        }
        // Several long responses, none of them read: the connection is reset.
        2 => send((head("GET", SEARCH, key) + "\r\n").repeat(8).as_bytes()),
        // A long response, only its beginning read.
        3 => {
            send((head("GET", SEARCH, key) + "\r\n").as_bytes());
            let _ = tcp.read(&mut [0; 1000]);
        }
        // The beginning of TLS, and a line that is not HTTP.
        4 => send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        _ => send(b"GET  \x00 nothing\r\n\r\n"),
    }
    pause();
}

/// Sends a request byte by byte; it must get the normal response.
fn sends_slowly(load: &Load) {
    let text = head("GET", LOOK_UP, Some(&load.key)) + "Connection: close\r\n\r\n";
    let mut client = Client::connect(load.address);
    for byte in text.as_bytes() {
        client.send_bytes(&[*byte]);
        sleep(Duration::from_millis(10));
    }
    let is_right = |answer: &Answer| answer.status == 200 && answer.text().contains("千代田");
    check(load, client.receive_any(true), is_right);
}

/// Sends half a body and waits for the error response.
fn waits_with_half_a_body(load: &Load) {
    let mut client = Client::connect(load.address);
    let head = head("POST", BATCH, Some(&load.key)) + "Content-Length: 1000\r\n\r\n{\"queries\":[";
    client.send_bytes(head.as_bytes());
    let expected = Expected::Error(408, "request_timeout");
    check(load, client.receive_any(true), |answer| fault(&expected, answer).is_none());
}

fn check(load: &Load, answer: Option<Answer>, is_right: impl Fn(&Answer) -> bool) {
    load.tally.answers.fetch_add(1, Ordering::Relaxed);
    match answer {
        Some(answer) if is_right(&answer) => {}
        Some(answer) => load.tally.count_wrong("slow client", summary(&answer)),
        None => load.tally.count_wrong("slow client", "no answer".to_owned()),
    }
}
