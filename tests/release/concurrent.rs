//! Several publishers at once: none overwrites what another did.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use crate::activate::three;
use crate::s3::Fault;
use crate::{Depot, object};

#[test]
fn two_that_activate_at_once_do_not_overtake_each_other() {
    let depot = three();
    depot.json(&["activate", "1"]);
    let both = Arc::new(Barrier::new(2));
    let depot = &depot;
    let results: Vec<(Option<i32>, String)> = thread::scope(|scope| {
        let activate = |number: &'static str| {
            let both = Arc::clone(&both);
            scope.spawn(move || {
                both.wait();
                let output = depot.run(&["activate", number]);
                (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
            })
        };
        let threads = [activate("2"), activate("3")];
        threads.into_iter().map(|thread| thread.join().expect("ended")).collect()
    });
    let current = depot.object("current");
    let won = results.iter().filter(|(code, _)| *code == Some(0)).count() as u64;
    assert!(won >= 1, "{results:?}");
    assert_eq!(current["generation"], 1 + won, "each that succeeded moved it: {results:?}");
    for (code, message) in &results {
        assert!(*code == Some(0) || message.contains("somebody else activated"), "{message}");
    }
}

#[test]
fn whoever_read_an_older_generation_moves_nothing() {
    let depot = three();
    depot.json(&["activate", "1"]);
    // Somebody else is faster: the object is replaced between reading and writing it.
    let s3 = depot.s3.clone();
    let other = depot.object("current").to_string().replace("\"generation\":1", "\"generation\":2");
    let once = Mutex::new(Some(other));
    depot.s3.rule(move |_, method, target| {
        if method == "PUT"
            && target.contains("claims/")
            && let Some(other) = once.lock().expect("held by nobody").take()
        {
            let s3 = s3.clone();
            // The state is in use here.
            thread::spawn(move || s3.put(&object("current"), other.as_bytes()));
        }
        None
    });
    let message = depot.fails(&["activate", "3"], 1);
    assert!(message.contains("expected generation 1 of what is active, found 2"), "{message}");
    assert_eq!(depot.object("current")["all"]["release"], 1);
    assert!(depot.names("claims").is_empty());
}

#[test]
fn two_that_push_at_once_make_two_releases() {
    let depot = Depot::make();
    let other = Depot { s3: depot.s3.clone(), ..Depot::make() };
    other.build_banks("2026-07-01");
    let (first, second) = (depot.start(&["push"]), other.start(&["push"]));
    for child in [first, second] {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(depot.names("releases").len(), 2);
    let files = |number: &str| depot.json(&["show", number])["files"].as_array().map(Vec::len);
    let mut counts = [files("1"), files("2")];
    counts.sort_unstable();
    assert!(counts[0] < counts[1], "each has the files of its own folder: {counts:?}");
    depot.assert_whole();
}

#[test]
fn a_number_that_somebody_took_meanwhile_is_not_taken_again() {
    let depot = Depot::make();
    depot.json(&["push"]);
    depot.build_banks("2026-07-01");
    let theirs = depot.object("releases/000001.json").to_string();
    let theirs = theirs.replace("\"number\":1", "\"number\":2");
    let (s3, once) = (depot.s3.clone(), Mutex::new(Some(theirs)));
    depot.s3.rule(move |_, method, target| {
        if method == "PUT"
            && target.contains("files/")
            && let Some(theirs) = once.lock().expect("held by nobody").take()
        {
            let s3 = s3.clone();
            thread::spawn(move || s3.put(&object("releases/000002.json"), theirs.as_bytes()));
        }
        None
    });
    let pushed = depot.json(&["push"]);
    assert_eq!(pushed["release"], 3);
    depot.assert_whole();
}

#[test]
fn a_store_without_conditions_is_refused() {
    let depot = Depot::make();
    depot.s3.ignore_conditions();
    let message = depot.fails(&["push"], 1);
    assert!(message.contains("found one that ignores such conditions"), "{message}");
    assert!(depot.s3.names().is_empty(), "not even the claim stays");
    // A store that says that it cannot.
    let depot = Depot::make();
    depot
        .s3
        .rule(|_, method, _| (method == "PUT").then_some(Fault::Refused(501, "NotImplemented")));
    let message = depot.fails(&["push"], 1);
    assert!(message.contains("501") && message.contains("NotImplemented"), "{message}");
}
