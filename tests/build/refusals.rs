//! Wrong postal sources and implausible builds: the error says what was expected and what was found, and
//! an existing snapshot is kept.

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
fn rejects_are_listed_and_fail_the_build_above_a_share() {
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
    fs::write(&occupied, "a file").expect("written");
    let area = sample_file("2026-05-29/utf_ken_all.csv");
    let message = refuses(&build(&area, &occupied, &[]), 1);
    assert!(message.contains("occupied"), "{message}");
}

#[test]
fn a_file_cut_at_the_end_of_a_line_is_refused_by_its_record_count() {
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
    assert!(output.status.success() && warned.contains("is the source file complete?"), "{warned}");
    assert!(warned.contains("built because of --force: records are missing"), "{warned}");
}

/// Copies a file of the sample to another name in the test's folder and returns the path.
fn renamed(folder: &Path, from: &str, name: &str) -> String {
    let to = folder.join(name);
    fs::copy(sample_file(from), &to).expect("copied");
    text(&to).to_owned()
}

#[test]
fn an_implausible_build_is_refused_unless_forced() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("snapshots");
    let sample = |name: &str| text(&sample_file(name)).to_owned();
    let area = sample("2026-05-29/utf_ken_all.csv");
    let business = sample("2026-05-29/JIGYOSYO.CSV");
    let added = renamed(folder.path(), "2026-06-30/utf_add_2606.csv", "utf_add_2604.csv");
    let june = sample("2026-06-30/utf_ken_all.csv");
    let full = sample("2026-07-31/00_zenkoku_all_20260731.csv");
    let late = fs::read_to_string(sample_file("2026-08-03/diff_20260803.csv")).expect("text");
    let difference = folder.path().join("diff_20260806.csv");
    fs::write(&difference, late.replace("2026-08-03", "2026-08-06")).expect("written");
    let difference = text(&difference);
    let [h, j, k] = ["h_all_20260731_001", "j_all_20260731", "k_all_20260731_001"]
        .map(|name| sample(&format!("2026-07-31/{name}.csv")));
    let at = |dataset: &str, version: &str, arguments: &[&str]| -> Vec<String> {
        let fixed = ["build", dataset, "--version", version, "--out", text(&out)];
        fixed.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
    };
    // The versions that the next builds are compared with.
    for arguments in [
        at("postal", "2026-05-29", &["--area", &area, "--business", &business]),
        at("corporate", "2026-07-31", &["--full", &full]),
        at("invoice", "2026-07-31", &["--full", &h, &j, &k, "--individuals"]),
    ] {
        succeeds(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for (arguments, expected) in [
        (
            at("postal", "2999-01-01", &["--area", &area, "--business", &business]),
            vec!["the version is in the future: expected ", "found 2999-01-01", "(--version)"],
        ),
        (
            at("postal", "2026-06-30", &["--area", &june]),
            vec![
                "four fifths of the ",
                " large businesses of version 2026-05-29, found 0",
                "(--business)",
            ],
        ),
        (
            at(
                "postal",
                "2026-06-30",
                &["--area", &june, "--business", &business, "--updates", &added],
            ),
            vec![
                "utf_add_2604.csv: expected a difference of 2026-06",
                "found one of 2026-04",
                "(--updates)",
            ],
        ),
        (
            at("corporate", "2026-07-30", &["--full", &full]),
            vec![
                "expected a publication date no later than version 2026-07-30, found 2026-07-31",
                "(--version)",
            ],
        ),
        (
            at("corporate", "2026-08-06", &["--full", &full, "--diff", difference, "--strict"]),
            vec![
                "days are missing",
                "found none for 2026-08-03, 2026-08-04, 2026-08-05",
                "(--diff)",
            ],
        ),
        (
            at("invoice", "2026-08-04", &["--full", &h, &j]),
            vec![
                "four fifths of the 3 numbers of individuals of version 2026-07-31, found 0",
                "(--individuals)",
            ],
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let snapshot = out.join(arguments[1]).join(format!("{}.daicho", arguments[3]));
        let message = refuses(&arguments, 1);
        for expected in expected.into_iter().chain([", or build anyway with --force"]) {
            assert!(message.contains(expected), "{expected}: {message}");
        }
        assert!(!snapshot.exists(), "{message}");
        let forced = daicho(&[&arguments[..], &["--force"]].concat());
        let warned = String::from_utf8_lossy(&forced.stderr);
        assert!(forced.status.success(), "{warned}");
        assert!(warned.contains("warning: built because of --force: "), "{warned}");
        assert!(snapshot.exists(), "{warned}");
        fs::remove_file(snapshot).expect("built");
    }
}

#[test]
fn many_rejects_are_written_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let area = folder.path().join("utf_ken_all.csv");
    let good = fs::read_to_string(sample_file("2026-05-29/utf_ken_all.csv")).expect("text");
    let rejects = folder.path().join("postal/2026-05-29.rejects.txt");
    // Rows with a letter in their code, from the second one on.
    let with_bad = |count: usize| -> String {
        let rows = good.lines().enumerate().map(|(at, line)| match at {
            at if (1..=count).contains(&at) => line.replacen("\",\"", "\",\"O", 1),
            _ => line.to_owned(),
        });
        rows.map(|line| line + "\r\n").collect()
    };
    fs::write(&area, with_bad(30)).expect("written");
    let message = refuses(&build(&area, folder.path(), &[]), 1);
    assert_eq!(message.matches("rejected: ").count(), 20, "{message}");
    let all = format!("the full list is in {}", rejects.display());
    assert!(message.contains("30 of 98 rows rejected") && message.contains(&all), "{message}");
    let listed = fs::read_to_string(&rejects).expect("written");
    assert_eq!(listed.lines().filter(|line| line.contains("utf_ken_all.csv:")).count(), 30);
    assert!(!folder.path().join("postal/2026-05-29.daicho").exists(), "nothing was built");
    let printed = daicho(&build(&area, folder.path(), &["--rejects-max", "0.5", "--json"]));
    let built: serde_json::Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    assert_eq!((&built["rejects"], &built["rejects_file"]), (&30.into(), &text(&rejects).into()));
    // Few rejects need no file, and the earlier file is removed.
    fs::write(&area, with_bad(20)).expect("written");
    let printed = daicho(&build(&area, folder.path(), &["--rejects-max", "0.5"]));
    let listed = String::from_utf8_lossy(&printed.stderr);
    assert!(listed.matches("rejected: ").count() == 20 && !listed.contains("are in"), "{listed}");
    assert!(!rejects.exists());
}

#[test]
fn a_build_reports_its_result_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = succeeds(&["build", "sample", "--json", "--out", text(folder.path())]);
    let printed: serde_json::Value = serde_json::from_str(&printed).expect("one object");
    let built = printed["built"].as_array().expect("a list");
    assert_eq!(built.len(), 10);
    for (dataset, members) in [
        (
            "postal",
            &["records", "codes", "municipalities", "businesses", "changed", "abolished"][..],
        ),
        ("bank", &["institutions", "branches", "branch_codes", "readings_derived"]),
        (
            "corporate",
            &["corporations", "closed", "days", "changed", "left_out_rows", "moved_away"],
        ),
        ("invoice", &["numbers", "in_force", "individuals", "withdrawn", "left_out_individuals"]),
        ("school", &["schools", "closed", "unplaced"]),
    ] {
        let found = built.iter().rfind(|it| it["dataset"] == dataset).expect("built");
        for member in members.iter().chain(&["bytes", "rows", "rejects"]) {
            assert!(found[member].is_u64(), "{dataset}: {member} in {found}");
        }
        for member in ["version", "path", "fingerprint"] {
            assert!(found[member].is_string(), "{dataset}: {member} in {found}");
        }
        assert!(found["warnings"].is_array() && found["rejects_file"].is_null(), "{found}");
    }
}

#[test]
fn a_missing_folder_cannot_be_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = folder.path().join("nowhere");
    let message = refuses(&["snapshot", "verify", "--snapshots", text(&nowhere)], 1);
    assert!(message.contains("no such folder") && message.contains("--snapshots"), "{message}");
    succeeds(&["snapshot", "verify", "--snapshots", text(folder.path())]);
}
