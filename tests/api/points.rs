//! Coordinates: `point=1` of a postal code, and the point in the answer of `explain=1`.

use serde_json::{Value, json};

use crate::search::search;
use crate::support::ServerProcess;

/// The point of each record of a postal code.
fn points(served: &ServerProcess, code: &str) -> Vec<Value> {
    let answer = served.get(&format!("/v1/postalcode/{code}?point=1"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut body = answer.json();
    let records = body["data"].as_array_mut().expect("records");
    records.iter_mut().map(|record| record["point"].take()).collect()
}

#[test]
fn each_record_of_a_code_has_the_point_of_its_town() {
    let served = ServerProcess::start();
    let town = json!({"lat": 35.68, "lon": 139.75, "level": "town"});
    assert_eq!(points(&served, "1000001"), [town]);
    // A town with coordinates of its chome only has those of the middle chome.
    let marunouchi = json!({"lat": 35.68, "lon": 139.764, "level": "town"});
    assert_eq!(points(&served, "1000005"), [marunouchi]);
    // The ward exists since 2024; the coordinate file still has the wards before that.
    let hamamatsu = json!({"lat": 34.72, "lon": 137.7, "level": "town"});
    assert_eq!(points(&served, "4328002"), [hamamatsu]);
    // If the file lacks the town, or the record has none, the point is that of the municipality.
    let city = json!({"lat": 35.68, "lon": 139.764, "level": "city"});
    assert_eq!(points(&served, "1020083"), [city]);
    let gifu = json!({"lat": 35.41, "lon": 136.76, "level": "city"});
    assert_eq!(points(&served, "5000000"), [gifu]);
    // A row without coordinates, and a municipality that is not in the file, have no point.
    assert_eq!(points(&served, "0611116"), [Value::Null]);
    assert_eq!(points(&served, "9000001"), [Value::Null]);
    // Each record of a postal code has its own point.
    assert_eq!(points(&served, "4980000").len(), 2);
}

#[test]
fn a_business_has_the_point_of_its_town() {
    let served = ServerProcess::start();
    let town = json!({"lat": 35.68, "lon": 139.75, "level": "town"});
    assert_eq!(points(&served, "1008111"), [town]);
}

#[test]
fn an_answer_has_a_point_only_if_requested() {
    let served = ServerProcess::start();
    let plain = served.get("/v1/postalcode/1000001");
    assert!(!plain.text().contains("point"), "{}", plain.text());
    for off in ["point=0", "point="] {
        assert_eq!(served.get(&format!("/v1/postalcode/1000001?{off}")).body, plain.body, "{off}");
    }
    for (query, count) in [("point=1", 36), ("point=1&api_version=2022-09-01", 21)] {
        let answer = served.get(&format!("/v1/postalcode/1000001?{query}"));
        let body = answer.json();
        assert_eq!(body["data"][0].as_object().map(|record| record.len()), Some(count), "{query}");
    }
    for bad in ["2", "true", "yes", "１", "-1", "1&point=1"] {
        let answer = served.get(&format!("/v1/postalcode/1000001?point={bad}"));
        assert_eq!(answer.status, 400, "{bad}");
        assert_eq!(answer.json()["parameter"], "point", "{bad}");
    }
    // An invalid parameter is reported before an unknown code.
    assert_eq!(served.get("/v1/postalcode/9999999?point=2").status, 400);
    assert_eq!(served.get("/v1/postalcode/9999999?point=1").status, 404);
}

#[test]
fn a_version_without_coordinates_has_null_points() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/postalcode/1000001?point=1&version=2026-05-29");
    assert_eq!((answer.status, &answer.json()["data"][0]["point"]), (200, &Value::Null));
}

#[test]
fn an_explained_address_has_its_point() {
    let served = ServerProcess::start();
    let point = |text: &str| {
        let answer = search(&served, &[("t", text), ("explain", "1")]);
        answer.json()["explain"]["point"].take()
    };
    let chome = json!({"lat": 35.66, "lon": 139.73, "level": "chome"});
    assert_eq!(point("港区六本木6-10-1"), chome);
    assert_eq!(point("東京都港区六本木六丁目"), chome);
    assert_eq!(point("東京都千代田区")["level"], "city");
    // Several wards match, or no municipality does.
    for nowhere in ["新潟市", "東京都", "どこか"] {
        assert_eq!(point(nowhere), Value::Null, "{nowhere}");
    }
    let body = json!({"queries": [{"t": "港区六本木6-10-1"}], "explain": 1});
    let batch = served.post("/v1/batch/postalcode/search", body.to_string()).json();
    assert_eq!(batch["records"][0]["explain"]["point"], chome);
}
