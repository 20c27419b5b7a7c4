//! Activations with running servers: all servers prepare the release, then all switch at the same moment.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::Depot;
use crate::s3::Fault;
use crate::serve::{Node, SAMPLE, is_file, two_releases};

const LATER: &str = "2026-07-01";

/// Starts servers with these names, and waits until they serve release 1.
fn servers<const N: usize>(depot: &Depot, names: [&str; N]) -> [Node; N] {
    let nodes = names.map(|name| depot.serve(&["--node-name", name, "--cache", name]));
    for (node, name) in nodes.iter().zip(names) {
        node.waits_for("live", |_| depot.node(name)["active"] == 1);
    }
    nodes
}

/// A response: when it was requested, when it came, and its data version.
type Answer = (Instant, Instant, String);

/// Sends requests to each server without a pause while `work` runs. Returns the responses of each server in order.
fn asked_meanwhile(nodes: &[Node], work: impl FnOnce()) -> Vec<Vec<Answer>> {
    let (stop, all) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for node in nodes {
            let (stop, all) = (&stop, &all);
            scope.spawn(move || {
                let mut answers: Vec<Answer> = Vec::new();
                loop {
                    // The last request is sent after the work, also on a busy machine.
                    let is_last = stop.load(Relaxed);
                    let begun = Instant::now();
                    let version = node.banks().expect("banks are served");
                    answers.push((begun, Instant::now(), version));
                    if is_last {
                        break;
                    }
                }
                all.lock().expect("not poisoned").push(answers);
            });
        }
        work();
        stop.store(true, Relaxed);
    });
    all.into_inner().expect("not poisoned")
}

/// The time from the first response of version `new` of any server to the last of `old`. Asserts that each server
/// switched once.
#[track_caller]
fn overlap(answers: &[Vec<Answer>], old: &str, new: &str) -> Duration {
    let mut versions = Vec::new();
    for of_one in answers {
        let mut seen: Vec<&str> = of_one.iter().map(|(.., version)| version.as_str()).collect();
        seen.dedup();
        versions.push(seen);
    }
    assert!(versions.iter().all(|seen| *seen == [old, new]), "{versions:?}");
    let of = |version: &str| {
        let version = version.to_owned();
        answers.iter().flatten().filter(move |(.., found)| *found == version).map(|answer| answer.1)
    };
    let (last, first) = (of(old).max().expect("some"), of(new).min().expect("some"));
    last.saturating_duration_since(first)
}

#[test]
fn three_servers_switch_at_the_same_moment() {
    let depot = two_releases();
    let nodes = servers(&depot, ["web-1", "web-2", "web-3"]);
    let both_ways = [(["activate", "2"].as_slice(), SAMPLE, LATER), (&["rollback"], LATER, SAMPLE)];
    for (command, old, new) in both_ways {
        let answers = asked_meanwhile(&nodes, || {
            let moved = depot.json(command);
            assert_eq!(moved["nodes"], 3, "{moved}");
            for node in &nodes {
                node.waits_for(new, |node| node.banks().as_deref() == Some(new));
            }
        });
        let (overlap, count) = (overlap(&answers, old, new), answers.iter().flatten().count());
        eprintln!(
            "{command:?}: old version for {overlap:?} after the first new response; {count} responses"
        );
    }
    let current = depot.object("current");
    assert_eq!((&current["generation"], &current["next"]), (&json!(5), &json!(null)), "{current}");
    for name in ["web-1", "web-2", "web-3"] {
        nodes[0].waits_for("its state", |_| depot.node(name)["active"] == 1);
    }
}

#[test]
fn a_scheduled_release_is_prepared_but_not_served() {
    let depot = two_releases();
    let [node] = servers(&depot, ["web-1"]);
    let at = (Timestamp::now() + SignedDuration::from_hours(1)).to_string();
    let output = depot.run(&["activate", "2", "--at", &at]);
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = format!("active from {at} on: release 2 after 1 (generation 3, 1 node)\n");
    assert_eq!(text, expected, "{}", String::from_utf8_lossy(&output.stderr));
    let seen = depot.node("web-1");
    assert_eq!((&seen["active"], &seen["prepared"]), (&json!(1), &json!(2)), "{seen}");
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
    assert_eq!(node.metric("daicho_release_prepared"), Some(2.0));
    let listed = depot.json(&["list"]);
    assert_eq!((&listed[0]["active"], &listed[1]["next"]), (&json!(["all"]), &json!(["all"])));
    let message = depot.fails(&["activate", "2", "--label", "canary"], 1);
    assert!(message.contains("expected no scheduled switch, found one at"), "{message}");
    // A prune keeps the release that is served until then.
    assert_eq!(depot.json(&["prune", "--keep", "1", "--yes"])["releases"], json!([]));
    depot.json(&["rollback"]);
    node.waits_for("dropped", |_| depot.node("web-1")["prepared"] == 1);
    let current = depot.object("current");
    assert_eq!((&current["all"]["release"], &current["until"]), (&json!(1), &json!(null)));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
}

