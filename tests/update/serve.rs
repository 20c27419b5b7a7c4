//! `daicho serve --update daily` against the replica: an empty folder is filled, and a failed update does not stop the
//! server.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::files::sample_may;
use crate::replica::{Answer, Fault, Replica, abr, japanpost};

/// A wait that takes longer fails its test. It is no performance limit.
const DEADLINE: Duration = Duration::from_secs(120);

struct Server {
    address: SocketAddr,
    log: PathBuf,
    child: Child,
}

impl Server {
    fn start(folder: &Path, replica: &Replica) -> Server {
        let sources = folder.join("sources.toml");
        std::fs::write(&sources, "[manners]\npause-ms = 0\nretry-ms = 1\n").expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
        command.args([
            "serve",
            "--update",
            "daily",
            "--listen",
            "127.0.0.1:0",
            "--log-format",
            "json",
        ]);
        command.env("DAICHO_METRICS_INTERVAL", "0s");
        command.arg("--snapshots").arg(folder.join("snapshots"));
        command.arg("--state").arg(folder.join("daicho.db")).arg("--sources").arg(&sources);
        for site in ["japanpost", "abr", "cao"] {
            command.arg("--site").arg(format!("{site}={}", replica.origin()));
        }
        for variable in
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        {
            command.env_remove(variable);
        }
        let log = folder.join("log");
        let stderr = File::create(&log).expect("a file");
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().expect("it runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let line = lines.next().expect("a line").expect("text");
        let address = line.strip_prefix("listening on http://").expect("an address");
        Server { address: address.parse().expect("an address"), log, child }
    }

    /// Waits until the response of a path contains this text.
    #[track_caller]
    fn wait_for(&self, path: &str, expected: &str) {
        let started = Instant::now();
        loop {
            let found = self.get(path);
            if found.contains(expected) {
                return;
            }
            assert!(started.elapsed() < DEADLINE, "{path}: expected {expected}, found {found}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits for a log line with this text, and returns it. A line is written shortly after its event.
    fn wait_for_log_line(&self, text: &str) -> String {
        let started = Instant::now();
        loop {
            let log = std::fs::read_to_string(&self.log).expect("a log");
            let mut lines = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(line) = lines.find(|line| line.contains(text)) {
                return line.to_owned();
            }
            assert!(started.elapsed() < DEADLINE, "expected a line with {text}, found {log}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn get(&self, path: &str) -> String {
        let mut tcp = TcpStream::connect(self.address).expect("it listens");
        write!(tcp, "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").expect("sent");
        let mut text = String::new();
        tcp.read_to_string(&mut text).expect("answered");
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_fills_an_empty_folder() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    japanpost::publish(&replica, &sample_may());
    abr::refuse(&replica);
    let server = Server::start(folder.path(), &replica);
    server.wait_for("/readyz", "200 OK");
    assert!(folder.path().join("snapshots/postal/2026-05-29.daicho").is_file());
    server.wait_for("/metrics", "daicho_update_last_success_timestamp_seconds{source=\"postal\"}");
    let asked = replica.requests().len();
    drop(server);
    // A server that restarts within the day sends no request.
    let server = Server::start(folder.path(), &replica);
    server.wait_for("/readyz", "200 OK");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(replica.requests().len(), asked);
}

#[test]
fn a_failed_update_is_logged_and_the_server_keeps_running() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    replica.get(&japanpost::path("utf-zip.html"), Answer::status(404));
    let server = Server::start(folder.path(), &replica);
    server.wait_for("/metrics", "daicho_update_failures_total{source=\"postal\"} 1");
    server.wait_for("/healthz", "200 OK");
    let line = server.wait_for_log_line("update failed");
    assert!(line.contains("utf-zip.html") && line.contains("404"), "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_death_of_an_update_is_a_failure_of_the_update_only() {
    let (replica, folder) = (Replica::start(), tempfile::tempdir().expect("a folder"));
    let page = Answer::html(&" ".repeat(100_000));
    let page = page.fault(Fault::Slow(Duration::from_millis(100)));
    replica.get(&japanpost::path("utf-zip.html"), page);
    let server = Server::start(folder.path(), &replica);
    let started = Instant::now();
    let updating = loop {
        if let Some(process) = child_of(&server.child) {
            break process;
        }
        assert!(started.elapsed() < DEADLINE, "no process of an update");
        thread::sleep(Duration::from_millis(50));
    };
    let killed = Command::new("kill").args(["-KILL", &updating]).status().expect("kill runs");
    assert!(killed.success());
    server.wait_for("/metrics", "daicho_update_failures_total{source=\"postal\"} 1");
    server.wait_for("/healthz", "200 OK");
    let line = server.wait_for_log_line("update failed");
    assert!(line.contains("ended without a report") && line.contains("signal: 9"), "{line}");
    let status = std::fs::read_to_string(folder.path().join("snapshots/update.json"));
    assert!(status.expect("written").contains("ended without a report"));
}

/// A process that this one has started.
#[cfg(target_os = "linux")]
fn child_of(parent: &Child) -> Option<String> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", parent.id())).ok()?.flatten();
    let lists = threads.filter_map(|it| std::fs::read_to_string(it.path().join("children")).ok());
    lists.collect::<String>().split_whitespace().next().map(str::to_owned)
}
