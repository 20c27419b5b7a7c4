//! The options of the dashboard: when it is on, at which address, and with which password.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::site::get;
use crate::support::{ServerProcess, ask, sample};

/// A server whose lines on standard output are kept.
struct Started {
    child: Child,
    lines: Vec<String>,
}

impl Started {
    /// Starts a server with this state and waits for its first `lines` lines.
    fn with(state: &Path, arguments: &[&str], password: Option<&str>, lines: usize) -> Started {
        let mut command = command(state, arguments, password);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("runs");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let lines = stdout.lines().take(lines).map(|line| line.expect("text")).collect();
        Started { child, lines }
    }

    /// The address on the line with this prefix.
    fn address(&self, beginning: &str) -> SocketAddr {
        let line = self.lines.iter().find_map(|line| line.strip_prefix(beginning));
        let line = line.unwrap_or_else(|| panic!("{beginning} is not in {:?}", self.lines));
        line.trim_end_matches("/dashboard").parse().expect("an address")
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(state: &Path, arguments: &[&str], password: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--state"]).arg(state);
    command.arg("--snapshots").arg(sample()).args(arguments).env("DAICHO_METRICS_INTERVAL", "0s");
    match password {
        Some(password) => command.env("DAICHO_ADMIN_PASSWORD", password),
        None => command.env_remove("DAICHO_ADMIN_PASSWORD"),
    };
    command
}

/// Whether the password opens the dashboard at this address.
fn opens(address: SocketAddr, password: &str) -> bool {
    let body = format!("name=&password={}", password.replace(' ', "+"));
    super::site::send(address, "/dashboard/login", "", "", body.as_bytes()).status == 303
}

#[test]
fn dashboard_is_off_until_a_password_is_set() {
    let served = ServerProcess::start();
    let answer = ask(served.address, "GET /dashboard/login");
    answer.expect_error(404, "no_such_endpoint", None);
}

#[test]
fn password_is_stored_changed_and_generated() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("daicho.db");
    const HTTP: &str = "listening on http://";
    let first = Started::with(&state, &[], Some("the first password"), 1);
    assert!(opens(first.address(HTTP), "the first password"));
    drop(first);
    let next = Started::with(&state, &[], None, 1);
    assert!(opens(next.address(HTTP), "the first password"), "kept");
    drop(next);
    let changed = Started::with(&state, &[], Some("the second password"), 1);
    assert!(!opens(changed.address(HTTP), "the first password"));
    assert!(opens(changed.address(HTTP), "the second password"));
    drop(changed);
    let off = Started::with(&state, &["--dashboard", "off"], None, 1);
    assert_eq!(ask(off.address(HTTP), "GET /dashboard/login").status, 404);
    drop(off);
    // The file does not contain any password in plain.
    let mut bytes = Vec::new();
    std::fs::File::open(&state).expect("a file").read_to_end(&mut bytes).expect("read");
    assert!(!String::from_utf8_lossy(&bytes).contains("second password"));
    let fresh = folder.path().join("fresh.db");
    let made = Started::with(&fresh, &["--dashboard", "on"], None, 4);
    let file = folder.path().join("admin-password");
    assert!(made.lines[3].ends_with(&*file.to_string_lossy()), "{:?}", made.lines);
    let password = std::fs::read_to_string(file).expect("the password").trim_end().to_owned();
    assert!(opens(made.address(HTTP), &password), "{:?}", made.lines);
    drop(made);
    let again = Started::with(&fresh, &["--dashboard", "on"], None, 1);
    assert!(opens(again.address(HTTP), &password), "generated once");
}

#[test]
fn own_address_serves_the_dashboard_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("daicho.db");
    let arguments =
        ["--dashboard-listen", "127.0.0.1:0", "--public-url", "https://api.example.com/"];
    let started = Started::with(&state, &arguments, Some("a good password"), 2);
    let (api, own) =
        (started.address("listening on http://"), started.address("dashboard on http://"));
    let page = get(own, "/dashboard/login", "");
    assert_eq!(page.status, 200);
    // Its links name the address at which clients reach the API.
    let text = page.text();
    assert!(text.contains("href=\"https://api.example.com/docs/errors\""), "{text}");
    assert_eq!(get(api, "/dashboard/login", "").status, 404);
    assert_eq!(get(api, "/healthz", "").status, 200);
    for path in ["/healthz", "/metrics", "/v1/postalcode/1000001"] {
        assert_eq!(get(own, path, "").status, 404, "{path}");
    }
}

#[test]
fn wrong_options_are_refused_before_anything_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("daicho.db");
    #[track_caller]
    fn check(state: &Path, arguments: &[&str], password: Option<&str>, code: i32, part: &str) {
        let out = command(state, arguments, password).output().expect("runs");
        let errors = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
        assert!(!errors.contains("swordfish"), "the message contains the password: {errors}");
    }
    check(&state, &[], Some("swordfish"), 2, "10 to 200 characters; found 9");
    check(&state, &["--dashboard", "maybe"], None, 2, "possible values");
    check(&state, &["--admin-password-file", "/no/such/file"], None, 1, "cannot be read");
    check(
        &state,
        &["--dashboard-listen", "nowhere"],
        Some("a good password"),
        2,
        "--dashboard-listen",
    );
    check(&state, &["--dashboard-listen", "127.0.0.1:0"], None, 2, "needs the operator's password");
    let good = Some("a good password");
    check(&state, &["--dashboard-behind-proxy"], good, 2, "name it with --trusted-proxy");
    for (network, part) in [
        ("", "such as 10.0.0.0/8 or 2001:db8::/32; found \"\""),
        ("proxy.example", "found \"proxy.example\""),
        ("10.0.0.0/33", "0 to 32 bits after the /; found \"33\""),
        ("127.0.0.1,10.0.0.1/8", "such as 10.0.0.0/8; found 10.0.0.1"),
    ] {
        check(&state, &["--trusted-proxy", network], good, 2, part);
    }
}
