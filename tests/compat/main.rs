//! The unchanged clients of other services against a real server: only their base address is set.
//!
//! `tests/clients/install.sh` installs them from their registries; `clients.cjs` calls those for node, those of forms in a
//! page of jsdom, and `clients.py` those for Python.

mod addresses;
mod browser;
mod corporations;
mod country;

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
    let hooked = json!({
        "1000001": ["13", "東京都", "千代田区", "千代田", "", ""],
        "1008111": ["13", "東京都", "千代田区", "千代田", "１－１", "宮内庁"], "0000000": null,
    });
    for (client, expected) in [
        ("yubinbango-core", &core),
        ("yubinbango-core2", &core),
        ("japan-postal-code", &quiet),
        ("jquery-jpostal-ja", &filled),
        ("zipcloud", &searched),
        ("use-postal-jp", &hooked),
        ("ttskch", &hooked),
    ] {
        assert_eq!(&found[client], expected, "{client}");
    }
}

#[needs::compat_python]
#[test]
fn python_clients_of_other_services_find_addresses() {
    let served = ServerProcess::with_snapshots(
        Some(sample()),
        &["--compat", "all", "--compat-account", "demo"],
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/clients.py");
    let python = tools::folder("compat-python").join("bin/python");
    let base = format!("http://{}", served.address);
    let done = Command::new(python).arg(script).arg(base).output().expect("Python runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let jpzip = &found["jpzip"];
    assert_eq!(
        jpzip["one"],
        json!({
            "prefecture": "東京都", "prefecture_kana": "トウキョウト", "prefecture_roma": "Tokyo To",
            "prefecture_code": "13", "city": "千代田区", "city_kana": "チヨダク",
            "city_roma": "Chiyoda Ku", "city_code": "13101",
            "towns": [{"town": "千代田", "kana": "チヨダ", "roma": "Chiyoda", "note": null}],
        })
    );
    assert_eq!((&jpzip["unknown"], &jpzip["office"]), (&Value::Null, &Value::Null));
    assert_eq!((&jpzip["same"], &jpzip["mismatches"]), (&json!(true), &json!([])));
    let codes = |member: &str| jpzip[member].as_array().expect("codes").clone();
    let (three, two, one) = (codes("prefix"), codes("two_digits"), codes("group"));
    assert!(!three.is_empty() && three.len() < two.len() && two.len() < one.len(), "{jpzip}");
    assert!(two.iter().all(|code| one.contains(code)), "{jpzip}");
    let meta = &jpzip["meta"];
    assert_eq!((&meta["total_zipcodes"], &meta["spec_version"]), (&jpzip["all"], &json!("1.0")));
    let by_prefecture = meta["by_pref"].as_object().expect("numbers").values();
    let counted: u64 = by_prefecture.filter_map(Value::as_u64).sum();
    assert_eq!(Some(counted), meta["total_zipcodes"].as_u64());
}
