//! `daicho release push`: the objects that it writes, and that it sends no file twice.

use std::fs;

use crate::{Depot, object, program};

#[test]
fn a_push_makes_a_release_once_from_a_folder() {
    let depot = Depot::make();
    let pushed = depot.json(&["push", "--by", "builder"]);
    assert_eq!((&pushed["release"], &pushed["was_there"]), (&1.into(), &false.into()));
    assert_eq!(pushed["moved"], serde_json::Value::Null, "nothing is activated without --activate");
    assert!(depot.s3.object(&object("current")).is_none());
    let release = &depot.object("releases/000001.json")["release"];
    assert_eq!((&release["number"], &release["made_by"]), (&1.into(), &"builder".into()));
    let files = release["files"].as_array().expect("files");
    let mut paths: Vec<&str> = files.iter().filter_map(|file| file["file"].as_str()).collect();
    paths.retain(|path| path.ends_with(".daicho"));
    for dataset in ["bank", "corporate", "invoice", "postal", "school"] {
        assert!(paths.iter().any(|path| path.starts_with(dataset)), "{dataset} of {paths:?}");
    }
    for file in files {
        let path = depot.snapshots().join(file["file"].as_str().expect("a path"));
        let name = format!("files/sha256/{}", file["sha256"].as_str().expect("a sum"));
        assert_eq!(depot.s3.object(&object(&name)), fs::read(&path).ok(), "{path:?}");
    }
    assert!(depot.names("claims").is_empty());
    depot.s3.heal();
    let again = depot.json(&["push", "--activate"]);
    assert_eq!((&again["release"], &again["was_there"]), (&1.into(), &true.into()));
    assert_eq!((&again["sent_files"], depot.s3.bytes_in()), (&0.into(), 0));
    assert_eq!(again["moved"]["active"], 1);
    assert_eq!(depot.names("releases").len(), 1);
}

#[test]
fn only_new_files_are_sent() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.build_banks("2026-07-01");
    depot.s3.heal();
    let pushed = depot.json(&["push", "--activate"]);
    assert_eq!((&pushed["release"], &pushed["sent_files"]), (&2.into(), &1.into()));
    assert_eq!(pushed["sent_bytes"], depot.s3.bytes_in());
    let listed = depot.json(&["list"]);
    assert_eq!(
        (&listed[0]["active"], &listed[1]["active"]),
        (&serde_json::json!([]), &serde_json::json!(["all"]))
    );
    assert_eq!(listed[1]["newest"]["bank"], "2026-07-01");
    depot.assert_whole();
}

#[test]
fn datasets_that_are_not_pushed_are_taken_from_the_active_release() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    let files = |number: &str| {
        let release = depot.object(&format!("releases/{number}.json"));
        release["release"]["files"].as_array().expect("files").clone()
    };
    let others = |number: &str| {
        let mut files = files(number);
        files.retain(|file| file["dataset"] != "bank");
        files
    };
    depot.build_banks("2026-07-01");
    depot.build_banks("2026-08-01");
    // The folder now has banks only.
    for gone in ["postal", "corporate", "invoice", "school"] {
        fs::remove_dir_all(depot.snapshots().join(gone)).expect("removed");
    }
    depot.json(&["push", "--dataset", "bank", "--versions", "1"]);
    assert_eq!(others("000001"), others("000002"));
    let banks: Vec<_> =
        files("000002").into_iter().filter(|file| file["dataset"] == "bank").collect();
    assert_eq!((banks.len(), &banks[0]["version"]), (1, &"2026-08-01".into()));
    let message = depot.fails(&["push", "--dataset", "postal"], 1);
    assert!(message.contains("expected snapshots of postal, found none"), "{message}");
    depot.assert_whole();
}

#[test]
fn a_large_file_is_sent_in_parts() {
    let depot = Depot::make();
    let mut built = program(&["build", "included", "--out", "long"]);
    built.current_dir(depot.folder.path());
    assert!(built.status().expect("runs").success());
    depot.s3.heal();
    let pushed = depot.json(&["push", "--snapshots", "long"]);
    let parts = depot.s3.requests().iter().filter(|line| line.contains("partNumber=")).count();
    assert!(parts > 1, "{parts}");
    assert_eq!(pushed["sent_bytes"], depot.s3.bytes_in());
    depot.assert_whole();
    for file in depot.json(&["show"])["files"].as_array().expect("files") {
        let path = depot.folder.path().join("long").join(file["file"].as_str().expect("a path"));
        let name = format!("files/sha256/{}", file["sha256"].as_str().expect("a sum"));
        assert!(depot.s3.object(&object(&name)) == fs::read(&path).ok(), "{path:?}");
    }
}

#[test]
fn a_damaged_snapshot_is_not_pushed() {
    let depot = Depot::make();
    let folder = depot.snapshots().join("bank");
    let file =
        fs::read_dir(&folder).expect("banks").next().expect("a file").expect("readable").path();
    let mut bytes = fs::read(&file).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("written");
    let message = depot.fails(&["push"], 3);
    assert!(message.contains("bank") && message.contains("damaged"), "{message}");
    assert!(depot.s3.names().is_empty(), "nothing was sent");
}
