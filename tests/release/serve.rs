//! A server that follows releases: which release it serves, its cache, and how it behaves while the object store
//! refuses or is unreachable. Activations across several servers are tested in `switch.rs`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::s3::Fault;
use crate::{Depot, program, text};

/// A server process that follows releases. It is killed on drop.
pub struct Node {
    child: Child,
    address: String,
    key: String,
    log: Arc<Mutex<String>>,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Depot {
    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// An API key; the account and the key are created at the first call.
    fn key(&self) -> String {
        let file = self.folder.path().join("key");
        if let Ok(key) = fs::read_to_string(&file) {
            return key;
        }
        let run = |arguments: &[&str]| {
            let output = program(arguments).current_dir(self.folder.path()).output().expect("runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        run(&["account", "create", "shop", "--plan", "premium"]);
        let made = run(&["key", "create", "--account", "shop", "--kind", "secret", "--json"]);
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        let key = made["key"].as_str().expect("a key").to_owned();
        fs::write(file, &key).expect("written");
        key
    }

    fn serve_command(&self, url: &str, listen: &str, arguments: &[&str]) -> Command {
        let mut command = program(&["serve", "--listen", listen, "--dashboard", "off"]);
        command
            .envs(self.environment())
            .args(["--snapshots", url])
            .args(["--release-poll", "50ms", "--age-days", "0"])
            .args(arguments)
            .env("DAICHO_METRICS_INTERVAL", "0s")
            .current_dir(self.folder.path());
        if !arguments.contains(&"--cache") {
            command.args(["--cache", &text(&self.cache())]);
        }
        command
    }

    pub fn serve(&self, arguments: &[&str]) -> Node {
        self.serve_at(&self.url(), arguments)
    }

    /// A server that follows the releases at another URL.
    pub fn serve_at(&self, url: &str, arguments: &[&str]) -> Node {
        self.serve_listening(url, "127.0.0.1:0", arguments)
    }

    /// A server that follows the releases at another URL, at this address.
    pub fn serve_listening(&self, url: &str, listen: &str, arguments: &[&str]) -> Node {
        Node::start(&mut self.serve_command(url, listen, arguments), self.key())
    }

    /// Runs a server that must exit at once with this code, and returns its message.
    #[track_caller]
    pub fn serve_fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self
            .serve_command(&self.url(), "127.0.0.1:0", arguments)
            .output()
            .expect("the program runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{message}");
        message
    }
}

impl Node {
    /// Starts a server, and waits until it listens.
    pub fn start(command: &mut Command, key: String) -> Node {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let log = Arc::new(Mutex::new(String::new()));
        let (kept, errors) = (Arc::clone(&log), child.stderr.take().expect("piped"));
        thread::spawn(move || {
            let lines = BufReader::new(errors).lines().map_while(Result::ok);
            for line in lines.filter(|line| !line.contains("\"message\":\"request\"")) {
                let mut kept = kept.lock().expect("not poisoned");
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("read");
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| {
            thread::sleep(Duration::from_millis(100));
            panic!("found {line:?}: {}", log.lock().expect("not poisoned"))
        });
        Node { child, address: address.to_owned(), key, log }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn key(&self) -> String {
        self.key.clone()
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("our own child");
        self.child.wait().expect("our own child");
    }

    /// Sends SIGTERM, waits until the server exits, and asserts that it succeeded.
    #[track_caller]
    pub fn ends_in_order(&mut self) {
        self.signal(Signal::TERM);
        self.ends_by_itself();
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("our own child");
    }

    /// Waits until the server exits, and asserts that it succeeded.
    #[track_caller]
    pub fn ends_by_itself(&mut self) {
        let status = self.child.wait().expect("our own child");
        assert!(status.success(), "{status}: {}", self.log());
    }

    pub fn get(&self, target: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("listening");
        let head = format!(
            "GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Token {}\r\nConnection: close\r\n\r\n",
            self.key
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (status.expect("a status"), body.unwrap_or_default())
    }

    pub fn metric(&self, name: &str) -> Option<f64> {
        let (_, text) = self.get("/metrics");
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok())
    }

    pub fn log(&self) -> String {
        self.log.lock().expect("not poisoned").clone()
    }

    /// The default version of the banks; `None` if none are served.
    pub fn banks(&self) -> Option<String> {
        let (status, body) = self.get("/v1/bank/0001");
        let answer: Value = serde_json::from_str(&body).unwrap_or_default();
        (status == 200).then(|| answer["version"].as_str().expect("a version").to_owned())
    }

    #[track_caller]
    pub fn waits_for(&self, what: &str, holds: impl Fn(&Node) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    pub fn serves_banks_of(&self, version: &str) {
        self.waits_for(version, |node| node.banks().as_deref() == Some(version));
    }
}

/// The process that has the lock of a cache.
pub fn cache_holder(cache: &Path) -> Pid {
    let text = fs::read_to_string(cache.join(".cache.lock")).expect("the lock");
    let number = text.strip_prefix("process ").and_then(|rest| rest.split(',').next());
    Pid::from_raw(number.and_then(|it| it.parse().ok()).expect("a number")).expect("not 0")
}

/// Whether a request is for one file of a release, and not for a listing.
pub fn is_file(target: &str) -> bool {
    target.starts_with("/depot/japan/prod/files/")
}

pub const SAMPLE: &str = "2026-05-25";

/// Two releases: 1 with the sample's banks, active, and 2 with later banks.
pub fn two_releases() -> Depot {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.build_banks("2026-07-01");
    depot.json(&["push"]);
    depot
}

#[test]
fn a_server_answers_from_the_active_release() {
    let depot = two_releases();
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    node.waits_for("ready", |node| node.get("/readyz").0 == 200);
    assert_eq!(node.metric("daicho_release"), Some(1.0));
    depot.json(&["activate", "2"]);
    node.serves_banks_of("2026-07-01");
    assert_eq!(node.get(&format!("/v1/bank/0001?version={SAMPLE}")).0, 200, "older versions stay");
    let fetched = |node: &Node| node.metric("daicho_release_fetched_bytes_total");
    let before = fetched(&node);
    depot.json(&["rollback"]);
    node.serves_banks_of(SAMPLE);
    assert_eq!(
        node.get("/v1/bank/0001?version=2026-07-01").0,
        404,
        "later versions are not served"
    );
    assert_eq!(fetched(&node), before, "all files were in the cache");
    depot.json(&["activate", "2"]);
    node.serves_banks_of("2026-07-01");
    assert_eq!(node.metric("daicho_release"), Some(2.0));
    assert_eq!(node.metric("daicho_release_failures_total"), Some(0.0));
}

#[test]
fn a_server_starts_from_its_cache_while_the_store_is_unreachable() {
    let depot = two_releases();
    depot.serve(&[]).serves_banks_of(SAMPLE);
    depot.s3.rule(|_, _, _| Some(Fault::Refused(503, "SlowDown")));
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    node.waits_for("an unreachable store", |node| {
        node.metric("daicho_release_store_away") == Some(1.0)
    });
    let line = "serving the release from the cache until it is back";
    node.waits_for("the log", |node| node.log().contains(line));
    depot.s3.heal();
    node.waits_for("a reachable store", |node| {
        node.metric("daicho_release_store_away") == Some(0.0)
    });
    node.waits_for("the log", |node| node.log().contains("the object store is reachable again"));
    assert_eq!(node.log().matches(line).count(), 1, "{}", node.log());
    depot.json(&["activate", "2"]);
    node.serves_banks_of("2026-07-01");
}

#[test]
fn a_missing_folder_of_releases_counts_as_unreachable() {
    let depot = Depot::make();
    let (place, away) = (depot.folder.path().join("store"), depot.folder.path().join("away"));
    fs::create_dir(&place).expect("made");
    let url = format!("file://{}", text(&place));
    depot.json(&["push", "--activate", "--releases", &url]);
    let node = depot.serve_at(&url, &[]);
    node.serves_banks_of(SAMPLE);
    fs::rename(&place, &away).expect("renamed");
    node.waits_for("an unreachable store", |node| {
        node.metric("daicho_release_store_away") == Some(1.0)
    });
    let line = "expected the folder of a file:// store";
    node.waits_for("the log", |node| node.log().contains(line));
    // A server started right after a kill waits until the lock of the cache is free.
    drop(node);
    let node = depot.serve_at(&url, &[]);
    node.serves_banks_of(SAMPLE);
    fs::rename(&away, &place).expect("renamed");
    node.waits_for("a reachable store", |node| {
        node.metric("daicho_release_store_away") == Some(0.0)
    });
}

#[test]
fn a_server_with_an_empty_cache_waits_for_the_store() {
    let depot = two_releases();
    depot.s3.rule(|_, _, _| Some(Fault::Refused(503, "SlowDown")));
    let node = depot.serve(&[]);
    node.waits_for("the log", |node| node.log().contains("the cache has no release"));
    assert_eq!(node.get("/readyz").0, 503);
    depot.s3.heal();
    node.serves_banks_of(SAMPLE);
}

#[test]
fn wrong_bytes_are_never_served() {
    let depot = two_releases();
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    depot.s3.rule(|_, method, target| {
        (method == "GET" && is_file(target)).then_some(Fault::WrongBytes)
    });
    depot.fails(&["activate", "2", "--quorum", "0"], 3);
    depot.force_active(2);
    node.waits_for("a failure", |node| node.metric("daicho_release_failures_total") >= Some(1.0));
    node.waits_for("the log", |node| node.log().contains("expected the SHA-256"));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
    depot.s3.heal();
    node.serves_banks_of("2026-07-01");
}

#[test]
fn an_interrupted_download_is_resumed() {
    let depot = Depot::make();
    for gone in ["postal", "corporate"] {
        fs::remove_dir_all(depot.snapshots().join(gone)).expect("removed");
    }
    let mut built = program(&["build", "included", "--out", "snapshots"]);
    assert!(built.current_dir(depot.folder.path()).status().expect("runs").success());
    depot.json(&["push", "--activate"]);
    let sizes: u64 = depot
        .names("files")
        .iter()
        .map(|name| depot.s3.object(name).map_or(0, |bytes| bytes.len() as u64))
        .sum();
    // The second range of a file stalls, so the process is killed with its first 8 MiB in the cache.
    depot.s3.rule(|_, _, target| {
        (is_file(target) && target.contains("range=bytes=8388608-")).then_some(Fault::Silence)
    });
    let files = depot.cache().join("files");
    let parts = |_: &Node| {
        let entries = fs::read_dir(&files).expect("a cache").flatten();
        let part = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".part");
        entries.filter(part).any(|entry| entry.metadata().is_ok_and(|part| part.len() == 8 << 20))
    };
    let node = depot.serve(&[]);
    node.waits_for("a part", parts);
    drop(node);
    depot.s3.heal();
    let node = depot.serve(&[]);
    node.serves_banks_of(SAMPLE);
    let fetched = node.metric("daicho_release_fetched_bytes_total").expect("a count");
    assert!(fetched <= (sizes - (8 << 20)) as f64, "{fetched} of {sizes}");
}

#[test]
fn the_cache_stays_within_its_limit() {
    let depot = two_releases();
    let size = |release: &str| depot.json(&["show", release])["bytes"].as_u64().expect("bytes");
    let room = (size("1") + (size("2") - size("1")) / 2).to_string();
    let node = depot.serve(&["--cache-size", &room]);
    node.serves_banks_of(SAMPLE);
    depot.json(&["activate", "2", "--quorum", "0"]);
    node.waits_for("a failure", |node| node.metric("daicho_release_failures_total") >= Some(1.0));
    let line = format!("expected at most {room} bytes");
    node.waits_for("the log", |node| node.log().contains(&line));
    assert_eq!(node.banks().as_deref(), Some(SAMPLE));
    drop(node);
    // If both fit, the older versions stay until a later release needs the space.
    let room = size("2");
    depot.json(&["push", "--versions", "1", "--activate"]);
    let node = depot.serve(&["--cache-size", &room.to_string()]);
    node.serves_banks_of("2026-07-01");
    assert_eq!(node.get(&format!("/v1/bank/0001?version={SAMPLE}")).0, 200);
    depot.build_banks("2026-08-01");
    depot.json(&["push", "--versions", "1", "--activate"]);
    node.serves_banks_of("2026-08-01");
    let held: u64 = fs::read_dir(depot.cache().join("files"))
        .expect("a cache")
        .flatten()
        .map(|entry| entry.metadata().map_or(0, |file| file.len()))
        .sum();
    assert!(held <= room, "{held} of {room}");
    assert_eq!(node.metric("daicho_release_cache_bytes"), Some(held as f64));
}

#[test]
fn a_server_with_a_release_key_refuses_unsigned_releases() {
    let depot = two_releases();
    depot.write_keys();
    let node = depot.serve(&["--release-key", "public.pem"]);
    node.waits_for("refused", |node| node.log().contains("release 1: expected a signature"));
    assert_eq!(node.banks(), None);
    depot.json(&["push", "--signing-key", "private.pem", "--activate"]);
    node.serves_banks_of("2026-07-01");
}

#[test]
fn a_server_with_a_label_follows_the_release_of_its_label() {
    let depot = two_releases();
    let (canary, other) =
        (depot.serve(&["--node-label", "canary"]), Depot { s3: depot.s3.clone(), ..Depot::make() });
    let other = other.serve(&[]);
    canary.serves_banks_of(SAMPLE);
    other.serves_banks_of(SAMPLE);
    depot.json(&["activate", "2", "--label", "canary"]);
    canary.serves_banks_of("2026-07-01");
    assert_eq!(other.banks().as_deref(), Some(SAMPLE));
}

#[test]
fn wrong_options_are_refused() {
    let depot = two_releases();
    let message = depot.serve_fails(&["--cache-size", "1.5G"], 2);
    assert!(message.contains("expected a number of bytes such as 500M or 40G"), "{message}");
    let message = depot.serve_fails(&["--release-poll", "0s"], 2);
    assert!(message.contains("--release-poll"), "{message}");
    let message = depot.serve_fails(&["--release-key", "none.pem"], 1);
    assert!(message.contains("none.pem: expected a public Ed25519 key"), "{message}");
    let message = depot.serve_fails(&["--update", "daily"], 2);
    assert!(message.contains("--update needs a folder as --snapshots"), "{message}");
    let mut command = program(&["serve", "--snapshots", "s3://bucket/x"]);
    let output = command.current_dir(depot.folder.path()).output().expect("runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && message.contains("--cache; found none"),
        "{message}"
    );
    let mut command = program(&["serve", "--cache", "cache"]);
    let output = command.current_dir(depot.folder.path()).output().expect("runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("--cache needs a URL as --snapshots"), "{message}");
    let _node = depot.serve(&[]);
    let message = depot.serve_fails(&[], 1);
    assert!(
        message.contains("expected no other process at work in this folder, found process"),
        "{message}"
    );
}
