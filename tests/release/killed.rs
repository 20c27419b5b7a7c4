//! A push that is killed at each of its requests: no release is incomplete, and the next push resumes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use crate::Depot;
use crate::s3::Fault;

/// Kills a push at request number `at`: before the store acts on it (`Silence`) or after (`SilenceAfterwards`).
fn kill_at(depot: &Depot, at: usize, fault: Fault) {
    let reached = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&reached);
    depot.s3.rule(move |number, _, _| {
        (number == at).then(|| {
            told.store(true, SeqCst);
            fault
        })
    });
    let mut child = depot.start(&["push", "--activate"]);
    while !reached.load(SeqCst) && child.try_wait().expect("a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    // Time for the store to act on the request.
    thread::sleep(Duration::from_millis(20));
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(reached.load(SeqCst), "the push has a request {at}");
    depot.s3.heal();
}

#[test]
fn a_push_killed_at_any_request_is_resumed_by_the_next() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.build_banks("2026-07-01");
    depot.s3.heal();
    let steps = {
        let sample = Depot::make();
        sample.json(&["push", "--activate"]);
        sample.build_banks("2026-07-01");
        sample.s3.heal();
        sample.json(&["push", "--activate"]);
        sample.s3.requests()
    };
    assert!(steps.len() > 8, "{steps:?}");
    let mut version = 1;
    let is_write = |at: usize| steps[at].starts_with("PUT ") || steps[at].starts_with("DELETE ");
    for (at, step) in steps.iter().enumerate() {
        // Only a write changes the store: of the reads behind one, the first stands for all.
        let faults = match (is_write(at), at == 0 || is_write(at - 1)) {
            (true, _) => &[Fault::Silence, Fault::SilenceAfterwards][..],
            (false, true) => &[Fault::Silence],
            (false, false) => &[],
        };
        for &fault in faults {
            kill_at(&depot, at, fault);
            depot.assert_whole();
            let active = depot.json(&["list"]);
            let active = active.as_array().expect("releases").iter();
            assert_eq!(active.filter(|row| row["active"][0] == "all").count(), 1, "{step}");
            // The next push resumes: it sends at most the one interrupted file again.
            let pushed = depot.json(&["push", "--activate"]);
            assert!(pushed["sent_files"].as_u64() <= Some(1), "{step}: {pushed}");
            depot.assert_whole();
            let listed = depot.json(&["list"]);
            let last = listed.as_array().and_then(|rows| rows.last()).expect("a release");
            assert_eq!(last["active"][0], "all", "{step}");
            version += 1;
            depot.build_banks(&format!("2026-{:02}-{:02}", 7 + version / 28, 1 + version % 28));
        }
    }
}

#[test]
fn a_prune_keeps_the_files_of_a_killed_push_for_a_day() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.build_banks("2026-07-01");
    // Killed after the new file is written and before the release is.
    let at_release = |method: &str, target: &str| method == "PUT" && target.contains("releases/");
    depot.s3.rule(move |_, method, target| at_release(method, target).then_some(Fault::Silence));
    let mut child = depot.start(&["push"]);
    while !depot.s3.requests().iter().any(|line| line.contains("PUT /depot/japan/prod/releases/")) {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    depot.s3.heal();
    let files = depot.names("files");
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!((&pruned["files"], depot.names("files")), (&0.into(), files.clone()));
    // After a day the claim expires.
    for claim in depot.names("claims") {
        depot.s3.make_older(&claim, 25);
    }
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["files"], 1);
    assert_eq!(depot.names("files").len(), files.len() - 1);
    assert!(depot.names("claims").is_empty());
    depot.json(&["push", "--activate"]);
    depot.assert_whole();
}
