//! `daicho update --publish`: builds new data, pushes a release and activates it, as a builder's timer does. The files
//! come from a folder (`--from`).

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::cluster::Cluster;
use crate::s3::Fault;
use crate::zipped::zipped;
use crate::{Depot, object, program};

/// Writes a file of the sample as the tax agency's ZIP of this name, with its day changed.
fn offer(depot: &Depot, name: &str, sample: &str, day: [&str; 2]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-tools/sample").join(sample);
    let bytes = fs::read(path).expect("a file of the sample");
    let decoded = |bytes: &[u8]| encoding_rs::SHIFT_JIS.decode(bytes).0.into_owned();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| decoded(error.as_bytes()));
    let text = text.replace(day[0], day[1]);
    let files = depot.folder.path().join("fetched");
    fs::create_dir_all(&files).expect("a folder");
    let member = name.replace(".zip", ".csv");
    fs::write(files.join(name), zipped(&[(&member, text.as_bytes())])).expect("written");
}

fn offer_full(depot: &Depot) {
    let sample = "2026-07-31/00_zenkoku_all_20260731.csv";
    offer(depot, "00_zenkoku_all_20260731.zip", sample, ["", ""]);
}

fn offer_day(depot: &Depot, day: &str) {
    let name = format!("diff_{}.zip", day.replace('-', ""));
    offer(depot, &name, "2026-08-03/diff_20260803.csv", ["2026-08-03", day]);
}

/// `daicho update corporate --publish …` from the offered files.
fn command(depot: &Depot, arguments: &[&str]) -> Command {
    let mut command = program(&["update", "corporate", "--from", "fetched", "--json"]);
    command.args(arguments).current_dir(depot.folder.path()).envs(depot.environment());
    command.env("DAICHO_PUBLISH", depot.url());
    command
}

#[track_caller]
fn ends(output: &Output, code: i32) -> (Vec<Value>, String) {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let rows = match output.stdout.is_empty() {
        true => Vec::new(),
        false => serde_json::from_slice(&output.stdout).expect("rows of JSON"),
    };
    (rows, errors)
}

/// Runs an update that must succeed, and returns its rows: of the data and of publishing.
#[track_caller]
fn update(depot: &Depot, arguments: &[&str]) -> (Value, Value) {
    let output = command(depot, arguments).output().expect("runs");
    let (mut rows, _) = ends(&output, 0);
    let published = rows.pop().expect("a row");
    (rows.pop().expect("two rows"), published)
}

/// The active release, and the version of its newest corporations.
#[track_caller]
fn active(depot: &Depot) -> Option<(u64, String)> {
    let listed = depot.json(&["list"]);
    let row = listed.as_array()?.iter().find(|row| row["active"][0] == "all")?;
    Some((row["release"].as_u64()?, row["newest"]["corporate"].as_str()?.to_owned()))
}

fn built(depot: &Depot, day: &str) -> bool {
    depot.snapshots().join(format!("corporate/{day}.daicho")).is_file()
}

#[test]
fn new_data_is_published_and_activated() {
    let depot = Depot::empty();
    offer_full(&depot);
    let (row, published) = update(&depot, &[]);
    assert_eq!((&row["result"], &published["release"]), (&"updated".into(), &1.into()));
    assert_eq!((&published["moved"]["active"], &published["signed"]), (&1.into(), &false.into()));
    assert_eq!(published["published"], depot.url());
    depot.s3.heal();
    let (row, published) = update(&depot, &[]);
    assert_eq!((&row["result"], &published["was_there"]), (&"current".into(), &true.into()));
    assert_eq!((&published["moved"], depot.s3.bytes_in()), (&Value::Null, 0));
    offer_day(&depot, "2026-08-03");
    let (_, published) = update(&depot, &[]);
    assert_eq!(published["moved"]["active"], 2);
    assert_eq!(active(&depot), Some((2, "2026-08-03".to_owned())));
    depot.assert_whole();
}

