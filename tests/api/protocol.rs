//! The protocols: keep-alive, pipelining and malformed requests of HTTP/1, and HTTP/2 by prior knowledge.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper_util::client::legacy::Client as Http2;
use hyper_util::rt::TokioExecutor;

use crate::support::{Client, NEWEST, ServerProcess, ask};

fn head(served: &ServerProcess, target: &str) -> String {
    format!("GET {target} HTTP/1.1\nHost: x\nAuthorization: Token {}", served.secret)
}

#[test]
fn a_connection_stays_open_until_the_client_asks_to_close_it() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    for target in ["/v1/postalcode/1000001", "/v1/postalcode/x", "/nothing", "/v1/whoami"] {
        client.send(&head(&served, target));
        let answer = client.receive();
        assert_eq!(answer.header("connection"), None, "{target}");
    }
    client.send(&format!("{}\nConnection: close", head(&served, "/v1/whoami")));
    assert_eq!(client.receive().header("connection"), Some("close"));
    assert!(client.is_closed());
}

#[test]
fn http_1_0_is_answered_and_closed() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    client.send(&format!("GET /v1/whoami HTTP/1.0\nAuthorization: Token {}", served.secret));
    assert_eq!(client.receive().status, 200);
    assert!(client.is_closed());
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    let targets =
        ["/v1/postalcode/1000001", "/nothing", "/v1/whoami", "/v1/postalcode/9999999"].repeat(50);
    let text: String = targets
        .iter()
        .map(|target| head(&served, target).replace('\n', "\r\n") + "\r\n\r\n")
        .collect();
    let expected = [200, 404, 200, 404].repeat(50);
    assert!(client.send_bytes(text.as_bytes()));
    for (target, status) in targets.iter().zip(expected) {
        assert_eq!(client.receive().status, status, "{target}");
    }
}

#[test]
fn a_request_may_arrive_in_small_pieces() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    let text = head(&served, "/v1/postalcode/1000001").replace('\n', "\r\n") + "\r\n\r\n";
    for piece in text.as_bytes().chunks(7) {
        assert!(client.send_bytes(piece));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(client.receive().status, 200);
}

#[test]
fn an_absolute_target_and_an_unknown_host_are_answered() {
    let served = ServerProcess::start();
    let target = format!("http://{}/v1/whoami", served.address);
    assert_eq!(served.get(&target).status, 200);
    assert_eq!(ask(served.address, "GET http://else.example/healthz").status, 200);
}

#[test]
fn malformed_http_is_400_with_the_usual_error_body() {
    let served = ServerProcess::start();
    for garbage in [
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3} a TLS hello\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\u{0}c\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ] {
        let mut client = Client::connect(served.address);
        client.send_bytes(garbage.as_bytes());
        client.receive().expect_error(400, "malformed_request", None);
        assert!(client.is_closed());
    }
}

#[test]
fn an_http_1_1_request_needs_exactly_one_host() {
    let served = ServerProcess::start();
    for (hosts, found) in [("", "found none"), ("Host: x\r\nHost: x\r\n", "found it twice")] {
        let mut client = Client::connect(served.address);
        let two = format!("GET /healthz HTTP/1.1\r\n{hosts}\r\n").repeat(2);
        assert!(client.send_bytes(two.as_bytes()));
        let answer = client.receive();
        answer.expect_error(400, "malformed_request", None);
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(answer.text().contains(found), "{}", answer.text());
        assert!(client.is_closed(), "a request after the malformed one was answered");
    }
}

#[test]
fn a_line_may_end_without_carriage_return() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    assert!(client.send_bytes(b"GET /healthz HTTP/1.1\nHost: x\n\n"));
    assert_eq!(client.receive().status, 200);
}

/// A plain request and one that hyper reads, see `server/http1`.
#[test]
fn an_answer_does_not_depend_on_who_reads_the_request() {
    let served = ServerProcess::start();
    let many = format!("/v1/cities?{}", "a=b&".repeat(200));
    for target in [
        "/v1/postalcode/1000001",
        "/v1/postalcode/x",
        "/v1/postalcode/?q=%E5%8D%83%E4%BB%A3%E7%94%B0&limit=3",
        "/v1/postalcode/?t=%E5%8D%83%E4%BB%A3%E7%94%B0&limit=100",
        "/v1/cities/13",
        "/nothing",
        "/v1/whoami",
        "/openapi.json",
        "/",
        &many,
    ] {
        let ask = |header: &str| {
            let mut client = Client::connect(served.address);
            client.send(&format!("{}{header}", head(&served, target)));
            let mut answer = client.receive();
            // The time of the answer, and the processor time that a test server reports.
            answer.headers.retain(|(name, _)| name != "date" && name != "daicho-thread-time");
            (answer.status, answer.headers, String::from_utf8_lossy(&answer.body).into_owned())
        };
        for header in
            ["", "\nAccept-Encoding: gzip", "\nIf-None-Match: *", "\nOrigin: https://x.example"]
        {
            let [plain, other] = [ask(header), ask(&format!("{header}\nTE: trailers"))];
            assert_eq!((plain.0, &plain.1), (other.0, &other.1), "{target} {header:?}");
            assert!(plain.2 == other.2, "{target} {header:?}");
        }
    }
}

