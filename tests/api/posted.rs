//! Searches by `POST`, whose body has the parameters of `GET` as a JSON object.

use crate::support::{Answer, Client, ServerProcess, ask, post};

fn get(served: &ServerProcess, target: &str) -> Answer {
    ask(served.address, &format!("GET {target}\nAuthorization: Token {}", served.premium))
}

fn send(served: &ServerProcess, path: &str, body: &str) -> Answer {
    post(served.address, path, &served.premium, body.as_bytes())
}

#[test]
fn a_search_by_post_has_the_answer_of_get() {
    let served = ServerProcess::start();
    for (target, path, body) in [
        (
            "/v1/postalcode?q=%E5%8D%83%E4%BB%A3%E7%94%B0&limit=2",
            "/v1/postalcode",
            r#"{"q":"千代田","limit":2}"#,
        ),
        (
            "/v1/postalcode/?t=%E6%9D%B1%E4%BA%AC%E9%83%BD&explain=1",
            "/v1/postalcode/",
            r#"{"t":"東京都","explain":1}"#,
        ),
        ("/v1/school?q=code%3AF1", "/v1/school", r#"{"q":"code:F1"}"#),
        (
            "/v1/houjinbangou?q=name:x&normalize_name=true",
            "/v1/houjinbangou",
            r#"{"q":"name:x","normalize_name":true}"#,
        ),
        ("/v1/invoice?q=a", "/v1/invoice", r#"{"q":"a","mode":null}"#),
        // An invalid parameter is the same error in both.
        ("/v1/postalcode?q=x&limit=0", "/v1/postalcode", r#"{"q":"x","limit":0}"#),
        ("/v1/postalcode?q=%22", "/v1/postalcode", r#"{"q":"\""}"#),
        ("/v1/postalcode", "/v1/postalcode", "{}"),
        ("/v1/postalcode?q=x&api_version=1", "/v1/postalcode", r#"{"q":"x","api_version":"1"}"#),
        ("/v1/postalcode?q=x&limit=3", "/v1/postalcode?limit=3", r#"{"q":"x"}"#),
    ] {
        let (asked, sent) = (get(&served, target), send(&served, path, body));
        assert_eq!(asked.status, sent.status, "{target}: {} {}", asked.text(), sent.text());
        assert_eq!(asked.text(), sent.text(), "{target}");
        assert_eq!(asked.header("api-version"), sent.header("api-version"), "{target}");
        assert_eq!(asked.header("cache-control"), sent.header("cache-control"), "{target}");
    }
}

#[test]
fn an_invalid_body_is_refused_and_its_member_named() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, path: &str, body: &str, code: &str, parameter: Option<&str>) {
        send(served, path, body).expect_error(400, code, parameter);
    }
    check(&served, "/v1/school", "", "invalid_body", None);
    check(&served, "/v1/school", "[]", "invalid_body", None);
    check(&served, "/v1/school", "q=x", "invalid_body", None);
    check(&served, "/v1/school", r#"{"q":["x"]}"#, "invalid_body", Some("q"));
    check(&served, "/v1/school", r#"{"q":{"x":1}}"#, "invalid_body", Some("q"));
    check(&served, "/v1/school", r#"{"q":"x","mode":"exact"}"#, "invalid_body", Some("mode"));
    check(&served, "/v1/school", r#"{"q":"x","q":"x"}"#, "invalid_body", Some("q"));
    check(&served, "/v1/school?q=y", r#"{"q":"x"}"#, "invalid_parameter", Some("q"));
    check(&served, "/v1/school", r#"{"q":"x","limit":-1}"#, "invalid_limit", Some("limit"));
}

#[test]
fn a_search_by_post_has_the_access_rules_of_get_and_a_body_limit() {
    let served = ServerProcess::start();
    let answer = post(served.address, "/v1/houjinbangou", &served.secret, br#"{"q":"x"}"#);
    answer.expect_error(403, "plan_too_low", None);
    let answer = post(served.address, "/v1/school", "dk_sec_nobody", br#"{"q":"x"}"#);
    answer.expect_error(401, "invalid_key", None);
    assert_eq!(answer.header("connection"), Some("close"), "the body is not read");
    let large = format!(r#"{{"q":"{}"}}"#, "x".repeat(70_000));
    send(&served, "/v1/school", &large).expect_error(413, "body_too_large", None);
    let answer = send(&served, "/v1/bank", r#"{"q":"x"}"#);
    answer.expect_error(405, "method_not_allowed", None);
    let allowed = ask(served.address, "OPTIONS /v1/school");
    assert_eq!(allowed.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
}

#[test]
fn a_search_by_post_is_never_304() {
    let served = ServerProcess::start();
    let tag = get(&served, "/v1/school?q=x").header("etag").map(str::to_owned).expect("a tag");
    let mut client = Client::connect(served.address);
    let (key, body) = (&served.premium, r#"{"q":"x"}"#);
    client.send(&format!(
        "POST /v1/school HTTP/1.1\nHost: x\nAuthorization: Token {key}\nIf-None-Match: {tag}\n\
         Content-Length: {}",
        body.len()
    ));
    assert!(client.send_bytes(body.as_bytes()));
    assert_eq!(client.receive().status, 200);
}

#[test]
fn a_query_of_two_thousand_letters_is_accepted_by_get_and_by_post() {
    let served = ServerProcess::start();
    let q = "台".repeat(2000);
    let encoded = "%E5%8F%B0".repeat(2000);
    let asked = get(&served, &format!("/v1/school?q={encoded}"));
    let sent = send(&served, "/v1/school", &format!(r#"{{"q":"{q}"}}"#));
    assert_eq!((asked.status, sent.status), (200, 200), "{}", asked.text());
    assert_eq!(asked.text(), sent.text());
}
