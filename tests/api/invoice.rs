//! `/v1/invoice/…`: issuers by number, registration on a day, the search, and refused requests. Also the issuer numbers in
//! corporate records.

use serde_json::{Value, json};

use crate::support::{Answer, NEWEST, ServerProcess, ask, encoded, post, sample};

pub const SHOP: &str = "T6010001999901";

fn get(server: &ServerProcess, target: &str, headers: &str) -> Answer {
    let key = &server.premium;
    ask(server.address, &format!("GET /v1/invoice/{target}\nAuthorization: Token {key}\n{headers}"))
}

#[track_caller]
pub fn data(server: &ServerProcess, target: &str) -> Value {
    let answer = get(server, target, "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["data"].take()
}

/// The members of an address without values.
fn empty_address() -> Value {
    json!({
        "postal_code": null,
        "jisx0402": null,
        "prefecture": null,
        "prefecture_kana": null,
        "prefecture_roman": null,
        "city": "",
        "city_kana": "",
        "city_roman": "",
        "street_number": "",
        "town": null,
        "kyoto_street": null,
        "block_lot_num": null,
        "building": null,
        "floor_room": null,
    })
}

#[test]
fn an_issuer_has_every_member_in_the_documented_order() {
    let server = ServerProcess::start();
    let expected = json!({
        "published_date": "2026-07-31",
        "sequence_number": 11,
        "qualified_invoice_issuer_number": SHOP,
        "process": 1,
        "correct": 0,
        "kind": 2,
        "country": 1,
        "latest": 1,
        "registration_date": "2023-10-01",
        "update_date": "2022-06-13",
        "disposal_date": null,
        "expire_date": null,
        "address": {
            "postal_code": "1000004",
            "jisx0402": "13101",
            "prefecture": "東京都",
            "prefecture_kana": "トウキョウト",
            "prefecture_roman": "Tokyo",
            "city": "千代田区",
            "city_kana": "チヨダク",
            "city_roman": "Chiyoda-ku",
            "street_number": "大手町１丁目２番３号台帳ビル４階",
            "town": "大手町",
            "kyoto_street": null,
            "block_lot_num": "1-2-3",
            "building": "台帳ビル",
            "floor_room": "4階",
        },
        "address_request": empty_address(),
        "address_inside": empty_address(),
        "kana": "ダイチョウ",
        "name": "株式会社台帳",
        "trade_name": "",
        "popular_name_previous_name": "",
    });
    for api in ["2024-01-01", "2025-01-01", NEWEST] {
        for slash in ["", "/"] {
            let answer = get(&server, &format!("{SHOP}{slash}"), &format!("API-Version: {api}"));
            assert_eq!((answer.status, answer.header("api-version")), (200, Some(api)));
            assert_eq!(answer.json(), json!({"version": "2026-08-04", "data": expected}));
        }
    }
    let text = get(&server, SHOP, "").text();
    let mut last = 0;
    for key in [
        "version",
        "published_date",
        "sequence_number",
        "qualified_invoice_issuer_number",
        "process",
        "correct",
        "kind",
        "country",
        "latest",
        "registration_date",
        "update_date",
        "disposal_date",
        "expire_date",
        "address",
        "postal_code",
        "jisx0402",
        "prefecture",
        "prefecture_kana",
        "prefecture_roman",
        "city",
        "city_kana",
        "city_roman",
        "street_number",
        "town",
        "kyoto_street",
        "block_lot_num",
        "building",
        "floor_room",
        "address_request",
        "address_inside",
        "kana",
        "name",
        "trade_name",
        "popular_name_previous_name",
    ] {
        let at = text.find(&format!("\"{key}\":")).expect(key);
        assert!(at > last || key == "version", "{key} is not after the previous member");
        last = at;
    }
}

#[test]
fn the_three_addresses_and_every_status_are_answered() {
    let server = ServerProcess::start();
    let works = data(&server, "T4010001999903");
    assert_eq!(
        (&works["process"], &works["name"]),
        (&json!(2), &json!("株式会社ＤＡＩＣＨＯ　\"Ｗｏｒｋｓ\""))
    );
    assert_eq!(works["address"]["postal_code"], "1066890", "the building has codes of its own");
    assert_eq!(works["address"]["city_roman"], "Minato-ku");
    let request = &works["address_request"];
    assert_eq!((&request["town"], &request["postal_code"]), (&json!("千代田"), &json!("1000001")));
    assert_eq!(works["address_inside"], empty_address());
    let foreign = data(&server, "T9700150999902");
    assert_eq!(
        (&foreign["country"], &foreign["kana"]),
        (&json!(2), &json!("ダイチョウ・リミテッド"))
    );
    let mut abroad = empty_address();
    abroad["street_number"] = "英国ロンドン市台帳街２".into();
    assert_eq!(foreign["address"], abroad);
    assert_eq!(foreign["address_inside"]["town"], "大手町");
    let shrine = data(&server, "T7130005999901");
    assert_eq!(shrine["address"]["kyoto_street"], "上長者町通堀川東入");
    let town = data(&server, "T4000020999901");
    assert_eq!(town["address"]["jisx0402"], "03302");
    assert_eq!(town["address"]["city"], "岩手郡葛巻町");
    let revoked = data(&server, "T4010003999901");
    assert_eq!((&revoked["process"], &revoked["disposal_date"]), (&json!(4), &json!("2025-06-30")));
    let lapsed = data(&server, "T5010001999902");
    assert_eq!((&lapsed["process"], &lapsed["expire_date"]), (&json!(3), &json!("2026-07-30")));
    let superseded = data(&server, "T6700150999905");
    // The register has neither for a superseded entry; the client libraries accept no null.
    assert_eq!(
        [&superseded["latest"], &superseded["kind"], &superseded["country"]],
        [&json!(0), &json!(2), &json!(1)]
    );
    assert_eq!(superseded["expire_date"], "2024-03-31");
    for number in ["T9810999999901", "T9810999999902", "T7810999999903", "T6810999999904"] {
        let individual = data(&server, number);
        assert_eq!((&individual["kind"], &individual["name"]), (&json!(1), &json!("")), "{number}");
        assert_eq!((&individual["address"], &individual["kana"]), (&empty_address(), &json!("")));
    }
}

#[test]
fn a_date_parameter_adds_whether_the_number_was_registered() {
    let server = ServerProcess::start();
    for (number, date, expected) in [
        (SHOP, "2023-10-01", true),
        (SHOP, "2023-09-30", false),
        (SHOP, "2026-08-04", true),
        ("T4010003999901", "2025-06-29", true),
        ("T4010003999901", "2025-06-30", false),
        ("T5010002999901", "2024-03-30", true),
        ("T5010002999901", "2024-03-31", false),
        ("T5010002999901", "2024-12-31", false),
        ("T5010002999901", "2025-01-01", true),
        ("T6700150999905", "2024-01-01", true),
        ("T6700150999905", "2024-04-01", false),
        ("T2010005999901", "2026-08-04", false),
        ("T7810999999903", "2025-12-30", true),
        ("T7810999999903", "2025-12-31", false),
    ] {
        let answer = get(&server, &format!("{number}?date={date}"), "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["registered_on_date"], expected, "{number} on {date}");
    }
    // The data do not know the days after them, not even of an issuer whose registration has ended.
    for number in ["T2010005999901", SHOP, "T4010003999901"] {
        for date in ["2026-08-05", "2036-11-26"] {
            let answer = get(&server, &format!("{number}?date={date}"), "").json();
            assert_eq!(answer.get("registered_on_date"), Some(&Value::Null), "{number} on {date}");
        }
    }
    assert_eq!(get(&server, &format!("{SHOP}?date="), "").json().get("registered_on_date"), None);
    for bad in ["2026-02-30", "2026-8-4", "20260804", "today", "2026-08-04T00:00"] {
        let answer = get(&server, &format!("{SHOP}?date={bad}"), "");
        answer.expect_error(400, "invalid_date", Some("date"));
    }
    let twice = get(&server, &format!("{SHOP}?date=2026-08-04&date=2026-08-04"), "");
    twice.expect_error(400, "invalid_parameter", Some("date"));
}

#[test]
fn each_data_version_has_its_own_records() {
    let server = ServerProcess::start();
    let versions = get(&server, "versions", "");
    assert_eq!(versions.json(), json!({"versions": ["2026-07-31", "2026-08-04"]}));
    let before = get(&server, "T5430001999901?version=2026-07-31", "");
    assert_eq!(before.json()["version"], "2026-07-31");
    assert_eq!(before.json()["data"]["address"]["jisx0402"], "01101");
    assert_eq!(before.header("cache-control"), Some("private, max-age=31536000, immutable"));
    assert_eq!(
        data(&server, "T5430001999901")["address"]["jisx0402"],
        "13103",
        "the issuer has moved"
    );
    let number = Some("qualified_invoice_issuer_number");
    get(&server, "T3010003999902?version=2026-07-31", "").json()["data"]["name"]
        .as_str()
        .expect("a record before the withdrawal");
    get(&server, "T3010003999902", "").expect_error(404, "no_such_invoice_issuer", number);
    let new = "T5010001999910";
    get(&server, &format!("{new}?version=2026-07-31"), "").expect_error(
        404,
        "no_such_invoice_issuer",
        number,
    );
    assert_eq!(data(&server, new)["registration_date"], "2026-08-04");
    let unknown = get(&server, &format!("{SHOP}?version=2020-01-01"), "");
    unknown.expect_error(404, "no_such_version", Some("version"));
    let bad = get(&server, &format!("{SHOP}?version=x"), "");
    bad.expect_error(400, "invalid_version", Some("version"));
    let tag = get(&server, SHOP, "").header("etag").expect("a tag").to_owned();
    assert_eq!(get(&server, SHOP, &format!("If-None-Match: {tag}")).status, 304);
    let ready = ask(server.address, "GET /readyz");
    assert_eq!(ready.json()["data"]["invoice"], json!({"versions": 2, "latest": "2026-08-04"}));
    let metrics = ask(server.address, "GET /metrics").text();
    for line in [
        "daicho_snapshot_versions{dataset=\"invoice\"} 2",
        "daicho_snapshot_latest{dataset=\"invoice\"} 20260804",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
    assert!(metrics.contains("route=\"/v1/invoice/{number}\""), "{metrics}");
}

#[test]
fn malformed_numbers_are_400_and_unknown_ones_404() {
    let server = ServerProcess::start();
    let name = Some("qualified_invoice_issuer_number");
    for number in [
        "6010001999901",
        "T601000199990",
        "T60100019999011",
        "T601000199990x",
        "t6010001999901",
        "TT010001999901",
        "%E4%B8%80",
        "%FF",
    ] {
        get(&server, number, "").expect_error(400, "invalid_invoice_number", name);
    }
    for number in ["T7010001999901", "T7000012050002"] {
        get(&server, number, "").expect_error(404, "no_such_invoice_issuer", name);
    }
    let wrong = get(&server, "T7010001999901", "").json();
    assert!(wrong["detail"].as_str().expect("text").contains("check digit"), "{wrong}");
}

#[test]
fn the_endpoints_exist_since_api_version_2024_01_01() {
    let server = ServerProcess::start();
    for api in ["2022-09-01", "2022-11-01", "2023-09-01"] {
        for target in [SHOP, "x", "versions", "T6010001999901?date=x"] {
            let answer = get(&server, target, &format!("KenAll-API-Version: {api}"));
            answer.expect_error(404, "no_such_endpoint", None);
        }
    }
}

#[test]
fn a_look_up_needs_a_key_a_plan_and_data() {
    let server = ServerProcess::start();
    let path = format!("/v1/invoice/{SHOP}");
    server.get(&path).expect_error(403, "plan_too_low", None);
    ask(server.address, &format!("GET {path}")).expect_error(401, "missing_key", None);
    let empty = ServerProcess::with_snapshots(None, &[]);
    get(&empty, SHOP, "").expect_error(503, "no_data", None);
    get(&empty, "x", "").expect_error(
        400,
        "invalid_invoice_number",
        Some("qualified_invoice_issuer_number"),
    );
    assert_eq!(get(&empty, "versions", "").json(), json!({"versions": []}));
}

fn premium_get(server: &ServerProcess, target: &str) -> Answer {
    ask(server.address, &format!("GET {target}\nAuthorization: Token {}", server.premium))
}

fn search(server: &ServerProcess, q: &str, more: &str) -> Answer {
    premium_get(server, &format!("/v1/invoice?q={}{more}", encoded(q)))
}

/// The corporate numbers of the issuers that a search finds: without `T`.
#[track_caller]
fn found(server: &ServerProcess, q: &str, more: &str) -> Vec<String> {
    let answer = search(server, q, more);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let number = |record: &Value| {
        let number = record["qualified_invoice_issuer_number"].as_str().expect("a number");
        number.trim_start_matches('T').to_owned()
    };
    answer.json()["data"].as_array().expect("a list").iter().map(number).collect()
}

/// The sample's registered issuers with 台帳 in their names.
const REGISTERED: [&str; 6] = [
    "2130001999901",
    "4000020999901",
    "5010001999910",
    "5430001999901",
    "6010001999901",
    "7130005999901",
];

#[test]
fn a_search_finds_registered_issuers_in_the_order_of_corporations() {
    let server = ServerProcess::start();
    let all = found(&server, "台帳", "");
    let corporations = premium_get(&server, &format!("/v1/houjinbangou?q={}", encoded("台帳")));
    let corporations = corporations.json();
    let ordered: Vec<&str> = corporations["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|record| record["corporate_number"].as_str().expect("a number"))
        .filter(|number| REGISTERED.contains(number))
        .collect();
    assert_eq!(all, ordered);
    assert_eq!((all.len(), all[0].as_str()), (6, "6010001999901"));
    let answer = search(&server, "台帳", "&facet_area=/&facet_kind=/&limit=2&offset=1").json();
    assert_eq!(answer["version"], "2026-08-04");
    assert_eq!(
        (&answer["count"], &answer["offset"], &answer["limit"]),
        (&json!(6), &json!(1), &json!(2))
    );
    assert_eq!(answer["query"], "台帳");
    assert_eq!(
        answer["facets"],
        json!({
            "area": [["/東京都", 3], ["/京都府", 2], ["/岩手県", 1]],
            "kind": [["/株式会社", 4], ["/その他の設立登記法人", 1], ["/地方公共団体", 1]],
        })
    );
    let pages: Vec<String> = (0..4)
        .flat_map(|page| found(&server, "台帳", &format!("&limit=2&offset={}", 2 * page)))
        .collect();
    assert_eq!(pages, all, "the pages together are not the whole result");
    assert_eq!(search(&server, "台帳", "&limit=1").json()["facets"], Value::Null);
    let record = &search(&server, "台帳", "&limit=1").json()["data"][0];
    assert_eq!(record, &data(&server, SHOP), "the record differs from the look-up");
}

#[test]
fn a_search_has_the_parameters_of_the_corporate_search() {
    let server = ServerProcess::start();
    assert_eq!(found(&server, "furigana:ダイチョウジンジャ", ""), ["7130005999901"]);
    assert_eq!(found(&server, "台帳", "&mode=exact"), ["6010001999901"]);
    assert_eq!(found(&server, "株式会社台帳", "&mode=exact_with_kind"), ["6010001999901"]);
    assert_eq!(found(&server, "corporate_number:2130001999901", ""), ["2130001999901"]);
    assert_eq!(found(&server, "台帳 AND prefecture_name:京都府", "").len(), 2);
    assert_eq!(found(&server, "台帳 AND _facet_area:/岩手県", ""), ["4000020999901"]);
    assert_eq!(found(&server, "-台帳 AND _facet_kind:/地方公共団体", ""), [""; 0]);
    let normalised = search(&server, "ＤＡＩＣＨＯ", "&normalize_name=true").json();
    let name = normalised["data"][0]["name"].as_str().expect("a name").to_owned();
    assert!(name.contains("DAICHO") && name.contains('"'), "{name}");
    for (q, not_in_force) in [
        ("台帳合名", "revoked"),
        ("台帳物産", "lapsed"),
        ("日本台帳協会", "registered later"),
        ("台帳合資", "withdrawn"),
        ("台帳存続", "never registered"),
    ] {
        let answer = search(&server, q, "").json();
        assert_eq!((&answer["count"], &answer["data"]), (&json!(0), &json!([])), "{not_in_force}");
    }
    assert_eq!(found(&server, "台帳合資", "&version=2026-07-31"), ["3010003999902"]);
    assert_eq!(found(&server, "新台帳", "&version=2026-07-31"), [""; 0]);
    let pinned = search(&server, "台帳", "&version=2026-07-31");
    assert_eq!(pinned.header("cache-control"), Some("private, no-cache"));
}

#[test]
fn invalid_searches_are_refused() {
    let server = ServerProcess::start();
    search(&server, "", "").expect_error(400, "missing_query", Some("q"));
    search(&server, "(台帳)", "").expect_error(400, "invalid_query", Some("q"));
    search(&server, "台帳", "&limit=0").expect_error(400, "invalid_limit", Some("limit"));
    search(&server, "台帳", "&mode=x").expect_error(400, "invalid_parameter", Some("mode"));
    search(&server, "台帳", "&facet_kind=/x").expect_error(
        400,
        "invalid_facet",
        Some("facet_kind"),
    );
    let version = search(&server, "台帳", "&version=2020-01-01");
    version.expect_error(404, "no_such_version", Some("version"));
    let old = search(&server, "台帳", "&api_version=2023-09-01");
    old.expect_error(404, "no_such_endpoint", None);
    let folder = part_of_the_sample("invoice");
    let alone = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    search(&alone, "台帳", "").expect_error(503, "no_data", None);
    assert_eq!(get(&alone, SHOP, "").status, 200, "a look-up needs no corporate data");
}

/// A temporary folder with one dataset of the sample.
fn part_of_the_sample(dataset: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(dataset)).expect("a folder");
    for file in std::fs::read_dir(sample().join(dataset)).expect("the sample") {
        let path = file.expect("the sample").path();
        let name = path.file_name().expect("a file");
        if path.is_file() {
            std::fs::copy(&path, folder.path().join(dataset).join(name)).expect("a copy");
        }
    }
    folder
}

#[test]
fn corporate_records_have_the_numbers_of_registered_issuers() {
    let number = |server: &ServerProcess, number: &str, more: &str| {
        let answer = premium_get(server, &format!("/v1/houjinbangou/{number}{more}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["data"]["qualified_invoice_issuer_number"].clone()
    };
    let server = ServerProcess::start();
    assert_eq!(number(&server, "6010001999901", ""), "T6010001999901");
    assert_eq!(
        number(&server, "5430001999901", ""),
        "T5430001999901",
        "its registration lapses later"
    );
    for (corporation, why) in [
        ("4010003999901", "revoked"),
        ("5010001999902", "lapsed"),
        ("2010005999901", "registered later"),
        ("5010001999910", "registered the day after the corporate data"),
        ("1010001999906", "never registered"),
    ] {
        assert_eq!(number(&server, corporation, ""), Value::Null, "{why}");
    }
    let searched = premium_get(&server, &format!("/v1/houjinbangou?q={}", encoded("台帳合名")));
    let searched = searched.json();
    assert_eq!(searched["data"][0]["qualified_invoice_issuer_number"], Value::Null);
    let path = "/v1/batch/houjinbangou/search";
    let body = json!({"queries": [{"q": "台帳合名"}, {"q": "台帳神社"}]}).to_string();
    let batch = post(server.address, path, &server.premium_batch, body.as_bytes()).json();
    let numbers =
        [0, 1].map(|at| batch["records"][at]["data"][0]["qualified_invoice_issuer_number"].clone());
    assert_eq!(numbers, [Value::Null, "T7130005999901".into()]);
    let pinned = |api| {
        let target = format!("/v1/houjinbangou/6010001999901?version=2026-08-03&api_version={api}");
        premium_get(&server, &target).header("cache-control").map(str::to_owned)
    };
    assert_eq!(pinned("2024-01-01").as_deref(), Some("private, no-cache"), "the register changes");
    assert_eq!(pinned("2023-09-01").as_deref(), Some("private, max-age=31536000, immutable"));
    let folder = part_of_the_sample("corporate");
    let alone = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    assert_eq!(number(&alone, "4010003999901", ""), "T4010003999901", "without a register");
}
