//! The doubts in the summary, and `--review FILE`: the rows that need a person.

use std::fs;

use calamine::{Data, Reader, Xlsx, open_workbook};

use super::{CHIYODA, normalize, path, refuses};

const TABLE: &str = "一覧\n番号,郵便番号,住所\n1,1000001,東京都千代田区千代田1-1\n2,,どこか\n3,1020083,東京都千代田区千代田1-1\n\
                     4,,\n5,,東京都千代田区\n\n6,,\"東京都千代田区\n千代田1-1\"\n7,,東京都\n";

fn reviewed(name: &str) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let review = folder.path().join(name);
    let arguments = ["-c", "住所", "--postal-code-column", "郵便番号", "--review", path(&review)];
    let (out, summary) = normalize(&arguments, TABLE.as_bytes());
    assert_eq!(String::from_utf8(out).expect("UTF-8").lines().count(), 11);
    (fs::read(&review).expect("it was written"), summary)
}

#[test]
fn rows_that_need_a_person_are_listed() {
    let (bytes, summary) = reviewed("a.json");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&bytes).expect("a list");
    // Numbers as in a spreadsheet: the title and the header count, and so does the empty line.
    let numbers: Vec<u64> = rows.iter().map(|row| row["row"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, [4, 5, 7, 10], "{rows:?}");
    assert_eq!(rows[0]["address"], "どこか");
    assert_eq!(rows[0]["reasons"], serde_json::json!(["no postal code", "nothing was recognised"]));
    assert_eq!(rows[1]["match"], "full");
    assert_eq!(rows[1]["postal_code"], "1000001");
    assert_eq!(rows[1]["found"], "東京都千代田区千代田1-1");
    assert_eq!(rows[1]["reasons"], serde_json::json!(["the postal code 1020083 is another one"]));
    let candidates = rows[1]["candidates"].as_array().expect("a list");
    assert!((2..=5).contains(&candidates.len()), "{candidates:?}");
    let first = serde_json::json!({"postal_code": "1000001", "place": "東京都千代田区千代田"});
    assert_eq!(candidates[0], first);
    let given = candidates.last().expect("one");
    assert_eq!(given["postal_code"], "1020083", "{given}");
    assert!(
        rows[2]["reasons"][1].as_str().expect("text").contains("municipality"),
        "{:?}",
        rows[2]
    );
    assert!(summary.contains("to review") && !summary.contains("--review FILE"), "{summary}");
    let (bytes, _) = reviewed("a.jsonl");
    let lines = String::from_utf8(bytes).expect("UTF-8");
    let again: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(again, rows);
}

#[test]
fn the_list_is_written_in_every_format() {
    let (bytes, _) = reviewed("a.csv");
    let csv = String::from_utf8(bytes).expect("UTF-8");
    let header = "\u{feff}row,address,match,postal_code,found,reasons,candidate_1,candidate_2,candidate_3,\
                  candidate_4,candidate_5\r\n";
    assert!(csv.starts_with(&format!("{header}4,どこか,none,,,no postal code; nothing")), "{csv}");
    assert!(csv.contains(",1000001 東京都千代田区千代田,"), "{csv}");
    let (bytes, _) = reviewed("a.xlsx");
    let folder = tempfile::tempdir().expect("a folder");
    let xlsx = folder.path().join("a.xlsx");
    fs::write(&xlsx, bytes).expect("the test's own folder");
    let mut workbook: Xlsx<_> = open_workbook(&xlsx).expect("a workbook");
    let range = workbook.worksheet_range_at(0).expect("a sheet").expect("it is read");
    assert_eq!(range.height(), 5);
    assert_eq!(range.get((1, 1)), Some(&Data::String("どこか".to_owned())));
    let (bytes, _) = reviewed("a.parquet");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn a_list_without_rows_is_valid_too() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, expected) in [("a.json", "[]\n"), ("a.jsonl", "")] {
        let review = folder.path().join(name);
        let table = format!("住所\n{CHIYODA}\n");
        let (_, summary) = normalize(&["-c", "住所", "--review", path(&review)], table.as_bytes());
        assert_eq!(fs::read_to_string(&review).expect("it was written"), expected);
        assert!(!summary.contains("to review"), "{summary}");
    }
}

#[test]
fn the_summary_counts_doubts() {
    let (_, summary) = normalize(&["-c", "住所"], TABLE.as_bytes());
    let count = |name: &str| {
        let line = summary.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {summary}"));
        line.trim_start()[name.len()..].split_whitespace().next().expect("a number").to_owned()
    };
    assert_eq!(count("to review"), "3");
    assert!(summary.contains("--review FILE lists them"), "{summary}");
}

#[test]
fn unusable_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = folder.path().join("a.csv");
    fs::write(&csv, "before").expect("the test's own folder");
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let message = refuses(arguments, b"x\n", code);
        assert!(message.contains(expected), "{message}");
        assert_eq!(fs::read_to_string(&csv).expect("still there"), "before");
    };
    check(&["--review", "a.txt"], 2, "ending in .csv, .xlsx, .parquet, .json or .jsonl");
    check(&["--review", "a"], 2, "--review: expected a name");
    check(&["--review", path(&csv), "--output", path(&csv)], 2, "another file than --output");
    check(&[path(&csv), "--review", path(&csv)], 2, "another file than the input");
    let nowhere = folder.path().join("no/a.csv");
    check(&["--review", path(&nowhere)], 1, "cannot write");
    let long = folder.path().join("b.csv");
    // A run that fails leaves no list.
    let message = refuses(&["-c", "y", "--review", path(&long)], b"x\n", 1);
    assert!(message.contains("no column 'y'") && !long.exists(), "{message}");
}
