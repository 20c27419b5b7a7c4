//! The options of `/metrics`: an address of its own, off, and a token.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::support::{ServerProcess, ask, sample};

/// A server with a separate address for metrics. Reads both addresses from standard output.
struct SeparateMetrics {
    child: Child,
    api: SocketAddr,
    metrics: SocketAddr,
}

impl SeparateMetrics {
    fn start(state: &Path, arguments: &[&str]) -> SeparateMetrics {
        let mut child = command(state, arguments)
            .args(["--metrics-listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut address = |beginning: &str| {
            let line = lines.next().expect("a line").expect("text");
            let address = line.strip_prefix(beginning).unwrap_or_else(|| panic!("{line}"));
            address.trim_end_matches("/metrics").parse().expect("an address")
        };
        let (api, metrics) = (address("listening on http://"), address("metrics on http://"));
        SeparateMetrics { child, api, metrics }
    }
}

impl Drop for SeparateMetrics {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(state: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--state"]).arg(state);
    command.arg("--snapshots").arg(sample()).args(arguments).env("DAICHO_METRICS_INTERVAL", "0s");
    command
}

#[test]
fn metrics_can_have_a_separate_address_or_be_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let separate = SeparateMetrics::start(&folder.path().join("daicho.db"), &[]);
    for path in ["/metrics", "/metrics/"] {
        ask(separate.api, &format!("GET {path}")).expect_error(404, "no_such_endpoint", None);
        let answer = ask(separate.metrics, &format!("GET {path}"));
        assert_eq!(answer.status, 200);
        assert!(answer.text().contains("daicho_build_info"), "{}", answer.text());
    }
    assert_eq!(ask(separate.api, "GET /readyz").status, 200);
    for path in ["/", "/readyz", "/healthz", "/v1/postalcode/1000001", "/metrics/x", "/dashboard"] {
        let answer = ask(separate.metrics, &format!("GET {path}"));
        answer.expect_error(404, "no_such_endpoint", None);
    }
    assert_eq!(ask(separate.metrics, "POST /metrics\nContent-Length: 0").status, 405);
    let off = ServerProcess::with_snapshots(Some(sample()), &["--metrics", "off"]);
    ask(off.address, "GET /metrics").expect_error(404, "no_such_endpoint", None);
    assert_eq!(ask(off.address, "GET /readyz").status, 200);
    let on = ServerProcess::with_snapshots(Some(sample()), &["--metrics", "on"]);
    assert_eq!(ask(on.address, "GET /metrics").status, 200);
}

#[test]
fn metrics_can_require_a_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "a-token-of-the-tests\n").expect("written");
    let arguments = ["--metrics-token-file", file.to_str().expect("text")];
    let separate = SeparateMetrics::start(&folder.path().join("daicho.db"), &arguments);
    let with_api = ServerProcess::with_snapshots(Some(sample()), &arguments);
    for address in [separate.metrics, with_api.address] {
        let right = "GET /metrics\nAuthorization: Bearer a-token-of-the-tests";
        assert_eq!(ask(address, right).status, 200);
        for header in [
            "X: y",
            "Authorization: Bearer a-token-of-the-test",
            "Authorization: Bearer",
            "Authorization: Token a-token-of-the-tests",
            "Authorization: Basic YTpi",
        ] {
            let answer = ask(address, &format!("GET /metrics\n{header}"));
            answer.expect_error(401, "invalid_token", None);
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            assert!(!answer.text().contains("a-token"), "{}", answer.text());
        }
    }
    // The token is not needed for other operator paths.
    assert_eq!(ask(with_api.address, "GET /readyz").status, 200);
}

#[test]
fn invalid_metrics_options_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (state, file) = (folder.path().join("daicho.db"), folder.path().join("token"));
    let token = file.to_str().expect("text");
    let check = |arguments: &[&str], content: &[u8], code: i32, part: &str| {
        std::fs::write(&file, content).expect("written");
        let out = command(&state, arguments).output().expect("runs");
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(part), "{arguments:?}: {told}");
        assert!(!told.contains("swordfish"), "the message contains the token: {told}");
    };
    let good = b"a-token-of-the-tests";
    check(&["--metrics", "maybe"], good, 2, "possible values: on, off");
    check(&["--metrics-listen", "nowhere"], good, 2, "--metrics-listen: expected an address");
    check(&["--metrics", "off", "--metrics-listen", "127.0.0.1:0"], good, 2, "found --metrics off");
    check(&["--metrics", "off", "--metrics-token-file", token], good, 2, "found --metrics off");
    check(&["--metrics-token-file", "/no/such/file"], good, 1, "/no/such/file cannot be read");
    check(&["--metrics-token-file", token], b"", 2, "16 to 200 characters; found 0");
    check(&["--metrics-token-file", token], b"swordfish", 2, "found 9");
    check(&["--metrics-token-file", token], b"swordfish swordfish", 2, "another at character 10");
    check(&["--metrics-token-file", token], &[b'x'; 5000], 2, "found 1024");
    check(&["--metrics-token-file", token], b"\xff\xfe and no text at all", 1, "cannot be read");
}

#[test]
fn the_figures_are_collected_at_most_once_an_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    let served =
        SeparateMetrics::start(&folder.path().join("daicho.db"), &["--metrics-interval", "1h"]);
    let first = ask(served.metrics, "GET /metrics");
    assert!(first.text().ends_with("# EOF\n"), "{}", first.text());
    for _ in 0..3 {
        assert_eq!(ask(served.api, "GET /readyz").status, 200);
        assert_eq!(ask(served.metrics, "GET /metrics").text(), first.text());
    }
    let compressed = ask(served.metrics, "GET /metrics\nAccept-Encoding: gzip");
    assert_eq!(compressed.header("content-encoding"), Some("gzip"));
    for wrong in ["1", "2h", "-1s", ""] {
        let option = format!("--metrics-interval={wrong}");
        let refused = command(&folder.path().join("x.db"), &[&option]).output();
        let refused = refused.expect("runs");
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(
            message.contains("--metrics-interval") && message.contains("0s to 1h"),
            "{message}"
        );
    }
}
