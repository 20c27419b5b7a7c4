//! Old postal data: the notice in answers and the warning in the log. Also the log messages about an empty
//! snapshot folder.

use std::fs;
use std::path::Path;

use crate::support::{ServerProcess, ask, post, sample, wait_until};

const OLD: &str = "the postal data are of 2022-06-30 and ";

/// Copies a postal snapshot of the sample into a folder; renames it at the end, so that it appears complete.
fn put(folder: &Path, version: &str) {
    let name = format!("postal/{version}.daicho");
    fs::create_dir_all(folder.join("postal")).expect("made");
    fs::copy(sample().join(&name), folder.join(".unfinished")).expect("copied");
    fs::rename(folder.join(".unfinished"), folder.join(name)).expect("renamed");
}

#[test]
fn answers_from_old_postal_data_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "2022-06-30");
    let served = ServerProcess::with_snapshots(Some(folder.path()), &["--age-days", "60"]);
    let notice = |target: &str| {
        let answer = served.get(target);
        answer.header("daicho-notice").unwrap_or_default().to_owned()
    };
    for target in [
        "/v1/postalcode/1000001",
        "/v1/postalcode/9999999",
        "/v1/postalcode/1000001?version=",
        "/v1/postalcode/versions",
        "/v1/postalcode?t=%E6%9D%B1%E4%BA%AC%E9%83%BD",
        "/v1/cities/13",
    ] {
        let notice = notice(target);
        assert!(notice.starts_with(OLD) && notice.ends_with(" days old"), "{target}: {notice}");
    }
    for target in ["/v1/postalcode/1000001?version=2022-06-30", "/v1/holidays", "/v1/whoami"] {
        assert_eq!(notice(target), "", "{target}");
    }
    let both = notice("/v1/postalcode/1000001?x=y");
    assert!(
        both.starts_with("unknown parameter x has no effect; the postal data are of"),
        "{both}"
    );
    let queries = br#"{"queries":[{"t":"\u6771\u4eac\u90fd"}]}"#;
    let batch = post(served.address, "/v1/batch/postalcode/search", &served.batch, queries);
    assert_eq!(batch.status, 200);
    assert!(batch.header("daicho-notice").is_some_and(|notice| notice.starts_with(OLD)));
    // A request without a key gets no notice.
    assert_eq!(ask(served.address, "GET /v1/postalcode/1000001").header("daicho-notice"), None);
    let warning = "the newest postal data are old";
    let log = served.wait_for_log(warning);
    assert_eq!(log.matches(warning).count(), 1, "{log}");
    // The age of the newest version counts.
    put(folder.path(), "2026-05-29");
    wait_until("the newer version to be loaded", || {
        !notice("/v1/cities/13").contains("2022-06-30")
    });
}

#[test]
fn an_age_limit_of_0_days_turns_the_notice_off() {
    let folder = tempfile::tempdir().expect("a folder");
    put(folder.path(), "2022-06-30");
    let served = ServerProcess::with_snapshots(Some(folder.path()), &["--age-days", "0"]);
    assert_eq!(served.get("/v1/postalcode/1000001").header("daicho-notice"), None);
    assert!(!served.logged().contains("postal data are old"));
}

#[test]
fn an_empty_folder_says_what_to_do_in_two_commands() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let folder = served.folder.path().join("snapshots");
    for expected in [
        format!("the snapshot folder {} does not exist", folder.display()),
        format!("no snapshots in {}", folder.display()),
        format!("daicho build included --out {}", folder.display()),
        format!("daicho update --snapshots {}", folder.display()),
    ] {
        served.wait_for_log(&expected);
    }
    assert!(
        !ServerProcess::start().logged().contains("no snapshots in"),
        "a folder with snapshots is reported as empty"
    );
}

/// Copies a folder of the sample.
fn copy(folder: &Path, dataset: &str) {
    let name = format!("{dataset}/2026-08-03.daicho");
    fs::create_dir_all(folder.join(dataset)).expect("made");
    fs::copy(sample().join(&name), folder.join(name)).expect("copied");
}

#[test]
fn every_dataset_has_its_own_age() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(folder.path(), "corporate");
    let served = ServerProcess::with_snapshots(Some(folder.path()), &["--age-days", "60"]);
    let key = &served.premium;
    let notice = |target: &str| {
        let answer = ask(served.address, &format!("GET {target}\nAuthorization: Token {key}"));
        answer.header("daicho-notice").unwrap_or_default().to_owned()
    };
    let old = "the corporate data are of 2026-08-03 and ";
    assert!(notice("/v1/houjinbangou/6010001999901").starts_with(old));
    assert!(notice("/v1/houjinbangou/1180301018771").starts_with(old), "an unknown number");
    assert!(notice("/v1/suggest/corporation?q=a").starts_with(old));
    served.wait_for_log("the newest corporate data are old");
}

#[test]
fn corporations_without_a_register_are_no_registered_issuers() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(folder.path(), "corporate");
    let notice = "no register of invoice issuers is loaded";
    let get = |served: &ServerProcess, target: &str| {
        let key = &served.premium;
        ask(served.address, &format!("GET /v1/houjinbangou{target}\nAuthorization: Token {key}"))
    };
    let has_notice = |served: &ServerProcess, target: &str| {
        get(served, target).header("daicho-notice").is_some_and(|found| found.contains(notice))
    };
    let without = ServerProcess::with_snapshots(Some(folder.path()), &["--age-days", "0"]);
    assert_eq!(
        get(&without, "/6010001999901").json()["data"]["qualified_invoice_issuer_number"],
        "T6010001999901"
    );
    let closed = get(&without, "/5010001999902").json();
    assert!(closed["data"]["close_date"].is_string(), "{closed}");
    assert!(closed["data"]["qualified_invoice_issuer_number"].is_null(), "{closed}");
    for target in ["/6010001999901", "?q=%E5%8F%B0%E5%B8%B3"] {
        assert!(has_notice(&without, target), "{target}");
    }
    assert!(!has_notice(&without, "/6010001999901?api_version=2023-09-01"), "it has no number");
    assert!(
        get(&without, "?q=%E5%8F%B0%E5%B8%B3")
            .header("daicho-notice")
            .is_some_and(|found| found.contains("the corporate data are of "))
    );
    let with = ServerProcess::start();
    assert!(!has_notice(&with, "/6010001999901"));
}
