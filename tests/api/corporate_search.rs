//! `GET /v1/houjinbangou` and `POST /v1/batch/houjinbangou/search`: answers, parameters and refused requests.

use std::process::Command;

use daicho::api::limits::BATCH_QUERIES_MAX;
use serde_json::{Value, json};

use super::support::{API_VERSIONS, Answer, NEWEST, ServerProcess, ask, encoded, post, sample};

fn get(server: &ServerProcess, parameters: &str) -> Answer {
    let key = &server.premium;
    ask(server.address, &format!("GET /v1/houjinbangou?{parameters}\nAuthorization: Token {key}"))
}

fn find(server: &ServerProcess, q: &str, more: &str) -> Value {
    let answer = get(server, &format!("q={}{more}", encoded(q)));
    assert_eq!(answer.status, 200, "{q}{more}: {}", answer.text());
    answer.json()
}

fn numbers(found: &Value) -> Vec<&str> {
    let records = found["data"].as_array().expect("a list");
    records.iter().map(|it| it["corporate_number"].as_str().expect("a text")).collect()
}

/// The server renders the members of each place in advance; the command line renders them for each record.
#[test]
fn the_server_and_the_command_line_write_the_same_bytes() {
    let server = ServerProcess::start();
    let found = find(&server, "-name:どこにもない", "&limit=100");
    assert!(numbers(&found).len() >= 10, "too few records for more than one place");
    for (number, record) in
        numbers(&found).into_iter().zip(found["data"].as_array().expect("a list"))
    {
        let printed = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["lookup", "corporate", number, "--json", "--snapshots"])
            .arg(sample())
            .output()
            .expect("the binary runs");
        let printed = String::from_utf8(printed.stdout).expect("JSON");
        let key = &server.premium;
        let head = format!("GET /v1/houjinbangou/{number}\nAuthorization: Token {key}");
        assert_eq!(ask(server.address, &head).text(), printed.trim_end());
        let printed: Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(printed["data"], *record);
    }
}

#[test]
fn the_members_of_an_answer_are_in_order() {
    let server = ServerProcess::start();
    let q = "台帳 AND  name:物産 ";
    let answer = get(&server, &format!("q={}&facet_kind=/&limit=3&offset=0", encoded(q)));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.header("etag").is_some());
    let found = answer.json();
    let members: Vec<&String> = found.as_object().expect("an object").keys().collect();
    assert_eq!(members.len(), 7, "{members:?}");
    let text = answer.text();
    let mut from = 0;
    for member in ["version", "data", "query", "count", "offset", "limit", "facets"] {
        let at = text[from..].find(&format!("\"{member}\":")).expect(member);
        from += at;
    }
    assert_eq!(found["version"], "2026-08-03");
    assert_eq!(found["query"], q, "byte for byte");
    assert_eq!(
        (&found["count"], &found["offset"], &found["limit"]),
        (&json!(1), &json!(0), &json!(3))
    );
    assert_eq!(found["facets"], json!({"kind": [["/株式会社", 1]]}));
    assert_eq!(numbers(&found), ["5010001999902"]);
    for path in ["/v1/houjinbangou", "/v1/houjinbangou/"] {
        let key = &server.premium;
        let head = format!("GET {path}?q={}\nAuthorization: Token {key}", encoded("台帳"));
        let answer = ask(server.address, &head);
        assert_eq!(answer.status, 200);
        let found = answer.json();
        assert_eq!((&found["limit"], &found["facets"]), (&json!(100), &Value::Null));
        assert_eq!(found["count"], 17);
        let tag = answer.header("etag").expect("a tag");
        let again = ask(server.address, &format!("{head}\nIf-None-Match: {tag}"));
        assert_eq!(again.status, 304);
    }
}

#[test]
fn a_record_equals_the_look_up_in_every_api_version() {
    let server = ServerProcess::start();
    for api in API_VERSIONS {
        let found = find(&server, "台帳", &format!("&api_version={api}"));
        let records = found["data"].as_array().expect("a list");
        assert_eq!(records.len(), 17);
        for record in records {
            let number = record["corporate_number"].as_str().expect("a text");
            let key = &server.premium;
            let path = format!("/v1/houjinbangou/{number}?api_version={api}");
            let one = ask(server.address, &format!("GET {path}\nAuthorization: Token {key}"));
            assert_eq!(&one.json()["data"], record, "{api}");
        }
    }
}

