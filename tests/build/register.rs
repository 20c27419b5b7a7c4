//! `daicho build invoice`, and the commands `lookup` and `snapshot` on the snapshot that it writes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{changed_copy, daicho, refuses, sample_file, succeeds, text};

/// Registered since the register's first day.
const SHOP: &str = "T6010001999901";
/// Added by the difference file.
const NEW: &str = "T5010001999910";
/// Withdrawn by the difference file.
const WITHDRAWN: &str = "T3010003999902";

fn full(letter: &str) -> PathBuf {
    let part = if letter == "j" { "" } else { "_001" };
    sample_file(&format!("2026-07-31/{letter}_all_20260731{part}.csv"))
}

fn difference() -> PathBuf {
    sample_file("2026-08-04/diff_20260804.csv")
}

/// Builds, and returns the output and the path of the snapshot.
#[track_caller]
fn build(folder: &Path, version: &str, arguments: &[&str]) -> (String, PathBuf) {
    let fixed = ["build", "invoice", "--version", version, "--out", text(folder)];
    let printed = succeeds(&[&fixed[..], arguments].concat());
    (printed, folder.join("invoice").join(format!("{version}.daicho")))
}

#[track_caller]
fn lookup(folder: &Path, number: &str, arguments: &[&str]) -> Value {
    let fixed = ["lookup", "invoice", number, "--json", "--snapshots", text(folder)];
    serde_json::from_str(&succeeds(&[&fixed[..], arguments].concat())).expect("JSON")
}

#[test]
fn a_base_and_its_differences_have_the_bytes_of_all_files_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (base, whole, applied) =
        (folder.path().join("base"), folder.path().join("whole"), folder.path().join("applied"));
    let (h, j, k, diff) = (full("h"), full("j"), full("k"), difference());
    let files = ["--full", text(&h), text(&j), text(&k), "--individuals"];
    let (printed, base) = build(&base, "2026-07-31", &files);
    assert!(printed.contains("17 numbers, 12 of them in force; 3 of individuals"), "{printed}");
    let all = [&files[..], &["--diff", text(&diff)]].concat();
    let (printed, whole) = build(&whole, "2026-08-04", &all);
    assert!(printed.contains("differences of 1 day; 4 numbers changed, 1 withdrawn"), "{printed}");
    let later = ["--base", text(&base), "--diff", text(&diff), "--individuals"];
    let (_, applied) = build(&applied, "2026-08-04", &later);
    let bytes = |path: &Path| fs::read(path).expect("built");
    assert!(bytes(&applied) == bytes(&whole), "the same state has the same bytes");
    // Withdrawn, new, changed twice, and an individual.
    let expected = format!("{WITHDRAWN}\n{NEW}\nT5430001999901\nT6810999999904\n");
    for built in [&applied, &whole] {
        assert_eq!(change_list(built), expected);
    }
}

/// The numbers that changed on the day of a snapshot, which its build writes beside it.
#[track_caller]
fn change_list(snapshot: &Path) -> String {
    let folder = snapshot.with_file_name("changes");
    fs::read_to_string(folder.join("2026-08-04.txt")).expect("a list")
}

#[test]
fn a_change_list_has_individuals_although_the_snapshot_has_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let (h, diff) = (full("h"), difference());
    let arguments = ["--full", text(&h), "--diff", text(&diff)];
    let (printed, snapshot) = build(folder.path(), "2026-08-04", &arguments);
    assert!(printed.contains("left out: 1 individual"), "{printed}");
    assert!(change_list(&snapshot).ends_with("T6810999999904\n"));
}

