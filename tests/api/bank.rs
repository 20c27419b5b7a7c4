//! `/v1/bank/…`: banks and branches by code, lists and searches, on the sample data.

use crate::support::{NEWEST, ServerProcess, ask, encoded};

const DAICHO: &str = r#"{"code":"0001","name":"台帳","katakana":"ダイチヨウ","hiragana":"だいちよう","romaji":"daichiyou"}"#;
const SHARED: [&str; 3] = [
    r#"{"code":"010","name":"見本","katakana":"ミホン","hiragana":"みほん","romaji":"mihon"}"#,
    r#"{"code":"010","name":"見本出張所","katakana":"ミホンシユツチヨウジヨ","hiragana":"みほんしゆつちようじよ","romaji":"mihonshiyutsuchiyoujiyo"}"#,
    r#"{"code":"010","name":"台帳の森","katakana":"ダイチヨウノモリ","hiragana":"だいちようのもり","romaji":"daichiyounomori"}"#,
];
const VIVU: &str = r#"{"code":"002","name":"イーハトーヴ","katakana":"イーハトーヴ","hiragana":"いーはとーヴ","romaji":"i-hato-vu"}"#;
const HONTEN: &str =
    r#"{"code":"001","name":"本店","katakana":"ホンテン","hiragana":"ほんてん","romaji":"honten"}"#;
const SHINKIN: &str = r#"{"code":"1901","name":"見本信金","katakana":"ミホンシンキン","hiragana":"みほんしんきん","romaji":"mihonshinkin"}"#;

/// The codes of the institutions or branches in an answer.
fn codes(served: &ServerProcess, target: &str) -> Vec<String> {
    let answer = served.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    let data = &answer.json()["data"];
    match data.as_array() {
        Some(banks) => {
            banks.iter().map(|bank| bank["code"].as_str().expect("a code").to_owned()).collect()
        }
        None => data["branches"].as_object().expect("branches").keys().cloned().collect(),
    }
}

#[test]
fn every_api_version_has_its_shape() {
    let served = ServerProcess::start();
    let version = r#""version":"2026-05-25""#;
    let bank = format!("{{{version},\"data\":{DAICHO}}}");
    let arrays =
        format!("{{{version},\"data\":{{\"bank\":{DAICHO},\"branch\":[{}]}}}}", SHARED.join(","));
    let single = format!("{{{version},\"data\":{{\"bank\":{DAICHO},\"branch\":{}}}}}", SHARED[0]);
    let map = |open: &str, close: &str| {
        format!(
            "{{{version},\"data\":{{\"bank\":{SHINKIN},\"branches\":{{\"001\":{open}{HONTEN}{close},\
             \"002\":{open}{VIVU}{close}}}}}}}"
        )
    };
    for (api, branch, branches) in [
        ("2023-09-01", &single, map("", "")),
        ("2024-01-01", &single, map("", "")),
        ("2025-01-01", &arrays, map("[", "]")),
        (NEWEST, &arrays, map("[", "]")),
    ] {
        for (path, expected) in [
            ("/v1/bank/0001", &bank),
            ("/v1/bank/0001/branches/010", branch),
            ("/v1/bank/1901/branches", &branches),
        ] {
            for slash in ["", "/"] {
                let headers = format!("KenAll-API-Version: {api}");
                let answer = served.get_with(&format!("{path}{slash}"), &headers);
                assert_eq!((answer.status, answer.header("api-version")), (200, Some(api)));
                assert_eq!(&answer.text(), expected, "{path} in {api}");
            }
        }
        let list = served.get(&format!("/v1/bank?api_version={api}"));
        assert!(list.text().starts_with(&format!("{{{version},\"data\":[{DAICHO},")));
        assert_eq!(list.json()["data"].as_array().map(Vec::len), Some(9));
        let branches = served.get(&format!("/v1/bank/0001/branches?api_version={api}")).json();
        let shared = &branches["data"]["branches"]["010"];
        match api < "2025-01-01" {
            true => assert_eq!(shared["name"], "見本", "the first of those that share the code"),
            false => assert_eq!(shared.as_array().map(Vec::len), Some(3)),
        }
        assert_eq!(branches["data"]["branches"].as_object().map(|map| map.len()), Some(9));
    }
}

