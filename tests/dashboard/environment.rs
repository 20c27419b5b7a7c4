//! A server that gets the operator's password in an environment variable removes the variable from its
//! environment, by executing itself again without it. Checked in `/proc`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::site::send;
use crate::support::sample;

const PASSWORD: &str = "the operator's own";

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server with the password in a variable, checks the environment and the arguments of its
/// process in `/proc`, and signs in.
fn check(state: &Path, arguments: &[&str], stdin: &str, password: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["serve", "--listen", "127.0.0.1:0", "--state"])
        .arg(state)
        .arg("--snapshots")
        .arg(sample())
        .args(arguments)
        .env("DAICHO_ADMIN_PASSWORD", PASSWORD)
        .env("DAICHO_TEST_OTHER", "stays here")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(stdin.as_bytes()).expect("written");
    drop(input);
    let stdout = child.stdout.take().expect("piped");
    let server = Server(child);
    // The program executes itself again in the same process, so the line arrives through this pipe.
    let line = BufReader::new(stdout).lines().next().expect("a line").expect("text");
    let address = line.strip_prefix("listening on http://").expect("an address");
    let address = address.parse().expect("an address");
    let process = |name: &str| {
        let bytes = std::fs::read(format!("/proc/{}/{name}", server.0.id())).expect("it runs");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let environment = process("environ");
    assert!(!environment.contains(PASSWORD), "{environment}");
    assert!(!environment.contains("DAICHO_ADMIN_PASSWORD="), "{environment}");
    assert!(environment.contains("DAICHO_TEST_OTHER=stays here"), "{environment}");
    let line = process("cmdline");
    let words: Vec<&str> = line.trim_end_matches('\0').split('\0').collect();
    assert_eq!(words[1..4], ["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(words[words.len() - arguments.len()..], *arguments);
    assert!(words[0].ends_with("daicho") && !line.contains(PASSWORD), "{words:?}");
    assert_eq!(process("comm"), "daicho\n");
    let body = format!("name=&password={}", password.replace(' ', "+").replace('\'', "%27"));
    let answer = send(address, "/dashboard/login", "", "", body.as_bytes());
    assert_eq!(answer.status, 303, "{}", answer.text());
}

#[test]
fn password_leaves_the_environment_and_still_opens_the_dashboard() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("daicho.db");
    check(&state, &[], "", PASSWORD);
    // The password was stored: the next start accepts the same one.
    check(&state, &["--log-level", "debug"], "not a password", PASSWORD);
    // A password from a file or standard input takes precedence, and the variable is removed too.
    let file = folder.path().join("password");
    std::fs::write(&file, "that of the file").expect("written");
    let named = ["--admin-password-file", file.to_str().expect("text")];
    check(&state, &named, "", "that of the file");
    check(&state, &["--admin-password-file", "-"], "that of the input\n", "that of the input");
}
