//! `daicho get` on the sample: the answers of the API, and errors that say what to do.

use std::fs;

use serde_json::Value;

use super::{daicho, refuses, succeeds, text};

#[test]
fn every_get_of_the_api_is_answered_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let get = |path: &str| succeeds(&["get", path, "--snapshots", snapshots]);
    let parsed = |path: &str| serde_json::from_str::<Value>(&get(path)).expect("JSON");

    let code = ["lookup", "postal", "1000001", "--json", "--snapshots", snapshots];
    assert_eq!(get("/v1/postalcode/1000001"), succeeds(&code));
    for command in [&code[..], &["get", "/v1/postalcode/1000001", "--snapshots", snapshots]] {
        let marks = String::from_utf8(daicho(command).stderr).expect("text");
        assert_eq!(marks, "daicho: the postal data are made up, for trials of the program\n");
    }
    let older = parsed("/v1/postalcode/1000001?version=2022-06-30");
    assert_eq!(older["version"], "2022-06-30");
    // As a person types it, and encoded.
    let typed = get("/v1/houjinbangou?q=name:台帳 AND prefecture_name:東京都&limit=2");
    let encoded = "/v1/houjinbangou?q=name:%E5%8F%B0%E5%B8%B3+AND+prefecture_name:%E6%9D%B1%E4%BA%AC%E9%83%BD&limit=2";
    assert_eq!(typed, get(encoded));
    assert_eq!(parsed("/v1/holidays?year=2026")["data"][0]["title"], "元日");
    assert_eq!(parsed("/v1/cities/13")["data"][0]["jisx0402"], "13101");
    assert_eq!(parsed("/v1/school/versions")["versions"][0], "2026-08-25");
    assert_eq!(parsed("/v1/suggest/bank?q=だい")["version"], "2026-05-25");
    assert_eq!(parsed("/v1/bank?api-version=2023-09-01")["version"], "2026-05-25");

    let output = daicho(&["get", "/v1/bank/0001?verison=2025-06-10", "--snapshots", snapshots]);
    let notice = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success() && notice.contains("the nearest is version"), "{notice}");
    assert!(notice.contains("'daicho get --help' lists the parameters"), "{notice}");
}

#[test]
fn an_error_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    for (path, expected) in [
        ("/v1/postalcodes/1000001", "'daicho get --help' lists the paths"),
        ("v1/postalcode/1000001", "such as /v1/postalcode/1000001"),
        ("", "such as /v1/postalcode/1000001"),
        ("http://127.0.0.1:8080/v1/bank", "such as /v1/postalcode/1000001"),
        ("/v1/batch/postalcode/search", "takes POST only; send it to a server"),
        ("/v1/houjinbangou/radar/2026-08-03", "needs no account"),
        (
            "/v1/postalcode/123",
            "a postal code has 7 digits; found 3 characters; Send 7 half-width digits",
        ),
        ("/v1/postalcode/9999999", "expected a code that version 2026-06-30 has; found 9999999"),
        ("/v1/postalcode?limit=1", "expected t (an address), q (a query) or both"),
        ("/v1/bank?version=2020-01-01", "'daicho snapshot list' lists the versions"),
        ("/v1/bank?version=june", "YYYY-MM-DD"),
    ] {
        let message = refuses(&["get", path, "--snapshots", snapshots], 1);
        assert!(message.contains(expected), "{path}: {message}");
    }
    let nowhere = refuses(&["get", "/v1/bank", "--snapshots", "/nowhere"], 1);
    assert!(
        nowhere.contains("no bank data is loaded; build them with 'daicho build'"),
        "{nowhere}"
    );
    assert!(refuses(&["get"], 2).contains("<PATH>"));
    // A code that is the name of another path.
    let versions = refuses(&["lookup", "bank", "versions", "--snapshots", snapshots], 1);
    assert!(versions.contains("an institution code has 4 digits"), "{versions}");
}

#[test]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = text(folder.path());
    succeeds(&["build", "sample", "--out", snapshots]);
    let school = folder.path().join("school/2026-08-25.daicho");
    fs::write(&school, b"not a snapshot").expect("written");
    let message = refuses(&["get", "/v1/school/F108110009907", "--snapshots", snapshots], 3);
    assert!(message.contains("2026-08-25.daicho: "), "{message}");
    succeeds(&["get", "/v1/bank/0001", "--snapshots", snapshots]);
}
