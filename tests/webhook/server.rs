//! The built server over the sample data, with one account that watches corporate numbers.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use daicho::account::store::{IfMissing, NewAccount, NewKey, Store, StoreLocation};
use daicho::account::{AccountId, AccountName, ApiKey, KeyKind, Plan};
use daicho::radar::delivery::{self, Delivery};
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::webhook::{Secret, WebhookUrl};
use daicho::radar::{registration, watch_list};
use daicho::text::codes::{CorporateNumber, Register};
use jiff::Timestamp;
use serde_json::Value;

use super::receiver::DEADLINE;
use super::sample::sample;

/// A number that the sample's difference of 2026-08-03 contains, and one that it does not contain.
pub const CHANGED: &str = "5010001999902";
pub const UNCHANGED: &str = "7000012050002";

fn daicho() -> Command {
    Command::new(env!("CARGO_BIN_EXE_daicho"))
}

/// A folder with a state file and snapshots, and the identity, key and secret of its one account.
pub struct Site {
    pub folder: tempfile::TempDir,
    pub account: AccountId,
    pub key: String,
    pub secret: Secret,
}

impl Site {
    /// Creates the account `shop`, which has this webhook URL and watches [`CHANGED`], and snapshots without the
    /// version that changes it.
    pub fn with_webhook(url: &str) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let place = StoreLocation::File(folder.path().join("daicho.db"));
        let mut store = Store::open(&place, IfMissing::Create).expect("made");
        let name = shop();
        let new =
            NewAccount { name: name.clone(), plan: Plan::Premium, batch: false, api_version: None };
        let now = Timestamp::now();
        let account = store.create_account(&new, now).expect("made").id;
        let key = ApiKey::generate(KeyKind::Secret, [3; 20]);
        store
            .create_key(
                &NewKey { account: &name, key: &key, label: None, origins: &[], expires_at: None },
                daicho::account::KEYS_MAX,
                now,
            )
            .expect("kept");
        let secret = Secret::from_random([1; 32]);
        let url = WebhookUrl::parse(url).expect("a URL");
        let cipher = cipher(&folder);
        registration::set_url(&mut store, &cipher, account, &url, &secret, now).expect("set");
        let number = CorporateNumber::parse(CHANGED).expect("a number");
        watch_list::add(&mut store, account, Register::Corporate, &[number], 10, now)
            .expect("watched");
        let site = Site { folder, account, key: key.reveal().to_owned(), secret };
        std::fs::create_dir_all(site.snapshots().join("corporate/changes")).expect("made");
        site.put("corporate/2026-07-31.daicho");
        site
    }

    /// Adds a file of the sample to the snapshots, as a build does.
    pub fn put(&self, name: &str) {
        let unfinished = self.snapshots().join(".unfinished");
        std::fs::copy(sample().join(name), &unfinished).expect("copied");
        std::fs::rename(unfinished, self.snapshots().join(name)).expect("renamed");
    }

    /// Adds the version whose difference contains [`CHANGED`].
    pub fn put_the_change(&self) {
        self.put("corporate/2026-08-03.daicho");
        self.put("corporate/changes/2026-08-03.txt");
    }

    pub fn snapshots(&self) -> PathBuf {
        self.folder.path().join("snapshots")
    }

    pub fn place(&self) -> StoreLocation {
        StoreLocation::File(self.folder.path().join("daicho.db"))
    }

    /// The key beside the state file.
    pub fn cipher(&self) -> SecretCipher {
        cipher(&self.folder)
    }

    pub fn store(&self) -> Store {
        Store::open(&self.place(), IfMissing::Refuse).expect("there")
    }

    /// All deliveries in the store, waiting or finished.
    pub fn deliveries(&self) -> Vec<Delivery> {
        delivery::latest(&mut self.store(), None, 1000).expect("read")
    }

    /// Waits until the deliveries meet the condition.
    #[track_caller]
    pub fn until(&self, what: &str, met: impl Fn(&[Delivery]) -> bool) -> Vec<Delivery> {
        let started = Instant::now();
        loop {
            let found = self.deliveries();
            if met(&found) {
                return found;
            }
            assert!(started.elapsed() < DEADLINE, "timed out waiting for {what}: {found:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs a command with `--json` on the state file; it may fail.
    pub fn run(&self, words: &str) -> Output {
        let mut command = daicho();
        command.args(words.split(' ')).arg("--json").arg("--state");
        command.arg(self.folder.path().join("daicho.db")).output().expect("it runs")
    }

    /// Runs a command on the state file, which must succeed, and returns its JSON.
    #[track_caller]
    pub fn command(&self, words: &str) -> Value {
        let done = self.run(words);
        assert!(done.status.success(), "{words}: {}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice(&done.stdout).expect("JSON")
    }

    /// Runs a command without a state file.
    pub fn run_stateless(&self, words: &str) -> Output {
        daicho().args(words.split(' ')).output().expect("it runs")
    }

    /// Starts a server of this site.
    pub fn serve(&self, arguments: &[&str], environment: &[(&str, &Path)]) -> Server {
        self.serve_from(&self.snapshots(), arguments, environment)
    }

    /// Starts a server with the snapshots of another folder or URL.
    pub fn serve_from(
        &self,
        snapshots: &Path,
        arguments: &[&str],
        environment: &[(&str, &Path)],
    ) -> Server {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let log = self.folder.path().join(format!("log-{number}"));
        let mut child = daicho()
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--state"])
            .arg(self.folder.path().join("daicho.db"))
            .arg("--snapshots")
            .arg(snapshots)
            .args(arguments)
            .env("DAICHO_METRICS_INTERVAL", "0s")
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).expect("a log"))
            .spawn()
            .expect("the binary runs");
        let stdout = child.stdout.take().expect("piped");
        let line = BufReader::new(stdout).lines().next().expect("a line").expect("text");
        let address = line.strip_prefix("listening on http://").expect("an address");
        Server { address: address.parse().expect("an address"), log, child }
    }
}

fn cipher(folder: &tempfile::TempDir) -> SecretCipher {
    SecretCipher::new(KeyLocation::BesideState(folder.path().join("daicho.db")))
}

fn shop() -> AccountName {
    AccountName::parse("shop").expect("a name")
}

/// A running server. It is killed when dropped.
pub struct Server {
    pub address: SocketAddr,
    log: PathBuf,
    child: Child,
}

impl Server {
    /// Requests a path with a key; returns status and body.
    #[track_caller]
    pub fn get(&self, path: &str, key: &str) -> (u16, String) {
        let mut tcp = TcpStream::connect(self.address).expect("it listens");
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Token {key}\r\n\r\n"
        );
        tcp.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        tcp.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head[9..12].parse().expect("a status"), body.to_owned())
    }

    #[track_caller]
    pub fn until(&self, what: &str, met: impl Fn(&Server) -> bool) {
        let started = Instant::now();
        while !met(self) {
            assert!(
                started.elapsed() < DEADLINE,
                "timed out waiting for {what}: {}",
                self.logged()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// The log so far.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(&self.log).expect("a log")
    }

    /// Waits until the log contains this text, and returns the log. A line is written shortly after its event.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) -> String {
        self.until(&format!("{text:?} in the log"), |server| server.logged().contains(text));
        self.logged()
    }

    /// Stops the server in order and asserts that it succeeded.
    pub fn stop(mut self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it runs");
        assert!(self.child.wait().expect("a child").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
