//! A temporary PostgreSQL from Debian's packages, in a folder of its own, without a network port.
//!
//! `DAICHO_TEST_POSTGRES` names a database to use instead; only one test run at a time may use it.
//! The tests create schemas `daicho_test_…` there, which stay until the next run. Tests that use
//! [`Cluster::shared`] are marked with `#[needs::postgresql]`, tests that start a cluster of their own with
//! `#[needs::postgresql_server]`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A running PostgreSQL.
pub struct Cluster {
    /// The database in which the tests create their schemas.
    url: String,
    /// Stopped on drop; `None` if `DAICHO_TEST_POSTGRES` named the database.
    server: Option<Server>,
}

/// The server and its folder. A shell waits for this process to end, even by a crash, and then stops
/// the server.
struct Server {
    folder: tempfile::TempDir,
    binaries: PathBuf,
    user: Option<(u32, u32)>,
    running: Option<(Child, ChildStdin)>,
    /// Settings in addition to those of every cluster.
    settings: Vec<String>,
}

impl Cluster {
    /// The cluster that all tests of this process share.
    pub fn shared() -> &'static Cluster {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| {
            let given = std::env::var("DAICHO_TEST_POSTGRES").ok().filter(|url| !url.is_empty());
            given.map_or_else(Cluster::start, |url| Cluster { url, server: None })
        })
    }

    /// Whether [`Cluster::start`] finds PostgreSQL.
    #[allow(dead_code, reason = "tests state their need; the soak does without")]
    pub fn is_installed() -> bool {
        binaries().is_some()
    }

    /// A separate cluster, for a test that stops it.
    pub fn start() -> Cluster {
        Cluster::start_with(&[], &[])
    }

    /// A separate cluster with these files in its data folder, and these settings.
    pub fn start_with(files: &[(&str, &str)], settings: &[String]) -> Cluster {
        let mut server = Server::prepare(
            binaries().expect("PostgreSQL is in /usr/lib/postgresql; install it again"),
        );
        for (name, content) in files {
            server.write_private(name, content);
        }
        server.settings = settings.to_vec();
        server.start();
        let (host, port) = (server.socket().display(), server.port());
        let url = format!("postgres:///postgres?host={host}&port={port}&user=tester");
        Cluster { url, server: Some(server) }
    }

    /// The URL of its database.
    #[allow(dead_code, reason = "other suites name a schema")]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL of a new, empty schema.
    pub fn empty_schema(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // The same name in every run, so that schemas do not pile up in a database that is not ours.
        let name = format!("daicho_test_{}_{number}", env!("CARGO_CRATE_NAME"));
        self.sql(&format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}"));
        let joint = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{joint}options=-csearch_path%3D{name}", self.url)
    }

    /// Runs SQL statements in the cluster's database.
    pub fn sql(&self, sql: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let connected = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await;
            let (client, connection) = connected.expect("connected");
            tokio::spawn(connection);
            client.batch_execute(sql).await.expect("SQL");
        });
    }

    /// Stops the server at once, without a clean shutdown (SIGQUIT).
    pub fn kill(&mut self) {
        self.server.as_mut().expect("started by this test").kill();
    }

    /// Starts it again.
    pub fn restart(&mut self) {
        self.server.as_mut().expect("started by this test").start();
    }
}

impl Server {
    /// Creates the folder and the files of a new cluster.
    fn prepare(binaries: PathBuf) -> Server {
        let folder = tempfile::Builder::new().prefix("daicho-pg-").tempdir().expect("a folder");
        // PostgreSQL refuses to run as the superuser.
        let user = rustix::process::geteuid().is_root().then(unprivileged);
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group)).expect("given away");
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("set");
        let server = Server { folder, binaries, user, running: None, settings: Vec::new() };
        let made = server
            .command("initdb")
            .args(["--auth=trust", "--username=tester", "--encoding=UTF8", "--no-sync", "-D"])
            .arg(server.data())
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.binaries.join(program));
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command.current_dir(self.folder.path());
        command
    }

    /// Writes a file that only the server may read.
    fn write_private(&self, name: &str, content: &str) {
        let path = self.data().join(name);
        fs::write(&path, content).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        if let Some((user, group)) = self.user {
            chown(&path, Some(user), Some(group)).expect("given away");
        }
    }

    fn port(&self) -> &str {
        let port = self.settings.iter().find_map(|setting| setting.strip_prefix("port="));
        port.unwrap_or("5432")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn socket(&self) -> &Path {
        self.folder.path()
    }

    fn start(&mut self) {
        // A line on the shell's input stops the server. The end of the input, which the end of this
        // process causes, stops the server and removes its folder.
        let script = "\"$0\" \"$@\" </dev/null & read -r _; kept=$?; kill -QUIT $! 2>/dev/null; \
                      wait; [ $kept = 0 ] || rm -rf \"$PWD\"";
        let mut shell = Command::new("/bin/sh");
        if let Some((user, group)) = self.user {
            shell.uid(user).gid(group);
        }
        let mut shell = shell
            .current_dir(self.folder.path())
            .args(["-c", script])
            .arg(self.binaries.join("postgres"))
            .arg("-D")
            .arg(self.data())
            .arg("-k")
            .arg(self.socket())
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"])
            .args(self.settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.folder.path().join("log")).expect("a log"))
            .spawn()
            .expect("a shell");
        let input = shell.stdin.take().expect("piped");
        self.running = Some((shell, input));
        let started = Instant::now();
        while !self
            .command("pg_isready")
            .arg("-h")
            .arg(self.socket())
            .args(["-q", "-p", self.port()])
            .status()
            .expect("pg_isready runs")
            .success()
        {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(60), "no PostgreSQL: {log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(&mut self) {
        if let Some((mut shell, mut input)) = self.running.take() {
            // The write fails if the shell has already ended.
            let _ = input.write_all(b"\n");
            drop(input);
            let _ = shell.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The folder with the programs of the newest installed version.
fn binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.flatten().map(|entry| entry.path().join("bin"));
    folders.filter(|folder| folder.join("postgres").exists()).max()
}

/// The user id and group id of a user without superuser rights.
fn unprivileged() -> (u32, u32) {
    let id = |which: &str, user: &str| {
        let output = Command::new("id").args([which, user]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    let known = ["postgres", "nobody"]
        .into_iter()
        .find_map(|user| Some((id("-u", user)?, id("-g", user)?)));
    known.unwrap_or((65534, 65534))
}
