//! The options for columns, queries, versions and formats, and the values that are refused.

use std::fs;

use super::table::{csv, json_lines};
use super::{DATASETS, exported, exports, names, place, refuses, text};

fn codes(dataset: &str, column: &str, query: &str) -> Vec<String> {
    let table = json_lines(&exported(dataset, "jsonl", &["--columns", column, "--where", query]));
    let code = |row: Vec<serde_json::Value>| row[0].as_str().expect("a code").to_owned();
    table.rows.into_iter().map(code).collect()
}

#[test]
fn columns_come_in_the_requested_order() {
    let text = exported("corporate", "csv", &["--columns", "name,corporate_number,kind"]);
    assert!(text.starts_with("name,corporate_number,kind\r\n"), "{text}");
    let rows = csv(&text);
    assert!(rows.len() > 5 && rows.iter().all(|row| row.len() == 3));
}

#[test]
fn a_query_exports_only_the_records_that_the_search_finds() {
    let all = exported("postal", "jsonl", &["--columns", "town"]);
    let found = codes("postal", "town", "town:千代田");
    assert!(!found.is_empty() && found.iter().all(|town| town == "千代田"), "{found:?}");
    assert_eq!(all.matches("{\"town\":\"千代田\"}\n").count(), found.len());
    assert!(all.lines().count() > 20);
    let towers = codes("postal", "building", "_structure:2");
    assert!(!towers.is_empty() && towers.iter().all(|building| !building.is_empty()));
    let tokyo = codes("corporate", "address_prefecture", "prefecture_name:東京都");
    assert!(tokyo.len() > 1 && tokyo.iter().all(|name| name == "東京都"), "{tokyo:?}");
    let grouped =
        codes("corporate", "corporate_number", "(台帳 OR 見本) AND prefecture_name:東京都");
    assert!(!grouped.is_empty());
    let schools = codes("school", "name", "name:大学 -name:短期");
    assert!(!schools.is_empty() && schools.iter().all(|name| name.contains("大学")), "{schools:?}");
    assert_eq!(exported("postal", "jsonl", &["--where", "town:そんな町はない"]), "");
    let header = exported("school", "csv", &["--columns", "code", "--where", "そんな学校はない"]);
    assert_eq!(header, "code\r\n");
}

#[test]
fn a_query_for_issuers_finds_registered_corporations() {
    let issuers = |query| codes("invoice", "qualified_invoice_issuer_number", query);
    let (tokyo, found) =
        (issuers("prefecture_name:東京都"), issuers("prefecture_name:東京都 AND 新台帳"));
    assert_eq!(found, ["T5010001999910"]);
    assert!(tokyo.len() > 2 && tokyo.contains(&found[0]), "{tokyo:?}");
    let corporations = codes("corporate", "corporate_number", "prefecture_name:東京都");
    assert!(tokyo.iter().all(|number| corporations.iter().any(|it| *it == number[1..])));
    // 台帳合名会社 is a corporation of Tokyo whose registration was revoked.
    assert!(corporations.iter().any(|number| number == "4010003999901"));
    assert!(!tokyo.iter().any(|number| number == "T4010003999901"));
}

#[test]
fn a_query_for_issuers_needs_corporations() {
    let (folder, out) = place("a.csv");
    let invoice = folder.path().join("invoice");
    fs::create_dir(&invoice).expect("made");
    let sampled = names(&crate::sample::sample().join("invoice"));
    for name in sampled.iter().filter(|name| name.ends_with(".daicho")) {
        fs::copy(crate::sample::sample().join("invoice").join(name), invoice.join(name))
            .expect("copied");
    }
    let snapshots = ["--snapshots", text(folder.path()), "--output", text(&out)];
    let message = refuses(&[&["invoice", "--where", "台帳"], &snapshots[..]].concat(), 1);
    let expected = "searches the corporations of the folder: expected snapshots in ";
    assert!(message.contains(expected) && message.contains("/corporate; found none"), "{message}");
    exports(&[&["invoice"], &snapshots[..]].concat());
}

