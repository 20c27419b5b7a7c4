//! A server that starts while its store is unreachable uses the keys from its key cache (`--key-cache`).

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::cluster::Cluster;
use crate::server::{RunningProcess, ServerSetup, add_key};
use crate::support::{ask, wait_until};

/// A server with its log and key cache in its own folder.
struct Cached {
    setup: ServerSetup,
}

impl Cached {
    fn path(&self, name: &str) -> PathBuf {
        self.setup.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = self.setup.command("", &["--dashboard", "on"]);
        command.arg("--key-cache").arg(self.path("keys")).stdout(Stdio::null());
        // If the state is a database, the server writes the generated password to the working folder.
        command.current_dir(self.setup.folder.path());
        command
    }

    fn serving(&self) -> RunningProcess {
        let log = File::create(self.path("log")).expect("a log");
        RunningProcess::start_server(self.command().stderr(log), &self.setup)
    }

    /// Starts and ends a server once, so that it writes the key cache.
    fn serve_once(&self) {
        let mut server = self.serving();
        wait_until("the key cache to be written", || self.path("keys").exists());
        server.signal(Signal::TERM);
        assert_eq!(server.end().code(), Some(0));
    }

    fn logged(&self, text: &str) -> usize {
        fs::read_to_string(self.path("log")).expect("a log").matches(text).count()
    }

    fn status(&self, key: &str, target: &str) -> u16 {
        let head = format!("GET {target}\nAuthorization: Token {key}");
        ask(self.setup.address, &head).status
    }

    /// Checks a server that starts after `fail` has made the store unreachable, and then after `mend`.
    fn check_outage(&self, fail: impl FnOnce(), mend: impl FnOnce()) {
        let key = &self.setup.key;
        self.serve_once();
        fail();
        let mut server = self.serving();
        let lookup = "/v1/postalcode/1000001";
        assert_eq!((self.status(key, lookup), self.status("wrong", lookup)), (200, 401));
        let webhook = "/v1/houjinbangou/radar/2026-08-03";
        assert_eq!(self.status(key, webhook), 503, "a request that needs the store");
        assert_eq!(self.status(key, "/dashboard/login"), 200);
        assert_eq!(self.setup.metric("daicho_key_cache_in_use"), 1);
        assert_eq!(self.setup.metric("daicho_key_store_healthy"), 0);
        wait_until("a line about the outage", || self.logged("the store is unreachable") == 1);
        mend();
        wait_until("the store to be read", || self.setup.metric("daicho_key_store_healthy") == 1);
        assert_eq!(self.setup.metric("daicho_key_cache_in_use"), 0);
        let new = add_key(&mut self.setup.store(), 2);
        wait_until("a new key to work", || self.status(&new, lookup) == 200);
        wait_until("requests that need the store to work", || self.status(key, webhook) == 403);
        wait_until("a line about the recovery", || self.logged("the store works again") == 1);
        assert_eq!(self.logged("the store is unreachable"), 1);
        server.signal(Signal::TERM);
        assert_eq!(server.end().code(), Some(0));
    }

    /// Starts a server, which must fail, and returns its log.
    fn refused(&self) -> String {
        let log = File::create(self.path("log")).expect("a log");
        let mut server = RunningProcess::start(self.command().stderr(log));
        let code = server.end().code();
        let log_text = fs::read_to_string(self.path("log")).expect("a log");
        assert_eq!(code, Some(1), "{log_text}");
        log_text
    }
}

#[test]
fn a_server_starts_while_its_state_file_is_missing_and_creates_no_other() {
    let cached = Cached { setup: ServerSetup::new() };
    let (path, aside) = (cached.path("daicho.db"), cached.path("aside.db"));
    let fail = || fs::rename(&path, &aside).expect("moved");
    cached.check_outage(fail, || {
        assert!(!path.exists(), "the server creates no other file");
        fs::rename(&aside, &path).expect("moved back");
    });
}

#[test]
fn a_server_starts_while_another_program_locks_its_state_file() {
    let cached = Cached { setup: ServerSetup::new() };
    let holder = std::cell::RefCell::new(None);
    let lock = || {
        let connection = rusqlite::Connection::open(cached.path("daicho.db")).expect("a file");
        let exclusive = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
        connection.execute_batch(exclusive).expect("locked");
        *holder.borrow_mut() = Some(connection);
    };
    cached.check_outage(lock, || drop(holder.take()));
}

#[needs::postgresql_server]
#[test]
fn a_server_starts_while_its_database_is_down() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a folder");
    let cached = Cached { setup: ServerSetup::with_state(cluster.empty_schema(), folder) };
    let cluster = std::cell::RefCell::new(cluster);
    cached.check_outage(|| cluster.borrow_mut().kill(), || cluster.borrow_mut().restart());
}

#[test]
fn a_key_cache_that_is_damaged_or_readable_by_others_is_not_used() {
    let cached = Cached { setup: ServerSetup::new() };
    cached.serve_once();
    let (path, aside) = (cached.path("daicho.db"), cached.path("aside.db"));
    fs::rename(&path, &aside).expect("moved");
    let keys = cached.path("keys");
    let sound = fs::read_to_string(&keys).expect("text");
    let secret = |text: &str, mode| {
        fs::write(&keys, text).expect("written");
        fs::set_permissions(&keys, Permissions::from_mode(mode)).expect("set");
    };
    let mut cases = vec![
        (sound.replace("demo", "omed"), 0o600, "it is damaged: expected the bytes of its checksum"),
        (sound.replace("daicho-keys 2", "daicho-keys 7"), 0o600, "expected version 2, found \"7\""),
        (sound.clone(), 0o640, "found mode 640; run chmod 600"),
    ];
    for (text, mode, expected) in &cases {
        secret(text, *mode);
        let log_text = cached.refused();
        assert!(log_text.contains("the state file ") && log_text.contains("keys: "), "{log_text}");
        assert!(log_text.contains(expected), "{log_text}");
    }
    // If the store is reachable, the server rewrites the file and logs a line about it.
    fs::rename(&aside, &path).expect("moved back");
    cases.push((sound.clone(), 0o600, ""));
    for (text, mode, expected) in &cases {
        secret(text, *mode);
        cached.serve_once();
        assert_eq!(cached.logged("it will be rewritten") > 0, !expected.is_empty());
        assert_eq!(fs::read_to_string(&keys).expect("text"), sound);
        assert_eq!(keys.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    }
    // A file of another kind is not overwritten.
    secret("SQLite format 3", 0o600);
    let log_text = cached.refused();
    assert!(log_text.contains("found another kind of file"), "{log_text}");
    assert_eq!(fs::read_to_string(&keys).expect("text"), "SQLite format 3");
}

#[test]
fn a_key_cache_in_a_missing_folder_is_refused() {
    let setup = ServerSetup::new();
    let file = setup.folder.path().join("none/keys");
    let mut command = setup.command("", &["--key-cache", file.to_str().expect("text")]);
    let ended = command.output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{errors}");
    assert!(errors.contains("none/keys: its folder does not exist; create the folder"), "{errors}");
}
