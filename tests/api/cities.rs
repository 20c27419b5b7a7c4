//! `/v1/cities/{prefecture code}`: the members in every API version, and invalid codes.

use crate::support::{NEWEST, ServerProcess};

#[test]
fn a_prefecture_lists_its_municipalities_in_the_shape_of_each_api_version() {
    let served = ServerProcess::start();
    let base = "jisx0402 prefecture_code city_code prefecture prefecture_kana city city_kana";
    let roman = "prefecture_roman city_roman";
    let parts = "county county_kana county_roman city_without_county_and_ward \
        city_without_county_and_ward_kana city_without_county_and_ward_roman";
    for (api, expected) in [
        ("2022-09-01", base.to_owned()),
        ("2022-11-01", format!("{base} {roman}")),
        ("2023-09-01", format!("{base} {roman} {parts}")),
        ("2024-01-01", format!("{base} {roman} {parts}")),
        ("2025-01-01", format!("{base} {roman} {parts}")),
        (NEWEST, format!("{base} {roman} {parts}")),
    ] {
        let answer = served.get(&format!("/v1/cities/13?api_version={api}"));
        assert_eq!((answer.status, answer.header("api-version")), (200, Some(api)));
        let body = answer.json();
        assert_eq!(body["version"], "2026-06-30");
        for city in body["data"].as_array().expect("an array") {
            let city = city.as_object().expect("an object");
            let mut found: Vec<&str> = city.keys().map(String::as_str).collect();
            let mut expected: Vec<&str> = expected.split_whitespace().collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{api}");
            assert!(city.values().all(serde_json::Value::is_string), "{city:?}");
            assert_eq!(city["prefecture_code"], "13");
        }
    }
}

#[test]
fn a_trailing_slash_is_allowed_and_invalid_codes_are_refused() {
    let served = ServerProcess::start();
    assert_eq!(served.get("/v1/cities/13").body, served.get("/v1/cities/13/").body);
    let parameter = Some("prefecture_code");
    for bad in ["1", "013", "xx", "%31", "%"] {
        let answer = served.get(&format!("/v1/cities/{bad}"));
        answer.expect_error(400, "invalid_prefecture_code", parameter);
    }
    for none in ["00", "48", "99"] {
        let answer = served.get(&format!("/v1/cities/{none}"));
        answer.expect_error(404, "no_such_prefecture", parameter);
    }
}
