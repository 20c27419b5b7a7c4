//! The pages of the webhook and the watch list, in a browser and over sockets, with a receiver on this
//! machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::browser::Browser;
use super::receiver::Receiver;
use super::site::{OPERATOR, Site};
use crate::support::wait_until;

/// The pages of the account with the plan premium.
const PREMIUM: &str = "/dashboard/account/4";

/// Corporate numbers with a right check digit: two of the sample and one that no corporation has.
const NUMBERS: [&str; 3] = ["7000012050002", "6010001999901", "5000012345675"];

/// A receiver, and a switch: it responds with 204 while the switch is true, else with 503.
fn receiver() -> (Receiver, Arc<AtomicBool>) {
    let willing = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&willing);
    let receiver = Receiver::start(move |_number| match asked.load(Relaxed) {
        true => "HTTP/1.1 204 No Content\r\n\r\n",
        false => "HTTP/1.1 503 Service Unavailable\r\n\r\n",
    });
    (receiver, willing)
}

fn site() -> Site {
    Site::with(&["--webhook-allow-private"])
}

#[test]
fn webhook_is_refused_to_an_account_without_the_radar() {
    let site = Site::start();
    let operator = site.session("", OPERATOR);
    let fields = [
        ("token", operator.token.as_str()),
        ("action", "url"),
        ("url", "https://shop.example/hook"),
    ];
    // The account demo has the plan standard.
    let page = site.post("/dashboard/account/1/webhook", &operator.cookie, &fields);
    assert_eq!(page.status, 400);
    assert!(page.text().contains("require the Premium plan or above"), "{}", page.text());
    let shown = site.served.run("account show demo --json").stdout;
    let shown: serde_json::Value = serde_json::from_slice(&shown).expect("JSON");
    assert_eq!(shown["webhook"], serde_json::Value::Null);
}

