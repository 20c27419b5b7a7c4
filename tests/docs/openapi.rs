//! `/openapi.json`: its versions and languages, its declarations about keys, and its errors. A validator checks the
//! format, and schemathesis sends requests that the document allows and requests that it forbids.

use std::path::Path;
use std::process::Command;

use daicho::api::table::TABLE;
use daicho::docs::openapi::methods;
use daicho::text::codes::ApiVersion;
use serde_json::{Value, json};

use super::site::served;
use crate::support::{SHOP, ServerProcess, ask};
use crate::tools;

fn document(server: &ServerProcess, query: &str) -> Vec<u8> {
    let answer = ask(server.address, &format!("GET /openapi.json{query}"));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    answer.body
}

fn script(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs").join(name)
}

#[test]
fn the_document_follows_the_requested_version_and_language() {
    let server = served();
    let newest: Value = serde_json::from_slice(&document(&server, "")).expect("JSON");
    assert_eq!(newest["info"]["version"], ApiVersion::NEWEST.as_str());
    let oldest = document(&server, "?api_version=2022-09-01");
    let oldest: Value = serde_json::from_slice(&oldest).expect("JSON");
    assert!(newest["paths"]["/v1/bank"].is_object() && oldest["paths"]["/v1/bank"].is_null());
    let members = |document: &Value| {
        let record = &document["components"]["schemas"]["PostalRecord"]["required"];
        record.as_array().map(Vec::len)
    };
    assert_eq!((members(&oldest), members(&newest)), (Some(20), Some(35)));
    let japanese = document(&server, "?lang=ja");
    assert!(String::from_utf8_lossy(&japanese).contains("郵便番号のレコード"));
    let by_header = ask(server.address, "GET /openapi.json\nAPI-Version: 2023-09-01").json();
    assert_eq!(by_header["info"]["version"], "2023-09-01");
}

#[test]
fn operations_document_whether_a_public_key_may_call_them() {
    let server = served();
    let document: Value = serde_json::from_slice(&document(&server, "")).expect("JSON");
    let scheme = &document["components"]["securitySchemes"]["PublicKey"];
    let found = (&scheme["type"], &scheme["in"], &scheme["name"]);
    assert_eq!(found, (&json!("apiKey"), &json!("query"), &json!("key")));
    for endpoint in TABLE {
        for (method, name) in methods(endpoint) {
            let operation = &document["paths"][endpoint.path][name];
            let documented = operation.get("security").unwrap_or(&document["security"]);
            if endpoint.needs.is_none() {
                assert_eq!(documented, &json!([]), "{operation}");
                continue;
            }
            let mark = if endpoint.example.contains('?') { '&' } else { '?' };
            let target = format!("{}{mark}key={}", endpoint.example, server.public);
            let head = format!("{} {target}\nOrigin: {SHOP}", method.as_str());
            let answer = ask(server.address, &format!("{head}\nContent-Length: 0"));
            if answer.status == 401 {
                answer.expect_error(401, "secret_key_required", None);
                assert_eq!(documented, &json!([{"Token": []}]), "{operation}");
            } else {
                assert_eq!(documented, &json!([{"Token": []}, {"PublicKey": []}]), "{operation}");
            }
        }
    }
}

#[test]
fn a_wrong_request_for_the_document_is_refused() {
    let server = served();
    #[track_caller]
    fn check(server: &ServerProcess, head: &str, status: u16, code: &str) {
        let answer = ask(server.address, head);
        assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)));
    }
    check(&server, "GET /openapi.json?api_version=2022-09-02", 400, "unknown_api_version");
    check(&server, "GET /openapi.json?lang=fr", 400, "invalid_parameter");
    check(&server, "GET /openapi.json?lang=ja&lang=en", 400, "invalid_parameter");
    check(&server, "POST /openapi.json", 405, "method_not_allowed");
    let head = ask(server.address, "HEAD /openapi.json");
    assert!(head.status == 200 && head.body.is_empty());
    let tag = head.header("etag").expect("a tag").to_owned();
    let again = ask(server.address, &format!("GET /openapi.json\nIf-None-Match: {tag}"));
    assert_eq!(again.status, 304);
}

#[needs::openapi_tools]
#[test]
fn the_validator_of_the_format_finds_no_fault() {
    let server = served();
    let folder = tempfile::tempdir().expect("a folder");
    let mut validator = Command::new(python());
    validator.args(["-m", "openapi_spec_validator"]);
    for version in ApiVersion::ALL {
        for language in ["en", "ja"] {
            let file = folder.path().join(format!("{version}-{language}.json"));
            let query = format!("?api_version={version}&lang={language}");
            std::fs::write(&file, document(&server, &query)).expect("written");
            validator.arg(file);
        }
    }
    let done = validator.output().expect("it runs");
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{output}");
}

#[needs::openapi_tools]
#[test]
fn schemathesis_finds_no_fault_in_the_answers() {
    let server = served();
    let done = Command::new(python())
        .arg(script("schemathesis_run.py"))
        .arg(format!("http://{}", server.address))
        .arg(&server.premium_batch)
        .current_dir(server.folder.path())
        .output()
        .expect("it runs");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{stdout}\n{stderr}");
}

/// A Python interpreter with both tools.
fn python() -> std::path::PathBuf {
    tools::folder("openapi-tools").join("bin/python")
}
