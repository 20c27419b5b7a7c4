//! `POST /v1/batch/postalcode/search`: answers, errors, limits, time limits and clients that disconnect.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytes::Bytes;
use daicho::api::limits::{BATCH_BODY_BYTES_MAX, BATCH_QUERIES_MAX, BATCH_TEXT_BYTES_MAX};
use daicho::server::limits::Timeouts;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client as Http2;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use crate::support::{
    Answer, Client, InProcessServer, NEWEST, ServerProcess, ask, post, short_timeouts, wait_until,
};

const PATH: &str = "/v1/batch/postalcode/search";

const CHIYODA: &str = "東京都千代田区千代田1-1";

fn batch(served: &ServerProcess, body: &Value) -> Answer {
    served.post(PATH, body.to_string())
}

#[test]
fn answers_are_in_the_order_of_the_queries() {
    let served = ServerProcess::start();
    let body = json!({
        "default_q": "_type:1",
        "queries": [
            {"t": CHIYODA},
            {"t": "no address", "limit": 5},
            {"t": CHIYODA, "q": "prefecture:大阪", "limit": 100, "id": "passed over"},
            {"t": "東京都", "q": null, "limit": null},
        ],
        "something": {"else": []},
    });
    for path in [PATH.to_owned(), format!("{PATH}/?version=2026-06-30")] {
        let answer = served.post(&path, body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let found = answer.json();
        assert_eq!(found["version"], "2026-06-30");
        assert_eq!(found["params"], json!({"default_q": "_type:1", "default_limit": 1}));
        let text = answer.text();
        assert!(
            text.starts_with("{\"version\":\"2026-06-30\",\"params\":{\"default_q\":"),
            "{text}"
        );
        let records = found["records"].as_array().expect("a list");
        assert_eq!(records.len(), 4);
        let asked: Vec<(&Value, &Value, &Value)> = records
            .iter()
            .map(|record| (&record["query"]["t"], &record["query"]["q"], &record["limit"]))
            .collect();
        let (chiyoda, kind, tokyo) = (json!(CHIYODA), json!("_type:1"), json!("東京都"));
        assert_eq!(asked[0], (&chiyoda, &kind, &json!(1)));
        assert_eq!(asked[1], (&json!("no address"), &kind, &json!(5)));
        assert_eq!(asked[2], (&chiyoda, &json!("prefecture:大阪"), &json!(100)));
        assert_eq!(asked[3], (&tokyo, &kind, &json!(1)));
        for record in records {
            assert_eq!(record.as_object().map(|members| members.len()), Some(6));
            assert_eq!((&record["offset"], &record["facets"]), (&json!(0), &Value::Null));
        }
    }
}

#[test]
fn a_query_of_a_batch_has_the_answer_of_the_search() {
    let served = ServerProcess::start();
    let encoded: String = CHIYODA.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for (api, version) in [("2022-09-01", "2022-06-30"), (NEWEST, "2026-05-29")] {
        let query = format!("version={version}&api_version={api}");
        let mut one = served.get(&format!("/v1/postalcode/?t={encoded}&limit=7&{query}")).json();
        let body = json!({"default_limit": 7, "queries": [{"t": CHIYODA}]});
        let many = served.post(&format!("{PATH}?{query}"), body.to_string()).json();
        let members = one.as_object_mut().expect("an object");
        assert_eq!(many["version"], members.remove("version").expect("a version"));
        assert_eq!(many["params"], json!({"default_q": null, "default_limit": 7}));
        assert_eq!(many["records"][0], one);
    }
}

#[test]
fn a_batch_without_queries_has_no_records() {
    let served = ServerProcess::start();
    let answer = served.post(PATH, r#"{"queries":[],"default_q":"","default_limit":null}"#);
    assert_eq!(
        answer.text(),
        r#"{"version":"2026-06-30","params":{"default_q":null,"default_limit":1},"records":[]}"#
    );
}

#[test]
fn a_batch_needs_a_secret_key_and_the_option() {
    let served = ServerProcess::start();
    let body = br#"{"queries":[]}"#;
    let ask_with = |key: &str| post(served.address, PATH, key, body);
    assert_eq!(ask_with(&served.batch).status, 200);
    ask_with(&served.secret).expect_error(403, "batch_option_missing", None);
    ask_with(&served.public).expect_error(401, "secret_key_required", None);
    ask_with("").expect_error(401, "missing_key", None);
    let bearer = format!("POST {PATH}\nAuthorization: Bearer {}\nContent-Length: 0", served.batch);
    ask(served.address, &bearer).expect_error(401, "unsupported_scheme", None);
    // The key is checked before the body is parsed.
    post(served.address, PATH, &served.secret, b"x").expect_error(
        403,
        "batch_option_missing",
        None,
    );
}

#[test]
fn one_invalid_query_fails_the_batch_and_is_named() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(
        served: &ServerProcess,
        body: &str,
        code: &str,
        parameter: Option<&str>,
        detail: &str,
    ) {
        let answer = served.post(PATH, body);
        answer.expect_error(400, code, parameter);
        let found = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(found.contains(detail), "{body}: {found}");
    }
    let good = r#"{"t":"東京都"}"#;
    for (wrong, code, parameter, detail) in [
        (r#"{}"#, "invalid_body", "queries[2].t", "found no such member"),
        (r#"{"t":null}"#, "invalid_body", "queries[2].t", "found no such member"),
        (r#"{"t":1}"#, "invalid_body", "queries[2].t", "expected a string; found a number"),
        (r#"{"t":["東京都"]}"#, "invalid_body", "queries[2].t", "found a list"),
        (r#"{"t":"x","t":"x"}"#, "invalid_body", "queries[2].t", "found it twice"),
        (r#"{"t":"x","q":{}}"#, "invalid_body", "queries[2].q", "found an object"),
        (r#"{"t":"x","q":"千"}"#, "invalid_query", "queries[2].q", "character"),
        (r#"{"t":"x","q":"\"xx"}"#, "invalid_query", "queries[2].q", "closing double quote"),
        (r#"{"t":"x","limit":0}"#, "invalid_limit", "queries[2].limit", "1 to 100; found 0"),
        (r#"{"t":"x","limit":101}"#, "invalid_limit", "queries[2].limit", "found 101"),
        (r#"{"t":"x","limit":-1}"#, "invalid_limit", "queries[2].limit", "found -1"),
        (r#"{"t":"x","limit":1.5}"#, "invalid_limit", "queries[2].limit", "found 1.5"),
        (r#"{"t":"x","limit":1e3}"#, "invalid_limit", "queries[2].limit", "found 1000"),
        (r#"{"t":"x","limit":1e99}"#, "invalid_limit", "queries[2].limit", "found 1e99"),
        (r#"{"t":"x","limit":"5"}"#, "invalid_body", "queries[2].limit", "found a string"),
        (r#"{"t":"x","limit":true}"#, "invalid_body", "queries[2].limit", "true or false"),
        (r#""東京都""#, "invalid_body", "queries[2]", "expected an object; found a string"),
        ("null", "invalid_body", "queries[2]", "expected an object; found null"),
    ] {
        let body = format!("{{\"queries\":[{good},{good},{wrong},{good}]}}");
        check(&served, &body, code, Some(parameter), detail);
    }
    for (body, code, parameter, detail) in [
        ("{}", "invalid_body", Some("queries"), "found no such member"),
        (r#"{"queries":{}}"#, "invalid_body", Some("queries"), "expected a list"),
        (r#"{"queries":[],"queries":[]}"#, "invalid_body", Some("queries"), "twice"),
        (r#"{"default_q":"千","queries":[]}"#, "invalid_query", Some("default_q"), "character"),
        (r#"{"default_q":5,"queries":[]}"#, "invalid_body", Some("default_q"), "a string"),
        (r#"{"default_limit":0,"queries":[]}"#, "invalid_limit", Some("default_limit"), "1 to 100"),
        ("[]", "invalid_body", None, "expected an object; found a list"),
        ("5", "invalid_body", None, "expected an object; found a number"),
        ("", "invalid_body", None, "found an empty body"),
        ("  \n", "invalid_body", None, "found an empty body"),
    ] {
        check(&served, body, code, parameter, detail);
    }
}

#[test]
fn an_empty_address_finds_nothing_and_the_others_are_answered() {
    let served = ServerProcess::start();
    let queries =
        json!([{"t": CHIYODA}, {"t": ""}, {"t": "", "q": "千代田"}, {"t": CHIYODA, "limit": 1.0}]);
    let found = batch(&served, &json!({"default_limit": 2.0, "queries": queries})).json();
    assert_eq!(found["params"]["default_limit"], 2);
    let records = found["records"].as_array().expect("a list");
    for (record, q) in [(&records[1], Value::Null), (&records[2], json!("千代田"))] {
        assert_eq!((&record["data"], &record["count"]), (&json!([]), &json!(0)));
        assert_eq!((&record["query"]["t"], &record["query"]["q"]), (&json!(""), &q));
        assert_eq!((&record["query"]["prefecture"], &record["limit"]), (&Value::Null, &json!(2)));
    }
    assert_eq!(records[0]["data"][0]["postal_code"], "1000001");
    assert_eq!(records[3]["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(records[3]["limit"], 1);
}

#[test]
fn malformed_json_is_400_and_names_the_line() {
    let served = ServerProcess::start();
    let within = |text: &str| format!("{{\"queries\":[{{\"t\":{text}}}]}}").into_bytes();
    for body in [
        b"queries=x".to_vec(),
        b"{\"queries\":[{\"t\":\"x\"".to_vec(),
        within("\"\\ud800\""),
        within("\"\\udc00\\ud800\""),
        within("1e999"),
        within("\"\0\""),
        within("\"\n\""),
        within("'x'"),
        within("NaN"),
        [b"{\"queries\":[{\"t\":\"".as_slice(), b"\xed\xa0\x80\"}]}"].concat(),
        [b"{\"queries\":[{\"t\":\"".as_slice(), b"\xff\xfe\"}]}"].concat(),
        "{\"queries\":[]}".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "[".repeat(100_000).into_bytes(),
        "{\"queries\":".repeat(10_000).into_bytes(),
        b"{\"queries\":[]} {}".to_vec(),
    ] {
        let answer = served.post(PATH, &body);
        answer.expect_error(400, "invalid_body", None);
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(detail.contains("at line "), "{detail}");
    }
    // A byte order mark at the start, which some editors and shells add, is skipped.
    assert_eq!(served.post(PATH, "\u{feff}{\"queries\":[]}").status, 200);
    // Any valid text is accepted, escaped or not.
    let odd = "\\u0000\\ud83d\\ude00\u{7f}\\\"\\u2028";
    let answer = served.post(PATH, within(&format!("\"{odd}\"")));
    let expected: String = serde_json::from_str(&format!("\"{odd}\"")).expect("JSON");
    assert_eq!(answer.json()["records"][0]["query"]["t"], expected);
}

#[test]
fn any_content_type_is_accepted() {
    let served = ServerProcess::start();
    let key = &served.batch;
    for kind in ["", "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded"]
    {
        let mut client = Client::connect(served.address);
        let head = format!(
            "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {key}\nContent-Length: 14\n{kind}"
        );
        client.send(head.trim_end());
        client.send_bytes(br#"{"queries":[]}"#);
        assert_eq!(client.receive().status, 200, "{kind}");
    }
}

#[test]
fn a_batch_above_its_limits_is_refused() {
    let served = ServerProcess::start();
    let queries = |count: usize| json!({"queries": vec![json!({"t": "x"}); count]});
    let answer = batch(&served, &queries(BATCH_QUERIES_MAX));
    let count = answer.json()["records"].as_array().map(Vec::len);
    assert_eq!((answer.status, count), (200, Some(BATCH_QUERIES_MAX)));
    let answer = batch(&served, &queries(BATCH_QUERIES_MAX + 1));
    answer.expect_error(400, "too_many_queries", Some("queries"));
    let text = |length: usize| json!({"queries": [{"t": "x"}, {"t": "x".repeat(length)}]});
    assert_eq!(batch(&served, &text(BATCH_TEXT_BYTES_MAX)).status, 200);
    for length in [BATCH_TEXT_BYTES_MAX + 1, 100_000] {
        let answer = batch(&served, &text(length));
        answer.expect_error(400, "invalid_body", Some("queries[1].t"));
        let detail =
            format!("expected at most {BATCH_TEXT_BYTES_MAX} bytes of text; found {length}");
        assert_eq!(answer.json()["detail"], detail);
    }
    let padded = |length: usize| r#"{"queries":[]}"#.to_owned() + &" ".repeat(length - 14);
    assert_eq!(served.post(PATH, padded(BATCH_BODY_BYTES_MAX)).status, 200);
    for length in [BATCH_BODY_BYTES_MAX + 1, 10_000_000] {
        served.post(PATH, padded(length)).expect_error(413, "body_too_large", None);
    }
    // A chunked body declares no length; the server counts its bytes.
    let mut client = Client::connect(served.address);
    client.send(&format!(
        "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {}\nTransfer-Encoding: chunked",
        served.batch
    ));
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    client.send_bytes((chunk.repeat(17) + "0\r\n\r\n").as_bytes());
    client.receive().expect_error(413, "body_too_large", None);
}

#[test]
fn a_long_answer_is_complete_in_every_encoding() {
    let served = ServerProcess::start();
    let body = json!({"default_limit": 100, "queries": vec![json!({"t": "東京都"}); 200]});
    let body = body.to_string();
    let plain = served.post(PATH, &body);
    assert_eq!((plain.status, plain.header("content-encoding")), (200, None));
    let records = plain.json()["records"].as_array().cloned().expect("a list");
    assert_eq!(records.len(), 200);
    assert!(plain.body.len() > 64 * 1024, "{}", plain.body.len());
    assert_eq!(plain.header("transfer-encoding"), Some("chunked"));
    for coding in ["gzip", "zstd"] {
        let mut client = Client::connect(served.address);
        client.send(&format!(
            "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {}\nAccept-Encoding: {coding}\n\
             Content-Length: {}",
            served.batch,
            body.len()
        ));
        client.send_bytes(body.as_bytes());
        let answer = client.receive();
        assert_eq!(answer.header("content-encoding"), Some(coding));
        assert!(answer.body.len() * 4 < plain.body.len());
        let mut back = Vec::new();
        let read = match coding {
            "gzip" => std::io::copy(&mut flate2::read::GzDecoder::new(&*answer.body), &mut back),
            _ => zstd::stream::copy_decode(&*answer.body, &mut back).map(|()| 0),
        };
        assert!(read.is_ok() && back == plain.body, "{coding}");
        // The connection stays usable after a chunked answer.
        client.send("GET /healthz HTTP/1.1\nHost: x");
        assert_eq!(client.receive().status, 200);
    }
    served.wait_for_log("\"bytes\":null");
}

#[test]
fn a_batch_above_its_time_limit_is_an_error() {
    let body = json!({"default_limit": 100, "queries": vec![json!({"t": CHIYODA}); 1000]});
    let body = body.to_string();
    for time_max_ms in [0, 1, 5, 20] {
        let batch = Duration::from_millis(time_max_ms);
        let local = InProcessServer::with_sample(Timeouts { work: batch, ..Timeouts::default() });
        let answer = post(local.address, PATH, &local.key, body.as_bytes());
        // A fast machine may finish within 1 ms or more, but not within 0 ms.
        if time_max_ms > 0 && answer.status == 200 {
            let records = answer.json()["records"].as_array().map(Vec::len);
            assert_eq!(records, Some(1000), "the answer is incomplete");
        } else {
            answer.expect_error(503, "batch_timeout", None);
            let detail = answer.json()["detail"].as_str().expect("text").to_owned();
            assert!(detail.starts_with("expected all queries to finish within 0"), "{detail}");
            assert!(detail.contains("s; found "), "{detail}");
        }
        // The batch's slot is free again, and the connection threads are not blocked.
        assert_eq!(ask(local.address, "GET /healthz").status, 200);
        wait_until("the work to end", || local.metrics.waiting.load(Relaxed) == 0);
    }
}

#[test]
fn an_answer_that_the_client_does_not_read_is_aborted() {
    let local = InProcessServer::with_sample(Timeouts {
        work: Timeouts::default().work,
        ..short_timeouts()
    });
    let queries = vec![json!({"t": "東京都"}); 1000];
    let body = json!({"default_limit": 100, "queries": queries}).to_string();
    let mut clients: Vec<Client> = (0..3)
        .map(|_| {
            let mut client = Client::connect(local.address);
            client.send(&format!(
                "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {}\nContent-Length: {}",
                local.key,
                body.len()
            ));
            client.send_bytes(body.as_bytes());
            client
        })
        .collect();
    wait_until("the connections to be closed", || {
        local.metrics.connections_closed.load(Relaxed) == 3
    });
    for client in &mut clients {
        assert!(
            client.receive_any(true).is_none(),
            "an incomplete document was received as an answer"
        );
    }
}

#[tokio::test]
async fn a_long_answer_is_complete_over_http_2() {
    let served = ServerProcess::start();
    let client: Http2<_, Full<Bytes>> =
        Http2::builder(TokioExecutor::new()).http2_only(true).build_http();
    let queries = vec![json!({"t": CHIYODA}); 1000];
    let request = Request::post(format!("http://{}{PATH}", served.address))
        .header("authorization", format!("Token {}", served.batch))
        .body(Full::from(json!({"default_limit": 9, "queries": queries}).to_string()))
        .expect("a request");
    let answer = client.request(request).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let body = answer.into_body().collect().await.expect("a body").to_bytes();
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["records"].as_array().map(Vec::len), Some(1000));
}

#[test]
fn disconnected_clients_leave_no_open_connections() {
    let served = ServerProcess::start();
    let body = json!({"default_limit": 100, "queries": vec![json!({"t": "東京都"}); 1000]});
    let body = body.to_string();
    for _ in 0..20 {
        let mut client = Client::connect(served.address);
        client.send(&format!(
            "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {}\nContent-Length: {}",
            served.batch,
            body.len()
        ));
        client.send_bytes(body.as_bytes());
    }
    wait_until("all connections to be closed", || {
        let counters = ask(served.address, "GET /metrics").text();
        // The connection that reads /metrics is open itself, and its request in flight.
        counters.contains("daicho_http_requests_in_flight 1")
            && counters.contains("\ndaicho_connections 1\n")
    });
    assert_eq!(served.post(PATH, &body).status, 200);
}