#[test]
fn parameters_change_the_search_as_documented() {
    let server = ServerProcess::start();
    let all = find(&server, "台帳", "");
    let some = find(&server, "台帳", "&offset=3&limit=4");
    assert_eq!(numbers(&some), &numbers(&all)[3..7]);
    assert_eq!(some["count"], 17);
    let none = find(&server, "台帳", "&offset=18446744073709551615");
    assert_eq!((numbers(&none).len(), &none["count"]), (0, &json!(17)));
    assert_eq!(find(&server, "台帳", "&version=2026-07-31")["version"], "2026-07-31");
    for (mode, q, count) in [
        ("", "台帳", 17),
        ("partial", "台帳", 17),
        ("exact", "台帳", 4),
        ("exact", "株式会社台帳", 0),
        ("exact_with_kind", "株式会社台帳", 1),
        ("exact_with_kind", "㈱台帳", 1),
    ] {
        let found = find(&server, q, &format!("&mode={mode}"));
        assert_eq!(found["count"], count, "{mode} {q}: {found}");
    }
    let name = |more: &str| find(&server, "Works", more)["data"][0]["name"].take();
    assert_eq!(name(""), "株式会社ＤＡＩＣＨＯ　Ｗｏｒｋｓ");
    assert_eq!(name("&normalize_name="), "株式会社ＤＡＩＣＨＯ　Ｗｏｒｋｓ");
    assert_eq!(name("&normalize_name=false"), "株式会社ＤＡＩＣＨＯ　Ｗｏｒｋｓ");
    assert_eq!(name("&normalize_name=true"), "株式会社DAICHO　Works");
    let facets = |more: &str| find(&server, "台帳", more)["facets"].take();
    assert_eq!(
        facets("&facet_area=/"),
        json!({"area": [["/東京都", 14], ["/京都府", 2], ["/岩手県", 1]]})
    );
    let below = facets(&format!("&facet_area={}", encoded("/東京都")));
    assert_eq!(below, json!({"area": [["/東京都/千代田区", 13], ["/東京都/港区", 1]]}));
    for path in ["/東京都/港区", "/大阪府", "/海外など"] {
        let none = facets(&format!("&facet_area={}", encoded(path)));
        assert_eq!(none, json!({"area": []}), "{path}");
    }
    let four = facets("&facet_area=/&facet_kind=/&facet_process=/&facet_close_cause=/");
    for (facet, children) in four.as_object().expect("an object") {
        let sum: u64 =
            children.as_array().expect("a list").iter().filter_map(|it| it[1].as_u64()).sum();
        assert_eq!(sum, 17, "{facet}");
    }
    assert_eq!(four.as_object().map(|members| members.len()), Some(4));
    let leaf = facets(&format!("&facet_kind={}", encoded("/株式会社")));
    assert_eq!(leaf, json!({"kind": []}));
    assert_eq!(facets("&facet_kind=&facet_area="), Value::Null);
    // A corporation that is hidden from searches is found only by a look-up of its number.
    assert_eq!(find(&server, "corporate_number:8700150999903", "")["count"], 0);
    assert_eq!(find(&server, "管理組合", "")["count"], 0);
}

#[test]
fn former_names_are_found_and_marked() {
    let server = ServerProcess::start();
    let found = find(&server, "former_name:台帳商事", "");
    assert_eq!((&found["count"], numbers(&found)), (&json!(1), vec!["5010001999902"]));
    assert_eq!(found["data"][0]["matched"], "former_name");
    assert_eq!(found["data"][0]["former_name"], "台帳商事株式会社");
    assert_eq!(found["data"][0]["name"], "台帳物産株式会社");
    let loose = find(&server, "㈱台帳　商事", "&mode=loose");
    assert_eq!(loose["data"][0]["former_name"], "台帳商事株式会社", "{loose}");
    let exact = find(&server, "former_name:台帳商事", "&mode=exact");
    assert_eq!(exact["data"][0]["matched"], "former_name");
    assert_eq!(find(&server, "former_name:商事台帳", "")["count"], 0);
    let present = find(&server, "name:台帳物産", "");
    assert_eq!(present["count"], 1);
    for member in ["matched", "former_name"] {
        assert!(present["data"][0].get(member).is_none(), "{present}");
    }
}

