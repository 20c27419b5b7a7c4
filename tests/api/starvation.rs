//! Fairness between accounts: limits on batches of one account, work that ends when its client disconnects or its
//! time is over, and the lanes for long searches.
//!
//! Checks behaviour only; `benches/starvation.rs` measures times.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use daicho::api::executor::cost_budget::CostLimits;
use daicho::api::limits::{BATCHES_OF_ACCOUNT_MAX, BODIES_OF_ACCOUNT_MAX};
use daicho::server::limits::Timeouts;
use serde_json::json;

use crate::support::{
    Client, InProcessServer, ServerProcess, ask, encoded, post, short_timeouts, wait_until,
};

const PATH: &str = "/v1/batch/postalcode/search";

/// A metric of the lane of batches. The metrics themselves are collected in another lane.
fn metric(served: &ServerProcess, name: &str) -> u64 {
    let counters = ask(served.address, "GET /metrics").text();
    let lines = counters.lines().filter(|line| line.starts_with(&format!("{name}{{")));
    lines
        .filter(|line| line.contains("lane=\"batch\""))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum()
}

/// Sends the head of a batch request, without its body.
fn begin(address: std::net::SocketAddr, key: &str, length: usize) -> Client {
    let mut client = Client::connect(address);
    client.send(&format!(
        "POST {PATH} HTTP/1.1\nHost: x\nAuthorization: Token {key}\nContent-Length: {length}"
    ));
    client
}

/// A batch of 1000 searches, each of which reads most of the sample.
fn long_batch() -> String {
    let q = ["東京", "大阪", "北海道", "神奈川", "愛知", "丁目", "京都", "福岡"].join(" ");
    let query = json!({"t": "東京都", "q": format!("{q} {q} {q} {q}"), "limit": 100});
    json!({"queries": vec![query; 1000]}).to_string()
}

#[test]
fn slow_bodies_of_one_account_do_not_block_another() {
    let local = InProcessServer::with_sample(Timeouts::default());
    let body = br#"{"queries":[]}"#;
    let mut slow: Vec<Client> =
        (0..BODIES_OF_ACCOUNT_MAX).map(|_| begin(local.address, &local.key, body.len())).collect();
    let waiting = || local.metrics.waiting.load(Relaxed);
    wait_until("the server to wait for all bodies", || waiting() == BODIES_OF_ACCOUNT_MAX as u64);
    let refused = begin(local.address, &local.key, body.len()).receive();
    refused.expect_error(503, "too_many_batches", None);
    assert_eq!(refused.header("retry-after"), Some("1"));
    let detail = refused.json()["detail"].as_str().expect("text").to_owned();
    let expected = format!("expected at most {BODIES_OF_ACCOUNT_MAX} batch bodies");
    assert!(detail.starts_with(&expected) && detail.contains("of one account"), "{detail}");
    // The limit is for each account: another one can send a batch.
    assert_eq!(post(local.address, PATH, &local.other, body).status, 200);
    // A batch whose body is complete is answered and releases its place.
    for _ in 0..2 {
        let mut client = slow.pop().expect("many");
        client.send_bytes(body);
        assert_eq!(client.receive().status, 200);
    }
    wait_until("the places to be released", || waiting() == slow.len() as u64);
    assert_eq!(post(local.address, PATH, &local.key, body).status, 200);
}

