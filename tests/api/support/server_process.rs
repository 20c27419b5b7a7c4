//! The real binary as a server, by default with the sample data, and with five accounts and their keys.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use daicho::account::store::{IfMissing, NewAccount, NewKey, Store, StoreLocation};
use daicho::account::{AccountName, ApiKey, KeyKind, Origin, Plan};
use daicho::radar::registration;
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::webhook::{Secret, WebhookUrl};
use daicho::text::codes::ApiVersion;
use jiff::Timestamp;

use super::client::{Answer, ask, post};
use super::sample::sample;
use super::wait_until;

/// The origin that the public key is registered for.
pub const SHOP: &str = "https://shop.example";

/// A running server. It is killed when dropped.
pub struct ServerProcess {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// A secret key of the account `demo`: plan standard, no option, no API version of its own.
    pub secret: String,
    /// A public key with the origin [`SHOP`].
    pub public: String,
    /// A public key without registered origins.
    pub unbound: String,
    /// A secret key of an account whose API version is 2022-09-01.
    pub old: String,
    /// A secret key of an account with the plan premium.
    pub premium: String,
    /// A secret key of an account with the batch option.
    pub batch: String,
    /// A secret key of an account with the plan premium and the batch option.
    pub premium_batch: String,
    /// Its folder: `log`, `daicho.db` if the state is a file, and `snapshots` if the test gave no snapshot
    /// folder and created this one.
    pub folder: tempfile::TempDir,
    /// Its command-line arguments.
    arguments: Vec<OsString>,
    child: Child,
}

impl ServerProcess {
    /// Starts a server with the sample.
    pub fn start() -> ServerProcess {
        ServerProcess::with_snapshots(Some(sample()), &[])
    }

    /// Starts a server with this snapshot folder (default: `snapshots` in the
    /// server's folder, which the test may create) and more arguments.
    pub fn with_snapshots(snapshots: Option<&Path>, arguments: &[&str]) -> ServerProcess {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("daicho.db");
        ServerProcess::launch(folder, state.as_os_str(), snapshots, arguments)
    }

    /// Starts a server with the sample and this state, which several servers may share.
    pub fn with_state(state: &str) -> ServerProcess {
        let folder = tempfile::tempdir().expect("a folder");
        ServerProcess::launch(folder, state.as_ref(), Some(sample()), &[])
    }

    fn launch(
        folder: tempfile::TempDir,
        state: &OsStr,
        snapshots: Option<&Path>,
        more: &[&str],
    ) -> ServerProcess {
        let place = StoreLocation::parse(state).expect("a state");
        let mut store = Store::open(&place, IfMissing::Create).expect("a store");
        if store.accounts().expect("all").is_empty() {
            account(&mut store, "demo", Plan::Standard, None, false);
            account(&mut store, "old", Plan::Standard, Some(ApiVersion::V2022_09_01), false);
            account(&mut store, "batch", Plan::Standard, None, true);
            account(&mut store, "premium", Plan::Premium, None, false);
            account(&mut store, "premium-batch", Plan::Premium, None, true);
        }
        let secret = key(&mut store, "demo", KeyKind::Secret, 1, &[]);
        let public = key(&mut store, "demo", KeyKind::Public, 2, &[SHOP]);
        let unbound = key(&mut store, "demo", KeyKind::Public, 3, &[]);
        let old = key(&mut store, "old", KeyKind::Secret, 4, &[]);
        let batch = key(&mut store, "batch", KeyKind::Secret, 5, &[]);
        let premium = key(&mut store, "premium", KeyKind::Secret, 6, &[]);
        let premium_batch = key(&mut store, "premium-batch", KeyKind::Secret, 7, &[]);
        let own = folder.path().join("snapshots");
        let mut arguments: Vec<OsString> =
            ["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--state"]
                .map(OsString::from)
                .into();
        arguments.push(state.to_owned());
        arguments.push("--snapshots".into());
        arguments.push(snapshots.unwrap_or(&own).into());
        // The sample is old. Report that only in tests that set a limit themselves.
        if !more.contains(&"--age-days") {
            arguments.extend(["--age-days", "0"].map(OsString::from));
        }
        arguments.extend(more.iter().map(OsString::from));
        let (child, address) = spawn(&arguments, folder.path());
        ServerProcess {
            address,
            secret,
            public,
            unbound,
            old,
            premium,
            batch,
            premium_batch,
            folder,
            arguments,
            child,
        }
    }

    /// Kills the server without a graceful stop and starts it again, on another port.
    pub fn crash(&mut self) {
        self.child.kill().expect("the server runs");
        self.child.wait().expect("a child");
        (self.child, self.address) = spawn(&self.arguments, self.folder.path());
    }

