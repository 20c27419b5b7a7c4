//! The requests of the clients, with the expected answer of each.
//!
//! Every published day has the content of the one before. So the expected answer, except for its data version, is the
//! one that the server gave before the load. For requests that must be refused, status and code are listed here.

use std::fmt::Write as _;
use std::net::SocketAddr;

use daicho::server::limits::{HEAD_BYTES_MAX, TARGET_BYTES_MAX};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::site::{Accounts, ORIGIN};

/// The corporation that the radar watches; it changes on each published day.
pub const WATCHED: &str = "2270001000870";

/// The expected answer of a question.
#[derive(Debug, Clone)]
pub enum Expected {
    /// Status 200 and this body, without its data version.
    Body(Vec<u8>),
    /// This status and code.
    Error(u16, &'static str),
}

/// A request and its expected answer.
#[derive(Debug, Clone)]
pub struct Question {
    /// Request line and headers, without those of the body.
    pub head: String,
    /// The body; it is sent with a `Content-Length`.
    pub body: Option<String>,
    pub expected: Expected,
}

/// All questions, grouped by the clients that send them.
pub struct Questions {
    pub look_ups: Vec<Question>,
    pub searches: Vec<Question>,
    pub batches: Vec<Question>,
    pub wrong: Vec<Question>,
}

/// The reason why an answer is wrong; `None` if it is right.
pub fn fault(expected: &Expected, answer: &Answer) -> Option<String> {
    match expected {
        Expected::Body(_) if answer.status != 200 => Some(summary(answer)),
        Expected::Body(body) if *body != without_version(&answer.body) => {
            Some(format!("other data than before the load: {}", summary(answer)))
        }
        Expected::Body(_) => None,
        Expected::Error(status, code) => {
            let body: Option<Value> = serde_json::from_slice(&answer.body).ok();
            let found = body.as_ref().and_then(|body| body["code"].as_str());
            let is_right = answer.status == *status && found == Some(code);
            (!is_right).then(|| format!("expected {status} {code}, found {}", summary(answer)))
        }
    }
}

/// Status and the beginning of the body.
pub fn summary(answer: &Answer) -> String {
    let text = answer.text();
    let short: String = text.chars().take(200).collect();
    format!("{} {short}", answer.status)
}

/// A body without its data version, the date after the first `"version":`.
fn without_version(body: &[u8]) -> Vec<u8> {
    const MEMBER: &[u8] = b"\"version\":\"";
    const DATE: usize = "2026-07-31".len();
    match body.windows(MEMBER.len()).position(|found| found == MEMBER) {
        Some(start) => {
            let (before, rest) = body.split_at(start + MEMBER.len());
            [before, rest.get(DATE..).unwrap_or_default()].concat()
        }
        None => body.to_vec(),
    }
}

impl Questions {
    /// Records the answers of a server without other load.
    pub fn record(address: SocketAddr, accounts: &Accounts) -> Questions {
        let mut recorder = Recorder { client: Client::connect(address), key: &accounts.secret };
        let mut look_ups: Vec<Question> = Vec::new();
        for (target, part) in KNOWN {
            let question = recorder.record(target, None);
            let Expected::Body(body) = &question.expected else { unreachable!("recorded") };
            let body = String::from_utf8_lossy(body);
            assert!(body.contains(part), "{target}: expected {part}, found {body}");
            look_ups.push(question);
        }
        for (query, offsets, member, path) in LISTED {
            for offset in *offsets {
                for code in recorder.codes(&format!("{query}&offset={offset}"), member) {
                    let question = recorder.record(&format!("{path}{code}"), None);
                    look_ups.push(question);
                }
            }
        }
        let searches = searches().iter().map(|target| recorder.record(target, None)).collect();
        let batches =
            batches().iter().map(|(target, body)| recorder.record(target, Some(body))).collect();
        Questions { look_ups, searches, batches, wrong: wrong(accounts) }
    }
}

/// Records the answers of the server as the expected ones.
struct Recorder<'a> {
    client: Client,
    key: &'a str,
}

