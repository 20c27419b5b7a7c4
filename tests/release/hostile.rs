//! Objects that somebody else wrote to the store: a server that may write to `nodes/`, or a stranger with the rights of a
//! publisher. Bad ones are left out with a warning, and what is not signed is not signed or served.

use serde_json::{Value, json};

use crate::activate::three_releases;
use crate::serve::{SAMPLE, two_releases};
use crate::{Depot, object};

/// Runs `daicho release …`, which must succeed, and returns its warnings.
#[track_caller]
fn warnings(depot: &Depot, arguments: &[&str]) -> String {
    let output = depot.run(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {message}");
    message
}

/// A release with another number and other text in its object.
fn rewritten(depot: &Depot, release: &str, change: impl Fn(&mut Value)) -> String {
    let mut value = depot.object(&format!("releases/{release}.json"));
    change(&mut value["release"]);
    value.to_string()
}

#[test]
fn a_signed_push_takes_no_files_from_a_foreign_release() {
    let depot = Depot::make();
    depot.write_keys();
    let push = ["push", "--dataset", "bank", "--signing-key", "private.pem"];
    for foreign in
        [&["push", "--activate"][..], &["push", "--activate", "--signing-key", "other.pem"]]
    {
        depot.json(foreign);
        depot.build_banks("2026-07-01");
        let message = depot.fails(&push, 1);
        assert!(message.contains("expected a signature that --signing-key made"), "{message}");
        assert!(depot.names("claims").is_empty());
    }
    let releases = depot.names("releases").len() as u64;
    depot.json(&["push", "--signing-key", "private.pem", "--activate"]);
    depot.build_banks("2026-08-01");
    let pushed = depot.json(&push);
    assert_eq!((&pushed["release"], &pushed["signed"]), (&json!(releases + 2), &json!(true)));
    // A release that was signed before somebody else changed it.
    let changed = rewritten(&depot, "000003", |release| release["made_by"] = "x".into());
    depot.put("releases/000003.json", &changed);
    let message = depot.fails(&push, 1);
    assert!(message.contains("found one made with another key, or for other content"), "{message}");
}

#[test]
fn a_release_of_another_key_is_not_taken_for_ones_own() {
    let depot = Depot::make();
    depot.write_keys();
    depot.json(&["push", "--signing-key", "other.pem"]);
    let pushed = depot.json(&["push", "--signing-key", "private.pem"]);
    assert_eq!((&pushed["release"], &pushed["was_there"]), (&json!(2), &json!(false)));
    depot.json(&["show", "2", "--release-key", "public.pem"]);
    assert_eq!(depot.json(&["push", "--signing-key", "private.pem"])["was_there"], true);
}

#[test]
fn a_foreign_release_in_the_cache_is_not_served_after_a_restart_with_the_key() {
    let depot = two_releases();
    depot.write_keys();
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    drop(node);
    // The store does not help: only the cache can be served.
    depot.s3.rule(|_, _, _| Some(crate::s3::Fault::Refused(503, "SlowDown")));
    let node = depot.serve(&["--release-key", "public.pem"]);
    node.waits_for("the log", |node| node.log().contains("removed from the cache"));
    node.waits_for("unreachable", |node| node.log().contains("is unreachable"));
    assert_eq!(node.banks(), None);
    assert_eq!(node.metric("daicho_release"), Some(0.0));
}

#[test]
fn foreign_versions_in_the_cache_are_not_served_after_a_restart_with_the_key() {
    let depot = two_releases();
    depot.write_keys();
    let node = depot.serve(&[]);
    depot.json(&["activate", "2"]);
    node.serves_banks_of("2026-07-01");
    depot.build_banks("2026-08-01");
    depot.json(&["push", "--versions", "1", "--signing-key", "private.pem", "--activate"]);
    node.serves_banks_of("2026-08-01");
    let older = format!("/v1/bank/0001?version={SAMPLE}");
    assert_eq!(node.get(&older).0, 200, "linked from the release before");
    drop(node);
    let node = depot.serve(&["--release-key", "public.pem"]);
    node.serves_banks_of("2026-08-01");
    assert_ne!(node.get(&older).0, 200);
    assert!(node.log().contains("removed from the cache"), "{}", node.log());
    // A later release does not link them again.
    depot.build_banks("2026-09-01");
    depot.json(&["push", "--versions", "1", "--signing-key", "private.pem", "--activate"]);
    node.serves_banks_of("2026-09-01");
    assert_eq!(node.get("/v1/bank/0001?version=2026-08-01").0, 200);
    assert_ne!(node.get(&older).0, 200);
}

#[test]
fn bad_states_of_servers_do_not_stop_an_activation() {
    let depot = three_releases();
    depot.json(&["activate", "1"]);
    depot.put("nodes/x.json", "{}");
    depot.put("nodes/y.json", &" ".repeat(1 << 20));
    let node = depot.serve(&["--node-name", "web-1"]);
    node.waits_for("live", |_| depot.node("web-1")["active"] == 1);
    let message = warnings(&depot, &["activate", "2"]);
    for bad in ["nodes/x.json: expected the state of a server", "nodes/y.json: expected an object"]
    {
        assert_eq!(message.matches(bad).count(), 1, "{message}");
    }
    assert_eq!(depot.node("web-1")["active"], 2);
    // A server that says that it reports once in a million years is gone after some minutes too.
    let dead = depot.object("nodes/web-1.json").to_string().replace("web-1", "dead");
    depot.put("nodes/dead.json", &dead.replace("\"every_ms\":1000", "\"every_ms\":30000000000000"));
    assert_eq!(depot.node("dead")["state"], "live");
    depot.s3.make_older(&object("nodes/dead.json"), 1);
    assert_eq!(depot.node("dead")["state"], "gone");
}

#[test]
fn bad_releases_do_not_stop_list_push_and_prune() {
    let depot = three_releases();
    depot.json(&["activate", "2"]);
    depot.put("releases/000004.json", "{}");
    depot.put("releases/000005.json", &" ".repeat(17 << 20));
    // A release in a later format: its files are unknown, but named.
    let sum = "ab".repeat(32);
    depot.put(&format!("files/sha256/{sum}"), "later");
    depot.put("releases/000006.json", &json!({ "release": { "sum": sum } }).to_string());
    let message = warnings(&depot, &["list"]);
    for bad in ["000004.json: expected release 4", "000005.json: expected an object of at most"] {
        assert!(message.contains("warning: ") && message.contains(bad), "{message}");
    }
    assert_eq!(depot.json(&["list"]).as_array().map(Vec::len), Some(3));
    let message = warnings(&depot, &["push"]);
    assert!(message.contains("000006.json: expected release 6"), "{message}");
    assert_eq!(depot.json(&["list"])[3]["release"], 7);
    let output = depot.run(&["prune", "--keep", "2", "--yes", "--json"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("000004.json: expected release 4"), "{message}");
    let pruned: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(pruned["releases"], json!([1]), "2 is active, 3 and 7 are the newest");
    assert!(depot.s3.object(&object(&format!("files/sha256/{sum}"))).is_some());
    depot.assert_whole();
}

#[test]
fn the_highest_number_does_not_end_the_numbering() {
    let depot = Depot::make();
    depot.write_keys();
    depot.json(&["push"]);
    let far = rewritten(&depot, "000001", |release| release["number"] = 999_999.into());
    for text in ["{}", &far] {
        depot.put("releases/999999.json", text);
        let message = warnings(&depot, &["push", "--by", "x"]);
        assert!(
            message.contains("999999.json: expected a number at most 10000 above 1"),
            "{message}"
        );
        assert_eq!(depot.json(&["show"])["release"], 1);
        assert!(warnings(&depot, &["list"]).contains("999999.json"));
    }
    depot.build_banks("2026-07-01");
    assert_eq!(depot.json(&["push"])["release"], 2);
    assert_eq!(depot.json(&["push", "--signing-key", "private.pem"])["release"], 3);
    depot.json(&["prune", "--keep", "3", "--yes"]);
    assert_eq!(depot.json(&["list"]).as_array().map(Vec::len), Some(3));
}

#[test]
fn the_highest_generation_does_not_end_activations() {
    let depot = three_releases();
    depot.json(&["activate", "1"]);
    let mut current = depot.object("current");
    current["generation"] = (u64::MAX - 1).into();
    depot.put("current", &current.to_string());
    for release in ["2", "3"] {
        assert_eq!(depot.json(&["activate", release])["active"].to_string(), release);
    }
}

#[test]
fn an_object_that_is_too_large_is_not_read() {
    let depot = three_releases();
    depot.json(&["activate", "1"]);
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    depot.put("current", &" ".repeat(2 << 20));
    let message = depot.fails(&["list"], 3);
    let expected = "current: expected an object of at most 1048576 bytes, found more";
    assert!(message.contains(expected), "{message}");
    node.waits_for("the log", |node| node.log().contains(expected));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
}

#[test]
fn a_damaged_file_of_the_right_size_is_found() {
    let depot = two_releases();
    let release = depot.object("releases/000002.json");
    let files = release["release"]["files"].as_array().expect("files");
    for (index, depth) in [&[][..], &["--verify"]].into_iter().enumerate() {
        let file = files.iter().filter(|file| file["kind"] == "snapshot").nth(index);
        let sum = file.expect("a snapshot")["sha256"].as_str().expect("a sum");
        let name = object(&format!("files/sha256/{sum}"));
        let sound = depot.s3.object(&name).expect("a file");
        let mut bytes = sound.clone();
        *bytes.last_mut().expect("bytes") ^= 1;
        depot.s3.put(&name, &bytes);
        let message = depot.fails(&[&["activate", "2"], depth].concat(), 3);
        assert!(message.contains(&format!("expected the SHA-256 {sum}")), "{message}");
        let message = warnings(&depot, &[&["push"], depth].concat());
        assert!(
            message.contains("warning: ") && message.contains("sending the file again"),
            "{message}"
        );
        assert!(depot.s3.object(&name) == Some(sound));
        depot.json(&[&["activate", "2"], depth].concat());
    }
    // Files of the active release that go into a new one are compared too.
    let school = files.iter().find(|file| file["dataset"] == "school").expect("schools");
    let name = object(&format!("files/sha256/{}", school["sha256"].as_str().expect("a sum")));
    let mut bytes = depot.s3.object(&name).expect("a file");
    *bytes.last_mut().expect("bytes") ^= 1;
    depot.s3.put(&name, &bytes);
    let message = depot.fails(&["push", "--dataset", "bank"], 3);
    assert!(message.contains("school/") && message.contains("expected the SHA-256"), "{message}");
}

#[test]
fn a_release_with_swapped_files_is_neither_activated_nor_served() {
    let depot = two_releases();
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    let swapped = rewritten(&depot, "000002", |release| {
        let files = release["files"].as_array_mut().expect("files");
        let index = |dataset: &str| {
            let is_snapshot =
                |file: &Value| file["kind"] == "snapshot" && file["dataset"] == dataset;
            files.iter().rposition(is_snapshot).expect("a snapshot")
        };
        let (bank, school) = (index("bank"), index("school"));
        for member in ["sha256", "bytes"] {
            let (left, right) = (files[bank][member].take(), files[school][member].take());
            (files[bank][member], files[school][member]) = (right, left);
        }
    });
    depot.put("releases/000002.json", &swapped);
    let expected =
        "release 2: expected bank/2026-07-01.daicho to be bank 2026-07-01, found school ";
    let message = depot.fails(&["activate", "2"], 3);
    assert!(message.contains(expected), "{message}");
    depot.force_active(2);
    node.waits_for("the log", |node| node.log().contains(expected));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
}

#[test]
fn no_escape_sequence_of_the_store_reaches_the_terminal() {
    let depot = two_releases();
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";
    let shown = "\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}";
    let by = rewritten(&depot, "000001", |release| release["made_by"] = hostile.into());
    depot.put("releases/000001.json", &by);
    let node = depot.serve(&["--node-name", "web-1"]);
    node.waits_for("live", |_| depot.node("web-1")["state"] == "live");
    let mut state = depot.object("nodes/web-1.json");
    drop(node);
    state["failure"] = format!("{hostile}{}", "x".repeat(5_000)).into();
    state["every_ms"] = 60_000.into();
    depot.put("nodes/web-1.json", &state.to_string());
    let list = depot.run(&["list"]);
    let json = depot.run(&["list", "--json"]);
    let activate = depot.run(&["activate", "2", "--timeout", "0s"]);
    assert_eq!(activate.status.code(), Some(1));
    for output in [&list.stdout, &json.stdout, &activate.stderr] {
        let text = str::from_utf8(output).expect("text");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{text:?}");
        assert!(text.contains("owned"), "{text}");
        assert!(text.len() < 3_000, "{text}");
    }
    assert!(String::from_utf8_lossy(&list.stdout).contains(shown));
    assert!(String::from_utf8_lossy(&activate.stderr).contains(shown));
}

#[test]
fn wrong_options_name_what_is_expected() {
    let depot = Depot::make();
    depot.write_keys();
    for (arguments, code, expected) in [
        (&["list", "--verify"][..], 2, "--verify"),
        (&["push", "--verify=all"], 2, "--verify"),
        (&["activate", "1", "--release-key", "private.pem"], 1, "expected a public Ed25519 key"),
        (&["rollback", "--release-key", "none.pem"], 1, "none.pem: expected a public Ed25519 key"),
    ] {
        let message = depot.fails(arguments, code);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}
