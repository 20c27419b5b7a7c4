//! `/v1/houjinbangou/{number}/history`, and `daicho lookup corporate --history`.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Answer, NEWEST, ServerProcess, ask, sample};

fn get(server: &ServerProcess, path: &str) -> Answer {
    let head = format!("GET /v1/houjinbangou/{path}\nAuthorization: Token {}", server.premium);
    ask(server.address, &head)
}

/// The changes of a corporation, without members that are null.
#[track_caller]
fn changes(server: &ServerProcess, number: &str) -> Vec<Value> {
    let answer = get(server, &format!("{number}/history"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let data = answer.json()["data"].as_array().expect("a list").clone();
    let without_nulls = |row: Value| {
        let members = row.as_object().expect("an object").clone();
        assert_eq!(members.len(), 8, "{row}");
        Value::from_iter(members.into_iter().filter(|(_, value)| !value.is_null()))
    };
    data.into_iter().map(without_nulls).collect()
}

#[test]
fn changes_between_versions_are_listed_with_their_dates() {
    let server = ServerProcess::start();
    let (before, after) = ("2026-07-31", "2026-08-03");
    let renamed = changes(&server, "5010001999902");
    assert_eq!(
        renamed,
        [
            json!({"date": "2015-10-05", "version": before, "kind": "assigned"}),
            json!({"date": "2026-06-08", "version": before, "kind": "name", "after": "台帳商事株式会社"}),
            // The newest entry closed the register; the former name gives the day of this one.
            json!({"date": "2026-07-20", "version": after, "kind": "name", "before": "台帳商事株式会社", "after": "台帳物産株式会社"}),
            json!({"version": after, "kind": "furigana", "before": "ダイチョウショウジ", "after": "ダイチョウブッサン"}),
            json!({
                "date": "2026-07-30", "version": after, "kind": "closed", "close_cause": 11,
                "successor_corporate_number": "6010001999901",
                "change_cause": "令和８年７月３０日株式会社台帳に合併し解散",
            }),
        ]
    );
    assert_eq!(
        changes(&server, "5430001999901")[1..],
        [json!({
            "date": "2026-07-28", "version": after, "kind": "address",
            "before": "北海道札幌市中央区南１番通１丁目", "after": "東京都港区六本木１丁目６番１号",
        })]
    );
    assert_eq!(
        changes(&server, "6010001999901")[1..],
        [json!({
            "date": "2026-07-30", "version": after, "kind": "merger",
            "change_cause": "令和８年７月３０日台帳物産株式会社を合併",
        })]
    );
    assert_eq!(
        changes(&server, "5010001999910"),
        [json!({"date": "2026-08-03", "version": after, "kind": "assigned"})]
    );
    let withdrawn = changes(&server, "8010001999908");
    assert_eq!(withdrawn.last(), Some(&json!({"version": after, "kind": "removed"})));
    let closed = changes(&server, "2010001999905");
    let kinds: Vec<&Value> = closed.iter().map(|change| &change["kind"]).collect();
    assert_eq!(kinds, ["assigned", "closed"]);
}

#[test]
fn a_version_ends_the_history_and_is_not_immutable() {
    let server = ServerProcess::start();
    let old = get(&server, "5010001999902/history?version=2026-07-31");
    assert_eq!((old.status, &old.json()["version"]), (200, &"2026-07-31".into()));
    assert_eq!(old.json()["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(old.json()["corporate_number"], "5010001999902");
    // The history also depends on other files, so a pinned version is not immutable.
    assert_eq!(old.header("cache-control"), Some("private, no-cache"));
    assert!(old.header("etag").is_some());
    for api in ["2022-09-01", NEWEST] {
        let answer = get(&server, &format!("5010001999902/history/?api_version={api}"));
        assert_eq!(answer.json()["data"].as_array().map(Vec::len), Some(5), "{api}");
    }
}

#[test]
fn invalid_numbers_and_versions_are_refused() {
    let server = ServerProcess::start();
    for bad in
        ["1", "601000199990", "60100019999011", "x", "T6010001999901", "%", "601000199990%00"]
    {
        let answer = get(&server, &format!("{bad}/history"));
        answer.expect_error(400, "invalid_corporate_number", Some("corporate_number"));
    }
    for unknown in ["7000012050002", "7010001999901", "5010001999910/history?version=2026-07-31"] {
        let path =
            if unknown.contains('/') { unknown.to_owned() } else { format!("{unknown}/history") };
        get(&server, &path).expect_error(404, "no_such_corporation", Some("corporate_number"));
    }
    let answer = get(&server, "6010001999901/history?version=2026-08-04");
    answer.expect_error(404, "no_such_version", Some("version"));
    let answer = get(&server, "6010001999901/history?version=today");
    answer.expect_error(400, "invalid_version", Some("version"));
    get(&server, "6010001999901/histories").expect_error(404, "no_such_endpoint", None);
    let standard = server.get("/v1/houjinbangou/6010001999901/history");
    standard.expect_error(403, "plan_too_low", None);
}

#[test]
fn the_command_line_prints_the_same_history() {
    let server = ServerProcess::start();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(["lookup", "corporate", "--history"]).args(arguments);
        command.arg("--snapshots").arg(sample()).output().expect("the binary runs")
    };
    let json = run(&["5010001999902", "--json"]);
    let asked = get(&server, "5010001999902/history").text();
    assert_eq!(String::from_utf8_lossy(&json.stdout).trim_end(), asked);
    let text = run(&["5010001999902"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("name      台帳商事株式会社 ->  台帳物産株式会社  (version 2026-08-03)"),
        "{text}"
    );
    let unknown = run(&["7000012050002"]);
    assert_eq!(unknown.status.code(), Some(1));
    let message = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(message.contains("no corporation 7000012050002"), "{message}");
}
