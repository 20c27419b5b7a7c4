//! The command `daicho update`: exit codes, output, options, and the lock of the folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::files::{sample_june, sample_may};
use crate::replica::{Answer, Replica, abr, japanpost};

/// Runs the program against the replica, without pauses between requests and without a proxy.
fn daicho(folder: &Path, replica: &Replica, arguments: &[&str]) -> Output {
    let sources = folder.join("sources.toml");
    fs::write(&sources, "[manners]\npause-ms = 0\nretry-ms = 1\n").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.arg("update").args(arguments);
    command.args(["--from", replica.origin().as_str(), "--sources"]).arg(&sources);
    command.arg("--snapshots").arg(folder.join("snapshots"));
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "DAICHO_SNAPSHOTS"] {
        command.env_remove(variable).env_remove(variable.to_lowercase());
    }
    command.output().expect("the program runs")
}

#[track_caller]
fn ends(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{errors}");
    (out, errors)
}

#[test]
fn the_exit_code_of_a_check_says_whether_something_is_new() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let run = |arguments: &[&str]| daicho(folder.path(), &replica, arguments);
    let (out, _) = ends(&run(&["--check"]), 10);
    assert!(out.contains("postal     2026-05-29 is new; none is installed"), "{out}");
    assert!(!folder.path().join("snapshots").exists(), "a check changes nothing");
    let (out, errors) = ends(&run(&[]), 0);
    assert!(out.contains("postal     2026-05-29: ") && out.contains("2026-05-29.daicho"), "{out}");
    assert!(
        errors.contains("warning: postal: town_jukyohyoji is false in all records"),
        "{errors}"
    );
    let (out, _) = ends(&run(&[]), 0);
    assert!(out.contains("postal     2026-05-29, nothing new"), "{out}");
    ends(&run(&["--check"]), 0);
    japanpost::publish(&replica, &sample_june());
    let (out, _) = ends(&run(&["postal", "--check"]), 10);
    assert!(out.contains("2026-06-30 is new; 2026-05-29 is installed"), "{out}");
    let (out, _) = ends(&run(&["postal", "--dry-run"]), 0);
    assert!(out.contains("would fetch http://127.0.0.1:"), "{out}");
    assert!(out.contains("utf/zip/utf_add_2606.zip"), "{out}");
    replica.get(&japanpost::path("utf-zip.html"), Answer::status(404));
    let (_, errors) = ends(&run(&["--check"]), 1);
    assert!(errors.contains("daicho: postal: http://127.0.0.1:"), "{errors}");
}

#[test]
fn json_reports_the_result_of_each_source() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let json = |output: &Output, code| -> Value {
        serde_json::from_str(&ends(output, code).0).expect("--json is JSON")
    };
    let run = |arguments: &[&str]| daicho(folder.path(), &replica, arguments);
    let found = json(&run(&["postal", "--json", "--dry-run"]), 0);
    assert_eq!(
        (&found[0]["result"], &found[0]["offered"]),
        (&"available".into(), &"2026-05-29".into())
    );
    let found = json(&run(&["postal", "--json"]), 0);
    assert_eq!(
        (&found[0]["result"], &found[0]["installed"]),
        (&"updated".into(), &"2026-05-29".into())
    );
    assert_eq!(found[0]["source"], "postal");
    let warnings = found[0]["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().any(|text| text.as_str().is_some_and(|text| text.contains("403"))));
    let status = fs::read_to_string(folder.path().join("snapshots/update.json")).expect("written");
    let status: Value = serde_json::from_str(&status).expect("JSON");
    assert_eq!(status["sources"]["postal"]["edition"], "2026-05-29");
    assert_eq!(status["sources"]["postal"]["failures_total"], 0);
    replica.get(&japanpost::path("utf-zip.html"), Answer::status(404));
    let found = json(&run(&["postal", "--json"]), 1);
    assert_eq!(found[0]["result"], "failed");
    let status = daicho::update::status::Status::read(&folder.path().join("snapshots"));
    let postal = &status.sources["postal"];
    assert_eq!(
        (postal.failures_total, postal.edition.expect("May").to_string()),
        (1, "2026-05-29".to_owned())
    );
    assert!(postal.failure.as_ref().expect("a failure").contains("404"));
}

