//! `daicho build school`, and the commands `lookup` and `snapshot` on the snapshot that it writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use daicho::dataset::school::SchoolData;
use daicho::snapshot::Dataset;
use serde_json::{Value, json};

use super::{daicho, refuses, sample_file, succeeds, text};
use crate::shared_data::official;

const UNIVERSITY: &str = "F108110009907";

fn lists() -> [PathBuf; 2] {
    ["2-1", "6"]
        .map(|part| sample_file(&format!("2026-08-25/20260825-mxt_chousa01-000011635_{part}.csv")))
}

#[track_caller]
fn build(folder: &Path, arguments: &[&str]) -> String {
    let fixed = ["build", "school", "--version", "2026-08-25", "--out", text(folder)];
    succeeds(&[&fixed[..], arguments].concat())
}

#[track_caller]
fn lookup(folder: &Path, code: &str) -> Value {
    let arguments = ["lookup", "school", code, "--json", "--snapshots", text(folder)];
    serde_json::from_str(&succeeds(&arguments)).expect("JSON")
}

#[test]
fn lists_in_any_order_or_as_a_folder_give_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [east, universities] = lists();
    let mut files = Vec::new();
    for (name, sources) in [
        ("one", vec![text(&east), text(&universities)]),
        ("other", vec![text(&universities), text(&east)]),
        ("folder", vec![text(east.parent().expect("a folder"))]),
    ] {
        let out = folder.path().join(name);
        let printed = build(&out, &[&["--source"][..], &sources].concat());
        let expected = "11 schools, 2 of them closed, 11 without municipality";
        assert!(printed.contains(expected), "{printed}");
        files.push(fs::read(out.join("school/2026-08-25.daicho")).expect("built"));
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "same sources, same bytes");
}

#[test]
fn schools_are_looked_up_inspected_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let [east, universities] = lists();
    build(folder, &["--source", text(&east), text(&universities)]);
    let university = lookup(folder, "ｆ108110009907");
    assert_eq!(university["data"]["code"], UNIVERSITY);
    let address = &university["data"]["addresses"][0];
    assert_eq!(
        [&address["prefecture"], &address["city"], &address["street_number"], &address["town"]],
        [&json!("茨城県"), &json!(""), &json!("つくば市吾妻1-1-1"), &json!("")],
        "without postal data only the prefecture is split off"
    );
    let shown = succeeds(&["lookup", "school", "C113210009905", "--snapshots", text(folder)]);
    for line in ["中学校, 公立, 廃校", "abolished 2025-04-01", "now C213210009913"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let unknown = ["lookup", "school", "F108110009908", "--snapshots", text(folder)];
    assert!(refuses(&unknown, 1).contains("no school F108110009908 in version 2026-08-25"));
    let malformed = ["lookup", "school", "F10811000990", "--snapshots", text(folder)];
    assert!(refuses(&malformed, 1).contains("a school code is a letter and 12 digits"));
    let described = succeeds(&["snapshot", "inspect", "--snapshots", text(folder)]);
    for line in ["schools: 11", "closed: 2", "wrong_check_digits: 1", "not normalised"] {
        assert!(described.contains(line), "{line}: {described}");
    }
    assert!(succeeds(&["snapshot", "verify", "--snapshots", text(folder)]).contains("sound"));
}

#[test]
fn wrong_lists_are_refused_and_wrong_check_digits_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(folder.path());
    let [east, universities] = lists();
    let fixed = ["build", "school", "--version", "2026-08-25", "--out", out, "--source"];
    let output = daicho(&[&fixed[..], &[text(&east), text(&universities)]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("1 with a wrong check digit, kept as published: `E113210009901`"));
    let twice = refuses(&[&fixed[..], &[text(&east), text(&east)]].concat(), 1);
    assert!(twice.contains("no readable row; the first fault is"), "{twice}");
    assert!(twice.contains("expected a code that no earlier row has"), "{twice}");
    let other = sample_file("2026-06-30/JIGYOSYO.CSV");
    let refused = refuses(&[&fixed[..], &[text(&other)]].concat(), 1);
    assert!(refused.contains("no header that begins with 学校コード"), "{refused}");
    let missing = refuses(&[&fixed[..], &["nowhere.csv"]].concat(), 1);
    assert!(missing.contains("nowhere.csv"), "{missing}");
    assert!(!folder.path().join("school/2026-08-25.daicho").exists() || output.status.success());
}

