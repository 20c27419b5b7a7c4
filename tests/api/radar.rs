//! `/v1/houjinbangou/radar/…` and `/v1/invoice/radar/…`: the watch lists, and the watched corporations and invoice
//! issuers that changed on a date.

use daicho::account::AccountName;
use daicho::account::store::{IfMissing, Store, StoreLocation};
use daicho::radar::stored_secret::{KeyLocation, SecretCipher};
use daicho::radar::webhook::{Secret, WebhookUrl};
use daicho::radar::{registration, watch_list};
use daicho::text::codes::{CorporateNumber, Register};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::support::{Answer, ServerProcess, ask, post, sample};

const LIST: &str = "/v1/houjinbangou/radar/corporate_numbers";
const ADD: &str = "/v1/houjinbangou/radar/corporate_numbers/add";
const REMOVE: &str = "/v1/houjinbangou/radar/corporate_numbers/remove";

/// Corporations in the sample's change list of 2026-08-03.
const CHANGED: [&str; 2] = ["5010001999902", "6010001999901"];
/// A corporation in no change list.
const OTHER: &str = "7000012050002";

/// A server with the sample, whose account `premium` has a webhook.
fn served(arguments: &[&str]) -> ServerProcess {
    let server = ServerProcess::with_snapshots(Some(sample()), arguments);
    server.set_webhook("premium");
    server
}

fn store(server: &ServerProcess) -> Store {
    Store::open(&StoreLocation::File(server.state()), IfMissing::Refuse).expect("the store")
}

fn get(server: &ServerProcess, path: &str) -> Answer {
    ask(server.address, &format!("GET {path}\nAuthorization: Token {}", server.premium))
}

fn send(server: &ServerProcess, path: &str, body: &Value) -> Answer {
    post(server.address, path, &server.premium, body.to_string().as_bytes())
}

/// The corporate numbers in an answer.
#[track_caller]
fn data(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = answer.json();
    assert_eq!(
        body.as_object().map(|members| members.len()),
        Some(1),
        "the answer has members other than data"
    );
    let numbers = body["data"].as_array().expect("a list");
    numbers.iter().map(|number| number.as_str().expect("a string").to_owned()).collect()
}

#[test]
fn numbers_are_added_listed_and_removed() {
    let server = served(&[]);
    let [one, two] = CHANGED;
    assert_eq!(data(&get(&server, LIST)), [""; 0]);
    assert_eq!(data(&send(&server, ADD, &json!({ "data": [two, one, two] }))), [two, one]);
    let again = send(&server, ADD, &json!({ "data": [one, OTHER], "more": 1 }));
    assert_eq!(data(&again), [one, OTHER], "the answer has the numbers of this request");
    assert_eq!(data(&get(&server, LIST)), [one, two, OTHER]);
    assert_eq!(data(&get(&server, &format!("{LIST}/"))), [one, two, OTHER]);
    let removed = send(&server, REMOVE, &json!({ "data": [one, "8010001999908", one] }));
    assert_eq!((removed.status, removed.text().as_str()), (200, ""), "no body");
    assert_eq!(removed.header("content-length"), Some("0"));
    assert_eq!(data(&get(&server, LIST)), [two, OTHER]);
    let wide: String =
        one.chars().filter_map(|digit| char::from_u32(digit as u32 - 0x30 + 0xFF10)).collect();
    assert_eq!(data(&send(&server, ADD, &json!({ "data": [wide] }))), [one], "full-width digits");
    assert_eq!(send(&server, REMOVE, &json!({ "data": [wide] })).status, 200);
    assert_eq!(data(&send(&server, ADD, &json!({ "data": [] }))), [""; 0]);
    assert_eq!(send(&server, REMOVE, &json!({ "data": [] })).status, 200);
    assert_eq!(get(&server, LIST).header("cache-control"), Some("no-store"));
}

