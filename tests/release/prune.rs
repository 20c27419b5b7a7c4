//! `daicho release prune`: which releases, files and claims it removes, and which it must keep.

use std::sync::Mutex;

use serde_json::json;

use crate::activate::three_releases;
use crate::s3::Fault;
use crate::{Depot, object};

#[test]
fn a_prune_removes_old_releases_and_files_that_only_they_need() {
    let depot = three_releases();
    depot.json(&["activate", "3"]);
    let files = depot.names("files").len();
    let would = depot.json(&["prune", "--keep", "1", "--dry-run"]);
    assert_eq!((&would["removed"], &would["releases"]), (&false.into(), &json!([1, 2])));
    assert_eq!(would["files"], 0, "release 3 has all files of 1 and 2");
    assert_eq!(depot.names("releases").len(), 3);
    // Release 4 has fewer versions, so it needs fewer files.
    depot.json(&["push", "--versions", "1", "--activate"]);
    let message = depot.fails(&["prune", "--keep", "1"], 2);
    assert!(message.contains("expected a terminal or --yes"), "{message}");
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(
        (&pruned["releases"], &pruned["files"]),
        (&json!([1, 2]), &0.into()),
        "a rollback from 4 leads to 3"
    );
    depot.json(&["activate", "4", "--label", "canary"]);
    depot.json(&["push", "--versions", "1", "--by", "again"]);
    depot.build_banks("2026-09-01");
    depot.json(&["push", "--versions", "1", "--activate"]);
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["releases"], json!([3]));
    assert!(pruned["files"].as_u64() >= Some(2), "{pruned}");
    assert!(depot.names("files").len() < files);
    depot.assert_whole();
    assert_eq!(depot.json(&["rollback"])["active"], 4);
    let message = depot.fails(&["prune", "--keep", "0", "--yes"], 2);
    assert!(message.contains("0 is not in"), "{message}");
}

#[test]
fn a_prune_removes_every_release_before_the_first_file() {
    let depot = Depot::make();
    depot.json(&["push"]);
    // Release 1 alone needs a file; a push of the newest versions leaves it to no other release.
    depot.build_banks("2026-09-01");
    depot.json(&["push", "--versions", "1", "--activate"]);
    // The store is busy at the first removal of a release, so that it takes longer than the removal of a file.
    let is_first = Mutex::new(true);
    depot.s3.rule(move |_, method, target| {
        let removes_release = method == "DELETE" && target.contains("/releases/");
        let is_busy = removes_release && std::mem::take(&mut *is_first.lock().expect("no panic"));
        is_busy.then_some(Fault::Refused(503, "SlowDown"))
    });
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["releases"], json!([1]));
    assert!(pruned["files"].as_u64() >= Some(1), "{pruned}");
    let removals = depot.s3.requests();
    let removals = removals.iter().filter(|request| request.starts_with("DELETE "));
    let folders: Vec<bool> = removals
        .filter(|request| !request.contains("/claims/"))
        .map(|request| request.contains("/files/"))
        .collect();
    assert!(folders.is_sorted(), "releases first: {folders:?}");
}

#[test]
fn a_prune_keeps_claimed_releases_and_files() {
    let depot = three_releases();
    depot.json(&["push", "--versions", "1", "--activate"]);
    // A claim on release 1 (an activation) and on a file that no release names yet (a push).
    let sum = "ab".repeat(32);
    depot.s3.put(&object(&format!("files/sha256/{sum}")), b"new");
    let claim = json!({ "files": [sum], "releases": [1] }).to_string();
    depot.s3.put(&object("claims/write-1.json"), claim.as_bytes());
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["releases"], json!([2, 3]));
    assert_eq!(depot.names("releases").len(), 2);
    assert!(depot.names("files").iter().any(|name| name.ends_with(&sum)));
    depot.assert_whole();
    depot.s3.remove(&object("claims/write-1.json"));
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["releases"], json!([1]));
    assert!(!depot.names("files").iter().any(|name| name.ends_with(&sum)));
}

#[test]
fn pushes_and_activations_are_refused_during_a_prune() {
    let depot = three_releases();
    depot.s3.put(&object("claims/prune-1.json"), b"{}");
    let message = depot.fails(&["activate", "1"], 1);
    assert!(message.contains("expected no running prune, found one since"), "{message}");
    let message = depot.fails(&["push", "--versions", "1"], 1);
    assert!(message.contains("claims/prune-1.json"), "{message}");
    assert_eq!(depot.names("claims").len(), 1, "their own claims are removed");
    // The claim of a killed prune expires after an hour.
    depot.s3.make_older(&object("claims/prune-1.json"), 2);
    depot.json(&["activate", "1"]);
    depot.json(&["prune", "--keep", "3", "--yes"]);
    assert!(depot.names("claims").is_empty());
}

#[test]
fn an_unreadable_release_that_is_needed_stops_a_prune() {
    let depot = three_releases();
    depot.json(&["activate", "2"]);
    depot.s3.put(&object("releases/000002.json"), b"{}");
    let names = depot.s3.names();
    let message = depot.fails(&["prune", "--keep", "1", "--yes"], 3);
    assert!(message.contains("expected release 2"), "{message}");
    assert_eq!(depot.s3.names(), names);
}

#[test]
fn a_prune_keeps_objects_that_are_not_of_releases() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    for name in [
        "japan/prod/notes.txt",
        "japan/prod/files/sha256/notes",
        "japan/other/releases/000001.json",
    ] {
        depot.s3.put(name, b"mine");
    }
    let names = depot.s3.names();
    depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(depot.s3.names(), names);
}