impl Recorder<'_> {
    /// A question whose expected answer is the current one, which must be 200 and JSON.
    fn record(&mut self, target: &str, body: Option<&Value>) -> Question {
        let method = if body.is_some() { "POST" } else { "GET" };
        let head = head(method, target, Some(self.key));
        let body = body.map(Value::to_string);
        let answer = ask(&mut self.client, &head, body.as_deref()).expect("an answer");
        assert_eq!(answer.status, 200, "{target}: {}", summary(&answer));
        answer.json();
        Question { head, body, expected: Expected::Body(without_version(&answer.body)) }
    }

    /// The value of a member in each record that a search finds.
    fn codes(&mut self, target: &str, member: &str) -> Vec<String> {
        let answer = ask(&mut self.client, &head("GET", target, Some(self.key)), None);
        let body = answer.expect("an answer").json();
        let records = body["data"].as_array().unwrap_or_else(|| panic!("{target}: {body}"));
        let codes = records.iter().filter_map(|record| record[member].as_str());
        codes.map(str::to_owned).collect()
    }
}

/// Sends a request on a keep-alive connection; `None` if the server closes it without an answer.
pub fn ask(client: &mut Client, head: &str, body: Option<&str>) -> Option<Answer> {
    let length = body.map(|body| format!("\r\nContent-Length: {}", body.len()));
    let (head, length) = (head.trim_end(), length.unwrap_or_default());
    let text = format!("{head}{length}\r\n\r\n{}", body.unwrap_or_default());
    // Ignore write errors: the answer may come before the whole request is sent.
    client.send_bytes(text.as_bytes());
    client.receive_any(true)
}

/// Request line and headers.
pub fn head(method: &str, target: &str, key: Option<&str>) -> String {
    let mut head = format!("{method} {} HTTP/1.1\r\nHost: soak\r\n", escaped(target));
    if let Some(key) = key {
        let _ = write!(head, "Authorization: Token {key}\r\n");
    }
    head
}

/// Percent-encodes spaces and letters outside ASCII.
fn escaped(target: &str) -> String {
    let mut text = String::new();
    for letter in target.chars() {
        if letter.is_ascii() && letter != ' ' {
            text.push(letter);
        } else {
            let _ = write!(text, "{}", utf8_percent_encode(&letter.to_string(), NON_ALPHANUMERIC));
        }
    }
    text
}

/// Look-ups with known data: target, and a part of the answer.
const KNOWN: &[(&str, &str)] = &[
    ("/v1/postalcode/1000001", "\"town\":\"千代田\""),
    ("/v1/postalcode/6808570?point=1", "鳥取県庁"),
    ("/v1/houjinbangou/2270001000870", "\"name\":\"株式会社鳥取銀行\""),
    ("/v1/bank/0001", "\"name\":\"台帳\""),
    ("/v1/bank", "見本貯金"),
    ("/v1/bank/0001/branches", "\"branches\":{"),
    ("/v1/school/F108110009907", "\"name\":\"台帳大学\""),
    ("/v1/cities/31", "\"city\":\"鳥取市\""),
    ("/v1/holidays?year=2026", "元日"),
    ("/v1/businessdays/check?date=2026-01-01", "{\"result\":false}"),
    ("/v1/whoami", "\"address\":\"127.0.0.1\""),
    ("/v1/postalcode/updates", "\"postal_code\":"),
    ("/v1/bank/versions", "2026-05-25"),
    ("/v1/invoice/versions", "2026-08-04"),
];

