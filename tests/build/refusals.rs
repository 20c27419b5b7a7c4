//! Sources that are wrong: the build says what was expected and found, and what stood there stays.

use std::fs;
use std::path::Path;

use super::{changed_copy, daicho, refuses, sample_file, succeeds, text};

/// Builds May 2026 from this area file; `extra` are further arguments.
fn build<'a>(area: &'a Path, out: &'a Path, extra: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["build", "postal", "--version", "2026-05-29", "--area", text(area)];
    arguments.extend(["--out", text(out)]);
    arguments.extend(extra);
    arguments
}

#[test]
fn a_wrong_file_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let area = sample_file("2026-05-29/utf_ken_all.csv");
    succeeds(&build(&area, folder.path(), &[]));
    let built = folder.path().join("postal/2026-05-29.daicho");
    let before = fs::read(&built).expect("built");

    let copy = folder.path().join("KEN_ALL.CSV");
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    type Change<'c> = &'c dyn Fn(Vec<u8>) -> Vec<u8>;
    let cases: [(Change<'_>, &str); 5] = [
        (&|_| Vec::new(), "empty"),
        (&cut, "cut"),
        (&|_| fs::read(sample_file("2026-05-29/JIGYOSYO.CSV")).expect("sample"), "--business"),
        (&|bytes| bytes.iter().flat_map(|byte| [*byte, 0]).collect(), "expected"),
        (&|_| b"<html><body>404</body></html>\r\n".to_vec(), "expected"),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        changed_copy(&area, &copy, change);
        let message = refuses(&build(&copy, folder.path(), &[]), 1);
        assert!(message.contains(expected), "case {number}: {message}");
        assert!(message.contains("KEN_ALL.CSV"), "case {number} names the file: {message}");
        assert!(fs::read(&built).expect("still there") == before, "case {number} wrote something");
    }
    let message = refuses(&build(&folder.path().join("nowhere.csv"), folder.path(), &[]), 1);
    assert!(message.contains("nowhere.csv"), "{message}");
}

#[test]
fn rejects_are_listed_and_past_a_share_fail_the_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let area = folder.path().join("utf_ken_all.csv");
    let bad = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.replacen("\"1000001\"", "\"10000O1\"", 1).into_bytes()
    };
    changed_copy(&sample_file("2026-05-29/utf_ken_all.csv"), &area, bad);
    let message = refuses(&build(&area, folder.path(), &[]), 1);
    for expected in ["utf_ken_all.csv:", "column 3", "10000O1", "1 of 98 rows", "--rejects-max"] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
    assert!(!folder.path().join("postal/2026-05-29.daicho").exists(), "nothing was written");
    let output = daicho(&build(&area, folder.path(), &["--rejects-max", "0.05"]));
    let listed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && listed.contains("10000O1"), "{listed}");
    refuses(&build(&area, folder.path(), &["--rejects-max", "5"]), 2);
    refuses(&["build", "postal", "--version", "2026-05-29"], 2);
    let message = refuses(&["build", "postal", "--version", "may", "--area", "x", "--out", "y"], 1);
    assert!(message.contains("YYYY-MM-DD"), "{message}");
}

#[test]
fn differences_of_another_month_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let area = sample_file("2026-05-29/utf_ken_all.csv");
    let added = sample_file("2026-06-30/utf_add_2606.csv");
    let message = refuses(&build(&area, folder.path(), &["--updates", text(&added)]), 1);
    assert!(message.contains("of one month"), "{message}");
    let message = refuses(&build(&area, folder.path(), &["--updates", text(&area)]), 1);
    assert!(message.contains("--area"), "{message}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let occupied = folder.path().join("occupied");
    fs::write(&occupied, "a file").expect("the test's own folder");
    let area = sample_file("2026-05-29/utf_ken_all.csv");
    let message = refuses(&build(&area, &occupied, &[]), 1);
    assert!(message.contains("occupied"), "{message}");
}

#[test]
fn a_file_cut_at_a_lines_end_is_told_by_the_version_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let area = sample_file("2026-05-29/utf_ken_all.csv");
    succeeds(&build(&area, folder.path(), &[]));
    let half = folder.path().join("utf_ken_all.csv");
    changed_copy(&area, &half, |bytes| {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines[..lines.len() / 2].concat()
    });
    let arguments = ["build", "postal", "--version", "2026-06-30", "--area", text(&half)];
    let arguments = [arguments.as_slice(), &["--out", text(folder.path())]].concat();
    let message = refuses(&arguments, 1);
    for expected in ["four fifths of the 219 records of areas of version 2026-05-29", "--force"] {
        assert!(message.contains(expected), "{message}");
    }
    assert!(!folder.path().join("postal/2026-06-30.daicho").exists(), "nothing was written");
    let output = daicho(&[arguments.as_slice(), &["--force"]].concat());
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && warned.contains("is the source whole?"), "{warned}");
    assert!(warned.contains("built all the same: records are missing"), "{warned}");
}
