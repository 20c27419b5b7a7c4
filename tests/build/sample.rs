//! `daicho build sample`, and the commands `lookup` and `snapshot` on its three postal editions.

use std::fs;

use daicho::dataset::Catalog;

use super::{open, refuses, sample_file, succeeds, text};

#[test]
fn the_sample_builds_the_same_bytes_twice() {
    let (first, second) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for folder in [&first, &second] {
        let printed = succeeds(&["build", "sample", "--out", text(folder.path())]);
        assert_eq!(
            printed.lines().filter(|line| line.contains(".daicho: ")).count(),
            10,
            "{printed}"
        );
    }
    for name in [
        "postal/2022-06-30.daicho",
        "postal/2026-05-29.daicho",
        "postal/2026-06-30.daicho",
        "postal/2022-06-30.kenall.json.xz",
        "postal/2026-06-30.kenall.json.xz",
        "bank/2025-06-10.daicho",
        "bank/2026-05-25.daicho",
        "invoice/2026-07-31.daicho",
        "invoice/2026-08-04.daicho",
        "school/2026-08-25.daicho",
    ] {
        let bytes = |folder: &tempfile::TempDir| fs::read(folder.path().join(name)).expect("built");
        assert!(bytes(&first) == bytes(&second), "{name}: same sources, same bytes");
    }
}

