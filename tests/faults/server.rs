//! Starts a server with the outputs, limits and arguments that a test chooses.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};

use daicho::account::store::{IfMissing, NewAccount, NewKey, Store, StoreLocation};
use daicho::account::{AccountName, ApiKey, KeyKind, Plan};
use jiff::Timestamp;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Answer, ask, sample, wait_until};

/// What a server needs before it starts: a store with one secret key, and a port.
pub struct ServerSetup {
    pub folder: tempfile::TempDir,
    pub address: SocketAddr,
    pub key: String,
    /// The value of `--state`.
    pub state: String,
}

impl ServerSetup {
    pub fn new() -> ServerSetup {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("daicho.db").to_str().expect("text").to_owned();
        ServerSetup::with_state(state, folder)
    }

    /// With a store that `state` names, which may be a database.
    pub fn with_state(state: String, folder: tempfile::TempDir) -> ServerSetup {
        let mut setup = ServerSetup { folder, address: free_address(), key: String::new(), state };
        setup.key = add_key(&mut setup.store(), 1);
        setup
    }

    pub fn store(&self) -> Store {
        let location = StoreLocation::parse(self.state.as_ref()).expect("a state");
        Store::open(&location, IfMissing::Create).expect("a store")
    }

    /// The command that serves the sample data, from a shell that runs `before` first, such as `ulimit -n 64`.
    pub fn command(&self, before: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{before}\nexec \"$@\"")])
            .args(["sh", env!("CARGO_BIN_EXE_daicho"), "serve", "--age-days", "0"])
            .args(["--listen", &self.address.to_string(), "--log-format", "json", "--snapshots"])
            .arg(sample())
            .arg("--state")
            .arg(&self.state)
            .args(arguments)
            .env("DAICHO_METRICS_INTERVAL", "0s")
            .stdin(Stdio::null());
        command
    }

    /// Sends a GET request with the key.
    #[track_caller]
    pub fn get(&self, target: &str) -> Answer {
        ask(self.address, &format!("GET {target}\nAuthorization: Token {}", self.key))
    }

    /// The value of a metric without labels.
    #[track_caller]
    pub fn metric(&self, name: &str) -> u64 {
        let text = ask(self.address, "GET /metrics").text();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} in\n{text}"))
    }
}

/// Creates a secret key of the account `demo`, and the account if there is none.
pub fn add_key(store: &mut Store, seed: u8) -> String {
    let name = AccountName::parse("demo").expect("a name");
    if store.accounts().expect("all").is_empty() {
        let (plan, batch) = (Plan::Premium, false);
        let account = NewAccount { name: name.clone(), plan, batch, api_version: None };
        store.create_account(&account, Timestamp::UNIX_EPOCH).expect("made");
    }
    let key = ApiKey::generate(KeyKind::Secret, [seed; 20]);
    let new = NewKey { account: &name, key: &key, label: None, origins: &[], expires_at: None };
    store.create_key(&new, daicho::account::KEYS_MAX, Timestamp::UNIX_EPOCH).expect("kept");
    key.reveal().to_owned()
}

/// A port that was free a moment ago. The server cannot choose it: tests that do not read its output would not know it.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

/// A process that is killed when this is dropped.
pub struct RunningProcess(pub Child);

impl RunningProcess {
    pub fn start(command: &mut Command) -> RunningProcess {
        RunningProcess(command.spawn().expect("the binary runs"))
    }

    /// Starts a server and waits until it accepts connections.
    #[track_caller]
    pub fn start_server(command: &mut Command, setup: &ServerSetup) -> RunningProcess {
        let mut running = RunningProcess::start(command);
        wait_until("the server to listen", || {
            let ended = running.0.try_wait().expect("a child");
            assert_eq!(ended, None, "the server ended at its start");
            TcpStream::connect(setup.address).is_ok()
        });
        running
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.0.id()).expect("a process id");
        kill_process(Pid::from_raw(id).expect("not 0"), signal).expect("it runs");
    }

    /// Waits until the process has ended.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the process to end", || {
            status = self.0.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("just found")
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
