//! The requests of a client of the tax agency's corporate numbers that is on no registry; its answers are read with the
//! parser that it uses, unchanged from the registry.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{ServerProcess, sample};
use crate::tools;

#[needs::compat_clients]
#[test]
fn the_requests_of_a_client_for_corporate_numbers_are_answered_as_it_reads_them() {
    let arguments = ["--compat", "nta", "--compat-account", "premium"];
    let served = ServerProcess::with_snapshots(Some(sample()), &arguments);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/corporations.cjs");
    let modules = tools::folder("compat-clients").join("node_modules");
    let mut node = Command::new("node");
    node.arg(script).arg(modules).arg(format!("http://{}", served.address));
    let done = node.output().expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let page =
        |count: &str| json!(["2026-08-03", count, "1", if count == "0" { "0" } else { "1" }]);
    let merged = json!(["5010001999902", "台帳物産株式会社", "2026-07-30", "1"]);
    let open = |number: &str, name: &str| json!([number, name, "", "1"]);
    let expected = json!({
        "number": [page("1"), [merged]],
        "numbers": [page("4"), [
            ["6010001999901", "株式会社台帳", "", "0"],
            open("6010001999901", "株式会社台帳"),
            ["5010001999902", "台帳商事株式会社", "", "0"],
            merged,
        ]],
        "unknown": [page("0"), []],
        "name": [page("8"), [
            open("2010005999901", "一般社団法人日本台帳協会"),
            open("4010003999901", "台帳合名会社"),
            open("3010003999902", "台帳合資会社"),
            open("6010001999901", "株式会社台帳"),
            open("5430001999901", "株式会社台帳北海道"),
            open("1010001999906", "株式会社台帳存続"),
            open("9010001999907", "株式会社台帳復活"),
            open("5010001999910", "株式会社新台帳"),
        ]],
        "english": [page("1"), [open("4010001999903", "株式会社ＤＡＩＣＨＯ　Ｗｏｒｋｓ")]],
        "updates": [page("4"), [
            merged,
            open("5010001999910", "株式会社新台帳"),
            open("5010002999901", "有限会社ダイチョウ"),
            open("6010001999901", "株式会社台帳"),
        ]],
        "csv": ["2026-08-03,1,1,1\n1,5010001999902,21,0,2026-08-03"],
        "shiftJis": [
            "2026-08-03,1,1,1",
            "1,5010001999902,21,0,2026-08-03,2026-07-30,\"台帳物産株式会社\",",
            "",
        ],
        "wrong": [400, "901"],
    });
    assert_eq!(found, expected);
}
