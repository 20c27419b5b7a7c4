//! Sends the example of every endpoint to a server over the sample data, in every API version. Each answer must be 200
//! and have the documented shape. The answers in the newest version must equal those in `docs/answers.md`.
//!
//! `DAICHO_BLESS=1` rewrites that file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use daicho::api::endpoint::{Content, Endpoint, Handler, Verb};
use daicho::api::table::TABLE;
use daicho::docs::openapi::{id, methods};
use daicho::text::codes::ApiVersion;
use serde_json::Value;

use super::shapes::faults;
use super::site::{ask, ask_example, served};
use crate::support::ServerProcess;

#[test]
fn every_example_is_answered_in_the_documented_shape() {
    let server = served();
    for version in ApiVersion::ALL {
        for endpoint in TABLE.iter().filter(|endpoint| endpoint.since <= version) {
            for (method, _) in methods(endpoint) {
                let headers = format!("API-Version: {version}");
                let answer = ask_example(&server, endpoint, method, &headers);
                let (path, status) = (endpoint.path, answer.status);
                assert_eq!(status, 200, "{path} in {version}: {}", answer.text());
                match endpoint.content {
                    Content::Nothing => assert!(answer.body.is_empty(), "{path}"),
                    Content::Json(object) => {
                        let wrong = faults(&answer.json(), object, version);
                        assert!(wrong.is_empty(), "{path} in {version}:\n{}", wrong.join("\n"));
                    }
                    Content::Other(media) => {
                        let found = answer.header("content-type").expect("a type");
                        assert!(found.starts_with(media), "{path}: {found}");
                    }
                }
            }
        }
    }
}

#[test]
fn records_found_by_a_former_name_have_the_documented_shape() {
    let server = served();
    let batch = r#"{"queries":[{"q":"former_name:台帳商事"}]}"#;
    for (line, path, body, row) in [
        ("GET /v1/houjinbangou?q=former_name:", "/v1/houjinbangou", "台帳商事", "/data/0"),
        ("POST", "/v1/batch/houjinbangou/search", batch, "/records/0/data/0"),
        ("GET /v1/school?q=former_name:", "/v1/school", "中学校", "/data/0"),
        ("GET /v1/suggest/school?q=", "/v1/suggest/school", "第一中学", "/data/0"),
    ] {
        let is_post = line == "POST";
        let name: String = body.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let answer = match is_post {
            true => ask(&server, &format!("{line} {path}"), "", body),
            false => ask(&server, &format!("{line}{name}"), "", ""),
        };
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let found = answer.json();
        let mark = found.pointer(&format!("{row}/former_name")).and_then(Value::as_str);
        assert!(mark.is_some_and(|name| name.contains("台帳")), "{path}: {found}");
        let endpoint = TABLE.iter().find(|known| known.path == path).expect("in the table");
        let Content::Json(object) = endpoint.content else { panic!("{path} answers JSON") };
        assert_eq!(faults(&found, object, ApiVersion::NEWEST), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn older_versions_lack_the_endpoints_that_came_later() {
    let server = served();
    for endpoint in TABLE {
        for version in ApiVersion::ALL.into_iter().filter(|version| *version < endpoint.since) {
            let headers = format!("API-Version: {version}");
            let answer = ask_example(&server, endpoint, endpoint.method, &headers);
            answer.expect_error(404, "no_such_endpoint", None);
        }
    }
}

#[test]
fn every_endpoint_accepts_the_examples_of_its_parameters() {
    let server = served();
    for endpoint in TABLE.iter().filter(|endpoint| endpoint.method == Verb::Get) {
        let named = |name: &str| {
            endpoint.has_path_parameter(name) || endpoint.example.contains(&format!("{name}="))
        };
        for parameter in endpoint.parameters.iter().filter(|known| !named(known.name)) {
            let mark = if endpoint.example.contains('?') { '&' } else { '?' };
            let value: String =
                parameter.example.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let target = format!("{}{mark}{}={value}", endpoint.example, parameter.name);
            let answer = ask(&server, &format!("GET {target}"), "", "");
            assert!(matches!(answer.status, 200 | 404), "{target}: {}", answer.text());
            let notice = answer.header("daicho-notice").unwrap_or_default();
            assert!(!notice.contains("no effect"), "{target}: {notice}");
        }
    }
}

#[test]
fn answers_in_the_documentation_are_those_of_the_server() {
    let server = served();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/answers.md");
    let made = answers(&server);
    if std::env::var_os("DAICHO_BLESS").is_some() {
        std::fs::write(&path, &made).expect("written");
    }
    compare(&path, &made);
}

#[track_caller]
fn compare(path: &PathBuf, made: &str) {
    let kept = std::fs::read_to_string(path).expect("docs/answers.md");
    let first = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "the answers differ, first at {first:?}; review the change, then rewrite the file with DAICHO_BLESS=1"
    );
}

/// The text of `docs/answers.md`: one answer of each operation that returns JSON.
fn answers(server: &ServerProcess) -> String {
    let mut out = String::from(
        "# Real answers\n\nThe answers of a server over the sample data to the example of each endpoint. A test \
         compares this file with the server; with\n`DAICHO_BLESS=1` the test rewrites the file.\n",
    );
    // The radar's answers depend on the numbers that were added to it before.
    let adds = |path: &str| path.contains("/radar/") && path.ends_with("/add");
    for endpoint in TABLE.iter().filter(|endpoint| adds(endpoint.path)) {
        ask_example(server, endpoint, Verb::Post, "");
    }
    let age = regex::Regex::new(r#""age_days": [0-9]+"#).expect("an expression");
    let is_kept = |endpoint: &&Endpoint| matches!(endpoint.content, Content::Json(_));
    for endpoint in TABLE.iter().filter(is_kept) {
        // A search by POST must have the same answer as by GET, so only one is written.
        let method = endpoint.method;
        let answer = ask_example(server, endpoint, method, "");
        assert_eq!(answer.status, 200, "{}: {}", endpoint.path, answer.text());
        let verb = method.as_str();
        // An age changes every day.
        let indented = age.replace_all(&indented(&answer.body), "\"age_days\": 100").into_owned();
        let name = id(endpoint, method);
        write!(out, "\n## {name}\n\n`{verb} {}`\n\n```json\n{indented}\n```\n", endpoint.example)
            .expect("a string takes it");
        if matches!(endpoint.handler, Handler::Search(_)) {
            let posted = ask_example(server, endpoint, Verb::Post, "");
            let values = |body: &[u8]| serde_json::from_slice::<Value>(body).expect("JSON");
            assert_eq!(values(&posted.body), values(&answer.body), "{}", endpoint.path);
        }
    }
    out
}

/// Indents JSON and keeps the order of its members.
fn indented(body: &[u8]) -> String {
    let mut out = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let mut writer = serde_json::Serializer::pretty(&mut out);
    serde_transcode::transcode(&mut reader, &mut writer).expect("JSON");
    String::from_utf8(out).expect("JSON is UTF-8")
}