#[test]
fn look_ups_return_the_entries_of_the_register() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (h, j, diff) = (full("h"), full("j"), difference());
    let (printed, _) =
        build(folder, "2026-08-04", &["--full", text(&h), text(&j), "--diff", text(&diff)]);
    assert!(printed.contains("left out: 1 individual (keep them with --individuals)"), "{printed}");
    let shop = lookup(folder, SHOP, &[]);
    assert_eq!(
        (&shop["version"], &shop["data"]["name"]),
        (&json!("2026-08-04"), &json!("株式会社台帳"))
    );
    assert_eq!(shop["data"]["published_date"], "2026-07-31", "the date of the file with the entry");
    assert_eq!(lookup(folder, NEW, &[])["data"]["published_date"], "2026-08-04");
    assert_eq!(shop.get("registered_on_date"), None);
    let address = &shop["data"]["address"];
    assert_eq!((&address["prefecture"], &address["city"]), (&json!("東京都"), &json!("")));
    assert_eq!(address["prefecture_roman"], "Tokyo", "only the prefecture without postal data");
    assert_eq!(address["street_number"], "千代田区大手町１丁目２番３号台帳ビル４階");
    let registered = |number: &str, date: &str| {
        lookup(folder, number, &["--date", date])["registered_on_date"] == true
    };
    assert!(registered(SHOP, "2023-10-01") && !registered(SHOP, "2023-09-30"));
    assert!(registered("T5010002999901", "2024-03-30"), "its first registration");
    assert!(!registered("T5010002999901", "2024-06-01"), "between its registrations");
    assert!(registered("T5010002999901", "2025-01-01"), "its second registration");
    let plain = ["lookup", "invoice", "T5010002999901", "--snapshots", text(folder)];
    let plain = succeeds(&[&plain[..], &["--date", "2024-06-01"]].concat());
    assert!(
        plain.contains("有限会社ダイチョウ") && plain.contains("not registered on 2024-06-01"),
        "{plain}"
    );
    assert!(plain.contains("earlier: 2023-10-01 until 2024-03-31"), "{plain}");
    for (number, expected) in [
        (WITHDRAWN, "no qualified invoice issuer T3010003999902 in version 2026-08-04"),
        ("T9810999999901", "no qualified invoice issuer"),
        ("T6810999999904", "no qualified invoice issuer"),
        ("6010001999901", "a registration number is T and 13 digits; found 13 characters"),
        ("t6010001999901", "found 't' at character 1"),
    ] {
        let message = refuses(&["lookup", "invoice", number, "--snapshots", text(folder)], 1);
        assert!(message.contains(expected), "{message}");
    }
    let bad = ["lookup", "invoice", SHOP, "--date", "today", "--snapshots", text(folder)];
    assert!(refuses(&bad, 1).contains("--date"));
}

#[test]
fn a_snapshot_of_the_register_is_listed_inspected_verified_and_pruned() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let inspect = |arguments: &[&str]| {
        succeeds(&[&["snapshot", "inspect", "--snapshots", snapshots][..], arguments].concat())
    };
    let inspected = inspect(&["invoice/2026-08-04"]);
    for expected in [
        "corporations_and_associations: 14",
        "individuals: 4",
        "normalised with the postal data of 2026-06-30",
    ] {
        assert!(inspected.contains(expected), "{inspected}");
    }
    let verify = ["snapshot", "verify", "invoice/2026-08-04", "--snapshots", snapshots];
    succeeds(&verify);
    let path = folder.path().join("invoice/2026-08-04.daicho");
    let mut bytes = fs::read(&path).expect("built");
    let end = bytes.len() - 40;
    bytes[end] ^= 4;
    fs::write(&path, bytes).expect("written");
    assert!(refuses(&verify, 3).contains(" is damaged"));
    succeeds(&["snapshot", "prune", "--keep", "1", "--snapshots", snapshots]);
    assert!(path.exists() && !folder.path().join("invoice/2026-07-31.daicho").exists());
}

