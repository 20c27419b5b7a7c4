//! `/v1/postalcode/…`: look-ups by code, versions and updates. Searches are in `search.rs`.

use crate::support::{NEWEST, ServerProcess, ask};

/// In the order of every known answer of the hosted service.
const FIELDS_20: &str = "jisx0402 old_code postal_code prefecture_kana city_kana town_kana \
    town_kana_raw prefecture city town koaza kyoto_street building floor town_partial \
    town_addressed_koaza town_chome town_multi town_raw corporation";

/// Those of API version 2022-11-01 and later, which follow.
const FIELDS_ADDED: &str = "town_jukyohyoji update_status update_reason prefecture_roman county \
    county_kana county_roman city_without_county_and_ward city_without_county_and_ward_kana \
    city_without_county_and_ward_roman city_ward city_ward_kana city_ward_roman city_roman \
    town_roman";

/// Checks that the first record of an answer has its members in this order.
#[track_caller]
fn check_order(body: &str, expected: &[&str]) {
    let places: Vec<_> = expected.iter().map(|name| body.find(&format!("\"{name}\":"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {body}");
}

#[test]
fn members_come_in_the_order_of_the_hosted_service() {
    let served = ServerProcess::start();
    let new = [FIELDS_20, FIELDS_ADDED].join(" ");
    for (version, expected) in
        [("2022-09-01", FIELDS_20), ("2022-11-01", &*new), ("2024-01-01", &*new), (NEWEST, &*new)]
    {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        for path in ["/v1/postalcode/1000001", "/v1/postalcode/?q=%E5%8D%83%E4%BB%A3%E7%94%B0"] {
            let mark = if path.contains('?') { '&' } else { '?' };
            let answer = served.get(&format!("{path}{mark}api_version={version}"));
            check_order(&answer.text(), &expected);
        }
    }
}

#[test]
fn codes_in_paths_are_plain_and_errors_name_the_path_that_works() {
    let served = ServerProcess::start();
    for (path, code, works) in [
        ("/v1/postalcode/100-0001", "invalid_postal_code", "/v1/postalcode/1000001"),
        ("/v1/postalcode/１００－０００１", "invalid_postal_code", "/v1/postalcode/1000001"),
        ("/v1/postalcode/１０００００１", "invalid_postal_code", "/v1/postalcode/1000001"),
        ("/v1/postalcode/〒100-0001", "invalid_postal_code", "/v1/postalcode/1000001"),
        ("/v1/bank/００01", "invalid_bank_code", "/v1/bank/0001"),
        ("/v1/bank/０００１/branches", "invalid_bank_code", "/v1/bank/0001/branches"),
        ("/v1/bank/0001/branches/01０", "invalid_branch_code", "/v1/bank/0001/branches/010"),
        ("/v1/bank/０００１/branches/０１０", "invalid_bank_code", "/v1/bank/0001/branches/010"),
        ("/v1/cities/１３", "invalid_prefecture_code", "/v1/cities/13"),
        (
            "/v1/houjinbangou/６010001999901",
            "invalid_corporate_number",
            "/v1/houjinbangou/6010001999901",
        ),
        ("/v1/invoice/Ｔ6010001999901", "invalid_invoice_number", "/v1/invoice/T6010001999901"),
        ("/v1/school/Ｆ108110009907", "invalid_school_code", "/v1/school/F108110009907"),
    ] {
        let encoded: String = path
            .chars()
            .map(|letter| match letter.is_ascii() {
                true => letter.to_string(),
                false => letter.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
            })
            .collect();
        let ask = |path: &str| {
            ask(served.address, &format!("GET {path}\nAuthorization: Token {}", served.premium))
        };
        let answer = ask(&encoded);
        let error = answer.json();
        assert_eq!((answer.status, &error["code"]), (400, &code.into()), "{path}");
        let detail = error["detail"].as_str().expect("a detail");
        assert!(detail.ends_with(&format!("; request {works}")), "{path}: {detail}");
        assert_eq!(ask(works).status, 200, "{works}");
    }
}

#[track_caller]
fn check_fields(record: &serde_json::Value, expected: &[&str]) {
    let record = record.as_object().expect("an object");
    let mut found: Vec<&str> = record.keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = expected.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    for (name, value) in record {
        let fits = match name.as_str() {
            "town_partial"
            | "town_addressed_koaza"
            | "town_multi"
            | "town_chome"
            | "town_jukyohyoji" => value.is_boolean(),
            "update_status" | "update_reason" => value.is_u64(),
            "corporation" => value.is_null() || value.is_object(),
            _ => value.is_string(),
        };
        assert!(fits, "{name} is {value}");
    }
}

#[test]
fn a_code_gives_its_records_in_the_shape_of_each_api_version() {
    let served = ServerProcess::start();
    let old: Vec<&str> = FIELDS_20.split_whitespace().collect();
    let full: Vec<&str> =
        FIELDS_20.split_whitespace().chain(FIELDS_ADDED.split_whitespace()).collect();
    assert_eq!((old.len(), full.len()), (20, 35));
    for (api, fields) in [
        ("2022-09-01", &old),
        ("2022-11-01", &full),
        ("2023-09-01", &full),
        ("2024-01-01", &full),
        ("2025-01-01", &full),
        (NEWEST, &full),
    ] {
        let headers = format!("KenAll-API-Version: {api}");
        let answer = served.get_with("/v1/postalcode/1000001", &headers);
        assert_eq!((answer.status, answer.header("api-version")), (200, Some(api)));
        let body = answer.json();
        assert_eq!(body.as_object().expect("an object").len(), 2);
        assert_eq!(body["version"], "2026-06-30");
        let record = &body["data"][0];
        check_fields(record, fields);
        assert_eq!(
            (&record["postal_code"], &record["town"]),
            (&"1000001".into(), &"千代田".into())
        );
    }
}

#[test]
fn a_trailing_slash_makes_no_difference() {
    let served = ServerProcess::start();
    for path in ["/v1/postalcode/1000001", "/v1/postalcode/versions", "/v1/postalcode/updates"] {
        let (plain, slashed) = (served.get(path), served.get(&format!("{path}/")));
        assert_eq!((plain.status, &plain.body), (200, &slashed.body), "{path}");
    }
}

#[test]
fn malformed_codes_are_400_and_unknown_ones_404() {
    let served = ServerProcess::start();
    let parameter = Some("postal_code");
    for bad in
        ["100000", "10000011", "10-00001", "100-001", "abcdefg", "%", "%E3%80", "100%300%3001", "x"]
    {
        let answer = served.get(&format!("/v1/postalcode/{bad}"));
        answer.expect_error(400, "invalid_postal_code", parameter);
    }
    // Percent-encoded digits are accepted.
    assert_eq!(served.get("/v1/postalcode/100000%31").status, 200);
    let answer = served.get("/v1/postalcode/9999999");
    answer.expect_error(404, "no_such_postal_code", parameter);
    // A malformed code is reported before a wrong version, and a wrong version before an unknown code.
    served.get("/v1/postalcode/1?version=x").expect_error(400, "invalid_postal_code", parameter);
    let answer = served.get("/v1/postalcode/9999999?version=2001-01-01");
    answer.expect_error(404, "no_such_version", Some("version"));
}

#[test]
fn a_version_selects_the_data() {
    let served = ServerProcess::start();
    for version in ["2022-06-30", "2026-05-29", "2026-06-30"] {
        let answer = served.get(&format!("/v1/postalcode/1000001?version={version}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["version"], version);
    }
    for path in ["/v1/postalcode/1000001", "/v1/postalcode/updates/", "/v1/cities/13"] {
        let ask = |query: &str| served.get(&format!("{path}?{query}"));
        ask("version=2001-01-01").expect_error(404, "no_such_version", Some("version"));
        assert_eq!(
            ask("version=").body,
            served.get(path).body,
            "an empty version counts as absent"
        );
        for bad in ["latest", "2026-6-30", "2026-02-30", "20260630", "2026-06-30T00:00"] {
            let answer = ask(&format!("version={bad}"));
            answer.expect_error(400, "invalid_version", Some("version"));
        }
        for bad in ["%", "%zz", "%FF", "2026-06-30&version=2026-06-30"] {
            let answer = ask(&format!("version={bad}"));
            answer.expect_error(400, "invalid_parameter", Some("version"));
        }
        // Unknown parameters are ignored, even with malformed values.
        assert_eq!(ask("Version=x&foo=%zz&&=&version=2026-06-30").status, 200);
    }
}

#[test]
fn versions_are_listed_oldest_first() {
    let answer = ServerProcess::start().get("/v1/postalcode/versions/?version=ignored");
    assert_eq!(answer.text(), r#"{"versions":["2022-06-30","2026-05-29","2026-06-30"]}"#);
}

#[test]
fn updates_have_changed_and_abolished_records() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/postalcode/updates/?version=2026-06-30");
    let body = answer.json();
    assert_eq!(body["version"], "2026-06-30");
    let records = body["data"].as_array().expect("an array");
    let count = |status: u64| records.iter().filter(|one| one["update_status"] == status).count();
    assert!(!records.is_empty());
    assert_eq!(count(0), 0, "unchanged records are no updates");
    assert!(count(2) > 0, "abolished records are there");
    let answer = served.get_with("/v1/postalcode/updates/", "API-Version: 2022-09-01");
    assert_eq!(answer.json()["data"][0].as_object().map(|record| record.len()), Some(20));
}