/// Searches that give the codes of further look-ups: query, offsets, member with the code, path of the look-up.
const LISTED: &[(&str, &[u32], &str, &str)] = &[
    ("/v1/postalcode/?q=北海道", &[0, 4000, 8000], "postal_code", "/v1/postalcode/"),
    ("/v1/postalcode/?q=東京都", &[0, 3000, 8000], "postal_code", "/v1/postalcode/"),
    ("/v1/postalcode/?q=大阪府", &[0, 2000], "postal_code", "/v1/postalcode/"),
    ("/v1/postalcode/?q=鳥取県", &[0, 1000], "postal_code", "/v1/postalcode/"),
    (
        "/v1/houjinbangou?q=株式会社",
        &[0, 1000, 3000, 5000],
        "corporate_number",
        "/v1/houjinbangou/",
    ),
    ("/v1/houjinbangou?q=鳥取", &[0, 500], "corporate_number", "/v1/houjinbangou/"),
    ("/v1/school?q=台帳", &[0], "code", "/v1/school/"),
    ("/v1/invoice?q=株式会社", &[0], "qualified_invoice_issuer_number", "/v1/invoice/"),
];

/// Addresses as people write them.
const ADDRESSES: &[&str] = &[
    "東京都千代田区霞ヶ関１丁目２−３",
    "京都市中京区寺町通御池上る上本能寺前町488",
    "大阪市北区中之島1-3-20",
    "鳥取市東町一丁目220番地",
    "北海道札幌市中央区北3条西6丁目",
    "六本木6-10-1 六本木ヒルズ森タワー 12階",
    "横浜市港区山下町1",
    "町田市森野二丁目二番二十二号",
    "どこにもない町1-2-3",
    "",
];

const WORDS: &[&str] = &["丸の内", "銀行", "中央", "本町", "桜木", "建設", "鳥取", "サービス"];

/// Searches of one word to many words, with small and large offsets, with and without facets.
fn searches() -> Vec<String> {
    let mut targets = Vec::new();
    for word in WORDS {
        targets.push(format!("/v1/postalcode/?q={word}&limit=10"));
        targets.push(format!("/v1/postalcode/?q={word} AND _type:1&facet=/"));
        targets.push(format!("/v1/houjinbangou?q={word}&limit=10"));
        targets.push(format!("/v1/houjinbangou?q={word}&facet_area=/&facet_kind=/&offset=50"));
        targets.push(format!("/v1/school?q={word}"));
        targets.push(format!("/v1/invoice?q={word}"));
        targets.push(format!("/v1/bank?q={word}&match=contains"));
    }
    for address in ADDRESSES.iter().filter(|address| !address.is_empty()) {
        targets.push(format!("/v1/postalcode/?t={address}&limit=5&explain=1"));
    }
    let long = WORDS.iter().cycle().take(24).copied().collect::<Vec<_>>().join(" OR ");
    targets.push(format!("/v1/postalcode/?q={long}&facet=/&limit=100"));
    targets.push(format!("/v1/houjinbangou?q={long}&facet_area=/&limit=100"));
    // Parts of numbers have no index: the search reads over 100,000 rows, so it runs in a lane.
    let parts: Vec<String> = (0..6).map(|part| format!("corporate_number:{part:02}")).collect();
    targets.push(format!("/v1/houjinbangou?q={}&limit=1", parts.join(" OR ")));
    targets.push("/v1/postalcode/?q=東京都&offset=8000&limit=100".to_owned());
    targets.push("/v1/houjinbangou?q=株式会社&offset=6000&limit=100".to_owned());
    targets.push(format!(
        "/v1/houjinbangou?q=name:鳥取 AND prefecture_name:鳥取県 {}",
        "鳥".repeat(100)
    ));
    targets
}

