//! The states that servers report to the object store (`nodes/NAME.json`), and `daicho node list`.

use serde_json::{Value, json};

use crate::s3::Fault;
use crate::{Depot, object};

impl Depot {
    /// The row of this server in `daicho node list`; null if it has none.
    pub fn node(&self, name: &str) -> Value {
        let nodes = self.run_json(&["node", "list", "--json"]);
        let nodes = nodes.as_array().expect("nodes").iter();
        nodes.clone().find(|node| node["name"] == name).cloned().unwrap_or_default()
    }
}

#[test]
fn a_server_reports_its_state() {
    let depot = Depot::make();
    let output = depot.any(&["node", "list"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "no servers follow s3://depot/japan/prod\n");
    depot.json(&["push", "--activate"]);
    let mut node = depot.serve(&["--node-name", "web-1", "--node-label", "canary"]);
    node.waits_for("listed", |_| depot.node("web-1")["data"]["bank"]["version"] == "2026-05-25");
    let listed = depot.node("web-1");
    for (member, expected) in [
        ("state", json!("live")),
        ("label", json!("canary")),
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("active", json!(1)),
        ("prepared", json!(1)),
    ] {
        assert_eq!(listed[member], expected, "{member}: {listed}");
    }
    assert!(listed["data"]["bank"]["age_days"].is_u64(), "{listed}");
    for member in ["seen_seconds_ago", "in_flight", "connections"] {
        assert!(listed[member].is_u64(), "{member}: {listed}");
    }
    assert!(listed["requests_per_second"].is_f64(), "{listed}");
    let output = depot.any(&["node", "list"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let row = text.lines().nth(1).expect("a row");
    assert!(row.starts_with("web-1  live   ") && row.contains("bank 2026-05-25 ("), "{text}");
    assert_eq!(node.metric("daicho_node_unwritten"), Some(0.0));
    node.ends_in_order();
    assert_eq!(depot.node("web-1")["state"], "left");
}

#[test]
fn the_default_node_name_is_host_and_port() {
    let depot = Depot::make();
    let node = depot.serve(&[]);
    node.waits_for("listed", |_| depot.names("nodes").len() == 1);
    let port = node.address().rsplit(':').next().expect("a port").to_owned();
    assert!(depot.names("nodes")[0].ends_with(&format!("-{port}.json")), "{:?}", depot.s3.names());
}

#[test]
fn an_unseen_server_is_gone_and_pruned_after_a_day() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    let node = depot.serve(&["--node-name", "web-1"]);
    node.waits_for("listed", |_| depot.node("web-1")["state"] == "live");
    drop(node);
    let name = object("nodes/web-1.json");
    depot.s3.make_older(&name, 1);
    assert_eq!(depot.node("web-1")["state"], "gone");
    assert_eq!(depot.json(&["prune", "--keep", "1", "--yes"])["nodes"], json!([]));
    depot.s3.make_older(&name, 23);
    let would = depot.json(&["prune", "--keep", "1", "--dry-run"]);
    assert_eq!((&would["nodes"], depot.names("nodes").len()), (&json!(["web-1"]), 1));
    assert_eq!(depot.json(&["prune", "--keep", "1", "--yes"])["nodes"], json!(["web-1"]));
    assert!(depot.names("nodes").is_empty());
}

#[test]
fn a_server_without_write_access_serves_and_logs_it_once() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.s3.rule(|_, method, target| {
        (method == "PUT" && target.contains("/nodes/"))
            .then_some(Fault::Refused(403, "AccessDenied"))
    });
    let node = depot.serve(&["--node-name", "web-1"]);
    node.waits_for("the log", |node| node.log().contains("cannot write the state of this server"));
    node.waits_for("served", |node| node.get("/v1/bank/0001").0 == 200);
    assert_eq!(node.metric("daicho_node_unwritten"), Some(1.0));
    let tries = depot.s3.requests().iter().filter(|line| line.contains("/nodes/")).count();
    node.waits_for("a retry", |_| {
        depot.s3.requests().iter().filter(|line| line.contains("/nodes/")).count() > tries + 2
    });
    assert_eq!(node.log().matches("cannot write the state of this server").count(), 1);
    depot.s3.heal();
    node.waits_for("seen", |_| depot.node("web-1")["state"] == "live");
    node.waits_for("a write", |node| node.metric("daicho_node_unwritten") == Some(0.0));
    node.waits_for("the log", |node| node.log().contains("to the object store works again"));
}

#[test]
fn two_servers_with_one_name_are_reported() {
    let depot = Depot::make();
    let first = depot.serve(&["--node-name", "web-1"]);
    first.waits_for("listed", |_| depot.names("nodes").len() == 1);
    let second = depot.serve(&["--node-name", "web-1", "--cache", "other"]);
    let line = "another server has the same name";
    first.waits_for("the log", |first| first.log().contains(line) || second.log().contains(line));
}

#[test]
fn wrong_names_and_objects_are_refused() {
    let depot = Depot::make();
    let message = depot.serve_fails(&["--node-name", "../web"], 2);
    assert!(message.contains("expected a name of 1 to 100 letters"), "{message}");
    depot.s3.put(&object("nodes/web-1.json"), b"{}");
    depot.s3.put(&object("nodes/notes.txt"), b"mine");
    let output = depot.any(&["node", "list"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(
        message.contains("warning: s3://depot/japan/prod/nodes/web-1.json: expected the state")
    );
}
