//! The unchanged clients of form protocols, in a page of jsdom, against a real server: only their base address is set.
//!
//! `tests/clients/install.sh` installs them from their registry; `clients.cjs` calls them.

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