#[test]
fn a_request_with_an_invalid_number_adds_nothing() {
    let server = served(&[]);
    let refused = |body: &Value, code: &str, parameter: Option<&str>| {
        send(&server, ADD, body).expect_error(400, code, parameter);
        assert_eq!(data(&get(&server, LIST)), [""; 0], "{body}");
    };
    let [one, _] = CHANGED;
    let invalid = "invalid_corporate_number";
    refused(&json!({ "data": [one, "4010001999902"] }), invalid, Some("data[1]"));
    refused(&json!({ "data": [one, "501000199990"] }), invalid, Some("data[1]"));
    refused(&json!({ "data": ["T5010001999902"] }), invalid, Some("data[0]"));
    refused(&json!({ "data": [5_010_001_999_902_u64] }), "invalid_body", Some("data[0]"));
    refused(&json!({ "data": one }), "invalid_body", Some("data"));
    refused(&json!({ "numbers": [one] }), "invalid_body", Some("data"));
    refused(&json!([one]), "invalid_body", None);
    refused(&json!({ "data": vec![one; 101] }), "too_many_numbers", Some("data"));
    assert_eq!(data(&send(&server, ADD, &json!({ "data": vec![one; 100] }))), [one]);
    for body in ["", "{", "null", "{\"data\":[\"5010001999902\"],\"data\":[]}", "\u{feff}"] {
        let answer = post(server.address, ADD, &server.premium, body.as_bytes());
        assert_eq!(answer.status, 400, "{body}");
        let answer = post(server.address, REMOVE, &server.premium, body.as_bytes());
        assert_eq!(answer.status, 400, "{body}");
    }
    let answer = send(&server, REMOVE, &json!({ "data": [one, "x"] }));
    answer.expect_error(400, invalid, Some("data[1]"));
    let huge = vec![b' '; 2 * 1024 * 1024 + 1];
    post(server.address, ADD, &server.premium, &huge).expect_error(413, "body_too_large", None);
    assert_eq!(data(&get(&server, LIST)), [one]);
}

#[test]
fn a_date_lists_the_watched_corporations_that_changed() {
    let server = served(&[]);
    let day = "/v1/houjinbangou/radar/2026-08-03";
    assert_eq!(data(&get(&server, day)), [""; 0]);
    let [one, two] = CHANGED;
    send(&server, ADD, &json!({ "data": [two, OTHER, one] }));
    assert_eq!(data(&get(&server, day)), [one, two]);
    assert_eq!(data(&get(&server, &format!("{day}/"))), [one, two]);
    assert_eq!(data(&get(&server, "/v1/houjinbangou/radar/2026%2D08-03")), [one, two]);
    // The date of the first version, and the weekend between it and the newest.
    for date in ["2026-07-31", "2026-08-01", "2026-08-02"] {
        let answer = get(&server, &format!("/v1/houjinbangou/radar/{date}"));
        assert_eq!(data(&answer), [""; 0], "{date}");
    }
    for date in ["2026-07-30", "2026-08-04", "2015-10-05", "9999-12-31"] {
        let answer = get(&server, &format!("/v1/houjinbangou/radar/{date}"));
        answer.expect_error(404, "no_such_date", Some("date"));
        assert!(answer.text().contains("from 2026-07-31 to 2026-08-03"), "{}", answer.text());
    }
    for date in
        ["2026-8-3", "2026-02-30", "today", "20260803", "2026-08-03T00", "%E4%BB%8A", "..%2f"]
    {
        let answer = get(&server, &format!("/v1/houjinbangou/radar/{date}"));
        answer.expect_error(400, "invalid_date", Some("date"));
    }
    get(&server, "/v1/houjinbangou/radar/%ff").expect_error(400, "invalid_date", Some("date"));
}

#[test]
fn requests_without_access_are_refused_with_the_reason() {
    let server = served(&[]);
    for path in [LIST, "/v1/houjinbangou/radar/2026-08-03", "/v1/houjinbangou/radar/nonsense"] {
        let with =
            |key: &str| ask(server.address, &format!("GET {path}\nAuthorization: Token {key}"));
        ask(server.address, &format!("GET {path}")).expect_error(401, "missing_key", None);
        with(&server.public).expect_error(401, "secret_key_required", None);
        with(&server.secret).expect_error(403, "plan_too_low", None);
    }
    for path in [ADD, REMOVE] {
        let body = json!({ "data": [OTHER] }).to_string();
        let with = |key: &str| post(server.address, path, key, body.as_bytes());
        with(&server.public).expect_error(401, "secret_key_required", None);
        with(&server.secret).expect_error(403, "plan_too_low", None);
        with("dk_sec_none").expect_error(401, "invalid_key", None);
    }
    let answer =
        ask(server.address, &format!("GET {ADD}\nAuthorization: Token {}", server.premium));
    answer.expect_error(405, "method_not_allowed", None);
    let answer = post(server.address, LIST, &server.premium, b"{}");
    answer.expect_error(405, "method_not_allowed", None);
    let nothing = get(&server, "/v1/houjinbangou/radar/corporate_numbers/take");
    nothing.expect_error(404, "no_such_endpoint", None);
    assert_eq!(ask(server.address, &format!("OPTIONS {ADD}")).status, 204);
}

