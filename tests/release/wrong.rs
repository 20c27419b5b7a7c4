//! Wrong arguments of `daicho release`: each message says what was expected and what was found.

use std::fs;

use crate::Depot;

#[test]
fn a_wrong_url_is_refused() {
    let depot = Depot::make();
    for (url, found) in [
        ("", "relative URL without a base"),
        ("snapshots", "relative URL without a base"),
        ("http://127.0.0.1/x", "the scheme http"),
        ("memory:///x", "the scheme memory"),
        ("ftp://x/y", "the scheme ftp"),
        ("s3:///prefix", "no bucket name"),
        ("s3:bucket", "no bucket name"),
        ("file://host/srv", "a host"),
        ("s3://bucket/x?versions", "a URL with '?' or '#'"),
        ("s3://bucket/x#y", "a URL with '?' or '#'"),
        ("s3://name:secret@bucket/x", "a URL with a user or password"),
    ] {
        let message = depot.fails(&["list", "--releases", url], 2);
        assert!(message.contains("expected s3://BUCKET/PREFIX"), "{url}: {message}");
        assert!(message.contains(found), "{url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let depot = Depot::make();
    for (arguments, expected) in [
        (&["show", "0"][..], "expected a release number such as 12"),
        (&["show", "x"], "expected a release number such as 12"),
        (&["activate", "-1"], "unexpected argument"),
        (&["activate"], "required"),
        (&["prune"], "--keep"),
        (&["push", "--dataset", "weather"], "invalid value 'weather'"),
        (&["push", "--versions", "0"], "0 is not in"),
        (&["push", "--by", "a\nb"], "expected 1 to 100 characters on one line"),
        (&["push", "--by", ""], "expected 1 to 100 characters"),
    ] {
        let message = depot.fails(arguments, 2);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    let output = depot.command(&["list"]).env_remove("DAICHO_RELEASES").output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "no URL");
    assert!(depot.s3.requests().is_empty(), "no request was sent");
}

#[test]
fn missing_releases_and_snapshots_are_reported() {
    let depot = Depot::make();
    let message = depot.fails(&["show"], 1);
    assert!(message.contains("expected a release, found none; push one"), "{message}");
    let message = depot.fails(&["rollback"], 1);
    assert!(message.contains("expected an earlier active release"), "{message}");
    let message = depot.fails(&["show", "7"], 1);
    assert!(message.contains("expected release 7, found none with this number"), "{message}");
    fs::create_dir(depot.folder.path().join("empty")).expect("made");
    let message = depot.fails(&["push", "--snapshots", "empty"], 1);
    assert!(message.contains("empty: expected snapshots, found none"), "{message}");
    let message = depot.fails(&["push", "--snapshots", "nowhere"], 1);
    assert!(message.contains("nowhere: expected snapshots, found none"), "{message}");
}
