//! A single delivery attempt against receivers that accept, refuse, redirect, stay silent or send malformed responses;
//! private addresses are never connected to. No store and no server takes part.

use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use daicho::radar::webhook::attempt::{
    ATTEMPT_TIME_MAX, AllowedAddresses, AttemptFault, Message, Sender, is_success,
};
use daicho::radar::webhook::{AttemptResult, DeliveryId, Secret, Secrets, WebhookUrl};

use super::receiver::{Receiver, read};

const BODY: &str =
    r#"{"url":"https://api.example/v1/houjinbangou/radar/2026-08-04","date":"2026-08-04"}"#;

fn secret() -> Secret {
    Secret::from_random([9; 32])
}

fn attempt(sender: &Sender, url: &str) -> AttemptResult {
    let id = DeliveryId::from_random([5; 15]);
    let secrets = Secrets { current: secret(), previous: None };
    let signatures = secrets.sign(&id, 1_785_800_000, BODY.as_bytes());
    let url = WebhookUrl::parse(url).expect("a URL");
    let body = BODY.to_owned();
    let message = Message { url, id, timestamp: 1_785_800_000, signatures, body };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(sender.send(&message))
}

fn anywhere() -> Sender {
    Sender::new(AllowedAddresses::Any, ATTEMPT_TIME_MAX)
}

#[test]
fn a_message_is_a_signed_post_of_json() {
    let receiver = Receiver::willing();
    let url = format!("http://{}/hook/%E5%8F%97?a=b", receiver.address);
    assert_eq!(attempt(&anywhere(), &url).expect("a status"), 204);
    let received = receiver.received();
    let [request] = &received[..] else { panic!("{received:?}") };
    assert_eq!(request.line, "POST /hook/%E5%8F%97?a=b HTTP/1.1");
    assert_eq!(request.header("host"), receiver.address.to_string());
    assert_eq!(request.header("content-type"), "application/json");
    assert_eq!(request.header("webhook-id"), "msg_aucqkbifaucqkbifaucqkbif");
    assert_eq!(request.header("webhook-timestamp"), "1785800000");
    assert!(request.header("user-agent").starts_with("daicho/"));
    assert_eq!(request.body, BODY);
    assert!(request.is_signed_with(&secret().reveal()));
    assert!(!request.is_signed_with(&Secret::from_random([8; 32]).reveal()));
}

#[test]
fn the_status_decides_whether_a_delivery_succeeded() {
    for (answer, status) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200),
        ("HTTP/1.1 202 Accepted\r\n\r\n", 202),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n", 201),
        // The body is shorter than declared, but the status is complete.
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nok", 200),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno chunk", 200),
        ("HTTP/1.1 410 Gone\r\n\r\n", 410),
        ("HTTP/1.1 500 Internal Server Error\r\n\r\n", 500),
    ] {
        let receiver = Receiver::start(move |_number| answer);
        assert_eq!(attempt(&anywhere(), &receiver.url()).expect("a status"), status, "{answer}");
    }
    for (status, taken) in [(199, false), (200, true), (204, true), (299, true), (300, false)] {
        assert_eq!(is_success(status), taken, "{status}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let (inner, outer) = (Receiver::willing(), TcpListener::bind("127.0.0.1:0").expect("a port"));
    let (address, target) = (outer.local_addr().expect("bound"), inner.url());
    thread::spawn(move || {
        let (mut tcp, _) = outer.accept().expect("a connection");
        read(&mut tcp).expect("a request");
        let answer = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {target}\r\n\r\n");
        tcp.write_all(answer.as_bytes()).expect("written");
    });
    assert_eq!(attempt(&anywhere(), &format!("http://{address}/")).expect("a status"), 307);
    assert!(inner.received().is_empty());
}

#[test]
fn a_malformed_answer_is_an_error_that_says_so() {
    #[track_caller]
    fn check(answer: &'static str) {
        let receiver = Receiver::start(move |_number| answer);
        let fault = attempt(&anywhere(), &receiver.url()).expect_err(answer);
        assert!(matches!(fault, AttemptFault::Http(_)), "{answer}: {fault}");
    }
    check("");
    check("SSH-2.0-OpenSSH_9.2\r\n");
    check("HTTP/1.1 abc\r\n\r\n");
    check("HTTP/1.1 200 OK\r\nhalf a he");
    let long = Receiver::with(|mut tcp, _received| {
        read(&mut tcp);
        let _ = tcp.write_all(b"HTTP/1.1 200 OK\r\n");
        while tcp.write_all(b"x-padding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n").is_ok() {
        }
    });
    let fault = attempt(&anywhere(), &long.url()).expect_err("a head without end");
    assert!(matches!(fault, AttemptFault::Http(_)), "{fault}");
}

#[test]
fn a_refused_connection_is_an_error_that_names_the_address() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
    let fault = attempt(&anywhere(), &format!("http://{closed}/")).expect_err("connection refused");
    assert!(fault.to_string().starts_with(&format!("cannot connect to {closed}")), "{fault}");
    let fault = attempt(&anywhere(), "http://nobody.invalid/").expect_err("no such name");
    assert!(matches!(fault, AttemptFault::Resolve(_)), "{fault}");
}