#[test]
fn before_2023_09_01_there_is_no_such_endpoint() {
    let served = ServerProcess::start();
    for path in [
        "/v1/bank",
        "/v1/bank/versions",
        "/v1/bank/0001",
        "/v1/bank/1",
        "/v1/bank/0001/branches",
        "/v1/bank/0001/branches/010",
    ] {
        for api in ["2022-09-01", "2022-11-01"] {
            let answer = served.get_with(path, &format!("API-Version: {api}"));
            answer.expect_error(404, "no_such_endpoint", None);
            assert!(answer.text().contains("2023-09-01"), "{}", answer.text());
        }
        let head = format!("GET {path}\nAuthorization: Token {}", served.old);
        ask(served.address, &head).expect_error(404, "no_such_endpoint", None);
    }
}

#[test]
fn malformed_codes_are_400_and_unknown_ones_404() {
    let served = ServerProcess::start();
    let get = |path: &str| served.get(&format!("/v1/bank/{path}"));
    for bad in ["1", "001", "00001", "abcd", "000O", "%EF%BC%9000", "%", "0001%00", "-001"] {
        get(bad).expect_error(400, "invalid_bank_code", Some("bank_code"));
        get(&format!("{bad}/branches")).expect_error(400, "invalid_bank_code", Some("bank_code"));
        get(&format!("{bad}/branches/x")).expect_error(400, "invalid_bank_code", Some("bank_code"));
    }
    for bad in ["1", "01", "0001", "abc", "%E3%80%87%E3%80%87%E4%B8%80", "%zz"] {
        let answer = get(&format!("0001/branches/{bad}"));
        answer.expect_error(400, "invalid_branch_code", Some("branch_code"));
    }
    get("9999").expect_error(404, "no_such_bank", Some("bank_code"));
    get("9999/branches").expect_error(404, "no_such_bank", Some("bank_code"));
    get("9999/branches/001").expect_error(404, "no_such_bank", Some("bank_code"));
    get("0001/branches/999").expect_error(404, "no_such_branch", Some("branch_code"));
    get("0003").expect_error(404, "no_such_bank", Some("bank_code"));
    // Percent-encoded digits are accepted.
    assert_eq!(get("000%31/branches/%30%31%30").status, 200);
    for path in ["/v1/bank//", "/v1/bank/0001/branch", "/v1/bank/0001/branches/010/x"] {
        served.get(path).expect_error(404, "no_such_endpoint", None);
    }
    let post = format!("POST /v1/bank\nAuthorization: Token {}", served.secret);
    let answer = ask(served.address, &post);
    answer.expect_error(405, "method_not_allowed", None);
    ask(served.address, "GET /v1/bank").expect_error(401, "missing_key", None);
}

#[test]
fn a_version_selects_the_data() {
    let served = ServerProcess::start();
    let versions = r#"{"versions":["2025-06-10","2026-05-25"]}"#;
    assert_eq!(served.get("/v1/bank/versions").text(), versions);
    assert_eq!(served.get("/v1/bank/versions/?version=x").text(), versions);
    for version in ["2025-06-10", "2026-05-25"] {
        for path in ["", "/0001", "/0001/branches", "/0001/branches/010"] {
            let answer = served.get(&format!("/v1/bank{path}?version={version}"));
            assert_eq!((answer.status, &answer.json()["version"]), (200, &version.into()));
            let cache = answer.header("cache-control");
            assert_eq!(cache, Some("private, max-age=31536000, immutable"));
        }
    }
    assert_eq!(served.get("/v1/bank/0002?version=2025-06-10").status, 200);
    served.get("/v1/bank/0002").expect_error(404, "no_such_bank", Some("bank_code"));
    // The file format of 2025 holds at most one branch for each code; the shape of answers is the same.
    let branch = served.get("/v1/bank/0001/branches/010?version=2025-06-10").json();
    assert_eq!(branch["data"]["branch"].as_array().map(Vec::len), Some(1));
    let vivu = served.get("/v1/bank/1901/branches/002?version=2025-06-10").text();
    assert!(vivu.contains(VIVU), "{vivu}");
    for path in ["/v1/bank", "/v1/bank/0001", "/v1/bank/0001/branches/010"] {
        let ask = |version: &str| served.get(&format!("{path}?version={version}"));
        // A version of the postal data is no version of the bank data.
        ask("2026-06-30").expect_error(404, "no_such_version", Some("version"));
        assert!(ask("2026-06-30").text().contains("/v1/bank/versions"));
        ask("latest").expect_error(400, "invalid_version", Some("version"));
    }
}