#[test]
fn an_excluded_former_name_leaves_all_other_corporations() {
    let server = ServerProcess::start();
    let all = find(&server, "-name:どこにもない", "");
    let others = find(&server, "-former_name:台帳商事", "");
    let [all, others] = [&all, &others].map(numbers);
    assert!(all.contains(&"5010001999902"), "{all:?}");
    let expected: Vec<&str> = all.into_iter().filter(|it| *it != "5010001999902").collect();
    assert_eq!(others, expected);
}

#[test]
fn data_of_a_full_file_alone_refuse_former_names() {
    let server = ServerProcess::start();
    for q in [
        "former_name:台帳商事",
        "-former_name:台帳商事",
        "台帳 -former_name:台帳商事",
        "台帳 AND -former_name:台帳商事",
    ] {
        let unknown = get(&server, &format!("q={}&version=2026-07-31", encoded(q)));
        let code = unknown.json()["code"].take();
        assert_eq!((unknown.status, code), (503, json!("no_data")), "{q}");
        assert!(unknown.text().contains("full files alone"), "{}", unknown.text());
    }
}

#[test]
fn invalid_parameters_are_refused_and_named() {
    let server = ServerProcess::start();
    #[track_caller]
    fn check(server: &ServerProcess, parameters: &str, code: &str, parameter: &str, detail: &str) {
        let answer = get(server, parameters);
        assert_eq!(answer.status, 400, "{parameters}: {}", answer.text());
        let error = answer.json();
        assert_eq!((&error["code"], &error["parameter"]), (&json!(code), &json!(parameter)));
        let text = error["detail"].as_str().expect("a text");
        assert!(text.contains(detail), "{parameters}: {text}");
    }
    check(&server, "", "missing_query", "q", "expected q");
    check(&server, "q=", "missing_query", "q", "expected q");
    check(&server, "q=%20", "invalid_query", "q", "in the query");
    check(&server, "q=%FF", "invalid_parameter", "q", "UTF-8");
    for found in ["(", ")", "{", "}", "[", "]", "'"] {
        let detail = format!("{found:?} is not allowed in a query")
            .replace('"', "'")
            .replace("'''", "'\\''");
        for q in [format!("台帳{found}"), format!("name:\"台{found}帳\"")] {
            check(&server, &format!("q={}", encoded(&q)), "invalid_query", "q", &detail);
        }
    }
    let q = |q: &str| format!("q={}", encoded(q));
    check(&server, &q("台帳 AND"), "invalid_query", "q", "after AND");
    check(&server, &q("town:台帳"), "invalid_query", "q", "corporate_number");
    check(&server, &q("_facet_kind:/新規"), "invalid_query", "q", "/合同会社");
    let ok = q("台帳");
    for (more, code, parameter, detail) in [
        ("limit=0", "invalid_limit", "limit", "1 to 100"),
        ("limit=101", "invalid_limit", "limit", "1 to 100"),
        ("limit=+", "invalid_limit", "limit", "1 to 100"),
        ("offset=-1", "invalid_offset", "offset", "found \"-1\""),
        ("mode=Exact", "invalid_parameter", "mode", "partial, exact, exact_with_kind"),
        ("mode=prefix", "invalid_parameter", "mode", "found \"prefix\""),
        ("normalize_name=1", "invalid_parameter", "normalize_name", "true, false"),
        ("normalize_name=TRUE", "invalid_parameter", "normalize_name", "true, false"),
        ("facet_area=x", "invalid_facet", "facet_area", "begins with '/'"),
        ("facet_area=/a/b/c", "invalid_facet", "facet_area", "at most 2 levels"),
        ("facet_kind=x", "invalid_facet", "facet_kind", "/行政機関など"),
        ("facet_kind=//", "invalid_facet", "facet_kind", "found \"//\""),
        ("facet_process=/x", "invalid_facet", "facet_process", "/新規, /商号又は名称の変更"),
        ("facet_close_cause=/1", "invalid_facet", "facet_close_cause", "/清算の結了等"),
        ("version=2026", "invalid_version", "version", ""),
        ("api_version=2026-08-02", "unknown_api_version", "api_version", NEWEST),
        ("mode=exact&mode=exact", "invalid_parameter", "mode", "twice"),
    ] {
        check(&server, &format!("{ok}&{more}"), code, parameter, detail);
    }
    let empty = get(&server, &format!("{ok}&limit=&offset=&version=&mode="));
    assert_eq!(
        (empty.status, empty.body),
        (200, get(&server, &ok).body),
        "an empty parameter counts as absent"
    );
    let answer = get(&server, &format!("{ok}&version=2020-01-01"));
    assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("no_such_version")));
    let plain = ask(
        server.address,
        &format!("GET /v1/houjinbangou?{ok}\nAuthorization: Token {}", server.secret),
    );
    assert_eq!((plain.status, &plain.json()["code"]), (403, &json!("plan_too_low")));
}