#[test]
fn wrong_sources_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let copy = folder.path().join("h_all_20260731_001.csv");
    let fixed = ["build", "invoice", "--version", "2026-08-04", "--out", text(&out)];
    let refused = |arguments: &[&str]| refuses(&[&fixed[..], arguments].concat(), 1);
    let changed = |change: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        changed_copy(&full("h"), &copy, change);
        refused(&["--full", text(&copy)])
    };
    type Change<'c> = &'c dyn Fn(Vec<u8>) -> Vec<u8>;
    let cases: [(Change<'_>, &str); 6] = [
        (&|_| Vec::new(), "found an empty file"),
        (&|bytes| bytes[..bytes.len() - 60].to_vec(), "cut short"),
        (&|_| b"<html><body>404</body></html>\r\n".to_vec(), "a first line with 1"),
        (&|bytes| bytes.iter().flat_map(|byte| [*byte, 0]).collect(), "UTF-16"),
        (
            &|bytes| {
                let text = String::from_utf8(bytes).expect("UTF-8");
                text.replacen("\"T6010001999901\"", "\"T7010001999901\"", 1).into_bytes()
            },
            "h_all_20260731_001.csv:11: column 2",
        ),
        (
            &|_| fs::read(sample_file("2026-07-31/00_zenkoku_all_20260731.csv")).expect("sample"),
            "a first line with 30",
        ),
    ];
    for (change, expected) in cases {
        let message = changed(change);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("h_all_20260731_001.csv"), "{message}");
    }
    let (h, diff) = (full("h"), difference());
    let message = refused(&["--full", text(&diff)]);
    assert!(message.contains("give this file with --diff"), "{message}");
    let message = refused(&["--full", text(&h), "--diff", text(&h)]);
    assert!(message.contains("give this file with --full"), "{message}");
    assert!(refused(&["--full", "nowhere.csv"]).contains("nowhere.csv"));
    let k = full("k");
    let message = refused(&["--full", text(&k)]);
    assert!(message.contains("expected qualified invoice issuers, found none"), "{message}");
    assert!(!out.join("invoice").exists(), "nothing is written");
    let early = ["build", "invoice", "--version", "2026-08-03", "--out", text(&out)];
    let late = ["--full", text(&h), "--diff", text(&diff)];
    let message = refuses(&[&early[..], &late].concat(), 1);
    assert!(message.contains("a publication date no later than version 2026-08-03"), "{message}");
}

#[test]
fn differences_need_an_older_base_with_the_requested_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let (h, diff) = (full("h"), difference());
    let fixed = ["build", "invoice", "--version", "2026-08-04", "--out", text(&out)];
    let refused = |arguments: &[&str], code| refuses(&[&fixed[..], arguments].concat(), code);
    let message = refused(&["--diff", text(&diff)], 2);
    assert!(message.contains("--full") && message.contains("--base"), "{message}");
    let (_, newer) = build(&folder.path().join("newer"), "2026-08-05", &["--full", text(&h)]);
    let message = refused(&["--base", text(&newer), "--diff", text(&diff)], 1);
    assert!(message.contains("expected a base of 2026-08-04 or before"), "{message}");
    let later = ["build", "invoice", "--version", "2026-08-06", "--out", text(&out)];
    let old = ["--base", text(&newer), "--diff", text(&diff)];
    let message = refuses(&[&later[..], &old].concat(), 1);
    assert!(message.contains("expected a difference of 2026-08-05 or later"), "{message}");
    let (_, base) = build(&folder.path().join("base"), "2026-07-31", &["--full", text(&h)]);
    let message = refused(&["--base", text(&base), "--diff", text(&diff), "--individuals"], 1);
    assert!(message.contains("expected a base with individuals"), "{message}");
    let message = refused(&["--base", text(&h), "--diff", text(&diff)], 3);
    assert!(message.contains("h_all_20260731_001.csv"), "{message}");
    let sample = folder.path().join("sample");
    succeeds(&["build", "sample", "--out", text(&sample)]);
    let other = sample.join("corporate/2026-08-03.daicho");
    let message = refused(&["--base", text(&other), "--diff", text(&diff)], 1);
    assert!(
        message.contains("expected a snapshot of invoice data, found one of corporate data"),
        "{message}"
    );
    assert!(!out.exists(), "nothing is written");
    let output = daicho(&[&fixed[..], &["--base", text(&base), "--diff", text(&diff)]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(warned.contains("2026-08-03"), "a working day without a difference: {warned}");
}
