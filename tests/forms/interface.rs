//! The functions and events for scripts of the page, from the `<script>` tag and from the module.

use serde_json::json;

use super::shop::{Shop, focus, press, value, wait_for_value};
use crate::dashboard::browser::Browser;

/// Runs an expression, waits for its promise and returns `{made: value}` or `{error: name and code}`.
fn result(browser: &Browser, expression: &str) -> serde_json::Value {
    browser.script(&format!(
        "window.result = undefined; Promise.resolve().then(() => ({expression})).then(\
         (made) => {{ result = {{ made }} }}, (error) => {{ result = {{ error: `${{error.name}} ${{error.code}}` }} }})"
    ));
    browser.until(expression, || browser.script("return result !== undefined") == json!(true));
    browser.script("return result")
}

#[needs::chromium]
#[test]
fn functions_look_up_and_fill() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, "<form><input id=code data-daicho=postal-code><input id=address data-daicho=address></form>");
    browser.until("the script", || browser.script("return !!window.daicho") == json!(true));
    let places =
        "daicho.lookup('〒100-0001').then((all) => all.map((it) => [it.label, it.parts.town]))";
    assert_eq!(result(&browser, places), json!({"made": [["東京都千代田区千代田", "千代田"]]}));
    for none in ["daicho.lookup('9999999')", "daicho.lookup('100')", "daicho.lookup('')"] {
        assert_eq!(result(&browser, none), json!({"made": []}), "{none}");
    }
    let filled = "daicho.fill(document.querySelector('form'), '1060032').then((all) => all.length)";
    assert_eq!(result(&browser, filled), json!({"made": 1}));
    assert_eq!(value(&browser, "#address"), "東京都港区六本木");
    let from_fields = "(document.querySelector('#code').value = '1000001', \
                       daicho.fill(document.querySelector('#address')).then((all) => all[0].label))";
    assert_eq!(result(&browser, from_fields), json!({"made": "東京都千代田区千代田"}));
    assert_eq!(value(&browser, "#address"), "東京都千代田区千代田");
    // The plan of this key does not include corporations.
    let refused = result(&browser, "daicho.corporation('6010001999901')");
    assert_eq!(refused, json!({"error": "DaichoError plan_too_low"}));
    assert_eq!(result(&browser, "daicho.corporation('1')"), json!({"made": null}));
    let ended = "daicho.lookup('1560043', { signal: AbortSignal.abort() })";
    assert_eq!(result(&browser, ended), json!({"error": "AbortError 20"}));
}

#[needs::chromium]
#[test]
fn an_error_is_an_event_and_nothing_is_filled() {
    let browser = Browser::start();
    let shop = Shop::open();
    let form =
        "<form><input id=code data-daicho=postal-code><input id=town data-daicho=town></form>";
    let wrong = shop.served.unbound.replace("dk_pub_", "dk_pub_a");
    shop.show_page(&browser, &shop.tag_with(&wrong), form);
    browser.script(
        "window.seen = []; document.addEventListener('daicho:error', ({ detail }) => \
         seen.push([detail.error.status, detail.error.code]))",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    browser.until("an error", || browser.script("return seen.length") == json!(1));
    assert_eq!(browser.script("return seen"), json!([[401, "invalid_key"]]));
    assert_eq!(value(&browser, "#town"), "");
    // With a valid key the same page works.
    browser.script(&format!("daicho.configure({{ key: '{}' }})", shop.served.unbound));
    press(&browser, "\u{e003}1");
    wait_for_value(&browser, "#town", "千代田");
}

#[needs::chromium]
#[test]
fn module_is_imported_and_started_by_the_page() {
    let browser = Browser::start();
    let shop = Shop::open();
    // The page's policy forbids scripts of its own, so the test runs the import.
    shop.show_page(
        &browser,
        "",
        "<form><input id=code data-daicho=postal-code><input id=town data-daicho=town></form>",
    );
    let import = format!(
        "import('http://{}/js/daicho.mjs').then((all) => {{ all.start({{ key: '{}' }}); \
         return [all.default.fill === all.fill, typeof all.lookup, typeof window.daicho] }})",
        shop.served.address, shop.served.unbound
    );
    assert_eq!(result(&browser, &import), json!({"made": [true, "function", "undefined"]}));
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
