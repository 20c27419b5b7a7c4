//! `/v1/houjinbangou/{number}`: records in every API version, and refused requests.

use serde_json::{Value, json};

use super::support::{Answer, NEWEST, ServerProcess, ask};

fn get(server: &ServerProcess, number: &str, headers: &str) -> Answer {
    let key = &server.premium;
    let head = format!("GET /v1/houjinbangou/{number}\nAuthorization: Token {key}\n{headers}");
    ask(server.address, &head)
}

fn data(server: &ServerProcess, number: &str, api: &str) -> Value {
    let answer = get(server, number, &format!("API-Version: {api}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("api-version"), Some(api));
    answer.json()["data"].take()
}

const FLAT: [&str; 3] = ["2022-09-01", "2022-11-01", "2023-09-01"];
const OBJECT: [&str; 3] = ["2024-01-01", "2025-01-01", NEWEST];

#[test]
fn a_plain_record_in_every_api_version() {
    let server = ServerProcess::start();
    let flat = json!({
        "published_date": "2026-08-03",
        "sequence_number": "18",
        "corporate_number": "6010001999901",
        "process": "71",
        "correct": "0",
        "update_date": "2026-08-03",
        "change_date": "2026-07-30",
        "name": "株式会社台帳",
        "name_image_id": null,
        "kind": "301",
        "prefecture_name": "東京都",
        "city_name": "千代田区",
        "street_number": "大手町１丁目２番３号台帳ビル４階",
        "town": "大手町",
        "kyoto_street": null,
        "block_lot_num": "1-2-3",
        "building": "台帳ビル",
        "floor_room": "4階",
        "address_image_id": null,
        "jisx0402": "13101",
        "post_code": "1000004",
        "address_outside": "",
        "address_outside_image_id": null,
        "close_date": null,
        "close_cause": null,
        "successor_corporate_number": null,
        "change_cause": "令和８年７月３０日台帳物産株式会社を合併",
        "assignment_date": "2015-10-05",
        "en_name": "",
        "en_prefecture_name": "Tokyo",
        "en_address_line": "",
        "en_address_outside": "",
        "furigana": "ダイチョウ",
        "hihyoji": "0",
    });
    for api in FLAT {
        assert_eq!(data(&server, "6010001999901", api), flat, "{api}");
    }
    let object = json!({
        "published_date": "2026-08-03",
        "sequence_number": 18,
        "corporate_number": "6010001999901",
        "process": 71,
        "correct": 0,
        "update_date": "2026-08-03",
        "change_date": "2026-07-30",
        "name": "株式会社台帳",
        "name_image_id": null,
        "kind": 301,
        "address": {
            "postal_code": "1000004",
            "jisx0402": "13101",
            "prefecture": "東京都",
            "prefecture_kana": "",
            "prefecture_roman": "Tokyo",
            "city": "千代田区",
            "city_kana": "",
            "city_roman": "",
            "street_number": "大手町１丁目２番３号台帳ビル４階",
            "town": "大手町",
            "kyoto_street": null,
            "block_lot_num": "1-2-3",
            "building": "台帳ビル",
            "floor_room": "4階",
        },
        "address_image_id": null,
        "address_outside": "",
        "address_outside_image_id": null,
        "close_date": null,
        "close_cause": null,
        "successor_corporate_number": null,
        "change_cause": "令和８年７月３０日台帳物産株式会社を合併",
        "assignment_date": "2015-10-05",
        "en_name": "",
        "en_address_line": null,
        "en_address_outside": null,
        "furigana": "ダイチョウ",
        "hihyoji": 0,
        "qualified_invoice_issuer_number": "T6010001999901",
    });
    for api in OBJECT {
        assert_eq!(data(&server, "6010001999901", api), object, "{api}");
    }
    let answer = get(&server, "6010001999901", "API-Version: 2022-09-01");
    let text = answer.text();
    let order: Vec<usize> = flat
        .as_object()
        .expect("an object")
        .keys()
        .map(|key| text.find(&format!("\"{key}\":")).expect("the member"))
        .collect();
    assert_eq!(order.len(), 34);
    let published = text.find("published_date").expect("the member");
    assert!(
        order.iter().all(|place| *place + 1 >= published),
        "published_date is not the first member"
    );
    assert!(text.ends_with("\"hihyoji\":\"0\"}}"), "{text}");
}

#[test]
fn closed_and_foreign_corporations_in_every_api_version() {
    let server = ServerProcess::start();
    for api in FLAT.into_iter().chain(OBJECT) {
        let closed = data(&server, "5010001999902", api);
        let cause = if api < "2025-01-01" { json!("11") } else { json!(11) };
        assert_eq!(closed["close_cause"], cause, "{api}");
        assert_eq!(closed["close_date"], "2026-07-30");
        assert_eq!(closed["successor_corporate_number"], "6010001999901");
        let images = data(&server, "2130001999901", api);
        assert_eq!(images["name_image_id"], "00012345", "{api}");
        assert_eq!(images["address_image_id"], "00012346");
        let hidden = data(&server, "8700150999903", api);
        let one = if api < "2024-01-01" { json!("1") } else { json!(1) };
        assert_eq!(hidden["hihyoji"], one, "{api}");
        let quoted = data(&server, "4010001999903", api);
        assert_eq!(quoted["en_name"], "\"DAICHO\" Works, K.K.", "{api}");
        assert_eq!(quoted["en_address_line"], "1-6-1, Roppongi, Minato ku");
        let abroad = data(&server, "1700150999901", api);
        assert_eq!(abroad["address_outside"], "アメリカ合衆国カリフォルニア州台帳通り１", "{api}");
        assert_eq!(abroad["address_outside_image_id"], "00099999");
        assert_eq!(abroad["en_address_outside"], "1 Register Street, California, U.S.A.");
        let address = if api < "2024-01-01" { &abroad } else { &abroad["address"] };
        assert_eq!((&address["jisx0402"], &address["town"]), (&Value::Null, &Value::Null));
        assert_eq!(address["street_number"], "", "{api}");
    }
    let ready = ask(server.address, "GET /readyz");
    assert_eq!(ready.json()["data"]["corporate"], json!({"versions": 2, "latest": "2026-08-03"}));
    let before = get(&server, "6010001999901?version=2026-07-31", "");
    assert_eq!(before.json()["version"], "2026-07-31");
    assert_eq!(before.json()["data"]["process"], 1);
    let gone = get(&server, "8010001999908?version=2026-07-31", "");
    assert_eq!(gone.json()["data"]["process"], 81, "the next version has no such record");
}

#[test]
fn malformed_numbers_are_400_and_unknown_ones_404() {
    let server = ServerProcess::start();
    let name = Some("corporate_number");
    for number in ["601000199990", "60100019999011", "601000199990x", "T6010001999901", "%E4%B8%80"]
    {
        get(&server, number, "").expect_error(400, "invalid_corporate_number", name);
    }
    let unknown = get(&server, "5010001999901", "");
    unknown.expect_error(404, "no_such_corporation", name);
    // The sample is not of the whole country, so an unknown number may exist.
    let detail = unknown.json()["detail"].as_str().expect("a detail").to_owned();
    assert!(detail.contains("; the data have corporations of "), "{detail}");
    get(&server, "7000012050002", "").expect_error(404, "no_such_corporation", name);
    get(&server, "8010001999908", "").expect_error(404, "no_such_corporation", name);
    let answer = get(&server, "6010001999901?version=2020-01-01", "");
    answer.expect_error(404, "no_such_version", Some("version"));
    let detail = "expected a loaded version of the corporate data; found ";
    assert!(answer.text().contains(detail), "{}", answer.text());
    let standard = server.get("/v1/houjinbangou/6010001999901");
    standard.expect_error(403, "plan_too_low", None);
    let nobody = ask(server.address, "GET /v1/houjinbangou/6010001999901");
    nobody.expect_error(401, "missing_key", None);
    let empty = ServerProcess::with_snapshots(None, &[]);
    get(&empty, "6010001999901", "").expect_error(503, "no_data", None);
}