#[test]
fn parentheses_group_if_the_operator_allows_them() {
    for (arguments, status) in [(&[][..], 400), (&["--query-grouping"][..], 200)] {
        let server = ServerProcess::with_snapshots(Some(super::support::sample()), arguments);
        let q = "name:(";
        assert_eq!(get(&server, &format!("q={}", encoded(q))).status, 400);
        let q = "台帳 AND (物産 OR -(株式会社 OR 合名会社 OR 合資会社)) AND -城";
        assert_eq!(
            get(&server, &format!("q={}", encoded(q))).status,
            400,
            "an OR operand may not only exclude"
        );
        let q = "台帳 AND (物産 OR 神社) -(東京都 OR name:協会)";
        let answer = get(&server, &format!("q={}", encoded(q)));
        assert_eq!(answer.status, status, "{}", answer.text());
        if status == 200 {
            // A bare 東京都 is also the prefecture.
            assert_eq!(numbers(&answer.json()), ["7130005999901"]);
        }
    }
}

#[test]
fn a_query_of_64_terms_is_answered_and_of_65_refused() {
    let server = ServerProcess::start();
    let q = vec!["台帳"; 64].join(" OR ");
    assert_eq!(find(&server, &q, "")["count"], 17);
    let refused = get(&server, &format!("q={}", encoded(vec!["台帳"; 65].join(" "))));
    assert_eq!(refused.status, 400);
    let metrics = ask(server.address, "GET /metrics");
    assert!(metrics.text().contains("/v1/houjinbangou\""), "{}", metrics.text());
}

const BATCH: &str = "/v1/batch/houjinbangou/search";

/// Sends a batch with the key of the account `premium-batch`.
fn batch(server: &ServerProcess, body: &Value) -> Answer {
    post(server.address, BATCH, &server.premium_batch, body.to_string().as_bytes())
}

