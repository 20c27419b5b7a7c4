//! `/v1/school/…`: schools by code, the list of versions, and refused requests.

use serde_json::{Value, json};

use crate::support::{Answer, NEWEST, ServerProcess, ask};

const UNIVERSITY: &str = "F108110009907";

fn get(server: &ServerProcess, target: &str, headers: &str) -> Answer {
    let key = &server.premium;
    ask(server.address, &format!("GET /v1/school{target}\nAuthorization: Token {key}\n{headers}"))
}

#[track_caller]
fn data(server: &ServerProcess, code: &str) -> Value {
    let answer = get(server, &format!("/{code}"), "");
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["data"].take()
}

#[test]
fn a_school_has_every_member_in_the_documented_order() {
    let server = ServerProcess::start();
    let expected = json!({
        "version": "2026-08-25",
        "data": {
            "code": UNIVERSITY,
            "type": "F1",
            "jurisdiction_prefecture_code": "08",
            "establishment_type": 1,
            "branch": 1,
            "name": "台帳大学",
            "address_raw": "茨城県つくば市吾妻１－１－１",
            "addresses": [{
                "postal_code": "3050031",
                "jisx0402": "08220",
                "prefecture": "茨城県",
                "prefecture_kana": "イバラキケン",
                "prefecture_roman": "Ibaraki",
                "city": "つくば市",
                "city_kana": "ツクバシ",
                "city_roman": "Tsukuba",
                "street_number": "吾妻1-1-1",
                "town": "吾妻",
                "kyoto_street": "",
                "block_lot_num": "1-1-1",
                "building": "",
                "floor_room": "",
            }],
            "established_date": "2021-01-20",
            "abolished_date": null,
            "school_survey_number": "9901",
            "new_code": [],
        },
    });
    for api in ["2022-09-01", "2025-01-01", NEWEST] {
        for slash in ["", "/"] {
            let answer =
                get(&server, &format!("/{UNIVERSITY}{slash}"), &format!("API-Version: {api}"));
            assert_eq!((answer.status, answer.header("api-version")), (200, Some(api)));
            assert_eq!(answer.json(), expected);
        }
    }
    let text = get(&server, &format!("/{UNIVERSITY}"), "").text();
    let mut last = 0;
    for key in [
        "version",
        "data",
        "code",
        "type",
        "jurisdiction_prefecture_code",
        "establishment_type",
        "branch",
        "name",
        "address_raw",
        "addresses",
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
        "established_date",
        "abolished_date",
        "school_survey_number",
        "new_code",
    ] {
        let at = text.find(&format!("\"{key}\":")).expect(key);
        assert!(at >= last, "{key} in {text}");
        last = at;
    }
}

#[test]
fn a_code_is_accepted_in_either_case() {
    let server = ServerProcess::start();
    assert_eq!(data(&server, "f108110009907")["code"], UNIVERSITY);
}

#[test]
fn closed_schools_have_successors_and_unusual_records_are_served() {
    let server = ServerProcess::start();
    let closed = data(&server, "C113210009905");
    assert_eq!(
        [&closed["branch"], &closed["abolished_date"], &closed["new_code"]],
        [&json!(9), &json!("2025-04-01"), &json!(["C213210009913"])]
    );
    let merged = data(&server, "C213210009913");
    assert_eq!(merged["school_survey_number"], "", "never null: a client refuses that");
    let unsound = data(&server, "E113210009901");
    assert_eq!(unsound["jurisdiction_prefecture_code"], "13");
    assert_eq!(
        unsound["addresses"][0]["prefecture"], "北海道",
        "the prefecture is not that of the address"
    );
    assert_eq!(data(&server, "G113110009908")["addresses"], json!([]), "the source has no address");
    let building = data(&server, "D113310009901");
    assert_eq!(building["addresses"][0]["building"], "台帳ビル");
    assert_eq!(building["school_survey_number"], "13999A");
}

#[test]
fn malformed_codes_are_400_and_unknown_ones_404() {
    let server = ServerProcess::start();
    for (target, status, code) in [
        ("/F108110009908", 404, "no_such_school"),
        ("/Z999999999999", 404, "no_such_school"),
        ("/F10811000990", 400, "invalid_school_code"),
        ("/F1081100099070", 400, "invalid_school_code"),
        ("/1108110009907", 400, "invalid_school_code"),
        ("/F10811000990X", 400, "invalid_school_code"),
        ("/%FF", 400, "invalid_school_code"),
        ("/F108110009907?version=2020-01-01", 404, "no_such_version"),
        ("/F108110009907?version=x", 400, "invalid_version"),
    ] {
        let answer = get(&server, target, "");
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
        assert!(answer.text().contains(code), "{target}: {}", answer.text());
    }
    let answer = get(&server, "/F108110009908", "");
    assert!(answer.text().contains("whose check digit is wrong"), "{}", answer.text());
}

#[test]
fn versions_are_listed() {
    let server = ServerProcess::start();
    for slash in ["", "/"] {
        let answer = get(&server, &format!("/versions{slash}"), "");
        assert_eq!((answer.status, answer.json()), (200, json!({"versions": ["2026-08-25"]})));
    }
    let key = format!("GET /v1/school/{UNIVERSITY}?version=2026-08-25");
    assert_eq!(ask(server.address, &key).status, 401);
}
