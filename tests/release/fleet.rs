//! Three servers behind HAProxy, with third-party storage: the S3 server `s3s-fs` from crates.io, and PostgreSQL.
//! Clients send requests while releases change, one server is killed, and each is restarted; none may fail.
//!
//! `make fleet` installs HAProxy and `s3s-fs`.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::serve::{Node, SAMPLE};
use crate::{build_banks, environment, program, text};

const LATER: &str = "2026-07-01";

/// The addresses and ports of the servers and the balancer in `packaging/drill/haproxy.cfg`.
const HOSTS: [&str; 3] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
pub const NODE_PORT: &str = "28201";
const BALANCER: &str = "127.0.0.1:28200";

/// A process that is killed on drop.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// HAProxy, and where it answers.
struct Balancer {
    address: String,
    statistics: String,
    _running: Running,
}

/// The object store, the database, and a folder of sample snapshots.
struct Setup {
    folder: TempDir,
    store: String,
    state: String,
    key: String,
    _running: Running,
}

#[needs::postgresql]
#[needs::haproxy]
#[needs::s3s_fs]
#[test]
fn three_servers_behind_a_balancer_answer_every_request() {
    let setup = Setup::make(&s3s(), Cluster::shared());
    setup.daicho(&["release", "push", "--activate"]);
    let mut nodes = HOSTS.map(|host| setup.serve(&format!("{host}:0"), host));
    for node in &nodes {
        node.waits_for("the sample", |node| node.banks().as_deref() == Some(SAMPLE));
    }
    let balancer = setup.balance(&haproxy(), &nodes);
    let load = Load::begin(&balancer.address, &setup.key);
    load.continues_without_failures("three servers");

    build_banks(setup.folder.path(), LATER);
    setup.daicho(&["release", "push", "--activate"]);
    for node in &nodes {
        node.waits_for("the later release", |node| node.banks().as_deref() == Some(LATER));
    }
    load.continues_without_failures("a later release");

    // The second server is killed and restarted at the same address with its cache.
    let [_, second, _] = &mut nodes;
    let address = second.address().to_owned();
    second.kill();
    load.continues_without_failures("a killed server");
    *second = setup.serve(&address, HOSTS[1]);
    second.waits_for("its release", |node| node.banks().as_deref() == Some(LATER));
    balancer.has_all_servers();

    for (node, host) in nodes.iter_mut().zip(HOSTS) {
        let address = node.address().to_owned();
        node.ends_in_order();
        *node = setup.serve(&address, host);
        node.waits_for("its release", |node| node.banks().as_deref() == Some(LATER));
        balancer.has_all_servers();
        load.continues_without_failures("a restarted server");
    }

    setup.daicho(&["release", "rollback"]);
    for node in &nodes {
        node.waits_for("the sample again", |node| node.banks().as_deref() == Some(SAMPLE));
    }
    load.continues_without_failures("the release before");
    let versions = load.end();
    assert_eq!(versions.first().map(String::as_str), Some(SAMPLE));
    assert!(versions.iter().any(|version| version == LATER), "{versions:?}");
    assert_eq!(versions.last().map(String::as_str), Some(SAMPLE), "{versions:?}");
}

impl Setup {
    fn make(s3s: &Path, cluster: &Cluster) -> Setup {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("store/depot")).expect("a bucket");
        let port = free_port();
        let mut command = Command::new(s3s);
        command
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--access-key", "key", "--secret-key", "secret"])
            .arg(folder.path().join("store"))
            .stdout(Stdio::null());
        let running = Running(command.spawn().expect("s3s-fs runs"));
        let store = format!("127.0.0.1:{port}");
        wait_until_listening(&store);
        let state = cluster.empty_schema();
        let mut setup = Setup { folder, store, state, key: String::new(), _running: running };
        setup.daicho(&["build", "sample", "--out", "snapshots"]);
        setup.daicho(&["account", "create", "shop", "--plan", "premium"]);
        let made =
            setup.daicho(&["key", "create", "--account", "shop", "--kind", "secret", "--json"]);
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        setup.key = made["key"].as_str().expect("a key").to_owned();
        setup
    }

    /// The program, with object store, releases and database set in its environment.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(arguments);
        command
            .current_dir(self.folder.path())
            .envs(environment(&self.store))
            .env("DAICHO_RELEASES", "s3://depot/japan")
            .env("DAICHO_STATE", &self.state);
        command
    }

    /// Runs a command that must succeed, and returns its standard output.
    #[track_caller]
    fn daicho(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.command(arguments).output().expect("the program runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {message}");
        output.stdout
    }

    fn serve(&self, listen: &str, name: &str) -> Node {
        let cache = self.folder.path().join(name);
        let mut command = self.command(&["serve", "--listen", listen, "--dashboard", "off"]);
        command
            .args(["--snapshots", "s3://depot/japan", "--cache", &text(&cache)])
            .args(["--release-poll", "100ms", "--age-days", "0", "--drain", "1500ms"])
            .args(["--trusted-proxy", "127.0.0.1/32"])
            .env("DAICHO_METRICS_INTERVAL", "0s");
        Node::start(&mut command, self.key.clone())
    }

    /// Starts HAProxy with the documented configuration, and a page of statistics, in front of these servers.
    fn balance(&self, haproxy: &Path, nodes: &[Node; 3]) -> Balancer {
        let [address, statistics] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
        let documented = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/drill/haproxy.cfg");
        let documented = fs::read_to_string(documented).expect("the file of the drill");
        let mut config = documented.replace(BALANCER, &address);
        for (node, host) in nodes.iter().zip(HOSTS) {
            let place = format!("{host}:{NODE_PORT}");
            assert!(config.contains(&place), "{config}");
            config = config.replace(&place, node.address());
        }
        config +=
            &format!("frontend statistics\n  bind {statistics}\n  stats enable\n  stats uri /\n");
        let path = self.folder.path().join("haproxy.cfg");
        fs::write(&path, config).expect("written");
        let mut command = Command::new(haproxy);
        let log = fs::File::create(self.folder.path().join("haproxy.log")).expect("a log");
        command.arg("-f").arg(path).stdout(Stdio::null()).stderr(log);
        let running = Running(command.spawn().expect("HAProxy runs"));
        wait_until_listening(&statistics);
        let balancer = Balancer { address, statistics, _running: running };
        balancer.has_all_servers();
        balancer
    }
}

