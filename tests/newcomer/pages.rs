//! The pages that a browser opens first, and the answers that tell what the server is.

use super::{Step, holds, shows, walk};
use crate::support::{Answer, ServerProcess, ask, sample};

const HTML: &str = "Accept: text/html";
const JAPANESE: &str = "Accept: text/html\nAccept-Language: ja";

fn get(served: &ServerProcess, path: &str, headers: &str) -> Answer {
    ask(served.address, format!("GET {path}\n{headers}").trim_end())
}

#[test]
fn a_newcomer_opens_pages() {
    let served = ServerProcess::with_snapshots(Some(sample()), &[]);
    let page = |path: &str, headers: &str| get(&served, path, headers).text();
    let home = page("/", HTML);
    let missing = get(&served, "/docs/no-such-page", HTML);
    let wrong = get(&served, "/v1/postalcodes/1000001", "");
    let icon = get(&served, "/favicon.ico", "");
    let version = get(&served, "/version", "").json();
    let key = format!("Authorization: Token {}", served.secret);
    let mut steps = vec![
        shows("/ links the documents", &home, "/docs/"),
        shows("/ has a demo of the form", &home, "/demo"),
        shows("/ names its data with their date", &home, "2026-06-30"),
        shows("/ is JSON for a program", page("/", "Accept: application/json"), "{\""),
        shows("/ speaks Japanese", page("/", JAPANESE), "lang=\"ja\""),
        shows("a wrong page is a page", missing.text(), "<html"),
        holds("and says 404", missing.status == 404),
        holds("there is an icon", icon.status == 200 && icon.header("content-type").is_some()),
        shows("/docs/ speaks Japanese", page("/docs/", JAPANESE), "lang=\"ja\""),
        shows("lang=en wins over the browser", page("/docs/?lang=en", JAPANESE), "lang=\"en\""),
        shows("/demo speaks Japanese", page("/demo", JAPANESE), "lang=\"ja\""),
        shows("/demo prints its own address", page("/demo", HTML), "http://test"),
        holds("/version needs no key", version["version"] == env!("CARGO_PKG_VERSION")),
        holds("a wrong path is 404", wrong.status == 404),
        shows("and says what to do", wrong.text(), "\"code\":\"no_such_endpoint\""),
        shows(
            "made-up data say so",
            format!("{:?}", get(&served, "/v1/postalcode/1000001", &key)),
            "daicho-sample",
        ),
    ];
    steps.extend(JAPANESE_DOCUMENTS.map(|(what, path)| shows(what, page(path, ""), "lang=\"ja\"")));
    walk(21, steps);
}

const JAPANESE_DOCUMENTS: [(&str, &str); 5] = [
    ("building in Japanese", "/docs/ja/building"),
    ("updating in Japanese", "/docs/ja/updating"),
    ("operating in Japanese", "/docs/ja/operating/server"),
    ("rules in Japanese", "/docs/ja/rules"),
    ("security in Japanese", "/docs/ja/security"),
];

#[test]
fn a_page_of_another_site_learns_which_origin_it_has() {
    let served = ServerProcess::start();
    let headers = format!("Authorization: Token {}\nOrigin: https://other.example", served.public);
    let refused: Step = shows(
        "origin_not_allowed names the origin",
        get(&served, "/v1/postalcode/1000001", &headers).text(),
        "https://other.example",
    );
    walk(1, [refused]);
}
