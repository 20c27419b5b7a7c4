//! `/v1/bank/yucho` and `/v1/bank/transfer-name` on the sample data, whose bank of the type yucho is 9991.

use serde_json::{Value, json};

use crate::support::{ServerProcess, ask, encoded};

const ACCOUNT: &str = r#"{"version":"2026-05-25","data":{"symbol":"10010","number":"12345671","bank_code":"9991","branch":{"code":"008","name":"〇〇八","katakana":"ゼロゼロハチ","hiragana":"ぜろぜろはち","romaji":"zerozerohachi"},"account_type":"ordinary","account_number":"1234567"}}"#;

#[test]
fn an_account_has_two_names() {
    let served = ServerProcess::start();
    for query in [
        "symbol=10010&number=12345671",
        "symbol=10010-1&number=12345671",
        "symbol=%EF%BC%91%EF%BC%90%EF%BC%90%EF%BC%91%EF%BC%90&number=12345671",
        "branch_code=008&account_number=1234567",
        "symbol=10010&number=12345671&branch_code=008&account_number=1234567",
        "symbol=10010&branch_code=008&account_number=1234567",
    ] {
        let answer = served.get(&format!("/v1/bank/yucho?{query}"));
        assert_eq!((answer.status, answer.text()), (200, ACCOUNT.to_owned()), "{query}");
    }
    let short = served.get("/v1/bank/yucho?branch_code=008&account_number=1").json();
    assert_eq!([&short["data"]["number"], &short["data"]["account_number"]], ["11", "0000001"]);
}

#[test]
fn a_wrong_part_of_an_account_is_named() {
    let served = ServerProcess::start();
    for (query, status, code, parameter, detail) in [
        (
            "symbol=10020&number=12345671",
            400,
            "invalid_account",
            "symbol",
            "expected 1 as the fourth digit of the symbol, the check digit of symbol and number; found 2",
        ),
        ("symbol=10010&number=12345681", 400, "invalid_account", "symbol", "the check digit"),
        ("symbol=20010&number=12345671", 400, "invalid_account", "symbol", "five digits"),
        ("symbol=1001&number=12345671", 400, "invalid_account", "symbol", "found \\\"1001\\\""),
        ("symbol=10010&number=12345672", 400, "invalid_account", "number", "ends in 1"),
        ("symbol=00100&number=1234567", 400, "invalid_account", "number", "one to six digits"),
        (
            "branch_code=007&account_number=1",
            400,
            "invalid_branch_code",
            "branch_code",
            "ends in 8 or 9; found 007",
        ),
        ("branch_code=08&account_number=1", 400, "invalid_branch_code", "branch_code", "3 digits"),
        (
            "branch_code=008&account_number=12345678",
            400,
            "invalid_account",
            "account_number",
            "one to seven digits",
        ),
        ("branch_code=998&account_number=1", 404, "no_such_branch", "branch_code", "998"),
        (
            "",
            400,
            "invalid_parameter",
            "symbol",
            "expected symbol and number, or branch_code and account_number; found none",
        ),
        ("symbol=10010", 400, "invalid_parameter", "number", "found symbol"),
        (
            "symbol=10010&branch_code=008",
            400,
            "invalid_parameter",
            "number",
            "found symbol, branch_code",
        ),
        (
            "symbol=10010&number=12345671&branch_code=018",
            400,
            "invalid_account",
            "branch_code",
            "expected 008, as the other parameters say",
        ),
        (
            "symbol=10010&number=12345671&account_number=1",
            400,
            "invalid_account",
            "account_number",
            "expected 1234567",
        ),
        (
            "symbol=10020&branch_code=008&account_number=1234567",
            400,
            "invalid_account",
            "symbol",
            "expected 10010",
        ),
        (
            "number=11&branch_code=008&account_number=1234567",
            400,
            "invalid_account",
            "number",
            "expected 12345671",
        ),
        (
            "symbol=10010&symbol=10010&number=11",
            400,
            "invalid_parameter",
            "symbol",
            "found it twice",
        ),
    ] {
        let answer = served.get(&format!("/v1/bank/yucho?{query}"));
        answer.expect_error(status, code, Some(parameter));
        assert!(answer.text().contains(detail), "{query}: {}", answer.text());
    }
    let unknown = served.get("/v1/bank/yucho?symbol=10010&number=12345671&version=2020-01-01");
    unknown.expect_error(404, "no_such_version", Some("version"));
    ask(served.address, "GET /v1/bank/yucho").expect_error(401, "missing_key", None);
    served.get("/v1/bank/yucho?api_version=2022-11-01").expect_error(404, "no_such_endpoint", None);
}

