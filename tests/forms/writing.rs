//! Input methods: a code that is composed counts once it is complete, and keys of the method are its own.

use serde_json::json;

use super::browser::Browser;
use super::shop::{Shop, focus, value, wait_for_value};

const FORM: &str = "<form><input id=code data-daicho=postal-code><input id=city data-daicho=city>
  <input id=town data-daicho=town></form>";

/// Shows a text as an input method does before it is settled.
pub fn compose(browser: &Browser, text: &str) {
    let length = text.encode_utf16().count();
    let composition = json!({"text": text, "selectionStart": length, "selectionEnd": length});
    browser.chromium("Input.imeSetComposition", &composition);
}

pub fn settle(browser: &Browser, text: &str) {
    browser.chromium("Input.insertText", &json!({"text": text}));
}

/// A key that the input method takes, as Chromium tells pages of it.
fn press_for_the_method(browser: &Browser, key: &str) {
    for kind in ["rawKeyDown", "keyUp"] {
        let event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": 229});
        browser.chromium("Input.dispatchKeyEvent", &event);
    }
}

#[test]
fn full_width_digits_fill_while_they_are_composed_and_are_asked_for_once() {
    let Some(browser) = Browser::start() else { return };
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
    assert_eq!(value(&browser, "#code"), "１０００００１", "the method goes on with its text");
    settle(&browser, "１０００００１");
    assert_eq!(value(&browser, "#code"), "１０００００１");
    assert_eq!(browser.script("return asked"), json!(["1000001"]));
}

#[test]
fn keys_of_the_method_move_nothing_in_the_list() {
    let Some(browser) = Browser::start() else { return };
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

#[test]
fn what_was_composed_by_a_person_stays() {
    let Some(browser) = Browser::start() else { return };
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
