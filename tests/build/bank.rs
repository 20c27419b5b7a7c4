//! `daicho build bank` and `daicho lookup bank`: the sample, wrong sources, and the real bank data if they
//! are present.

use std::fs;
use std::path::{Path, PathBuf};

use super::{daicho, refuses, sample_file, succeeds, text};
use crate::shared_data;

fn build(source: &Path, version: &str, out: &Path) -> String {
    let (source, out) = (text(source), text(out));
    succeeds(&["build", "bank", "--version", version, "--source", source, "--out", out])
}

#[test]
fn the_sample_is_looked_up_listed_inspected_and_pruned() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(folder.path());
    let printed = build(&sample_file("2025-06-10"), "2025-06-10", folder.path());
    assert!(printed.contains("9 institutions, 21 branches, 21 branch codes"), "{printed}");
    assert!(printed.contains("60 given, 60 of them as derived from katakana (100.000%)"));
    let list = sample_file("2026-05-25/ginkositen1.txt");
    let printed = build(&list, "2026-05-25", folder.path());
    assert!(printed.contains("9 institutions, 25 branches, 23 branch codes"), "{printed}");
    assert!(printed.contains("68 derived from katakana"), "{printed}");

    let bank = succeeds(&["lookup", "bank", "0001", "--snapshots", out]);
    assert_eq!(
        bank,
        "0001  (data version 2026-05-25)\n  台帳\n      ダイチヨウ  だいちよう  daichiyou\n  11 branches\n"
    );
    let branch = succeeds(&["lookup", "bank", "0001", "010", "--snapshots", out]);
    assert!(branch.contains("見本出張所") && branch.contains("台帳の森"), "{branch}");
    let arguments = ["lookup", "bank", "0001", "010", "--json", "--version", "2025-06-10"];
    let answer = succeeds(&[&arguments[..], &["--snapshots", out]].concat());
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("--json is JSON");
    assert_eq!(answer["version"], "2025-06-10");
    assert_eq!(answer["data"]["branch"][0]["romaji"], "mihon");
    for (arguments, expected) in [
        (["lookup", "bank", "9999"].as_slice(), "no institution 9999 in version 2026-05-25"),
        (&["lookup", "bank", "0001", "999"], "institution 0001 has no branch 999"),
        (&["lookup", "bank", "1"], "an institution code has 4 digits; found 1 character"),
        (&["lookup", "bank", "0001", "0001"], "a branch code has 3 digits"),
        (
            &["lookup", "bank", "0001", "--version", "2026-06-30"],
            "the folder has 2025-06-10, 2026-05-25",
        ),
    ] {
        let message = refuses(&[arguments, &["--snapshots", out]].concat(), 1);
        assert!(message.contains(expected), "{message}");
    }

    let list = succeeds(&["snapshot", "list", "--snapshots", out]);
    assert_eq!(list.lines().filter(|line| line.starts_with("bank ")).count(), 2, "{list}");
    let inspected = succeeds(&["snapshot", "inspect", "bank/2025-06-10", "--snapshots", out]);
    assert!(inspected.contains("abolished_left_out: 1"), "{inspected}");
    assert!(inspected.contains("format: zengin-code"), "{inspected}");
    succeeds(&["snapshot", "verify", "--snapshots", out]);
    let oldest = folder.path().join("bank/2025-06-10.daicho");
    let mut bytes = fs::read(&oldest).expect("built");
    let last = bytes.len() - 30;
    bytes[last] ^= 1;
    fs::remove_file(&oldest).expect("built");
    fs::write(&oldest, bytes).expect("written");
    let message = refuses(&["snapshot", "verify", "--snapshots", out], 3);
    assert!(message.contains("1 of 2 snapshots is damaged"), "{message}");
    succeeds(&["snapshot", "prune", "--keep", "1", "--snapshots", out]);
    assert!(!oldest.exists() && folder.path().join("bank/2026-05-25.daicho").exists());
}

