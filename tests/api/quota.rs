//! Quotas that commands set while the server runs: headers, refusals, several servers, and the loss in a crash.

use std::net::SocketAddr;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::support::{Answer, Client, SHOP, ServerProcess, ask, wait_until};

/// Runs a command that must succeed.
#[track_caller]
fn run(served: &ServerProcess, words: &str) {
    let done = served.run(words);
    assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The remaining requests of a limit, from the `RateLimit` header of an answer.
fn remaining(answer: &Answer, limit: &str) -> Option<u64> {
    let items = answer.header("ratelimit")?.split(", ");
    let item = items.filter_map(|item| item.strip_prefix(&format!("\"{limit}\";r="))).next()?;
    item.split(';').next()?.parse().ok()
}

fn whoami(address: SocketAddr, key: &str) -> Answer {
    ask(address, &format!("GET /v1/whoami\nAuthorization: Token {key}"))
}

/// Sends `times` requests on one connection. Returns how many were answered 200.
fn count_allowed(address: SocketAddr, key: &str, times: usize) -> usize {
    let mut client = Client::connect(address);
    let answers = (0..times).map(|_| {
        client.send(&format!("GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {key}"));
        client.receive().status
    });
    answers.filter(|status| *status == 200).count()
}

/// Waits until a monthly quota applies and all earlier requests are counted in it.
fn wait_for_monthly_quota(served: &ServerProcess) {
    let asked = || remaining(&served.get("/v1/whoami"), "month");
    wait_until("the quota to apply", || {
        let before = asked();
        std::thread::sleep(Duration::from_millis(500));
        before.is_some() && asked() == before.map(|count| count - 1)
    });
}

#[test]
fn without_a_quota_there_are_no_headers() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/whoami");
    assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
    assert_eq!(answer.header("ratelimit-policy"), None);
    let metrics = ask(served.address, "GET /metrics").text();
    for line in [
        "daicho_quota_refusals_total{limit=\"rate\"} 0",
        "daicho_quota_refusals_total{limit=\"month\"} 0",
        "# TYPE daicho_usage_unwritten gauge",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
}

#[test]
fn requests_above_the_rate_are_429_with_retry_after() {
    let served = ServerProcess::start();
    run(&served, "account set demo --rate 1 --burst 5");
    wait_until("the rate limit to apply", || {
        remaining(&served.get("/v1/whoami"), "second").is_some()
    });
    let mut refused_answer = None;
    wait_until("a refusal", || {
        let answer = served.get("/v1/postalcode/1000001");
        refused_answer = Some(answer.clone());
        answer.status == 429
    });
    let answer = refused_answer.expect("a refusal");
    answer.expect_error(429, "too_many_requests", None);
    let detail = answer.json()["detail"].to_string();
    assert!(detail.contains("at most 1 requests a second, 5 at once"), "{detail}");
    assert_eq!(answer.header("ratelimit-policy"), Some("\"second\";q=5;w=5"));
    assert_eq!(answer.header("ratelimit"), Some("\"second\";r=0;t=5"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    // The limit is for all keys of the account and for no other account. Pages can read the headers.
    let public = format!("GET /v1/whoami\nOrigin: {SHOP}\nAuthorization: Token {}", served.public);
    wait_until("the other key to be refused", || ask(served.address, &public).status == 429);
    let exposed = ask(served.address, &public);
    let exposed = exposed.header("access-control-expose-headers").expect("exposed headers");
    assert!(exposed.contains("RateLimit, RateLimit-Policy, Retry-After"), "{exposed}");
    assert_eq!(whoami(served.address, &served.premium).status, 200);
    // Requests without a valid key have no quota headers.
    for head in ["GET /healthz", "GET /v1/whoami", "GET /v1/whoami\nAuthorization: Token x"] {
        assert_eq!(ask(served.address, head).header("ratelimit"), None, "{head}");
    }
    wait_until("a request to be allowed again", || served.get("/v1/whoami").status == 200);
    let metrics = ask(served.address, "GET /metrics").text();
    let refused = metrics.lines().find(|line| line.contains("refusals_total{limit=\"rate\"}"));
    assert!(!refused.expect("a counter").ends_with(" 0"), "{refused:?}");
    run(&served, "account set demo --rate none");
    wait_until("the rate limit to be removed", || {
        served.get("/v1/whoami").header("ratelimit").is_none()
    });
}

#[test]
fn a_used_up_monthly_quota_is_429_until_the_next_month() {
    let served = ServerProcess::start();
    run(&served, "plan set standard --monthly 60");
    wait_for_monthly_quota(&served);
    let before = remaining(&served.get("/v1/whoami"), "month").expect("a quota");
    // Every answer counts, errors too. Requests refused for the quota do not count.
    let after = remaining(&served.get("/v1/postalcode/9999999"), "month").expect("a quota");
    assert_eq!(after, before - 1);
    let left_over = usize::try_from(after).expect("small");
    assert_eq!(count_allowed(served.address, &served.secret, 100), left_over);
    let answer = served.get("/v1/postalcode/1000001");
    answer.expect_error(429, "quota_exhausted", None);
    let retry: u64 = answer.header("retry-after").expect("given").parse().expect("seconds");
    assert!((1..=31 * 86_400).contains(&retry), "{retry}");
    assert_eq!(remaining(&answer, "month"), Some(0));
    let policy = answer.header("ratelimit-policy").expect("given");
    assert!(policy.starts_with("\"month\";q=60;w=2"), "{policy}");
    // An account of the same plan has its own quota; an account of another plan has none.
    assert_eq!(whoami(served.address, &served.old).status, 200);
    assert_eq!(whoami(served.address, &served.premium).header("ratelimit"), None);
    // The account's own limit overrides the plan's.
    run(&served, "account set demo --monthly 1000");
    wait_until("the account's limit to apply", || served.get("/v1/whoami").status == 200);
    run(&served, "account set demo --monthly plan");
    wait_until("the plan's limit to apply again", || served.get("/v1/whoami").status == 429);
    run(&served, "account set demo --plan premium");
    wait_until("the other plan to apply", || served.get("/v1/whoami").status == 200);
}

#[test]
fn a_crash_loses_at_most_one_percent_of_a_quota() {
    let mut served = ServerProcess::start();
    run(&served, "account set demo --monthly 100000");
    wait_for_monthly_quota(&served);
    let before = remaining(&served.get("/v1/whoami"), "month").expect("a quota");
    for _ in 0..30 {
        assert_eq!(count_allowed(served.address, &served.secret, 100), 100);
        // Requests during the last write are lost too. Pause, so that a slow disk does not miss thousands.
        std::thread::sleep(Duration::from_millis(20));
    }
    served.crash();
    let after = remaining(&served.get("/v1/whoami"), "month").expect("a quota");
    let lost = after.abs_diff(before - 3001);
    println!("lost {lost} of 3000 requests");
    assert!(lost <= 1000, "lost {lost} of a quota of 100,000");
    // A graceful stop loses nothing.
    assert_eq!(count_allowed(served.address, &served.secret, 500), 500);
    served.signal(rustix::process::Signal::TERM);
    assert_eq!(served.wait(), Some(0));
    served.crash();
    let end = remaining(&served.get("/v1/whoami"), "month").expect("a quota");
    assert_eq!(end, after - 501);
}

#[needs::postgresql]
#[test]
fn servers_with_one_database_share_a_quota() {
    let cluster = Cluster::shared();
    let url = cluster.empty_schema();
    let (first, second) = (ServerProcess::with_state(&url), ServerProcess::with_state(&url));
    let key = &first.secret;
    run(&first, "account set demo --monthly 1000");
    for served in [&first, &second] {
        wait_until("the quota to apply", || {
            remaining(&served.get("/v1/whoami"), "month").is_some()
        });
    }
    assert_eq!(count_allowed(first.address, key, 300), 300);
    assert_eq!(count_allowed(second.address, key, 300), 300);
    // Each server learns the other's count when it writes its own, shortly after a request.
    for served in [&first, &second] {
        wait_until("each server to know the other's count", || {
            remaining(&served.get("/v1/whoami"), "month").is_some_and(|count| count < 400)
        });
    }
    let more = count_allowed(first.address, key, 1000);
    assert!((350..400).contains(&more), "the first server allowed {more} after 600 of 1000");
    wait_until("the second server to refuse", || second.get("/v1/whoami").status == 429);
}

#[test]
fn invalid_quotas_are_refused() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, words: &str, code: i32, expected: &str) {
        let done = served.run(words);
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{words}: {told}");
        assert!(told.contains(expected), "{words}: {told}");
    }
    check(&served, "account set demo --rate 0", 2, "1 to 1000000 requests a second; found 0");
    check(&served, "account set demo --rate 1000001", 2, "found 1000001");
    check(&served, "account set demo --rate -1", 2, "-1");
    check(&served, "account set demo --rate 1.5", 2, "expected a whole number, none or plan");
    check(&served, "account set demo --rate 99999999999999999999", 2, "a whole number");
    check(&served, "account set demo --rate fast", 2, "found \"fast\"");
    check(&served, "account set demo --burst 5", 2, "--rate");
    check(
        &served,
        "account set demo --rate none --burst 5",
        2,
        "--burst needs --rate with a number",
    );
    check(&served, "account set demo --rate 5 --burst 0", 2, "a burst is 1 to 1000000");
    check(&served, "account set demo --monthly 0", 2, "a monthly quota is 1 to 1000000000000");
    check(&served, "account set nobody --monthly 5", 1, "no account is named \"nobody\"");
    check(&served, "plan set standard", 2, "required");
    check(
        &served,
        "plan set standard --rate plan",
        2,
        "expected a whole number or none; found \"plan\"",
    );
    check(&served, "plan set gold --rate 5", 2, "standard, premium, enterprise");
    let shown = served.run("account show demo --json");
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(
        shown["quota"]["rate"],
        serde_json::Value::Null,
        "a refused command changed the quota"
    );
}
