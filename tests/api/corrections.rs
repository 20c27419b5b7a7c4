//! The operator's corrections, laid over the data of a server: look-ups, lists, searches and suggestions of corrected
//! records on the days of the corrections, the marks in answers, and what happens when the files change.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use daicho::dataset::correction::{Corrections, Extent};
use daicho::dataset::{Catalog, corrected_files};
use daicho::text::codes::{BankCode, DataVersion};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{ServerProcess, ask, encoded, sample, wait_until};

const BANK_HEADER: &str = "action,code,name,katakana,valid_from,valid_to,reason,author\n";
pub const BRANCH_HEADER: &str =
    "action,bank_code,code,current_name,name,katakana,valid_from,valid_to,reason,author\n";

/// Days before and after the tests.
pub const PAST: &str = "2020-01-01";
pub const FUTURE: &str = "2999-01-01";

/// A copy of the sample with these files in its folder of corrections.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for dataset in fs::read_dir(sample()).expect("the sample").flatten() {
        let target = folder.path().join(dataset.file_name());
        fs::create_dir(&target).expect("a folder");
        let files = fs::read_dir(dataset.path()).expect("a folder").flatten();
        for file in files.filter(|file| file.path().is_file()) {
            fs::copy(file.path(), target.join(file.file_name())).expect("copied");
        }
    }
    fs::create_dir(folder.path().join("corrections")).expect("a folder");
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

/// Puts a file of corrections in place as editors do: under another name first.
pub fn write(folder: &Path, name: &str, text: &str) {
    let target = folder.join("corrections").join(name);
    let unfinished = target.with_extension("unfinished");
    fs::write(&unfinished, text).expect("written");
    fs::rename(unfinished, target).expect("renamed");
}

