//! `GET /v1/match/corporation` and its batch, and `mode=loose` of the corporate search, on the sample data.

use serde_json::{Value, json};

use super::support::{Answer, ServerProcess, ask, encoded, post};

fn get(server: &ServerProcess, target: &str) -> (u16, Value) {
    let head = format!("GET {target}\nAuthorization: Token {}", server.premium);
    let answer = ask(server.address, &head);
    (answer.status, answer.json())
}

/// Sends a batch with the key of the account `premium-batch`.
fn batch(server: &ServerProcess, path: &str, body: &Value) -> Answer {
    post(server.address, path, &server.premium_batch, body.to_string().as_bytes())
}

fn matched(server: &ServerProcess, name: &str, more: &str) -> Value {
    let target = format!("/v1/match/corporation?name={}{more}", encoded(name));
    let (status, mut answer) = get(server, &target);
    assert_eq!(status, 200, "{name}{more}: {answer}");
    answer["data"].take()
}

#[test]
fn a_name_is_matched_however_it_is_written() {
    let server = ServerProcess::start();
    let address = format!("&address={}", encoded("東京都千代田区大手町"));
    for name in
        ["株式会社台帳", "㈱台帳", "台帳（株） 御中", "株)台帳", " 株式会社　台帳 ", "台帳株式会社"]
    {
        let found = matched(&server, name, &address);
        assert_eq!(found["corporate_number"], "6010001999901", "{name}: {found}");
        assert!(["exact", "probable"].contains(&found["match_level"].as_str().expect("a level")));
        assert_eq!(found["candidates"][0]["corporate_number"], "6010001999901", "{found}");
        let reason = found["match_reason"].as_str().expect("reasons");
        assert!(reason.contains("name equal") && reason.contains("legal form equal"), "{reason}");
    }
    let nobody = matched(&server, "どこにもない商店", "");
    assert_eq!(
        nobody,
        json!({
            "match_level": "none", "corporate_number": null, "match_score": 0,
            "match_reason": "", "candidates": [],
        })
    );
    let elsewhere = matched(&server, "有限責任中間法人台帳", &address);
    assert_eq!(elsewhere["corporate_number"], Value::Null, "another legal form: {elsewhere}");
}

#[test]
fn a_wrong_question_is_refused() {
    let server = ServerProcess::start();
    for (parameters, code, parameter) in [
        ("", "missing_query", "name"),
        ("?name=", "missing_query", "name"),
        ("?name=a&postal_code=12", "invalid_postal_code", "postal_code"),
        ("?name=a&name=b", "invalid_parameter", "name"),
        ("?name=a&tel=12", "invalid_parameter", "tel"),
        ("?name=a&tel=03-1234-567x", "invalid_parameter", "tel"),
        ("?name=a&tel=1312345678", "invalid_parameter", "tel"),
        ("?name=a&version=x", "invalid_version", "version"),
    ] {
        let (status, answer) = get(&server, &format!("/v1/match/corporation{parameters}"));
        assert_eq!((status, &answer["code"]), (400, &json!(code)), "{parameters}: {answer}");
        assert_eq!(answer["parameter"], parameter, "{answer}");
    }
}

#[test]
fn a_telephone_number_is_checked_and_said_not_to_be_compared() {
    let server = ServerProcess::start();
    let plain = matched(&server, "㈱台帳", "");
    let said = "; telephone number not compared: the register has none";
    for tel in ["0312345678", "03-1234-5678", "（０３）１２３４－５６７８", "+81 90 1234 5678"]
    {
        let found = matched(&server, "㈱台帳", &format!("&tel={}", encoded(tel)));
        let reason = plain["match_reason"].as_str().expect("reasons").to_owned() + said;
        assert_eq!(found["match_reason"], reason, "{tel}");
        assert_eq!(found["match_score"], plain["match_score"], "{tel}");
    }
    let body = json!({"queries": [{"name": "㈱台帳", "tel": "03-1234-5678"}]});
    let answer = batch(&server, "/v1/batch/match/corporation", &body).json();
    let reason = answer["records"][0]["match"]["match_reason"].as_str().expect("reasons");
    assert!(reason.ends_with(said), "{reason}");
}

#[test]
fn a_name_is_not_the_only_one_of_the_country_in_data_of_some_prefectures() {
    let server = ServerProcess::start();
    let found = matched(&server, "一般社団法人日本台帳協会", "");
    let reason = found["match_reason"].as_str().expect("reasons");
    assert!(reason.contains("only one of its name in the data"), "{reason}");
    assert_eq!(found["match_level"], "review", "{found}");
}

#[test]
fn a_batch_matches_each_name_in_its_order() {
    let server = ServerProcess::start();
    let path = "/v1/batch/match/corporation";
    let body = json!({"queries": [
        {"name": "㈱台帳", "address": "千代田区大手町", "id": "1"},
        {"name": "どこにもない商店", "postal_code": "100-0004"},
    ]});
    let answer = batch(&server, path, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let records = answer.json()["records"].take();
    assert_eq!(records[0]["match"]["corporate_number"], "6010001999901", "{records}");
    assert_eq!(records[0]["data"][0]["corporate_number"], "6010001999901", "{records}");
    assert_eq!((&records[0]["id"], &records[1]["id"]), (&json!("1"), &Value::Null));
    assert_eq!(
        (&records[1]["data"], &records[1]["match"]["match_level"]),
        (&json!([]), &json!("none"))
    );
    for (body, code) in [
        (json!({}), "invalid_body"),
        (json!({"queries": [{}]}), "invalid_body"),
        (json!({"queries": [{"name": " "}]}), "invalid_body"),
        (json!({"queries": [{"name": "a", "postal_code": "x"}]}), "invalid_postal_code"),
        (json!({"queries": [{"name": "a", "tel": "x"}]}), "invalid_parameter"),
    ] {
        let answer = batch(&server, path, &body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
        assert_eq!(answer.json()["code"], code, "{body}");
    }
}

#[test]
fn loose_names_are_found_by_the_search_and_its_batch() {
    let server = ServerProcess::start();
    let first = |q: &str| {
        let (status, answer) =
            get(&server, &format!("/v1/houjinbangou?mode=loose&q={}", encoded(q)));
        assert_eq!(status, 200, "{q}: {answer}");
        answer["data"][0]["corporate_number"].as_str().unwrap_or_default().to_owned()
    };
    for q in [
        "(株)台帳",
        "株)台帳",
        "㈱ 台 帳",
        "台帳株式会社",
        "6010001999901",
        "T6010001999901",
        "\"㈱台帳\"",
        "name:㈱台帳 AND prefecture_name:東京都",
    ] {
        assert_eq!(first(q), "6010001999901", "{q}");
    }
    assert_eq!(first("どこにもない商店"), "");
    let (status, answer) = get(&server, "/v1/houjinbangou?mode=loose&q=name:%28a");
    assert_eq!((status, &answer["code"]), (400, &json!("invalid_query")), "an expression");
    let path = "/v1/batch/houjinbangou/search";
    let answer = batch(&server, path, &json!({"mode": "loose", "queries": [{"q": "(株)台帳"}]}));
    let found = answer.json();
    assert_eq!(found["records"][0]["data"][0]["corporate_number"], "6010001999901", "{found}");
    assert_eq!(found["params"], json!({"default_limit": 1, "mode": "loose"}));
    let wrong = batch(&server, path, &json!({"mode": "x", "queries": []}));
    assert!(
        wrong.status == 400 && wrong.text().contains("exact_with_kind, loose"),
        "{}",
        wrong.text()
    );
}
