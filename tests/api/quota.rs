//! Quotas on the wire, set by a command while the server runs; and what a crash forgets of them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::support::{Answer, Client, SHOP, Served, ask, until};

/// Runs a command that must work.
#[track_caller]
fn run(served: &Served, words: &str) {
    let done = served.run(words);
    assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
}

/// What is left of a limit, by the header of an answer.
fn left(answer: &Answer, limit: &str) -> Option<u64> {
    let items = answer.header("ratelimit")?.split(", ");
    let item = items.filter_map(|item| item.strip_prefix(&format!("\"{limit}\";r="))).next()?;
    item.split(';').next()?.parse().ok()
}

fn whoami(address: SocketAddr, key: &str) -> Answer {
    ask(address, &format!("GET /v1/whoami\nAuthorization: Token {key}"))
}

/// Asks so often on one connection; how often it was let in.
fn ask_often(address: SocketAddr, key: &str, times: usize) -> usize {
    let mut client = Client::connect(address);
    let answers = (0..times).map(|_| {
        client.send(&format!("GET /v1/whoami HTTP/1.1\nHost: x\nAuthorization: Token {key}"));
        client.receive().status
    });
    answers.filter(|status| *status == 200).count()
}

/// Waits until a quota is kept and all that was asked before it was set is written.
fn settle(served: &Served) {
    let asked = || left(&served.get("/v1/whoami"), "month");
    until("the quota to be kept", || {
        let before = asked();
        std::thread::sleep(Duration::from_millis(500));
        before.is_some() && asked() == before.map(|left| left - 1)
    });
}