#[test]
fn options_sign_the_release_and_activate_it_for_a_label() {
    let depot = Depot::empty();
    offer_full(&depot);
    update(&depot, &[]);
    offer_day(&depot, "2026-08-03");
    let key = depot.folder.path().join("private.pem");
    let pem = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
               -----END PRIVATE KEY-----\n";
    fs::write(&key, pem).expect("written");
    let key = key.to_str().expect("text");
    let (_, published) = update(&depot, &["--signing-key", key, "--label", "canary"]);
    assert_eq!((&published["signed"], &published["moved"]["active"]), (&true.into(), &2.into()));
    assert_eq!(published["moved"]["label"], "canary");
    assert_eq!(
        active(&depot),
        Some((1, "2026-07-31".to_owned())),
        "unchanged for servers without the label"
    );
}

#[test]
fn the_next_run_publishes_what_a_killed_run_did_not() {
    let depot = Depot::empty();
    offer_full(&depot);
    update(&depot, &[]);
    // The day, and the request at which the run is killed: the first, the one for the release, the one for `current`.
    let steps = [
        ("2026-08-03", "", ""),
        ("2026-08-04", "PUT", "/releases/"),
        ("2026-08-05", "PUT", "/current"),
    ];
    for (number, (day, verb, name)) in steps.into_iter().enumerate() {
        let at = move |method: &str, target: &str| method.contains(verb) && target.contains(name);
        offer_day(&depot, day);
        depot.s3.rule(move |_, method, target| at(method, target).then_some(Fault::Silence));
        let mut command = command(&depot, &[]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("runs");
        let is_step =
            |line: &String| line.split_once(' ').is_some_and(|(method, target)| at(method, target));
        let reached = || depot.s3.requests().iter().any(is_step);
        while !reached() {
            assert!(child.try_wait().expect("a child").is_none(), "{day}: it waits for the store");
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        depot.s3.heal();
        assert!(built(&depot, day), "{day} is built");
        assert_ne!(active(&depot).expect("one is active").1, day);
        let (row, published) = update(&depot, &[]);
        assert_eq!((&row["result"], row["installed"].as_str()), (&"current".into(), Some(day)));
        assert_eq!(published["moved"]["active"], 2 + number, "{published}");
        assert_eq!(active(&depot).expect("one is active").1, day);
    }
    depot.assert_whole();
}

#[test]
fn a_failing_store_fails_the_run_and_keeps_the_built_data() {
    let depot = Depot::empty();
    offer_full(&depot);
    depot.s3.rule(|_, _, _| Some(Fault::Refused(403, "AccessDenied")));
    let (rows, errors) = ends(&command(&depot, &[]).output().expect("runs"), 1);
    assert_eq!(rows.len(), 1, "nothing was published: {rows:?}");
    assert_eq!(rows[0]["result"], "updated");
    assert!(errors.contains("daicho: --publish: s3://depot/japan/prod"), "{errors}");
    assert!(errors.contains("status 403 Forbidden (AccessDenied)"), "{errors}");
    assert!(
        errors.contains("The built snapshots are kept; the next update publishes them"),
        "{errors}"
    );
    assert!(built(&depot, "2026-07-31"));
    // No process listens on the discard port of this machine.
    let mut unreachable = command(&depot, &[]);
    let output = unreachable.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9").output().expect("runs");
    let (rows, errors) = ends(&output, 1);
    assert_eq!(rows[0]["result"], "current");
    assert!(errors.contains("Connection refused"), "{errors}");
    // A missing folder does not stop the build either.
    offer_day(&depot, "2026-08-03");
    let output = command(&depot, &["--publish", "file:///nowhere/at/all"]).output().expect("runs");
    let (_, errors) = ends(&output, 1);
    assert!(errors.contains("expected the folder of a file:// store"), "{errors}");
    assert!(built(&depot, "2026-08-03"));
    depot.s3.heal();
    update(&depot, &[]);
    assert_eq!(active(&depot), Some((1, "2026-08-03".to_owned())));
}

#[needs::postgresql]
#[test]
fn a_store_without_conditions_needs_a_database() {
    let cluster = Cluster::shared();
    let depot = Depot::empty();
    depot.s3.ignore_conditions();
    offer_full(&depot);
    let without = command(&depot, &[]).env_remove("DAICHO_STATE").output().expect("runs");
    let (_, errors) = ends(&without, 1);
    assert!(errors.contains("--publish: s3://") && errors.contains("--state postgres"), "{errors}");
    assert!(built(&depot, "2026-07-31"), "the built snapshot is kept");
    let (_, published) = update(&depot, &["--state", &cluster.empty_schema()]);
    assert_eq!(published["moved"]["active"], 1);
    let wrong = command(&depot, &["--state", "mysql://db/accounts"]).output().expect("runs");
    assert!(ends(&wrong, 2).1.contains("found a URL with the scheme mysql"));
}

#[test]
fn wrong_options_are_refused_before_anything_is_fetched() {
    let depot = Depot::empty();
    offer_full(&depot);
    fs::write(depot.folder.path().join("no-key.pem"), "no key").expect("written");
    for (arguments, code, expected) in [
        (
            &["--publish", "bucket/daicho"][..],
            2,
            "--publish: bucket/daicho: expected s3://BUCKET/PREFIX",
        ),
        (&["--publish", "http://127.0.0.1/x"], 2, "found the scheme http"),
        (&["--publish", ""], 2, "relative URL without a base"),
        (&["--publish", "s3://name:secret@bucket/x"], 2, "a URL with a user or password"),
        (&["--label", "Canary"], 2, "expected a label of 1 to 40 lower-case letters"),
        (&["--signing-key", "nowhere.pem"], 1, "nowhere.pem"),
        (&["--signing-key", "no-key.pem"], 1, "no-key.pem: expected"),
    ] {
        let (rows, errors) = ends(&command(&depot, arguments).output().expect("runs"), code);
        assert!(rows.is_empty() && errors.contains(expected), "{arguments:?}: {errors}");
        assert!(!errors.contains("secret"), "{errors}");
    }
    assert!(!depot.snapshots().exists() && depot.s3.requests().is_empty());
}

#[test]
fn one_failing_source_does_not_stop_the_others() {
    let depot = Depot::empty();
    offer_full(&depot);
    let (rows, errors) = ends(&command(&depot, &["school"]).output().expect("runs"), 1);
    assert!(errors.contains("school: ") && !errors.contains("--publish"), "{errors}");
    assert_eq!(rows.last().expect("rows")["moved"]["active"], 1);
    depot.s3.rule(|_, _, _| Some(Fault::Refused(403, "AccessDenied")));
    offer_day(&depot, "2026-08-03");
    let (_, errors) = ends(&command(&depot, &["school"]).output().expect("runs"), 1);
    assert!(errors.contains("school: ") && errors.contains("\ndaicho: --publish: "), "{errors}");
}

#[test]
fn check_and_dry_run_publish_nothing() {
    let depot = Depot::empty();
    offer_full(&depot);
    for (arguments, code) in [(&["--check"][..], 10), (&["--dry-run"], 0)] {
        ends(&command(&depot, arguments).output().expect("runs"), code);
    }
    assert!(depot.s3.requests().is_empty());
}

#[test]
fn a_rolled_back_release_is_not_activated_again_by_the_timer() {
    let depot = Depot::empty();
    offer_full(&depot);
    update(&depot, &[]);
    offer_day(&depot, "2026-08-03");
    update(&depot, &[]);
    depot.json(&["rollback"]);
    let (_, published) = update(&depot, &[]);
    assert_eq!((&published["was_left"], &published["moved"]), (&true.into(), &Value::Null));
    assert_eq!(active(&depot).expect("one is active").0, 1);
    let mut command = program(&["update", "corporate", "--from", "fetched"]);
    command.current_dir(depot.folder.path()).envs(depot.environment());
    let output = command.args(["--publish", &depot.url()]).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("another release was activated after it"), "{text}");
    // A push by hand activates it again, and newer data is published.
    let pushed = depot.json(&["push", "--activate"]);
    assert_eq!(pushed["moved"]["active"], 2);
    depot.json(&["rollback"]);
    offer_day(&depot, "2026-08-04");
    let (_, published) = update(&depot, &[]);
    assert_eq!(published["moved"]["active"], 3);
    assert!(depot.s3.object(&object("current")).is_some());
}
