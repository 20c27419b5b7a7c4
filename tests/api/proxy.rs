//! Behind a proxy: the client's address from `X-Forwarded-For`, `Forwarded` and the PROXY protocol, in `/v1/whoami`, the
//! log and the bound of connections; the caller in the log; and wrong options.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use crate::support::{Answer, Client, ServerProcess, ask, sample, wait_until};

const TRUSTED: &[&str] = &["--trusted-proxy", "127.0.0.1,10.0.0.0/8"];

fn serve(arguments: &[&str]) -> ServerProcess {
    ServerProcess::with_snapshots(Some(sample()), arguments)
}

fn address_in(answer: &Answer) -> String {
    answer.json()["remote_addr"]["address"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer:?}"))
        .to_owned()
}

#[test]
fn a_trusted_proxy_names_the_client() {
    let served = serve(TRUSTED);
    for (headers, expected) in [
        ("", "127.0.0.1"),
        ("X-Forwarded-For: 203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("X-Forwarded-For: [2001:db8::1]:8080", "2001:db8::1"),
        ("X-Forwarded-For: 198.51.100.1, unknown", "127.0.0.1"),
        ("Forwarded: for=203.0.113.9, for=\"[2001:db8::7]:4711\";proto=https", "2001:db8::7"),
        ("Forwarded: for=198.51.100.1\nForwarded: for=\"10.0.0.2:_x\"", "198.51.100.1"),
        ("Forwarded: for=_hidden", "127.0.0.1"),
        ("Forwarded: for=\"198.51.100.1", "127.0.0.1"),
        ("X-Forwarded-For: 198.51.100.1\nForwarded: for=203.0.113.9", "198.51.100.1"),
    ] {
        assert_eq!(address_in(&served.get_with("/v1/whoami", headers)), expected, "{headers}");
    }
    let kind = served.get_with("/v1/whoami", "X-Forwarded-For: 2001:db8::1").json();
    assert_eq!(kind["remote_addr"]["type"], "v6");
    served.get_with("/v1/bank/0001", "X-Forwarded-For: 192.0.2.77");
    served.wait_for_log("\"remote\":\"192.0.2.77\"");
    let other = serve(&["--trusted-proxy", "10.0.0.0/8"]);
    let headers = "X-Forwarded-For: 198.51.100.1\nForwarded: for=198.51.100.1";
    assert_eq!(address_in(&other.get_with("/v1/whoami", headers)), "127.0.0.1");
}

#[test]
fn requests_through_a_proxy_are_bound_for_each_client() {
    let served = serve(&[TRUSTED, &["--connections-per-address", "2"]].concat());
    // A batch whose body does not arrive is in progress.
    let begin = |client: &str| {
        let mut connection = Client::connect(served.address);
        connection.send(&format!(
            "POST /v1/batch/postalcode/search HTTP/1.1\nHost: test\nAuthorization: Token {}\n\
             Content-Type: application/json\nContent-Length: 100\nX-Forwarded-For: {client}",
            served.batch
        ));
        connection
    };
    let status =
        |client: &str| served.get_with("/v1/whoami", &format!("X-Forwarded-For: {client}")).status;
    let mut held = Vec::new();
    wait_until("the bound", || {
        // One of these may come while a request for the status is counted, and is refused.
        held.push(begin("203.0.113.9, 198.51.100.1"));
        status("198.51.100.1") == 503
    });
    let refused = served.get_with("/v1/whoami", "X-Forwarded-For: 198.51.100.1");
    refused.expect_error(503, "too_many_connections", None);
    assert_eq!(status("198.51.100.2"), 200);
    // The proxy itself, such as its health checks, is not bound.
    assert_eq!(served.get("/v1/whoami").status, 200);
    drop(held);
    wait_until("the end of the requests", || status("198.51.100.1") == 200);
}

#[test]
fn the_log_names_the_key_the_agent_and_the_trace() {
    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let served = ServerProcess::start();
    let headers = format!("User-Agent: shop/1.0 \"京\" {}\ntraceparent: {TRACE}", served.public);
    served.get_with("/v1/bank/0001", &headers);
    served.get_with("/v1/bank/0002", "traceparent: 00-0-0-01");
    ask(served.address, "GET /nothing");
    let line = |path: &str| -> serde_json::Value {
        let log = served.wait_for_log(&format!("\"path\":\"{path}\""));
        let line = log.lines().find(|line| line.contains(path)).expect("a line");
        serde_json::from_str(line).expect("JSON")
    };
    let first = line("/v1/bank/0001");
    let listed = served.run("key list --json");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let all: Vec<serde_json::Value> = serde_json::from_str(&listed).expect("JSON");
    let is_own = |key: &&serde_json::Value| {
        served.secret.starts_with(key["beginning"].as_str().expect("a beginning"))
    };
    let own: Vec<&serde_json::Value> = all.iter().filter(is_own).collect();
    assert_eq!(own.len(), 1, "{listed}");
    assert_eq!(first["key"], own[0]["id"], "{first}");
    assert_eq!(first["traceparent"], TRACE);
    let agent = first["user_agent"].as_str().expect("an agent");
    assert!(agent.starts_with("shop/1.0 \"%E4%BA%AC\" dk_pub_"), "{agent}");
    assert!(line("/v1/bank/0002").get("traceparent").is_none());
    let nothing = line("/nothing");
    assert!(nothing.get("key").is_none() && nothing.get("user_agent").is_none(), "{nothing}");
    let log = served.logged();
    assert!(!log.contains(&served.secret) && !log.contains(&served.public), "{log}");
}

const PROXY_PROTOCOL: &[&str] = &["--proxy-protocol", "--trusted-proxy", "127.0.0.1,10.0.0.0/8"];

/// The answer to a request for the own address after these bytes; empty if the server closes the connection.
fn whoami_after(address: SocketAddr, key: &str, bytes: &[u8], headers: &str) -> String {
    let mut tcp = TcpStream::connect(address).expect("listens");
    let request = format!(
        "GET /v1/whoami HTTP/1.1\r\nHost: test\r\nAuthorization: Token {key}\r\n{headers}Connection: close\r\n\r\n"
    );
    let _ = tcp.write_all(&[bytes, request.as_bytes()].concat());
    let mut answer = Vec::new();
    let _ = tcp.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn version_2(source: [u8; 4]) -> Vec<u8> {
    let fixed = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c";
    [&fixed[..], &source, &[10, 0, 0, 1, 0x1f, 0x90, 0, 80]].concat()
}

#[test]
fn the_proxy_protocol_names_the_client() {
    let served = serve(PROXY_PROTOCOL);
    let whoami =
        |bytes: &[u8], headers: &str| whoami_after(served.address, &served.secret, bytes, headers);
    let one = whoami(&version_2([198, 51, 100, 1]), "");
    assert!(one.ends_with("{\"type\":\"v4\",\"address\":\"198.51.100.1\"}}"), "{one}");
    let text = whoami(b"PROXY TCP6 2001:db8::7 ::1 8080 80\r\n", "");
    assert!(text.contains("\"2001:db8::7\""), "{text}");
    // The client that the header names is no proxy: what it writes itself does not count.
    let forged = whoami(&version_2([198, 51, 100, 1]), "X-Forwarded-For: 203.0.113.9\r\n");
    assert!(forged.contains("\"198.51.100.1\""), "{forged}");
    // It names another proxy, which speaks HTTP.
    let chained = whoami(&version_2([10, 0, 0, 9]), "X-Forwarded-For: 203.0.113.9\r\n");
    assert!(chained.contains("\"203.0.113.9\""), "{chained}");
    let local = whoami(b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", "");
    assert!(local.contains("\"127.0.0.1\""), "{local}");
    served.wait_for_log("\"remote\":\"198.51.100.1\"");
    let none = whoami(b"", "");
    assert!(none.starts_with("HTTP/1.1 400") && none.contains("before the request"), "{none}");
    let log = served.wait_for_log("refused a connection");
    assert!(
        log.contains("expected a header of the PROXY protocol, version 1 or 2; found"),
        "{log}"
    );
    assert!(log.contains("send-proxy-v2"), "{log}");
    let health = |more: &[&str]| {
        let url = format!("http://{}", served.address);
        let command =
            Command::new(env!("CARGO_BIN_EXE_daicho")).args(["health", &url]).args(more).output();
        command.expect("runs").status.code()
    };
    assert_eq!(health(&["--proxy-protocol"]), Some(0));
    assert_eq!(health(&[]), Some(1));
}

#[test]
fn the_header_of_an_untrusted_peer_is_read_and_ignored() {
    let served = serve(&["--proxy-protocol", "--trusted-proxy", "10.0.0.0/8"]);
    let found = whoami_after(served.address, &served.secret, &version_2([198, 51, 100, 1]), "");
    assert!(found.contains("\"127.0.0.1\""), "{found}");
}

#[test]
fn connections_count_for_the_client_of_the_proxy_protocol() {
    let served = serve(&[PROXY_PROTOCOL, &["--connections-per-address", "2"]].concat());
    // A connection that has had an answer is counted, and stays open.
    let open = |client: u8| {
        let mut tcp = TcpStream::connect(served.address).expect("listens");
        let request = b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n";
        tcp.write_all(&[&version_2([198, 51, 100, client]), &request[..]].concat()).expect("sent");
        let mut start = [0; 12];
        tcp.read_exact(&mut start).expect("an answer");
        assert_eq!(&start, b"HTTP/1.1 200");
        tcp
    };
    let held = [open(1), open(1)];
    let whoami = |client| {
        whoami_after(served.address, &served.secret, &version_2([198, 51, 100, client]), "")
    };
    let refused = whoami(1);
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(whoami(2).starts_with("HTTP/1.1 200"));
    drop(held);
    wait_until("room", || whoami(1).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_header_that_does_not_arrive_ends_the_connection() {
    let served = serve(PROXY_PROTOCOL);
    let mut tcp = TcpStream::connect(served.address).expect("listens");
    tcp.write_all(b"\r\n\r\n\0").expect("sent");
    let mut answer = String::new();
    tcp.read_to_string(&mut answer).expect("the end");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    served.wait_for_log("within 5 seconds; found nothing complete");
}

#[test]
fn wrong_options_are_refused_by_name() {
    for (arguments, parts) in [
        (&["--proxy-protocol"][..], &["--proxy-protocol needs", "--trusted-proxy"][..]),
        (&["--trusted-proxy", "proxy.example"], &["found \"proxy.example\"", "unix"]),
        (&["--trusted-proxy", "10.0.0.1/8"], &["10.0.0.0/8"]),
        (&["--listen", "unix:"], &["--listen: expected a path", "found none"]),
        (&["--listen", "unix:@x"], &["abstract name"]),
        (&["--socket-mode", "888"], &["three octal digits"]),
        (&["--public-url", "ftp://host/daicho"], &["--public-url", "http://"]),
        (&["--public-url", "https://host.example/a?b"], &["--public-url", "query"]),
        (&["--public-url", "https://host.example/a;b"], &["--public-url", "found ';'"]),
        (&["--public-url", "https://host.example/a//b"], &["--public-url", "found several"]),
        (&["--public-url", "https://host.example/v1"], &["--public-url", "found /v1", "/daicho"]),
        (&["--public-url", "https://host.example/docs/x"], &["--public-url", "found /docs/x"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .arg("serve")
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: {message}");
        }
    }
}
