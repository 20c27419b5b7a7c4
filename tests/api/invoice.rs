//! `/v1/invoice/…`: issuers by number, whether they were registered on a day, and what is refused.

use serde_json::{Value, json};

use crate::support::{Answer, Served, ask};

const SHOP: &str = "T6010001999901";

fn get(server: &Served, target: &str, headers: &str) -> Answer {
    let key = &server.premium;
    ask(server.address, &format!("GET /v1/invoice/{target}\nAuthorization: Token {key}\n{headers}"))
}

#[track_caller]
fn data(server: &Served, target: &str) -> Value {
    let answer = get(server, target, "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["data"].take()
}

/// An address that is not used.
fn unused() -> Value {
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
fn an_issuer_has_every_member_in_the_contracts_order() {
    let server = Served::start();
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
            "floor_room": "４階",
        },
        "address_request": unused(),
        "address_inside": unused(),
        "kana": "ダイチョウ",
        "name": "株式会社台帳",
        "trade_name": "",
        "popular_name_previous_name": "",
    });
    for api in ["2024-01-01", "2025-01-01", "2026-08-01"] {
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
        assert!(at > last || key == "version", "{key} stands behind the one before");
        last = at;
    }
}

#[test]
fn the_three_addresses_and_every_status_are_answered() {
    let server = Served::start();
    let works = data(&server, "T4010001999903");
    assert_eq!(
        (&works["process"], &works["name"]),
        (&json!(2), &json!("株式会社ＤＡＩＣＨＯ　\"Ｗｏｒｋｓ\""))
    );
    assert_eq!(works["address"]["postal_code"], "1066890", "the building has codes of its own");
    assert_eq!(works["address"]["city_roman"], "Minato-ku");
    let request = &works["address_request"];
    assert_eq!((&request["town"], &request["postal_code"]), (&json!("千代田"), &json!("1000001")));
    assert_eq!(works["address_inside"], unused());
    let foreign = data(&server, "T9700150999902");
    assert_eq!(
        (&foreign["country"], &foreign["kana"]),
        (&json!(2), &json!("ダイチョウ・リミテッド"))
    );
    let mut abroad = unused();
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
    assert_eq!((&superseded["latest"], &superseded["kind"]), (&json!(0), &Value::Null));
    assert_eq!(superseded["expire_date"], "2024-03-31");
    for number in ["T9810999999901", "T9810999999902", "T7810999999903", "T6810999999904"] {
        let individual = data(&server, number);
        assert_eq!((&individual["kind"], &individual["name"]), (&json!(1), &json!("")), "{number}");
        assert_eq!((&individual["address"], &individual["kana"]), (&unused(), &json!("")));
    }
}

#[test]
fn a_day_says_whether_the_number_was_registered_on_it() {
    let server = Served::start();
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
        ("T2010005999901", "2026-10-01", true),
        ("T5430001999901", "2027-03-30", true),
        ("T5430001999901", "2027-03-31", false),
        ("T7810999999903", "2025-12-30", true),
        ("T7810999999903", "2025-12-31", false),
    ] {
        let answer = get(&server, &format!("{number}?date={date}"), "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["registered_on_date"], expected, "{number} on {date}");
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
fn every_data_version_answers_for_itself() {
    let server = Served::start();
    let versions = get(&server, "versions", "");
    assert_eq!(versions.json(), json!({"versions": ["2026-07-31", "2026-08-04"]}));
    let before = get(&server, "T5430001999901?version=2026-07-31", "");
    assert_eq!(before.json()["version"], "2026-07-31");
    assert_eq!(before.json()["data"]["address"]["jisx0402"], "01101");
    assert_eq!(before.header("cache-control"), Some("private, max-age=31536000, immutable"));
    assert_eq!(data(&server, "T5430001999901")["address"]["jisx0402"], "13103", "moved since");
    let number = Some("qualified_invoice_issuer_number");
    get(&server, "T3010003999902?version=2026-07-31", "").json()["data"]["name"]
        .as_str()
        .expect("not yet withdrawn");
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
fn what_is_no_number_or_nobodys_is_refused() {
    let server = Served::start();
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
fn the_endpoints_came_with_api_version_2024_01_01() {
    let server = Served::start();
    for api in ["2022-09-01", "2022-11-01", "2023-09-01"] {
        for target in [SHOP, "x", "versions", "T6010001999901?date=x"] {
            let answer = get(&server, target, &format!("KenAll-API-Version: {api}"));
            answer.expect_error(404, "no_such_endpoint", None);
        }
    }
}

#[test]
fn a_plan_a_key_and_data_are_needed() {
    let server = Served::start();
    let path = format!("/v1/invoice/{SHOP}");
    server.get(&path).expect_error(403, "plan_too_low", None);
    ask(server.address, &format!("GET {path}")).expect_error(401, "missing_key", None);
    let empty = Served::over(None, &[]);
    get(&empty, SHOP, "").expect_error(503, "no_data", None);
    get(&empty, "x", "").expect_error(
        400,
        "invalid_invoice_number",
        Some("qualified_invoice_issuer_number"),
    );
    assert_eq!(get(&empty, "versions", "").json(), json!({"versions": []}));
}