#[test]
fn a_batch_has_the_answers_of_the_search_in_order() {
    let server = ServerProcess::start();
    let body = json!({
        "default_limit": 2,
        "queries": [
            {"q": "台帳", "id": "a"},
            {"q": "台帳", "limit": 100, "id": "a"},
            {"q": " 物産  ", "id": null},
            {"q": "ありません", "something": 1},
        ],
    });
    let answer = batch(&server, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    assert_eq!(found["version"], "2026-08-03");
    assert_eq!(found["params"], json!({"default_limit": 2}));
    let records = found["records"].as_array().expect("a list");
    assert_eq!(records.len(), 4);
    for (record, (q, limit, id)) in records.iter().zip([
        ("台帳", 2, json!("a")),
        ("台帳", 100, json!("a")),
        (" 物産  ", 2, Value::Null),
        ("ありません", 2, Value::Null),
    ]) {
        assert_eq!(record.as_object().map(|members| members.len()), Some(7), "{record}");
        let mut one = find(&server, q, &format!("&limit={limit}"));
        assert_eq!(record["id"], id);
        for member in ["query", "count", "offset", "limit", "facets", "data"] {
            assert_eq!(record[member], one[member].take(), "{member} of {q}");
        }
    }
    let none = batch(&server, &json!({"queries": []})).json();
    assert_eq!((&none["records"], &none["params"]), (&json!([]), &json!({"default_limit": 1})));
    let old = post(
        server.address,
        &format!("{BATCH}/?api_version=2022-09-01&version=2026-07-31"),
        &server.premium_batch,
        json!({"queries": [{"q": "台帳清算"}]}).to_string().as_bytes(),
    );
    let old = old.json();
    assert_eq!(old["version"], "2026-07-31");
    assert_eq!(old["records"][0]["data"][0]["kind"], "301");
}

#[test]
fn a_batch_marks_former_names_and_says_that_they_are_unknown() {
    let server = ServerProcess::start();
    for (mode, q) in [("partial", "former_name:台帳商事"), ("loose", "㈱台帳　商事")] {
        let queries = json!([{"q": "台帳"}, {"q": q, "limit": 3}, {"q": "台帳物産"}]);
        let answer = batch(&server, &json!({"mode": mode, "queries": queries}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let records = &answer.json()["records"];
        let mut one = find(&server, q, &format!("&limit=3&mode={mode}"));
        assert_eq!(records[1]["data"], one["data"].take(), "{q}");
        let marks = [0, 1, 2].map(|at| records[at]["data"][0].get("former_name").cloned());
        assert_eq!(marks, [None, Some(json!("台帳商事株式会社")), None], "{q}: {records}");
    }
    // The first version was built from a full file alone.
    for q in ["former_name:台帳商事", "-former_name:台帳商事"] {
        let body = json!({"queries": [{"q": "台帳"}, {"q": q}]}).to_string();
        let path = format!("{BATCH}?version=2026-07-31");
        let unknown = post(server.address, &path, &server.premium_batch, body.as_bytes());
        unknown.expect_error(503, "no_data", Some("queries[1].q"));
        assert!(unknown.text().contains("full files alone"), "{}", unknown.text());
    }
}

#[test]
fn one_invalid_query_fails_the_batch_and_is_named() {
    let server = ServerProcess::start();
    for (body, parameter, detail) in [
        (json!([]), Value::Null, "expected an object"),
        (json!({}), json!("queries"), "a list of queries"),
        (json!({"queries": 1}), json!("queries"), "found a number"),
        (json!({"queries": [1]}), json!("queries[0]"), "expected an object"),
        (json!({"queries": [{}]}), json!("queries[0].q"), "expected a query"),
        (json!({"queries": [{"q": ""}]}), json!("queries[0].q"), "found an empty string"),
        (
            json!({"queries": [{"q": "台帳"}, {"q": "(台帳)"}]}),
            json!("queries[1].q"),
            "not allowed",
        ),
        (json!({"queries": [{"q": "台帳", "id": 7}]}), json!("queries[0].id"), "expected a string"),
        (json!({"queries": [{"q": "台帳", "limit": 0}]}), json!("queries[0].limit"), "1 to 100"),
        (json!({"default_limit": 101, "queries": []}), json!("default_limit"), "1 to 100"),
        (
            json!({"queries": vec![json!({"q": "台帳"}); BATCH_QUERIES_MAX + 1]}),
            json!("queries"),
            "at most",
        ),
    ] {
        let answer = batch(&server, &body);
        let error = answer.json();
        assert_eq!(answer.status, 400, "{error}");
        assert_eq!(error.get("parameter").cloned().unwrap_or_default(), parameter, "{error}");
        assert!(error["detail"].as_str().is_some_and(|text| text.contains(detail)), "{error}");
    }
    let body = json!({"queries": [{"q": "台帳"}]}).to_string();
    for (key, status, code) in [
        (&server.premium, 403, "batch_option_missing"),
        (&server.batch, 403, "plan_too_low"),
        (&server.public, 401, "secret_key_required"),
    ] {
        let answer = post(server.address, BATCH, key, body.as_bytes());
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)));
    }
    let get =
        ask(server.address, &format!("GET {BATCH}\nAuthorization: Token {}", server.premium_batch));
    assert_eq!((get.status, get.header("allow")), (405, Some("POST, OPTIONS")));
}
