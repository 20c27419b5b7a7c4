//! `daicho match` on the sample data: the added columns, the formats of its files, the rows for a person, and the
//! arguments that it refuses.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{file, parquets, path, workbooks};
use crate::sample::sample;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.arg("match").args(arguments).env("DAICHO_SNAPSHOTS", sample());
    let output = command.output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn rows_get_the_number_of_their_corporation() {
    let table = "id,会社名,住所\r\n1,㈱台帳,東京都千代田区大手町\r\n2,どこにもない商店,\r\n";
    let (_folder, input) = file("customers.csv", table.as_bytes());
    let columns = ["--name-column", "会社名", "--address-column", "住所"];
    let arguments = [&[path(&input)][..], &columns, &["--add", "status"]].concat();
    let (code, out, errors) = run(&arguments);
    assert_eq!(code, Some(0), "{errors}");
    let lines: Vec<&str> = out.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "id,会社名,住所,match_level,corporate_number,match_score,match_reason,candidates,status,\
         successor_corporate_number"
    );
    let expected = "1,㈱台帳,東京都千代田区大手町,";
    assert!(lines[1].starts_with(expected) && lines[1].contains("6010001999901"), "{out}");
    assert!(lines[1].ends_with(",open,"), "{out}");
    assert_eq!(lines[2], "2,どこにもない商店,,none,,0,,,,");
    assert!(errors.contains("2 rows") && errors.contains("none"), "{errors}");
}

const TABLE: &str =
    "取引先\n会社名,住所\n㈱台帳,東京都千代田区大手町\n台帳,\n\nどこにもない商店,\n";

/// Matches [`TABLE`] with these arguments.
fn matched(arguments: &[&str]) -> (String, String) {
    let (_folder, input) = file("customers.csv", TABLE.as_bytes());
    let columns = [path(&input), "--name-column", "会社名", "--address-column", "住所"];
    let (code, out, errors) = run(&[&columns, arguments].concat());
    assert_eq!(code, Some(0), "{errors}");
    (out, errors)
}

#[test]
fn rows_get_the_number_of_the_issuer_on_a_day() {
    let table = "会社名,住所\n一般社団法人日本台帳協会,東京都千代田区\n台帳町,岩手県葛巻町\nどこにもない商店,\n";
    for (date, registered) in [
        ("2026-10-01", [",T2010005999901,yes", ",T4000020999901,yes", ",,"]),
        ("2026-09-30", [",,no", ",T4000020999901,yes", ",,"]),
    ] {
        let (_folder, input) = file("customers.csv", table.as_bytes());
        let columns = [path(&input), "--name-column", "会社名", "--address-column", "住所"];
        let options = ["--add", "address,invoice", "--date", date];
        let (code, out, errors) = run(&[&columns[..], &options].concat());
        assert_eq!(code, Some(0), "{errors}");
        let mut lines = out.lines();
        let added = "registered_name,registered_address,invoice_number,invoice_registered";
        assert!(lines.next().is_some_and(|head| head.ends_with(added)), "{out}");
        for (line, expected) in lines.by_ref().zip(registered) {
            assert!(line.ends_with(expected), "{date}: {line} ends with {expected}");
        }
        assert_eq!(lines.next(), None);
        assert!(out.contains(",一般社団法人日本台帳協会,東京都千代田区"), "{out}");
    }
}

#[test]
fn json_lines_have_the_members_of_the_api() {
    let (out, errors) = matched(&["--json", "--add", "status"]);
    let lines: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert_eq!(lines[0]["input"], json!({"会社名": "㈱台帳", "住所": "東京都千代田区大手町"}));
    assert_eq!(lines[0]["corporate_number"], "6010001999901");
    assert_eq!(lines[0]["candidates"][0]["corporate_number"], "6010001999901");
    assert_eq!(lines[0]["status"], "open");
    assert_eq!(lines[2]["match_level"], "none");
    assert_eq!(lines[2]["candidates"], json!([]));
    assert_eq!(lines[2]["status"], Value::Null);
    assert!(errors.contains("1 row above the header"), "{errors}");
}

