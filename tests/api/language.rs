//! Errors in Japanese: only where the client prefers it, and only the texts for people.

use crate::support::{Answer, ServerProcess, ask};

fn error(served: &ServerProcess, target: &str, headers: &str) -> Answer {
    ask(served.address, &format!("GET {target}\nAuthorization: Token {}{headers}", served.secret))
}

#[test]
fn title_and_detail_follow_the_language_and_nothing_else_does() {
    let served = ServerProcess::start();
    for (target, status, code, parameter, title, detail) in [
        (
            "/v1/postalcode/12345",
            400,
            "invalid_postal_code",
            Some("postal_code"),
            "郵便番号が不正",
            "郵便番号は7桁の数字です。5文字でした",
        ),
        (
            "/v1/postalcode?limit=0&q=%E5%8F%B0%E5%B8%B3",
            400,
            "invalid_limit",
            Some("limit"),
            "limitが不正",
            "1から100までの整数が必要ですが、\"0\"でした",
        ),
        (
            "/v1/postalcode?q=%E5%8F%B0%E5%B8%B3%20AND",
            400,
            "invalid_query",
            Some("q"),
            "検索式が不正",
            "検索式の7文字目: ANDの後にキーワードが必要ですが、検索式の終わりでした。演算子や記号を探すには二重引用符で囲んでください",
        ),
        (
            "/v1/nothing",
            404,
            "no_such_endpoint",
            None,
            "エンドポイントがない",
            "このパスのエンドポイントはありません",
        ),
    ] {
        let english = error(&served, target, "");
        let japanese = error(&served, target, "\nAccept-Language: ja-JP,ja;q=0.9,en;q=0.8");
        japanese.expect_error(status, code, parameter);
        let body = japanese.json();
        assert_eq!((&body["title"], &body["detail"]), (&title.into(), &detail.into()), "{target}");
        assert_eq!(japanese.header("content-language"), Some("ja"));
        let vary = japanese.headers.iter().filter(|(name, _)| name == "vary");
        let vary: Vec<&str> = vary.map(|(_, value)| value.as_str()).collect();
        assert!(vary.join(", ").contains("Accept-Language"), "{vary:?}");

        let mut same = english.json();
        assert!(same["detail"].as_str().is_some_and(str::is_ascii), "{same}");
        same["title"] = body["title"].clone();
        same["detail"] = body["detail"].clone();
        assert_eq!(same, body, "{target}");
    }
}

#[test]
fn without_the_wish_for_japanese_answers_stay_as_they_are() {
    let served = ServerProcess::start();
    let plain = error(&served, "/v1/postalcode/12345", "");
    for accepted in ["en", "en-US,en;q=0.9,ja;q=0.8", "fr", "*", "ja;q=0", ";;,", ""] {
        let headers = format!("\nAccept-Language: {accepted}");
        let answer = error(&served, "/v1/postalcode/12345", &headers);
        assert_eq!(answer.body, plain.body, "{accepted}");
        for name in ["content-language", "vary"] {
            assert_eq!(answer.header(name), plain.header(name), "{accepted}");
        }
    }
    assert_eq!(plain.header("content-language"), None);
    // An answer that is no error has no text to translate.
    let found = |headers| error(&served, "/v1/postalcode/1000001", headers);
    let (english, japanese) = (found(""), found("\nAccept-Language: ja"));
    assert_eq!((english.status, &english.body), (200, &japanese.body));
    assert_eq!(japanese.header("content-language"), None);
}

#[test]
fn a_value_of_the_client_is_repeated_as_it_was_sent() {
    let served = ServerProcess::start();
    for (sent, shown) in [("none", "\"none\""), ("a%3B+b", "\"a; b\""), ("%22%0A", "\"\\\"\\n\"")] {
        let target = format!("/v1/postalcode?q=%E5%8F%B0%E5%B8%B3&limit={sent}");
        let answer = error(&served, &target, "\nAccept-Language: ja").json();
        let detail = answer["detail"].as_str().unwrap_or_default();
        assert_eq!(detail, format!("1から100までの整数が必要ですが、{shown}でした"));
    }
}

#[test]
fn errors_outside_the_table_of_endpoints_are_in_japanese_too() {
    let served = ServerProcess::start();
    for (request, code) in [
        ("GET /v1/postalcode/1000001\nAccept-Language: ja", "missing_key"),
        (
            "GET /v1/postalcode/1000001\nAuthorization: Bearer x\nAccept-Language: ja",
            "unsupported_scheme",
        ),
        ("POST /docs/\nAccept-Language: ja", "method_not_allowed"),
    ] {
        let answer = ask(served.address, request);
        let body = answer.json();
        assert_eq!(body["code"], code, "{request}: {body}");
        let detail = body["detail"].as_str().unwrap_or_default();
        assert!(!detail.is_ascii(), "{request}: {detail}");
        assert_eq!(answer.header("content-language"), Some("ja"), "{request}");
    }
}

#[test]
fn foreign_protocols_and_agents_keep_their_language() {
    let served = ServerProcess::start();
    let mcp = "POST /mcp\nAccept-Language: ja\nContent-Length: 0";
    let answer = ask(served.address, mcp);
    let detail = answer.json()["detail"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(answer.status >= 400 && !detail.is_empty() && detail.is_ascii(), "{answer:?}");
    assert_eq!(answer.header("content-language"), None);
}
