//! `daicho build corporate`: the sample, invalid files made from it, and the tax agency's real files if they
//! are present.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use daicho::dataset::corporate::CorporateData;
use daicho::dataset::corporate::record::CorporateView;
use daicho::snapshot::Dataset;
use daicho::text::codes::CorporateNumber;

use super::{daicho, refuses, sample_file, succeeds, text};
use crate::shared_data;

fn open(out: &Path, version: &str) -> CorporateData {
    let path = out.join("corporate").join(format!("{version}.daicho"));
    let file = CorporateData::open_in_catalog(&path);
    CorporateData::from_file(file.expect("a snapshot that was built"))
}

fn bytes(out: &Path, version: &str) -> Vec<u8> {
    fs::read(out.join("corporate").join(format!("{version}.daicho"))).expect("built")
}

fn full() -> PathBuf {
    sample_file("2026-07-31/00_zenkoku_all_20260731.csv")
}

fn difference() -> PathBuf {
    sample_file("2026-08-03/diff_20260803.csv")
}

/// Runs a build, which must succeed, and returns its output.
#[track_caller]
fn build(version: &str, arguments: &[&str], out: &Path) -> Output {
    let fixed = ["build", "corporate", "--version", version, "--out", text(out)];
    let output = daicho(&[&fixed, arguments].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    output
}

#[track_caller]
fn refused(version: &str, arguments: &[&str], out: &Path, code: i32) -> String {
    let fixed = ["build", "corporate", "--version", version, "--out", text(out)];
    refuses(&[&fixed, arguments].concat(), code)
}

fn name(data: &CorporateData, number: &str) -> Option<String> {
    let number = CorporateNumber::parse(number).expect("thirteen digits");
    let found = data.lookup(number).expect("sound");
    found.map(|view| view.name().to_string())
}

#[test]
fn differences_on_a_base_give_the_bytes_of_a_full_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let [base, applied, whole] = ["base", "applied", "whole"].map(|name| folder.path().join(name));
    let (full, difference) = (full(), difference());
    build("2026-07-31", &["--full", text(&full)], &base);
    let snapshot = base.join("corporate/2026-07-31.daicho");
    build("2026-08-03", &["--base", text(&snapshot), "--diff", text(&difference)], &applied);
    build("2026-08-03", &["--diff", text(&difference), "--full", text(&full)], &whole);
    assert!(bytes(&applied, "2026-08-03") == bytes(&whole, "2026-08-03"));
    let list =
        fs::read_to_string(applied.join("corporate/changes/2026-08-03.txt")).expect("a list");
    let expected = "5010001999902\n5010001999910\n5010002999901\n5430001999901\n\
                    6010001999901\n8010001999908\n";
    assert_eq!(list, expected);
    let (before, after) = (open(&base, "2026-07-31"), open(&applied, "2026-08-03"));
    assert_eq!(name(&before, "8010001999908").as_deref(), Some("株式会社台帳抹消"));
    assert_eq!(name(&after, "8010001999908"), None, "withdrawn");
    assert_eq!(name(&after, "5010001999902").as_deref(), Some("台帳物産株式会社"));
    assert_eq!(name(&after, "5010001999910").as_deref(), Some("株式会社新台帳"));
    let moved = CorporateNumber::parse("5430001999901").expect("thirteen digits");
    let place = |data: &CorporateData| {
        let view = data.lookup(moved).expect("sound").expect("known");
        (view.place().jisx0402(), view.sequence_number())
    };
    assert_eq!((place(&before), place(&after)), ((Some(1_101), 16), (Some(13_103), 17)));
    let printed = succeeds(&["snapshot", "inspect", text(&snapshot)]);
    assert!(printed.contains("corporations: 23"), "{printed}");
    assert!(succeeds(&["snapshot", "verify", text(&snapshot)]).contains("sound"));
}

