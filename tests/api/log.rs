//! The access log: the members of a line, log levels, and that no key is logged.

use crate::support::{NEWEST, ServerProcess, ask, sample, wait_until};

#[test]
fn a_request_is_logged_without_its_key() {
    let served = ServerProcess::start();
    served.get("/v1/postalcode/1000001?version=2026-05-29");
    served.get("/v1/postalcode/1%22%5C");
    ask(served.address, "GET /nothing\nAuthorization: Token secret-thing");
    let lines = || -> Vec<serde_json::Value> {
        let log = served.logged();
        let lines = log.lines().filter_map(|line| serde_json::from_str(line).ok());
        lines.filter(|line: &serde_json::Value| line.get("path").is_some()).collect()
    };
    wait_until("three lines in the log", || lines().len() == 3);
    let find = |path: &str| {
        let mut lines = lines().into_iter();
        lines.find(|line| line["path"] == path).unwrap_or_else(|| panic!("{path}"))
    };
    let line = find("/v1/postalcode/1000001");
    assert_eq!((&line["status"], &line["method"]), (&200.into(), &"GET".into()));
    assert_eq!((&line["account"], &line["remote"]), (&"demo".into(), &"127.0.0.1".into()));
    assert_eq!(line["api_version"], NEWEST);
    assert!(line["bytes"].as_u64().expect("a number") > 500);
    assert!(line["duration_us"].is_u64() && line["id"].is_string());
    assert_eq!(line.get("query"), None);
    assert_eq!(find("/v1/postalcode/1%22%5C")["status"], 400);
    assert_eq!(find("/nothing")["account"], serde_json::Value::Null);
    // A refused request with a valid key is logged with the account's name.
    served.get("/v1/houjinbangou/6010001999901");
    served.wait_for_log("/v1/houjinbangou/6010001999901");
    let line = find("/v1/houjinbangou/6010001999901");
    assert_eq!((&line["status"], &line["account"]), (&403.into(), &"demo".into()));
    let log = served.logged();
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a JSON object a line");
        for member in ["timestamp", "level", "message"] {
            assert!(line[member].is_string(), "{member} in {line}");
        }
    }
    assert!(!log.contains("secret-thing") && !log.contains(&served.secret), "{log}");
}

#[test]
fn the_log_level_selects_the_lines() {
    let debug = ServerProcess::with_snapshots(Some(sample()), &["--log-level", "debug"]);
    debug.get("/v1/whoami?x=y");
    debug.wait_for_log("\"query\":\"x=y\"");
    let warn = ServerProcess::with_snapshots(Some(sample()), &["--log-level", "warn"]);
    warn.get("/v1/whoami");
    assert_eq!(warn.get("/v1/whoami").status, 200);
    assert_eq!(warn.logged(), "");
}