    /// The process ID.
    #[allow(dead_code, reason = "for the tests that look at what the process costs")]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Runs a `daicho` command, given as words separated by spaces, on the same state.
    pub fn run(&self, words: &str) -> std::process::Output {
        let state = self.arguments.iter().skip_while(|word| *word != "--state").nth(1);
        Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(words.split_whitespace())
            .arg("--state")
            .arg(state.expect("given"))
            .output()
            .expect("the binary runs")
    }

    /// Sends a `GET` with the secret key.
    #[track_caller]
    pub fn get(&self, target: &str) -> Answer {
        ask(self.address, &format!("GET {target}\nAuthorization: Token {}", self.secret))
    }

    /// Sends a `GET` with the secret key and these header lines.
    #[track_caller]
    pub fn get_with(&self, target: &str, headers: &str) -> Answer {
        let key = &self.secret;
        ask(self.address, &format!("GET {target}\nAuthorization: Token {key}\n{headers}"))
    }

    /// Sends a `POST` with the key of the account that has the batch option.
    #[track_caller]
    pub fn post(&self, target: &str, body: impl AsRef<[u8]>) -> Answer {
        post(self.address, target, &self.batch, body.as_ref())
    }

    /// Registers a webhook for an account. No receiver listens at its URL.
    pub fn set_webhook(&self, account: &str) {
        let mut store =
            Store::open(&StoreLocation::File(self.state()), IfMissing::Refuse).expect("the store");
        let name = AccountName::parse(account).expect("a name");
        let account = store.account(&name).expect("the account").id;
        let url = WebhookUrl::parse("https://shop.example/hook").expect("a URL");
        let cipher = SecretCipher::new(KeyLocation::BesideState(self.state()));
        let secret = Secret::from_random([1; 32]);
        registration::set_url(&mut store, &cipher, account, &url, &secret, Timestamp::now())
            .expect("registered");
    }

    /// The path of the state file with the accounts and keys.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("daicho.db")
    }

    /// Everything that the server has logged so far.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).expect("a log")
    }

    /// Waits until the log contains this text, and returns the log. A line is written shortly after its event.
    #[track_caller]
    pub fn wait_for_log(&self, text: &str) -> String {
        wait_until(&format!("{text:?} in the log"), || self.logged().contains(text));
        self.logged()
    }

    /// Sends a signal to the server.
    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.child.id()).expect("a process id");
        let id = rustix::process::Pid::from_raw(id).expect("not 0");
        rustix::process::kill_process(id, signal).expect("the server runs");
    }

    /// Waits until the server exits and returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("a child").code()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the binary, which appends its log to `log` in the folder. Returns once it listens.
fn spawn(arguments: &[OsString], folder: &Path) -> (Child, SocketAddr) {
    let log = File::options().create(true).append(true).open(folder.join("log")).expect("a log");
    let mut child = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(arguments)
        // A test reads the metrics of what it has just done, more often than a collector.
        .env("DAICHO_METRICS_INTERVAL", "0s")
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the binary runs");
    let stdout = child.stdout.take().expect("piped");
    let line = BufReader::new(stdout).lines().next().expect("a line").expect("text");
    let url = line.strip_prefix("listening on ").expect("a URL");
    let (_scheme, address) = url.split_once("://").expect("an address");
    (child, address.parse().expect("an address"))
}

fn name(text: &str) -> AccountName {
    AccountName::parse(text).expect("a name")
}

fn account(
    store: &mut Store,
    text: &str,
    plan: Plan,
    api_version: Option<ApiVersion>,
    batch: bool,
) {
    let new = NewAccount { name: name(text), plan, batch, api_version };
    store.create_account(&new, Timestamp::UNIX_EPOCH).expect("an account");
}

fn key(store: &mut Store, of: &str, kind: KeyKind, seed: u8, origins: &[&str]) -> String {
    let key = ApiKey::generate(kind, [seed; 20]);
    let origins: Vec<Origin> =
        origins.iter().map(|text| Origin::parse(text).expect("an origin")).collect();
    let new =
        NewKey { account: &name(of), key: &key, label: None, origins: &origins, expires_at: None };
    // In a shared store another server may have created the key already.
    let known =
        store.keys(None).expect("all").iter().any(|record| record.beginning == key.beginning());
    if !known {
        store.create_key(&new, daicho::account::KEYS_MAX, Timestamp::UNIX_EPOCH).expect("a key");
    }
    key.reveal().to_owned()
}
