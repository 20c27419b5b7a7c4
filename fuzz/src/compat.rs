//! Fuzz target of the protocols of other services: any parameter gets an answer in the form of its content type, and no
//! text of a request runs as a script.

use super::sample_server::{Response, SERVER, percent_encoded};
use super::with_choices;

/// The target of a request; the fuzzer's text stands for the braces.
const TARGETS: [&str; 31] = [
    "/api/search?zipcode={}",
    "/api/search?zipcode=1000001&callback={}",
    "/data/{}.js",
    "/data/100.js?{}",
    "/json/{}.json",
    "/yubinbango/v1/postalcode/{}",
    "/p/{}.json",
    "/g/{}.json",
    "/api/v1/{}.json",
    "/api/v1/100/{}.json",
    "/api/v1/{}/date.json",
    "/api/v1/{}/date.csv",
    "/api/v1/{}/datetime.json",
    "/api/ja/{}.json",
    "/api/ja/東京都/{}.json",
    "/v1-ja/api/ja/東京都/{}.json",
    "/v1-ja/api/ja/東京都/千代田区/{}.json",
    "/v1-ja/api/ja/東京都/千代田区/丸の内/{}.json",
    "/api/json?method=searchByPostal&postal={}",
    "/api/json?method=suggest&keyword={}",
    "/api/json?method=searchByGeoLocation&{}",
    "/api/json?{}",
    "/4/num?id=x&type=12&number={}",
    "/4/name?id=x&type=12&name={}",
    "/4/name?id=x&type=02&name=a&{}",
    "/4/diff?id=x&type=12&from=2026-08-01&to={}",
    "/4/{}",
    "/1/num?id=x&type=21&number={}",
    "/1/valid?id=x&type=11&number=T5050005005266&day={}",
    "/1/diff?id=x&type=01&from={}",
    "/api/json?method=getTowns&prefecture=東京都&city={}",
];

/// The first byte chooses the target, the rest is the text in it. Where parameters stand, `&` and `=` keep their meaning.
pub fn run(input: &[u8]) {
    let Some((&first, text)) = input.split_first() else { return };
    let text = &text[..text.len().min(2000)];
    let template = TARGETS[usize::from(first) % TARGETS.len()];
    let (before, after) = template.split_once("{}").expect("each target has a place for the text");
    let text = if before.ends_with(['?', '&']) { parameters(text) } else { percent_encoded(text) };
    let target = format!("{}{text}{after}", percent_encoded_letters(before));
    check(&SERVER.get(&target), &target);
}

fn check(response: &Response, target: &str) {
    let text = std::str::from_utf8(&response.body);
    assert!(response.status < 500, "{target}: {} {text:?}", response.status);
    let kind = response.content_type.split(';').next().unwrap_or_default();
    // zipcloud sends its JSON as plain text, as the tax agency does its errors.
    if kind.ends_with("json") || (kind == "text/plain" && target.starts_with("/api/search")) {
        response.json(&target);
    }
    if kind == "text/javascript" {
        let script = text.unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(!script.contains(['<', '\u{2028}', '\u{2029}']), "{target}: {script}");
        if response.status == 200 && target.contains("callback=") {
            assert!(script.starts_with("/**/"), "{target}: {script}");
        }
    }
    let known = [
        "application/json",
        "application/problem+json",
        "application/xml",
        "text/csv",
        "text/javascript",
        "text/plain",
        "text/xml",
    ];
    let is_known = known.contains(&kind) || (response.body.is_empty() && kind.is_empty());
    assert!(is_known, "{target}: {} {:?} {text:?}", response.status, response.content_type);
}

/// Percent-encodes all but the signs between parameters.
fn parameters(text: &[u8]) -> String {
    let parts = text.split_inclusive(|byte| b"&=".contains(byte));
    let encoded = parts.map(|part| match part.split_last() {
        Some((&sign @ (b'&' | b'='), rest)) => {
            percent_encoded(rest) + if sign == b'&' { "&" } else { "=" }
        }
        _ => percent_encoded(part),
    });
    encoded.collect()
}

/// Percent-encodes the letters of a target beyond ASCII.
fn percent_encoded_letters(target: &str) -> String {
    let letter = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => percent_encoded(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    target.chars().map(letter).collect()
}

pub fn seeds() -> Vec<Vec<u8>> {
    with_choices(include_str!("../seeds/compat.txt"), TARGETS.len() as u8)
}
