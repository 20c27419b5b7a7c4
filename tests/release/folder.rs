//! Releases in a folder (`file://`) instead of an object store.

use std::fs;
use std::thread;

use crate::{Depot, text};

fn at_folder() -> (Depot, String) {
    let depot = Depot::make();
    let place = depot.folder.path().join("releases with ゐ");
    fs::create_dir(&place).expect("made");
    let url = url::Url::from_directory_path(&place).expect("an absolute path").to_string();
    (depot, url)
}

#[test]
fn a_folder_holds_releases_as_an_object_store_does() {
    let (depot, url) = at_folder();
    let json = |arguments: &[&str]| depot.json(&[arguments, &["--releases", &url]].concat());
    assert_eq!(json(&["list"]), serde_json::json!([]));
    assert_eq!(json(&["push", "--activate"])["moved"]["generation"], 1);
    depot.build_banks("2026-07-01");
    let pushed = json(&["push", "--activate"]);
    assert_eq!((&pushed["release"], &pushed["sent_files"]), (&2.into(), &1.into()));
    assert_eq!(json(&["rollback"])["active"], 1);
    json(&["push", "--versions", "1", "--activate"]);
    json(&["push", "--activate"]);
    json(&["prune", "--keep", "1", "--yes"]);
    let listed = json(&["list"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    assert!(depot.s3.requests().is_empty());
}

#[test]
fn concurrent_activations_in_a_folder_do_not_overwrite_each_other() {
    let (depot, url) = at_folder();
    let run = |arguments: &[&str]| depot.run(&[arguments, &["--releases", &url]].concat());
    assert!(run(&["push", "--activate"]).status.success());
    depot.build_banks("2026-07-01");
    assert!(run(&["push"]).status.success());
    let won: u64 = thread::scope(|scope| {
        let started: Vec<_> = (0..6)
            .map(|at| {
                let number = if at % 2 == 0 { "1" } else { "2" };
                scope.spawn(move || u64::from(run(&["activate", number]).status.success()))
            })
            .collect();
        started.into_iter().map(|thread| thread.join().expect("ended")).sum()
    });
    let path = url::Url::parse(&url).expect("a URL").to_file_path().expect("a path");
    let current = fs::read(path.join("current")).expect("there");
    let current: serde_json::Value = serde_json::from_slice(&current).expect("JSON");
    assert!(won >= 1);
    assert_eq!(current["generation"], 1 + won, "one generation per success");
}

#[test]
fn a_missing_folder_is_reported_and_not_created() {
    let depot = Depot::make();
    let place = depot.folder.path().join("typo");
    let url = format!("file://{}", text(&place));
    let message = depot.fails(&["push", "--releases", &url], 1);
    assert!(message.contains("expected the folder of a file:// store"), "{message}");
    assert!(!place.exists());
}