/// Requests by `POST`: path and body.
fn batches() -> Vec<(&'static str, Value)> {
    let addresses = |count: usize| -> Vec<Value> {
        ADDRESSES.iter().take(9).cycle().take(count).map(|t| json!({ "t": t })).collect()
    };
    let names = WORDS.iter().cycle().take(100).map(|q| json!({ "q": q })).collect::<Vec<_>>();
    let numbers = vec![json!({ "number": "T7000012050002", "date": "2026-05-01" }); 50];
    vec![
        ("/v1/batch/postalcode/search", json!({ "default_limit": 1, "queries": addresses(200) })),
        ("/v1/batch/postalcode/search", json!({ "queries": addresses(1), "explain": 1 })),
        ("/v1/batch/houjinbangou/search", json!({ "default_limit": 3, "queries": names })),
        ("/v1/batch/invoice/search", json!({ "queries": numbers })),
        // Searches accept their parameters in a body, too.
        ("/v1/postalcode/", json!({ "q": "本町 AND _type:1", "limit": 10 })),
        ("/v1/houjinbangou", json!({ "q": "鳥取", "facet_area": "/" })),
    ]
}

/// Requests that must be refused.
fn wrong(accounts: &Accounts) -> Vec<Question> {
    let (secret, plain) = (accounts.secret.as_str(), accounts.plain.as_str());
    let batch = "/v1/batch/postalcode/search";
    let mut all = Vec::new();
    let mut add = |head: String, body: Option<String>, status, code| {
        all.push(Question { head, body, expected: Expected::Error(status, code) });
    };
    for (target, status, code) in [
        ("/v1/postalcode/12345", 400, "invalid_postal_code"),
        ("/v1/postalcode/0000000", 404, "no_such_postal_code"),
        ("/v1/houjinbangou/1", 400, "invalid_corporate_number"),
        ("/v1/houjinbangou/9999999999999", 404, "no_such_corporation"),
        ("/v1/bank/9", 400, "invalid_bank_code"),
        ("/v1/bank/9998", 404, "no_such_bank"),
        ("/v1/school/X", 400, "invalid_school_code"),
        ("/v1/invoice/7", 400, "invalid_invoice_number"),
        ("/v1/cities/1", 400, "invalid_prefecture_code"),
        ("/v1/postalcode/", 400, "missing_query"),
        ("/v1/postalcode/?q=本町&limit=101", 400, "invalid_limit"),
        ("/v1/postalcode/?q=%E3", 400, "invalid_parameter"),
        ("/v1/postalcode/1000001?version=2026-02-30", 400, "invalid_version"),
        ("/v1/postalcode/1000001?version=1999-01-01", 404, "no_such_version"),
        ("/v1/nowhere", 404, "no_such_endpoint"),
        ("/v1/download/postalcode/latest/kenall.json.xz", 404, "no_such_download"),
    ] {
        add(head("GET", target, Some(secret)), None, status, code);
    }
    let code = "/v1/postalcode/1000001";
    add(head("GET", code, None), None, 401, "missing_key");
    add(head("GET", code, Some("dk_sec_wrong")), None, 401, "invalid_key");
    add(head("GET", "/v1/houjinbangou?q=a", Some(plain)), None, 403, "plan_too_low");
    add(head("GET", code, Some(&accounts.public)), None, 403, "origin_not_allowed");
    let from_page = head("POST", batch, Some(&accounts.public)) + "Origin: " + ORIGIN + "\r\n";
    add(from_page, Some("{}".to_owned()), 401, "secret_key_required");
    add(head("DELETE", code, Some(secret)), None, 405, "method_not_allowed");
    let post = || head("POST", batch, Some(secret));
    for body in ["", "{\"queries\":[", "[]", "{\"queries\":[{\"t\":1}]}", "\u{0}"] {
        add(post(), Some(body.to_owned()), 400, "invalid_body");
    }
    let many = json!({ "queries": vec![json!({ "t": "町" }); 1001] }).to_string();
    add(post(), Some(many), 400, "too_many_queries");
    add(post() + "Content-Length: 99999999\r\n", None, 413, "body_too_large");
    let long = format!("{code}?q={}", "a".repeat(TARGET_BYTES_MAX));
    add(head("GET", &long, Some(secret)), None, 414, "target_too_long");
    let long =
        head("GET", code, Some(secret)) + "X-Long: " + &"a".repeat(2 * HEAD_BYTES_MAX) + "\r\n";
    add(long, None, 431, "headers_too_large");
    all
}
