//! `point=1` of a postal code, and the point that `explain=1` gives.

use serde_json::{Value, json};

use crate::search::search;
use crate::support::Served;

/// The point of each record of a code.
fn points(served: &Served, code: &str) -> Vec<Value> {
    let answer = served.get(&format!("/v1/postalcode/{code}?point=1"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut body = answer.json();
    let records = body["data"].as_array_mut().expect("records");
    records.iter_mut().map(|record| record["point"].take()).collect()
}

#[test]
fn each_record_of_a_code_has_the_point_of_its_town() {
    let served = Served::start();
    let town = json!({"lat": 35.68, "lon": 139.75, "level": "town"});
    assert_eq!(points(&served, "1000001"), [town]);
    // The middle one of the chome stands for a town that has nothing else.
    let marunouchi = json!({"lat": 35.68, "lon": 139.764, "level": "town"});
    assert_eq!(points(&served, "1000005"), [marunouchi]);
    // The ward is that of 2024, the file of before.
    let hamamatsu = json!({"lat": 34.72, "lon": 137.7, "level": "town"});
    assert_eq!(points(&served, "4328002"), [hamamatsu]);
    // No town of the municipality, and no town at all: the municipality's.
    let city = json!({"lat": 35.68, "lon": 139.764, "level": "city"});
    assert_eq!(points(&served, "1020083"), [city]);
    let gifu = json!({"lat": 35.41, "lon": 136.76, "level": "city"});
    assert_eq!(points(&served, "5000000"), [gifu]);
    // A row without coordinates, and a municipality that the file does not have.
    assert_eq!(points(&served, "0611116"), [Value::Null]);
    assert_eq!(points(&served, "9000001"), [Value::Null]);
    // Of one code each record has its own.
    assert_eq!(points(&served, "4980000").len(), 2);
}

#[test]
fn a_business_has_the_point_of_its_chome() {
    let served = Served::start();
    let found = points(&served, "1008111");
    assert!(
        found.iter().all(|point| point["level"] == "town" || point["level"] == "chome"),
        "{found:?}"
    );
}

#[test]
fn an_answer_has_no_point_unless_it_is_asked_for() {
    let served = Served::start();
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
    // A wrong parameter is told before a code that nobody has.
    assert_eq!(served.get("/v1/postalcode/9999999?point=2").status, 400);
    assert_eq!(served.get("/v1/postalcode/9999999?point=1").status, 404);
}

#[test]
fn a_version_without_coordinates_answers_null() {
    let served = Served::start();
    let answer = served.get("/v1/postalcode/1000001?point=1&version=2026-05-29");
    assert_eq!((answer.status, &answer.json()["data"][0]["point"]), (200, &Value::Null));
}

#[test]
fn an_explained_address_has_its_point() {
    let served = Served::start();
    let point = |text: &str| {
        let answer = search(&served, &[("t", text), ("explain", "1")]);
        answer.json()["explain"]["point"].take()
    };
    let chome = json!({"lat": 35.66, "lon": 139.73, "level": "chome"});
    assert_eq!(point("港区六本木6-10-1"), chome);
    assert_eq!(point("東京都港区六本木六丁目"), chome);
    assert_eq!(point("東京都千代田区")["level"], "city");
    // Several wards are meant, or no municipality at all.
    for nowhere in ["新潟市", "東京都", "どこか"] {
        assert_eq!(point(nowhere), Value::Null, "{nowhere}");
    }
    let body = json!({"queries": [{"t": "港区六本木6-10-1"}], "explain": 1});
    let batch = served.post("/v1/batch/postalcode/search", body.to_string()).json();
    assert_eq!(batch["records"][0]["explain"]["point"], chome);
}
