//! `/v1/suggest/…`: banks, branches, corporations and addresses for input fields, on the sample data.

use serde_json::{Value, json};

use crate::support::{NEWEST, ServerProcess, ask, encoded};

/// The rows of an answer.
#[track_caller]
fn rows(served: &ServerProcess, target: &str) -> Vec<Value> {
    let answer = served.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    answer.json()["data"].as_array().expect("a list").clone()
}

/// Code, kind of match and highlighted parts of each row of an answer.
#[track_caller]
fn suggested(served: &ServerProcess, target: &str) -> Vec<(String, String, Vec<String>)> {
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let marked = |row: &Value| {
        let units: Vec<u16> = text(row, "text").encode_utf16().collect();
        let ranges = row["highlight"].as_array().expect("a list").iter();
        let slice = |range: &Value| {
            let [start, end] = [0, 1].map(|at| range[at].as_u64().expect("a place") as usize);
            String::from_utf16(&units[start..end]).expect("valid UTF-16")
        };
        ranges.map(slice).collect()
    };
    let rows = rows(served, target);
    rows.iter().map(|row| (text(row, "code"), text(row, "match"), marked(row))).collect()
}

/// An expected row: code, kind of match, and the highlighted parts.
type Expected<'a> = (&'a str, &'a str, &'a [&'a str]);

#[track_caller]
fn check(served: &ServerProcess, path: &str, q: &str, expected: &[Expected<'_>]) {
    let mark = if path.contains('?') { '&' } else { '?' };
    let found = suggested(served, &format!("{path}{mark}q={}", encoded(q)));
    let found: Vec<(&str, &str, Vec<&str>)> = found
        .iter()
        .map(|(code, how, marked)| (&**code, &**how, marked.iter().map(String::as_str).collect()))
        .collect();
    let expected: Vec<_> =
        expected.iter().map(|(code, how, it)| (*code, *how, it.to_vec())).collect();
    assert_eq!(found, expected, "{path} {q}");
}

#[test]
fn banks_are_suggested_by_name_reading_and_code() {
    let served = ServerProcess::start();
    let banks =
        |q: &str, expected: &[Expected<'_>]| check(&served, "/v1/suggest/bank", q, expected);
    banks(
        "台帳",
        &[
            ("0001", "prefix", &["台帳"]),
            ("2901", "prefix", &["台帳"]),
            ("9491", "prefix", &["台帳"]),
        ],
    );
    for q in ["だいちょうぎん", "ダイチョウギン", "ﾀﾞｲﾁﾖｳｷﾞﾝ", "だいちようぎんこう"]
    {
        banks(q, &[("0001", "reading", &["台帳銀行"])]);
    }
    for q in ["daichogin", "daichougin", "ＤＡＩＣＨＯ　ｇｉｎｋｏ", "daityougin", "だいちょうぎn"]
    {
        banks(q, &[("0001", "roman", &["台帳銀行"])]);
    }
    banks("daichō shin", &[("2901", "roman", &["台帳信組"])]);
    banks("台帳銀", &[("0001", "prefix", &["台帳銀"])]);
    for q in ["株式会社台帳銀行", "㈱台帳銀行", "（株）台帳　銀行"] {
        banks(q, &[("0001", "prefix", &["台帳銀行"])]);
    }
    // The directory has 信組, 信金, 労金; people type 信用組合, 信用金庫, ろうどうきんこ.
    banks("台帳信用組合", &[("2901", "prefix", &["台帳信組"])]);
    banks("だいちょうしんようくみ", &[("2901", "reading", &["台帳信組"])]);
    banks("見本信用金庫", &[("1901", "prefix", &["見本信金"])]);
    banks("見本ろうどう", &[]);
    banks("みほんろうどうきんこ", &[("2991", "reading", &["見本労金"])]);
    banks("ＪＡみほん", &[("3901", "prefix", &["みほん"])]);
    banks("ja", &[("3901", "prefix", &[])]);
    // An exact name comes first; the rest is ordered by code.
    let first = suggested(&served, &format!("/v1/suggest/bank?q={}", encoded("見本信金")));
    assert_eq!(first[0].0, "1901");
    banks("chokin", &[("9991", "inside", &["見本貯金"])]);
    banks("ＣＨ", &[("0901", "inside", &["ＣＨ"])]);
    banks("ネット", &[("0036", "inside", &["ネット"])]);
    // Digits match the beginning of a code. One character does not match inside a name: too many names have it.
    for q in ["2", "29", "２９"] {
        let expected: &[Expected<'_>] = &[("2901", "prefix", &[]), ("2991", "prefix", &[])];
        banks(q, expected);
    }
    banks("0001", &[("0001", "prefix", &[])]);
    banks("00010", &[]);
    banks("帳", &[]);
}

#[test]
fn a_row_has_the_text_for_the_field_and_the_record() {
    let served = ServerProcess::start();
    let target = format!("/v1/suggest/bank?q={}&limit=1", encoded("だい"));
    let bank = r#"{"version":"2026-05-25","data":[{"text":"台帳銀行","code":"0001","name":"台帳","katakana":"ダイチヨウ","hiragana":"だいちよう","romaji":"daichiyou","match":"reading","highlight":[[0,2]]}]}"#;
    for version in ["2022-09-01", "2023-09-01", NEWEST] {
        let answer = served.get_with(&target, &format!("API-Version: {version}"));
        assert_eq!((answer.status, answer.text()), (200, bank.to_owned()), "{version}");
    }
    let branch = rows(&served, "/v1/suggest/branch?bank=0001&q=022");
    let expected = json!([{
        "text": "築地支店", "code": "022", "name": "築地", "katakana": "ツキヂ", "hiragana": "つきぢ",
        "romaji": "tsukidi", "bank_code": "0001", "match": "prefix", "highlight": [],
    }]);
    assert_eq!(Value::from(branch), expected);
    assert_eq!(
        served.get("/v1/suggest/bank?q=zzz").text(),
        r#"{"version":"2026-05-25","data":[]}"#
    );
}

#[test]
fn branches_are_suggested_within_their_bank() {
    let served = ServerProcess::start();
    let branches = |q: &str, expected: &[Expected<'_>]| {
        check(&served, "/v1/suggest/branch?bank=0001", q, expected);
    };
    for q in ["tukiji", "tsukij", "つきじ"] {
        // The directory has the reading with ヂ, so つきじ does not match.
        let expected: &[Expected<'_>] = match q {
            "つきじ" => &[],
            _ => &[("022", "roman", &["築地"])],
        };
        branches(q, expected);
    }
    branches("つきぢし", &[("022", "reading", &["築地支店"])]);
    branches("築地支店", &[("022", "prefix", &["築地支店"])]);
    branches("しんじゅく", &[("031", "reading", &["新宿中央"])]);
    branches("ちゅうおう", &[("031", "inside", &["新宿中央"])]);
    branches("中央", &[("031", "inside", &["中央"])]);
    branches("そしえてみ", &[("033", "prefix", &["ソシエテ　み"])]);
    branches("nihonb", &[("032", "roman", &["日本橋"])]);
    branches("nihomb", &[("032", "roman", &["日本橋"])]);
    branches("本店", &[("001", "prefix", &["本店"])]);
    // Several branches share the code; an exact name comes first.
    branches(
        "mihon",
        &[
            ("010", "roman", &["見本"]),
            ("010", "roman", &["見本出張所"]),
            ("033", "inside", &["ソシエテ　みほん"]),
        ],
    );
    let texts = |bank: &str, q: &str| -> Vec<String> {
        let rows = rows(&served, &format!("/v1/suggest/branch?bank={bank}&q={}", encoded(q)));
        rows.iter().map(|row| row["text"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(texts("0001", "見本"), ["見本支店", "見本出張所"]);
    assert_eq!(texts("3901", "ほ"), ["本所"], "neither 支店 nor 支所 is appended to 本所");
    assert_eq!(texts("9991", "〇〇八店"), ["〇〇八店"]);
    assert_eq!(texts("1901", "イーハトヴ"), ["イーハトーヴ支店"]);
    assert_eq!(texts("１９０１", "ほんてん"), ["本店"], "full-width digits");
    assert_eq!(texts("1901", "みほん"), Vec::<String>::new());
}

/// The names of the suggested corporations, each with its kind of match and highlighted text.
#[track_caller]
fn corporations(served: &ServerProcess, q: &str) -> Vec<(String, String)> {
    let path = format!("/v1/suggest/corporation?q={}", encoded(q));
    let head = format!("GET {path}\nAuthorization: Token {}", served.premium);
    let answer = ask(served.address, &head);
    assert_eq!(answer.status, 200, "{q}: {}", answer.text());
    let rows = answer.json()["data"].as_array().expect("a list").clone();
    let row = |row: &Value| {
        let name = row["name"].as_str().expect("a text");
        assert_eq!(row["text"], name);
        let units: Vec<u16> = name.encode_utf16().collect();
        let place = |at: usize| row["highlight"][0][at].as_u64().unwrap_or_default() as usize;
        let marked = String::from_utf16(&units[place(0)..place(1)]).expect("valid UTF-16");
        (name.to_owned(), format!("{} {marked}", row["match"].as_str().expect("a text")))
    };
    rows.iter().map(row).collect()
}

#[test]
fn corporations_are_suggested_by_name_and_reading() {
    let served = ServerProcess::start();
    let first = |q: &str| corporations(&served, q).into_iter().next().unwrap_or_default();
    #[track_caller]
    fn is(found: (String, String), name: &str, how: &str) {
        assert_eq!((found.0.as_str(), found.1.as_str()), (name, how));
    }
    is(first("台帳北"), "株式会社台帳北海道", "prefix 台帳北");
    is(first("だいちょうほ"), "株式会社台帳北海道", "reading 台帳北海道");
    is(first("daichouho"), "株式会社台帳北海道", "roman 台帳北海道");
    is(first("台帳ほっか"), "株式会社台帳北海道", "prefix ");
    is(first("株式会社台帳北"), "株式会社台帳北海道", "prefix 台帳北");
    is(first("㈱新台帳"), "株式会社新台帳", "prefix 新台帳");
    is(first("台帳合名"), "台帳合名会社", "prefix 台帳合名");
    is(first("合資会社台帳"), "台帳合資会社", "prefix 台帳");
    is(first("ｄａｉｃｈｏ"), "株式会社台帳", "roman 台帳");
    // Order: exact names, then names that begin with the text, then closed corporations.
    let all = corporations(&served, "台帳");
    let place = |name: &str| all.iter().position(|(found, _)| found == name);
    assert!(place("株式会社台帳") < place("株式会社台帳北海道"), "{all:?}");
    let closed = corporations(&served, "台帳清");
    assert_eq!(closed, [("株式会社台帳清算".to_owned(), "prefix 台帳清".to_owned())]);
    let found: Vec<String> = corporations(&served, "台帳管理").into_iter().map(|it| it.0).collect();
    assert_eq!(found, Vec::<String>::new(), "hidden from searches");
    assert_eq!(corporations(&served, "6010001999901").len(), 1);
    assert_eq!(corporations(&served, "601000199990").len(), 0);
}

#[test]
fn a_suggested_corporation_has_the_values_for_a_form() {
    let served = ServerProcess::start();
    let path = format!("/v1/suggest/corporation?limit=1&q={}", encoded("台帳北"));
    let head =
        format!("GET {path}\nAuthorization: Token {}\nAPI-Version: 2022-09-01", served.premium);
    let answer = ask(served.address, &head);
    let expected = json!({"version": "2026-08-03", "data": [{
        "text": "株式会社台帳北海道", "corporate_number": "5430001999901", "name": "株式会社台帳北海道",
        "furigana": "ダイチョウホッカイドウ", "postal_code": "1060032", "prefecture": "東京都", "city": "港区",
        "address": "東京都港区六本木１丁目６番１号", "closed": false, "match": "prefix", "highlight": [[4, 7]],
    }]});
    assert_eq!((answer.status, answer.json()), (200, expected));
    let standard = served.get(&path);
    standard.expect_error(403, "plan_too_low", None);
}

#[test]
fn invalid_parameters_are_named() {
    let served = ServerProcess::start();
    for (query, code, parameter, detail) in [
        ("", "missing_query", "q", "expected q"),
        ("q=", "missing_query", "q", "expected q"),
        ("q=%20%E3%80%80", "missing_query", "q", "expected q"),
        ("q=a&q=b", "invalid_parameter", "q", "found it twice"),
        ("q=%FF", "invalid_parameter", "q", "UTF-8"),
        ("q=a&limit=0", "invalid_limit", "limit", "1 to 20"),
        ("q=a&limit=21", "invalid_limit", "limit", "1 to 20"),
        ("q=a&limit=x", "invalid_limit", "limit", "1 to 20"),
        ("q=a&limit=1&limit=1", "invalid_parameter", "limit", "found it twice"),
        ("q=a&version=x", "invalid_version", "version", "YYYY-MM-DD"),
    ] {
        for path in ["/v1/suggest/bank?", "/v1/suggest/branch?bank=0001&"] {
            let answer = served.get(&format!("{path}{query}"));
            answer.expect_error(400, code, Some(parameter));
            assert!(answer.text().contains(detail), "{}", answer.text());
        }
    }
    for (query, code, parameter) in [
        ("", "missing_query", "q"),
        ("q=%20", "missing_query", "q"),
        ("q=%FF", "invalid_parameter", "q"),
        ("q=a&q=b", "invalid_parameter", "q"),
        ("q=a&limit=21", "invalid_limit", "limit"),
        ("q=a&version=x", "invalid_version", "version"),
    ] {
        let head =
            format!("GET /v1/suggest/corporation?{query}\nAuthorization: Token {}", served.premium);
        ask(served.address, &head).expect_error(400, code, Some(parameter));
    }
    for bad in ["", "1", "00001", "abcd", "-001"] {
        let answer = served.get(&format!("/v1/suggest/branch?bank={bad}&q=a"));
        answer.expect_error(400, "invalid_bank_code", Some("bank"));
    }
    let get = |target: &str| served.get(target);
    get("/v1/suggest/branch?q=a").expect_error(400, "invalid_bank_code", Some("bank"));
    let twice = get("/v1/suggest/branch?q=a&bank=0001&bank=0001");
    twice.expect_error(400, "invalid_parameter", Some("bank"));
    let unknown = get("/v1/suggest/branch?bank=9999&q=a");
    unknown.expect_error(404, "no_such_bank", Some("bank"));
    let other = get("/v1/suggest/bank?q=a&version=2026-06-30");
    other.expect_error(404, "no_such_version", Some("version"));
    let notice = get("/v1/suggest/bank?q=a&limt=3");
    assert!(notice.header("daicho-notice").is_some_and(|it| it.contains("limit")));
    ask(served.address, "GET /v1/suggest/bank?q=a").expect_error(401, "missing_key", None);
    let post = format!("POST /v1/suggest/bank?q=a\nAuthorization: Token {}", served.secret);
    ask(served.address, &post).expect_error(405, "method_not_allowed", None);
}

#[test]
fn unusual_texts_suggest_nothing_and_cause_no_error() {
    let served = ServerProcess::start();
    let long = "あ".repeat(256);
    for q in ["\0", "\"", "\\", "🏦", "%", "'", "\u{3099}", "𠮷", "ー", "-", "kkkkkkkk", &long]
    {
        for path in ["/v1/suggest/bank?", "/v1/suggest/branch?bank=0001&"] {
            let target = format!("{path}q={}", encoded(q));
            assert_eq!(rows(&served, &target), Vec::<Value>::new(), "{q:?}");
        }
        assert_eq!(corporations(&served, q), [], "{q:?}");
    }
    let limited = |limit: &str| rows(&served, &format!("/v1/suggest/bank?q=m{limit}")).len();
    assert_eq!([limited(""), limited("&limit="), limited("&limit=2")], [5, 5, 2]);
}

#[test]
fn schools_are_suggested_by_name_with_or_without_their_founder() {
    let served = ServerProcess::start();
    let get = |query: &str| {
        let head =
            format!("GET /v1/suggest/school?{query}\nAuthorization: Token {}", served.premium);
        ask(served.address, &head)
    };
    let names = |query: &str| -> Vec<(String, String)> {
        let answer = get(query);
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        let rows = answer.json()["data"].as_array().expect("a list").clone();
        let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
        rows.iter().map(|row| (text(row, "text"), text(row, "match"))).collect()
    };
    for (q, expected) in [
        ("中央幼", &[("台帳市立中央幼稚園", "prefix")][..]),
        ("台帳中央", &[("台帳市立中央幼稚園", "prefix")]),
        ("幼稚園", &[("台帳市立中央幼稚園", "inside")]),
        ("台帳大学", &[("台帳大学", "prefix")]),
        ("大学", &[("台帳大学", "inside"), ("台帳短期大学", "inside")]),
        ("台帳学園高校", &[("台帳学園高等学校", "prefix")]),
        ("第一中学", &[("台帳区立義務教育学校", "former_name"), ("台帳区立第一中学校", "prefix")]),
        ("短期大学", &[("台帳短期大学", "inside")]),
        ("-", &[]),
        ("(", &[]),
        ("見つからない", &[]),
    ] {
        let found = names(&format!("q={}", encoded(q)));
        let found: Vec<_> = found.iter().map(|(text, how)| (&**text, &**how)).collect();
        assert_eq!(found, expected, "{q}");
    }
    let all = names(&format!("q={}&limit=20", encoded("台帳")));
    let closed: Vec<&str> = all[9..].iter().map(|(text, _)| &**text).collect();
    assert_eq!(closed, ["台帳短期大学", "台帳区立第一中学校"], "closed ones last: {all:?}");
    let row = get(&format!("q={}", encoded("台帳大"))).json()["data"][0].clone();
    assert_eq!((&row["highlight"], row.get("former_name")), (&json!([[0, 3]]), None));
    let followed = get(&format!("q={}&limit=1", encoded("台帳区立第一"))).json()["data"][0].clone();
    assert_eq!(
        [&followed["code"], &followed["former_name"], &followed["highlight"]],
        [&json!("C213210009913"), &json!("台帳区立第一中学校"), &json!([])]
    );
    assert_eq!(
        [&row["code"], &row["type"], &row["branch"]],
        [&json!("F108110009907"), &json!("F1"), &json!(1)]
    );
    get("q=").expect_error(400, "missing_query", Some("q"));
    get("q=a&limit=21").expect_error(400, "invalid_limit", Some("limit"));
    get("q=a&version=x").expect_error(400, "invalid_version", Some("version"));
    served.get("/v1/suggest/school?q=a").expect_error(403, "plan_too_low", None);
}

#[track_caller]
fn places(served: &ServerProcess, parameters: &str) -> Vec<(String, String, Value)> {
    let rows = rows(served, &format!("/v1/suggest/address?{parameters}"));
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    rows.iter()
        .map(|row| (text(row, "text"), text(row, "match"), row["highlight"].clone()))
        .collect()
}

#[test]
fn places_are_suggested_in_any_writing() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, q: &str, text: &str, how: &str, highlight: Value) {
        let found = places(served, &format!("q={}", encoded(q)));
        let found = found.into_iter().next().expect("a place");
        assert_eq!(found, (text.to_owned(), how.to_owned(), highlight), "{q}");
    }
    check(&served, "六本", "東京都港区六本木", "prefix", json!([[5, 7]]));
    check(&served, "ろっぽ", "東京都港区六本木", "reading", json!([[5, 8]]));
    check(&served, "ﾛｯﾎﾟ", "東京都港区六本木", "reading", json!([[5, 8]]));
    check(&served, "Roppon", "東京都港区六本木", "roman", json!([[5, 8]]));
    check(&served, "ろっぽんg", "東京都港区六本木", "roman", json!([[5, 8]]));
    check(&served, "港区ろっ", "東京都港区六本木", "reading", json!([[3, 8]]));
    check(&served, "minato roppongi", "東京都港区六本木", "roman", json!([[3, 8]]));
    check(&served, "東京都港区六", "東京都港区六本木", "prefix", json!([[0, 6]]));
    check(&served, "みなと", "東京都港区", "reading", json!([[3, 5]]));
    check(&served, "沖縄", "沖縄県", "prefix", json!([[0, 2]]));
    check(&served, "106-003", "東京都港区六本木", "prefix", json!([]));
    check(&served, "ろっぽんき", "東京都港区六本木", "near", json!([]));
}

#[test]
fn a_suggested_place_has_the_values_for_a_form() {
    let served = ServerProcess::start();
    let place = rows(&served, "/v1/suggest/address?q=1000001").remove(0);
    let expected = json!({
        "text": "東京都千代田区千代田", "postal_code": "1000001", "jisx0402": "13101",
        "prefecture": "東京都", "prefecture_kana": "トウキョウト",
        "city": "千代田区", "city_kana": "チヨダク", "town": "千代田", "town_kana": "チヨダ",
        "level": "town", "match": "prefix", "highlight": [], "codes": 1, "parent": null,
    });
    assert_eq!(place, expected);
    let prefecture = rows(&served, "/v1/suggest/address?q=tokyo").remove(0);
    assert_eq!(prefecture["text"], "東京都");
    assert_eq!(prefecture["jisx0402"], Value::Null);
    assert_eq!((&prefecture["city"], &prefecture["level"]), (&json!(""), &json!("prefecture")));
}

#[test]
fn a_town_of_several_codes_lists_its_parts() {
    let served = ServerProcess::start();
    let town = rows(&served, &format!("/v1/suggest/address?q={}", encoded("六本木"))).remove(0);
    assert_eq!(town["postal_code"], Value::Null);
    assert!(town["codes"].as_u64() > Some(1), "{town}");
    assert_eq!(town["parent"], "13103六本木");
    let parent = format!("/v1/suggest/address?parent={}", encoded("13103六本木"));
    let parts = rows(&served, &parent);
    assert_eq!((&parts[0]["postal_code"], &parts[0]["level"]), (&json!("1060032"), &json!("part")));
    assert!(parts.iter().all(|part| part["town"] == "六本木" && part["parent"] == Value::Null));
    let floor = rows(&served, &format!("{parent}&q=1066190"));
    assert_eq!(floor.len(), 1, "{floor:?}");
    let text = floor[0]["text"].as_str().expect("a text");
    assert!(text.starts_with("東京都港区六本木六本木"), "{text}");
    let same = rows(&served, &format!("{parent}&q={}&limit=1", encoded("ヒルズ")));
    assert_eq!(same.len(), 1, "{same:?}");
    for other in ["13103銀河", "13101千代田", "99999六本木"] {
        let target = format!("/v1/suggest/address?parent={}", encoded(other));
        assert_eq!(rows(&served, &target), Vec::<Value>::new(), "{other} has no parts");
    }
}

#[test]
fn places_near_the_given_municipality_come_first() {
    let served = ServerProcess::start();
    let first = |near: &str| {
        let found = rows(&served, &format!("/v1/suggest/address?q=100&limit=1{near}"));
        found[0]["jisx0402"].as_str().expect("a code").to_owned()
    };
    assert_eq!(first(""), "13101");
    let towns = |near: &str| places(&served, &format!("q={}{near}", encoded("ち")));
    let (anywhere, there) = (towns(""), towns("&near=11"));
    assert_ne!(anywhere[0], there[0]);
    assert!(there[0].0.starts_with("埼玉県"), "{there:?}");
    assert_eq!(towns("&near=99"), anywhere, "no such prefecture");
    assert!(towns("&near=13101")[0].0.starts_with("東京都千代田区"));
}

#[test]
fn invalid_requests_for_places_are_refused() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, parameters: &str, code: &str, parameter: &str) {
        let answer = served.get(&format!("/v1/suggest/address?{parameters}"));
        answer.expect_error(400, code, Some(parameter));
    }
    check(&served, "", "missing_query", "q");
    check(&served, "q=", "missing_query", "q");
    check(&served, "q=%20", "missing_query", "q");
    check(&served, "q=a&limit=0", "invalid_limit", "limit");
    check(&served, "q=a&limit=21", "invalid_limit", "limit");
    check(&served, "q=a&near=1", "invalid_parameter", "near");
    check(&served, "q=a&near=131", "invalid_parameter", "near");
    check(&served, "q=a&near=xx", "invalid_parameter", "near");
    check(&served, "q=a&near=%2B1", "invalid_parameter", "near");
    check(&served, "parent=13103", "invalid_parameter", "parent");
    check(&served, "parent=abcdeX", "invalid_parameter", "parent");
    check(&served, "q=a&parent=%E5%85%AD", "invalid_parameter", "parent");
    let long = "あ".repeat(256);
    for q in ["\0", "\"", "🏦", "%", "ー", "-", "〒", "99999999", "ない", &long] {
        let found = places(&served, &format!("q={}", encoded(q)));
        assert_eq!(found, [], "{q:?}");
    }
}