/// Every row of the official lists is found, and the schools per type and prefecture are as many as in the
/// files.
#[needs::official_data]
#[test]
fn every_row_of_the_official_lists_is_found() {
    let shared = official("school-code");
    let files: Vec<PathBuf> = fs::read_dir(&shared)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "csv"))
        .collect();
    // If the whole lists are present, skip the sample, whose rows they contain.
    let whole: Vec<&PathBuf> = files.iter().filter(|path| !path.ends_with("sample.csv")).collect();
    let chosen = if whole.is_empty() { files.iter().collect() } else { whole };
    let folder = tempfile::tempdir().expect("a folder");
    let sources: Vec<&str> = chosen.iter().map(|path| text(path)).collect();
    build(folder.path(), &[&["--source"][..], &sources, &["--rejects-max", "0"]].concat());
    let path = folder.path().join("school/2026-08-25.daicho");
    let file = SchoolData::open_in_catalog(&path).expect("just built");
    let data = SchoolData::from_file(file);
    let mut expected: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut rows = 0;
    for path in chosen {
        let bytes = fs::read(path).expect("a list");
        let content = match String::from_utf8(bytes) {
            Ok(content) => content,
            Err(error) => encoding_rs::SHIFT_JIS.decode(error.as_bytes()).0.into_owned(),
        };
        for line in content.lines() {
            let columns: Vec<&str> = line.trim_end_matches('\r').split(',').collect();
            let [code, school_type, prefecture, ..] = columns.as_slice() else { continue };
            if code.len() != 13 || !code[1..].bytes().all(|digit| digit.is_ascii_digit()) {
                continue;
            }
            rows += 1;
            let key = (school_type[..2].to_owned(), prefecture[..2].to_owned());
            *expected.entry(key).or_default() += 1;
            let parsed = daicho::text::codes::SchoolCode::parse(code).expect("a code");
            let view = data.lookup(parsed).expect("sound").unwrap_or_else(|| panic!("{code}"));
            assert_eq!((view.name(), view.address_raw()), (columns[5].trim(), columns[6].trim()));
        }
    }
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for view in data.schools().expect("sound") {
        let number = view.school_type();
        let letter = char::from(b'A' - 1 + number / 10);
        let key = (format!("{letter}{}", number % 10), format!("{:02}", view.prefecture()));
        *found.entry(key).or_default() += 1;
    }
    assert_eq!((found, data.counts().expect("sound").schools), (expected, rows));
    assert!(rows >= 40, "{rows}");
}

#[test]
fn names_of_closed_schools_lead_to_the_open_ones_that_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    let list = folder.path().join("list.csv");
    let mut lines = String::from(
        "学校コード,学校種,都道府県番号,設置区分,本分校,学校名,学校所在地,郵便番号,属性情報設定年月日,\
         属性情報廃止年月日,旧学校調査番号,移行後の学校コード\n",
    );
    for (code, name, next) in [
        // A chain over another closed school, of which one successor is in no list.
        ("B199210000011", "見本村立東小学校", "B199210000020 B199210009999"),
        ("B199210000020", "見本村立中央小学校", "C299210000039"),
        ("C299210000039", "見本村立学園", ""),
        // A circle.
        ("B199210000048", "見本村立西小学校", "B199210000057"),
        ("B199210000057", "見本村立南小学校", "B199210000048"),
        // Only the code changed.
        ("A199210000067", "見本村立幼稚園", "A199210000076"),
        ("A199210000076", "見本村立幼稚園", ""),
    ] {
        let branch = if next.is_empty() { "1(本)" } else { "9(廃)" };
        let kind = ["A1(幼稚園)", "B1(小学校)", "C2(義務教育)"];
        let kind = kind.into_iter().find(|kind| kind[..2] == code[..2]).expect("a type");
        lines += &format!(
            "{code},{kind},13(東京都),2(公),{branch},{name},東京都千代田区大手町１,1000004,2020-12-22,,,{next}\n"
        );
    }
    fs::write(&list, lines).expect("written");
    build(folder.path(), &["--source", text(&list)]);
    let suggested = |q: &str| {
        let path = format!("/v1/suggest/school?q={q}");
        let answer = succeeds(&["get", &path, "--snapshots", snapshots]);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let rows = answer["data"].as_array().expect("a list").iter();
        rows.map(|row| [row["name"].clone(), row["match"].clone()]).collect::<Vec<_>>()
    };
    for (q, expected) in [
        ("東小学校", json!([["見本村立学園", "former_name"], ["見本村立東小学校", "prefix"]])),
        ("西小学校", json!([["見本村立西小学校", "prefix"]])),
        ("見本村立幼稚園", json!([["見本村立幼稚園", "prefix"], ["見本村立幼稚園", "prefix"]])),
        ("学園", json!([["見本村立学園", "prefix"]])),
    ] {
        assert_eq!(json!(suggested(q)), expected, "{q}");
    }
    let former = ["--where", "former_name:小学校", "--format", "csv", "--output", "-"];
    let columns = ["--columns", "code", "--snapshots", snapshots];
    let rows = succeeds(&[&["export", "school"], &former[..], &columns].concat());
    assert_eq!(rows, "code\r\nC299210000039\r\n");
}