pub fn daicho(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    // A server that starts writes its state beside it.
    let command = command.current_dir(folder).args(words).arg("--snapshots").arg(folder);
    let output = command.output();
    output.expect("the program runs")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn name(served: &ServerProcess, target: &str) -> Value {
    let answer = served.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    answer.json()["data"]["name"].clone()
}

/// The codes of the institutions in an answer.
fn codes(served: &ServerProcess, target: &str) -> Vec<String> {
    let answer = served.get(target).json();
    let banks = answer["data"].as_array().expect("a list").clone();
    banks.iter().map(|bank| bank["code"].as_str().expect("a code").to_owned()).collect()
}

pub fn banks() -> String {
    format!(
        "{BANK_HEADER}\
         change,0001,空色,ソライロ,{PAST},,renamed,ops\n\
         abolish,1901,,,{PAST},,\"merged, see notice\",ops\n\
         add,0555,新設,シンセツ,{PAST},,new,ops\n\
         change,0555,改称,カイシヨウ,{FUTURE},,to come,ops\n"
    )
}

#[test]
fn banks_are_renamed_abolished_and_new() {
    let folder = folder(&[("bank.csv", &banks())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let plain = ServerProcess::start();
    let bank = served.get("/v1/bank/0001").json()["data"].clone();
    assert_eq!(bank["name"], "空色");
    assert_eq!((&bank["hiragana"], &bank["romaji"]), (&"そらいろ".into(), &"sorairo".into()));
    assert_eq!(name(&served, "/v1/bank/0555"), "新設");
    let gone = served.get("/v1/bank/1901");
    gone.expect_error(404, "no_such_bank", Some("bank_code"));
    let detail = gone.json()["detail"].as_str().expect("a text").to_owned();
    assert!(detail.contains("merged, see notice; ops") && detail.contains(PAST), "{detail}");
    let gone = served.get("/v1/bank/1901/branches/001");
    gone.expect_error(404, "no_such_bank", Some("bank_code"));
    // Branches of a renamed institution stay.
    let of_renamed = served.get("/v1/bank/0001/branches").json();
    let of_plain = plain.get("/v1/bank/0001/branches").json();
    assert_eq!(of_renamed["data"]["branches"], of_plain["data"]["branches"]);
    assert_eq!(of_renamed["data"]["bank"]["name"], "空色");

    let before = codes(&plain, "/v1/bank");
    let mut expected: Vec<String> = before.iter().filter(|code| *code != "1901").cloned().collect();
    expected.push("0555".to_owned());
    expected.sort();
    assert_eq!(codes(&served, "/v1/bank"), expected, "the whole list, in the order of codes");
    let found =
        |served: &ServerProcess, q: &str| codes(served, &format!("/v1/bank?q={}", encoded(q)));
    assert_eq!(found(&served, "空色銀行"), ["0001"]);
    assert_eq!(found(&served, "しんせつ"), ["0555"]);
    assert!(!found(&served, "台帳").contains(&"0001".to_owned()));
    let suggested = served.get(&format!("/v1/suggest/bank?q={}", encoded("空"))).json();
    assert_eq!(suggested["data"][0]["code"], "0001", "{suggested}");

    // A named version answers as it was published, and so does a server without corrections.
    let published = "/v1/bank/0001?version=2026-05-25";
    assert_eq!(served.get(published).text(), plain.get(published).text());
    assert_eq!(name(&served, "/v1/bank/1901?version=2026-05-25"), "見本信金");
    let tags =
        [&served, &plain].map(|it| it.get("/v1/bank/0001").header("etag").map(str::to_owned));
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn a_day_may_be_named() {
    let folder = folder(&[("bank.csv", &banks())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    for (target, expected) in [
        ("/v1/bank/0001?date=2019-12-31", "台帳"),
        ("/v1/bank/0001?date=2020-01-01", "空色"),
        ("/v1/bank/0555?date=2998-12-31", "新設"),
        ("/v1/bank/0555?date=2999-01-01", "改称"),
        ("/v1/bank/1901?date=2019-12-31", "見本信金"),
    ] {
        assert_eq!(name(&served, target), expected, "{target}");
    }
    for target in ["/v1/bank/0555?date=2019-12-31", "/v1/bank/1901/branches?date=2020-01-01"] {
        served.get(target).expect_error(404, "no_such_bank", Some("bank_code"));
    }
    assert_eq!(served.get("/v1/bank/1901/branches/001?date=2019-12-31").status, 200);
    let target = format!("/v1/bank?date={FUTURE}&q={}", encoded("改称"));
    assert_eq!(codes(&served, &target), ["0555"]);
    for wrong in ["2026-02-30", "20260803", "tomorrow"] {
        let answer = served.get(&format!("/v1/bank/0001?date={wrong}"));
        answer.expect_error(400, "invalid_date", Some("date"));
    }
    let both = served.get("/v1/bank/0001?date=2020-01-01&version=2026-05-25");
    both.expect_error(400, "invalid_parameter", Some("date"));
    assert_eq!(name(&served, "/v1/bank/0001?date=2019-12-31&api_version=2025-01-01"), "空色");
}

#[test]
fn data_change_with_the_day_and_what_was_compiled_stays() {
    let folder = folder(&[("bank.csv", &banks())]);
    let files = corrected_files().map(|(_, file)| file);
    let corrections = Corrections::open(&folder.path().join("corrections"), files);
    let corrections = corrections.expect("sound files");
    let day = |text: &str| DataVersion::parse(text).expect("a day");
    let open = |today: &str, before: Option<&Catalog>| {
        let catalog = Catalog::scan(folder.path(), before).expect("a folder");
        catalog
            .with_corrections(Extent::SERVED, &corrections, day(today), before)
            .expect("sound data")
    };
    let code = BankCode::parse("0555").expect("four digits");
    let name = |catalog: &Catalog| {
        let latest = catalog.bank().latest().expect("a version");
        let bank = latest.bank(code).expect("sound");
        bank.map(|bank| bank.entry().name().text.to_owned())
    };
    let before = open("2019-12-31", None);
    assert_eq!(name(&before), None);
    let today = open("2998-12-31", Some(&before));
    assert_eq!(name(&today).as_deref(), Some("新設"));
    let tomorrow = open(FUTURE, Some(&today));
    assert_eq!(name(&tomorrow).as_deref(), Some("改称"));
    let made = today.bank().latest_on(day(FUTURE)).expect("a version");
    let used = tomorrow.bank().latest().expect("a version");
    assert!(Arc::ptr_eq(made, used), "it is not compiled again");
    // Other datasets are the files themselves.
    let school = today.school();
    let (latest, published) = (school.latest().expect("one"), school.published().expect("one"));
    assert!(Arc::ptr_eq(latest, published));
}

#[test]
fn branches_are_renamed_abolished_and_new() {
    let rows = format!(
        "{BRANCH_HEADER}\
         change,1901,001,,駅前,エキマエ,{PAST},,moved,ops\n\
         abolish,1901,002,,,,{PAST},,closed,ops\n\
         add,1901,500,,新町,シンマチ,{PAST},,opened,ops\n\
         change,0001,010,見本出張所,見本第二,ミホンダイニ,{PAST},,renamed,ops\n"
    );
    let folder = folder(&[("branch.csv", &rows)]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let branches = served.get("/v1/bank/1901/branches").json()["data"]["branches"].clone();
    let listed: Vec<&String> = branches.as_object().expect("branches").keys().collect();
    assert_eq!(listed, ["001", "500"]);
    assert_eq!(branches["001"][0]["name"], "駅前");
    let shared = served.get("/v1/bank/0001/branches/010").json()["data"]["branch"].clone();
    let names: Vec<&str> =
        shared.as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["見本", "見本第二", "台帳の森"]);
    let gone = served.get("/v1/bank/1901/branches/002");
    gone.expect_error(404, "no_such_branch", Some("branch_code"));
    assert!(gone.text().contains("closed; ops"), "{}", gone.text());
    let found = served.get(&format!("/v1/bank/1901/branches?q={}", encoded("しんまち"))).json();
    assert!(found["data"]["branches"]["500"].is_array(), "{found}");
    let suggested = served.get(&format!("/v1/suggest/branch?bank=1901&q={}", encoded("新"))).json();
    assert_eq!(suggested["data"][0]["code"], "500", "{suggested}");
}

#[test]
fn answers_name_the_corrections_that_made_them() {
    let folder = folder(&[("bank.csv", &banks())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let plain = ServerProcess::start();
    let records = |target: &str| {
        let join = if target.contains('?') { '&' } else { '?' };
        let body = served.get(&format!("{target}{join}meta=1")).json();
        let rows = body["meta"]["corrections"].as_array().cloned().unwrap_or_default();
        rows.iter()
            .map(|row| row["record"].as_str().expect("a text").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(records("/v1/bank/0001"), ["0001"]);
    assert_eq!(records("/v1/bank/0001/branches"), ["0001"]);
    assert_eq!(records("/v1/bank"), ["0001", "1901", "0555"]);
    assert_eq!(records(&format!("/v1/bank?q={}", encoded("新設"))), ["0555"]);
    assert_eq!(records(&format!("/v1/suggest/bank?q={}", encoded("空"))), ["0001"]);
    assert_eq!(records("/v1/bank/0001?date=2019-12-31"), Vec::<String>::new());
    assert_eq!(records("/v1/bank/0001?version=2026-05-25"), Vec::<String>::new());
    assert_eq!(records("/v1/bank/0036"), Vec::<String>::new());
    let row = served.get("/v1/bank/0001?meta=1").json()["meta"]["corrections"][0].clone();
    let expected = serde_json::json!({
        "file": "bank.csv", "action": "change", "record": "0001", "valid_from": PAST,
        "valid_to": null, "reason": "renamed", "author": "ops",
    });
    assert_eq!(row, expected);
    // Without meta an answer has no more members than before.
    let (found, known) = (served.get("/v1/bank/0036"), plain.get("/v1/bank/0036"));
    assert_eq!(found.text(), known.text());

    let sources = served.get("/v1/sources").json();
    let laid = &sources["sources"][1]["corrections"];
    let expected = serde_json::json!({
        "rows": 4, "in_effect": 3, "caught_up": 0, "without_effect": 0,
    });
    assert_eq!(laid, &expected);
    assert!(sources["sources"][0].get("corrections").is_none());
    let metrics = ask(served.address, "GET /metrics").text();
    assert!(metrics.contains("daicho_corrections{dataset=\"bank\"} 4\n"), "{metrics}");
}

#[test]
fn changed_files_are_laid_over_the_data_and_broken_ones_change_nothing() {
    let folder = folder(&[]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    assert_eq!(name(&served, "/v1/bank/0001"), "台帳");
    write(folder.path(), "bank.csv", &banks());
    wait_until("the corrections to be laid", || name(&served, "/v1/bank/0001") == "空色");
    served.wait_for_log("corrections laid over the data version");
    let broken = format!("{BANK_HEADER}change,1,空色,ソライロ,,,why,ops\n");
    write(folder.path(), "bank.csv", &broken);
    served.wait_for_log("corrections refused; keeping the previous ones");
    served.wait_for_log("bank.csv, line 2, column code: expected four digits");
    assert_eq!(name(&served, "/v1/bank/0001"), "空色");
    let refused = served.get("/v1/sources").json()["corrections_refused"].clone();
    assert_eq!(refused, "bank.csv, line 2, column code: expected four digits; found \"1\"");
    let lines = served.logged().matches("corrections refused").count();
    served.signal(Signal::HUP);
    write(
        folder.path(),
        "bank.csv",
        &format!("{BANK_HEADER}change,0001,茜色,アカネイロ,,,why,ops\n"),
    );
    wait_until("the repaired file to be laid", || name(&served, "/v1/bank/0001") == "茜色");
    assert_eq!(served.logged().matches("corrections refused").count(), lines, "once");
    assert!(served.get("/v1/sources").json().get("corrections_refused").is_none());
    fs::remove_file(folder.path().join("corrections/bank.csv")).expect("removed");
    wait_until("the published name to be back", || name(&served, "/v1/bank/0001") == "台帳");
}

#[test]
fn a_start_with_a_broken_file_fails_and_names_the_fault() {
    let folder = folder(&[("bank.csv", "action,code\nadd,1\n")]);
    for words in [&["serve", "--listen", "127.0.0.1:0"][..], &["get", "/v1/bank/0001"]] {
        let output = daicho(folder.path(), words);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("bank.csv, line 1: expected a column valid_from"), "{message}");
        assert!(message.contains("daicho corrections check"), "{message}");
    }
    let output = daicho(folder.path(), &["get", "/v1/bank/0001", "--corrections", "/nowhere"]);
    let message = text(&output.stderr);
    assert!(
        output.status.code() == Some(1) && message.contains("/nowhere: expected a folder"),
        "{message}"
    );
}

#[test]
fn a_check_names_what_is_wrong_needed_and_caught_up() {
    let rows = format!(
        "{BANK_HEADER}\
         change,0001,空色,ソライロ,{PAST},,renamed,ops\n\
         change,0036,台帳,ダイチヨウ,{PAST},,renamed,ops\n\
         change,0777,空色,ソライロ,{PAST},,renamed,ops\n\
         add,1901,空色,ソライロ,{PAST},,new,ops\n\
         abolish,0778,,,{FUTURE},,closed,ops\n\
         abolish,0779,,,{PAST},,closed,ops\n"
    );
    let folder = folder(&[("bank.csv", &rows)]);
    let name_of_9 =
        text(&daicho(folder.path(), &["get", "/v1/bank/0036?version=2026-05-25"]).stdout);
    let bank: Value = serde_json::from_str(&name_of_9).expect("JSON");
    let (known, kana) = (&bank["data"]["name"], &bank["data"]["katakana"]);
    let rows = rows.replace(
        "台帳,ダイチヨウ",
        &format!("{},{}", known.as_str().expect("text"), kana.as_str().expect("text")),
    );
    write(folder.path(), "bank.csv", &rows);
    let output = daicho(folder.path(), &["corrections", "check"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for expected in [
        "bank.csv, line 2: change institution 0001 from 2020-01-01 on: needed\n",
        "bank.csv, line 3: change institution 0036 from 2020-01-01 on: caught up: ",
        "bank.csv, line 4, column code: expected a code of the data of 2026-05-25; found institution 0777, which no institution has\n",
        "bank.csv, line 5, column code: expected a code that the data do not have yet; correct the record with change; found institution 1901, which is 見本信金\n",
        "bank.csv, line 6, column code: expected a code of the data of 2026-05-25; found institution 0778",
        "bank.csv, line 7: abolish institution 0779 from 2020-01-01 on: caught up: ",
        "1 needed, 2 caught up, 3 faults\n",
    ] {
        assert!(printed.contains(expected), "{expected}\n{printed}");
    }
    let json = text(&daicho(folder.path(), &["corrections", "check", "--json"]).stdout);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["rows"][1]["standing"], "caught_up");
    assert_eq!(
        (&json["rows"][2]["standing"], &json["rows"][2]["line"]),
        (&"wrong".into(), &4.into())
    );

    write(folder.path(), "bank.csv", &banks());
    write(folder.path(), "banks.csv", BANK_HEADER);
    write(folder.path(), "holidays.csv", "2026-13-01,休業\n");
    let output = daicho(folder.path(), &["corrections", "check"]);
    let printed = text(&output.stdout);
    assert!(printed.contains("banks.csv: expected a file named "), "{printed}");
    assert!(printed.contains("holidays.csv, line 1: expected a day that exists"), "{printed}");
    assert!(printed.contains("2 faults"), "{printed}");
    for name in ["banks.csv", "holidays.csv"] {
        fs::remove_file(folder.path().join("corrections").join(name)).expect("removed");
    }
    let output = daicho(folder.path(), &["corrections", "check"]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let none = tempfile::tempdir().expect("a folder");
    let output = daicho(none.path(), &["corrections", "check"]);
    assert!(output.status.success() && text(&output.stdout).ends_with("no corrections\n"));
}

#[test]
fn own_holidays_may_be_in_the_folder() {
    let folder = folder(&[("holidays.csv", "2026-08-13,夏季休業\n")]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let answer = served.get("/v1/holidays?year=2026").text();
    assert!(answer.contains("夏季休業"), "{answer}");
    let printed = text(&daicho(folder.path(), &["get", "/v1/holidays?year=2026"]).stdout);
    assert!(printed.contains("夏季休業"), "{printed}");
    fs::remove_file(folder.path().join("corrections/holidays.csv")).expect("removed");
    wait_until("the day to be gone", || {
        !served.get("/v1/holidays?year=2026").text().contains("夏季休業")
    });
}

#[test]
fn commands_and_exports_have_the_corrections_of_the_day() {
    let folder = folder(&[("bank.csv", &banks())]);
    let out = tempfile::tempdir().expect("a folder");
    let printed = text(&daicho(folder.path(), &["lookup", "bank", "0001"]).stdout);
    assert!(printed.contains("空色"), "{printed}");
    let printed =
        text(&daicho(folder.path(), &["lookup", "bank", "0001", "--version", "2026-05-25"]).stdout);
    assert!(printed.contains("台帳"), "{printed}");
    let file = |name: &str| out.path().join(name).display().to_string();
    let output = daicho(folder.path(), &["export", "bank", "--output", &file("bank.csv")]);
    let summary = text(&output.stderr);
    assert!(
        summary.contains(
            "with 3 corrections of yours: bank.csv, line 2; bank.csv, line 3; bank.csv, line 4"
        ),
        "{summary}"
    );
    let csv = fs::read_to_string(file("bank.csv")).expect("written");
    assert!(csv.contains("空色") && csv.contains("新設") && !csv.contains("見本信金"), "{csv}");
    daicho(folder.path(), &["export", "bank", "--output", &file("bank.sqlite")]);
    let database = rusqlite::Connection::open(file("bank.sqlite")).expect("a database");
    let reasons: i64 = database
        .query_row("SELECT count(*) FROM corrections WHERE reason = 'renamed'", [], |row| {
            row.get(0)
        })
        .expect("a table");
    assert_eq!(reasons, 1);
    let layout = file("layout");
    let output =
        daicho(folder.path(), &["export", "bank", "--layout", "zengin-code", "--output", &layout]);
    assert!(text(&output.stderr).contains("with 3 corrections of yours"));
    let listed = fs::read_to_string(out.path().join("layout/banks.json")).expect("written");
    assert!(listed.contains("空色") && !listed.contains("1901"), "{listed}");
    let inspected =
        text(&daicho(folder.path(), &["snapshot", "inspect", "bank/2026-05-25"]).stdout);
    assert!(inspected.contains("corrections:") && inspected.contains("rows: 4"), "{inspected}");
    // Without corrections nothing is added.
    let plain = daicho(sample(), &["export", "bank", "--output", &file("plain.sqlite")]);
    assert!(!text(&plain.stderr).contains("correction"));
    let database = rusqlite::Connection::open(file("plain.sqlite")).expect("a database");
    let tables: i64 = database
        .query_row("SELECT count(*) FROM sqlite_master WHERE name = 'corrections'", [], |row| {
            row.get(0)
        })
        .expect("a count");
    assert_eq!(tables, 0);
}

#[test]
fn aliases_of_corporations_are_found_and_marked() {
    const NUMBER: &str = "6010001999901";
    let rows = format!(
        "action,corporate_number,alias,valid_from,valid_to,reason,author\n\
         alias,{NUMBER},DCJ,,,as people say,ops\n\
         alias,{NUMBER},QXZ,{FUTURE},,to come,ops\n"
    );
    let folder = folder(&[("corporate.csv", &rows)]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let ask_premium = |target: &str| {
        let key = &served.premium;
        let answer = ask(served.address, &format!("GET {target}\nAuthorization: Token {key}\n"));
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        answer.json()
    };
    let found = ask_premium("/v1/houjinbangou?q=ｄｃｊ&mode=loose&meta=1");
    let record = &found["data"][0];
    assert_eq!((&found["count"], &record["corporate_number"]), (&1.into(), &NUMBER.into()));
    assert_eq!((&record["matched"], &record["alias"]), (&"alias".into(), &"DCJ".into()));
    assert!(record.get("former_name").is_none());
    assert_eq!(found["meta"]["corrections"][0]["reason"], "as people say");
    // By its name it is found as before, and a part of a name is no alias.
    let by_name = ask_premium(&format!("/v1/houjinbangou?q={}&mode=loose&meta=1", encoded("台帳")));
    assert!(
        by_name["data"][0].get("matched").is_none() && by_name["meta"].get("corrections").is_none()
    );
    assert_eq!(ask_premium("/v1/houjinbangou?q=DCJ")["count"], 0);
    assert_eq!(
        ask_premium(&format!("/v1/houjinbangou?q={}&mode=loose", encoded("QXZ")))["count"],
        0
    );
    let suggested = ask_premium("/v1/suggest/corporation?q=dc");
    assert_eq!(
        (&suggested["data"][0]["corporate_number"], &suggested["data"][0]["match"]),
        (&NUMBER.into(), &"alias".into())
    );
    let matched = ask_premium("/v1/match/corporation?name=DCJ");
    let candidate = &matched["data"]["candidates"][0];
    assert_eq!(candidate["corporate_number"], NUMBER);
    assert!(
        candidate["match_reason"].as_str().expect("a text").contains("alias given by the operator")
    );
    // The tags of answers change with the aliases.
    let tag = |served: &ServerProcess| {
        let request =
            format!("GET /v1/houjinbangou/{NUMBER}\nAuthorization: Token {}\n", served.premium);
        ask(served.address, &request).header("etag").map(str::to_owned)
    };
    assert_ne!(tag(&served), tag(&ServerProcess::start()));
    let wrong = "action,corporate_number,alias,valid_from,valid_to,reason,author\n\
                 alias,6010001999902,DCJ,,,r,a\nalias,1180301018771,トヨタ,,,r,a\nalias,6010001999901,台帳,,,r,a\n";
    write(folder.path(), "corporate.csv", &wrong.replace("alias,6010001999902,DCJ,,,r,a\n", ""));
    let printed = text(&daicho(folder.path(), &["corrections", "check"]).stdout);
    assert!(
        printed.contains("line 2, column corporate_number: expected a number of the data"),
        "{printed}"
    );
    assert!(printed.contains("line 3: alias corporation 6010001999901 on every day: caught up: its name is 株式会社台帳"), "{printed}");
    write(folder.path(), "corporate.csv", wrong);
    let printed = text(&daicho(folder.path(), &["corrections", "check"]).stdout);
    assert!(printed.contains("line 2, column corporate_number: expected a corporate number of thirteen digits whose check digit is right"), "{printed}");
}

#[test]
fn schools_are_renamed_closed_and_new() {
    let rows = format!(
        "action,code,name,address,postal_code,branch,new_code,valid_from,valid_to,reason,author\n\
         change,F108110009907,空色大学,,,,,{PAST},,renamed,ops\n\
         abolish,B113210009916,,,,,F108110009907,{PAST},,merged,ops\n\
         add,B108210000013,新町小学校,茨城県つくば市新町１－１,3050031,,,{PAST},,opened,ops\n"
    );
    let folder = folder(&[("school.csv", &rows)]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let ask_premium = |target: &str| {
        let key = &served.premium;
        let answer = ask(served.address, &format!("GET {target}\nAuthorization: Token {key}\n"));
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        answer.json()
    };
    assert_eq!(ask_premium("/v1/school/F108110009907")["data"]["name"], "空色大学");
    let closed = ask_premium("/v1/school/B113210009916")["data"].clone();
    assert_eq!((&closed["branch"], &closed["abolished_date"]), (&9.into(), &PAST.into()));
    assert_eq!(closed["new_code"][0], "F108110009907");
    let new = ask_premium("/v1/school/B108210000013")["data"].clone();
    assert_eq!((&new["type"], &new["jurisdiction_prefecture_code"]), (&"B1".into(), &"08".into()));
    assert_eq!((&new["addresses"][0]["city"], &new["branch"]), (&"つくば市".into(), &1.into()));
    let found =
        ask_premium(&format!("/v1/school?q={}&meta=1&facet_type=/", encoded("name:空色大学")));
    assert_eq!((&found["count"], &found["data"][0]["code"]), (&1.into(), &"F108110009907".into()));
    assert_eq!(found["meta"]["corrections"][0]["reason"], "renamed");
    let old = ask_premium(&format!("/v1/school?q={}", encoded("name:台帳大学")));
    assert!(old["data"].as_array().expect("a list").iter().all(|it| it["code"] != "F108110009907"));
    let suggested = ask_premium(&format!("/v1/suggest/school?q={}&meta=1", encoded("新町")));
    assert_eq!(suggested["data"][0]["code"], "B108210000013");
    assert_eq!(suggested["meta"]["corrections"][0]["reason"], "opened");
    let published = ask_premium("/v1/school/F108110009907?version=2026-08-25");
    assert_eq!(published["data"]["name"], "台帳大学");
}

#[test]
fn postal_codes_and_towns_are_changed_abolished_and_new() {
    let rows = format!(
        "action,postal_code,city_code,town,new_town,town_kana,new_postal_code,valid_from,valid_to,reason,author\n\
         change,1000001,13101,千代田,空色町,ソライロチョウ,,{PAST},,renamed,ops\n\
         add,1009999,13101,新台帳町,,シンダイチョウマチ,,{PAST},,new,ops\n\
         abolish,1000004,,,,,,{PAST},,gone,ops\n"
    );
    let folder = folder(&[("postal.csv", &rows)]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &["--compat", "zipcloud"]);
    let plain = ServerProcess::start();
    let record = served.get("/v1/postalcode/1000001").json()["data"][0].clone();
    assert_eq!((&record["town"], &record["town_roman"]), (&"空色町".into(), &"Sorairocho".into()));
    let new = served.get("/v1/postalcode/1009999?meta=1").json();
    assert_eq!(
        (&new["data"][0]["town"], &new["data"][0]["city"]),
        (&"新台帳町".into(), &"千代田区".into())
    );
    assert_eq!(new["meta"]["corrections"][0]["reason"], "new");
    let gone = served.get("/v1/postalcode/1000004");
    gone.expect_error(404, "no_such_postal_code", Some("postal_code"));
    assert!(gone.text().contains("gone; ops"), "{}", gone.text());
    // The normaliser and the search know the new names, and the old ones no more.
    let address = |text: &str| {
        let answer = served.get(&format!("/v1/postalcode?t={}", encoded(text))).json();
        answer["data"][0]["postal_code"].clone()
    };
    assert_eq!(address("東京都千代田区空色町1-1"), "1000001");
    assert_eq!(address("東京都千代田区新台帳町2-3"), "1009999");
    let found = served.get(&format!("/v1/postalcode?q={}&meta=1", encoded("town:空色町"))).json();
    assert_eq!((&found["count"], &found["data"][0]["postal_code"]), (&1.into(), &"1000001".into()));
    assert_eq!(found["meta"]["corrections"][0]["reason"], "renamed");
    let suggested =
        served.get(&format!("/v1/suggest/address?q={}", encoded("千代田区空色"))).json();
    assert!(suggested.to_string().contains("空色町"), "{suggested}");
    // Every other answer is the same, with the weights and coordinates of the published data.
    for target in [
        "/v1/postalcode/1020083?point=1",
        "/v1/postalcode/6028798",
        "/v1/cities/13",
        "/v1/suggest/address?q=東京",
        "/v1/postalcode/updates",
        "/v1/postalcode?t=東京都千代田区麹町1-1",
    ] {
        let target = target
            .replace("東京", &encoded("東京"))
            .replace("都千代田区麹町", &encoded("都千代田区麹町"));
        assert_eq!(served.get(&target).text(), plain.get(&target).text(), "{target}");
    }
    let published = served.get("/v1/postalcode/1000001?version=2026-06-30").json();
    assert_eq!(published["data"][0]["town"], "千代田");
    let printed =
        text(&daicho(folder.path(), &["search", "address", "東京都千代田区空色町1-1"]).stdout);
    assert!(printed.contains("空色町"), "{printed}");
    let wrong = "action,postal_code,city_code,town,new_town,town_kana,valid_from,valid_to,reason,author\n\
                 change,1000001,13101,無い町,空色町,ソライロチョウ,,,r,a\n\
                 add,1009999,99999,新町,,シンマチ,,,r,a\n\
                 add,1000001,13101,千代田,,チヨダ,,,r,a\n";
    write(folder.path(), "postal.csv", wrong);
    let printed = text(&daicho(folder.path(), &["corrections", "check"]).stdout);
    for expected in [
        "line 2, column postal_code: expected a record of a town of the data of 2026-06-30; found postal code 1000001 13101 無い町".replace("found postal code ", "found "),
        "line 3, column city_code: expected a municipality of the data of 2026-06-30; found 99999".to_owned(),
        "line 4: add postal code 1000001 13101 千代田 on every day: caught up".to_owned(),
    ] {
        assert!(printed.contains(&expected), "{expected}\n{printed}");
    }
}

#[test]
fn a_template_is_a_file_without_rows() {
    let folder = folder(&[]);
    for name in ["bank", "branch", "corporate", "school", "postal"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        let output = command.args(["corrections", "template", name]).output().expect("it runs");
        write(folder.path(), &format!("{name}.csv"), &text(&output.stdout));
    }
    let output = daicho(folder.path(), &["corrections", "check"]);
    assert!(text(&output.stdout).ends_with("no corrections\n"), "{}", text(&output.stdout));
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    let output = command.args(["corrections", "template", "banks"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}