#[needs::chromium]
#[test]
fn webhook_is_set_tested_redelivered_rotated_and_removed() {
    let browser = Browser::start();
    let (site, (receiver, willing)) = (site(), receiver());
    site.sign_in(&browser, "", OPERATOR);
    browser.go(&site.url(&format!("{PREMIUM}/webhook")));
    browser.picture("webhook-none");
    let page = site.url(&format!("{PREMIUM}/webhook"));
    // The server refuses an invalid URL too, if the browser's own check is turned off.
    browser.script("document.querySelector('form.bar').noValidate = true");
    browser.fill("input[name=url]", "ftp://shop.example/");
    browser.follow("form.bar button");
    assert!(browser.text("[role=alert]").contains("http:// or https://"));
    browser.fill("input[name=url]", &receiver.url());
    browser.follow("form.bar button");
    let secret = browser.text("#made");
    assert!(secret.starts_with("whsec_"), "{secret}");
    browser.picture("webhook-secret");
    // Saving again keeps the secret and does not show it.
    browser.follow("form.bar button");
    assert!(!browser.has("#made"));
    browser.follow(".actions form:nth-of-type(1) button");
    browser.wait_for_text("main table", "delivered");
    let first = receiver.received();
    assert_eq!(first.len(), 1);
    assert!(first[0].is_signed_with(&secret), "{first:?}");
    // A failing receiver is shown with its status, and the test delivery waits for its next attempt.
    willing.store(false, Relaxed);
    browser.follow(".actions form:nth-of-type(1) button");
    browser.wait_for_text("main table tbody tr:first-child", "503");
    assert!(browser.text("main table tbody tr:first-child").contains("waiting"));
    browser.picture("webhook-deliveries");
    browser.follow("main table tbody tr:first-child a");
    assert!(browser.text("#attempts").contains("503"));
    // A redelivery is sent at once, with the same id.
    willing.store(true, Relaxed);
    browser.go(&page);
    let before = receiver.received().len();
    browser.follow("main table tbody tr:first-child button");
    assert!(browser.text("[role=status]").contains("sent again"));
    browser.wait_for_text("main table tbody tr:first-child", "delivered");
    let all = receiver.received();
    assert!(all.len() > before);
    let id = |at: usize| all[at].header("webhook-id");
    assert_eq!(id(before - 1), id(before), "the same id at every attempt");
    // A new secret; for a day both secrets sign.
    browser.click(".actions form:nth-of-type(2) button");
    browser.accept_question();
    browser.wait_for_text("[role=status]", "new secret");
    let second = browser.text("#made");
    assert_ne!(second, secret);
    browser.follow(".actions form:nth-of-type(1) button");
    wait_until("a delivery with both signatures", || {
        let received = receiver.received();
        received.iter().any(|it| it.is_signed_with(&secret) && it.is_signed_with(&second))
    });
    browser.click(".actions form:nth-of-type(3) button");
    browser.accept_question();
    browser.wait_for_text("[role=status]", "removed");
    assert!(!browser.has(".actions"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn test_deliveries_are_rate_limited_and_only_the_last_is_listed() {
    let (site, (receiver, _willing)) = (site(), receiver());
    let session = site.session("", OPERATOR);
    let page = format!("{PREMIUM}/webhook");
    let token = ("token", session.token.as_str());
    let url = receiver.url();
    let set = [token, ("action", "url"), ("url", url.as_str())];
    assert_eq!(site.post(&page, &session.cookie, &set).status, 200);
    let test = || site.post(&page, &session.cookie, &[token, ("action", "test")]);
    let statuses: Vec<u16> = (0..8).map(|_| test().status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
    let refused = test();
    let seconds: u64 = refused.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=12).contains(&seconds), "{seconds}");
    assert!(refused.text().contains("role=\"alert\""), "{}", refused.text());
    wait_until("the last test is delivered", || {
        site.get(&page, &session.cookie).text().contains(">delivered<")
    });
    let text = site.get(&page, &session.cookie).text();
    assert_eq!(text.matches("?delivery=msg_").count(), 1, "{text}");
    assert!(receiver.received().len() <= 5);
}

#[needs::chromium]
#[test]
fn watch_list_is_pasted_searched_exported_and_emptied() {
    let browser = Browser::start();
    let (site, receiver) = (site(), Receiver::willing());
    site.sign_in(&browser, "", OPERATOR);
    let page = site.url(&format!("{PREMIUM}/watch"));
    browser.go(&page);
    assert!(browser.text("main").contains("needs a webhook"));
    browser.go(&site.url(&format!("{PREMIUM}/webhook")));
    browser.fill("input[name=url]", &receiver.url());
    browser.follow("form.bar button");
    browser.go(&page);
    // A list without any valid number is refused, and the form keeps what was typed.
    browser.fill("#numbers", "7000012050003");
    browser.follow("button[value=add]");
    assert!(browser.text("[role=alert]").contains("7000012050003"));
    browser.picture("watch-wrong");
    assert_eq!(browser.script("return document.querySelector('#numbers').value.length"), 13);
    // One wrong number is left out and named.
    browser.fill("#numbers", &format!("{}\n7000012050003", NUMBERS[0]));
    browser.follow("button[value=add]");
    let done = browser.text("[role=status]");
    assert!(done.contains("1 number ") && done.contains("line 2 7000012050003"), "{done}");
    browser.fill("#numbers", &NUMBERS.join("\n"));
    browser.follow("button[value=add]");
    assert!(browser.text("[role=status]").contains("3 numbers"));
    assert!(browser.text(".count").starts_with("3 of at most 100,000"));
    browser.picture("watch");
    // Searching by prefix.
    browser.fill("input[name=prefix]", "7000");
    browser.follow("form[role=search] button");
    let table = browser.text("main table");
    assert!(table.contains(NUMBERS[0]) && !table.contains(NUMBERS[1]), "{table}");
    // The exported file can be imported again.
    let session = site.session("", OPERATOR);
    let file = site.get(&format!("{PREMIUM}/watch.csv"), &session.cookie);
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(file.header("content-disposition").is_some_and(|it| it.contains("attachment")));
    let mut sorted = NUMBERS;
    sorted.sort_unstable();
    assert_eq!(file.text(), format!("corporate_number\r\n{}\r\n", sorted.join("\r\n")));
    browser.go(&page);
    let csv = site.served.folder.path().join("list.csv");
    std::fs::write(&csv, file.text()).expect("written");
    browser.choose_file("input[type=file]", &csv);
    browser.wait_for("textarea");
    wait_until("the file is in the field", || {
        browser
            .script("return document.querySelector('#numbers').value")
            .to_string()
            .contains("7000")
    });
    browser.follow("button[value=remove]");
    assert!(browser.text("[role=status]").contains("3 numbers"));
    assert!(browser.text(".count").starts_with("0 of"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn watch_list_holds_a_hundred_thousand_numbers() {
    let site = site();
    let session = site.session("", OPERATOR);
    let token = ("token", session.token.as_str());
    let url = [token, ("action", "url"), ("url", "http://127.0.0.1:9/hook")];
    assert_eq!(site.post(&format!("{PREMIUM}/webhook"), &session.cookie, &url).status, 200);
    let number = |body| {
        daicho::text::codes::CorporateNumber::from_body(body).expect("twelve digits").to_string()
    };
    let all: Vec<String> = (1..=100_000).map(number).collect();
    let send = |numbers: &str| {
        let body = format!("token={}&action=add&numbers={numbers}", session.token);
        let path = format!("{PREMIUM}/watch");
        super::site::send(site.served.address, &path, &session.cookie, "", body.as_bytes())
    };
    let answer = send(&all.join("%0D%0A"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.text().contains("100,000 of at most 100,000"));
    let answer = send(&number(100_001));
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("it would be 100,001"), "{}", answer.text());
    // The second page begins after the last number of the first.
    let page = site.get(&format!("{PREMIUM}/watch"), &session.cookie).text();
    let next = page.split("&amp;after=").nth(1).expect("a next page");
    let after = next.split('"').next().expect("its end");
    let path = format!("{PREMIUM}/watch?after={after}");
    let second = site.get(&path, &session.cookie).text();
    assert!(!second.contains(&format!("<code>{after}</code>")));
    assert_eq!(second.matches("<tr><td><code>").count(), 100);
    // The plan standard has no watch list.
    let fields = [token, ("action", "add"), ("numbers", NUMBERS[0])];
    let answer = site.post("/dashboard/account/1/watch", &session.cookie, &fields);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("Premium"), "{}", answer.text());
}

#[test]
fn a_csv_of_issuers_is_watched_and_shown_with_names() {
    let site = site();
    let session = site.session("", OPERATOR);
    let token = ("token", session.token.as_str());
    let url = [token, ("action", "url"), ("url", "http://127.0.0.1:9/hook")];
    assert_eq!(site.post(&format!("{PREMIUM}/webhook"), &session.cookie, &url).status, 200);
    let page = format!("{PREMIUM}/watch");
    let csv = "会社,電話番号,登録番号\r\n\
               台帳,0312345678,T6010001999901\r\n\
               一太郎,,T9810999999902\r\n\
               未定,,申請中\r\n";
    let form = |action| [token, ("register", "invoice"), ("action", action), ("numbers", csv)];
    let answer = site.post(&page, &session.cookie, &form("add"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = answer.text();
    for expected in [
        "2 numbers from this form are now watched",
        "1 entry was left out: line 4 申請中 (no number of 13 digits)",
        "line 3 T9810999999902",
        "<code>T6010001999901</code></td><td>株式会社台帳</td>",
        "2 of at most 100,000",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let listed = |query: &str| site.get(&format!("{page}{query}"), &session.cookie).text();
    assert!(listed("").contains("0 of at most"), "the list of corporations is another");
    let found = listed("?register=invoice&prefix=T98");
    assert!(found.contains("T9810999999902") && !found.contains("T6010001999901"), "{found}");
    let file = site.get(&format!("{PREMIUM}/watch.csv?register=invoice"), &session.cookie);
    assert_eq!(file.text(), "invoice_number\r\nT6010001999901\r\nT9810999999902\r\n");
    let japanese = listed("?register=invoice&language=ja");
    assert!(japanese.contains("監視中の適格請求書発行事業者"), "{japanese}");
    let refused = [token, ("register", "invoice"), ("action", "add"), ("numbers", "T7010001")];
    let answer = site.post(&page, &session.cookie, &refused);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("line 1 T7010001"), "{}", answer.text());
    let answer = site.post(&page, &session.cookie, &form("remove"));
    assert!(answer.text().contains("2 numbers are no longer watched"), "{}", answer.text());
}