#[test]
fn inconsistent_arguments_and_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let (full, difference) = (full(), difference());
    let (full, difference) = (text(&full), text(&difference));
    build("2026-08-03", &["--full", full, "--diff", difference], &out);
    let later = out.join("corporate/2026-08-03.daicho");
    let old = folder.path().join("diff_20260731.csv");
    let older = fs::read_to_string(sample_file("2026-08-03/diff_20260803.csv")).expect("text");
    fs::write(&old, older.replace("2026-08-03", "2026-07-31")).expect("written");
    let on_later = ["--base", text(&later), "--diff", text(&old)];
    let message = refused("2026-08-04", &on_later, &out, 1);
    assert!(
        message.contains("of 2026-08-03 or later") && message.contains("2026-07-31"),
        "{message}"
    );
    let message = refused("2026-07-31", &["--full", full, "--diff", difference], &out, 1);
    assert!(message.contains("a publication date no later than version 2026-07-31"), "{message}");
    let message = refused("2026-07-31", &["--base", text(&later)], &out, 1);
    assert!(message.contains("expected a base of 2026-07-31 or before"), "{message}");
    let message = refused("2026-08-03", &["--full", difference], &out, 1);
    assert!(message.contains("(--diff)"), "{message}");
    let message = refused("2026-08-03", &["--full", full, "--diff", full], &out, 1);
    assert!(message.contains("(--full)"), "{message}");
    let message = refused("2026-08-03", &["--full", full, "--prefecture", "47"], &out, 1);
    assert!(message.contains("expected corporations, found none"), "{message}");
    let message = refused("2026-08-03", &["--base", full], &out, 3);
    assert!(message.contains("not a daicho snapshot"), "{message}");
    for (arguments, expected) in [
        (vec!["--diff", difference], "--full"),
        (vec!["--full", full, "--base", text(&later)], "cannot be used with"),
        (vec!["--full", full, "--prefecture", "48"], "01 to 47"),
    ] {
        let message = refused("2026-08-03", &arguments, &out, 2);
        assert!(message.contains(expected), "{message}");
    }
    let before = bytes(&out, "2026-08-03");
    let rows = fs::read(sample_file("2026-07-31/00_zenkoku_all_20260731.csv")).expect("read");
    let mut broken = rows.clone();
    broken[10] ^= 1;
    let path = folder.path().join("31_tottori_all_20260731.csv");
    fs::write(&path, broken).expect("written");
    let message = refused("2026-08-03", &["--full", text(&path)], &out, 1);
    assert!(message.contains("of which the first is their check digit"), "{message}");
    assert!(bytes(&out, "2026-08-03") == before, "the old snapshot is kept");
    let tolerated = ["--full", text(&path), "--rejects-max", "0.1"];
    let printed = String::from_utf8(build("2026-08-03", &tolerated, &out).stdout).expect("text");
    assert!(printed.contains("22 corporations"), "{printed}");
}

/// The sample's lines in UTF-8, each passed through `change` with its number, from 1.
fn changed(change: impl Fn(usize, &str) -> String) -> String {
    let bytes = fs::read(full()).expect("a file of the sample");
    let (lines, _, lossy) = encoding_rs::SHIFT_JIS.decode(&bytes);
    assert!(!lossy, "the sample's full file is in Shift_JIS");
    lines.lines().enumerate().map(|(at, line)| change(at + 1, line) + "\n").collect()
}

/// The line with a value inserted before the third column.
fn shifted(line: &str) -> String {
    let comma = line.match_indices(',').nth(1).expect("thirty columns").0;
    format!("{},{}", &line[..comma], &line[comma..])
}

