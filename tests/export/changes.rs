//! `--changes` of each dataset. The expected rows come from a comparison of the whole exports of two versions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use daicho::dataset::postal::PostalData;
use daicho::snapshot::Dataset;
use serde_json::Value;

use super::table::{Table, json_lines};
use super::{exported, exports, place, refuses, sample, text};

type Row = BTreeMap<String, Value>;

fn rows(dataset: &str, options: &[&str]) -> Vec<Row> {
    let Table { names, rows } = json_lines(&exported(dataset, "jsonl", options));
    rows.into_iter().map(|row| names.iter().cloned().zip(row).collect()).collect()
}

/// Rows by key. Rows with the same key are numbered in their order.
fn by_key(rows: Vec<Row>, key: &[&str]) -> BTreeMap<String, Row> {
    let mut found = BTreeMap::new();
    for row in rows {
        let key: Vec<String> = key.iter().map(|name| row[*name].to_string()).collect();
        let place = |place: &usize| !found.contains_key(&format!("{key:?} {place}"));
        let place = (0..).find(place).expect("some number is free");
        found.insert(format!("{key:?} {place}"), row);
    }
    found
}

fn counts(changes: &[Row]) -> [usize; 3] {
    let count = |kind: &str| changes.iter().filter(|row| row["change"] == kind).count();
    ["added", "changed", "abolished"].map(count)
}

/// Compares the changes of the newest version since `before` with those found here, and returns how many are `added`,
/// `changed` and `abolished`. A row that differs only in the `ignored` columns did not change; a row for which
/// `has_ended` became true is abolished.
fn check(
    (dataset, folder, before): (&str, &Path, &str),
    key: &[&str],
    ignored: &[&str],
    has_ended: fn(&Row) -> bool,
) -> [usize; 3] {
    let folder = ["--snapshots", text(folder)];
    let old = by_key(rows(dataset, &[&folder[..], &["--version", before]].concat()), key);
    let new = by_key(rows(dataset, &folder), key);
    let mut expected = Vec::new();
    let mut expect = |change: &str, row: &Row| {
        let mut row = row.clone();
        row.insert("change".to_owned(), change.into());
        expected.push(row);
    };
    let still = |row: &Row| -> Row {
        let kept = row.iter().filter(|(name, _)| !ignored.contains(&name.as_str()));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    for (key, row) in &new {
        match old.get(key) {
            None => expect("added", row),
            Some(old) if still(old) == still(row) => {}
            Some(old) if has_ended(row) && !has_ended(old) => expect("abolished", row),
            Some(_) => expect("changed", row),
        }
    }
    old.iter()
        .filter(|(key, _)| !new.contains_key(*key))
        .for_each(|(_, row)| expect("abolished", row));
    let found = rows(dataset, &[&folder[..], &["--changes"]].concat());
    assert_eq!(found.len(), expected.len(), "{dataset}");
    for row in &expected {
        assert!(found.contains(row), "{dataset}: {row:?}");
    }
    counts(&found)
}

#[test]
fn changes_of_banks_are_additions_and_abolitions() {
    let key = ["bank_code", "branch_code"];
    let counts = check(("bank", sample(), "2025-06-10"), &key, &[], |_| false);
    assert!(counts[0] > 0 && counts[2] > 0, "{counts:?}");
    // With the two versions exchanged, additions become abolitions and the reverse.
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("bank")).expect("made");
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample/2025-06-10");
    let newer = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample/2026-05-25");
    for (version, source) in [("2025-06-10", newer.join("ginkositen1.txt")), ("2026-05-25", list)] {
        let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "bank", "--version", version, "--source", text(&source)])
            .args(["--out", text(folder.path()), "--force"])
            .output()
            .expect("the program runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
    let back = check(("bank", folder.path(), "2025-06-10"), &key, &[], |_| false);
    assert_eq!(back, [counts[2], counts[1], counts[0]]);
}