#[test]
fn the_format_follows_the_file_name_unless_an_option_names_it() {
    let (folder, csv) = place("a.CSV");
    let (_, summary) = exports(&["bank", "--output", text(&csv)]);
    let written = fs::read_to_string(&csv).expect("written");
    assert!(written.starts_with("bank_code,"), "{written}");
    let rows = written.lines().count() - 1;
    assert!(summary.starts_with(&format!("{rows} rows of bank 2026-")), "{summary}");
    let mut lines = summary.lines();
    assert!(lines.next().is_some_and(|line| line.ends_with(text(&csv))), "{summary}");
    assert_eq!(lines.next(), Some("show with the data: ykaku.net 金融機関コード"));
    exports(&["bank", "--output", text(&csv), "--format", "jsonl"]);
    assert!(fs::read_to_string(&csv).expect("replaced").starts_with("{\"bank_code\":"));
    exports(&["bank", "--output", text(&csv), "--bom"]);
    let written = fs::read_to_string(&csv).expect("replaced");
    assert!(written.starts_with("\u{feff}bank_code,"), "{written}");
    assert_eq!(names(folder.path()), ["a.CSV"]);
}

#[test]
fn an_older_version_can_be_exported() {
    let old = exported("postal", "csv", &["--version", "2026-05-29"]);
    let new = exported("postal", "csv", &[]);
    assert!(old != new && old.lines().count() > 10);
}

#[test]
fn wrong_options_are_refused_and_leave_nothing() {
    let (folder, out) = place("a.csv");
    let out = text(&out);
    let empty = tempfile::tempdir().expect("a folder");
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let message = refuses(arguments, code);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    };
    check(&["stations", "--output", out], 2, "[possible values: postal, bank, corporate");
    check(&["postal"], 2, "--output <FILE>");
    check(&["postal", "--output", out, "--format", "xlsx"], 2, "[possible values: csv, jsonl");
    let other = text(folder.path()).to_owned() + "/a.txt";
    check(&["postal", "--output", &other], 2, "name the format with --format");
    check(&["postal", "--output", "-"], 2, "name the format with --format");
    for dataset in DATASETS {
        let unknown = ["--columns", "no_such"];
        let message = refuses(&[&[dataset, "--output", out], &unknown[..]].concat(), 2);
        let expected = format!("--columns: expected columns of {dataset}: ");
        assert!(message.contains(&expected) && message.contains("'no_such'"), "{message}");
    }
    check(&["bank", "--output", out, "--columns", "bank_code,bank_name,bank_code"], 2, "twice");
    check(&["bank", "--output", out, "--columns", ""], 2, "found ''");
    check(&["bank", "--output", out, "--where", "みずほ"], 2, "bank has no query language");
    check(&["postal", "--output", out, "--where", "name:x"], 1, "--where: at character 1 of the");
    check(&["corporate", "--output", out, "--where", ""], 1, "expected a keyword");
    check(&["school", "--output", out, "--where", "a OR -b"], 1, "--where: ");
    check(&["invoice", "--output", out, "--where", "(a"], 1, "close the group");
    check(&["postal", "--output", out, "--version", "1999-01-01"], 1, "the folder has 2022-06-30,");
    check(&["postal", "--output", out, "--version", "today"], 1, "YYYY-MM-DD");
    check(&["postal", "--output", out, "--snapshots", text(empty.path())], 1, "daicho build");
    for format in ["parquet", "sqlite"] {
        let message = "expected a file for Parquet and SQLite; found standard output";
        check(&["postal", "--output", "-", "--format", format], 2, message);
        check(&["postal", "--output", out, "--format", format, "--bom"], 2, "only a CSV");
    }
    check(
        &["bank", "--output", "/dev/null", "--format", "sqlite"],
        1,
        "SQLite needs a regular file",
    );
    let jsonl = ["postal", "--output", out, "--format", "jsonl", "--bom"];
    check(&jsonl, 2, "only a CSV has a byte-order mark");
}