#[test]
fn a_code_is_looked_up_in_any_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let plain = succeeds(&["lookup", "postal", "1000001", "--snapshots", snapshots]);
    assert!(plain.contains("東京都千代田区千代田"), "{plain}");
    let answer = |version: &str| -> serde_json::Value {
        let arguments = [
            "lookup",
            "postal",
            "1000001",
            "--json",
            "--version",
            version,
            "--snapshots",
            snapshots,
        ];
        serde_json::from_str(&succeeds(&arguments)).expect("--json is JSON")
    };
    let (before, after) = (answer("2022-06-30"), answer("2026-06-30"));
    assert_eq!(before["version"], "2022-06-30");
    assert_eq!(before["data"][0]["town_roman"], "", "no Roman names before 2022-11-01");
    assert_eq!(after["data"][0]["town_roman"], "Chiyoda");
    let plain = succeeds(&["lookup", "postal", "1000001", "--snapshots", snapshots]);
    for written in ["100-0001", "１００－０００１", " 〒100 0001"] {
        assert_eq!(succeeds(&["lookup", "postal", written, "--snapshots", snapshots]), plain);
    }
    for (arguments, expected) in [
        (["lookup", "postal", "9999999", "--snapshots", snapshots].as_slice(), "no postal code"),
        (
            &["lookup", "postal", "100-001", "--snapshots", snapshots],
            "7 digits; found 6 characters",
        ),
        (
            &["lookup", "postal", "1000001", "--version", "2020-01-01", "--snapshots", snapshots],
            "the folder has 2022-06-30, 2026-05-29, 2026-06-30",
        ),
        (
            &["lookup", "postal", "1000001", "--version", "june", "--snapshots", snapshots],
            "YYYY-MM-DD",
        ),
        (
            &["lookup", "postal", "1000001", "--snapshots", "/nowhere"],
            "expected snapshots in /nowhere/postal; found none; build some with 'daicho build postal'",
        ),
    ] {
        let message = refuses(arguments, 1);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn changes_come_from_the_difference_files() {
    let folder = tempfile::tempdir().expect("a folder");
    succeeds(&["build", "sample", "--out", text(folder.path())]);
    let data = open(folder.path(), "2026-06-30");
    let found: Vec<(u32, u8, u8)> = data
        .updates()
        .expect("sound")
        .map(|row| (row.postal_code(), row.update_status() as u8, row.update_reason() as u8))
        .collect();
    assert!(found.contains(&(3_051_299, 1, 3)), "a town added by land readjustment: {found:?}");
    assert!(
        found.iter().any(|change| change.1 == 2 && change.2 == 6),
        "an abolished town: {found:?}"
    );
    let first = open(folder.path(), "2026-05-29");
    let compared = first.provenance().expect("sound");
    assert_eq!(compared.root().compared_with.as_str(), "2022-06-30");
}

#[test]
fn snapshots_are_listed_inspected_verified_and_pruned() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let list = succeeds(&["snapshot", "list", "--json", "--snapshots", snapshots]);
    let list: serde_json::Value = serde_json::from_str(&list).expect("--json is JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(10), "{list}");
    let inspected =
        succeeds(&["snapshot", "inspect", "postal/2026-05-29", "--snapshots", snapshots]);
    assert!(inspected.contains("built without a town master"), "{inspected}");
    let inspected =
        succeeds(&["snapshot", "inspect", "postal/2026-06-30", "--snapshots", snapshots]);
    assert!(inspected.contains("from the town master"), "{inspected}");
    assert!(inspected.contains("download_bytes: "), "{inspected}");
    succeeds(&["snapshot", "verify", "--snapshots", snapshots]);

    let newest = folder.path().join("postal/2026-06-30.daicho");
    let mut bytes = fs::read(&newest).expect("built");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::remove_file(&newest).expect("built");
    fs::write(&newest, bytes).expect("written");
    let message = refuses(&["snapshot", "verify", "--snapshots", snapshots], 3);
    assert!(message.contains(" is damaged"), "{message}");
    let message =
        refuses(&["snapshot", "verify", "postal/2099-01-01", "--snapshots", snapshots], 1);
    assert!(message.contains("no such file"), "{message}");
    refuses(&["snapshot", "prune", "--snapshots", snapshots], 2);

    succeeds(&["snapshot", "prune", "--keep", "1", "--dry-run", "--snapshots", snapshots]);
    assert!(folder.path().join("postal/2022-06-30.daicho").exists(), "a dry run removes nothing");
    succeeds(&["snapshot", "prune", "--keep", "1", "--snapshots", snapshots]);
    let left = fs::read_dir(folder.path().join("postal")).expect("a folder").count();
    assert_eq!(left, 2, "one version is kept, and its download");
    let download = folder.path().join("postal/2026-06-30.kenall.json.xz");
    assert!(download.exists());
    // A download without its snapshot is removed too.
    fs::remove_file(&newest).expect("removed");
    succeeds(&["snapshot", "prune", "--keep", "1", "--snapshots", snapshots]);
    assert!(!download.exists(), "a download without a snapshot is removed");
}

#[test]
fn a_build_without_a_download_removes_the_old_download() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    let area = sample_file("2026-06-30/utf_ken_all.csv");
    let arguments = ["build", "postal", "--version", "2026-06-30", "--area", text(&area)];
    let download = folder.path().join("postal/2026-06-30.kenall.json.xz");
    let printed = succeeds(&[&arguments[..], &["--out", snapshots]].concat());
    assert!(printed.contains("kenall.json.xz: "), "{printed}");
    let packed = fs::read(&download).expect("written beside the snapshot");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut liblzma::read::XzDecoder::new(&*packed), &mut bytes)
        .expect("an xz file");
    let all: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let records = open(folder.path(), "2026-06-30").records().expect("sound").len();
    assert_eq!(all["data"].as_array().map(Vec::len), Some(records));
    let again = [&arguments[..], &["--out", snapshots, "--no-download"]].concat();
    let printed = succeeds(&again);
    assert!(!printed.contains("kenall.json.xz"), "{printed}");
    assert!(!download.exists(), "it belonged to the earlier snapshot");
}

#[test]
fn search_indexes_of_the_newest_versions_are_opened_in_advance() {
    let folder = tempfile::tempdir().expect("a folder");
    succeeds(&["build", "sample", "--out", text(folder.path())]);
    let catalog = Catalog::scan(folder.path(), None).expect("a folder");
    let are_open = || {
        [
            catalog.postal().latest().is_some_and(|data| data.is_search_checked()),
            catalog.corporate().latest().is_some_and(|data| data.is_search_checked()),
            // Look-ups of schools use the search sections too, so these are checked on opening.
            catalog.school().latest().is_some_and(|data| data.is_search_checked()),
        ]
    };
    assert_eq!(are_open(), [false, false, true]);
    catalog.check_search_sections();
    assert_eq!(are_open(), [true; 3]);
    let older = catalog.postal().iter().next().expect("three editions");
    assert!(!older.1.is_search_checked(), "only those of the newest version are opened in advance");
}