#[test]
fn a_damaged_file_is_refused_with_the_fault_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, out) =
        (folder.path().join("00_zenkoku_all_20260731.csv"), folder.path().join("out"));
    let same = changed(|_, line| line.to_owned());
    let first_twice = changed(|at, line| match at {
        2 => line.replacen("2,", "1,", 1),
        _ => line.to_owned(),
    });
    let backwards: String = same.lines().rev().map(|line| format!("{line}\n")).collect();
    let narrow = changed(|at, line| match at {
        3..23 => line.rsplitn(3, ',').last().expect("columns").to_owned(),
        _ => line.to_owned(),
    });
    let utf_16 = same.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16 = [vec![0xff, 0xfe], utf_16].concat();
    let euc = encoding_rs::EUC_JP.encode(&same).0.into_owned();
    let jis = encoding_rs::ISO_2022_JP.encode(&same).0.into_owned();
    let mixed = {
        let (front, behind) = same.split_at(same.find("\n17,").expect("17 lines") + 1);
        [front.as_bytes(), &encoding_rs::SHIFT_JIS.encode(behind).0].concat()
    };
    let cut =
        same.strip_suffix(",0\n").expect("thirty columns").rsplit_once(',').expect("columns").0;
    for (what, bytes, expected) in [
        ("a column more", changed(|_, line| shifted(line)).into_bytes(), "31 columns"),
        (
            "columns shifted by one",
            changed(|_, line| {
                let line = shifted(line);
                line[..line.rfind(',').expect("columns")].to_owned()
            })
            .into_bytes(),
            "column 3: expected a process",
        ),
        ("a sequence number twice", first_twice.into_bytes(), "a sequence number above 1"),
        ("backwards", backwards.into_bytes(), "a sequence number above 23"),
        ("fewer columns in most lines", narrow.into_bytes(), "expected 30 columns"),
        ("UTF-16", utf_16, "UTF-16"),
        ("EUC-JP", euc, "neither"),
        ("ISO-2022-JP", jis, "ISO-2022-JP"),
        ("half in another encoding", mixed, "expected text in UTF-8"),
        ("cut within a line", cut.as_bytes().to_vec(), "cut short"),
        ("cut within the first line", same.as_bytes()[..20].to_vec(), "columns"),
        ("no line", Vec::new(), "empty"),
        ("a page of a site", b"<!DOCTYPE html><html></html>\n".to_vec(), "columns"),
        ("zeros", vec![0; 4_096], "zero bytes"),
    ] {
        fs::write(&path, bytes).expect("written");
        let message = refused("2026-08-03", &["--full", text(&path)], &out, 1);
        assert!(message.contains(expected), "{what}: {message}");
        assert!(message.contains("00_zenkoku_all_20260731.csv"), "{what}: {message}");
        let snapshot = out.join("corporate/2026-08-03.daicho");
        assert!(!snapshot.exists(), "{what}: no snapshot is written");
    }
    fs::write(&path, same).expect("written");
    build("2026-08-03", &["--full", text(&path)], &out);
}

#[test]
fn missing_days_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let later = fs::read_to_string(difference()).expect("text").replace("2026-08-03", "2026-08-13");
    let path = folder.path().join("diff_20260813.csv");
    fs::write(&path, later).expect("written");
    let (full, difference) = (full(), difference());
    let arguments = ["--full", text(&full), "--diff", text(&path), text(&difference)];
    let output = build("2026-08-13", &arguments, &folder.path().join("out"));
    let warned = String::from_utf8(output.stderr).expect("text");
    let expected = "the differences of these working days are missing: 2026-08-04, 2026-08-05, \
                    2026-08-06, 2026-08-07, 2026-08-10, 2026-08-12\n";
    assert!(warned.contains(expected), "{warned}");
}

/// The folder of the real files.
fn real() -> PathBuf {
    shared_data::official("corporate")
}

/// The real difference files of a month of 2026, in the order of their days.
fn month(folder: &Path, month: u8) -> Vec<String> {
    let mut found = Vec::new();
    for day in 1..=31 {
        let name = format!("2026-{month:02}-{day:02}/diff_2026{month:02}{day:02}.csv.zst");
        let path = folder.join(name);
        if path.exists() {
            found.push(text(&path).to_owned());
        }
    }
    found
}

