//! The answer of each tool over the sample data, compared as a whole if it is short, and the errors of wrong arguments.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::agent::Agent;
use crate::support::sample;

#[test]
fn an_address_is_split_into_parts_with_its_postal_codes() {
    let mut agent = Agent::start();
    let found = agent.call("normalize_address", json!({ "address": "千代田区千代田１－１" }));
    assert_eq!(found["match"], "full", "{found}");
    assert_eq!(
        found["address"],
        json!({
            "prefecture": "東京都", "city": "千代田区", "town": "千代田", "block_lot_num": "1-1",
        })
    );
    assert_eq!(found["count"], 2);
    assert_eq!(found["places"][0]["postal_code"], "1000001");
    assert_eq!(found["places"][0].get("building"), None, "empty members are left out: {found}");
    assert_eq!(found["places"][1]["corporation"]["name"], "宮内庁");
    let corrected = agent.call("normalize_address", json!({ "address": "浜松市中区富塚町1" }));
    assert!(corrected["corrections"][0]["became"].is_string(), "{corrected}");
    let unknown = agent.call("normalize_address", json!({ "address": "xyz" }));
    assert_eq!((&unknown["match"], &unknown["count"]), (&json!("none"), &json!(0)));
    assert_eq!((&unknown["address"], &unknown["places"]), (&json!({}), &json!([])));
}

#[test]
fn postal_codes_are_looked_up_and_searched() {
    let mut agent = Agent::start();
    let found = agent.call("lookup_postal_code", json!({ "postal_code": "〒100-0001" }));
    assert_eq!(
        found,
        json!({
            "version": "2026-06-30",
            "count": 1,
            "places": [{
                "postal_code": "1000001", "jisx0402": "13101",
                "prefecture": "東京都", "city": "千代田区", "town": "千代田",
                "prefecture_kana": "トウキョウト", "city_kana": "チヨダク", "town_kana": "チヨダ",
                "prefecture_roman": "Tokyo", "city_roman": "Chiyoda-ku", "town_roman": "Chiyoda",
            }],
        })
    );
    let found =
        agent.call("search_postal_codes", json!({ "text": "六本木 台帳タワー", "limit": 2 }));
    assert_eq!(found["places"].as_array().expect("places").len(), 2, "{found}");
    assert!(found["count"].as_u64() > Some(2), "{found}");
    let hint = found["hint"].as_str().expect("a hint that there are more");
    assert!(hint.starts_with("2 of ") && hint.contains("limit of up to 50"), "{hint}");
    let all = json!({ "text": "六本木 台帳タワー", "prefecture": "東京都", "limit": 50 });
    let found = agent.call("search_postal_codes", all);
    assert_eq!(found.get("hint"), None, "{found}");
    assert_eq!(found["count"], found["places"].as_array().expect("places").len());
    for elsewhere in
        [json!({ "text": "六本木", "prefecture": "大阪府" }), json!({ "text": "六本木 宮内庁" })]
    {
        assert_eq!(agent.call("search_postal_codes", elsewhere)["count"], 0);
    }
}

