//! The parameter `explain=1` of the address search and of its batch.

use serde_json::{Value, json};

use crate::search::search;
use crate::support::ServerProcess;

fn explained(served: &ServerProcess, text: &str) -> Value {
    let answer = search(served, &[("t", text), ("explain", "1")]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["explain"].take()
}

#[test]
fn each_component_has_its_byte_range_and_a_reason() {
    let served = ServerProcess::start();
    let text = "千代田区千代田１－１";
    let explain = explained(&served, text);
    assert_eq!(explain["match"], "full");
    let expected = json!([
        {"component": "prefecture", "start": null, "end": null, "read": null,
         "became": "東京都", "why": "completed"},
        {"component": "city", "start": 0, "end": 12, "read": "千代田区",
         "became": "千代田区", "why": "as_is"},
        {"component": "town", "start": 12, "end": 21, "read": "千代田",
         "became": "千代田", "why": "as_is"},
        {"component": "block_lot_num", "start": 21, "end": 30, "read": "１－１",
         "became": "1-1", "why": "variant"},
    ]);
    assert_eq!(explain["components"], expected);
    assert_eq!((&explain["corrections"], &explain["candidates"]), (&json!([]), &json!([])));
    for (text, level) in [
        ("東京都千代田区千代田", "town"),
        ("東京都千代田区", "city"),
        ("東京都", "prefecture"),
        ("どこか", "none"),
    ] {
        assert_eq!(explained(&served, text)["match"], level, "{text}");
    }
}

#[test]
fn the_candidates_of_an_ambiguous_address_are_listed() {
    let served = ServerProcess::start();
    let explain = explained(&served, "新潟市");
    let found: Vec<&str> = explain["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|city| city["city"].as_str().expect("a name"))
        .collect();
    assert!(found.contains(&"新潟市北区") && found.contains(&"新潟市江南区"), "{found:?}");
    assert_eq!(explain["candidates"][0]["prefecture"], "新潟県");
    assert_eq!(explain["candidates"][0]["jisx0402"], "15101");
}

#[test]
fn the_candidates_of_an_ambiguous_town_are_ordered_by_likelihood() {
    let served = ServerProcess::start();
    let check = |text: &str, expected: &[(&str, &str)]| {
        let explain = explained(&served, text);
        let found = explain["candidates"].as_array().expect("a list").iter();
        let text_of = |one: &Value, name: &str| one[name].as_str().expect("a name").to_owned();
        let found: Vec<_> =
            found.map(|one| (text_of(one, "jisx0402"), text_of(one, "town"))).collect();
        let expected: Vec<_> =
            expected.iter().map(|(code, town)| ((*code).to_owned(), (*town).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    };
    // Each ward has one record of the town; the ward with more records in all comes first.
    let both = [("15101", "細山"), ("15104", "細山")];
    check("細山1-1", &both);
    // Both wards also have the postal code, so it does not decide.
    check("〒950-0102 細山1-1", &both);
    check("新潟県細山1-1", &both);
    check("岐阜県細山1-1", &[]);
    for one_or_none in ["新潟市北区細山1-1", "どこか", "細", "細山田1-1"] {
        check(one_or_none, &[]);
    }
    let wards = explained(&served, "新潟市");
    assert_eq!(wards["candidates"][0]["town"], Value::Null);
}

#[test]
fn an_answer_has_an_explanation_only_if_requested() {
    let served = ServerProcess::start();
    let address = ("t", "東京都千代田区千代田1-1");
    let plain = search(&served, &[address]).text();
    assert!(!plain.contains("explain"), "{plain}");
    for off in ["0", ""] {
        let found = search(&served, &[address, ("explain", off)]);
        assert_eq!(found.text(), plain, "{off:?}");
    }
    let by_words = search(&served, &[("q", "千代田"), ("explain", "1")]);
    assert_eq!(by_words.json().get("explain"), Some(&Value::Null));
    for bad in ["2", "true", "yes", "１"] {
        let answer = search(&served, &[address, ("explain", bad)]);
        assert_eq!(answer.status, 400, "{bad:?}");
        assert_eq!(answer.json()["parameter"], "explain");
    }
}

#[test]
fn a_batch_explains_each_address() {
    let served = ServerProcess::start();
    let post = |explain: Value| {
        let body = json!({"queries": [{"t": "千代田区千代田1-1"}, {"t": ""}], "explain": explain});
        served.post("/v1/batch/postalcode/search", body.to_string())
    };
    let answer = post(json!(1)).json();
    let single = explained(&served, "千代田区千代田1-1");
    assert_eq!(answer["records"][0]["explain"], single);
    assert_eq!(answer["records"][1]["explain"]["match"], "none");
    for off in [json!(0), Value::Null] {
        assert_eq!(post(off).json()["records"][0].get("explain"), None);
    }
    for bad in [json!(2), json!(-1), json!("1"), json!(true), json!([])] {
        let answer = post(bad.clone());
        assert_eq!(answer.status, 400, "{bad}");
        assert_eq!(answer.json()["parameter"], "explain", "{bad}");
    }
}
