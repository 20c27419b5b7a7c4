//! The handover of a server that follows releases: the next process has its cache, its name and the release that it served.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::Depot;
use crate::s3::Fault;
use crate::serve::{Node, SAMPLE, is_file, two_releases};

/// The process that has the lock of the cache.
fn holder(depot: &Depot) -> Pid {
    let text = fs::read_to_string(depot.cache().join(".cache.lock")).expect("the lock");
    let number = text.strip_prefix("process ").and_then(|rest| rest.split(',').next());
    Pid::from_raw(number.and_then(|it| it.parse().ok()).expect("a number")).expect("not 0")
}

/// Hands over, and returns the process that took over.
fn hand_over(depot: &Depot, node: &mut Node) -> Pid {
    let before = holder(depot);
    node.signal(Signal::USR2);
    node.waits_for("the handover", |node| node.log().contains("handed over; finishing"));
    node.ends_by_itself();
    assert_ne!(holder(depot), before);
    holder(depot)
}

#[test]
fn a_server_hands_its_cache_and_its_name_over() {
    let depot = two_releases();
    let mut node = depot.serve(&["--node-name", "web-1"]);
    node.serves_banks_of(SAMPLE);
    node.waits_for("ready", |node| node.get("/readyz").0 == 200);
    let next = hand_over(&depot, &mut node);
    assert_eq!(node.get("/readyz").0, 200, "ready at once, with the release of before");
    node.serves_banks_of(SAMPLE);
    // An activation waits for the server, which is one.
    let activated = depot.json(&["activate", "2"]);
    assert_eq!(activated["nodes"], 1, "{activated}");
    node.serves_banks_of("2026-07-01");
    let listed = depot.run_json(&["node", "list", "--json"]);
    assert_eq!((&listed[0]["state"], &listed[0]["active"]), (&"live".into(), &2.into()));
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert!(!node.log().contains("another server has the same name"), "{}", node.log());
    let message = depot.serve_fails(&["--node-name", "web-2"], 1);
    let own = format!("found process {}, daicho serve", next.as_raw_nonzero());
    assert!(message.contains(&own), "{message}");
    kill_process(next, Signal::TERM).expect("runs");
    depot.serve(&["--node-name", "web-1"]).serves_banks_of("2026-07-01");
}

#[test]
fn a_download_goes_on_in_the_next_process() {
    let depot = two_releases();
    let mut node = depot.serve(&["--node-name", "web-1"]);
    node.serves_banks_of(SAMPLE);
    // Only the beginning of a file arrives at a time.
    depot.s3.rule(|_, target, _| is_file(target).then_some(Fault::BrokenOff));
    depot.force_active(2);
    node.waits_for("a download", |_| depot.s3.requests().iter().any(|it| it.contains("/files/")));
    let next = hand_over(&depot, &mut node);
    node.serves_banks_of(SAMPLE);
    depot.s3.heal();
    node.serves_banks_of("2026-07-01");
    kill_process(next, Signal::TERM).expect("runs");
}
