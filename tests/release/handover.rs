//! The handover of a server that follows releases: the next process has its cache, its name and the release that it served.

use rustix::process::{Pid, Signal, kill_process};

use crate::Depot;
use crate::s3::Fault;
use crate::serve::{Node, SAMPLE, cache_holder, is_file, two_releases};

/// Hands over, and returns the process that took over.
fn hand_over(depot: &Depot, node: &mut Node) -> Pid {
    let before = cache_holder(&depot.cache());
    node.signal(Signal::USR2);
    node.waits_for("the handover", |node| node.log().contains("handed over; finishing"));
    node.ends_by_itself();
    assert_ne!(cache_holder(&depot.cache()), before);
    cache_holder(&depot.cache())
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
    // The store does not answer: the handover does not wait for it.
    depot.s3.rule(|_, _, target| is_file(target).then_some(Fault::Silence));
    let files = || depot.s3.requests().iter().filter(|it| it.contains("/files/")).count();
    let before = files();
    depot.force_active(2);
    node.waits_for("a download", |_| files() > before);
    let next = hand_over(&depot, &mut node);
    node.serves_banks_of(SAMPLE);
    depot.s3.heal();
    node.serves_banks_of("2026-07-01");
    kill_process(next, Signal::TERM).expect("runs");
}
