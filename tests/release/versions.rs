//! Programs of different versions side by side: a release that needs a newer program, one that an older program made, and
//! objects that an older program wrote. `versions/` has what daicho 0.2.0 wrote: a store with a release of banks, and the
//! state of a server.

use std::fs;
use std::path::{Path, PathBuf};

use daicho_core::snapshot::layout::FORMAT;
use serde_json::{Value, json};

use crate::serve::{Node, SAMPLE, two_releases};
use crate::{Depot, object};

/// Rewrites a release, as another program would have written it.
fn rewrite(depot: &Depot, number: u32, change: impl Fn(&mut Value)) {
    let name = format!("releases/{number:06}.json");
    let mut release = depot.object(&name);
    change(&mut release["release"]);
    depot.put(&name, &release.to_string());
}

/// Makes a release one that another program wrote.
type Change = fn(&mut Value);

/// What the store says about the only server.
fn listed(depot: &Depot) -> Value {
    depot.run_json(&["node", "list", "--json"])[0].clone()
}

fn serves(node: &Node, release: u32) -> bool {
    node.metric("daicho_release") == Some(f64::from(release))
}

#[test]
fn a_server_keeps_its_release_if_the_active_one_is_for_another_program() {
    let needs_newer = |release: &mut Value| {
        release["program"] = "99.0.0".into();
    };
    let has_more = |release: &mut Value| {
        release["program"] = "99.0.0".into();
        let weather = json!({ "kind": "weather", "dataset": "weather", "version": "2026-06-25" });
        release["files"].as_array_mut().expect("files").push(weather);
    };
    let is_older = |release: &mut Value| {
        release["program"] = "0.2.0".into();
        for file in release["files"].as_array_mut().expect("files") {
            if file["kind"] == "snapshot" {
                file["format"] = 11.into();
            }
        }
    };
    let cases: [(Change, &str); 3] = [
        (needs_newer, "expected a program of version 99.0.0 or later"),
        (has_more, "expected a program of version 99.0.0 or later"),
        (is_older, "which this program reads, found bank/2025-06-10.daicho of format 11"),
    ];
    for (change, reason) in cases {
        let depot = two_releases();
        let node = depot.serve(&["--node-name", "web-1"]);
        node.waits_for("release 1", |node| serves(node, 1));
        rewrite(&depot, 2, change);
        // As the activation of a newer program does: it announces the release, and waits for servers that are prepared.
        let mut current = depot.object("current");
        current["next"] = json!({ "all": { "release": 2, "before": [1] }, "labels": {} });
        let generation = current["generation"].as_u64().expect("a number") + 1;
        current["generation"] = generation.into();
        depot.put("current", &current.to_string());
        let failure = || listed(&depot)["failure"].as_str().unwrap_or_default().to_owned();
        node.waits_for("the report", |_| failure().contains(reason));
        assert_eq!(listed(&depot)["active"], 1);
        // Made active although no server is prepared: the server stays with what it has, and answers.
        let mut current = depot.object("current");
        current["next"] = Value::Null;
        depot.put("current", &current.to_string());
        depot.force_active(2);
        node.waits_for("the log", |node| node.log().contains("cannot serve the release"));
        assert!(serves(&node, 1), "{}", node.log());
        assert_eq!(node.get("/readyz").0, 200);
        node.serves_banks_of(SAMPLE);
        drop(node);
        depot.serve(&["--node-name", "web-1"]).serves_banks_of(SAMPLE);
    }
}

#[test]
fn an_activation_waits_for_servers_of_another_program_and_names_them() {
    let depot = two_releases();
    let node = depot.serve(&["--node-name", "web-1"]);
    node.waits_for("release 1", |node| serves(node, 1));
    rewrite(&depot, 2, |release| {
        for file in release["files"].as_array_mut().expect("files") {
            if file["kind"] == "snapshot" {
                file["format"] = (FORMAT + 1).into();
            }
        }
    });
    // Only the release says so: the headers of its files in the store still have the present format.
    let message = depot.fails(&["activate", "2", "--timeout", "5s"], 1);
    assert!(
        message.contains(&format!(
            "web-1 (release 1; it says: release 2: expected snapshots of format {FORMAT}"
        )),
        "{message}"
    );
    let current = depot.object("current");
    assert_eq!((&current["all"]["release"], &current["next"]), (&1.into(), &Value::Null));
    assert!(serves(&node, 1));
}

#[test]
fn servers_with_a_label_go_ahead_with_the_format_of_their_program() {
    let depot = two_releases();
    let old = depot.serve(&["--node-name", "old"]);
    let cache = depot.folder.path().join("new-cache").display().to_string();
    let new = depot.serve(&["--node-name", "new", "--node-label", "next", "--cache", &cache]);
    for node in [&old, &new] {
        node.waits_for("release 1", |node| serves(node, 1));
    }
    // Release 1 stands for the older format: the servers of the newer program follow release 2.
    depot.json(&["activate", "2", "--label", "next"]);
    new.waits_for("release 2", |node| serves(node, 2));
    assert!(serves(&old, 1));
    depot.json(&["rollback", "--label", "next"]);
    new.waits_for("release 1 again", |node| serves(node, 1));
    depot.json(&["activate", "2", "--label", "next"]);
    depot.json(&["activate", "2"]);
    old.waits_for("release 2", |node| serves(node, 2));
    assert!(serves(&new, 2));
    assert_eq!(depot.object("current")["labels"], json!({}), "the label has done its work");
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release/versions")
}

/// Copies what 0.2.0 wrote below `store` into the object store.
fn put_fixture(depot: &Depot, folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable")) {
        let path = entry.path();
        if path.is_dir() {
            put_fixture(depot, &path);
        } else {
            let store = fixture().join("store");
            let name = path.strip_prefix(store).expect("below it").to_str().expect("text");
            depot.s3.put(&object(name), &fs::read(&path).expect("a file"));
        }
    }
}

#[test]
fn objects_of_an_older_program_are_read_and_replaced() {
    let depot = Depot::make();
    put_fixture(&depot, &fixture().join("store"));
    let listed_releases = depot.json(&["list"]);
    assert_eq!(listed_releases[0]["release"], 1, "{listed_releases}");
    let node = depot.run_json(&["node", "list", "--json"])[0].clone();
    assert_eq!((&node["version"], &node["active"]), (&"0.2.0".into(), &1.into()), "{node}");
    // Its snapshots have a format that this program does not read: no data, and the reason.
    let own = depot.serve(&["--node-name", "new"]);
    let reason = "of format 11; build the data with this version";
    own.waits_for("the reason", |node| node.log().contains(reason));
    assert_eq!(own.get("/readyz").0, 503, "an orchestrator upgrades no further server");
    // A part of the datasets cannot be pushed onto the rest of the older format.
    let message = depot.fails(&["push", "--dataset", "postal"], 1);
    let expected = format!("release 1: expected snapshots of format {FORMAT}");
    assert!(message.contains(&expected), "{message}");
    let pushed = depot.json(&["push", "--activate", "--quorum", "0"]);
    assert_eq!(pushed["release"], 2);
    own.waits_for("the new release", |node| serves(node, 2) && node.get("/readyz").0 == 200);
    let show = depot.json(&["show", "2"]);
    assert_eq!(show["program"], "0.3.0", "0.2.0 refuses it, and keeps release 1");
    let pruned = depot.json(&["prune", "--keep", "1", "--yes"]);
    assert_eq!(
        pruned["releases"],
        json!([]),
        "the release before is the one to roll back to: {pruned}"
    );
}