#[test]
fn a_damaged_file_hides_neither_a_missing_version_nor_removed_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(folder.path());
    build(&sample_file("2026-05-25/ginkositen1.txt"), "2026-05-25", folder.path());
    let bank = |file: &str| folder.path().join("bank").join(file);
    let sound = fs::read(bank("2026-05-25.daicho")).expect("built");
    fs::write(bank("2025-06-10.daicho"), &sound[..sound.len() / 2]).expect("written");
    let lookup = |version: &[&str], code| {
        let arguments = [&["lookup", "bank", "0001", "--snapshots", out], version].concat();
        refuses(&arguments, code)
    };
    let message = lookup(&["--version", "2026-06-30"], 1);
    assert!(message.contains("2026-06-30 not found; the folder has 2026-05-25\n"), "{message}");
    let message = lookup(&["--version", "2025-06-10"], 3);
    assert!(message.contains("2025-06-10.daicho: "), "{message}");

    // A folder is not removed as a file.
    fs::create_dir(bank("2025-07-01.daicho")).expect("a folder");
    let output = daicho(&["snapshot", "prune", "--keep", "1", "--snapshots", out]);
    assert_eq!(output.status.code(), Some(1));
    let removed = format!("removed {}\n", bank("2025-06-10.daicho").display());
    assert_eq!(String::from_utf8_lossy(&output.stdout), removed);
    fs::remove_dir(bank("2025-07-01.daicho")).expect("empty");

    fs::write(bank("2026-05-25.daicho"), &sound[..sound.len() / 2]).expect("written");
    for version in [[].as_slice(), &["--version", "2026-06-30"]] {
        let message = lookup(version, 3);
        assert!(message.contains("2026-05-25.daicho: "), "{message}");
    }
}

#[test]
fn a_wrong_source_is_refused_and_the_old_snapshot_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = text(folder.path());
    build(&sample_file("2025-06-10"), "2025-06-10", folder.path());
    let built = folder.path().join("bank/2025-06-10.daicho");
    let before = fs::read(&built).expect("built");
    let bad_row = folder.path().join("bad.txt");
    let mut bytes = fs::read(sample_file("2026-05-25/ginkositen1.txt")).expect("sample");
    bytes.extend_from_slice(b"0001,1,\"\xb1\",\"\x88\x9f\",2,1\r\n");
    fs::write(&bad_row, bytes).expect("written");
    for (source, expected) in [
        (sample_file("2025-06-10/branches"), "expected banks.json beside a folder branches"),
        (
            sample_file("2026-06-30/utf_ken_all.csv"),
            "give this file with daicho build postal --area",
        ),
        (sample_file("2026-06-30"), "expected files of the bank directory"),
        (PathBuf::from("/nowhere"), "check the path"),
        (bad_row.clone(), "bad.txt:35: column 2: expected a branch code, 3 digits, found `1`"),
    ] {
        let arguments = ["build", "bank", "--version", "2025-06-10", "--source", text(&source)];
        let message = refuses(&[&arguments[..], &["--out", out]].concat(), 1);
        assert!(message.contains(expected), "{}: {message}", source.display());
        assert!(fs::read(&built).expect("still there") == before, "{}", source.display());
    }
    let arguments = ["build", "bank", "--version", "2025-06-11", "--source", text(&bad_row)];
    succeeds(&[&arguments[..], &["--rejects-max", "0.1", "--out", out]].concat());
    let list = text(&bad_row).to_owned();
    let message =
        refuses(&["build", "postal", "--version", "2025-06-10", "--area", &list, "--out", out], 1);
    assert!(message.contains("give this file with daicho build bank --source"), "{message}");
}

/// A file of the real bank data.
fn real(name: &str) -> PathBuf {
    shared_data::official(&format!("bank/{name}"))
}

#[needs::official_data]
#[test]
fn every_date_builds_and_derived_readings_equal_the_given_ones() {
    for date in [
        "2018-04-01",
        "2021-03-22",
        "2023-06-07",
        "2024-06-05",
        "2025-06-10",
        "2026-05-24",
        "2026-05-25",
    ] {
        let tree = real(&format!("{date}/zengin-code-{date}.tar.zst"));
        let list = real(&format!("{date}/ginkositen.txt.zst"));
        let folder = tempfile::tempdir().expect("a folder");
        let outs = [folder.path().join("tree"), folder.path().join("list")];
        let given = build(&tree, date, &outs[0]);
        let derived = build(&list, date, &outs[1]);
        assert!(given.contains("(100.000%); 0 derived"), "{date}: {given}");
        assert!(derived.contains("derived from katakana"), "{date}: {derived}");
        print!("{given}");
        // Everything that a request can return is the same in both: the institutions and every branch.
        let sections = |out: &Path| {
            let path = out.join(format!("bank/{date}.daicho"));
            let file = daicho::snapshot::SnapshotFile::open(&path).expect("built");
            // Equal checksums and lengths are equal bytes, unless somebody makes them so.
            ["tables", "banks", "branches", "strings"].map(|name| {
                let tag = daicho::snapshot::SectionTag::new(name);
                let section = file.sections().iter().find(|section| section.tag == tag);
                let section = section.expect("a section of a bank snapshot");
                (section.length, section.checksum)
            })
        };
        assert!(sections(&outs[0]) == sections(&outs[1]), "{date}: the formats differ");
    }
}
