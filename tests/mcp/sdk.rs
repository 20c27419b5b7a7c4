//! The client of the protocol's Python SDK, over both transports, with a handshake and without.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{ServerProcess, sample};
use crate::tools;

const MODES: [(&str, &str); 2] = [("legacy", "2025-11-25"), ("auto", "2026-07-28")];

/// A call of each tool; `lookup_corporation` with and without its option.
fn calls() -> Value {
    json!([
        ["normalize_address", { "address": "東京都千代田区千代田1-1" }],
        ["lookup_postal_code", { "postal_code": "1000001" }],
        ["search_postal_codes", { "text": "六本木", "limit": 1 }],
        ["find_towns_near", { "latitude": 35.681236, "longitude": 139.767125, "limit": 2 }],
        ["lookup_corporation", { "corporate_number": "6010001999901" }],
        ["lookup_corporation", { "corporate_number": "8010001999908", "history": true }],
        ["search_corporations", { "name": "台帳", "limit": 2 }],
        ["match_corporation", { "name": "株式会社台帳" }],
        ["verify_invoice_number", { "number": "T6010001999901", "date": "2026-04-01" }],
        ["find_banks", { "name": "台帳" }],
        ["find_branches", { "bank_code": "0001" }],
        ["convert_yucho_account", { "symbol": "10010", "number": "12345671" }],
        ["write_transfer_name", { "name": "株式会社台帳" }],
        ["find_schools", { "text": "台帳", "limit": 2 }],
        ["check_business_day", { "date": "2026-11-23" }],
        ["add_business_days", { "date": "2026-11-20", "days": 5 }],
        ["count_business_days", { "from": "2026-11-20", "to": "2026-12-31" }],
    ])
}

/// A Python interpreter with the SDK.
fn python() -> PathBuf {
    tools::folder("mcp-sdk").join("bin/python")
}

/// Runs `client.py` and returns its output.
fn client(python: &Path, arguments: &[&str], calls: &Value) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/client.py");
    let mut child = Command::new(python)
        .arg(script)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the client runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(calls.to_string().as_bytes()).expect("taken");
    drop(input);
    let done = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&done.stdout).expect("JSON")
}

/// Checks that every tool is listed and every call succeeds. The SDK checks that the answers match their schemas.
fn check(found: &Value, protocol: &str) {
    assert_eq!(found["protocol"], protocol);
    assert_eq!(found["server"]["name"], "daicho");
    let calls = calls();
    let calls = calls.as_array().expect("calls");
    let results = found["results"].as_array().expect("results");
    assert_eq!(results.len(), calls.len());
    let listed: HashSet<&str> = found["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let called: HashSet<&str> = calls.iter().filter_map(|call| call[0].as_str()).collect();
    assert_eq!(listed, called);
    for (call, result) in calls.iter().zip(results) {
        assert_eq!(result["isError"], false, "{call}: {result}");
        assert!(result["structuredContent"].is_object(), "{call}: {result}");
    }
}

#[needs::mcp_sdk]
#[test]
fn the_python_sdk_works_over_standard_input_and_output() {
    let python = python();
    let sample = sample().to_str().expect("UTF-8");
    let program = [env!("CARGO_BIN_EXE_daicho"), "mcp", "--snapshots", sample];
    for (mode, protocol) in MODES {
        let arguments = [&[mode, "stdio"][..], &program].concat();
        check(&client(&python, &arguments, &calls()), protocol);
        let wrong = json!([["no_such_tool", {}], ["find_banks", {}]]);
        let found = client(&python, &arguments, &wrong);
        let error = found["results"][0]["error"].as_str().expect("an error");
        assert!(error.contains("unknown tool"), "{error}");
        assert_eq!(found["results"][1]["isError"], true, "{found}");
    }
}

#[needs::mcp_sdk]
#[test]
fn the_python_sdk_works_over_http() {
    let python = python();
    let served = ServerProcess::start();
    let url = format!("http://{}/mcp", served.address);
    for (mode, protocol) in MODES {
        let arguments = [mode, "http", &url, &served.premium];
        check(&client(&python, &arguments, &calls()), protocol);
        let too_low = json!([["lookup_corporation", { "corporate_number": "6010001999901" }]]);
        let found = client(&python, &[mode, "http", &url, &served.secret], &too_low);
        assert_eq!(found["results"][0]["isError"], true, "{found}");
    }
}
