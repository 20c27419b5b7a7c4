//! Answers over official data have the documented shapes: the postal codes and corporations that are included in the
//! program, and the bank directory.

use std::path::Path;
use std::process::Command;

use daicho::api::endpoint::Content;
use daicho::api::table::TABLE;
use daicho::text::codes::ApiVersion;

use super::shapes::faults;
use super::site::ask;
use crate::shared_data::official;
use crate::support::ServerProcess;

#[test]
fn answers_over_included_data_have_the_documented_shapes() {
    let folder = tempfile::tempdir().expect("a folder");
    build(folder.path(), &["build", "included"]);
    let mut asked: Vec<(&str, String)> = Vec::new();
    for code in ["1000001", "6028064", "0580343", "1006890", "4980000", "9071801"] {
        asked.push(("/v1/postalcode/{code}", format!("/v1/postalcode/{code}?point=1")));
    }
    for prefecture in 1..=47 {
        asked.push(("/v1/cities/{prefecture}", format!("/v1/cities/{prefecture:02}")));
    }
    asked.push(("/v1/postalcode/updates", "/v1/postalcode/updates".to_owned()));
    for offset in [0, 100, 2_000, 20_000] {
        // 町 and 市 in UTF-8.
        let query = format!("q=%E7%94%BA%E5%B8%82+%E6%9D%B1&offset={offset}&facet=/&explain=1");
        asked.push(("/v1/postalcode", format!("/v1/postalcode?{query}")));
        // 株式 in UTF-8.
        let query = format!(
            "q=%E6%A0%AA%E5%BC%8F&offset={offset}&facet_area=/&facet_kind=/&facet_process=/&facet_close_cause=/"
        );
        asked.push(("/v1/houjinbangou", format!("/v1/houjinbangou?{query}")));
    }
    check(folder.path(), &asked);
}

#[needs::official_data]
#[test]
fn answers_over_the_official_bank_directory_have_the_documented_shapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = official("bank/2026-05-25/ginkositen.txt.zst");
    let source = source.to_str().expect("a path of UTF-8");
    build(folder.path(), &["build", "bank", "--version", "2026-05-25", "--source", source]);
    let mut asked: Vec<(&str, String)> = vec![("/v1/bank", "/v1/bank".to_owned())];
    for code in ["0001", "0005", "1000", "9900"] {
        asked.push(("/v1/bank/{bank}/branches", format!("/v1/bank/{code}/branches")));
    }
    check(folder.path(), &asked);
}

/// Requests each target in every API version that has its endpoint, and compares the answer with the endpoint's shape.
fn check(snapshots: &Path, asked: &[(&str, String)]) {
    let server = ServerProcess::with_snapshots(Some(snapshots), &[]);
    for version in ApiVersion::ALL {
        for (path, target) in asked {
            let endpoint = TABLE.iter().find(|known| known.path == *path).expect("in the table");
            let Content::Json(object) = endpoint.content else { panic!("{path} returns JSON") };
            if version < endpoint.since {
                continue;
            }
            let answer =
                ask(&server, &format!("GET {target}"), &format!("API-Version: {version}"), "");
            assert_eq!(answer.status, 200, "{target} in {version}: {}", answer.text());
            let wrong = faults(&answer.json(), object, version);
            assert!(wrong.is_empty(), "{target} in {version}:\n{}", wrong[..1].join("\n"));
        }
    }
}

fn build(folder: &Path, arguments: &[&str]) {
    let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(arguments)
        .arg("--out")
        .arg(folder)
        .output()
        .expect("the binary runs");
    assert!(built.status.success(), "{built:?}");
}
