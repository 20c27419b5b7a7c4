//! Fields in the shadow roots of web components.

use serde_json::json;

use super::shop::{ENTER, Shop, focus, press};
use super::suggest::COUNT;
use crate::dashboard::browser::Browser;

/// Adds a shadow root with this content to the first element that matches, as a component does.
fn add_root(browser: &Browser, host: &str, mode: &str, content: &str) {
    // Trusted types of the page forbid `innerHTML`.
    browser.script(&format!(
        "const root = document.querySelector({host}).attachShadow({{ mode: {mode}, delegatesFocus: true }}); \
         for (const [id, word] of {content}) {{ const field = document.createElement('input'); \
         field.id = id; field.setAttribute('data-daicho', word); root.append(field); }} \
         (window.roots ||= []).push(root);",
        host = json!(host),
        mode = json!(mode),
    ));
}

const FIELDS: &str =
    "[['code', 'postal-code'], ['city', 'city'], ['town', 'town'], ['search', 'search']]";

fn value_in(browser: &Browser, root: usize, field: &str) -> String {
    let script = format!("return roots[{root}].querySelector('#{field}').value");
    browser.script(&script).as_str().expect("a value").to_owned()
}

fn focus_in(browser: &Browser, root: usize, field: &str) {
    browser.script(&format!("roots[{root}].querySelector('#{field}').focus()"));
}

#[track_caller]
fn wait_in(browser: &Browser, root: usize, field: &str, expected: &str) {
    browser
        .until(&format!("{expected:?} in {field}"), || value_in(browser, root, field) == expected);
}

#[needs::chromium]
#[test]
fn components_with_a_whole_address_are_blocks() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, "<form><div id=one></div><div id=two></div></form>");
    browser.until("the script", || browser.script("return !!window.daicho") == json!(true));
    add_root(&browser, "#one", "open", FIELDS);
    add_root(&browser, "#two", "open", FIELDS);
    browser.script(COUNT);
    browser.script(
        "window.fills = 0; document.addEventListener('daicho:fill', () => { fills += 1; })",
    );
    focus_in(&browser, 0, "code");
    press(&browser, "1000001");
    wait_in(&browser, 0, "town", "千代田");
    assert_eq!(value_in(&browser, 1, "town"), "");
    assert_eq!(browser.script("return [asked.length, fills]"), json!([1, 1]), "each event once");
    focus_in(&browser, 1, "code");
    press(&browser, "1060032");
    wait_in(&browser, 1, "city", "港区");
    assert_eq!(value_in(&browser, 0, "city"), "千代田区");
    // The list is in the root of the field, where the ids of ARIA work.
    focus_in(&browser, 1, "search");
    press(&browser, "あづま");
    browser.until("the list", || {
        browser.script(
            "const list = roots[1].querySelector('.daicho-list:popover-open'); \
                        return !!list && getComputedStyle(list).position === 'fixed'",
        ) == json!(true)
    });
    press(&browser, &ENTER.to_string());
    wait_in(&browser, 1, "town", "吾妻");
    // Moving within a root closes the list of places, and opens it again where it is needed.
    focus_in(&browser, 0, "code");
    browser.script("roots[0].activeElement.select()");
    press(&browser, "9500102");
    browser.until("the list", || {
        browser.script("return !!roots[0].querySelector('.daicho-list:popover-open')")
            == json!(true)
    });
    focus_in(&browser, 0, "town");
    browser.until("no list", || {
        browser.script("return !roots[0].querySelector('.daicho-list:popover-open')") == json!(true)
    });
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn components_for_one_field_belong_to_the_form_around_them() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(
        &browser,
        "<form><div id=one></div><div id=two></div><input id=town data-daicho=town></form>",
    );
    browser.until("the script", || browser.script("return !!window.daicho") == json!(true));
    add_root(&browser, "#one", "open", "[['code', 'postal-code']]");
    add_root(&browser, "#two", "open", "[['city', 'prefecture city']]");
    focus_in(&browser, 0, "code");
    press(&browser, "1000001");
    wait_in(&browser, 1, "city", "東京都千代田区");
    super::shop::wait_for_value(&browser, "#town", "千代田");
}

#[needs::chromium]
#[test]
fn a_closed_root_works_after_attach() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, "<form><div id=one></div><input id=other></form>");
    browser.until("the script", || browser.script("return !!window.daicho") == json!(true));
    add_root(&browser, "#one", "closed", FIELDS);
    browser.script("daicho.attach(roots[0])");
    focus_in(&browser, 0, "code");
    press(&browser, "1000001");
    wait_in(&browser, 0, "town", "千代田");
    focus(&browser, "#other");
}
