//! `daicho release activate` and `rollback`: for all servers, for a label, of unusable releases; signatures of
//! releases.

use serde_json::{Value, json};

use crate::{Depot, object};

/// A depot with three releases, none of them active.
pub fn three_releases() -> Depot {
    three_releases_in(Depot::make())
}

pub fn three_releases_in(depot: Depot) -> Depot {
    depot.json(&["push"]);
    for version in ["2026-07-01", "2026-08-01"] {
        depot.build_banks(version);
        depot.json(&["push"]);
    }
    depot
}

#[test]
fn a_release_is_activated_and_rolled_back() {
    let depot = three_releases();
    assert_eq!(
        depot.json(&["activate", "1"]),
        json!({
            "active": 1, "before": null, "label": null, "generation": 1, "nodes": 0, "at": null
        })
    );
    depot.json(&["activate", "3"]);
    assert_eq!(
        depot.object("current"),
        json!({
            "format": 1, "generation": 2, "highest": 3, "all": { "release": 3, "before": [1] },
            "labels": {}
        })
    );
    assert_eq!(depot.json(&["rollback"])["active"], 1);
    let message = depot.fails(&["rollback"], 1);
    assert!(message.contains("expected an earlier active release than 1"), "{message}");
    let text = depot.run(&["activate", "000002"]);
    let text = String::from_utf8_lossy(&text.stdout);
    assert_eq!(text, "active: release 2 after 1 (generation 4)\n");
    assert!(depot.names("claims").is_empty());
}

#[test]
fn servers_with_a_label_get_a_release_first() {
    let depot = three_releases();
    depot.json(&["activate", "1"]);
    let moved = depot.json(&["activate", "2", "--label", "canary"]);
    assert_eq!((&moved["active"], &moved["label"]), (&2.into(), &"canary".into()));
    let active = |row: usize| depot.json(&["list"])[row]["active"].clone();
    assert_eq!((active(0), active(1)), (json!(["all"]), json!(["canary"])));
    depot.json(&["activate", "3", "--label", "canary"]);
    assert_eq!(depot.json(&["rollback", "--label", "canary"])["active"], 2);
    assert_eq!(depot.json(&["rollback", "--label", "canary"])["active"], 1, "the release of all");
    depot.json(&["activate", "3", "--label", "canary"]);
    depot.json(&["activate", "3"]);
    assert_eq!(active(2), json!(["all"]), "the label has no release of its own any more");
    let message = depot.fails(&["activate", "1", "--label", "Canary"], 2);
    assert!(message.contains("expected a label of 1 to 40 lower-case letters"), "{message}");
}

#[test]
fn unusable_releases_are_not_activated() {
    let depot = three_releases();
    depot.json(&["activate", "1"]);
    let message = depot.fails(&["activate", "4"], 1);
    assert!(message.contains("expected release 4, found none with this number"), "{message}");
    let release = depot.object("releases/000002.json");
    let lost = release["release"]["files"][0]["sha256"].as_str().expect("a sum");
    depot.s3.remove(&object(&format!("files/sha256/{lost}")));
    let message = depot.fails(&["activate", "2"], 3);
    assert!(message.contains("release 2: expected") && message.contains("found none"), "{message}");
    depot.s3.put(&object(&format!("files/sha256/{lost}")), b"other");
    let message = depot.fails(&["activate", "2"], 3);
    assert!(message.contains("found 5; push the release again"), "{message}");
    let text = depot.object("releases/000003.json").to_string();
    let newer = text.replace("\"program\":\"0.3.0\"", "\"program\":\"99.0.0\"");
    depot.s3.put(&object("releases/000003.json"), newer.as_bytes());
    let message = depot.fails(&["activate", "3"], 1);
    assert!(message.contains("expected a program of version 99.0.0 or later"), "{message}");
    depot.s3.put(&object("releases/000003.json"), b"{}");
    let message = depot.fails(&["activate", "3"], 3);
    assert!(message.contains("expected release 3, found no member 'release'"), "{message}");
    assert_eq!(depot.object("current")["all"]["release"], 1);
    assert!(depot.names("claims").is_empty());
    depot.s3.put(&object("current"), b"[]");
    let message = depot.fails(&["list"], 3);
    assert!(
        message.contains("expected the record of the active release, found another format"),
        "{message}"
    );
}

#[test]
fn signatures_of_releases_are_verified() {
    let depot = Depot::make();
    depot.write_keys();
    depot.json(&["push"]);
    let message = depot.fails(&["show", "1", "--release-key", "public.pem"], 1);
    assert!(message.contains("release 1: expected a signature") && message.contains("found none"));
    let signed = depot.json(&["push", "--signing-key", "private.pem"]);
    assert_eq!((&signed["release"], &signed["signed"]), (&2.into(), &true.into()));
    assert_eq!(
        depot.json(&["show", "2", "--release-key", "public.pem"])["signed"],
        Value::from(true)
    );
    let message = depot.fails(&["activate", "1", "--release-key", "public.pem"], 1);
    assert!(message.contains("release 1: expected a signature"), "{message}");
    assert_eq!(depot.json(&["activate", "2", "--release-key", "public.pem"])["active"], 2);
    let message = depot.fails(&["push", "--signing-key", "public.pem"], 1);
    assert!(message.contains("public.pem: expected a private Ed25519 key"), "{message}");
    let message = depot.fails(&["show", "--release-key", "none.pem"], 1);
    assert!(message.contains("none.pem: expected a public Ed25519 key"), "{message}");
}