#[test]
fn rows_for_a_person_are_listed_with_their_candidates() {
    let folder = tempfile::tempdir().expect("a folder");
    let review = folder.path().join("a.json");
    let (_, errors) = matched(&["--review", path(&review)]);
    assert!(errors.contains("review"), "{errors}");
    let rows: Value = serde_json::from_slice(&fs::read(&review).expect("written")).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    let row = &rows[0];
    assert_eq!((&row["row"], &row["name"]), (&json!(4), &json!("台帳")));
    assert_eq!((&row["address"], &row["postal_code"]), (&Value::Null, &Value::Null));
    assert!(row["reasons"][0].as_str().is_some_and(|it| it.contains("name equal")), "{row}");
    let candidates = row["candidates"].as_array().expect("a list");
    assert!((2..=5).contains(&candidates.len()), "{row}");
    for member in ["corporate_number", "name", "address", "match_score", "match_reason"] {
        assert!(candidates[0][member].is_string(), "{member}: {row}");
    }
    let review = folder.path().join("a.csv");
    matched(&["--review", path(&review)]);
    let csv = fs::read_to_string(&review).expect("written");
    let head = "\u{feff}row,name,address,postal_code,reasons,candidate_1,";
    assert!(csv.starts_with(head) && csv.contains("\r\n4,台帳,,,"), "{csv}");
    let number = candidates[0]["corporate_number"].as_str().expect("a number");
    assert!(csv.contains(number), "{csv}");
}

#[test]
fn workbooks_and_parquet_files_have_the_added_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let [workbook, parquet] = ["a.xlsx", "a.parquet"].map(|name| folder.path().join(name));
    for output in [&workbook, &parquet] {
        let (out, _) = matched(&["--output", path(output)]);
        assert_eq!(out, "");
    }
    let cells = workbooks::cells(&workbook);
    assert_eq!(cells[1][2..4], ["match_level", "corporate_number"]);
    assert_eq!(cells[2][3], "6010001999901");
    let (names, groups) = parquets::read(&parquet);
    assert_eq!(names[2..4], ["match_level", "corporate_number"]);
    assert_eq!(groups[0][0][3].as_deref(), Some("6010001999901"));
    // A workbook is read as well.
    let columns = ["--name-column", "会社名", "--prefix", "again_"];
    let (code, out, errors) = run(&[&[path(&workbook)][..], &columns].concat());
    assert_eq!(code, Some(0), "{errors}");
    assert!(out.contains("again_match_level") && out.contains("6010001999901"), "{out}");
}

#[test]
fn wrong_arguments_are_refused() {
    let (_folder, input) = file("customers.csv", "会社名\n㈱台帳\n".as_bytes());
    for (arguments, code, message) in [
        (&["--name-column", "名称"][..], 1, "名称"),
        (&[][..], 2, "--name-column"),
        (&["--name-column", "1", "--add", "phone"], 2, "address, status, invoice"),
        (&["--name-column", "1", "--date", "2026-08-01"], 2, "--add invoice"),
        (&["--name-column", "1", "--output", "x.ods"], 2, ".ods"),
        (&["--name-column", "1", "--add", "status,status"], 2, "--add has status twice"),
        (&["--name-column", "1", "--output", "x.xlsx", "--json"], 2, "leave out --json"),
        (&["--name-column", "1", "--json", "--output-encoding", "euc-jp"], 2, "--json is UTF-8"),
        (&["--name-column", "1", "--review", "x.ods"], 2, "--review: expected a name ending"),
        (&["--name-column", "1", "--review", path(&input)], 2, "another file than the input"),
    ] {
        let (found, _, errors) = run(&[&[path(&input)], arguments].concat());
        assert_eq!(found, Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
}