/// The answer for a name, with a key of the plan premium.
#[track_caller]
fn payee(served: &ServerProcess, query: &str) -> Value {
    let head =
        format!("GET /v1/bank/transfer-name?{query}\nAuthorization: Token {}", served.premium);
    let answer = ask(served.address, &head);
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer.json()
}

#[test]
fn a_name_is_written_with_the_reading_that_is_given_or_registered() {
    let served = ServerProcess::start();
    for (name, reading, expected, from) in [
        ("株式会社だいちょう", "", "ｶ)ﾀﾞｲﾁﾖｳ", "given"),
        ("ダイチョウ（株）", "", "ﾀﾞｲﾁﾖｳ(ｶ", "given"),
        ("株式会社見本", "みほん", "ｶ)ﾐﾎﾝ", "given"),
        ("ｶ)ﾀﾞｲﾁﾖｳ", "", "ｶ)ﾀﾞｲﾁﾖｳ", "given"),
        ("株式会社台帳", "", "ｶ)ﾀﾞｲﾁﾖｳ", "corporation"),
        ("㈱台帳", "", "ｶ)ﾀﾞｲﾁﾖｳ", "corporation"),
        ("株式会社台帳北海道", "", "ｶ)ﾀﾞｲﾁﾖｳﾎﾂｶｲﾄﾞｳ", "corporation"),
        ("一般社団法人日本台帳協会", "", "ｼﾔ)ﾆﾂﾎﾟﾝﾀﾞｲﾁﾖｳｷﾖｳｶｲ", "corporation"),
        ("台帳神社", "", "ﾀﾞｲﾁﾖｳｼﾞﾝｼﾞﾔ", "corporation"),
        ("ＡＢＣ合同会社", "", "ABC(ﾄﾞ", "given"),
    ] {
        let query = format!("name={}&reading={}", encoded(name), encoded(reading));
        let found = payee(&served, &query);
        assert_eq!(found["data"]["transfer_name"], expected, "{name}: {found}");
        assert_eq!(found["data"]["reading_from"], from, "{name}");
        assert_eq!(found["data"]["unread"], "", "{name}");
        assert_eq!(found["version"], "2026-08-03");
    }
    let found = payee(&served, &format!("name={}", encoded("株式会社台帳")));
    let corporation = &found["data"]["corporations"][0];
    assert_eq!(corporation["corporate_number"], "6010001999901");
    assert_eq!(corporation["furigana"], "ダイチョウ");
}

#[test]
fn a_reading_that_is_not_known_is_not_guessed() {
    let served = ServerProcess::start();
    for (name, unread) in [
        ("株式会社見つからない商店", "見"),
        ("台帳合名会社", "台帳"),
        ("台帳北海道", "台帳北海道"),
        ("A&B", "&"),
    ] {
        let found = payee(&served, &format!("name={}", encoded(name)));
        assert_eq!(found["data"]["transfer_name"], Value::Null, "{name}: {found}");
        assert_eq!(found["data"]["reading_from"], Value::Null, "{name}");
        assert_eq!(found["data"]["unread"], unread, "{name}");
    }
    // The kind word is missing, so the names of all kinds are listed and none is chosen.
    let found = payee(&served, &format!("name={}", encoded("台帳北海道")));
    assert_eq!(found["data"]["corporations"][0]["transfer_name"], "ｶ)ﾀﾞｲﾁﾖｳﾎﾂｶｲﾄﾞｳ");
    // The plan standard has no data of corporations.
    let standard = served.get(&format!("/v1/bank/transfer-name?name={}", encoded("株式会社台帳")));
    let expected = json!({ "version": null, "data": {
        "name": "株式会社台帳", "transfer_name": null, "reading_from": null, "unread": "台帳", "corporations": [],
    }});
    assert_eq!((standard.status, standard.json()), (200, expected));
    for (query, parameter, detail) in [
        ("", "name", "expected name"),
        ("name=", "name", "expected name"),
        ("name=%E3%80%80", "name", "expected a name; found none"),
        ("name=%FF", "name", "UTF-8"),
        ("name=a&name=b", "name", "found it twice"),
        ("name=%E5%8F%B0&reading=%E5%8F%B0", "reading", "or a reading of 台"),
        (&format!("name={}", "a".repeat(201)), "name", "at most 200 letters; found 201"),
    ] {
        let answer = served.get(&format!("/v1/bank/transfer-name?{query}"));
        answer.expect_error(400, "invalid_parameter", Some(parameter));
        assert!(answer.text().contains(detail), "{query}: {}", answer.text());
    }
}
