//! The demonstration pages at `/demo`: in both languages, on the screen of a phone, with and without a key.

use serde_json::json;

use super::shop::{focus, press, value, wait_for_value};
use crate::dashboard::browser::Browser;
use crate::support::{ServerProcess, ask, sample};

#[test]
fn pages_without_a_key_explain_how_to_create_one() {
    let server = ServerProcess::start();
    for (path, word) in
        [("/demo", "public key"), ("/demo/", "public key"), ("/demo/ja", "公開キー")]
    {
        let answer = ask(server.address, &format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = answer.text();
        assert!(text.contains(word) && text.contains("daicho key create"), "{path}");
        assert!(!text.contains("<script") && !text.contains("style=\""), "{path}");
    }
    for (headers, origin) in [("", "http://test"), ("\nX-Forwarded-Proto: https", "https://test")] {
        let text = ask(server.address, &format!("GET /demo{headers}")).text();
        assert!(text.contains(&format!("--kind public --origin {origin}<")), "{text}");
        assert!(
            text.contains(&format!("src=&quot;{origin}/js/daicho-")),
            "the tag to copy: {text}"
        );
    }
    let secret = ask(server.address, &format!("GET /demo?key={}", server.secret)).text();
    assert!(secret.contains("revoke it") && !secret.contains(&server.secret));
    let twice = ask(server.address, "GET /demo?key=a&key=b");
    twice.expect_error(400, "invalid_parameter", Some("key"));
}

#[needs::chromium]
#[test]
fn forms_of_the_page_are_filled() {
    let browser = Browser::start();
    let server = ServerProcess::with_snapshots(Some(sample()), &[]);
    browser.go(&format!("http://{}/demo", server.address));
    browser.fill("input[name=key]", &server.unbound);
    browser.follow("main form button");
    assert!(browser.address().contains("/demo?key=dk_pub_"), "{}", browser.address());
    focus(&browser, "#one .p-postal-code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#one .p-street-address", "千代田");
    browser.wait_for_text("#one .told", "daicho:fill 東京都千代田区千代田");
    assert_eq!(value(&browser, "#one .p-region"), "東京都");
    assert_eq!(value(&browser, "#one .p-extended-address"), "");
    focus(&browser, "#several .p-postal-code");
    press(&browser, "100");
    focus(&browser, "#several .p-postal-code[maxlength='4']");
    press(&browser, "0001");
    wait_for_value(&browser, "#several .p-region", "東京都千代田区千代田");
    focus(&browser, "#several [data-daicho=postal-code]");
    press(&browser, "1066801");
    wait_for_value(&browser, "#several [data-daicho=address]", "東京都港区六本木");
    assert_eq!(value(&browser, "#several [data-daicho=building]"), "台帳タワー１階");
    // The plan of this key does not include corporations, and the page shows the error.
    for field in ["corporate-number", "company"] {
        focus(&browser, &format!("#invoice [data-daicho={field}]"));
        press(&browser, "6010001999901");
        browser.wait_for_text("#invoice .told", "plan_too_low");
        browser.script("document.querySelector('#invoice .told').textContent = ''");
        // The same one for each request: a busy machine types so slowly that the field asks twice.
        let mut complaints = browser.complaints();
        complaints.dedup();
        assert!(complaints.len() == 1 && complaints[0].contains("plan_too_low"), "{complaints:?}");
    }
    browser.follow("a[lang=ja]");
    assert!(browser.address().contains("/demo/ja?key=dk_pub_"), "{}", browser.address());
}

#[needs::chromium]
#[test]
fn page_fits_a_phone_and_every_field_has_a_name() {
    let browser = Browser::start();
    let server = ServerProcess::with_snapshots(Some(sample()), &[]);
    for path in ["/demo", "/demo/ja"] {
        for (scheme, width) in [("light", 1200), ("dark", 390), ("light", 320)] {
            browser.set_scheme(scheme);
            browser.set_width(width);
            browser.go(&format!("http://{}{path}?key={}", server.address, server.unbound));
            let wide = "return document.documentElement.scrollWidth > innerWidth";
            assert_eq!(browser.script(wide), false, "{path} at {width}");
            let unnamed = "return [...document.querySelectorAll('input,select,button')].filter((it) => \
                           !(it.labels && it.labels.length) && !it.textContent.trim()).length";
            assert_eq!(browser.script(unnamed), json!(0), "{path}");
            focus(&browser, "#one .p-postal-code");
            press(&browser, "4980000");
            browser.wait_for(".daicho-list:popover-open");
            assert_eq!(browser.script(wide), false, "{path} with the list at {width}");
            browser.picture(&format!("demo{}-{scheme}-{width}", path.replace('/', "-")));
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