#[test]
fn a_corporation_is_found_by_number_and_by_name() {
    let mut agent = Agent::start();
    let by_number = json!({ "corporate_number": "6010001999901" });
    let found = agent.call("lookup_corporation", by_number);
    assert_eq!(
        found,
        json!({
            "version": "2026-08-03",
            "corporation": {
                "corporate_number": "6010001999901", "name": "株式会社台帳", "furigana": "ダイチョウ",
                "kind": "株式会社", "address": "東京都千代田区大手町１丁目２番３号台帳ビル４階",
                "postal_code": "1000004", "assignment_date": "2015-10-05", "update_date": "2026-08-03",
                "change_cause": "令和８年７月３０日台帳物産株式会社を合併",
                "qualified_invoice_issuer_number": "T6010001999901",
            },
        })
    );
    let found = agent
        .call("search_corporations", json!({ "name": "台帳", "match": "partial", "limit": 3 }));
    assert_eq!(found["corporations"].as_array().expect("some").len(), 3);
    assert!(found["count"].as_u64() > Some(3) && found["hint"].is_string(), "{found}");
    assert!(found["corporations"][0].get("close_date").is_none(), "open ones first: {found}");
    let found = agent
        .call("search_corporations", json!({ "name": "台帳", "match": "partial", "limit": 20 }));
    let all = found["corporations"].as_array().expect("some");
    let closed = all.iter().find(|it| it["close_date"] == "2022-09-30").expect("a closed one");
    assert_eq!(closed["close_date"], "2022-09-30", "{found}");
    assert_eq!(closed["close_cause"], "その他の清算の結了等", "{found}");
    let exact = json!({
        "name": "(株)台帳", "match": "exact_with_kind", "prefecture": "東京都", "city": "千代田区",
    });
    let found = agent.call("search_corporations", exact);
    assert!(found["count"].as_u64() >= Some(1), "{found}");
    assert!(
        found["corporations"]
            .as_array()
            .expect("some")
            .iter()
            .all(|it| it["name"] == "株式会社台帳")
    );
    for name in ["L'Oréal", "{台帳}", "台帳[1]"] {
        let found = agent.call("search_corporations", json!({ "name": name, "match": "partial" }));
        assert_eq!(found["count"], 0, "valid, but no corporation has the name: {found}");
    }
    let typed = json!({ "name": "台 帳　㈱", "prefecture": "東京都" });
    let found = agent.call("search_corporations", typed);
    assert_eq!(found["corporations"][0]["name"], "株式会社台帳", "loose by default: {found}");
    assert_eq!(found["corporations"][0].get("former_name"), None, "{found}");
    let found = agent.call("search_corporations", json!({ "name": "台帳商事" }));
    let renamed = &found["corporations"][0];
    assert_eq!(renamed["name"], "台帳物産株式会社", "{found}");
    assert_eq!(renamed["former_name"], "台帳商事株式会社");
    let none = json!({ "name": "台帳", "prefecture": "沖縄県", "city": "千代田区" });
    assert_eq!(agent.call("search_corporations", none)["corporations"], json!([]));
}

#[test]
fn the_history_of_a_corporation_is_returned_on_request() {
    let mut agent = Agent::start();
    let mut look_up = |number: &str, history: Value| {
        let arguments = json!({ "corporate_number": number, "history": history });
        agent.call("lookup_corporation", arguments)
    };
    let found = look_up("5010001999902", json!(true));
    assert_eq!(found["corporation"]["name"], "台帳物産株式会社", "{found}");
    let (before, after) = ("2026-07-31", "2026-08-03");
    assert_eq!(
        found["changes"],
        json!([
            { "kind": "assigned", "date": "2015-10-05", "version": before },
            { "kind": "name", "date": "2026-06-08", "version": before, "after": "台帳商事株式会社" },
            {
                "kind": "name", "date": "2026-07-20", "version": after,
                "before": "台帳商事株式会社", "after": "台帳物産株式会社",
            },
            {
                "kind": "furigana", "version": after,
                "before": "ダイチョウショウジ", "after": "ダイチョウブッサン",
            },
            {
                "kind": "closed", "date": "2026-07-30", "version": after, "close_cause": "合併による解散等",
                "successor_corporate_number": "6010001999901",
                "change_cause": "令和８年７月３０日株式会社台帳に合併し解散",
            },
        ])
    );
    let without = look_up("5010001999902", json!(false));
    assert_eq!(without.get("changes"), None, "{without}");
    assert_eq!(without["corporation"], found["corporation"]);
    // The newest version no longer has this number.
    let withdrawn = look_up("8010001999908", json!(true));
    assert_eq!(withdrawn.get("corporation"), None, "{withdrawn}");
    assert_eq!(withdrawn["version"], after);
    let last = withdrawn["changes"].as_array().and_then(|changes| changes.last());
    assert_eq!(last, Some(&json!({ "kind": "removed", "version": after })));
}

