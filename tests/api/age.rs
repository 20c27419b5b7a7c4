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
