//! Changes of the snapshot folder while the server runs: new, damaged and removed versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rustix::process::Signal;

use crate::support::{Client, ServerProcess, ask, sample, wait_until};

fn file(folder: &Path, version: &str) -> PathBuf {
    folder.join("postal").join(format!("{version}.daicho"))
}

/// Writes a snapshot as the builder does: under another name first, then renamed, so that it appears complete.
fn put(folder: &Path, version: &str, bytes: &[u8]) {
    let target = file(folder, version);
    let unfinished = target.with_extension("unfinished");
    fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
    fs::write(&unfinished, bytes).expect("written");
    fs::rename(&unfinished, &target).expect("renamed");
}

fn versions(served: &ServerProcess) -> String {
    served.get("/v1/postalcode/versions/").text()
}

#[test]
fn data_that_appears_after_the_start_is_served() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let folder = served.folder.path().join("snapshots");
    assert_eq!(ask(served.address, "GET /readyz").status, 503);
    let bytes = fs::read(file(sample(), "2026-05-29")).expect("a snapshot");
    put(&folder, "2026-05-29", &bytes);
    wait_until("the server to be ready", || ask(served.address, "GET /readyz").status == 200);
    assert_eq!(served.get("/v1/postalcode/1000001").json()["version"], "2026-05-29");
}

#[test]
fn a_damaged_file_is_refused_and_other_versions_are_served() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let folder = served.folder.path().join("snapshots");
    let bytes = |version| fs::read(file(sample(), version)).expect("a snapshot");
    put(&folder, "2026-05-29", &bytes("2026-05-29"));
    wait_until("the data to be loaded", || versions(&served).contains("2026-05-29"));
    let mut damaged = bytes("2026-06-30");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    put(&folder, "2026-06-30", &damaged);
    wait_until("the damaged file to be refused", || {
        let text = ask(served.address, "GET /metrics").text();
        text.contains("daicho_snapshots_refused{dataset=\"postal\"} 1\n")
    });
    assert_eq!(versions(&served), "{\"versions\":[\"2026-05-29\"]}");
    served.wait_for_log("snapshot refused");
    put(&folder, "2026-06-30", &bytes("2026-06-30"));
    wait_until("the undamaged file to be loaded", || versions(&served).contains("2026-06-30"));
    // An older version is verified on first use only, so a request for it gets the error.
    let mut damaged = bytes("2022-06-30");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    put(&folder, "2022-06-30", &damaged);
    wait_until("the old version to be listed", || versions(&served).contains("2022-06-30"));
    let answer = served.get("/v1/postalcode/1000001?version=2022-06-30");
    answer.expect_error(500, "damaged_data", None);
    assert!(answer.header("x-request-id").is_some());
    let body = answer.text();
    for inner in ["checksum", ".daicho", "section", "/"] {
        let detail = answer.json()["detail"].as_str().expect("text").to_owned();
        assert!(!detail.contains(inner), "{body}");
    }
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
}

#[test]
fn a_new_version_is_read_into_memory_before_it_is_served() {
    const READ_IN: &str = "data version read into memory";
    for (arguments, is_read_in) in
        [(&[][..], true), (&["--warm", "1M"], true), (&["--warm", "off"], false)]
    {
        let served = ServerProcess::with_snapshots(None, arguments);
        let folder = served.folder.path().join("snapshots");
        for version in ["2026-05-29", "2026-06-30"] {
            let bytes = fs::read(file(sample(), version)).expect("a snapshot");
            put(&folder, version, &bytes);
            wait_until("the version to be loaded", || versions(&served).contains(version));
            let path = "/v1/postalcode/1000001";
            assert_eq!(served.get(path).json()["version"], version, "{arguments:?}");
            let size = bytes.len().to_string();
            let is_logged = || {
                served.logged().lines().any(|line| {
                    [READ_IN, version, &size].into_iter().all(|part| line.contains(part))
                })
            };
            if is_read_in {
                wait_until("a line with the version and the size of its file", is_logged);
            } else {
                assert!(!served.logged().contains(READ_IN), "{arguments:?}: {}", served.logged());
            }
        }
        // An older version does not become the default and is not read into memory.
        let older = fs::read(file(sample(), "2022-06-30")).expect("a snapshot");
        put(&folder, "2022-06-30", &older);
        wait_until("the older version to be listed", || versions(&served).contains("2022-06-30"));
        let log = served.logged();
        assert_eq!(log.matches(READ_IN).count(), if is_read_in { 2 } else { 0 }, "{log}");
    }
}

#[test]
fn sighup_rescans_the_folder_immediately() {
    let served = ServerProcess::start();
    let reloads = || {
        let text = ask(served.address, "GET /metrics").text();
        let line =
            text.lines().find(|line| line.starts_with("daicho_reloads_total{result=\"ok\"}"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).expect("a count")
    };
    let before = reloads();
    served.signal(Signal::HUP);
    wait_until("a reload", || reloads() > before);
    assert_eq!(served.get("/v1/postalcode/1000001").status, 200);
}

#[test]
fn no_request_fails_while_snapshots_come_and_go() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let folder = served.folder.path().join("snapshots");
    let bytes = |version| fs::read(file(sample(), version)).expect("a snapshot");
    let (old, new) = (bytes("2026-05-29"), bytes("2026-06-30"));
    put(&folder, "2026-05-29", &old);
    wait_until("the data to be loaded", || ask(served.address, "GET /readyz").status == 200);
    let stop = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicU64::new(0));
    let askers: Vec<_> = (0..4)
        .map(|_| {
            let (stop, count) = (Arc::clone(&stop), Arc::clone(&count));
            let (address, key) = (served.address, served.secret.clone());
            std::thread::spawn(move || {
                let mut client = Client::connect(address);
                while !stop.load(Relaxed) {
                    client.send(&format!(
                        "GET /v1/postalcode/1000001 HTTP/1.1\nHost: x\nAuthorization: Token {key}"
                    ));
                    let answer = client.receive();
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    let version = answer.json()["version"].as_str().expect("text").to_owned();
                    let tag = answer.header("etag").expect("a tag");
                    assert!(
                        tag.contains(&version),
                        "one answer mixes versions: tag {tag}, data {version}"
                    );
                    count.fetch_add(1, Relaxed);
                }
            })
        })
        .collect();
    let latest = || ask(served.address, "GET /readyz").json()["data"]["postal"]["latest"].clone();
    for round in 0..3 {
        put(&folder, "2026-06-30", &new);
        wait_until("the new version to be loaded", || latest() == "2026-06-30");
        put(&folder, "2026-06-30", &new[..new.len() - 1 - round]);
        wait_until("the truncated version to be refused", || latest() == "2026-05-29");
        put(&folder, "2026-06-30", &new);
        wait_until("the new version to be loaded again", || latest() == "2026-06-30");
        fs::remove_file(file(&folder, "2026-06-30")).expect("removed");
        wait_until("the version to be dropped", || latest() == "2026-05-29");
        served.signal(Signal::HUP);
    }
    let asked = count.load(Relaxed);
    wait_until("more requests", || count.load(Relaxed) > asked + 100);
    stop.store(true, Relaxed);
    for asker in askers {
        asker.join().expect("no request failed");
    }
}