#[test]
fn a_slow_body_times_out_and_releases_its_place() {
    let local = InProcessServer::with_sample(short_timeouts());
    let mut slow: Vec<Client> =
        (0..BODIES_OF_ACCOUNT_MAX).map(|_| begin(local.address, &local.key, 14)).collect();
    for client in &mut slow {
        client.receive().expect_error(408, "request_timeout", None);
    }
    assert_eq!(post(local.address, PATH, &local.key, br#"{"queries":[]}"#).status, 200);
}

#[test]
fn the_batches_of_an_account_in_progress_are_limited() {
    let local = InProcessServer::with_sample(Timeouts::default());
    let queries = vec![json!({"t": "東京都"}); 1000];
    let body = json!({"default_limit": 100, "queries": queries}).to_string();
    // The clients do not read the answers, which are too long for the socket buffers.
    let mut unread: Vec<Client> = (0..BATCHES_OF_ACCOUNT_MAX)
        .map(|_| {
            let mut client = begin(local.address, &local.key, body.len());
            client.send_bytes(body.as_bytes());
            client
        })
        .collect();
    let small = br#"{"queries":[]}"#;
    wait_until("the account to reach its limit", || local.batches() == BATCHES_OF_ACCOUNT_MAX);
    post(local.address, PATH, &local.key, small).expect_error(503, "too_many_batches", None);
    assert_eq!(post(local.address, PATH, &local.other, small).status, 200);
    unread.clear();
    wait_until("the places to be released", || local.batches() == 0);
    assert_eq!(post(local.address, PATH, &local.key, small).status, 200);
}

#[test]
fn a_small_batch_does_not_wait_for_large_ones_of_another_account() {
    let local = InProcessServer::with_sample(Timeouts::default());
    let body = long_batch();
    let large: Vec<Client> = (0..8)
        .map(|_| {
            let mut client = begin(local.address, &local.key, body.len());
            client.send_bytes(body.as_bytes());
            client
        })
        .collect();
    let begun = || local.metrics.waiting.load(Relaxed) == 8;
    wait_until("the large batches to start", begun);
    let small = json!({"queries": [{"t": "東京都千代田区千代田1-1"}]}).to_string();
    let answer = post(local.address, PATH, &local.other, small.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let done = 8 - local.metrics.waiting.load(Relaxed);
    assert!(done < 8, "the small batch waited for all large ones");
    drop(large);
    wait_until("the lanes to be empty", || local.lanes_are_empty());
}

#[test]
fn work_ends_when_its_client_disconnects() {
    let served = ServerProcess::start();
    let body = long_batch();
    let clients: Vec<Client> = (0..6)
        .map(|_| {
            let mut client = begin(served.address, &served.batch, body.len());
            client.send_bytes(body.as_bytes());
            client
        })
        .collect();
    let in_lanes =
        || metric(&served, "daicho_lane_running") + metric(&served, "daicho_lane_waiting");
    wait_until("the batches to start", || in_lanes() > 0);
    drop(clients);
    wait_until("the lanes to be empty", || in_lanes() == 0);
    let abandoned = metric(&served, "daicho_lane_abandoned_total");
    assert!((1..=6).contains(&abandoned), "{abandoned}");
    assert_eq!(served.post(PATH, r#"{"queries":[]}"#).status, 200);
}

#[test]
fn work_ends_at_its_time_limit() {
    let short = Timeouts { work: Duration::from_millis(30), ..Timeouts::default() };
    let local = InProcessServer::with_sample(short);
    let body = long_batch();
    for _ in 0..4 {
        let answer = post(local.address, PATH, &local.key, body.as_bytes());
        answer.expect_error(503, "batch_timeout", None);
    }
    wait_until("the lanes to be empty", || local.lanes_are_empty());
}

#[test]
fn each_request_of_a_search_is_counted_once() {
    let served = ServerProcess::start();
    let ask_premium = |target: &str| {
        ask(served.address, &format!("GET {target}\nAuthorization: Token {}", served.premium))
    };
    let q = encoded("名 OR name:株式会社");
    let target = format!("/v1/houjinbangou?q={q}&facet_area=/&facet_kind=/&offset=1");
    let first = ask_premium(&target);
    assert_eq!(first.status, 200, "{}", first.text());
    let again = ask_premium(&target);
    assert_eq!((again.status, again.body), (200, first.body));
    // An unneeded body changes nothing.
    let mut client = Client::connect(served.address);
    client.send(&format!(
        "GET {target} HTTP/1.1\nHost: x\nAuthorization: Token {}\nContent-Length: 2",
        served.premium
    ));
    client.send_bytes(b"{}");
    assert_eq!(client.receive().status, 200);
    for (target, status, code) in [
        (format!("/v1/houjinbangou?q={}", encoded("\"open")), 400, "invalid_query"),
        ("/v1/houjinbangou?q=name:xx&limit=1000".to_owned(), 400, "invalid_limit"),
        ("/v1/houjinbangou".to_owned(), 400, "missing_query"),
    ] {
        ask_premium(&target).expect_error(
            status,
            code,
            Some(match code {
                "invalid_limit" => "limit",
                _ => "q",
            }),
        );
    }
    let counters = ask(served.address, "GET /metrics").text();
    for (status, count) in [(200, 3), (400, 3)] {
        let of_searches = format!(
            "daicho_http_requests_total{{route=\"/v1/houjinbangou\",status=\"{status}\"}} {count}\n"
        );
        assert!(counters.contains(&of_searches), "{counters}");
    }
}

#[test]
fn a_history_of_several_versions_runs_in_a_lane() {
    // With a time limit of 0, work in lanes always times out. Work on the connection's thread does not.
    let local =
        InProcessServer::with_sample(Timeouts { work: Duration::ZERO, ..Timeouts::default() });
    let get = |target: &str| {
        let target = format!("/v1/houjinbangou/5010001999902{target}");
        ask(local.address, &format!("GET {target}\nAuthorization: Token {}", local.key))
    };
    let one = "/history?version=2026-07-31";
    get(one).expect_error(503, "search_timeout", None);
    // A look-up verifies this version. Then the history of one version can run on the connection's thread.
    assert_eq!(get("?version=2026-07-31").status, 200);
    assert_eq!(get(one).status, 200);
    assert_eq!(get("").status, 200);
    get("/history").expect_error(503, "search_timeout", None);
    get("/history?version=x").expect_error(400, "invalid_version", Some("version"));
    wait_until("the lanes to be empty", || local.lanes_are_empty());
}

#[test]
fn an_answer_is_the_same_on_the_thread_and_in_each_lane() {
    let limits =
        |connection, short_lane| CostLimits { connection, short_lane, ..CostLimits::default() };
    // The limits make searches run on the connection's thread, in the short lane, and in the long lane. With
    // the last limits some searches move to a lane while they run.
    let locals = [CostLimits::default(), limits(0, u64::MAX / 4), limits(0, 0), limits(600, 600)];
    let locals =
        locals.map(|limits| InProcessServer::with_cost_limits(Timeouts::default(), limits));
    for target in [
        format!("/v1/postalcode/?q={}&facet=/", encoded("東京 OR 大阪")),
        format!("/v1/postalcode/?q={}&offset=2&limit=3", encoded("town:千代田 -_type:2")),
        format!("/v1/postalcode/?t={}&explain=1", encoded("千代田区千代田1-1")),
        format!("/v1/houjinbangou?q={}&facet_area=/&facet_kind=/", encoded("株式会社 OR 台帳")),
        format!("/v1/houjinbangou?q={}&offset=1", encoded("corporate_number:00 -name:台帳")),
        format!("/v1/invoice?q={}", encoded("株式会社")),
        "/v1/houjinbangou/5010001999902/history".to_owned(),
        "/v1/houjinbangou/7000012050002/history".to_owned(),
        format!("/v1/school?q={}&facet_type=/", encoded("小学校 OR 中学校")),
        format!("/v1/postalcode/?q={}", encoded("\"open")),
        "/v1/school?q=xx&limit=0x".to_owned(),
    ] {
        let [first, others @ ..] = locals.each_ref().map(|local| {
            ask(local.address, &format!("GET {target}\nAuthorization: Token {}", local.key))
        });
        for other in others {
            assert_eq!((other.status, other.text()), (first.status, first.text()), "{target}");
        }
    }
}

#[test]
fn a_too_expensive_search_is_refused_and_names_the_expensive_part() {
    let limits = CostLimits { connection: 2_000, short_lane: 4_000, long_lane: 40_000 };
    let local = InProcessServer::with_cost_limits(Timeouts::default(), limits);
    let many: String = (0..60).map(|_| "town:千代田 ").collect();
    let get = |target: &str| {
        ask(local.address, &format!("GET {target}\nAuthorization: Token {}", local.key))
    };
    #[track_caller]
    fn check(answer: &crate::support::Answer, parameter: &str, words: &str) {
        answer.expect_error(400, "query_too_expensive", Some(parameter));
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(detail.contains("reads at most 40000 rows; found "), "{detail}");
        assert!(detail.contains(words), "{detail}");
    }
    let target = format!("/v1/postalcode/?q={}", encoded(many.trim_end()));
    check(&get(&target), "q", "for 60 terms together; send fewer terms");
    // A conditional request gets the error too: the cost is checked before the tag.
    let cached = format!("GET {target}\nAuthorization: Token {}\nIf-None-Match: *", local.key);
    check(&ask(local.address, &cached), "q", "terms together");
    let target = format!("/v1/postalcode/?t={}&explain=1", encoded("千代田1-1"));
    check(&get(&target), "explain", "most of them for explain; leave out explain");
    let target = "/v1/houjinbangou/5010001999902/history";
    check(&get(target), "version", "for 2 versions of the data; ask for an older version");
    let queries = json!([{"t": "東京都"}, {"t": "東京都", "q": many}, {"t": "東京都"}]);
    let body = json!({ "queries": queries }).to_string();
    let answer = post(local.address, PATH, &local.key, body.as_bytes());
    check(&answer, "queries[1].q", "for 60 terms together");
    // Cheaper searches are still answered.
    assert_eq!(get(&format!("/v1/postalcode/?q={}", encoded("town:千代田"))).status, 200);
    let t = encoded("東京都千代田区千代田1-1");
    assert_eq!(get(&format!("/v1/postalcode/?t={t}")).status, 200);
}
