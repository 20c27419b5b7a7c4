//! `GET /v1/school`: found schools and their order, facets, pages, and refused requests.

use serde_json::{Value, json};

use crate::support::{Answer, ServerProcess, ask, encoded};

/// Asks with a key of the plan premium, which schools need.
fn ask_for(server: &ServerProcess, target: &str, headers: &str) -> Answer {
    let key = &server.premium;
    ask(server.address, &format!("GET {target}\nAuthorization: Token {key}\n{headers}"))
}

fn get(server: &ServerProcess, q: &str, more: &str) -> Answer {
    ask_for(server, &format!("/v1/school?q={}{more}", encoded(q)), "")
}

#[track_caller]
fn find(server: &ServerProcess, q: &str, more: &str) -> Value {
    let answer = get(server, q, more);
    assert_eq!(answer.status, 200, "{q}{more}: {}", answer.text());
    answer.json()
}

/// The codes of an answer, in its order.
fn codes(found: &Value) -> Vec<String> {
    let records = found["data"].as_array().expect("a list");
    let code = |record: &Value| record["code"].as_str().expect("a text").to_owned();
    records.iter().map(code).collect()
}

const KINDERGARTEN: &str = "A101210009903";
const NURSERY: &str = "A208310009903";
const PRIMARY: &str = "B113210009907";
const BRANCH: &str = "B113210009916";
const CLOSED: &str = "C113210009905";
const MERGED: &str = "C213210009913";
const HIGH: &str = "D113310009901";
const SPECIAL: &str = "E113210009901";
const UNIVERSITY: &str = "F108110009907";
const COLLEGE: &str = "F208310009902";
const TECHNICAL: &str = "G113110009908";

#[test]
fn an_answer_has_ordered_members_and_the_records_of_the_look_up() {
    let server = ServerProcess::start();
    let q = "台帳大学 ";
    let answer = get(&server, q, "&facet_type=/&limit=3");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let found = answer.json();
    assert_eq!(found.as_object().expect("an object").len(), 7);
    let mut from = 0;
    for member in ["version", "data", "query", "count", "offset", "limit", "facets"] {
        from += answer.text()[from..].find(&format!("\"{member}\":")).expect(member);
    }
    assert_eq!(found["version"], "2026-08-25");
    assert_eq!(found["query"], q, "byte for byte");
    let numbers = [&found["count"], &found["offset"], &found["limit"]];
    assert_eq!(numbers, [&json!(1), &json!(0), &json!(3)]);
    assert_eq!(found["facets"], json!({"type": [["/大学", 1]]}));
    let record = ask_for(&server, &format!("/v1/school/{UNIVERSITY}"), "").json()["data"].take();
    assert_eq!(found["data"], json!([record]));
    for path in ["/v1/school", "/v1/school/"] {
        let target = format!("{path}?q={}", encoded("台帳"));
        let answer = ask_for(&server, &target, "");
        let found = answer.json();
        let members = [&found["count"], &found["limit"], &found["facets"]];
        assert_eq!(members, [&json!(11), &json!(100), &Value::Null]);
        let tag = answer.header("etag").expect("a tag");
        assert_eq!(ask_for(&server, &target, &format!("If-None-Match: {tag}")).status, 304);
    }
}