#[test]
fn an_invoice_number_is_verified_on_a_date() {
    let mut agent = Agent::start();
    let mut verify = |number: &str, date: &str| {
        agent.call("verify_invoice_number", json!({ "number": number, "date": date }))
    };
    let found = verify("T6010001999901", "2026-04-01");
    assert_eq!(
        found,
        json!({
            "registered": true, "known": true, "version": "2026-08-04",
            "issuer": { "name": "株式会社台帳", "kana": "ダイチョウ", "registration_date": "2023-10-01" },
        })
    );
    let before = verify("T6010001999901", "2023-09-30");
    assert_eq!((&before["registered"], &before["known"]), (&json!(false), &json!(true)));
    let unknown = verify("T7000012050002", "2026-04-01");
    assert_eq!(unknown, json!({ "registered": false, "known": false, "version": "2026-08-04" }));
    // Neither a known nor an unknown number is decided for a day after the data.
    for number in ["T6010001999901", "T7000012050002"] {
        assert_eq!(verify(number, "2036-11-26")["registered"], Value::Null, "{number}");
    }
}

#[test]
fn banks_and_branches_are_found_by_code_and_by_name() {
    let mut agent = Agent::start();
    let bank = json!({ "code": "0001", "name": "台帳", "katakana": "ダイチヨウ" });
    for name in ["0001", "台帳銀行"] {
        let found = agent.call("find_banks", json!({ "name": name }));
        assert_eq!(found["banks"][0], bank, "{name}");
    }
    let found = agent.call("find_banks", json!({ "name": "見本", "limit": 1 }));
    assert_eq!(found["banks"].as_array().expect("banks").len(), 1);
    assert!(found["count"].as_u64() > Some(1) && found["hint"].is_string(), "{found}");
    for arguments in [
        json!({ "bank_code": "0001", "name": "001" }),
        json!({ "bank_code": "0001", "name": "本店" }),
    ] {
        let found = agent.call("find_branches", arguments);
        assert_eq!(found["bank"], bank);
        let head = json!({ "code": "001", "name": "本店営業部", "katakana": "ホンテン" });
        assert_eq!(found["branches"][0], head, "{found}");
    }
    let all = agent.call("find_branches", json!({ "bank_code": "1901" }));
    assert_eq!((&all["count"], &all["branches"][1]["code"]), (&json!(2), &json!("002")));
    let none = agent.call("find_branches", json!({ "bank_code": "1901", "name": "xyz" }));
    assert_eq!((&none["count"], &none["branches"]), (&json!(0), &json!([])));
}

#[test]
fn banks_and_branches_are_found_as_they_are_on_a_day() {
    let folder = tempfile::tempdir().expect("a folder");
    symlink(sample().join("bank"), folder.path().join("bank")).expect("a link");
    let corrections = folder.path().join("corrections");
    fs::create_dir(&corrections).expect("a folder");
    let rows = "action,code,name,katakana,valid_from,valid_to,reason,author\n\
                change,0001,空色,ソライロ,2999-01-01,,renamed,ops\n";
    fs::write(corrections.join("bank.csv"), rows).expect("written");
    let mut agent = Agent::over(folder.path());
    for (tool, arguments) in [
        ("find_banks", json!({ "name": "0001" })),
        ("find_banks", json!({ "name": "空色" })),
        ("find_branches", json!({ "bank_code": "0001", "name": "001" })),
        ("find_branches", json!({ "bank_code": "0001" })),
    ] {
        let mut on = |date: Option<&str>| {
            let mut arguments = arguments.clone();
            if let Some(date) = date {
                arguments["date"] = date.into();
            }
            agent.call(tool, arguments).to_string()
        };
        for before in [None, Some("2998-12-31")] {
            let found = on(before);
            assert!(!found.contains("空色"), "{tool} {arguments}: {found}");
        }
        let found = on(Some("2999-01-01"));
        assert!(found.contains("空色"), "{tool} {arguments}: {found}");
    }
    for (date, expected) in [("2026-02-30", "invalid_date"), ("", "found an empty one")] {
        for arguments in
            [json!({ "name": "空色", "date": date }), json!({ "name": "0001", "date": date })]
        {
            let error = agent.refused("find_banks", arguments);
            assert!(error.contains(expected), "{date}: {error}");
        }
        let error = agent.refused("find_branches", json!({ "bank_code": "0001", "date": date }));
        assert!(error.contains(expected), "{date}: {error}");
    }
}