#[test]
fn a_search_finds_names_and_readings_in_any_writing() {
    let served = ServerProcess::start();
    #[track_caller]
    fn check(served: &ServerProcess, path: &str, q: &str, how: &str, expected: &[&str]) {
        let target = format!("{path}?q={}{how}", encoded(q));
        assert_eq!(codes(served, &target), expected, "{q} {how}");
    }
    let banks =
        |q: &str, how: &str, expected: &[&str]| check(&served, "/v1/bank", q, how, expected);
    for q in [
        "台帳",
        "台帳銀行",
        "ダイチョウ",
        "だいちょう",
        "ﾀﾞｲﾁﾖｳ",
        "daichiyou",
        "ＤＡＩＣＨＩ",
        "だいちようぎんこう",
    ] {
        banks(q, "", &["0001", "2901", "9491"]);
        banks(q, "&match=prefix", &["0001", "2901", "9491"]);
    }
    // A kind alone finds the institutions of that kind, however it is matched.
    for q in ["信金", "信用金庫", "しんきん", "shinkin"] {
        banks(q, "", &["1901"]);
        banks(q, "&match=contains", &["1901"]);
    }
    for q in ["労金", "労働金庫", "ろうどうきんこ"] {
        banks(q, "", &["2991"]);
    }
    for q in ["台帳信用組合", "台帳 信用組合", "だいちょうしんようくみあい"]
    {
        banks(q, "", &["2901"]);
    }
    banks("見本労働金庫", "", &["2991"]);
    banks("本労働金庫", "", &[]);
    banks("本労働金庫", "&match=contains", &["2991"]);
    banks("ＪＡみほん", "", &["3901"]);
    banks("株式会社台帳銀行", "", &["0001", "2901", "9491"]);
    // Roman letters are compared by sound too: ダイチヨウ and チヨキン are said with chō and cho.
    banks("ｃｈｏ", "&match=contains", &["0001", "0901", "2901", "9491", "9991"]);
    // A final 信用金庫 is optional for all, but the institution of that name comes first.
    banks("見本信用金庫", "", &["1901", "0901", "2991", "9991"]);
    banks("みほん", "", &["1901", "2991", "3901", "0901", "9991"]);
    banks("ない", "", &[]);
    banks("ー", "", &[]);
    banks("銀行", "&match=contains", &[]);
    assert_eq!(codes(&served, "/v1/bank?q=").len(), 9, "an empty q is none");
    assert_eq!(served.get("/v1/bank?q=zzz").text(), r#"{"version":"2026-05-25","data":[]}"#);
    let branches = |q: &str, how: &str, expected: &[&str]| {
        check(&served, "/v1/bank/0001/branches", q, how, expected);
    };
    for q in ["会津", "会津支店", "アイヅ", "あいづ", "aidu", "アイヅシテン"] {
        branches(q, "", &["021"]);
    }
    branches("中央", "", &[]);
    branches("中央", "&match=contains", &["031"]);
    branches("ちゅうおう", "&match=contains", &["031"]);
    branches("ソシエテ", "", &["033"]);
    branches("そしえて みほん", "", &["033"]);
    branches("見本", "", &["010"]);
    branches("本店営業部", "", &["001"]);
    branches("ほんてんえいぎょうぶ", "", &["001"]);
    let shared = served.get(&format!("/v1/bank/0001/branches?q={}", encoded("台帳の森"))).json();
    assert_eq!(shared["data"]["branches"]["010"].as_array().map(Vec::len), Some(1));
    let none = served.get("/v1/bank/1901/branches?q=zzz").text();
    let expected =
        format!(r#"{{"version":"2026-05-25","data":{{"bank":{SHINKIN},"branches":{{}}}}}}"#);
    assert_eq!(none, expected);
    for q in ["イーハトーヴ", "イハトヴ", "いーはとーヴ", "い－はと－ゔ"] {
        let target = format!("/v1/bank/1901/branches?q={}", encoded(q));
        assert_eq!(codes(&served, &target), ["002"], "{q}");
    }
}

#[test]
fn type_selects_a_range_of_codes() {
    let served = ServerProcess::start();
    for (kind, expected) in [
        ("bank", ["0001", "0036", "0901"].as_slice()),
        ("shinkin", &["1901"]),
        ("shinkumi_rokin", &["2901", "2991"]),
        ("nokyo_gyokyo", &["3901", "9491"]),
        ("yucho", &["9991"]),
    ] {
        assert_eq!(codes(&served, &format!("/v1/bank?type={kind}")), expected, "{kind}");
    }
    let both = format!("/v1/bank?type=shinkin&q={}", encoded("みほん"));
    assert_eq!(codes(&served, &both), ["1901"]);
}

#[test]
fn search_parameters_are_checked_and_older_versions_ignore_them() {
    let served = ServerProcess::start();
    for (query, parameter, listed) in [
        ("type=Bank", "type", "bank, shinkin, shinkumi_rokin, nokyo_gyokyo, yucho"),
        ("type=", "type", "bank, shinkin"),
        ("match=exact", "match", "prefix, contains"),
        ("match=exact&q=x", "match", "prefix, contains"),
        ("type=bank&type=bank", "type", "found it twice"),
        ("q=%FF", "q", "UTF-8"),
        ("q=%zz", "q", "%"),
    ] {
        let answer = served.get(&format!("/v1/bank?{query}"));
        answer.expect_error(400, "invalid_parameter", Some(parameter));
        assert!(answer.text().contains(listed), "{}", answer.text());
    }
    let answer = served.get("/v1/bank/0001/branches?match=x");
    answer.expect_error(400, "invalid_parameter", Some("match"));
    // Branches have no parameter `type`.
    assert_eq!(served.get("/v1/bank/0001/branches?type=x").status, 200);
    for api in ["2023-09-01", "2024-01-01", "2025-01-01"] {
        let target = format!("/v1/bank?q=zzz&match=x&type=x&api_version={api}");
        assert_eq!(codes(&served, &target).len(), 9, "{api}");
        let target = format!("/v1/bank/0001/branches?q=zzz&match=%FF&api_version={api}");
        assert_eq!(codes(&served, &target).len(), 9, "{api}");
    }
}

#[test]
fn unusual_texts_find_nothing_and_cause_no_error() {
    let served = ServerProcess::start();
    for q in [
        "\0",
        "\n",
        "台帳\nダ",
        "\"",
        "\\",
        "🏦",
        "\u{1b}[2J",
        "%",
        "' OR 1=1",
        "\u{fffd}",
        "\u{3099}",
        "𠮷",
    ] {
        let target = format!("/v1/bank?match=contains&q={}", encoded(q));
        assert_eq!(codes(&served, &target), Vec::<String>::new(), "{q:?}");
    }
    let long = encoded("あ".repeat(200));
    assert_eq!(codes(&served, &format!("/v1/bank?q={long}")), Vec::<String>::new());
}

#[test]
fn the_cached_list_equals_the_list_of_a_pinned_version_in_every_encoding() {
    let served = ServerProcess::start();
    let plain = served.get("/v1/bank");
    let pinned = served.get("/v1/bank?version=2026-05-25");
    assert_eq!((plain.text(), plain.header("etag")), (pinned.text(), pinned.header("etag")));
    assert_eq!(plain.header("cache-control"), Some("private, no-cache"));
    let zstd = served.get_with("/v1/bank", "Accept-Encoding: zstd");
    let gzip = served.get_with("/v1/bank", "Accept-Encoding: gzip");
    if plain.body.len() >= 2 * 1024 {
        assert_eq!(zstd.header("content-encoding"), Some("zstd"));
        assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    }
    if zstd.header("content-encoding").is_some() {
        let back = zstd::bulk::decompress(&zstd.body, 1 << 20).expect("zstd");
        assert_eq!(back, plain.body);
        let mut back = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&*gzip.body);
        std::io::Read::read_to_end(&mut decoder, &mut back).expect("gzip");
        assert_eq!(back, plain.body);
    }
    let tag = plain.header("etag").expect("a tag");
    let again = served.get_with("/v1/bank", &format!("If-None-Match: {tag}"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let head = format!("HEAD /v1/bank\nAuthorization: Token {}", served.secret);
    let length = plain.body.len().to_string();
    assert_eq!(ask(served.address, &head).header("content-length"), Some(length.as_str()));
}
