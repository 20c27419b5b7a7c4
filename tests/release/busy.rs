//! Days with more work than usual: ten releases on one day, a prune while a push runs, and a server that was away for a
//! week, whose release was pruned meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::serve::{Node, SAMPLE};
use crate::{Depot, object, text};

fn version(number: u32) -> String {
    format!("2026-07-{number:02}")
}

/// A depot whose releases are in a folder.
fn at_folder() -> (Depot, String) {
    let depot = Depot::make();
    let place = depot.folder.path().join("releases");
    fs::create_dir(&place).expect("made");
    (depot, format!("file://{}", text(&place)))
}

/// The files of every release below a folder of releases that are missing or have another size.
fn missing_files(place: &Path) -> Vec<String> {
    let mut missing = Vec::new();
    for entry in fs::read_dir(place.join("releases")).expect("releases").flatten() {
        let bytes = fs::read(entry.path()).expect("a release");
        let release: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        for file in release["release"]["files"].as_array().expect("files") {
            let sum = file["sha256"].as_str().expect("a sum");
            let found = fs::metadata(place.join("files/sha256").join(sum));
            if found.map(|found| found.len()).ok() != file["bytes"].as_u64() {
                missing.push(format!("{:?}: {file}", entry.file_name()));
            }
        }
    }
    missing
}

/// Asks for a bank until the work is done; returns the answers that were no success, and the versions in their order.
fn asked_during(node: &Node, work: impl FnOnce()) -> (Vec<u16>, Vec<String>) {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let asker = scope.spawn(|| {
            let (mut failed, mut versions) = (Vec::new(), Vec::<String>::new());
            while !is_done.load(Relaxed) {
                let (status, body) = node.get("/v1/bank/0001");
                let answer: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
                match answer["version"].as_str() {
                    Some(version) if status == 200 => {
                        if versions.last().map(String::as_str) != Some(version) {
                            versions.push(version.to_owned());
                        }
                    }
                    _ => failed.push(status),
                }
                thread::sleep(Duration::from_millis(5));
            }
            (failed, versions)
        });
        work();
        is_done.store(true, Relaxed);
        asker.join().expect("no panic")
    })
}

#[test]
fn ten_releases_on_a_day_are_served_one_after_the_other() {
    let (depot, url) = at_folder();
    let release = |arguments: &[&str]| depot.json(&[arguments, &["--releases", &url]].concat());
    release(&["push", "--activate"]);
    let node = depot.serve_at(&url, &["--cache-size", "40M"]);
    node.serves_banks_of(SAMPLE);
    let (failed, versions) = asked_during(&node, || {
        for day in 1..=10 {
            depot.build_banks(&version(day));
            // Only the newest two, so that the older ones leave the folder of releases and the cache.
            release(&["push", "--activate", "--versions", "2"]);
            node.serves_banks_of(&version(day));
            if day % 3 == 0 {
                release(&["prune", "--keep", "2", "--yes"]);
            }
        }
        // A bad day ends where it began.
        for day in (8..=9).rev() {
            release(&["rollback"]);
            node.serves_banks_of(&version(day));
        }
    });
    assert!(failed.is_empty(), "{failed:?}");
    let mut expected = vec![SAMPLE.to_owned()];
    expected.extend((1..=10).chain([9, 8]).map(version));
    assert_eq!(versions, expected);
    assert_eq!(node.metric("daicho_release_failures_total"), Some(0.0), "{}", node.log());
    assert_eq!(missing_files(&depot.folder.path().join("releases")), Vec::<String>::new());
    // The cache has one folder, of the served release, and no part of a download.
    let entries = |name: &str| fs::read_dir(depot.cache().join(name)).expect("a folder").flatten();
    assert_eq!(entries("folders").count(), 1);
    assert!(entries("files").all(|it| !it.file_name().to_string_lossy().ends_with(".part")));
}

#[test]
fn prunes_and_pushes_at_once_lose_no_file() {
    let (depot, url) = at_folder();
    let run = |arguments: &[&str]| depot.run(&[arguments, &["--releases", &url]].concat());
    assert!(run(&["push", "--activate"]).status.success());
    let is_done = AtomicBool::new(false);
    let outcomes = thread::scope(|scope| {
        let pruner = scope.spawn(|| {
            let mut outcomes = BTreeMap::<String, u32>::new();
            while !is_done.load(Relaxed) {
                let output = run(&["prune", "--keep", "1", "--yes"]);
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                let outcome = if output.status.success() { "pruned".to_owned() } else { message };
                *outcomes.entry(outcome).or_default() += 1;
            }
            outcomes
        });
        for day in 1..=10 {
            depot.build_banks(&version(day));
            // A push that meets a prune is refused, and says what to do: try again when that is done.
            let pushed = (0..200).find_map(|_| {
                let output = run(&["push", "--activate", "--versions", "2"]);
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                let is_busy = message.contains("expected no running prune");
                assert!(output.status.success() || is_busy, "{message}");
                thread::sleep(Duration::from_millis(20));
                output.status.success().then_some(())
            });
            pushed.expect("a push between two prunes");
            let missing = missing_files(&depot.folder.path().join("releases"));
            assert_eq!(missing, Vec::<String>::new(), "after push {day}");
        }
        is_done.store(true, Relaxed);
        pruner.join().expect("no panic")
    });
    assert!(outcomes.contains_key("pruned"), "{outcomes:?}");
    assert_eq!(outcomes.len(), 1, "a prune has no fault: {outcomes:?}");
    let node = depot.serve_at(&url, &[]);
    node.serves_banks_of(&version(10));
}

#[test]
fn a_server_that_was_away_for_a_week_catches_up() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    let mut node = depot.serve(&["--node-name", "web-1"]);
    node.serves_banks_of(SAMPLE);
    node.ends_in_order();
    drop(node);
    // A part of a file that is in no release any more.
    let part = depot.cache().join("files").join(format!("{}.part", "ab".repeat(32)));
    fs::write(&part, "unfinished").expect("written");
    for day in 1..=8 {
        depot.build_banks(&version(day));
        depot.json(&["push", "--activate", "--versions", "1"]);
    }
    depot.s3.make_older(&object("nodes/web-1.json"), 7 * 24);
    let pruned = depot.json(&["prune", "--keep", "2", "--yes"]);
    assert_eq!(
        (&pruned["releases"], &pruned["nodes"]),
        (&json!([1, 2, 3, 4, 5, 6, 7]), &json!(["web-1"]))
    );
    let node = depot.serve(&["--node-name", "web-1"]);
    node.serves_banks_of(&version(8));
    node.waits_for("ready", |node| node.get("/readyz").0 == 200);
    assert_eq!(node.metric("daicho_release_failures_total"), Some(0.0), "{}", node.log());
    assert_eq!(node.get(&format!("/v1/bank/0001?version={SAMPLE}")).0, 200, "older versions stay");
    assert!(!part.exists(), "removed");
    let reported = || depot.run_json(&["node", "list", "--json"])[0]["active"] == 9;
    node.waits_for("the report", |_| reported());
}

#[test]
fn a_server_that_comes_back_without_the_store_serves_what_it_had() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    let mut node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    node.ends_in_order();
    drop(node);
    for day in 1..=2 {
        depot.build_banks(&version(day));
        depot.json(&["push", "--activate", "--versions", "1"]);
    }
    depot.json(&["prune", "--keep", "1", "--yes"]);
    depot.s3.rule(|_, _, _| Some(crate::s3::Fault::Refused(503, "SlowDown")));
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    depot.s3.heal();
    node.serves_banks_of(&version(2));
}
