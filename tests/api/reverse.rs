//! `/v1/reverse`, its batch, and `near` of the address search, on the sample data.

use serde_json::{Value, json};

use crate::support::{NEWEST, ServerProcess, encoded};

/// Address, level and distance of each place.
fn found(answer: &Value) -> Vec<(String, String, u64)> {
    let places = answer["data"].as_array().expect("a list").iter();
    let text = |place: &Value, name: &str| place[name].as_str().expect("a text").to_owned();
    places
        .map(|it| {
            let metres = it["distance"].as_u64().expect("metres");
            (text(it, "address"), text(it, "level"), metres)
        })
        .collect()
}

#[test]
fn the_nearest_towns_come_first_with_their_codes() {
    let served = ServerProcess::start();
    let target = "/v1/reverse?lat=35.682&lon=139.767&limit=2";
    for version in ["2022-09-01", NEWEST] {
        let answer = served.get_with(target, &format!("API-Version: {version}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let body = answer.json();
        let nearest = json!({
            "jisx0402": "13101",
            "address": "東京都千代田区丸の内一丁目",
            "prefecture": "東京都",
            "prefecture_kana": "トウキョウト",
            "city": "千代田区",
            "city_kana": "チヨダク",
            "town": "丸の内",
            "town_kana": "マルノウチ",
            "chome": 1,
            "koaza": "",
            "postal_codes": ["1000005"],
            "level": "chome",
            "lat": 35.682,
            "lon": 139.767,
            "distance": 0,
        });
        assert_eq!(body["data"][0], nearest, "{version}");
        assert_eq!(body["version"], "2026-06-30");
        assert_eq!(body["query"], json!({"lat": 35.682, "lon": 139.767}));
        assert_eq!((&body["limit"], &body["reason"]), (&json!(2), &Value::Null));
        assert!(body["note"].as_str().expect("a note").contains("not their boundaries"), "{body}");
        let places = found(&body);
        let second = ("東京都千代田区丸の内二丁目".to_owned(), "chome".to_owned(), 351);
        assert_eq!(places[1..], [second]);
    }
    // Ten without a limit; distances ascend.
    let body = served.get("/v1/reverse?lat=35.68&lon=139.76").json();
    let metres: Vec<u64> = found(&body).into_iter().map(|(_, _, metres)| metres).collect();
    assert!(metres.len() > 5 && metres.is_sorted(), "{metres:?}");
    assert_eq!(body["limit"], 10);
}

#[test]
fn a_town_and_its_koaza_have_their_levels() {
    let served = ServerProcess::start();
    let body = served.get("/v1/reverse?lat=40.61&lon=141.32").json();
    let places = found(&body);
    assert_eq!(places[0], ("青森県上北郡六戸町折茂".to_owned(), "town".to_owned(), 0));
    assert_eq!(body["data"][0]["chome"], Value::Null);
    let koaza = places.iter().find(|(_, level, _)| level == "koaza").expect("今熊");
    assert_eq!(koaza.0, "青森県上北郡六戸町折茂今熊");
}

#[test]
fn a_location_without_a_town_says_why() {
    let served = ServerProcess::start();
    for (location, reason) in [
        ("lat=48.8566&lon=2.3522", "outside_japan"),
        ("lat=0&lon=0", "outside_japan"),
        ("lat=30&lon=150", "no_place_within_10_km"),
        // Eleven kilometres from the only town of the sample there.
        ("lat=34.62&lon=137.7", "no_place_within_10_km"),
    ] {
        let answer = served.get(&format!("/v1/reverse?{location}"));
        assert_eq!(answer.status, 200, "{location}: {}", answer.text());
        let body = answer.json();
        assert_eq!((&body["data"], &body["reason"]), (&json!([]), &json!(reason)), "{location}");
    }
    let near = served.get("/v1/reverse?lat=34.64&lon=137.7").json();
    assert_eq!((found(&near).len(), &near["reason"]), (1, &Value::Null));
}

#[test]
fn wrong_coordinates_are_named_with_what_was_expected() {
    let served = ServerProcess::start();
    for (query, parameter, expected) in [
        ("", "lat", "expected lat (a latitude in decimal degrees); found none"),
        ("lat=35.68", "lon", "expected lon (a longitude in decimal degrees); found none"),
        ("lat=&lon=139", "lat", "found none"),
        ("lat=139.76&lon=35.68", "lat", "exchange latitude and longitude"),
        ("lat=91&lon=35.68", "lat", "a latitude of -90 to 90 degrees; found 91"),
        ("lat=35&lon=181", "lon", "a longitude of -180 to 180 degrees; found 181"),
        ("lat=NaN&lon=139", "lat", "such as 35.681236; found \"NaN\""),
        ("lat=35&lon=inf", "lon", "such as 139.767125; found \"inf\""),
        ("lat=35%C2%B040%27&lon=139", "lat", "a latitude in decimal degrees"),
        ("lat=%EF%BC%93%EF%BC%95&lon=139", "lat", "found \"３５\""),
    ] {
        let answer = served.get(&format!("/v1/reverse?{query}"));
        answer.expect_error(400, "invalid_coordinates", Some(parameter));
        let detail = answer.json()["detail"].as_str().expect("a text").to_owned();
        assert!(detail.contains(expected), "{query}: {detail}");
    }
    served.get("/v1/reverse?lat=35&lon=139&limit=0").expect_error(
        400,
        "invalid_limit",
        Some("limit"),
    );
    served.get("/v1/reverse?lat=1&lat=2&lon=3").expect_error(400, "invalid_parameter", Some("lat"));
    let japanese = served.get_with("/v1/reverse?lat=139&lon=35", "Accept-Language: ja").json();
    let detail = japanese["detail"].as_str().expect("a text");
    assert!(detail.contains("緯度と経度を入れ替えて"), "{detail}");
}

#[test]
fn a_version_without_coordinates_says_how_to_build_them() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/reverse?lat=35.68&lon=139.76&version=2026-05-29");
    answer.expect_error(404, "no_coordinates", None);
    assert!(answer.text().contains("daicho build postal --towns FILE"), "{}", answer.text());
    let body = json!({"queries": [{"lat": 35.68, "lon": 139.76}]}).to_string();
    let batch = served.post("/v1/batch/reverse?version=2026-05-29", &body);
    batch.expect_error(404, "no_coordinates", None);
    let near = served.get(&format!(
        "/v1/postalcode?t={}&near=35.68,139.76&version=2026-05-29",
        encoded("府中市")
    ));
    near.expect_error(404, "no_coordinates", None);
}

#[test]
fn a_batch_answers_each_location_in_order() {
    let served = ServerProcess::start();
    let queries = json!([
        {"lat": 35.682, "lon": 139.767},
        {"lat": "35.68", "lon": "139.75", "limit": 2, "id": "b"},
        {"lat": 48, "lon": 2, "id": "paris"},
    ]);
    let answer = served.post("/v1/batch/reverse", json!({"queries": queries}).to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["params"], json!({"default_limit": 1}));
    let records = body["records"].as_array().expect("a list");
    let counts: Vec<usize> = records.iter().map(|record| found(record).len()).collect();
    assert_eq!(counts, [1, 2, 0]);
    assert_eq!(records[0]["data"][0]["address"], "東京都千代田区丸の内一丁目");
    assert_eq!(records[1]["data"][0]["address"], "東京都千代田区千代田");
    assert_eq!(records[2]["reason"], "outside_japan");
    let ids: Vec<&Value> = records.iter().map(|record| &record["id"]).collect();
    assert_eq!(ids, [&Value::Null, &json!("b"), &json!("paris")]);
    for (query, code, parameter) in [
        (json!({"lat": 35}), "invalid_body", "queries[0].lon"),
        (json!({"lat": 139.7, "lon": 35.6}), "invalid_coordinates", "queries[0].lat"),
        (json!({"lat": 35, "lon": 200}), "invalid_coordinates", "queries[0].lon"),
        (json!({"lat": [], "lon": 139}), "invalid_body", "queries[0].lat"),
        (json!({"lat": 35, "lon": 139, "limit": 0}), "invalid_limit", "queries[0].limit"),
    ] {
        let answer = served.post("/v1/batch/reverse", json!({"queries": [query]}).to_string());
        answer.expect_error(400, code, Some(parameter));
    }
}

#[test]
fn near_orders_what_an_address_may_mean() {
    let served = ServerProcess::start();
    let candidates = |t: &str, near: &str| -> Vec<String> {
        let near = if near.is_empty() { String::new() } else { format!("&near={near}") };
        let answer = served.get(&format!("/v1/postalcode?t={}&explain=1{near}", encoded(t)));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let body = answer.json();
        let candidates = body["explain"]["candidates"].as_array().expect("a list").clone();
        candidates.iter().map(|it| it["jisx0402"].as_str().expect("a code").to_owned()).collect()
    };
    // There is a 中央区 in 札幌市 and in 浜松市.
    for (near, nearest) in [("43.06,141.35", "01101"), ("34.70, 137.73", "22138")] {
        let near = encoded(near);
        assert_eq!(candidates("中央区", &near)[0], nearest);
        let target = format!("/v1/postalcode?t={}&near={near}", encoded("中央区"));
        assert_eq!(served.get(&target).json()["data"][0]["jisx0402"], nearest);
    }
    let all = candidates("中央区", "").len();
    assert!(all > 1 && candidates("中央区", "35,139").len() == all);
    for (query, code, parameter) in [
        ("t=a&near=35.68", "invalid_coordinates", "near"),
        ("t=a&near=139.76,35.68", "invalid_coordinates", "near"),
        ("q=town:ab&near=35.68,139.76", "invalid_parameter", "near"),
    ] {
        let answer = served.get(&format!("/v1/postalcode?{query}"));
        answer.expect_error(400, code, Some(parameter));
    }
}
