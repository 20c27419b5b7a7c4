//! Runs the code that the reference shows for each endpoint, with the test server's address and a key in it. Its output
//! must be the server's answer.

use std::net::SocketAddr;
use std::process::{Command, Stdio};

use daicho::api::endpoint::{Content, Endpoint};
use daicho::api::table::TABLE;
use daicho::docs::openapi::id;
use regex::Regex;
use serde_json::Value;

use super::site::{ask_example, served};
use crate::support::ask;

const LANGUAGES: [&str; 3] = ["curl", "JavaScript", "Python"];

/// The code for an endpoint in a language, extracted from a page and unescaped.
fn shown(page: &str, endpoint: &Endpoint, language: &str) -> String {
    let heading = format!("<h3 id=\"{}\">", id(endpoint, endpoint.method));
    let (_, section) = page.split_once(&heading).expect("its heading");
    let (section, _) = section.split_once("</section>").expect("its end");
    let code = Regex::new(&format!("(?s) {language}</summary><pre><code>(.*?)</code>"));
    let found = code.expect("a regular expression").captures(section).expect("code")[1].to_owned();
    let escapes = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    escapes.iter().fold(found, |text, (escape, letter)| text.replace(escape, letter))
}

/// The code with its placeholders replaced by the address of this server and this key.
fn completed(code: &str, address: SocketAddr, key: &str) -> String {
    let here = code.replace("http://localhost:8080", &format!("http://{address}"));
    assert_ne!(here, code, "the code has the address of the placeholder server");
    here.replace("YOUR_KEY", key)
}

/// The command that runs code of a language.
fn runner(language: &str) -> Command {
    let (program, arguments) = match language {
        "curl" => ("sh", &["-c"][..]),
        "JavaScript" => ("node", &["--input-type=module", "-e"][..]),
        _ => ("python3", &["-c"][..]),
    };
    let mut command = Command::new(program);
    command.args(arguments).env("NO_PROXY", "*").env("no_proxy", "*").stdin(Stdio::null());
    command
}

#[needs::curl]
#[test]
fn the_curl_commands_of_the_reference_print_the_answers_of_the_server() {
    check("curl");
}

#[needs::node]
#[test]
fn the_javascript_of_the_reference_prints_the_answers_of_the_server() {
    check("JavaScript");
}

#[needs::python]
#[test]
fn the_python_of_the_reference_prints_the_answers_of_the_server() {
    check("Python");
}

/// Runs the code of every endpoint in a language, and compares its output with the server's answer.
fn check(language: &str) {
    let server = served();
    let page = ask(server.address, "GET /docs/reference").text();
    for endpoint in TABLE {
        let code = shown(&page, endpoint, language);
        let code = completed(&code, server.address, &server.premium_batch);
        let folder = tempfile::tempdir().expect("a folder");
        let done = runner(language).arg(&code).current_dir(&folder).output().expect("it runs");
        let (stdout, stderr) =
            (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{language}:\n{code}\n{stdout}\n{stderr}");
        let expected = ask_example(&server, endpoint, endpoint.method, "");
        // JavaScript and Python print the status before the body; curl prints only the body.
        let body = match language {
            "curl" => stdout.as_ref(),
            _ => stdout.strip_prefix("200").unwrap_or(&stdout).trim(),
        };
        match endpoint.content {
            Content::Nothing => assert_eq!(body, "", "{code}"),
            Content::Json(_) => {
                let found: Value = serde_json::from_str(body)
                    .unwrap_or_else(|error| panic!("{error}: {body}\n{code}"));
                assert_eq!(found, expected.json(), "{language}:\n{code}");
            }
            Content::Other("application/x-xz") => {
                let name = endpoint.path.rsplit('/').next().expect("a name");
                let file = std::fs::read(folder.path().join(name)).expect("it is kept");
                assert!(file == expected.body, "{language}: {} bytes:\n{code}", file.len());
            }
            Content::Other(_) => assert!(body.contains("# EOF"), "{language}: {body}"),
        }
    }
}

#[test]
fn both_languages_show_the_same_code() {
    let server = served();
    let [english, japanese] = ["/docs/reference", "/docs/ja/reference"]
        .map(|path| ask(server.address, &format!("GET {path}")).text());
    for endpoint in TABLE {
        for language in LANGUAGES {
            let [one, other] = [&english, &japanese].map(|page| shown(page, endpoint, language));
            assert_eq!(one, other);
        }
    }
}