#[test]
fn an_account_of_japan_post_bank_has_two_names() {
    let mut agent = Agent::start();
    let expected = json!({
        "version": "2026-05-25", "symbol": "10010", "number": "12345671", "bank_code": "9991",
        "branch": { "code": "008", "name": "〇〇八", "katakana": "ゼロゼロハチ" },
        "account_type": "ordinary", "account_number": "1234567",
    });
    for arguments in [
        json!({ "symbol": "10010", "number": "12345671" }),
        json!({ "branch_code": "008", "account_number": "1234567" }),
        json!({ "symbol": "１００１０", "number": "12345671", "branch_code": "008" }),
    ] {
        assert_eq!(agent.call("convert_yucho_account", arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn a_name_for_transfers_is_written_with_a_known_reading_only() {
    let mut agent = Agent::start();
    let given = json!({ "name": "株式会社見本", "reading": "みほん" });
    let found = agent.call("write_transfer_name", given);
    assert_eq!(
        (&found["transfer_name"], &found["reading_from"]),
        (&json!("ｶ)ﾐﾎﾝ"), &json!("given"))
    );
    let found = agent.call("write_transfer_name", json!({ "name": "㈱台帳" }));
    assert_eq!(found["transfer_name"], "ｶ)ﾀﾞｲﾁﾖｳ", "{found}");
    assert_eq!(
        (&found["reading_from"], &found["version"]),
        (&json!("corporation"), &json!("2026-08-03"))
    );
    assert_eq!(found["corporations"][0]["corporate_number"], "6010001999901");
    let found = agent.call("write_transfer_name", json!({ "name": "台帳合名会社" }));
    assert_eq!(found["unread"], "台帳", "{found}");
    assert_eq!((found.get("transfer_name"), found.get("reading_from")), (None, None));
}

#[test]
fn towns_near_a_location_have_their_codes_and_distances() {
    let mut agent = Agent::start();
    let location = json!({ "latitude": 35.682, "longitude": 139.767, "limit": 2 });
    let found = agent.call("find_towns_near", location);
    let nearest = json!({
        "address": "東京都千代田区丸の内一丁目", "jisx0402": "13101", "postal_codes": ["1000005"],
        "level": "chome", "lat": 35.682, "lon": 139.767, "distance": 0,
    });
    assert_eq!((&found["towns"][0], &found["version"]), (&nearest, &json!("2026-06-30")));
    assert_eq!(found["towns"].as_array().map(Vec::len), Some(2));
    assert!(found["hint"].as_str().expect("a hint").contains("not their boundaries"), "{found}");
    for (latitude, longitude, expected) in
        [(48.85, 2.35, "outside Japan"), (30.0, 150.0, "within 10 km")]
    {
        let location = json!({ "latitude": latitude, "longitude": longitude });
        let found = agent.call("find_towns_near", location);
        assert_eq!(found["towns"], json!([]));
        assert!(found["hint"].as_str().expect("a hint").contains(expected), "{found}");
    }
}

#[test]
fn schools_are_found_by_code_and_by_words() {
    let mut agent = Agent::start();
    let university = json!({
        "code": "F108110009907", "name": "台帳大学", "kind": "大学", "established_by": "国立",
        "branch": "本校", "address": "茨城県つくば市吾妻１－１－１",
    });
    let expected = json!({ "version": "2026-08-25", "count": 1, "schools": [university] });
    for text in ["F108110009907", " ｆ108110009907 ", "台帳大学 つくば市"] {
        assert_eq!(agent.call("find_schools", json!({ "text": text })), expected, "{text}");
    }
    let found = agent.call("find_schools", json!({ "text": "C113210009905" }));
    let closed = &found["schools"][0];
    assert_eq!((&closed["branch"], &closed["closed_date"]), (&json!("廃校"), &json!("2025-04-01")));
    assert_eq!(closed["successor_codes"], json!(["C213210009913"]));
    let found = agent.call("find_schools", json!({ "text": "台帳", "limit": 1 }));
    assert_eq!(found["schools"].as_array().expect("schools").len(), 1);
    assert!(found["count"].as_u64() > Some(1) && found["hint"].is_string(), "{found}");
    for text in ["台帳(大学)", "[台帳大学]", "台帳\"大学 OR"] {
        let found = agent.call("find_schools", json!({ "text": text }));
        assert_eq!(found["count"], 0, "valid, but no school has the name: {found}");
    }
    let none = agent.call("find_schools", json!({ "text": "台帳大学 沖縄県" }));
    assert_eq!((&none["count"], &none["schools"]), (&json!(0), &json!([])));
}

#[test]
fn business_days_are_checked_added_and_counted() {
    let mut agent = Agent::start();
    let mut check = |tool: &str, arguments: Value, expected: Value| {
        assert_eq!(agent.call(tool, arguments), expected, "{tool}");
    };
    let day =
        |date: &str, business_day: bool| json!({ "date": date, "business_day": business_day });
    check("check_business_day", json!({ "date": "2026-11-24" }), day("2026-11-24", true));
    check("check_business_day", json!({ "date": "2026-11-22" }), day("2026-11-22", false));
    let holiday = json!({ "date": "2026-11-23", "business_day": false, "holiday": "勤労感謝の日" });
    check("check_business_day", json!({ "date": "2026-11-23" }), holiday);
    let bank = json!({ "date": "2026-12-31", "calendar": "bank" });
    check("check_business_day", bank, day("2026-12-31", false));
    let add = |days: i64| json!({ "date": "2026-11-20", "days": days });
    check("add_business_days", add(5), json!({ "date": "2026-11-30" }));
    check("add_business_days", add(-1), json!({ "date": "2026-11-19" }));
    let between =
        |calendar: &str| json!({ "from": "2026-11-20", "to": "2026-12-31", "calendar": calendar });
    check("count_business_days", between("national"), json!({ "business_days": 28 }));
    check("count_business_days", between("bank"), json!({ "business_days": 27 }));
}

#[test]
fn errors_of_wrong_arguments_say_what_was_expected() {
    let mut agent = Agent::start();
    let history = |number, history| json!({ "corporate_number": number, "history": history });
    for (tool, arguments, expected) in [
        ("normalize_address", json!({}), "missing field `address`"),
        ("normalize_address", json!({ "address": 5 }), "expected a string"),
        ("normalize_address", json!({ "address": "" }), "expected a text; found an empty one"),
        ("normalize_address", json!({ "address": "東京", "q": "x" }), "unknown field `q`"),
        ("lookup_postal_code", json!({ "postal_code": "100" }), "Send 7 half-width digits"),
        ("lookup_postal_code", json!({ "postal_code": "../bank" }), "invalid_postal_code"),
        ("lookup_postal_code", json!({ "postal_code": "9999999" }), "no_such_postal_code"),
        ("search_postal_codes", json!({ "text": "あ" }), "invalid_query"),
        ("search_postal_codes", json!({ "text": "東京", "limit": 0 }), "limit of 1 to 50; found 0"),
        ("search_postal_codes", json!({ "text": "東京", "limit": "3" }), "expected i64"),
        ("lookup_corporation", json!({ "corporate_number": "1" }), "Send exactly 13 digits"),
        (
            "lookup_corporation",
            json!({ "corporate_number": 6010001999901u64 }),
            "expected a string",
        ),
        (
            "lookup_corporation",
            json!({ "corporate_number": "1234567890123" }),
            "no_such_corporation",
        ),
        ("lookup_corporation", history("6010001999901", json!("yes")), "expected a boolean"),
        ("lookup_corporation", history("6010001999901", json!(null)), "expected a boolean"),
        ("lookup_corporation", json!({ "history": true }), "missing field `corporate_number`"),
        ("lookup_corporation", history("601", json!(true)), "Send exactly 13 digits"),
        ("lookup_corporation", history("../bank", json!(true)), "invalid_corporate_number"),
        ("lookup_corporation", history("radar", json!(true)), "invalid_corporate_number"),
        ("lookup_corporation", json!({ "corporate_number": "radar" }), "Send exactly 13 digits"),
        ("lookup_postal_code", json!({ "postal_code": "versions" }), "Send 7 half-width digits"),
        (
            "verify_invoice_number",
            json!({ "number": "versions", "date": "2026-04-01" }),
            "invalid_invoice_number",
        ),
        ("lookup_corporation", history("7000012050002", json!(true)), "no_such_corporation"),
        ("lookup_corporation", history("8010001999908", json!(false)), "no_such_corporation"),
        ("search_corporations", json!({ "name": "台".repeat(2_001) }), "invalid_query"),
        ("search_corporations", json!({ "name": "台帳", "match": "x" }), "`exact_with_kind`"),
        ("verify_invoice_number", json!({ "number": "T6010001999901" }), "missing field `date`"),
        (
            "verify_invoice_number",
            json!({ "number": "T1", "date": "2026-04-01" }),
            "T and exactly 13",
        ),
        (
            "verify_invoice_number",
            json!({ "number": "T6010001999901", "date": "x" }),
            "invalid_date",
        ),
        ("search_postal_codes", json!({ "text": "　" }), "found an empty one"),
        ("search_corporations", json!({ "name": "" }), "found an empty one"),
        ("find_banks", json!({ "name": "9998" }), "no_such_bank"),
        ("find_branches", json!({ "bank_code": "x" }), "Send exactly 4 half-width digits"),
        ("find_branches", json!({ "bank_code": "0001", "name": "999" }), "no_such_branch"),
        (
            "convert_yucho_account",
            json!({}),
            "symbol and number, or branch_code and account_number",
        ),
        ("convert_yucho_account", json!({ "symbol": "10010" }), "found symbol"),
        ("convert_yucho_account", json!({ "symbol": " ", "number": "1" }), "found an empty one"),
        ("convert_yucho_account", json!({ "symbol": 10010 }), "expected a string"),
        (
            "convert_yucho_account",
            json!({ "symbol": "10020", "number": "12345671" }),
            "expected 1 as the fourth digit of the symbol",
        ),
        (
            "convert_yucho_account",
            json!({ "branch_code": "998", "account_number": "1" }),
            "no_such_branch",
        ),
        ("convert_yucho_account", json!({ "bank_code": "9900" }), "unknown field `bank_code`"),
        ("write_transfer_name", json!({}), "missing field `name`"),
        ("write_transfer_name", json!({ "name": "　" }), "found an empty one"),
        (
            "write_transfer_name",
            json!({ "name": "台".repeat(201) }),
            "at most 200 letters; found 201",
        ),
        ("write_transfer_name", json!({ "name": "台帳", "reading": "台" }), "invalid_parameter"),
        ("find_towns_near", json!({ "latitude": 35 }), "missing field `longitude`"),
        (
            "find_towns_near",
            json!({ "latitude": 139.76, "longitude": 35.68 }),
            "exchange latitude and longitude",
        ),
        ("find_towns_near", json!({ "latitude": "x", "longitude": 1 }), "expected f64"),
        ("find_schools", json!({ "text": "" }), "found an empty one"),
        ("find_schools", json!({ "name": "台帳" }), "unknown field `name`"),
        ("find_schools", json!({ "text": "F100000000000" }), "no_such_school"),
        ("find_schools", json!({ "text": "台帳", "limit": 51 }), "limit of 1 to 50; found 51"),
        ("check_business_day", json!({ "date": "2026-13-01" }), "expected a day such as"),
        ("check_business_day", json!({ "date": "2026-11-24", "calendar": "moon" }), "`bank`"),
        ("add_business_days", json!({ "date": "2026-11-24", "days": 10_001 }), "-10000 to 10000"),
        ("add_business_days", json!({ "date": "2026-11-24", "days": 1.5 }), "expected i64"),
        ("count_business_days", json!({ "from": "2026-11-24", "to": "2026-11-23" }), "a day from"),
    ] {
        let error = agent.refused(tool, arguments.clone());
        assert!(error.contains(expected), "{tool} {arguments}: {error}");
    }
    let long = json!({ "address": "東".repeat(8_000) });
    assert!(agent.refused("normalize_address", long).contains("too long"));
}

#[test]
fn a_name_with_an_address_is_matched_to_a_number() {
    let mut agent = Agent::start();
    let written = json!({ "name": "㈱台帳 御中", "address": "東京都千代田区大手町" });
    let found = agent.call("match_corporation", written);
    assert_eq!(found["corporate_number"], "6010001999901", "{found}");
    assert!(found["match_reason"].as_str().expect("reasons").contains("name equal"), "{found}");
    let nobody = agent.call("match_corporation", json!({ "name": "どこにもない商店" }));
    assert_eq!((&nobody["match_level"], &nobody["candidates"]), (&json!("none"), &json!([])));
    assert_eq!(nobody.get("corporate_number"), None, "{nobody}");
}