#[test]
fn an_account_without_a_webhook_is_refused() {
    let server = ServerProcess::start();
    let missing = |answer: Answer| answer.expect_error(403, "webhook_missing", None);
    missing(get(&server, LIST));
    missing(get(&server, "/v1/houjinbangou/radar/2026-08-03"));
    // The webhook is checked before the request, so invalid requests get the same error.
    missing(get(&server, "/v1/houjinbangou/radar/nonsense"));
    missing(send(&server, ADD, &json!({ "data": [OTHER] })));
    missing(send(&server, ADD, &json!({ "data": ["x"] })));
    missing(send(&server, REMOVE, &json!({ "data": [OTHER] })));
}

#[test]
fn the_operator_limits_the_watch_list_of_an_account() {
    let server = served(&["--watch-limit", "2"]);
    let [one, two] = CHANGED;
    assert_eq!(data(&send(&server, ADD, &json!({ "data": [one, two] }))), [one, two]);
    let full = send(&server, ADD, &json!({ "data": [two, OTHER] }));
    full.expect_error(400, "watch_list_full", Some("data"));
    assert!(
        full.text()
            .contains("expected at most 2 numbers watched; adding these numbers would make 3")
    );
    assert_eq!(data(&get(&server, LIST)), [one, two]);
    assert_eq!(
        data(&send(&server, ADD, &json!({ "data": [two] }))),
        [two],
        "the number is on the list already"
    );
}

#[test]
fn a_watch_list_of_100_000_is_returned_completely() {
    let server = served(&[]);
    let mut store = store(&server);
    let name = AccountName::parse("premium").expect("a name");
    let account = store.account(&name).expect("the account").id;
    let mut all: Vec<CorporateNumber> =
        (0..100_000).filter_map(|at| CorporateNumber::from_body(200_000_000_000 + at)).collect();
    all.sort_unstable();
    watch_list::add(&mut store, account, Register::Corporate, &all, 100_000, Timestamp::now())
        .expect("added");
    let expected: Vec<String> = all.iter().map(CorporateNumber::to_string).collect();
    assert!(data(&get(&server, LIST)) == expected);
    send(&server, ADD, &json!({ "data": [OTHER] })).expect_error(
        400,
        "watch_list_full",
        Some("data"),
    );
    assert_eq!(send(&server, REMOVE, &json!({ "data": expected })).status, 200);
    assert_eq!(data(&get(&server, LIST)), [""; 0]);
}

#[test]
fn a_missing_store_is_503_and_look_ups_still_work() {
    let server = served(&[]);
    assert_eq!(get(&server, LIST).status, 200);
    std::fs::rename(server.state(), server.state().with_extension("aside")).expect("moved");
    get(&server, LIST).expect_error(503, "state_unavailable", None);
    let added = send(&server, ADD, &json!({ "data": [OTHER] }));
    added.expect_error(503, "state_unavailable", None);
    assert_eq!(get(&server, "/v1/houjinbangou/6010001999901").status, 200);
    std::fs::rename(server.state().with_extension("aside"), server.state()).expect("moved back");
    assert_eq!(data(&get(&server, LIST)), [""; 0], "the failed request added a number");
}

#[test]
fn a_damaged_change_list_is_logged_once_and_others_are_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let changes = folder.path().join("corporate/changes");
    std::fs::create_dir_all(&changes).expect("made");
    let name = "corporate/2026-08-03.daicho";
    std::fs::copy(sample().join(name), folder.path().join(name)).expect("copied");
    std::fs::write(changes.join("2026-08-03.txt"), "5010001999902").expect("written");
    std::fs::write(changes.join("2026-08-02.txt"), "5010001999902\n").expect("written");
    std::fs::write(changes.join("2026-08-04.txt"), "5010001999902\n").expect("written");
    let server = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let mut store = store(&server);
    let premium = AccountName::parse("premium").expect("a name");
    let account = store.account(&premium).expect("the account").id;
    let url = WebhookUrl::parse("https://shop.example/hook").expect("a URL");
    let cipher = SecretCipher::new(KeyLocation::BesideState(server.state()));
    let secret = Secret::from_random([1; 32]);
    registration::set_url(&mut store, &cipher, account, &url, &secret, Timestamp::now())
        .expect("set");
    send(&server, ADD, &json!({ "data": [CHANGED[0]] }));
    let day = |date: &str| get(&server, &format!("/v1/houjinbangou/radar/{date}"));
    day("2026-08-03").expect_error(500, "damaged_data", None);
    assert_eq!(data(&day("2026-08-02")), [CHANGED[0]]);
    // The list is newer than the data that are served.
    day("2026-08-04").expect_error(404, "no_such_date", Some("date"));
    let log_lines = || server.logged().matches("skipping a change list").count();
    server.wait_for_log("skipping a change list");
    // The next scan finds a new list and does not log the damaged one again.
    std::fs::write(changes.join("2026-08-01.txt"), "5010001999902\n").expect("written");
    server.signal(rustix::process::Signal::HUP);
    server.wait_for_log("\"day\":\"2026-08-01\"");
    assert_eq!(log_lines(), 1);
}

