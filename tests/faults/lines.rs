//! What an operator reads when something is busy, full, refused or unchanged: one clear line each.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use rustix::process::Signal;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::{ask, sample, wait_until};

fn daicho(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(words).env_remove("DAICHO_CONFIG").output().expect("the binary runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server whose log the test reads.
struct Logged {
    setup: ServerSetup,
    process: RunningProcess,
}

impl Logged {
    fn start() -> Logged {
        let setup = ServerSetup::new();
        let log = File::create(setup.folder.path().join("log")).expect("a log");
        let mut command = setup.command("", &[]);
        let process = RunningProcess::start_server(command.stderr(log), &setup);
        Logged { setup, process }
    }

    fn lines(&self, text: &str) -> Vec<String> {
        let log = fs::read_to_string(self.setup.folder.path().join("log")).expect("a log");
        log.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

#[test]
fn sighup_without_a_change_is_one_line() {
    let served = Logged::start();
    for count in 1..3 {
        served.process.signal(Signal::HUP);
        wait_until("a line", || served.lines("nothing has changed").len() == count);
    }
}

#[test]
fn a_busy_store_is_one_line_for_a_command_and_for_a_server() {
    let served = Logged::start();
    let connection = rusqlite::Connection::open(&served.setup.state).expect("a file");
    connection.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let words = ["account", "create", "shop", "--plan", "standard", "--state", &served.setup.state];
    let output = daicho(&words);
    let message = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(
        message.contains(
            "another program kept it locked for 5 seconds; try again, or end that program"
        ),
        "{message}"
    );
    // The server counts requests in the store.
    assert_eq!(served.setup.get("/v1/whoami").status, 200);
    wait_until("a line", || !served.lines("the store is failing").is_empty());
    connection.execute_batch("ROLLBACK").expect("released");
    drop(connection);
    wait_until("a line", || !served.lines("the store works again").is_empty());
    assert_eq!(served.lines("\"WARN\"").len(), 1, "{:?}", served.lines("\"WARN\""));
    assert!(daicho(&words).status.success());
}

#[test]
fn a_refused_version_is_one_line_with_the_one_that_is_served() {
    let setup = ServerSetup::new();
    let folder = setup.folder.path().join("snapshots");
    fs::create_dir_all(folder.join("postal")).expect("made");
    let name = |version: &str| Path::new("postal").join(format!("{version}.daicho"));
    let older = name("2026-05-29");
    fs::copy(sample().join(&older), folder.join(&older)).expect("copied");
    let mut bytes = fs::read(sample().join(name("2026-06-30"))).expect("a snapshot");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.join(name("2026-06-30")), &bytes).expect("written");
    let path = folder.to_str().expect("text");

    let output = daicho(&["lookup", "postal", "1000001", "--snapshots", path]);
    let message = errors(&output);
    assert!(output.status.success(), "{message}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("data version 2026-05-29"));
    assert_eq!(message.lines().count(), 2, "the version, and that the data are made up: {message}");
    assert!(
        message.contains("2026-06-30.daicho: ")
            && message.contains("using the version before it, 2026-05-29"),
        "{message}"
    );
    for words in
        [&["get", "/v1/postalcode/1000001"][..], &["search", "address", "東京都千代田区千代田1-1"]]
    {
        let message = errors(&daicho(&[words, &["--snapshots", path]].concat()));
        assert_eq!(
            message.matches("using the version before it").count(),
            1,
            "{words:?}: {message}"
        );
    }
    // Nothing is said where the user names the version.
    let named =
        daicho(&["lookup", "postal", "1000001", "--version", "2026-05-29", "--snapshots", path]);
    assert_eq!(errors(&named), "daicho: the postal data are made up, for trials of the program\n");

    let log = setup.folder.path().join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(["serve", "--age-days", "0", "--log-format", "json", "--snapshots", path]);
    command.args(["--state", &setup.state, "--listen", &setup.address.to_string()]);
    let mut server =
        RunningProcess::start_server(command.stderr(File::create(&log).expect("a log")), &setup);
    assert_eq!(ask(setup.address, "GET /readyz").status, 200);
    server.signal(Signal::HUP);
    let text = || fs::read_to_string(&log).expect("a log");
    wait_until("the second scan", || text().contains("nothing has changed"));
    let refused: Vec<String> = text()
        .lines()
        .filter(|line| line.contains("snapshot refused"))
        .map(str::to_owned)
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(
        refused[0].contains("\"newest\":\"2026-05-29\"")
            && refused[0].contains("2026-06-30.daicho"),
        "{refused:?}"
    );
    server.signal(Signal::TERM);
    server.end();
}

#[test]
fn a_server_says_which_program_it_is() {
    let served = Logged::start();
    let answer = ask(served.setup.address, "GET /version");
    assert_eq!(answer.status, 200, "without a key");
    let version = answer.json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["snapshot_format"], daicho::snapshot::layout::FORMAT);
    assert!(version["commit"].is_null() || version["commit"].is_string());
}

/// Runs these commands one after the other on a file system of a megabyte, and `fill` between the first ones and the rest.
/// Returns what each of the rest wrote to standard error, and the names that are left.
fn on_a_full_disk(first: &[&str], rest: &[&str]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |command: &&str| {
        format!("\"$2\" {command} >/dev/null 2>>errors; echo \"exit $?\" >>errors\n")
    };
    let [first, rest] = [first, rest].map(|commands| commands.iter().map(run).collect::<String>());
    let script = format!(
        "mkdir disk && mount -t tmpfs -o size=1m tmpfs disk || exit 9\n{first}\
         head -c 2000000 /dev/zero >disk/rest 2>/dev/null\necho rest >>errors\n{rest}ls -A disk"
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &script, "sh"])
        .arg(sample())
        .arg(env!("CARGO_BIN_EXE_daicho"))
        .current_dir(folder.path())
        .env_remove("DAICHO_CONFIG")
        .output()
        .expect("unshare runs");
    assert!(output.status.success(), "{}", errors(&output));
    let written = fs::read_to_string(folder.path().join("errors")).expect("written");
    let (first, rest) = written.split_once("rest\n").expect("a mark");
    assert!(first.lines().all(|line| line == "exit 0"), "{first}");
    let rest = rest.split_inclusive("exit 1\n").map(str::to_owned).collect();
    (rest, String::from_utf8(output.stdout).expect("text"))
}

#[needs::mount]
#[test]
fn a_full_disk_is_one_line_that_says_so() {
    let state = "--state disk/daicho.db";
    let (found, names) = on_a_full_disk(
        &[
            &format!("account create one --plan standard {state}"),
            &format!("backup disk/archive {state}"),
        ],
        &[
            &format!("account create two --plan standard {state}"),
            &format!("backup disk/next {state}"),
            "restore disk/archive --state disk/other.db",
            "build sample --out disk/snapshots",
            "snapshot install \"$1/postal/2026-06-30.daicho\" --snapshots disk/snapshots",
            "export postal --snapshots \"$1\" --output disk/postal.csv",
        ],
    );
    assert_eq!(found.len(), 6, "{found:?}");
    for message in &found {
        assert!(message.ends_with("\nexit 1\n") && message.lines().count() == 2, "{message}");
        let says_so = message.contains("free some space") || message.contains("free disk space");
        assert!(says_so, "{message}");
    }
    for name in ["next", "other.db", "postal.csv", "unfinished"] {
        assert!(!names.contains(name), "{name} is half-written: {names}");
    }
}
