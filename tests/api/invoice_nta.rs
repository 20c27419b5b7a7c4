//! The tax agency's Web-API for qualified invoice issuers over a socket: forms, days, periods and errors.

use serde_json::{Value, json};

use crate::support::{Answer, ServerProcess, ask, sample};

fn open_server() -> ServerProcess {
    let arguments = ["--compat", "invoice-nta", "--compat-account", "premium"];
    ServerProcess::with_snapshots(Some(sample()), &arguments)
}

fn get(served: &ServerProcess, target: &str) -> Answer {
    ask(served.address, &format!("GET {target}"))
}

/// The entries of an answer as JSON.
#[track_caller]
fn announcement(served: &ServerProcess, target: &str) -> Vec<Value> {
    let answer = get(served, &format!("{target}&type=21"));
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    let body = answer.json();
    let entries = body["announcement"].as_array().expect("a list").clone();
    let (count, pages) = (entries.len().to_string(), entries.len().min(1).to_string());
    let header =
        ["lastUpdateDate", "count", "divideNumber", "divideSize"].map(|it| body[it].clone());
    assert_eq!(header, [json!("2026-08-04"), json!(count), json!("1"), json!(pages)], "{target}");
    for entry in &entries {
        let members = entry.as_object().expect("an object");
        assert_eq!(members.len(), 24, "{entry}");
        assert!(members.values().all(Value::is_string), "every value is a string: {entry}");
    }
    entries
}

/// Number, process, registration date and latest of each entry.
fn brief(entries: &[Value]) -> Vec<[String; 4]> {
    let members = ["registratedNumber", "process", "registrationDate", "latest"];
    let text = |entry: &Value, name: &str| entry[name].as_str().expect("a string").to_owned();
    entries.iter().map(|entry| members.map(|name| text(entry, name))).collect()
}

fn owned(rows: &[[&str; 4]]) -> Vec<[String; 4]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

const ROW: &str = "\"T4010001999903\",02,0,2,1,1,2023-10-01,2026-07-10,,,\
    \"東京都港区六本木１丁目６番１号台帳タワー１２Ｆ\",13,103,\"東京都千代田区千代田１番１号\",13,101,\
    \"ダイチョウワークス\",\"株式会社ＤＡＩＣＨＯ　\"\"Ｗｏｒｋｓ\"\"\",\"\",,,\"\",\"\"";

#[test]
fn an_issuer_has_the_columns_of_the_agencys_file_in_each_form() {
    let served = open_server();
    let target = "/1/num?id=Ktest01test01&number=T4010001999903";
    let csv = get(&served, &format!("{target}&type=01"));
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(csv.text(), format!("2026-08-04,1,1,1\n1,{ROW}\n"));
    let json = get(&served, &format!("{target}&type=21"));
    assert_eq!(json.header("content-type"), Some("application/json; charset=utf-8"));
    let expected = "{\"lastUpdateDate\":\"2026-08-04\",\"count\":\"1\",\"divideNumber\":\"1\",\"divideSize\":\"1\",\
        \"announcement\":[{\"sequenceNumber\":\"1\",\"registratedNumber\":\"T4010001999903\",\"process\":\"02\",\
        \"correct\":\"0\",\"kind\":\"2\",\"country\":\"1\",\"latest\":\"1\",\"registrationDate\":\"2023-10-01\",\
        \"updateDate\":\"2026-07-10\",\"disposalDate\":\"\",\"expireDate\":\"\",";
    assert!(json.text().starts_with(expected), "{}", json.text());
    assert!(json.text().ends_with("\"tradeName\":\"\",\"popularName_previousName\":\"\"}]}"));
    let xml = get(&served, &format!("{target}&type=11"));
    assert_eq!(xml.header("content-type"), Some("application/xml; charset=utf-8"));
    assert!(
        xml.text().contains("<disposalDate/><expireDate/><address>東京都港区"),
        "{}",
        xml.text()
    );
    assert_eq!(announcement(&served, target)[0]["addressRequestCityCode"], "101");
    let none = get(&served, "/1/num?number=T7000012050002&type=21").text();
    assert!(none.ends_with(
        "\"count\":\"0\",\"divideNumber\":\"1\",\"divideSize\":\"0\",\"announcement\":[]}"
    ));
}

#[test]
fn numbers_have_their_present_entry_or_all_that_are_known() {
    let served = open_server();
    let numbers = "number=T5430001999901,T6700150999905,T3010003999902";
    let present = announcement(&served, &format!("/1/num?{numbers}"));
    let expected =
        [["T5430001999901", "03", "2023-10-01", "1"], ["T6700150999905", "01", "2023-10-01", "0"]];
    assert_eq!(brief(&present), owned(&expected));
    let history = announcement(&served, &format!("/1/num?{numbers}&history=1"));
    let expected = [
        ["T5430001999901", "03", "2023-10-01", "0"],
        ["T5430001999901", "03", "2023-10-01", "1"],
        ["T6700150999905", "01", "2023-10-01", "0"],
        // It was deleted since.
        ["T3010003999902", "01", "2023-10-01", "0"],
    ];
    assert_eq!(brief(&history), owned(&expected));
    assert_eq!(history[0]["addressPrefectureCode"], "01", "the office before it moved");
    let superseded = &history[2];
    for (name, value) in [("kind", ""), ("country", ""), ("name", ""), ("expireDate", "2024-03-31")]
    {
        assert_eq!(superseded[name], value, "{name} of {superseded}");
    }
}

