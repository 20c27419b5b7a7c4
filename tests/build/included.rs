//! `daicho build included`: builds the official data that come with the program.

use std::fs;
use std::path::Path;

use super::{daicho, open, succeeds, text};
use daicho::text::codes::PostalCode;

#[test]
fn the_included_data_are_built_once_and_again_if_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["build", "included", "--out", text(folder.path())];
    let printed = succeeds(&arguments);
    for expected in [
        "151262 records, 142872 codes",
        "20214 corporations",
        "出典：国税庁法人番号公表サイト（国税庁）",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let data = open(folder.path(), "2026-05-29");
    for code in ["1000001", "6808570"] {
        let parsed = PostalCode::parse(code).expect("seven digits");
        assert_eq!(data.lookup(parsed).expect("sound").len(), 1, "{code}");
    }
    let corporation = ["lookup", "corporate", "2270001000870", "--json", "--snapshots"];
    let found = succeeds(&[&corporation[..], &[text(folder.path())]].concat());
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["data"]["name"], "株式会社鳥取銀行");
    assert_eq!(found["data"]["address"]["town"], "永楽温泉町", "normalised with the postal data");

    let [postal, corporate] = ["postal/2026-05-29.daicho", "corporate/2026-07-31.daicho"]
        .map(|it| folder.path().join(it));
    let written = |path| fs::metadata(path).and_then(|it| it.modified()).expect("there");
    let before = (written(&postal), written(&corporate));
    let sound = fs::read(&corporate).expect("built");
    let printed = succeeds(&arguments);
    assert_eq!(printed.matches(": already exists").count(), 2, "{printed}");
    assert_eq!((written(&postal), written(&corporate)), before);

    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::remove_file(&corporate).expect("built");
    fs::write(&corporate, damaged).expect("written");
    let printed = succeeds(&arguments);
    assert_eq!(printed.matches(": already exists").count(), 1, "{printed}");
    assert!(fs::read(&corporate).expect("built") == sound, "the same bytes as before");
    assert!(!folder.path().join("postal/2026-05-29.kenall.json.xz").exists(), "no download");
}

#[test]
fn a_first_build_prints_no_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = daicho(&["build", "included", "--out", text(folder.path())]);
    let printed = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success() && !printed.contains("warning"), "{printed}");
    let postal = folder.path().join("postal/2026-05-29.daicho");
    let inspected = succeeds(&["snapshot", "inspect", text(&postal)]);
    assert!(inspected.contains("towns_without_reading: 322"), "{inspected}");
}

#[test]
fn nothing_is_built_if_the_folder_has_another_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["build", "included", "--out", text(folder.path())];
    succeeds(&["build", "sample", "--out", text(folder.path())]);
    for name in ["postal/2026-05-29.daicho", "corporate/2026-07-31.daicho"] {
        // Some sample versions have the dates of the included data; remove those.
        fs::remove_file(folder.path().join(name)).expect("built");
    }
    let before = names(folder.path());
    let printed = succeeds(&arguments);
    assert_eq!(printed.matches(": already exists").count(), 2, "{printed}");
    assert!(printed.contains("postal/2026-06-30.daicho: already exists"), "{printed}");
    assert_eq!(names(folder.path()), before);

    // Only the corporations are missing: their addresses are normalised with the postal data in the
    // folder.
    fs::remove_dir_all(folder.path().join("corporate")).expect("built");
    let printed = succeeds(&arguments);
    assert_eq!(printed.matches(": already exists").count(), 1, "{printed}");
    let corporate = folder.path().join("corporate/2026-07-31.daicho");
    let inspected = succeeds(&["snapshot", "inspect", text(&corporate), "--json"]);
    assert!(inspected.contains("normalised with the postal data of 2026-06-30"), "{inspected}");

    // With --force both are built anyway.
    let printed = succeeds(&[&arguments[..], &["--force"]].concat());
    assert!(
        printed.contains("151262 records") && printed.contains("20214 corporations"),
        "{printed}"
    );
    assert!(!printed.contains(": already exists"), "{printed}");
}

/// The files in the subfolders of a folder, as `FOLDER/NAME`.
fn names(snapshots: &Path) -> Vec<String> {
    let folders = fs::read_dir(snapshots).expect("built");
    let files =
        folders.flat_map(|folder| fs::read_dir(folder.expect("read").path()).expect("read"));
    let mut names: Vec<String> = files
        .map(|file| file.expect("read").path())
        .map(|path| path.strip_prefix(snapshots).expect("within").display().to_string())
        .collect();
    names.sort();
    names
}