#[needs::official_data]
#[test]
fn a_month_of_real_differences_gives_the_state_of_the_full_file() {
    let folder = real();
    let out = tempfile::tempdir().expect("a folder");
    let [base, applied, whole, mixed] =
        ["base", "applied", "whole", "mixed"].map(|name| out.path().join(name));
    let july = folder.join("2026-07-31/31_tottori_all_20260731.csv.zst");
    let derived = folder.join("derived/31_tottori_all_20260821.csv.zst");
    let differences = month(&folder, 8);
    let differences: Vec<&str> = differences.iter().map(String::as_str).collect();
    assert_eq!(differences.len(), 14);
    build("2026-07-31", &["--full", text(&july)], &base);
    let snapshot = base.join("corporate/2026-07-31.daicho");
    let from_base = [&["--base", text(&snapshot), "--diff"], &differences[..]].concat();
    let output = build("2026-08-21", &from_base, &applied);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no day is missing");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("20232 corporations"), "{printed}");
    assert!(printed.contains("in other prefectures; "), "{printed}");
    build("2026-08-21", &["--full", text(&derived)], &whole);
    let mut backwards = differences.clone();
    backwards.reverse();
    let at_once =
        [&["--prefecture", "31", "--full", text(&july), "--diff"], &backwards[..]].concat();
    build("2026-08-21", &at_once, &mixed);
    assert!(bytes(&applied, "2026-08-21") == bytes(&mixed, "2026-08-21"), "in any order");
    for folder in [&whole, &applied] {
        every_column_is_there(&open(folder, "2026-08-21"), &derived);
    }
    // The publication date is the date of the file that an entry came from, so it depends on the files
    // given and differs between the two builds.
    let published = |folder: &Path| -> BTreeMap<u32, usize> {
        let mut days = BTreeMap::new();
        let take = |view: CorporateView<'_>| {
            let (published, updated) = (view.published.date(), view.update_date());
            let expected = if updated <= 20_260_731 { 20_260_731 } else { updated };
            assert!(published == expected || published == 20_260_821, "{}", view.number());
            *days.entry(published).or_default() += 1;
        };
        open(folder, "2026-08-21").for_each(take).expect("sound");
        days
    };
    assert_eq!(published(&whole).len(), 1, "one file");
    let days = published(&applied);
    assert!(days.len() > 10 && days[&20_260_731] > 19_000, "{days:?}");
    println!(
        "{} differences, {} bytes equal",
        differences.len(),
        bytes(&applied, "2026-08-21").len()
    );
}

/// Asserts that every column of every row of a full file is in the record.
fn every_column_is_there(data: &CorporateData, path: &Path) {
    let file = fs::File::open(path).expect("opens");
    let packed = zstd::decode_all(file).expect("unpacks");
    let (content, _, lossy) = encoding_rs::SHIFT_JIS.decode(&packed);
    assert!(!lossy, "the file is in Shift_JIS");
    let mut rows = 0;
    for line in content.lines() {
        let found = columns(line);
        let number = CorporateNumber::parse(&found[1]).expect("thirteen digits");
        let view = data.lookup(number).expect("sound").expect("every number is found");
        let date = |date: u32| match date {
            0 => String::new(),
            date => format!("{:04}-{:02}-{:02}", date / 10_000, date / 100 % 100, date % 100),
        };
        let image = |id: Option<u32>| id.map(|id| format!("{id:08}")).unwrap_or_default();
        let place = view.place();
        let code = place.prefecture_code().map(|code| format!("{code:02}")).unwrap_or_default();
        let city = place.jisx0402().map(|code| format!("{:03}", code % 1_000));
        let expected = [
            view.sequence_number().to_string(),
            view.number().to_string(),
            format!("{:02}", view.process()),
            u8::from(view.correct()).to_string(),
            date(view.update_date()),
            date(view.change_date()),
            view.name().to_string(),
            image(view.name_image()),
            view.kind().to_string(),
            place.prefecture().to_owned(),
            place.city().to_owned(),
            view.street().to_string(),
            image(view.address_image()),
            code,
            city.unwrap_or_default(),
            view.post_code().map(|code| format!("{code:07}")).unwrap_or_default(),
            view.outside().text.to_owned(),
            image(view.outside_image()),
            date(view.close_date().unwrap_or_default()),
            view.close_cause().map(|cause| format!("{cause:02}")).unwrap_or_default(),
            view.successor().map(|number| number.to_string()).unwrap_or_default(),
            view.change_cause().text.to_owned(),
            date(view.assignment_date()),
            "1".to_owned(),
            view.en_name().text.to_owned(),
            view.en_prefecture().text.to_owned(),
            view.en_city().text.to_owned(),
            view.en_outside().text.to_owned(),
            view.furigana().to_string(),
            u8::from(view.hihyoji()).to_string(),
        ];
        assert_eq!(found, expected);
        rows += 1;
    }
    assert_eq!(rows, data.counts().expect("sound").corporations);
    println!("{rows} rows, every column of each in its record");
}