#[test]
fn requests_that_are_plain_and_others_share_a_connection() {
    let served = ServerProcess::start();
    let mut client = Client::connect(served.address);
    let look_up = head(&served, "/v1/postalcode/1000001");
    for _ in 0..2 {
        for other in ["", "\nTE: trailers", "\nContent-Length: 0", "\nConnection: keep-alive"] {
            client.send(&format!("{look_up}{other}"));
            let answer = client.receive();
            assert_eq!((answer.status, answer.header("connection")), (200, None), "{other:?}");
        }
        // A page of the dashboard is never ready at once.
        client.send("GET /dashboard/login HTTP/1.1\nHost: x");
        client.receive();
        let (first, last) = look_up.split_at(20);
        assert!(client.send_bytes(first.as_bytes()));
        std::thread::sleep(std::time::Duration::from_millis(5));
        client.send(last);
        assert_eq!(client.receive().status, 200);
    }
}

/// What a client sends beside or after a plain request must not be read as another request.
#[test]
fn a_plain_request_hides_no_other() {
    let served = ServerProcess::start();
    let look_up = head(&served, "/v1/postalcode/1000001").replace('\n', "\r\n");
    let hidden = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n";
    for (headers, statuses) in [
        (format!("\r\nContent-Length: {}", hidden.len()), &[200, 200][..]),
        ("\r\nTransfer-Encoding: chunked".to_owned(), &[400]),
        (format!("\r\nContent-Length: 0\r\nContent-Length: {}", hidden.len()), &[400]),
        // Two requests: the second one is answered as such.
        (String::new(), &[200, 404, 200]),
    ] {
        let mut client = Client::connect(served.address);
        assert!(client.send_bytes(format!("{look_up}{headers}\r\n\r\n{hidden}").as_bytes()));
        let end = format!("{look_up}\r\nConnection: close\r\n\r\n");
        client.send_bytes(end.as_bytes());
        let answers = std::iter::from_fn(|| client.receive_any(true));
        let found: Vec<u16> = answers.map(|answer| answer.status).collect();
        assert_eq!(found, statuses, "{headers:?}");
    }
}

#[tokio::test]
async fn http_2_by_prior_knowledge() {
    let served = ServerProcess::start();
    let client: Http2<_, Empty<Bytes>> =
        Http2::builder(TokioExecutor::new()).http2_only(true).build_http();
    let ask = |method: &str, target: &str| {
        let request = Request::builder()
            .method(method)
            .uri(format!("http://{}{target}", served.address))
            .header("authorization", format!("Token {}", served.secret))
            .body(Empty::new())
            .expect("a request");
        client.request(request)
    };
    let answer = ask("GET", "/v1/postalcode/1000001").await.expect("an answer");
    assert_eq!((answer.status().as_u16(), answer.version()), (200, hyper::Version::HTTP_2));
    assert_eq!(answer.headers()["api-version"], NEWEST);
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["data"][0]["town"], "千代田");
    let head = ask("HEAD", "/v1/postalcode/1000001").await.expect("an answer");
    assert!(head.headers().contains_key("content-length"));
    assert!(head.into_body().collect().await.expect("no body").to_bytes().is_empty());
    assert_eq!(ask("POST", "/v1/whoami").await.expect("an answer").status(), 405);
    let long = format!("/v1/postalcode/{}", "1".repeat(33_000));
    assert_eq!(ask("GET", &long).await.expect("an answer").status(), 414);
    // Many simultaneous requests on one connection.
    let many: Vec<_> = (0..100).map(|_| tokio::spawn(ask("GET", "/v1/cities/13"))).collect();
    for one in many {
        assert_eq!(one.await.expect("joined").expect("an answer").status(), 200);
    }
}
