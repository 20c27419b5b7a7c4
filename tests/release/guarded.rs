//! Publishing to an object store without conditional writes: refused without a database, and guarded by a PostgreSQL
//! lock with one. The lock is held by another publisher, lost, or left by a killed publisher.

use std::process::{Child, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use daicho::account::store::{NamedLock, StoreLocation};

use crate::activate::three_releases_in;
use crate::cluster::Cluster;
use crate::s3::Fault;
use crate::{Depot, object};

const END_PUBLISHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
     WHERE application_name LIKE 'daicho release, process %'";

/// Three releases, the first active, in a store without conditional writes.
fn guarded(cluster: &Cluster) -> Depot {
    let depot = three_releases_in(Depot::make().guarded_by(cluster.empty_schema()));
    depot.json(&["activate", "1"]);
    depot
}

fn activate(depot: &Depot) -> (Option<i32>, String) {
    ended(&depot.run(&["activate", "2"]))
}

fn ended(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Waits until `current` was requested `times` times with this method since the last rule.
fn until_asked(depot: &Depot, method: &str, times: usize) {
    let (begun, asked) = (Instant::now(), format!("{method} /depot/{}?", object("current")));
    while depot.s3.requests().iter().filter(|request| request.starts_with(&asked)).count() < times {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", depot.s3.requests());
        thread::sleep(Duration::from_millis(10));
    }
}

fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("a child");
}

#[test]
fn a_store_without_conditions_is_refused() {
    let depot = Depot::make();
    depot.s3.ignore_conditions();
    let message = depot.fails(&["push"], 1);
    assert!(message.contains("found one that ignores the condition"), "{message}");
    assert!(message.contains("--state postgres://"), "{message}");
    assert!(depot.s3.names().is_empty(), "the claim is removed");
    for (state, code, expected) in [
        ("./daicho.db", 1, "expected a PostgreSQL database, found a file"),
        ("postgres://me:hidden@127.0.0.1:9/accounts", 1, "the database server is unreachable"),
        ("mysql://me:hidden@db/accounts", 2, "found a URL with the scheme mysql"),
        ("", 2, "a value is required"),
    ] {
        let message = depot.fails(&["push", "--state", state], code);
        assert!(message.contains(expected), "{state}: {message}");
        assert!(!message.contains("hidden"), "{message}");
        assert!(depot.s3.names().is_empty(), "the claim is removed");
    }
    // A store that rejects conditional writes.
    let depot = Depot::make();
    depot
        .s3
        .rule(|_, method, _| (method == "PUT").then_some(Fault::Refused(501, "NotImplemented")));
    let message = depot.fails(&["push"], 1);
    assert!(message.contains("501") && message.contains("NotImplemented"), "{message}");
}

#[test]
fn the_database_is_not_used_for_a_store_with_conditions() {
    let depot = Depot { state: Some("postgres://127.0.0.1:9/nobody".to_owned()), ..Depot::make() };
    depot.json(&["push", "--activate"]);
}

#[needs::postgresql]
#[test]
fn every_command_works_without_conditions() {
    let cluster = Cluster::shared();
    let depot = guarded(cluster);
    assert_eq!(depot.json(&["activate", "3"])["generation"], 2);
    assert_eq!(depot.json(&["rollback"])["active"], 1);
    depot.build_banks("2026-09-01");
    assert_eq!(depot.json(&["push", "--activate"])["moved"]["active"], 4);
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(pruned["releases"], serde_json::json!([2, 3]), "a rollback leads to 1");
    depot.assert_whole();
    assert!(depot.names("claims").is_empty());
}

#[needs::postgresql]
#[test]
fn a_publisher_waits_while_another_holds_the_lock() {
    let cluster = Cluster::shared();
    let depot = guarded(cluster);
    let state = depot.state.clone().expect("given");
    let location = StoreLocation::parse(state.as_ref()).expect("a URL");
    let (name, patience) = (format!("daicho releases {}", depot.url()), Duration::from_secs(1));
    let held = NamedLock::acquire(&location, &name, "another", patience).expect("free");
    depot.s3.heal();
    let mut child = depot.start(&["activate", "2"]);
    until_asked(&depot, "GET", 1);
    thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a child").is_none(), "it waits");
    drop(held);
    assert_eq!(ended(&child.wait_with_output().expect("ended")), (Some(0), String::new()));
}

#[needs::postgresql]
#[test]
fn the_lock_of_a_killed_publisher_is_released() {
    let cluster = Cluster::shared();
    let depot = guarded(cluster);
    depot.s3.rule(|_, method, target| {
        (method == "PUT" && target.contains("/current?")).then_some(Fault::Silence)
    });
    let child = depot.start(&["activate", "3"]);
    until_asked(&depot, "PUT", 1);
    kill(child);
    depot.s3.heal();
    assert_eq!(activate(&depot), (Some(0), String::new()));
    assert_eq!(depot.object("current")["generation"], 2);
}

/// Ends the database sessions of publishers at the request number `times` for `current` with this method.
fn end_sessions_at(depot: &Depot, cluster: Arc<Cluster>, method: &'static str, times: usize) {
    let asked = AtomicUsize::new(0);
    depot.s3.rule(move |_, by, target| {
        if by == method && target.contains("/current?") && asked.fetch_add(1, SeqCst) + 1 == times {
            cluster.sql(END_PUBLISHERS);
        }
        None
    });
}

#[needs::postgresql_server]
#[test]
fn a_publisher_that_lost_the_lock_writes_nothing() {
    let cluster = Arc::new(Cluster::start());
    let depot = guarded(&cluster);
    // The first read comes before the lock is taken.
    end_sessions_at(&depot, Arc::clone(&cluster), "GET", 2);
    let (code, message) = activate(&depot);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("did not get it, and wrote nothing: "), "{message}");
    assert!(!depot.s3.requests().iter().any(|it| it.starts_with("PUT") && it.contains("/current")));
    depot.s3.heal();
    assert_eq!(activate(&depot), (Some(0), String::new()));
}

#[needs::postgresql_server]
#[test]
fn a_lock_lost_during_the_write_is_reported() {
    let cluster = Arc::new(Cluster::start());
    let depot = guarded(&cluster);
    end_sessions_at(&depot, Arc::clone(&cluster), "PUT", 1);
    let (code, message) = activate(&depot);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("until this was written, but lost it"), "{message}");
    assert_eq!(depot.object("current")["generation"], 2);
}