#[test]
fn queries_find_schools_and_names_rank_above_addresses() {
    let server = ServerProcess::start();
    for (q, expected) in [
        ("台帳大学", &[UNIVERSITY][..]),
        ("大学", &[UNIVERSITY, COLLEGE]),
        ("大學", &[UNIVERSITY, COLLEGE]),
        ("認定こども園台帳", &[NURSERY]),
        ("\"認定 こども園　台帳\"", &[NURSERY]),
        ("大手町", &[PRIMARY, BRANCH, HIGH]),
        ("松原", &[BRANCH]),
        ("つくば市吾妻1-1-1", &[UNIVERSITY]),
        ("茨城県つくば市", &[NURSERY, UNIVERSITY, COLLEGE]),
        ("短期大学 OR 分校", &[COLLEGE, BRANCH]),
        ("大手町 AND 分校", &[BRANCH]),
        ("大手町 分校", &[BRANCH]),
        ("大手町 小学校 -分校", &[PRIMARY]),
        ("大手町 分校 OR 短期大学", &[BRANCH, COLLEGE]),
        ("type:F1", &[UNIVERSITY]),
        ("台帳大学 AND type:F1", &[UNIVERSITY]),
        ("type:大学", &[UNIVERSITY]),
        ("type:f2 台帳", &[COLLEGE]),
        ("type:Z9", &[]),
        ("postal_code:3050031", &[NURSERY, UNIVERSITY, COLLEGE]),
        ("postal_code:〒305-0031 type:F1", &[UNIVERSITY]),
        ("postal_code:30500 -短期", &[NURSERY, UNIVERSITY]),
        ("postal_code:x", &[]),
        ("中央幼稚園", &[KINDERGARTEN]),
        ("台帳中央幼稚園", &[KINDERGARTEN]),
        ("台帳市中央幼稚園", &[KINDERGARTEN]),
        ("大手町小学校", &[PRIMARY, BRANCH]),
        ("台帳学園高校", &[HIGH]),
        ("台帳工業高専", &[TECHNICAL]),
        ("大手町 -小学校", &[HIGH]),
        ("name:つくば", &[]),
        ("address:台帳ビル", &[HIGH]),
        ("address:台帳市", &[]),
        ("code:F", &[UNIVERSITY, COLLEGE]),
        ("code:ｆ1081", &[UNIVERSITY]),
        ("code:B11321000991", &[BRANCH]),
        ("code:X", &[]),
        ("code:大学", &[]),
        ("school_survey_number:13999a", &[HIGH]),
        ("school_survey_number:１３９９９Ａ", &[HIGH]),
        ("school_survey_number:13999", &[]),
        ("台帳 _facet_type:/小学校", &[PRIMARY, BRANCH]),
        ("_facet_branch:/廃校", &[COLLEGE, CLOSED]),
        ("_facet_area:/東京都/世田谷区", &[BRANCH]),
        ("_facet_area:/その他", &[TECHNICAL]),
        ("_facet_prefecture:/北海道", &[KINDERGARTEN]),
        ("_facet_area:/北海道", &[KINDERGARTEN, SPECIAL]),
        ("_facet_establishment_type:/国立 -大学", &[TECHNICAL]),
        (
            "-台",
            &[
                KINDERGARTEN,
                SPECIAL,
                NURSERY,
                UNIVERSITY,
                COLLEGE,
                TECHNICAL,
                PRIMARY,
                CLOSED,
                MERGED,
                HIGH,
                BRANCH,
            ],
        ),
        ("台", &[]),
        ("第一中学校", &[CLOSED]),
        ("former_name:第一中学校", &[MERGED]),
        ("former_name:中学校 type:C2", &[MERGED]),
        ("former_name:中学校 type:C1", &[]),
        ("former_name:第一中学校 OR 第一中学校", &[CLOSED, MERGED]),
        ("台帳 type:C2 -former_name:中学校", &[]),
        ("former_name:短期大学", &[]),
        ("former_name:義務教育学校", &[]),
        ("見つからない", &[]),
    ] {
        let found = find(&server, q, "");
        assert_eq!(codes(&found), expected, "{q}");
        assert_eq!(found["count"], expected.len(), "{q}");
    }
}

#[test]
fn facets_count_all_matches_and_pages_are_slices() {
    let server = ServerProcess::start();
    for (facet, name, expected) in [
        (
            "facet_area=/",
            "area",
            json!([["/東京都", 5], ["/茨城県", 3], ["/北海道", 2], ["/その他", 1]]),
        ),
        ("facet_area=/東京都", "area", json!([["/東京都/千代田区", 4], ["/東京都/世田谷区", 1]])),
        ("facet_area=/東京都/千代田区", "area", json!([])),
        ("facet_area=/無い県", "area", json!([])),
        (
            "facet_prefecture=/",
            "prefecture",
            json!([["/東京都", 7], ["/茨城県", 3], ["/北海道", 1]]),
        ),
        (
            "facet_establishment_type=/",
            "establishment_type",
            json!([["/公立", 6], ["/私立", 3], ["/国立", 2]]),
        ),
        ("facet_branch=/", "branch", json!([["/本校", 8], ["/廃校", 2], ["/分校", 1]])),
        ("facet_type=/小学校", "type", json!([])),
    ] {
        let (parameter, path) = facet.split_once('=').expect("a parameter");
        let found = find(&server, "台帳", &format!("&{parameter}={}", encoded(path)));
        assert_eq!(found["facets"], json!({ name: expected }), "{facet}");
    }
    let all = find(&server, "台帳", "&facet_branch=/&facet_area=/&facet_type=/&facet_prefecture=");
    let facets = all["facets"].as_object().expect("an object");
    assert_eq!(facets.len(), 3, "an empty parameter counts as absent: {facets:?}");
    assert_eq!(facets["type"][0], json!(["/小学校", 2]));
    assert_eq!(facets["type"].as_array().map(Vec::len), Some(10));
    let page = find(&server, "台帳", "&offset=3&limit=4");
    assert_eq!(codes(&page), codes(&all)[3..7]);
    assert_eq!(
        codes(&all).last().map(String::as_str),
        Some(NURSERY),
        "schools whose name begins with 台帳 come first"
    );
    assert_eq!([&page["count"], &page["offset"], &page["limit"]], [11, 3, 4]);
    let past = find(&server, "台帳", "&offset=18446744073709551615");
    assert_eq!((codes(&past).len(), &past["count"]), (0, &json!(11)));
}

