//! Tests of releases: the built program publishes to and serves from an object store over HTTP (a small S3 server in
//! `s3.rs`) or a folder, with the sample data. `fleet.rs` uses a foreign S3 server, HAProxy and PostgreSQL.

mod activate;
mod busy;
#[path = "../account_store/cluster.rs"]
#[allow(dead_code, reason = "other suites use more of it")]
mod cluster;
mod concurrent;
mod faults;
mod fleet;
mod folder;
mod guarded;
mod handover;
mod hostile;
mod killed;
mod nodes;
mod prune;
mod publish;
mod push;
mod s3;
mod serve;
mod switch;
mod upgrade;
mod versions;
mod wrong;
#[path = "../support/zipped.rs"]
mod zipped;

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use self::s3::{BUCKET, S3};

/// The program with these arguments, without the proxy settings of the caller's environment.
pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
    {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// An object store and a folder of sample snapshots.
pub struct Depot {
    pub s3: S3,
    pub folder: TempDir,
    /// The database that publishers pass as DAICHO_STATE, if any.
    pub state: Option<String>,
}

impl Depot {
    pub fn make() -> Depot {
        let depot = Depot::empty();
        depot.build();
        depot
    }

    /// A depot whose folder has no snapshots.
    pub fn empty() -> Depot {
        Depot { s3: S3::start(), folder: tempfile::tempdir().expect("a folder"), state: None }
    }

    /// Makes the store ignore conditional writes and sets the database whose lock replaces them.
    pub fn guarded_by(self, state: String) -> Depot {
        self.s3.ignore_conditions();
        Depot { state: Some(state), ..self }
    }

    /// Builds the sample data.
    fn build(&self) {
        let built = program(&["build", "sample", "--out", "snapshots"])
            .current_dir(self.folder.path())
            .output()
            .expect("the program runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }

    pub fn snapshots(&self) -> PathBuf {
        self.folder.path().join("snapshots")
    }

    pub fn build_banks(&self, version: &str) {
        build_banks(self.folder.path(), version);
    }

    pub fn url(&self) -> String {
        format!("s3://{BUCKET}/japan/prod")
    }

    /// Environment variables with the credentials and address of the object store.
    pub fn environment(&self) -> [(&'static str, String); 5] {
        environment(&self.s3.address)
    }

    /// `daicho release …` against the object store.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.any_command(&[&["release"], arguments].concat())
    }

    /// `daicho …` against the object store.
    pub fn any_command(&self, arguments: &[&str]) -> Command {
        let mut command = program(arguments);
        command
            .current_dir(self.folder.path())
            .envs(self.environment())
            .env("DAICHO_RELEASES", self.url());
        match &self.state {
            Some(state) => command.env("DAICHO_STATE", state),
            None => command.env_remove("DAICHO_STATE"),
        };
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Starts `daicho release …`; the caller must kill it or wait for it.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
    }

    /// Runs `daicho …`.
    pub fn any(&self, arguments: &[&str]) -> Output {
        self.any_command(arguments).output().expect("the program runs")
    }

    /// Runs `daicho release … --json`, which must succeed, and returns its JSON.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run_json(&[&["release"], arguments, &["--json"]].concat())
    }

    /// Runs `daicho …`, which must succeed, and returns its JSON.
    #[track_caller]
    pub fn run_json(&self, arguments: &[&str]) -> Value {
        let output = self.any(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// Runs `daicho release …`, which must fail with this exit code, and returns its message.
    #[track_caller]
    pub fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        message
    }

    /// Writes key files: `private.pem` with its `public.pem`, and `other.pem`, the private key of somebody else.
    pub fn write_keys(&self) {
        for (name, kind, key) in [
            (
                "private.pem",
                "PRIVATE",
                "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC",
            ),
            (
                "public.pem",
                "PUBLIC",
                "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
            ),
            (
                "other.pem",
                "PRIVATE",
                "MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH",
            ),
        ] {
            let pem = format!("-----BEGIN {kind} KEY-----\n{key}\n-----END {kind} KEY-----\n");
            fs::write(self.folder.path().join(name), pem).expect("written");
        }
    }

    /// Makes a release the active one, as anybody can who may write to the store.
    pub fn force_active(&self, release: u32) {
        let mut current = self.object("current");
        current["all"]["release"] = release.into();
        current["generation"] = (current["generation"].as_u64().expect("a number") + 1).into();
        self.put("current", &current.to_string());
    }

    pub fn put(&self, name: &str, text: &str) {
        self.s3.put(&object(name), text.as_bytes());
    }

    /// The object of this name below the prefix, as JSON.
    pub fn object(&self, name: &str) -> Value {
        let bytes = self.s3.object(&object(name)).unwrap_or_else(|| panic!("no object {name}"));
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The names of objects below a folder of the prefix.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let (names, folder) = (self.s3.names(), object(folder));
        names.into_iter().filter(|name| name.starts_with(&folder)).collect()
    }

    /// Asserts that the store has every file that a release names, with the right size.
    #[track_caller]
    pub fn assert_whole(&self) {
        let releases = self.json(&["list"]);
        for release in releases.as_array().expect("releases") {
            let number = release["release"].to_string();
            for file in self.json(&["show", &number])["files"].as_array().expect("files") {
                let name = format!("files/sha256/{}", file["sha256"].as_str().expect("a sum"));
                let bytes = self.s3.object(&object(&name)).unwrap_or_else(|| panic!("no {name}"));
                assert_eq!(bytes.len() as u64, file["bytes"], "{name}");
            }
        }
    }
}

/// Builds the sample's banks under another version, into the folder `snapshots` of `folder`.
pub fn build_banks(folder: &Path, version: &str) {
    let source =
        concat!(env!("CARGO_MANIFEST_DIR"), "/build-tools/sample/2026-05-25/ginkositen1.txt");
    let built = ["build", "bank", "--version", version, "--source", source, "--force"];
    let built = [&built[..], &["--out", "snapshots"]].concat();
    let built = program(&built).current_dir(folder).output().expect("runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Environment variables with the credentials and address of an object store.
pub fn environment(store: &impl Display) -> [(&'static str, String); 5] {
    [
        ("AWS_ENDPOINT_URL", format!("http://{store}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_ACCESS_KEY_ID", "key".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
        ("AWS_REGION", "ap-northeast-1".to_owned()),
    ]
}

/// The key of an object in the bucket: its name below the prefix of the releases.
pub fn object(name: &str) -> String {
    format!("japan/prod/{name}")
}

pub fn text(path: &Path) -> String {
    path.to_str().expect("a path of text").to_owned()
}