#[test]
fn a_server_switches_while_the_store_is_unreachable() {
    let depot = two_releases();
    let [node] = servers(&depot, ["web-1"]);
    let serves = |version: &str| node.banks().as_deref() == Some(version);
    let is_current = |line: &String| line.starts_with("GET") && line.contains("/current");
    let mut ahead = SignedDuration::from_secs(4);
    let at = loop {
        let at = Timestamp::now() + ahead;
        depot.json(&["activate", "2", "--at", &at.to_string()]);
        let sent = depot.s3.requests().len();
        node.waits_for("the switch", |_| depot.s3.requests()[sent..].iter().any(is_current));
        depot.s3.rule(|_, _, _| Some(Fault::Silence));
        if serves(SAMPLE) {
            break at;
        }
        // A slow machine: the switch came before the store was unreachable. Again, further ahead.
        depot.s3.heal();
        depot.json(&["rollback"]);
        node.waits_for(SAMPLE, |_| serves(SAMPLE));
        ahead *= 2;
    };
    node.waits_for(LATER, |_| serves(LATER));
    assert!(Timestamp::now() >= at, "not before the scheduled time");
}

#[test]
fn an_activation_without_enough_prepared_servers_changes_nothing() {
    let depot = two_releases();
    let [_able] = servers(&depot, ["web-1"]);
    let room = depot.json(&["show", "1"])["bytes"].to_string();
    let small = ["--node-name", "web-2", "--cache", "web-2", "--cache-size", &room];
    let unable = depot.serve(&small);
    unable.waits_for("live", |_| depot.node("web-2")["active"] == 1);
    let message = depot.fails(&["activate", "2", "--timeout", "3s"], 1);
    for part in [
        "expected 2 prepared nodes within 3 seconds, found 1",
        "not prepared: web-2 (release 1; it says: release 2: expected at most",
        "with --quorum",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    let current = depot.object("current");
    assert_eq!((&current["all"]["release"], &current["next"]), (&json!(1), &json!(null)));
    assert!(depot.names("claims").is_empty());
    for quorum in ["1", "50%"] {
        let moved = depot.json(&["activate", "2", "--quorum", quorum]);
        assert_eq!((&moved["active"], &moved["nodes"]), (&json!(2), &json!(2)));
        assert_eq!(depot.json(&["rollback", "--quorum", "0"])["active"], 1);
    }
    assert_eq!(unable.banks().as_deref(), Some(SAMPLE));
}

#[test]
fn a_killed_activation_changes_nothing_and_the_next_replaces_it() {
    let depot = two_releases();
    let room = depot.json(&["show", "1"])["bytes"].to_string();
    let node = depot.serve(&["--node-name", "web-1", "--cache-size", &room]);
    node.waits_for("live", |_| depot.node("web-1")["active"] == 1);
    let mut child = depot.start(&["activate", "2"]);
    node.waits_for("announced", |_| depot.object("current")["next"]["all"]["release"] == 2);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(depot.json(&["list"])[1]["next"], json!(["all"]));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
    // The next activation replaces it.
    let moved = depot.json(&["activate", "2", "--quorum", "0"]);
    assert_eq!((&moved["active"], &moved["generation"]), (&json!(2), &json!(3)));
    assert_eq!(depot.object("current")["next"], json!(null));
}

#[test]
fn a_starting_server_is_not_ready_before_it_has_the_active_release() {
    let depot = two_releases();
    let [node] = servers(&depot, ["web-1"]);
    drop(node);
    depot.json(&["activate", "2", "--quorum", "0"]);
    depot
        .s3
        .rule(|_, method, target| (method == "GET" && is_file(target)).then_some(Fault::Silence));
    let node = depot.serve(&["--node-name", "web-1", "--cache", "web-1"]);
    let (status, body) = node.get("/readyz");
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("\"behind\""), "{body}");
    drop(node);
    depot.s3.heal();
    let node = depot.serve(&["--node-name", "web-1", "--cache", "web-1"]);
    node.waits_for("ready", |node| node.get("/readyz").0 == 200);
    assert_eq!(node.banks().as_deref(), Some(LATER), "ready with the active release only");
    drop(node);
    // While the store is unreachable the release in the cache counts as the active one.
    depot.s3.rule(|_, _, _| Some(Fault::Refused(503, "SlowDown")));
    let node = depot.serve(&["--node-name", "web-1", "--cache", "web-1"]);
    node.waits_for("ready", |node| node.get("/readyz").0 == 200);
}

#[test]
fn wrong_options_of_an_activation_are_refused() {
    let depot = Depot::make();
    for (arguments, expected) in [
        (["activate", "1", "--quorum", "101%"], "expected a number of nodes or a share of them"),
        (["activate", "1", "--quorum", "all"], "expected a number of nodes or a share of them"),
        (["activate", "1", "--timeout", "13h"], "expected a time from 0s to 12h"),
        (["activate", "1", "--timeout", "5"], "expected a time from 0s to 12h"),
        (["activate", "1", "--at", "tomorrow"], "expected a time with its UTC offset"),
        (["activate", "1", "--at", "2026-11-24T03:00:00"], "expected a time with its UTC offset"),
        (["push", "--quorum", "1", "--json"], "--quorum needs --activate"),
    ] {
        let message = depot.fails(&arguments, 2);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert!(depot.s3.requests().is_empty(), "no request was sent");
}