impl Balancer {
    /// Waits until HAProxy sends requests to every server. A server that is stopped before HAProxy has the one
    /// restarted before it leaves too few.
    #[track_caller]
    fn has_all_servers(&self) {
        until("the balancer has all servers", || {
            let (_, table) = get(&self.statistics, "/;csv", "");
            table.lines().filter(|line| is_up(line)).count() == HOSTS.len()
        });
    }
}

/// Whether a line of HAProxy's statistics is about a server of the documented configuration that is up.
fn is_up(line: &str) -> bool {
    let mut fields = line.split(',');
    fields.next() == Some("nodes")
        && fields.next() != Some("BACKEND")
        && fields.any(|field| field == "UP")
}

/// Three clients that request a bank from the balancer without a pause.
pub struct Load {
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    clients: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Seen {
    answers: usize,
    failed: Vec<String>,
    /// The versions of the responses, without consecutive repetitions.
    versions: Vec<String>,
}

impl Load {
    pub fn begin(balancer: &str, key: &str) -> Load {
        let (seen, stop) =
            (Arc::new(Mutex::new(Seen::default())), Arc::new(AtomicBool::new(false)));
        let clients = (0..3).map(|_| {
            let (seen, stop) = (Arc::clone(&seen), Arc::clone(&stop));
            let balancer = balancer.to_owned();
            let authorization = format!("Authorization: Token {key}\r\n");
            thread::spawn(move || {
                while !stop.load(Relaxed) {
                    let (status, answer) = get(&balancer, "/v1/bank/0001", &authorization);
                    seen.lock().expect("not poisoned").note(status, &answer);
                }
            })
        });
        Load { clients: clients.collect(), seen, stop }
    }

    /// Waits for a hundred more responses, and asserts that no request failed.
    #[track_caller]
    pub fn continues_without_failures(&self, what: &str) {
        let answers = || self.seen.lock().expect("not poisoned").answers;
        let before = answers();
        until(what, || answers() >= before + 100);
        let failed = &self.seen.lock().expect("not poisoned").failed;
        assert!(failed.is_empty(), "{what}: {failed:?}");
    }

    /// Stops the clients, and returns the versions that they saw.
    pub fn end(self) -> Vec<String> {
        self.stop.store(true, Relaxed);
        for client in self.clients {
            client.join().expect("no panic");
        }
        let seen = self.seen.lock().expect("not poisoned");
        assert!(seen.failed.is_empty(), "{:?}", seen.failed);
        seen.versions.clone()
    }
}

impl Seen {
    fn note(&mut self, status: u16, answer: &str) {
        let value: Value = serde_json::from_str(answer).unwrap_or_default();
        match (status, value["version"].as_str()) {
            (200, Some(version)) => {
                self.answers += 1;
                if self.versions.last().map(String::as_str) != Some(version) {
                    self.versions.push(version.to_owned());
                }
            }
            _ => self.failed.push(format!("{status} {answer}")),
        }
    }
}

/// Requests a path over a new connection, with these further header lines. Status 0: no response.
fn get(address: &str, path: &str, headers: &str) -> (u16, String) {
    let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{headers}Connection: close\r\n\r\n");
    let mut answer = String::new();
    let asked = TcpStream::connect(address).and_then(|mut stream| {
        stream.write_all(head.as_bytes())?;
        stream.read_to_string(&mut answer)
    });
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    match (asked, status, answer.split_once("\r\n\r\n")) {
        (Ok(_), Some(status), Some((_, body))) => (status, body.to_owned()),
        (asked, ..) => (0, format!("{asked:?} {answer}")),
    }
}

pub fn wait_until_listening(address: &str) {
    until(address, || TcpStream::connect(address).is_ok());
}

#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").port()
}

/// `s3s-fs`, where `make fleet` installs it or in a folder of PATH.
fn s3s() -> PathBuf {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/bin/s3s-fs");
    found("s3s-fs", &[installed])
}

pub fn haproxy() -> PathBuf {
    found("haproxy", &["/usr/sbin/haproxy"])
}

/// A program at one of these places, or in a folder of PATH.
fn found(name: &str, places: &[&str]) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join(name));
    let found = places.iter().map(PathBuf::from).chain(in_path).find(|place| place.is_file());
    found.unwrap_or_else(|| panic!("expected {name} in PATH, found none; run `make fleet`"))
}