#[test]
fn changes_of_corporations_include_closures() {
    let ignored = ["published_date", "sequence_number", "qualified_invoice_issuer_number"];
    let is_closed = |row: &Row| !row["close_date"].is_null();
    let of = ("corporate", sample(), "2026-07-31");
    let counts = check(of, &["corporate_number"], &ignored, is_closed);
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn changes_of_issuers_are_those_between_whole_exports() {
    let has_ended = |row: &Row| [3, 4, 99].contains(&row["process"].as_i64().expect("a number"));
    let key = ["qualified_invoice_issuer_number"];
    let of = ("invoice", sample(), "2026-07-31");
    let counts = check(of, &key, &["published_date", "sequence_number"], has_ended);
    assert!(counts.iter().sum::<usize>() > 2, "{counts:?}");
}

#[test]
fn changes_of_schools_are_additions_and_new_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample/2026-08-25");
    let build = |version: &str, source: &Path| {
        let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["build", "school", "--version", version, "--source", text(source)])
            .args(["--out", text(folder.path()), "--force"])
            .output()
            .expect("the program runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    };
    let other = folder.path().join("lists");
    fs::create_dir(&other).expect("made");
    for entry in fs::read_dir(&sample).expect("the sample") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a list");
        let name = path.file_name().expect("a name");
        let Ok(list) = String::from_utf8(bytes.clone()) else {
            fs::write(other.join(name), bytes).expect("written");
            continue;
        };
        // The earlier version lacks the last school, and one school has another name.
        let lines: Vec<&str> = list.lines().collect();
        let list = lines[..lines.len() - 1].join("\r\n") + "\r\n";
        fs::write(other.join(name), list.replacen("台帳", "見本", 1)).expect("written");
    }
    build("2026-08-25", &other);
    build("2026-09-25", &sample);
    let has_ended = |row: &Row| !row["abolished_date"].is_null();
    let counts = check(("school", folder.path(), "2026-08-25"), &["code"], &[], has_ended);
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}

#[test]
fn postal_changes_are_those_in_the_update_status() {
    let changes = rows("postal", &["--changes"]);
    for row in &changes {
        let expected = if row["update_status"] == 2 { "abolished" } else { "added" };
        assert_eq!(row["change"], expected, "{row:?}");
    }
    let [added, changed, abolished] = counts(&changes);
    let path = sample().join("postal/2026-06-30.daicho");
    let file = PostalData::open_in_catalog(&path).expect("a snapshot");
    let recorded = PostalData::from_file(file).counts().expect("sound");
    assert_eq!((added, changed, abolished), (recorded.changed, 0, recorded.abolished));
    assert!(added > 5 && abolished > 2, "{added} and {abolished}");
    let all = rows("postal", &[]);
    let is_there = |row: &&Row| {
        let mut row = (*row).clone();
        row.remove("change");
        all.contains(&row)
    };
    assert_eq!(changes.iter().filter(is_there).count(), added);
}

#[test]
fn the_column_change_comes_before_the_requested_columns() {
    let csv = exported("bank", "csv", &["--changes", "--columns", "branch_name,bank_code"]);
    assert!(csv.starts_with("change,branch_name,bank_code\r\nadded,"), "{csv}");
    let (folder, out) = place("a.sqlite");
    let (_, summary) = exports(&["corporate", "--changes", "--output", text(&out)]);
    assert!(summary.contains(" changes of corporate 2026-08-03 since 2026-07-31 in "), "{summary}");
    let database = rusqlite::Connection::open(&out).expect("a database");
    let kinds = "SELECT count(DISTINCT change) FROM corporate";
    let kinds: i64 = database.query_row(kinds, [], |row| row.get(0)).expect("a number");
    assert_eq!(kinds, 3);
    exports(&["postal", "--changes", "--output", text(&folder.path().join("a.parquet"))]);
}

#[test]
fn changes_without_an_earlier_version_or_with_a_query_are_refused() {
    let (folder, out) = place("a.csv");
    let out = text(&out);
    let message = refuses(&["school", "--changes", "--output", out], 1);
    assert!(message.contains("expected an earlier version of school than 2026-08-25"), "{message}");
    let first = ["corporate", "--changes", "--output", out, "--version", "2026-07-31"];
    assert!(refuses(&first, 1).contains("than 2026-07-31 in the folder"));
    let message = refuses(&["postal", "--changes", "--where", "town:x", "--output", out], 2);
    assert!(message.contains("cannot be used with"), "{message}");
    let message = refuses(&["bank", "--changes", "--columns", "change", "--output", out], 2);
    assert!(message.contains("expected columns of bank"), "{message}");
    assert_eq!(super::names(folder.path()), Vec::<String>::new());
}