const ISSUERS: &str = "/v1/invoice/radar/invoice_numbers";

/// Issuers in the difference of 2026-08-04: of a corporation, and of an individual.
const CHANGED_ISSUERS: [&str; 2] = ["T5430001999901", "T6810999999904"];

#[test]
fn issuers_have_a_watch_list_of_their_own() {
    let server = served(&["--watch-limit", "3"]);
    let [one, individual] = CHANGED_ISSUERS;
    let (add, remove) = (format!("{ISSUERS}/add"), format!("{ISSUERS}/remove"));
    send(&server, ADD, &json!({ "data": [OTHER, CHANGED[0], CHANGED[1]] }));
    assert_eq!(data(&get(&server, ISSUERS)), [""; 0], "the list of corporations is another");
    let added = send(&server, &add, &json!({ "data": [individual, one, individual] }));
    assert_eq!(data(&added), [individual, one]);
    assert_eq!(data(&get(&server, ISSUERS)), [one, individual]);
    assert_eq!(data(&get(&server, LIST)).len(), 3);
    let full = send(&server, &add, &json!({ "data": ["T7000012050002", "T5010001999902"] }));
    full.expect_error(400, "watch_list_full", Some("data"));
    for (body, code, parameter) in [
        (json!({ "data": ["T7000012050002", OTHER] }), "invalid_invoice_number", "data[1]"),
        (json!({ "data": ["T700001205000"] }), "invalid_invoice_number", "data[0]"),
        (json!({ "data": vec![one; 101] }), "too_many_numbers", "data"),
        (json!({ "data": one }), "invalid_body", "data"),
    ] {
        send(&server, &add, &body).expect_error(400, code, Some(parameter));
    }
    send(&server, &remove, &json!({ "data": [OTHER] })).expect_error(
        400,
        "invalid_invoice_number",
        Some("data[0]"),
    );
    assert_eq!(data(&get(&server, ISSUERS)), [one, individual], "refused lists add nothing");
    let removed = send(&server, &remove, &json!({ "data": [one, "T8010001999908"] }));
    assert_eq!((removed.status, removed.text().as_str()), (200, ""));
    assert_eq!(data(&get(&server, ISSUERS)), [individual]);
}

#[test]
fn a_date_lists_the_watched_issuers_that_changed() {
    let server = served(&[]);
    let day = |date: &str| get(&server, &format!("/v1/invoice/radar/{date}"));
    assert_eq!(data(&day("2026-08-04")), [""; 0]);
    let [one, individual] = CHANGED_ISSUERS;
    let unchanged = "T7130005999901";
    let body = json!({ "data": [individual, one, unchanged] });
    send(&server, &format!("{ISSUERS}/add"), &body);
    assert_eq!(data(&day("2026-08-04")), [one, individual]);
    assert_eq!(data(&day("2026-08-03")), [""; 0], "the tax agency published nothing");
    for date in ["2026-07-30", "2026-08-05"] {
        day(date).expect_error(404, "no_such_date", Some("date"));
    }
    assert!(day("2026-08-05").text().contains("from 2026-07-31 to 2026-08-04"));
    day("2026-8-4").expect_error(400, "invalid_date", Some("date"));
}

#[test]
fn the_radar_of_issuers_needs_what_that_of_corporations_needs() {
    let server = ServerProcess::start();
    for path in [ISSUERS, "/v1/invoice/radar/2026-08-04", "/v1/invoice/radar/nonsense"] {
        let with =
            |key: &str| ask(server.address, &format!("GET {path}\nAuthorization: Token {key}"));
        ask(server.address, &format!("GET {path}")).expect_error(401, "missing_key", None);
        with(&server.public).expect_error(401, "secret_key_required", None);
        with(&server.secret).expect_error(403, "plan_too_low", None);
        with(&server.premium).expect_error(403, "webhook_missing", None);
    }
    for verb in ["add", "remove"] {
        let body = json!({ "data": ["x"] });
        let answer = send(&server, &format!("{ISSUERS}/{verb}"), &body);
        answer.expect_error(403, "webhook_missing", None);
    }
}
