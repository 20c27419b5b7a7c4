//! Several publishers at once: none overwrites the work of another. Each test runs against a store with conditional
//! writes, and against one without them and a PostgreSQL lock instead.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use crate::activate::three_releases_in;
use crate::cluster::Cluster;
use crate::{Depot, object};

/// Makes two tests of each function: with conditional writes, and with a lock in a database.
macro_rules! both_ways {
    ($($name:ident)*) => {
        mod with_conditions {
            $(#[test]
            fn $name() {
                super::$name(super::Depot::make());
            })*
        }
        mod with_a_lock {
            $(#[needs::postgresql]
            #[test]
            fn $name() {
                let schema = super::Cluster::shared().empty_schema();
                super::$name(super::Depot::make().guarded_by(schema));
            })*
        }
    };
}

both_ways! {
    concurrent_activations_do_not_overwrite_each_other
    an_activation_based_on_an_older_generation_fails
    concurrent_pushes_make_two_releases
    a_release_number_taken_during_a_push_is_skipped
}

fn concurrent_activations_do_not_overwrite_each_other(depot: Depot) {
    let depot = three_releases_in(depot);
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
    assert_eq!(current["generation"], 1 + won, "one generation per success: {results:?}");
    for (code, message) in &results {
        assert!(*code == Some(0) || message.contains("another publisher activated"), "{message}");
    }
}

fn an_activation_based_on_an_older_generation_fails(depot: Depot) {
    let depot = three_releases_in(depot);
    depot.json(&["activate", "1"]);
    // Another publisher replaces the object between this one's read and write.
    let s3 = depot.s3.clone();
    let other = depot.object("current").to_string().replace("\"generation\":1", "\"generation\":2");
    let once = Mutex::new(Some(other));
    depot.s3.rule(move |_, method, target| {
        if method == "PUT"
            && target.contains("claims/")
            && let Some(other) = once.lock().expect("not poisoned").take()
        {
            let s3 = s3.clone();
            // On another thread: the server's state is locked while a rule runs.
            thread::spawn(move || s3.put(&object("current"), other.as_bytes()));
        }
        None
    });
    let message = depot.fails(&["activate", "3"], 1);
    assert!(message.contains("expected generation 1 of the active releases, found 2"), "{message}");
    assert_eq!(depot.object("current")["all"]["release"], 1);
    assert!(depot.names("claims").is_empty());
}

fn concurrent_pushes_make_two_releases(depot: Depot) {
    let (s3, state) = (depot.s3.clone(), depot.state.clone());
    let other = Depot { s3, state, ..Depot::make() };
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

fn a_release_number_taken_during_a_push_is_skipped(depot: Depot) {
    depot.json(&["push"]);
    depot.build_banks("2026-07-01");
    let theirs = depot.object("releases/000001.json").to_string();
    let theirs = theirs.replace("\"number\":1", "\"number\":2");
    let (s3, once) = (depot.s3.clone(), Mutex::new(Some(theirs)));
    depot.s3.rule(move |_, method, target| {
        if method == "PUT"
            && target.contains("files/")
            && let Some(theirs) = once.lock().expect("not poisoned").take()
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
