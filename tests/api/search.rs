//! `GET /v1/postalcode/`: the shape of answers, limits and invalid input. `tests/search` and unit tests check which
//! records are found.

use serde_json::{Value, json};

use crate::support::{Answer, NEWEST, ServerProcess, ask, encoded};

pub fn search(served: &ServerProcess, parameters: &[(&str, &str)]) -> Answer {
    let pairs: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    served.get(&format!("/v1/postalcode/?{}", pairs.join("&")))
}

/// Checks that the text has these members in this order.
#[track_caller]
fn check_order(text: &str, names: &[&str]) {
    let places: Vec<Option<usize>> =
        names.iter().map(|name| text.find(&format!("\"{name}\":"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{names:?} in {text}");
}

const QUERY: [&str; 11] = [
    "q",
    "t",
    "prefecture",
    "county",
    "city",
    "city_ward",
    "town",
    "kyoto_street",
    "block_lot_num",
    "building",
    "floor_room",
];

#[test]
fn the_members_of_an_answer_are_in_order() {
    let served = ServerProcess::start();
    for parameters in [
        [("t", "東京都千代田区千代田1-1")].as_slice(),
        &[("q", "千代田")],
        &[("t", "東京都千代田区千代田1-1"), ("q", "千代田"), ("facet", "/")],
    ] {
        let answer = search(&served, parameters);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let body = answer.json();
        assert_eq!(body.as_object().map(|members| members.len()), Some(7));
        assert_eq!(body["query"].as_object().map(|members| members.len()), Some(QUERY.len()));
        let text = answer.text();
        let (_, behind) = text.split_once("],\"query\":").expect("data and query");
        check_order(&text, &["version", "data"]);
        check_order(
            &format!("\"query\":{behind}"),
            &["query", "count", "offset", "limit", "facets"],
        );
        check_order(behind, &QUERY);
        assert_eq!(body["version"], "2026-06-30");
        assert_eq!((&body["offset"], &body["limit"]), (&json!(0), &json!(100)));
        let given = |name| parameters.iter().find(|(known, _)| *known == name);
        for name in ["q", "t"] {
            let expected = given(name).map_or(Value::Null, |(_, value)| json!(value));
            assert_eq!(body["query"][name], expected);
        }
        assert_eq!(body["facets"].is_array(), given("facet").is_some());
        if given("t").is_none() {
            for name in &QUERY[2..] {
                assert_eq!(body["query"][name], Value::Null, "{name}");
            }
        }
    }
}

#[test]
fn an_address_and_a_query_find_their_records() {
    let served = ServerProcess::start();
    let found = |parameters: &[(&str, &str)]| search(&served, parameters).json();
    let t = ("t", "東京都千代田区千代田1-1");
    let body = found(&[t]);
    assert_eq!(body["data"][0]["postal_code"], "1000001", "{body}");
    assert_eq!(body["query"]["prefecture"], "東京都");
    assert_eq!(body["query"]["city"], "千代田区");
    assert_eq!(body["query"]["town"], "千代田");
    assert_eq!(body["query"]["block_lot_num"], "1-1");
    let body = found(&[("q", "town:千代田 AND prefecture:東京")]);
    assert_eq!(body["data"][0]["postal_code"], "1000001", "{body}");
    assert_eq!(body["count"], body["data"].as_array().map(Vec::len).expect("a list"));
    let both = found(&[t, ("q", "prefecture:大阪")]);
    assert_eq!((&both["count"], &both["data"]), (&json!(0), &json!([])), "both must hold");
    assert_eq!(both["query"]["town"], "千代田");
    let facets = found(&[("q", "_type:1"), ("facet", "/"), ("limit", "1")]);
    let pairs = facets["facets"].as_array().expect("pairs").clone();
    let sum: u64 = pairs.iter().map(|pair| pair[1].as_u64().expect("a count")).sum();
    assert_eq!(Some(sum), facets["count"].as_u64(), "{facets}");
    assert!(pairs.iter().all(|pair| pair[0].as_str().is_some_and(|path| path.starts_with('/'))));
}

#[test]
fn pages_are_slices_of_the_whole_result() {
    let served = ServerProcess::start();
    let page = |offset: &str, limit: &str| {
        search(&served, &[("q", "_type:1"), ("offset", offset), ("limit", limit)]).json()
    };
    let whole = page("0", "100");
    let count = usize::try_from(whole["count"].as_u64().expect("a count")).expect("few");
    let mut all: Vec<Value> = Vec::new();
    while all.len() < count {
        let more = page(&all.len().to_string(), "100");
        all.extend(more["data"].as_array().expect("a list").iter().cloned());
        assert!(more["data"] != json!([]), "{} of {count}", all.len());
    }
    assert!(count > 10 && all.len() == count, "{} of {count}", all.len());
    for (offset, limit) in [(0, 1), (0, 100), (3, 4), (count - 1, 5)] {
        let part = page(&offset.to_string(), &limit.to_string());
        let expected: Vec<Value> = all.iter().skip(offset).take(limit).cloned().collect();
        assert!(part["data"] == Value::Array(expected), "{offset} {limit}");
        assert_eq!(part["count"], whole["count"]);
        assert_eq!((&part["offset"], &part["limit"]), (&json!(offset), &json!(limit)));
    }
    for beyond in ["1000000", "4294967296", "18446744073709551615"] {
        let body = page(beyond, "10");
        assert_eq!((&body["data"], &body["count"]), (&json!([]), &whole["count"]), "{beyond}");
        assert_eq!(body["offset"].to_string(), beyond);
    }
}

#[test]
fn a_long_query_finds_the_same_as_a_short_one() {
    let served = ServerProcess::start();
    let long = vec!["千代田"; 40].join(" OR ");
    let short = search(&served, &[("q", "千代田"), ("limit", "9")]).json();
    for method in ["GET", "HEAD"] {
        let target = format!("/v1/postalcode/?limit=9&q={}", encoded(&long));
        let head = format!("{method} {target}\nAuthorization: Token {}", served.secret);
        let answer = ask(served.address, &head);
        assert_eq!(answer.status, 200);
        if method == "GET" {
            let found = answer.json();
            assert_eq!((&found["count"], &found["data"]), (&short["count"], &short["data"]));
            assert_eq!(found["query"]["q"], long);
        }
    }
    // The checks before a search are the same in a lane and on the connection's thread.
    let target = format!("/v1/postalcode/?q={}", encoded(&long));
    ask(served.address, &format!("GET {target}")).expect_error(401, "missing_key", None);
    served.get(&format!("{target}&limit=0")).expect_error(400, "invalid_limit", Some("limit"));
    let unknown = served.get_with(&target, "API-Version: 2020-01-01");
    unknown.expect_error(400, "unknown_api_version", Some("api_version"));
    let many: Vec<_> = (0..20)
        .map(|_| {
            let (address, key, target) = (served.address, served.secret.clone(), target.clone());
            std::thread::spawn(move || {
                ask(address, &format!("GET {target}\nAuthorization: Token {key}")).status
            })
        })
        .collect();
    for one in many {
        assert_eq!(one.join().expect("no panic"), 200);
    }
}

#[test]
fn the_version_and_the_api_version_select_data_and_shape() {
    let served = ServerProcess::start();
    for version in ["2022-06-30", "2026-05-29", "2026-06-30"] {
        let body = search(&served, &[("q", "千代田"), ("version", version)]).json();
        assert_eq!(body["version"], version);
        assert_eq!(body["data"][0].as_object().map(|record| record.len()), Some(35));
    }
    for (api, fields) in [("2022-09-01", 20), ("2022-11-01", 35), (NEWEST, 35)] {
        let body = search(&served, &[("q", "千代田"), ("api_version", api)]).json();
        assert_eq!(body["data"][0].as_object().map(|record| record.len()), Some(fields), "{api}");
    }
    let unknown = search(&served, &[("q", "千代田"), ("version", "2001-01-01")]);
    unknown.expect_error(404, "no_such_version", Some("version"));
    for bad in [" ", "latest", "20260630"] {
        let answer = search(&served, &[("q", "千代田"), ("version", bad)]);
        answer.expect_error(400, "invalid_version", Some("version"));
    }
    search(&served, &[("q", "千代田"), ("api_version", "2020-01-01")]).expect_error(
        400,
        "unknown_api_version",
        Some("api_version"),
    );
}

#[test]
fn a_pinned_version_is_immutable_and_the_latest_is_revalidated() {
    let served = ServerProcess::start();
    let target = format!("/v1/postalcode?t={}", encoded("東京都"));
    let latest = served.get(&target);
    assert_eq!(latest.header("cache-control"), Some("private, no-cache"));
    let pinned = served.get(&format!("{target}&version=2026-06-30"));
    assert_eq!(pinned.header("cache-control"), Some("private, max-age=31536000, immutable"));
    assert_eq!(pinned.body, latest.body);
    let tag = latest.header("etag").expect("a tag");
    let known = format!("If-None-Match: {tag}");
    assert_eq!(served.get_with(&target, &known).status, 304);
    // An invalid parameter is an error even if the tag matches.
    let wrong = served.get_with(&format!("{target}&limit=0"), &known);
    wrong.expect_error(400, "invalid_limit", Some("limit"));
    let slashed = served.get(&target.replace("code?", "code/?"));
    assert_eq!(slashed.body, latest.body, "a trailing slash changed the answer");
    let head = format!("HEAD {target}\nAuthorization: Token {}", served.secret);
    let length = latest.body.len().to_string();
    assert_eq!(ask(served.address, &head).header("content-length"), Some(length.as_str()));
}

#[test]
fn an_empty_parameter_counts_as_absent() {
    let served = ServerProcess::start();
    for query in ["", "t=", "q=", "t=&q=", "t&q", "facet=/", "limit=5", "T=x&Q=x"] {
        let answer = served.get(&format!("/v1/postalcode/?{query}"));
        answer.expect_error(400, "missing_query", None);
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(detail.contains("t (") && detail.contains("q ("), "{detail}");
    }
    served.get("/v1/postalcode").expect_error(400, "missing_query", None);
    let plain = search(&served, &[("q", "千代田")]);
    for names in [&["t", "facet"][..], &["limit"], &["offset"], &["version"]] {
        let empty = names.iter().map(|name| (*name, ""));
        let padded =
            search(&served, &[("q", "千代田")].into_iter().chain(empty).collect::<Vec<_>>());
        assert_eq!((padded.status, &padded.body), (200, &plain.body), "{names:?}");
    }
}

#[test]
fn an_invalid_number_names_the_expected_range() {
    let served = ServerProcess::start();
    for bad in ["0", "101", "-1", "1e2", "+5", " ", " 5", "5 ", "1.0", "0x1", "１０", "ten"] {
        let answer = search(&served, &[("q", "千代田"), ("limit", bad)]);
        answer.expect_error(400, "invalid_limit", Some("limit"));
        let detail = format!("expected a whole number of 1 to 100; found {bad:?}");
        assert_eq!(answer.json()["detail"], detail);
    }
    for huge in ["4294967297", "18446744073709551617", &"9".repeat(400)] {
        let answer = search(&served, &[("q", "千代田"), ("limit", huge)]);
        answer.expect_error(400, "invalid_limit", Some("limit"));
        assert!(answer.text().len() < 400, "a long value is not shortened: {}", answer.text());
    }
    for bad in ["-1", "1e2", "+5", " ", "18446744073709551616", "x"] {
        let answer = search(&served, &[("q", "千代田"), ("offset", bad)]);
        answer.expect_error(400, "invalid_offset", Some("offset"));
    }
    for bad in ["東京都", "//", "/a//b", "/a/b/c", "x/"] {
        let answer = search(&served, &[("q", "千代田"), ("facet", bad)]);
        answer.expect_error(400, "invalid_facet", Some("facet"));
    }
    for name in ["q", "t", "limit", "offset", "facet", "version"] {
        let twice = served.get(&format!("/v1/postalcode?q=xx&{name}=1&{name}=1"));
        twice.expect_error(400, "invalid_parameter", Some(name));
    }
}

#[test]
fn a_query_with_a_syntax_error_is_400_and_names_the_place() {
    let served = ServerProcess::start();
    let operators = "千代田 AND ".repeat(50) + &"OR ".repeat(950);
    let minuses = "-".repeat(1000);
    let nested = "(".repeat(500) + "千代田" + &")".repeat(500);
    let long = "あ".repeat(800) + " " + &"い".repeat(100);
    for bad in [
        "千",
        "\"千代田",
        "千代\"田",
        "千代田 AND",
        "OR 千代田",
        "nowhere:千代田",
        "_type:3",
        "_facet:東京都",
        ":",
        "(千代田)",
        &operators,
        &minuses,
        &nested,
        &"\"".repeat(999),
        &"xx OR ".repeat(500),
    ] {
        let answer = search(&served, &[("q", bad)]);
        answer.expect_error(400, "invalid_query", Some("q"));
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(detail.contains("character") && detail.len() < 600, "{bad}: {detail}");
    }
    assert_eq!(search(&served, &[("q", &long)]).status, 200);
}

#[test]
fn any_utf_8_text_is_accepted_and_echoed() {
    let served = ServerProcess::start();
    for text in [
        "東",
        " ",
        "\n",
        "x",
        "\0",
        "\u{1}\u{7f}\u{85}\u{2028}",
        "東京都\0千代田区",
        "😀👨‍👩‍👧‍👦🏳️‍🌈",
        "\u{fffe}\u{10ffff}",
        "\u{202e}東京都\u{200b}",
        "\"\\</script>",
        "%00%zz+&=#",
        "が\u{3099}\u{3099}",
        &"東京都".repeat(290),
        &"1-".repeat(1300),
    ] {
        let answer = search(&served, &[("t", text)]);
        assert_eq!(answer.status, 200, "{text:?}: {}", answer.text());
        assert_eq!(answer.json()["query"]["t"], text, "the text was changed");
    }
    let plus = served.get("/v1/postalcode?t=a+b%2Bc");
    assert_eq!(plus.json()["query"]["t"], "a b+c");
    let spaces = search(&served, &[("q", "  千代田  丸の内 ")]);
    assert_eq!(spaces.json()["query"]["q"], "  千代田  丸の内 ");
}

#[test]
fn bytes_that_are_not_utf_8_are_400() {
    let served = ServerProcess::start();
    for name in ["t", "q", "facet"] {
        let other = if name == "t" { "q" } else { "t" };
        for bad in ["%ED%A0%80", "%ED%B0%80", "%FF", "%C0%80", "%F4%90%80%80", "%E6%9D", "%", "%4"]
        {
            let answer = served.get(&format!("/v1/postalcode/?{other}=xx&{name}={bad}"));
            answer.expect_error(400, "invalid_parameter", Some(name));
        }
        // Text that is not percent-encoded.
        let raw = served.get(&format!("/v1/postalcode/?{other}=xx&{name}=東京"));
        assert!(raw.status == 200 || raw.status == 400, "{}", raw.text());
    }
}

#[test]
fn a_text_of_100_kb_is_414() {
    let served = ServerProcess::start();
    for name in ["t", "q"] {
        let target = format!("/v1/postalcode/?{name}={}", "x".repeat(100_000));
        served.get(&target).expect_error(414, "target_too_long", None);
    }
}

#[test]
fn a_search_without_data_is_503() {
    let served = ServerProcess::with_snapshots(None, &[]);
    served.get("/v1/postalcode?q=xx").expect_error(503, "no_data", None);
    served.get("/v1/postalcode?q=x").expect_error(400, "invalid_query", Some("q"));
    served
        .post("/v1/batch/postalcode/search", r#"{"queries":[]}"#)
        .expect_error(503, "no_data", None);
}

#[test]
fn a_public_key_can_search_from_its_origin() {
    let served = ServerProcess::start();
    let head = |origin: &str| {
        format!("GET /v1/postalcode?q=xx\nAuthorization: Token {}\nOrigin: {origin}", served.public)
    };
    assert_eq!(ask(served.address, &head(crate::support::SHOP)).status, 200);
    ask(served.address, &head("https://else.example")).expect_error(
        403,
        "origin_not_allowed",
        None,
    );
}
