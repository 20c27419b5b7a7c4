//! The server under test: its data, its store, its accounts and its process.
//!
//! The data are those included in the program (postal codes of the country, corporations of one prefecture), and banks,
//! schools and invoice issuers of the sample.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cluster::Cluster;

/// The folder of a run, and the program under test.
pub struct Site {
    pub program: PathBuf,
    pub folder: PathBuf,
}

impl Site {
    /// Clears the folder of an earlier run, except for the data that it built.
    pub fn prepare(program: PathBuf, folder: PathBuf) -> Site {
        let site = Site { program, folder };
        for name in ["snapshots", "sample", "state"] {
            let old = site.folder.join(name);
            if old.exists() {
                fs::remove_dir_all(&old).expect("the folder of an earlier run");
            }
        }
        for name in ["snapshots/corporate/changes", "state"] {
            fs::create_dir_all(site.folder.join(name)).expect("a folder");
        }
        let included = site.folder.join("included");
        site.run(&["build", "included", "--out", text(&included)]);
        let sample = site.folder.join("sample");
        site.run(&["build", "sample", "--out", text(&sample)]);
        for kind in ["postal", "corporate"] {
            copy_all(&included.join(kind), &site.snapshots().join(kind));
        }
        for kind in ["bank", "invoice", "school"] {
            copy_all(&sample.join(kind), &site.snapshots().join(kind));
        }
        site
    }

    pub fn snapshots(&self) -> PathBuf {
        self.folder.join("snapshots")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("DAICHO_WEBHOOK_KEY", WEBHOOK_KEY);
        command
    }

    /// Runs a command of the program; returns its standard output.
    pub fn run(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn json(&self, words: &str, state: &str) -> Value {
        let words: Vec<&str> = words.split(' ').chain(["--json", "--state", state]).collect();
        serde_json::from_str(&self.run(&words)).expect("--json is JSON")
    }

    /// Creates the accounts with a webhook at this URL; returns their keys and the secret of the webhook.
    pub fn make_accounts(&self, state: &str, webhook: &str) -> Accounts {
        self.json("account create soak --plan premium --batch", state);
        self.json("account create plain --plan standard", state);
        let key = |words: &str| {
            let created = self.json(&format!("key create {words}"), state);
            created["key"].as_str().expect("shown once").to_owned()
        };
        let secret = key("--account soak --kind secret");
        let plain = key("--account plain --kind secret");
        let public = key(&format!("--account plain --kind public --origin {ORIGIN}"));
        let set = self.json(&format!("account set soak --webhook {webhook}"), state);
        let webhook_secret = set["webhook"]["secret"].as_str().expect("shown once").to_owned();
        Accounts { secret, plain, public, webhook_secret }
    }
}

/// The key that encrypts the webhook secret in the store: 32 bytes. A fixed key, because the secret is only for the
/// run.
const WEBHOOK_KEY: &str = "c29hayBzb2FrIHNvYWsgc29hayBzb2FrIHNvYWsgc28=";

/// The origin of the public key.
pub const ORIGIN: &str = "https://soak.example";

/// The keys of the accounts, and the secret of the webhook.
pub struct Accounts {
    /// Secret key of an account with all rights.
    pub secret: String,
    /// Secret key of an account of the smallest plan.
    pub plain: String,
    /// Public key of the same account, for pages from [`ORIGIN`].
    pub public: String,
    pub webhook_secret: String,
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("built") {
        let path = entry.expect("readable").path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
}

/// The store: PostgreSQL if Debian's packages are installed, else a SQLite file.
pub enum Store {
    Postgres { cluster: Box<Cluster>, url: String },
    File { path: PathBuf, lock: Option<rusqlite::Connection> },
}

impl Store {
    pub fn start(folder: &Path, in_file: bool) -> Store {
        if in_file || !Cluster::is_installed() {
            return Store::File { path: folder.join("state/daicho.db"), lock: None };
        }
        let cluster = Box::new(Cluster::start());
        let url = cluster.empty_schema();
        Store::Postgres { cluster, url }
    }

    /// The value of `--state` for this store.
    pub fn state(&self) -> &str {
        match self {
            Store::Postgres { url, .. } => url,
            Store::File { path, .. } => text(path),
        }
    }

    /// Makes the store unusable: kills PostgreSQL, or locks the SQLite file against writing.
    pub fn stop(&mut self) {
        match self {
            Store::Postgres { cluster, .. } => cluster.kill(),
            Store::File { path, lock } => {
                let connection = rusqlite::Connection::open(path).expect("the file exists");
                connection.busy_timeout(Duration::from_secs(10)).expect("a time-out");
                connection.execute_batch("BEGIN IMMEDIATE").expect("the lock comes free");
                *lock = Some(connection);
            }
        }
    }

    /// Makes the store usable again.
    pub fn restore(&mut self) {
        match self {
            Store::Postgres { cluster, .. } => cluster.restart(),
            Store::File { lock, .. } => drop(lock.take()),
        }
    }
}

/// The running server. It is killed when dropped.
pub struct Server {
    pub address: SocketAddr,
    child: Child,
}

impl Server {
    /// Starts the server and waits until it is ready; calls `log` with each line of its log.
    pub fn start(site: &Site, state: &str, mut log: impl FnMut(&str) + Send + 'static) -> Server {
        let key_cache = site.folder.join("state/key-cache");
        let mut child = site
            .command()
            .args(["serve", "--listen", "127.0.0.1:0", "--age-days", "0", "--log-format", "json"])
            .args(["--log-level", "info", "--webhook-allow-private", "--state", state])
            .args(["--snapshots", text(&site.snapshots()), "--key-cache", text(&key_cache)])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        std::thread::spawn(move || {
            for line in stderr.split(b'\n').map_while(Result::ok) {
                log(&String::from_utf8_lossy(&line));
            }
        });
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let line = stdout.lines().next().expect("a line").expect("text");
        let address = line.strip_prefix("listening on http://").expect("an address");
        Server { address: address.parse().expect("an address"), child }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).expect("the server has not ended");
    }

    /// Whether the server has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_some()
    }

    /// Stops the server with SIGTERM; returns the time that this took, or the fault.
    pub fn stop(mut self) -> Result<Duration, String> {
        /// The server waits up to ten seconds for requests in flight.
        const STOP_TIME_MAX: Duration = Duration::from_secs(20);
        if self.has_ended() {
            return Err("the server has ended by itself".to_owned());
        }
        self.signal(rustix::process::Signal::TERM);
        let started = Instant::now();
        while started.elapsed() < STOP_TIME_MAX {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                let took = started.elapsed();
                return if status.success() {
                    Ok(took)
                } else {
                    Err(format!("ended with {status}"))
                };
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("did not end within {STOP_TIME_MAX:?} of SIGTERM"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