#[test]
fn without_a_quota_there_are_no_headers() {
    let served = Served::start();
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
fn who_asks_too_fast_is_told_when_to_come_again() {
    let served = Served::start();
    run(&served, "account set demo --rate 1 --burst 5");
    until("the rate to be kept", || left(&served.get("/v1/whoami"), "second").is_some());
    let mut turned_away = None;
    until("one request too many", || {
        let answer = served.get("/v1/postalcode/1000001");
        turned_away = Some(answer.clone());
        answer.status == 429
    });
    let answer = turned_away.expect("one");
    answer.expect_error(429, "too_many_requests", None);
    let detail = answer.json()["detail"].to_string();
    assert!(detail.contains("at most 1 requests a second, 5 at once"), "{detail}");
    assert_eq!(answer.header("ratelimit-policy"), Some("\"second\";q=5;w=5"));
    assert_eq!(answer.header("ratelimit"), Some("\"second\";r=0;t=5"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    // All keys of the account, and no other account; a page may read the headers.
    let public = format!("GET /v1/whoami\nOrigin: {SHOP}\nAuthorization: Token {}", served.public);
    until("its other key to be turned away", || ask(served.address, &public).status == 429);
    let exposed = ask(served.address, &public);
    let exposed = exposed.header("access-control-expose-headers").expect("for scripts");
    assert!(exposed.contains("RateLimit, RateLimit-Policy, Retry-After"), "{exposed}");
    assert_eq!(whoami(served.address, &served.premium).status, 200);
    // What needs no key, or has a wrong one, says nothing of quotas.
    for head in ["GET /healthz", "GET /v1/whoami", "GET /v1/whoami\nAuthorization: Token x"] {
        assert_eq!(ask(served.address, head).header("ratelimit"), None, "{head}");
    }
    until("time to pass", || served.get("/v1/whoami").status == 200);
    let metrics = ask(served.address, "GET /metrics").text();
    let refused = metrics.lines().find(|line| line.contains("refusals_total{limit=\"rate\"}"));
    assert!(!refused.expect("a counter").ends_with(" 0"), "{refused:?}");
    run(&served, "account set demo --rate none");
    until("the rate to be lifted", || served.get("/v1/whoami").header("ratelimit").is_none());
}

#[test]
fn a_month_that_is_used_up_ends_with_the_month() {
    let served = Served::start();
    run(&served, "plan set standard --monthly 60");
    settle(&served);
    let before = left(&served.get("/v1/whoami"), "month").expect("a quota");
    // Every answer counts, wrong ones too; what is turned away does not.
    let after = left(&served.get("/v1/postalcode/9999999"), "month").expect("a quota");
    assert_eq!(after, before - 1);
    let left_over = usize::try_from(after).expect("small");
    assert_eq!(ask_often(served.address, &served.secret, 100), left_over);
    let answer = served.get("/v1/postalcode/1000001");
    answer.expect_error(429, "quota_exhausted", None);
    let retry: u64 = answer.header("retry-after").expect("given").parse().expect("seconds");
    assert!((1..=31 * 86_400).contains(&retry), "{retry}");
    assert_eq!(left(&answer, "month"), Some(0));
    let policy = answer.header("ratelimit-policy").expect("given");
    assert!(policy.starts_with("\"month\";q=60;w=2"), "{policy}");
    // Of the same plan, and of another.
    assert_eq!(whoami(served.address, &served.old).status, 200);
    assert_eq!(whoami(served.address, &served.premium).header("ratelimit"), None);
    // The account's own limit goes before the plan's.
    run(&served, "account set demo --monthly 1000");
    until("more to be given", || served.get("/v1/whoami").status == 200);
    run(&served, "account set demo --monthly plan");
    until("the plan's to hold again", || served.get("/v1/whoami").status == 429);
    run(&served, "account set demo --plan premium");
    until("a larger plan to hold", || served.get("/v1/whoami").status == 200);
}

#[test]
fn a_crash_forgets_less_than_one_percent() {
    let mut served = Served::start();
    run(&served, "account set demo --monthly 100000");
    settle(&served);
    let before = left(&served.get("/v1/whoami"), "month").expect("a quota");
    for _ in 0..30 {
        assert_eq!(ask_often(served.address, &served.secret, 100), 100);
        // What comes during the last write is lost too: a slow disk must not see thousands in that time.
        std::thread::sleep(Duration::from_millis(20));
    }
    served.crash();
    let after = left(&served.get("/v1/whoami"), "month").expect("known from the start");
    let lost = after.abs_diff(before - 3001);
    println!("lost {lost} of 3000 requests");
    assert!(lost <= 1000, "lost {lost} of a quota of 100,000");
    // A stop in good order forgets nothing.
    assert_eq!(ask_often(served.address, &served.secret, 500), 500);
    served.signal(rustix::process::Signal::TERM);
    assert_eq!(served.wait(), Some(0));
    served.crash();
    let end = left(&served.get("/v1/whoami"), "month").expect("known from the start");
    assert_eq!(end, after - 501);
}

#[test]
fn servers_that_share_a_database_keep_one_quota() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_schema();
    let (first, second) = (Served::sharing(&url), Served::sharing(&url));
    let key = &first.secret;
    run(&first, "account set demo --monthly 1000");
    for served in [&first, &second] {
        until("the quota to be kept", || left(&served.get("/v1/whoami"), "month").is_some());
    }
    assert_eq!(ask_often(first.address, key, 300), 300);
    assert_eq!(ask_often(second.address, key, 300), 300);
    // Each learns of the other when it writes, a moment after it was asked.
    for served in [&first, &second] {
        until("each to know of the other", || {
            left(&served.get("/v1/whoami"), "month").is_some_and(|left| left < 400)
        });
    }
    let more = ask_often(first.address, key, 1000);
    assert!((350..400).contains(&more), "the first let in {more}, and 600 were used before");
    until("the second to turn away", || second.get("/v1/whoami").status == 429);
}

#[test]
fn wrong_quotas_are_refused() {
    let served = Served::start();
    #[track_caller]
    fn check(served: &Served, words: &str, code: i32, expected: &str) {
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
        "expected a number or none as the limit of a plan",
    );
    check(&served, "plan set gold --rate 5", 2, "standard, premium, enterprise");
    let shown = served.run("account show demo --json");
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).expect("JSON");
    assert_eq!(shown["quota"]["rate"], serde_json::Value::Null, "nothing of it was kept");
}
