//! The unchanged clients of other services against a real server: only their base address is set. Those of form
//! protocols run in a page of jsdom.
//!
//! `tests/clients/install.sh` installs them from their registries; `clients.cjs` and `issuers.py` call them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{ServerProcess, sample};
use crate::tools;

#[needs::compat_clients]
#[test]
fn clients_of_other_services_find_addresses() {
    let served = ServerProcess::with_snapshots(
        Some(sample()),
        &["--compat", "all", "--compat-account", "demo"],
    );
    check(&format!("http://{}", served.address));
    // The same with a public key in the path, for a server that is not open.
    let closed = ServerProcess::with_snapshots(Some(sample()), &["--compat", "all"]);
    check(&format!("http://{}/{}", closed.address, closed.public));
}

#[needs::kendama]
#[test]
fn kendama_reads_invoice_issuers() {
    let arguments = ["--compat", "invoice-nta", "--compat-account", "premium"];
    let served = ServerProcess::with_snapshots(Some(sample()), &arguments);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/issuers.py");
    let mut python = Command::new(tools::folder("kendama").join("bin/python"));
    python.arg(script).arg(format!("http://{}", served.address));
    let done = python.output().expect("python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let expected = json!({
        "number": ["2", [
            ["T2010005999901", "一般社団法人日本台帳協会", "2026-10-01", "東京都千代田区千代田２番地"],
            ["T9810999999901", "", "2023-10-01", ""],
        ]],
        "unknown": ["0", []],
        "valid": ["1", "2027-03-31"],
        "before": ["0", null],
        "individuals": ["1", ["T6810999999904"]],
        "too many": [400, "400-0002"],
        "a day that is not known": [400, "400-9005"],
    });
    assert_eq!(found, expected);
}

#[track_caller]
fn check(base: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/clients.cjs");
    let modules = tools::folder("compat-clients").join("node_modules");
    let done = Command::new("node").arg(script).arg(modules).arg(base).output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let (town, office) =
        (["東京都", "千代田区", "千代田"], ["東京都", "千代田区", "千代田", "１－１"]);
    let core = json!({
        "1000001": ["東京都", "千代田区", "千代田", ""], "1008111": office, "0000000": ["", "", "", ""],
    });
    let quiet = json!({
        "1000001": ["東京都", "千代田区", "千代田", ""], "1008111": office, "0000000": null,
    });
    let with_lot = ["東京都", "千代田区", "千代田１－１"];
    let filled = json!({"1000001": town, "1008111": with_lot, "0000000": ["", "", ""]});
    let searched = json!({
        "1000001": [town, town], "1008111": [with_lot, with_lot], "0000000": [null, null],
    });
    for (client, expected) in [
        ("yubinbango-core", &core),
        ("yubinbango-core2", &core),
        ("japan-postal-code", &quiet),
        ("jquery-jpostal-ja", &filled),
        ("zipcloud", &searched),
    ] {
        assert_eq!(&found[client], expected, "{client}");
    }
}
