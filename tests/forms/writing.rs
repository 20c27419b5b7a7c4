//! Input methods: a composed code is looked up as soon as it is complete, and the script ignores keys that the input
//! method handles.

use serde_json::json;

use super::shop::{Shop, focus, value, wait_for_value};
use crate::dashboard::browser::Browser;

const FORM: &str = "<form><input id=code data-daicho=postal-code><input id=city data-daicho=city>
  <input id=town data-daicho=town></form>";

/// Sets the composed text, as an input method does before the text is committed.
pub fn compose(browser: &Browser, text: &str) {
    let length = text.encode_utf16().count();
    let composition = json!({"text": text, "selectionStart": length, "selectionEnd": length});
    browser.chromium("Input.imeSetComposition", &composition);
}

pub fn settle(browser: &Browser, text: &str) {
    browser.chromium("Input.insertText", &json!({"text": text}));
}

/// Presses a key that the input method handles; Chromium reports it to pages with key code 229.
fn press_for_the_method(browser: &Browser, key: &str) {
    for kind in ["rawKeyDown", "keyUp"] {
        let event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": 229});
        browser.chromium("Input.dispatchKeyEvent", &event);
    }
}

#[needs::chromium]
#[test]
fn full_width_digits_fill_during_composition_with_one_request() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(
        "window.asked = []; const real = fetch; \
         window.fetch = (url, ...rest) => { asked.push(url.split('?')[0].split('/').pop()); return real(url, ...rest); }",
    );
    focus(&browser, "#code");
    for text in ["１", "１０", "１００", "１０００", "１００００", "１０００００"]
    {
        compose(&browser, text);
    }
    assert_eq!(browser.script("return asked"), json!([]));
    compose(&browser, "１０００００１");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(
        value(&browser, "#code"),
        "１０００００１",
        "the script does not change composed text"
    );
    settle(&browser, "１０００００１");
    assert_eq!(value(&browser, "#code"), "１０００００１");
    assert_eq!(browser.script("return asked"), json!(["1000001"]));
}

#[needs::chromium]
#[test]
fn keys_of_the_input_method_do_not_move_in_the_list() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#code");
    compose(&browser, "４９８００００");
    browser.wait_for(".daicho-list:popover-open");
    for key in ["ArrowDown", "Enter", "Process"] {
        press_for_the_method(&browser, key);
    }
    let active = "return document.activeElement.getAttribute('aria-activedescendant')";
    assert_eq!(browser.script(active), json!(null));
    assert!(browser.has(".daicho-list:popover-open"));
    assert_eq!(value(&browser, "#city"), "");
}

#[needs::chromium]
#[test]
fn composed_text_of_a_person_stays() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#town");
    compose(&browser, "ちよだ");
    settle(&browser, "千代田一番");
    focus(&browser, "#code");
    settle(&browser, "1000001");
    wait_for_value(&browser, "#city", "千代田区");
    assert_eq!(value(&browser, "#town"), "千代田一番");
}
