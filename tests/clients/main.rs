//! The unchanged client libraries of the hosted service against a real server: every method, with and
//! without an API version.
//!
//! The value that a client returns must agree with the server's response. `install.sh` installs the libraries once from
//! their registries into the target folder. The calls are in `calls.cjs` and `calls.py`, the known faults of the
//! libraries in `faults.rs`.

mod calls;
mod compare;
mod faults;
mod schemas;

use std::process::Command;

use serde_json::Value;

use crate::support::{NEWEST, ServerProcess, ask, wait_until};
use crate::tools;

/// The account's API version, used for calls without one: the newest that every library can read.
const OF_THE_ACCOUNT: &str = "2024-01-01";

const SINCE_2022_09: &[&str] =
    &["", "2022-09-01", "2022-11-01", "2023-09-01", "2024-01-01", "2025-01-01"];
const SINCE_2022_11: &[&str] =
    &["", "2022-11-01", "2023-09-01", "2024-01-01", "2025-01-01", NEWEST];

#[needs::javascript_clients]
#[test]
fn every_method_of_the_javascript_client_works() {
    let server = Server::start();
    for (version, api_versions) in
        [("2.4.0", SINCE_2022_09), ("2.2.0", SINCE_2022_09), ("1.9.1", &SINCE_2022_09[..5])]
    {
        let folder = tools::folder("javascript-clients").join(version);
        let mut node = Command::new("node");
        node.arg(script("calls.cjs")).arg(folder.join("node_modules/@ken-all/kenall"));
        server.check(&format!("javascript {version}"), node, api_versions);
    }
}

#[needs::python_clients]
#[test]
fn every_method_of_the_python_client_works() {
    let server = Server::start();
    for (version, api_versions) in
        [("1.2.0", SINCE_2022_11), ("1.1.0", &SINCE_2022_11[..5]), ("1.0.0", &SINCE_2022_11[..5])]
    {
        let folder = tools::folder("python-clients").join(version);
        let mut python = Command::new(folder.join("bin/python"));
        python.arg(script("calls.py"));
        server.check(&format!("python {version}"), python, api_versions);
    }
}

#[test]
fn responses_have_the_shapes_of_the_javascript_client_2_5_0() {
    let server = Server::start();
    for (call, shape) in schemas::responses() {
        let path = calls::path(&call).expect("a call of the list");
        for api_version in ["2025-01-01", NEWEST] {
            let response = server.ask(path, api_version).expect("a response");
            let shape = shape.as_str().expect("a name of a type");
            let checked = schemas::check(&response, shape);
            assert_eq!(checked, Ok(()), "{call}, API version {api_version}");
        }
    }
    let city = serde_json::json!({"version": "2026-05-29", "data": [{"jisx0402": 1}]});
    let wrong = schemas::check(&city, "Cities").expect_err("a number is no text");
    assert!(wrong.contains("response.data[0]"), "{wrong}");
}

/// kenall.php is not in a registry that these tests install from. Its one call, with its headers, as a list.
#[test]
fn requests_of_the_php_client_are_answered() {
    let server = Server::start();
    for (code, town) in [("1000001", "千代田"), ("0608611", "北一条西")] {
        // `findPostalCode` appends the code to `postalcode/` as it is, and decodes `version` and `data`.
        let answer = server.ask(&format!("/v1/postalcode/{code}"), "").expect("an answer");
        assert!(answer["version"].is_string(), "{answer}");
        for (member, is_right) in [
            ("jisx0402", Value::is_string as fn(&Value) -> bool),
            ("old_code", Value::is_string),
            ("town_raw", Value::is_string),
            ("town_partial", Value::is_boolean),
            ("corporation", |value| value.is_null() || value["code_type"].is_u64()),
        ] {
            assert!(is_right(&answer["data"][0][member]), "{member} of {answer}");
        }
        assert_eq!(answer["data"][0]["town"], town);
    }
}

fn script(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

struct Server {
    served: ServerProcess,
    /// The key of an account with the API version [`OF_THE_ACCOUNT`].
    key: String,
}

impl Server {
    fn start() -> Server {
        let served = ServerProcess::start();
        let run = |words: &str| {
            let done = served.run(words);
            assert!(done.status.success(), "{words}: {done:?}");
            done.stdout
        };
        run(&format!("account create moved --plan premium --api-version {OF_THE_ACCOUNT}"));
        let made = run("key create --account moved --kind secret --json");
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        let key = made["key"].as_str().expect("a key").to_owned();
        let server = Server { served, key };
        wait_until("the new key", || server.ask("/v1/whoami", "").is_some());
        server
    }

    /// The server's response to the request of a call; `None` if it is an error.
    fn ask(&self, path: &str, api_version: &str) -> Option<Value> {
        let version = match api_version {
            "" => String::new(),
            version => format!("\nKenAll-API-Version: {version}"),
        };
        let head = format!("GET {path}\nAuthorization: Token {}{version}", self.key);
        let answer = ask(self.served.address, &head);
        (answer.status == 200).then(|| answer.json())
    }

    /// Runs a client's calls and compares each result with the server's response.
    fn check(&self, client: &str, mut command: Command, api_versions: &[&str]) {
        let base = format!("http://{}", self.served.address);
        command.arg(base).arg(&self.key).args(api_versions);
        let done = command.output().expect("the client runs");
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{client}: {errors}");
        let found: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        assert_eq!(found["overlooked"], Value::Array(vec![]), "{client}: methods without a call");
        let mut wrong = Vec::new();
        for api_version in api_versions {
            let results = found["results"][api_version].as_object().expect("results");
            assert!(results.len() > 10, "{client}: {results:?}");
            for (call, result) in results {
                if let Err(reason) = self.compare(client, api_version, call, result) {
                    wrong.push(format!("{client}, API version {api_version:?}, {call}: {reason}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    fn compare(
        &self,
        client: &str,
        api_version: &str,
        call: &str,
        result: &Value,
    ) -> Result<(), String> {
        let path = calls::path(call).ok_or("the call is missing in calls.rs")?;
        let error = result["error"].as_str();
        match (faults::known(client, api_version, call), error) {
            (Some(fault), Some(error)) if error.contains(fault.error) => Ok(()),
            (Some(fault), _) => Err(format!(
                "expected {:?}, since {}; found {result}; correct faults.rs",
                fault.error, fault.reason
            )),
            (None, Some(error)) => Err(error.to_owned()),
            (None, None) => {
                let raw = self.ask(path, api_version).ok_or("the server answers with an error")?;
                compare::same(&result["value"], &raw)
            }
        }
    }
}