#[test]
fn a_silent_or_slow_receiver_times_out() {
    let sender = || Sender::new(AllowedAddresses::Any, Duration::from_millis(300));
    let stage = |fault| match fault {
        AttemptFault::TimedOut { stage, .. } => stage,
        other => panic!("{other}"),
    };
    // The kernel accepts the connection; no process reads from it.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("bound"));
    let fault = attempt(&sender(), &url).expect_err("silence");
    assert!(fault.to_string().starts_with("expected a response within 0.3 s"), "{fault}");
    assert_eq!(stage(fault), "waiting for the response");
    let secure = url.replace("http:", "https:");
    assert_eq!(stage(attempt(&sender(), &secure).expect_err("silence")), "securing the connection");
    let dribbling = Receiver::with(|mut tcp, _received| {
        read(&mut tcp);
        for byte in b"HTTP/1.1 200 OK\r\n\r\n" {
            let _ = tcp.write_all(&[*byte]);
            thread::sleep(Duration::from_millis(50));
        }
    });
    assert_eq!(
        stage(attempt(&sender(), &dribbling.url()).expect_err("too slow")),
        "waiting for the response"
    );
}

#[test]
fn an_endless_body_delays_nothing() {
    let endless = Receiver::with(|mut tcp, _received| {
        read(&mut tcp);
        let _ = tcp.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        while tcp.write_all(b"8\r\nendless!\r\n").is_ok() {}
    });
    assert_eq!(attempt(&anywhere(), &endless.url()).expect("a status"), 200);
    let stalled = Receiver::with(|mut tcp, _received| {
        read(&mut tcp);
        let _ = tcp.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n");
        thread::sleep(Duration::from_secs(3600));
    });
    assert_eq!(attempt(&anywhere(), &stalled.url()).expect("a status"), 200);
    // The time limit of the attempt ends while the body is read: the receiver has the event nevertheless.
    let brief = Sender::new(AllowedAddresses::Any, Duration::from_millis(300));
    let open = Receiver::with(|mut tcp, _received| {
        read(&mut tcp);
        let _ = tcp.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\n");
        thread::sleep(Duration::from_secs(3600));
    });
    assert_eq!(attempt(&brief, &open.url()).expect("a status"), 202);
}

#[test]
fn only_public_addresses_are_connected_to() {
    let receiver = Receiver::willing();
    let port = receiver.address.port();
    let sender = Sender::new(AllowedAddresses::Public, ATTEMPT_TIME_MAX);
    let fault = attempt(&sender, &format!("http://localhost:{port}/")).expect_err("not public");
    let text = fault.to_string();
    assert!(matches!(fault, AttemptFault::NameNotPublic), "{text}");
    assert!(!text.contains("127.0.0.1") && !text.contains("this machine"), "{text}");
    let fault = attempt(&anywhere(), "http://localhost:9/").expect_err("nobody listens");
    let text = fault.to_string();
    assert!(text.contains("cannot connect to localhost:9: ") && !text.contains("127.0."), "{text}");
    for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "127.1"] {
        let fault = attempt(&sender, &format!("http://{host}:{port}/")).expect_err(host);
        assert!(matches!(fault, AttemptFault::NotPublic(_)), "{host}: {fault}");
    }
    for host in ["169.254.169.254", "10.0.0.1", "0.0.0.0", "[fe80::1]", "[64:ff9b::7f00:1]"] {
        let fault = attempt(&sender, &format!("http://{host}/")).expect_err(host);
        assert!(fault.to_string().contains("expected a public address"), "{host}: {fault}");
    }
    assert!(receiver.received().is_empty(), "no connection");
}
