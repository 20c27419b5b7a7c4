//! The API version of an answer: from the header, the parameter, the account, or the newest.

use crate::support::{API_VERSIONS, NEWEST, ServerProcess, ask};

#[test]
fn the_order_is_header_parameter_account_newest() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, key: &str, query: &str, headers: &str, expected: &str) {
        let head =
            format!("GET /v1/postalcode/1000001?{query}\nAuthorization: Token {key}\n{headers}");
        let answer = ask(served.address, &head);
        assert_eq!((answer.status, answer.header("api-version")), (200, Some(expected)));
        let fields = answer.json()["data"][0].as_object().map(|record| record.len());
        assert_eq!(fields, Some(if expected == "2022-09-01" { 20 } else { 35 }));
    }
    let (new, old) = (&served.secret, &served.old);
    check(&served, new, "", "", NEWEST);
    check(&served, old, "", "", "2022-09-01");
    check(&served, old, "api_version=2024-01-01", "", "2024-01-01");
    check(&served, old, "api_version=2024-01-01", "API-Version: 2025-01-01", "2025-01-01");
    let both = "API-Version: 2025-01-01\nKenAll-API-Version: 2022-11-01";
    check(&served, old, "api_version=2024-01-01", both, "2022-11-01");
    check(&served, new, "", "kenall-api-version: 2022-09-01", "2022-09-01");
    // The parameter `version` is the data version, never the API version.
    check(&served, new, "version=2026-05-29", "", NEWEST);
    // An invalid value is ignored if a value of higher rank is present.
    check(&served, new, "api_version=x", "API-Version: 2023-09-01", "2023-09-01");
}

#[test]
fn an_unknown_version_is_400_and_lists_the_known_ones() {
    let served = ServerProcess::start();
    for (query, headers) in [
        ("api_version=2026-08-02", ""),
        ("api_version=", ""),
        ("api_version=latest", ""),
        ("", "KenAll-API-Version: 2021-01-01"),
        ("", "API-Version: 2026-8-1"),
        ("", "API-Version:"),
        (&format!("api_version={NEWEST}"), "API-Version: x"),
    ] {
        let answer = served.get_with(&format!("/v1/whoami?{query}"), headers);
        answer.expect_error(400, "unknown_api_version", Some("api_version"));
        assert_eq!(answer.header("api-version"), Some(NEWEST));
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        for known in API_VERSIONS {
            assert!(detail.contains(known), "{detail}");
        }
    }
    let twice = served.get(&format!("/v1/whoami?api_version={NEWEST}&api_version={NEWEST}"));
    twice.expect_error(400, "invalid_parameter", Some("api_version"));
}

#[test]
fn every_answer_has_its_version_in_a_header() {
    let served = ServerProcess::start();
    for (head, status) in [
        ("GET /healthz", 200),
        ("GET /nothing", 404),
        ("POST /v1/whoami", 405),
        ("GET /v1/whoami", 401),
        ("OPTIONS /v1/whoami", 204),
        ("GET /metrics", 200),
    ] {
        for (headers, expected) in [("", NEWEST), ("API-Version: 2024-01-01", "2024-01-01")] {
            let answer = ask(served.address, &format!("{head}\n{headers}"));
            assert_eq!((answer.status, answer.header("api-version")), (status, Some(expected)));
        }
    }
    let head = format!("GET /v1/cities/x\nAuthorization: Token {}", served.old);
    assert_eq!(ask(served.address, &head).header("api-version"), Some("2022-09-01"));
}
