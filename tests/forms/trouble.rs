//! What a person and the page's developer see if the server does not answer, or refuses the key of the page.

use serde_json::json;

use super::kept::wait_for_note;
use super::shop::{Shop, focus, press, value, wait_for_value};
use crate::dashboard::browser::Browser;
use crate::support::SHOP;

const FORM: &str = "<form><input id=code data-daicho=postal-code><input id=town data-daicho=town>
  <input id=search data-daicho=search></form>";

const ERRORS: &str = "window.seen = []; document.addEventListener('daicho:error', ({ detail }) => \
                      seen.push([detail.error.status, detail.error.code, detail.error.message]))";

#[needs::chromium]
#[test]
fn a_hanging_server_is_told_after_two_and_after_ten_seconds() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(ERRORS);
    // The process takes connections and answers nothing.
    shop.served.signal(rustix::process::Signal::STOP);
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_note(&browser, "問い合わせています");
    wait_for_note(&browser, "応答がありません");
    let seen = browser.script("return seen");
    assert_eq!((&seen[0][0], &seen[0][1]), (&json!(0), &json!("timeout")), "{seen}");
    assert!(seen[0][2].to_string().contains("within 10 seconds"), "{seen}");
    // Leaving the field does not ask again.
    focus(&browser, "#town");
    assert_eq!(browser.script("return seen.length"), json!(1));
    focus(&browser, "#search");
    press(&browser, "あづま");
    wait_for_note(&browser, "応答がありません");
    shop.served.signal(rustix::process::Signal::CONT);
    focus(&browser, "#code");
    press(&browser, "\u{e003}1");
    wait_for_value(&browser, "#town", "千代田");
}

#[needs::chromium]
#[test]
fn an_answer_that_stops_halfway_is_too_late_as_well() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(ERRORS);
    browser.script(
        "window.fetch = async (url, { signal }) => new Response(new ReadableStream({ start(stream) { \
         stream.enqueue(new TextEncoder().encode('{')); \
         signal.addEventListener('abort', () => stream.error(signal.reason)); } }))",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_note(&browser, "応答がありません");
    assert_eq!(browser.script("return seen[0][1]"), json!("timeout"));
}

#[needs::chromium]
#[test]
fn a_stopped_server_is_told() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(ERRORS);
    browser.script("window.fetch = async () => { throw new TypeError('Failed to fetch') }");
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_note(&browser, "自動入力できませんでした");
    let seen = browser.script("return seen[0].slice(0, 2)");
    assert_eq!(seen, json!([0, ""]));
    // An answer that is not JSON, as of a proxy.
    browser.script("window.fetch = async () => new Response('<html>')");
    press(&browser, "\u{e003}1");
    browser.until("a second error", || browser.script("return seen.length") == json!(2));
    assert!(browser.script("return seen[1][2]").to_string().contains("expected JSON"));
}

#[needs::chromium]
#[test]
fn a_secret_key_is_refused_and_never_sent() {
    let browser = Browser::start();
    let shop = Shop::open();
    for key in [shop.served.secret.clone(), format!(" {}", shop.served.secret.to_uppercase())] {
        shop.show_page(&browser, &shop.tag_with(&key), FORM);
        browser.script(ERRORS);
        browser.script(
            "window.sent = []; const real = fetch; \
             window.fetch = (url, ...rest) => { sent.push(url); return real(url, ...rest); }",
        );
        focus(&browser, "#code");
        press(&browser, "1000001");
        wait_for_note(&browser, "found a secret key");
        assert_eq!(browser.script("return [sent, seen[0][1]]"), json!([[], "secret_key_in_page"]));
        assert_eq!(value(&browser, "#town"), "");
        let complaints = browser.complaints().join("\n");
        assert!(complaints.contains("revoke it"), "{complaints}");
        assert!(!complaints.contains(shop.served.secret.as_str()), "the key is not repeated");
    }
    // A public key that the page's script sets later works.
    browser.script(&format!("daicho.configure({{ key: '{}' }})", shop.served.unbound));
    press(&browser, "\u{e003}1");
    wait_for_value(&browser, "#town", "千代田");
}

#[needs::chromium]
#[test]
fn an_origin_that_the_key_does_not_allow_is_named() {
    let browser = Browser::start();
    let shop = Shop::open();
    // The key of another shop: the server lets this page read the error, because another key allows its origin.
    shop.show_page(&browser, &shop.tag_with(&shop.served.public), FORM);
    browser.script(ERRORS);
    let origin = browser.script("return location.origin").as_str().expect("an origin").to_owned();
    assert_ne!(origin, SHOP);
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_note(&browser, &origin);
    let seen = browser.script("return seen[0]");
    assert_eq!(seen[1], "origin_not_allowed", "{seen}");
    let message = seen[2].as_str().expect("a text");
    assert!(message.contains(&format!("found \"{origin}\"")), "{message}");
    // Where no key allows the origin of the page, the browser hides the error.
    browser.script(
        "const real = fetch; window.fetch = (url, options) => options.mode === 'no-cors' \
         ? real(url, options) : Promise.reject(new TypeError('Failed to fetch'))",
    );
    press(&browser, "\u{e003}1");
    browser.until("a second error", || browser.script("return seen.length") == json!(2));
    let seen = browser.script("return seen[1]");
    assert_eq!((&seen[0], &seen[1]), (&json!(0), &json!("origin_not_allowed")), "{seen}");
    wait_for_note(&browser, &format!("not to pages of {origin}"));
}