/// The columns of a line, from a parser of this test that shares no code with the builder.
fn columns(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = found.last_mut().expect("never empty");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            other => last.push(other),
        }
    }
    found
}

/// Builds from nine years of files and compares the numbers of the difference files with a map that
/// applies the same files: three prefectures and the foreign corporations of 2017 with 28 columns, the
/// first day in each encoding, and two months of 2026.
#[needs::official_data]
#[test]
fn nine_years_of_real_files_give_the_expected_state() {
    let folder = real();
    let out = tempfile::tempdir().expect("a folder");
    let zips = ["31_tottori", "32_shimane", "39_kochi", "99_kokugai"]
        .map(|name| folder.join(format!("2017-04-02/{name}_all_20170402.zip")));
    let mut days: Vec<String> = ["2021-07-14/diff_20210714", "2021-10-04/diff_20211004"]
        .map(|name| text(&folder.join(format!("{name}.csv.zst"))).to_owned())
        .into();
    days.extend(month(&folder, 7));
    days.extend(month(&folder, 8));
    assert_eq!(days.len(), 2 + 22 + 14);
    let mut arguments = vec!["--prefecture", "all", "--full"];
    arguments.extend(zips.iter().map(|path| text(path)));
    arguments.push("--diff");
    arguments.extend(days.iter().map(String::as_str));
    build("2026-08-21", &arguments, out.path());
    let data = open(out.path(), "2026-08-21");
    let expected = state(&days);
    for (number, row) in &expected {
        let number = CorporateNumber::parse(number).expect("thirteen digits");
        let view = data.lookup(number).expect("sound");
        let Some(row) = row else {
            assert!(view.is_none(), "{number} was withdrawn");
            continue;
        };
        let view = view.unwrap_or_else(|| panic!("{number} is lost"));
        let found =
            [view.name().to_string(), view.street().to_string(), view.outside().text.to_owned()];
        assert_eq!(found, [row[6].as_str(), &row[11], &row[16]], "{number}");
        assert_eq!(view.furigana().to_string(), row[28], "{number}");
        assert_eq!(view.place().city(), row[10], "{number}");
    }
    let counts = data.counts().expect("sound");
    println!("{counts:?}; {} numbers of the differences agree", expected.len());
    assert!(expected.len() > 70_000 && counts.corporations > expected.len());
}

/// The last entry of each number in files in the order of their days; `None` if the number was withdrawn.
fn state(days: &[String]) -> BTreeMap<String, Option<Vec<String>>> {
    let mut state = BTreeMap::new();
    for path in days {
        let bytes = zstd::decode_all(fs::File::open(path).expect("opens")).expect("unpacks");
        let content = match String::from_utf8(bytes) {
            Ok(content) => content,
            Err(error) => encoding_rs::SHIFT_JIS.decode(error.as_bytes()).0.into_owned(),
        };
        for row in content.lines().map(columns) {
            if row[2] == "99" {
                state.insert(row[1].clone(), None);
            } else if row[23] == "1" {
                state.insert(row[1].clone(), Some(row));
            }
        }
    }
    state
}
