//! The documentation pages: each exists in both languages, loads nothing from other servers and has no broken links.
//! The guide's code that verifies webhook signatures is run.

use std::collections::{HashMap, HashSet};
use std::process::{Command, Stdio};

use daicho::api::error::Code;
use daicho::api::table::TABLE;
use daicho::docs::pages::{GROUPS, pages};
use daicho::language::Language;
use daicho::radar::webhook::Secret;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::percent_decode_str;
use regex::Regex;
use sha2::Sha256;

use super::site::served;
use crate::support::ask;

/// The paths of all pages.
pub fn paths() -> impl Iterator<Item = &'static str> {
    pages().flat_map(|page| Language::ALL.map(|language| language.text(page.paths)))
}

fn guide(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    std::fs::read_to_string(path).expect("the guide")
}

#[test]
fn every_page_has_a_content_policy_and_loads_nothing_from_other_servers() {
    let server = served();
    // Matches tags only: in code that the page shows, `<` is escaped.
    let loads = Regex::new("<(script|link|img|iframe)[^>]*=\"http").expect("a regular expression");
    for path in paths() {
        let answer = ask(server.address, &format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let text = answer.text();
        assert!(!loads.is_match(&text) && !text.contains("style=\""), "{path}");
    }
    for (path, media) in [
        ("/docs/style.css", "text/css"),
        ("/docs/script.js", "text/javascript"),
        ("/llms.txt", "text/plain"),
    ] {
        let answer = ask(server.address, &format!("GET {path}"));
        let found = answer.header("content-type").expect("a type");
        assert!(answer.status == 200 && found.starts_with(media), "{path}: {found}");
    }
    assert_eq!(ask(server.address, "GET /docs").status, 200);
    ask(server.address, "GET /llms.txt/x").expect_error(404, "no_such_endpoint", None);
    for (path, title) in
        [("/docs/nothing", "There is no such page"), ("/docs/ja/nothing", "ページが見つかりません")]
    {
        let answer = ask(server.address, &format!("GET {path}"));
        assert_eq!((answer.status, answer.text().contains(title)), (404, true), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    }
    let icon = ask(server.address, "GET /favicon.ico");
    assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/svg+xml")));
}

#[test]
fn the_first_page_lists_the_data_and_leads_on() {
    let server = served();
    let page = ask(server.address, "GET /\nAccept-Language: en").text();
    for expected in ["Postal codes", "2026-06-30", "href=\"/docs/\"", "href=\"/demo\""] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    let japanese = ask(server.address, "GET /\nAccept-Language: ja-JP,ja;q=0.9,en;q=0.8").text();
    assert!(japanese.contains("最新バージョン") && japanese.contains("href=\"/docs/ja/\""));
    let json = ask(server.address, "GET /\nAccept: application/json").json();
    assert_eq!((&json["name"], &json["documentation"]), (&"daicho".into(), &"/docs/".into()));
    let datasets = json["data"].as_array().expect("data");
    assert!(datasets.iter().any(|it| it["dataset"] == "postal" && it["age_days"].is_u64()));
    ask(server.address, "POST /").expect_error(405, "method_not_allowed", None);
}

#[test]
fn no_link_is_broken() {
    let server = served();
    let link = Regex::new("href=\"([^\"]+)\"").expect("a regular expression");
    let names = Regex::new("id=\"([^\"]+)\"").expect("a regular expression");
    let read: HashMap<&str, String> =
        paths().map(|path| (path, ask(server.address, &format!("GET {path}")).text())).collect();
    let ids: HashMap<&str, HashSet<&str>> = read
        .iter()
        .map(|(path, text)| {
            let found = names.captures_iter(text).map(|found| found.get(1).expect("a name"));
            (*path, found.map(|name| name.as_str()).collect())
        })
        .collect();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut asked = HashSet::new();
    for (path, text) in &read {
        for found in link.captures_iter(text) {
            let target = found.get(1).expect("a target").as_str();
            let (file, name) = target.split_once('#').unwrap_or((target, ""));
            let name = percent_decode_str(name).decode_utf8().expect("UTF-8");
            if let Some(file) =
                file.strip_prefix(concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/"))
            {
                assert!(root.join(file).exists(), "{path}: {target}");
                continue;
            }
            if file.starts_with("https://") {
                continue;
            }
            assert!(file.is_empty() || file.starts_with('/'), "{path}: {target}");
            let page = file.split('?').next().filter(|page| !page.is_empty()).unwrap_or(path);
            if let Some(ids) = ids.get(page) {
                assert!(name.is_empty() || ids.contains(&*name), "{path}: {target}");
            } else if asked.insert(file) {
                assert_eq!(ask(server.address, &format!("GET {file}")).status, 200, "{file}");
            }
        }
    }
}

#[test]
fn each_page_leads_to_the_other_language_and_to_its_group() {
    let server = served();
    for group in &GROUPS {
        for page in group.pages {
            for (language, other) in
                [(Language::English, Language::Japanese), (Language::Japanese, Language::English)]
            {
                let path = language.text(page.paths);
                for path in [path.to_owned(), format!("{}/", path.trim_end_matches('/'))] {
                    let answer = ask(server.address, &format!("GET {path}"));
                    assert_eq!(answer.status, 200, "{path}");
                    let text = answer.text();
                    assert!(
                        text.contains(&format!("<html lang=\"{}\"", language.code())),
                        "{path}"
                    );
                    let switch = format!("href=\"{}\" lang=", page.link(other));
                    assert!(text.contains(&switch), "{path}: no {switch}");
                    for sibling in group.pages {
                        let href = format!("href=\"{}\"", sibling.link(language));
                        assert!(text.contains(&href), "{path}: no {href}");
                    }
                }
            }
        }
    }
    for (folder, title) in
        [("/docs/operating", "Running a server"), ("/docs/ja/operating", "サーバーの運用")]
    {
        let answer = ask(server.address, &format!("GET {folder}"));
        assert_eq!((answer.status, answer.text().contains(title)), (200, true), "{folder}");
    }
}

#[test]
fn the_reference_lists_every_endpoint_and_parameter() {
    let server = served();
    for path in ["/docs/reference", "/docs/ja/reference"] {
        let text = ask(server.address, &format!("GET {path}")).text();
        for endpoint in TABLE {
            assert!(text.contains(endpoint.path), "{path}: {}", endpoint.path);
            for parameter in endpoint.parameters {
                let name = format!("<code>{}</code>", parameter.name);
                assert!(text.contains(&name), "{path}: {} {}", endpoint.path, parameter.name);
            }
        }
    }
}

#[needs::node]
#[test]
fn the_javascript_that_verifies_signatures_accepts_only_valid_ones() {
    check_verification(
        "js",
        "node",
        "-e",
        "console.log(Number(verify(...process.argv.slice(1))));",
    );
}

#[needs::python]
#[test]
fn the_python_that_verifies_signatures_accepts_only_valid_ones() {
    let call = "import sys\na = sys.argv[1:]\na[3] = a[3].encode()\nprint(int(verify(*a)))";
    check_verification("python", "python3", "-c", call);
}

#[needs::perl]
#[test]
fn the_perl_that_verifies_signatures_accepts_only_valid_ones() {
    check_verification("perl", "perl", "-e", "print verify(@ARGV) ? 1 : 0;");
}

/// Runs the code of the guide in a language, followed by `call`, which calls `verify` with the command-line arguments
/// and prints 1 or 0.
fn check_verification(language: &str, program: &str, option: &str, call: &str) {
    let text = guide("guide.md");
    let secret = Secret::from_random([7; 32]);
    let body = r#"{"url":"https://daicho.example/v1","date":"2026-08-03"}"#;
    let signature = |body: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        mac.update(format!("msg_1.1785715200.{body}").as_bytes());
        format!("v1,{}", data_encoding::BASE64.encode(&mac.finalize().into_bytes()))
    };
    let right = signature(body);
    let rotated = format!("{} {right}", signature("other"));
    let block = format!("```{language}\n");
    let (_, rest) = text.split_once(&block).expect("code in this language");
    let (code, _) = rest.split_once("```").expect("its end");
    let verify = |signatures: &str, body: &str| {
        let mut command = Command::new(program);
        command.arg(option).arg(format!("{code}\n{call}"));
        command.args([&secret.reveal(), "msg_1", "1785715200", body, signatures]);
        let done = command.stdin(Stdio::null()).output().expect("it runs");
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{program}: {errors}");
        String::from_utf8_lossy(&done.stdout).trim() == "1"
    };
    assert!(verify(&right, body), "{language}: a valid signature");
    assert!(verify(&rotated, body), "{language}: the second of two signatures is valid");
    let short = &right[..right.len() - 4];
    for wrong in ["", "v1,", short, &signature("other"), &right.replacen("v1", "v2", 1)] {
        assert!(!verify(wrong, body), "{language}: {wrong:?}");
    }
    assert!(!verify(&right, "{}"), "{language}: another body");
}

#[test]
fn every_error_type_links_to_its_row_of_the_page() {
    let server = served();
    for page in ["/docs/errors", "/docs/ja/errors"] {
        let page = ask(server.address, &format!("GET {page}")).text();
        for code in Code::ALL {
            assert!(page.contains(&format!("<tr id=\"{}\">", code.as_str())), "{code:?}");
        }
    }
    for (head, code) in [
        ("GET /x", "no_such_endpoint"),
        ("GET /v1/whoami", "missing_key"),
        ("POST /v1/whoami", "method_not_allowed"),
    ] {
        let kind = ask(server.address, head).json()["type"].as_str().expect("text").to_owned();
        assert_eq!(kind, format!("/docs/errors#{code}"));
    }
}

#[test]
fn the_first_pages_are_in_the_language_of_the_browser() {
    let server = served();
    let page = |target: &str, accepted: &str| {
        let answer = ask(server.address, &format!("GET {target}\nAccept-Language: {accepted}"));
        assert_eq!(answer.status, 200, "{target}");
        let vary = answer.header("vary").unwrap_or_default().to_owned();
        let text = answer.text();
        let japanese = text.contains("<html lang=\"ja\"");
        assert!(japanese || text.contains("<html lang=\"en\""), "{target}");
        (japanese, vary.contains("Accept-Language"), text)
    };
    for path in ["/docs/", "/docs", "/demo"] {
        for (accepted, japanese) in [("ja,en;q=0.8", true), ("en,ja;q=0.8", false), ("de", false)] {
            let found = page(path, accepted);
            assert_eq!((found.0, found.1), (japanese, true), "{path} {accepted}");
        }
        let (japanese, _, english) = page(&format!("{path}?lang=en"), "ja");
        assert!(!japanese && english.contains("?lang=en"), "links keep the language");
        assert!(page(&format!("{path}?lang=ja"), "en").0);
        assert!(page(&format!("{path}?lang=x"), "ja").0, "an unknown language is none");
    }
    assert!(page("/docs/ja/", "en").0 && page("/demo/ja", "en").0, "a path may name the language");
    assert!(!page("/docs/forms", "ja").0, "only the first pages follow");
}