#[test]
fn fetched_files_are_taken_from_a_folder() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let (files, snapshots) = (folder.path().join("files"), folder.path().join("snapshots"));
    fs::create_dir(&files).expect("a folder");
    let may = sample_may();
    fs::write(files.join("utf_ken_all.zip"), &may.area).expect("written");
    fs::write(files.join("jigyosyo.zip"), &may.business).expect("written");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args(["update", "postal", "--from"]).arg(&files).arg("--snapshots").arg(&snapshots);
        command.output().expect("the program runs")
    };
    let (_, errors) = ends(&run(), 1);
    assert!(errors.contains("expected a file utf-zip.html"), "the page with the date: {errors}");
    fs::write(files.join("utf-zip.html"), "<p>2026年5月29日更新</p>").expect("written");
    let (out, _) = ends(&run(), 0);
    assert!(out.contains("postal     2026-05-29: "), "{out}");
    assert_eq!(replica.requests().len(), 0);
    // The raw files that an update keeps can be built again.
    let kept = snapshots.join("sources/postal/2026-05-29");
    let other = folder.path().join("other");
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(["update", "postal", "--from"]).arg(&kept).arg("--snapshots").arg(&other);
    ends(&command.output().expect("the program runs"), 0);
    let bytes = |folder: &Path| fs::read(folder.join("postal/2026-05-29.daicho")).expect("built");
    assert!(bytes(&snapshots) == bytes(&other));
}

#[test]
fn a_second_update_is_refused_and_names_the_running_one() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    let snapshots = folder.path().join("snapshots");
    fs::create_dir(&snapshots).expect("a folder");
    let lock = fs::File::create(snapshots.join(".update.lock")).expect("a file");
    lock.try_lock().expect("not locked");
    fs::write(snapshots.join(".update.lock"), "process 7, since today, daicho serve\n")
        .expect("written");
    let (_, errors) = ends(&daicho(folder.path(), &replica, &["postal"]), 1);
    assert!(
        errors.contains("found a running one: process 7, since today, daicho serve"),
        "{errors}"
    );
    assert_eq!(replica.requests().len(), 0);
    // A check needs no lock.
    ends(&daicho(folder.path(), &replica, &["postal", "--check"]), 10);
}

#[test]
fn options_are_checked() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    for (arguments, code, expected) in [
        (&["--print-sources"][..], 0, "[japanpost]"),
        (&["addresses"], 2, "possible values: postal, holidays, bank, corporate, invoice, school"),
        (&["--check", "--dry-run"], 2, "cannot be used with"),
        (
            &["--site", "post=https://a.example"],
            2,
            "japanpost, nta, invoice, zengin, abr, cao, mext",
        ),
        (&["--keep", "0"], 2, "0 is not in 1.."),
        (&["--proxy", "socks5://a.example"], 2, "--proxy: expected a proxy such as http://"),
        (&["--from", "/no/such/folder"], 1, "/no/such/folder: No such file"),
        (&["--sources", "/no/such/file"], 1, "/no/such/file: No such file"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.arg("update").args(arguments).arg("--snapshots").arg(folder.path());
        let output = command.output().expect("the program runs");
        let (out, errors) = ends(&output, code);
        assert!(format!("{out}{errors}").contains(expected), "{arguments:?}: {out}{errors}");
    }
    drop(replica);
}

#[test]
fn requests_name_the_program_and_are_sent_one_at_a_time() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    ends(&daicho(folder.path(), &replica, &["postal"]), 0);
    for asked in replica.requests() {
        let agent = asked.header("user-agent").expect("an agent");
        assert!(agent.starts_with("daicho/") && agent.contains("(+https://"), "{agent}");
    }
}