#[test]
fn a_day_has_the_entry_of_the_registration_that_had_begun() {
    let served = open_server();
    let on = |number: &str, day: &str| {
        announcement(&served, &format!("/1/valid?number={number}&day={day}"))
    };
    let lapsing = on("T5430001999901", "2026-08-04");
    assert_eq!(
        (&lapsing[0]["process"], &lapsing[0]["expireDate"]),
        (&json!("03"), &json!("2027-03-31"))
    );
    for (day, count) in [("2023-09-30", 0), ("2023-10-01", 1), ("2030-01-01", 1)] {
        assert_eq!(on("T5430001999901", day).len(), count, "{day}");
    }
    assert_eq!(on("T7000012050002", "2026-08-04").len(), 0);
}

#[test]
fn changes_of_a_known_day_are_listed_and_divided() {
    let served = open_server();
    let day = "/1/diff?from=2026-08-04&to=2026-08-04";
    let all = announcement(&served, day);
    let expected = [
        ["T3010003999902", "99", "", "0"],
        ["T5010001999910", "01", "2026-08-04", "1"],
        ["T5430001999901", "03", "2023-10-01", "1"],
        ["T6810999999904", "01", "2026-08-04", "1"],
    ];
    assert_eq!(brief(&all), owned(&expected));
    assert_eq!((&all[0]["updateDate"], &all[0]["correct"]), (&json!("2026-08-04"), &json!("0")));
    assert_eq!(brief(&announcement(&served, &format!("{day}&division=1"))), owned(&expected[3..]));
    assert_eq!(brief(&announcement(&served, &format!("{day}&division=2"))), owned(&expected[..3]));
    let csv = get(&served, &format!("{day}&type=01")).text();
    let deleted =
        "1,\"T3010003999902\",99,0,,,0,,2026-08-04,,,\"\",,,\"\",,,\"\",\"\",\"\",,,\"\",\"\"";
    assert_eq!(csv.lines().nth(1), Some(deleted), "as in the agency's file");
    let unknown = get(&served, "/1/diff?from=2026-08-03&to=2026-08-04&type=21");
    assert_eq!(unknown.status, 400);
    assert!(unknown.text().starts_with("400-9005,") && unknown.text().contains("2026-08-03"));
}

#[test]
fn wrong_parameters_have_codes() {
    let served = open_server();
    let many = ["T6010001999901"; 11].join(",");
    for (target, code) in [
        (format!("/1/num?number={many}&type=21"), "400-0002"),
        ("/1/num?type=21".to_owned(), "400-9001"),
        ("/1/num?number=T6010001999901".to_owned(), "400-9001"),
        ("/1/num?number=6010001999901&type=21".to_owned(), "400-9003"),
        ("/1/num?number=t6010001999901&type=21".to_owned(), "400-9003"),
        ("/1/num?number=T6010001999901&type=12".to_owned(), "400-9002"),
        ("/1/num?number=T6010001999901&type=21&history=x".to_owned(), "400-9002"),
        ("/1/num?number=%zz&type=21".to_owned(), "400-9002"),
        ("/1/valid?number=T6010001999901&type=21".to_owned(), "400-9001"),
        ("/1/valid?day=2026-08-04&type=21".to_owned(), "400-9001"),
        ("/1/valid?number=T6010001999901&day=2026-08-32&type=21".to_owned(), "400-9004"),
        (
            "/1/valid?number=T6010001999901,T5010001999910&day=2026-08-04&type=21".to_owned(),
            "400-0002",
        ),
        ("/1/diff?to=2026-08-04&type=21".to_owned(), "400-9001"),
        ("/1/diff?from=2026-08-04&to=2026-08-03&type=21".to_owned(), "400-9004"),
        ("/1/diff?from=2026-06-14&to=2026-08-04&type=21".to_owned(), "400-9004"),
        ("/1/diff?from=2026-08-04&to=2026-08-04&type=21&division=3".to_owned(), "400-9002"),
        ("/1/diff?from=2026-08-04&to=2026-08-04&type=21&divide=x".to_owned(), "400-9002"),
    ] {
        let refused = get(&served, &target);
        let text = refused.text();
        assert_eq!(
            (refused.status, text.split_once(',').map(|it| it.0)),
            (400, Some(code)),
            "{text}"
        );
    }
    let closed = ServerProcess::with_snapshots(Some(sample()), &["--compat", "invoice-nta"]);
    let wrong = get(&closed, "/1/num?id=Ktest01test01&number=T6010001999901&type=21");
    assert_eq!(wrong.status, 404, "{}", wrong.text());
    let none = get(&closed, "/1/num?number=T6010001999901&type=21");
    assert_eq!((none.status, none.text().starts_with("400-9001,")), (400, true));
}