#[test]
fn a_school_that_followed_a_closed_one_is_marked() {
    let server = ServerProcess::start();
    let found = find(&server, "former_name:第一中学校 OR 第一中学校", "");
    let marks = |row: &Value| [row.get("matched").cloned(), row.get("former_name").cloned()];
    assert_eq!(marks(&found["data"][0]), [None, None], "its own name: {found}");
    let expected = [Some(json!("former_name")), Some(json!("台帳区立第一中学校"))];
    assert_eq!(marks(&found["data"][1]), expected);
    for other in ["見つからない", "台"] {
        let by_name = find(&server, &format!("義務教育学校 OR former_name:{other}"), "");
        assert_eq!(codes(&by_name), [MERGED]);
        assert_eq!(marks(&by_name["data"][0]), [None, None], "{by_name}");
    }
    let pages = find(&server, "former_name:中学校", "&offset=1&facet_type=/");
    assert_eq!((codes(&pages).len(), &pages["count"]), (0, &json!(1)));
    assert_eq!(pages["facets"]["type"], json!([["/義務教育学校", 1]]));
}

#[test]
fn invalid_requests_name_the_parameter() {
    let server = ServerProcess::start();
    for (target, code, parameter) in [
        ("", "missing_query", "q"),
        ("?q=", "missing_query", "q"),
        ("?q=name:", "invalid_query", "q"),
        ("?q=former_name:", "invalid_query", "q"),
        ("?q=en_name:x", "invalid_query", "q"),
        ("?q=a%20OR", "invalid_query", "q"),
        ("?q=(a)", "invalid_query", "q"),
        ("?q=_facet_type:/x", "invalid_query", "q"),
        ("?q=a&q=b", "invalid_parameter", "q"),
        ("?q=%FF", "invalid_parameter", "q"),
        ("?q=a&limit=0", "invalid_limit", "limit"),
        ("?q=a&limit=101", "invalid_limit", "limit"),
        ("?q=a&offset=-1", "invalid_offset", "offset"),
        ("?q=a&offset=x", "invalid_offset", "offset"),
        ("?q=a&facet_area=x", "invalid_facet", "facet_area"),
        ("?q=a&facet_area=/a/b/c", "invalid_facet", "facet_area"),
        ("?q=a&facet_prefecture=13", "invalid_facet", "facet_prefecture"),
        ("?q=a&facet_type=/F1", "invalid_facet", "facet_type"),
        ("?q=a&facet_establishment_type=/x", "invalid_facet", "facet_establishment_type"),
        ("?q=a&facet_branch=9", "invalid_facet", "facet_branch"),
        ("?q=a&version=x", "invalid_version", "version"),
    ] {
        ask_for(&server, &format!("/v1/school{target}"), "").expect_error(
            400,
            code,
            Some(parameter),
        );
    }
    let old = ask_for(&server, "/v1/school?q=a&version=2020-01-01", "");
    old.expect_error(404, "no_such_version", Some("version"));
    ask(server.address, "GET /v1/school?q=a").expect_error(401, "missing_key", None);
    for path in ["?q=a", "/F108110009907", "/versions"] {
        server.get(&format!("/v1/school{path}")).expect_error(403, "plan_too_low", None);
    }
    ask(server.address, "PUT /v1/school?q=a").expect_error(405, "method_not_allowed", None);
    let long = encoded("大".repeat(3_701));
    ask_for(&server, &format!("/v1/school?q={long}"), "").expect_error(
        414,
        "target_too_long",
        None,
    );
    let many = ["a"; 65].join("%20");
    ask_for(&server, &format!("/v1/school?q={many}"), "").expect_error(
        400,
        "invalid_query",
        Some("q"),
    );
}
