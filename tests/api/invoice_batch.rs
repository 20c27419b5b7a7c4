//! `POST /v1/batch/invoice/search`: many issuers at once.

use serde_json::{Value, json};

use crate::invoice::{SHOP, data};
use crate::support::{Answer, Client, ServerProcess, post};

const BATCH: &str = "/v1/batch/invoice/search";

fn batch(server: &ServerProcess, target: &str, body: &str) -> Answer {
    post(server.address, target, &server.premium_batch, body.as_bytes())
}

#[test]
fn a_batch_has_an_answer_for_each_number_in_order() {
    let server = ServerProcess::start();
    let body = json!({
        "default_date": "2024-06-01",
        "queries": [
            {"number": "T6010001999901", "id": "row 1"},
            {"number": "T5010002999901"},
            {"number": "T5010002999901", "date": "2025-01-01", "id": null},
            {"number": "T7010001999901", "id": "wrong check digit"},
            {"number": "T9810999999902", "date": null},
        ],
        "something": {"else": []},
    });
    let answer = batch(&server, BATCH, &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    assert_eq!(found["version"], "2026-08-04");
    assert_eq!(found["params"], json!({"default_date": "2024-06-01"}));
    let records = found["records"].as_array().expect("a list");
    let seen: Vec<Value> = records
        .iter()
        .map(|record| {
            json!([record["query"], record["registered_on_date"], record["count"], record["id"]])
        })
        .collect();
    assert_eq!(
        json!(seen),
        json!([
            ["T6010001999901", true, 1, "row 1"],
            ["T5010002999901", false, 1, null],
            ["T5010002999901", true, 1, null],
            ["T7010001999901", null, 0, "wrong check digit"],
            ["T9810999999902", true, 1, null],
        ])
    );
    for record in records {
        assert_eq!(record.as_object().map(|members| members.len()), Some(8));
        let rest = (&record["offset"], &record["limit"], &record["facets"]);
        assert_eq!(rest, (&json!(0), &json!(1), &Value::Null));
    }
    assert_eq!(records[0]["data"], json!([data(&server, SHOP)]));
    assert_eq!(records[3]["data"], json!([]));
    let before = r#"{"queries":[{"number":"T3010003999902"}]}"#;
    let before = batch(&server, &format!("{BATCH}/?version=2026-07-31"), before).json();
    assert_eq!(
        (&before["version"], &before["records"][0]["count"]),
        (&json!("2026-07-31"), &json!(1))
    );
    assert_eq!(before["params"], json!({"default_date": null}));
    assert_eq!(before["records"][0]["registered_on_date"], Value::Null);
}

#[test]
fn one_invalid_query_fails_the_batch_and_is_named() {
    let server = ServerProcess::start();
    let good = r#"{"number":"T6010001999901"}"#;
    for (wrong, code, parameter) in [
        ("{}", "invalid_body", "queries[1].number"),
        (r#"{"number":""}"#, "invalid_invoice_number", "queries[1].number"),
        (r#"{"number":6010001999901}"#, "invalid_body", "queries[1].number"),
        (r#"{"number":"6010001999901"}"#, "invalid_invoice_number", "queries[1].number"),
        (r#"{"number":"t6010001999901"}"#, "invalid_invoice_number", "queries[1].number"),
        (r#"{"number":"T601000199990"}"#, "invalid_invoice_number", "queries[1].number"),
        (r#"{"number":"T6010001999901","date":"today"}"#, "invalid_date", "queries[1].date"),
        (r#"{"number":"T6010001999901","date":1}"#, "invalid_body", "queries[1].date"),
        (r#"{"number":"T6010001999901","id":1}"#, "invalid_body", "queries[1].id"),
        (r#"{"number":"T1","number":"T1"}"#, "invalid_body", "queries[1].number"),
        ("null", "invalid_body", "queries[1]"),
    ] {
        let answer = batch(&server, BATCH, &format!("{{\"queries\":[{good},{wrong}]}}"));
        answer.expect_error(400, code, Some(parameter));
    }
    let dated = batch(&server, BATCH, r#"{"default_date":"2026-02-30","queries":[]}"#);
    dated.expect_error(400, "invalid_date", Some("default_date"));
    batch(&server, BATCH, "{}").expect_error(400, "invalid_body", Some("queries"));
    let many = |count| json!({"queries": vec![json!({"number": SHOP}); count]}).to_string();
    let answer = batch(&server, BATCH, &many(1_000));
    assert_eq!(answer.json()["records"].as_array().map(Vec::len), Some(1_000));
    let over = batch(&server, BATCH, &many(1_001));
    over.expect_error(400, "too_many_queries", Some("queries"));
}

#[test]
fn a_batch_needs_a_secret_key_the_plan_and_the_option() {
    let server = ServerProcess::start();
    let body = br#"{"queries":[]}"#;
    let ask_with = |key: &str| post(server.address, BATCH, key, body);
    assert_eq!(ask_with(&server.premium_batch).status, 200);
    ask_with(&server.premium).expect_error(403, "batch_option_missing", None);
    ask_with(&server.batch).expect_error(403, "plan_too_low", None);
    ask_with(&server.public).expect_error(401, "secret_key_required", None);
    let old = batch(&server, &format!("{BATCH}?api_version=2023-09-01"), r#"{"queries":[]}"#);
    old.expect_error(404, "no_such_endpoint", None);
    // The answer does not wait for the body.
    let mut client = Client::connect(server.address);
    client.send(&format!(
        "POST {BATCH} HTTP/1.1\nHost: x\nAuthorization: Token {}\nAPI-Version: 2023-09-01\n\
         Content-Length: 1000",
        server.premium_batch
    ));
    let answer = client.receive();
    answer.expect_error(404, "no_such_endpoint", None);
    assert_eq!(answer.header("api-version"), Some("2023-09-01"));
}
