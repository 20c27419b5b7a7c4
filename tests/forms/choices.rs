//! A postal code with several places: the list is used by keyboard and pointer, and the browser's accessibility tree,
//! which screen readers use, describes it.

use serde_json::{Value, json};

use super::shop::{
    DOWN, END, ENTER, ESCAPE, HOME, Shop, TAB, UP, focus, press, retype, said, value,
    wait_for_value,
};
use crate::dashboard::browser::Browser;

const FORM: &str = "<form><label>郵便番号 <input id=code data-daicho=postal-code></label>
  <label>都道府県 <input id=prefecture data-daicho=prefecture></label>
  <label>市区町村 <input id=city data-daicho=city></label>
  <label>町域 <input id=town data-daicho=town></label><button>送信</button></form>";

const LIST: &str = ".daicho-list:popover-open";

fn active(browser: &Browser) -> Value {
    browser.script(
        "const id = document.activeElement.getAttribute('aria-activedescendant'); \
         return id && document.getElementById(id).textContent",
    )
}

/// Types a code with several places and waits for the list.
fn open_choices(browser: &Browser, code: &str) {
    focus(browser, "#code");
    press(browser, code);
    browser.wait_for(LIST);
}

#[needs::chromium]
#[test]
fn places_of_a_code_are_chosen_by_keyboard() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    open_choices(&browser, "4980000");
    assert_eq!(value(&browser, "#prefecture"), "", "the two places have different prefectures");
    let texts = browser.script(
        "return [...document.querySelectorAll('[role=option]')].map((it) => it.textContent)",
    );
    assert_eq!(texts, json!(["愛知県弥富市", "三重県桑名郡木曽岬町"]));
    assert!(said(&browser).contains("2件"), "{}", said(&browser));
    assert_eq!(active(&browser), Value::Null, "no option is active before an arrow key");
    for (key, expected) in [
        (DOWN, "愛知県弥富市"),
        (DOWN, "三重県桑名郡木曽岬町"),
        (DOWN, "愛知県弥富市"),
        (UP, "三重県桑名郡木曽岬町"),
        (HOME, "愛知県弥富市"),
        (END, "三重県桑名郡木曽岬町"),
    ] {
        press(&browser, &key.to_string());
        assert_eq!(active(&browser), expected);
    }
    press(&browser, &ENTER.to_string());
    wait_for_value(&browser, "#city", "桑名郡木曽岬町");
    assert_eq!(value(&browser, "#prefecture"), "三重県");
    assert_eq!(value(&browser, "#code"), "4980000");
    assert!(!browser.has(LIST));
    assert!(!browser.address().contains('?'), "Enter in the list does not submit the form");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn escape_closes_the_list_arrows_open_it_and_tab_chooses() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    open_choices(&browser, "4980000");
    press(&browser, &ESCAPE.to_string());
    assert!(!browser.has(LIST));
    assert_eq!(value(&browser, "#code"), "4980000");
    press(&browser, &format!("{DOWN}{DOWN}"));
    assert_eq!(
        active(&browser),
        "愛知県弥富市",
        "the first arrow key opens the list, the second moves"
    );
    press(&browser, &TAB.to_string());
    wait_for_value(&browser, "#prefecture", "愛知県");
    assert_eq!(browser.script("return document.activeElement.id"), "prefecture");
    // If no option is active, Tab moves to the next field. The list opens again in a field that it would fill.
    retype(&browser, "#code", "9500102");
    browser.wait_for(LIST);
    press(&browser, &TAB.to_string());
    assert!(!browser.has(LIST), "the places share the prefecture, which is filled");
    assert_eq!(value(&browser, "#prefecture"), "新潟県");
    press(&browser, &TAB.to_string());
    browser.wait_for(LIST);
    press(&browser, &format!("{UP}{ENTER}"));
    wait_for_value(&browser, "#city", "新潟市江南区");
    // Enter submits the form while the list is closed.
    focus(&browser, "#code");
    press(&browser, &ENTER.to_string());
    browser.until("the form to be submitted", || browser.address().contains('?'));
}

#[needs::chromium]
#[test]
fn a_place_is_chosen_by_pointer_and_a_new_code_closes_the_list() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    open_choices(&browser, "9500102");
    assert_eq!(value(&browser, "#town"), "細山", "the places share the town");
    assert_eq!(value(&browser, "#city"), "");
    retype(&browser, "#code", "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert!(!browser.has(LIST));
    retype(&browser, "#code", "4980000");
    browser.wait_for(LIST);
    assert_eq!(value(&browser, "#town"), "", "the town of the code before is removed");
    browser.click(&format!("{LIST} > li:nth-child(2)"));
    wait_for_value(&browser, "#city", "桑名郡木曽岬町");
    assert_eq!(browser.script("return document.activeElement.id"), "code");
    // Three businesses have the same address, so no list opens.
    retype(&browser, "#code", "1008798");
    wait_for_value(&browser, "#town", "大手町２丁目２－１（新台帳ビル）");
    assert!(!browser.has(LIST));
}

#[needs::chromium]
#[test]
fn a_late_answer_opens_its_list_only_in_a_field_that_it_would_fill() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    // Holds the answer back until the focus has left the field of the code.
    browser.script(
        "const real = fetch; window.fetch = async (...all) => { \
         await new Promise((go) => { window.answer = go; }); return real(...all); }",
    );
    focus(&browser, "#code");
    press(&browser, "9500102");
    focus(&browser, "#prefecture");
    browser.script("answer()");
    wait_for_value(&browser, "#town", "細山");
    assert!(!browser.has(LIST));
    assert!(said(&browser).contains("2件"), "{}", said(&browser));
    focus(&browser, "#city");
    browser.wait_for(LIST);
    press(&browser, &format!("{DOWN}{ENTER}"));
    wait_for_value(&browser, "#city", "新潟市北区");
}

#[needs::chromium]
#[test]
fn a_screen_reader_gets_the_field_and_the_list() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.wait_for("#code[role=combobox]");
    let closed = node(&browser, "combobox", "郵便番号");
    assert_eq!(property(&closed, "expanded"), false);
    assert_eq!(property(&closed, "hasPopup"), "listbox");
    assert_eq!(property(&closed, "autocomplete"), "list");
    open_choices(&browser, "4980000");
    press(&browser, &DOWN.to_string());
    let open = node(&browser, "combobox", "郵便番号");
    assert_eq!(property(&open, "expanded"), true);
    node(&browser, "listbox", "候補");
    let first = node(&browser, "option", "愛知県弥富市");
    assert_eq!(property(&first, "selected"), true);
    let other = node(&browser, "option", "三重県桑名郡木曽岬町");
    assert_eq!(property(&other, "selected"), false);
    let descendant = &open["properties"].as_array().expect("a list").clone();
    let named = descendant.iter().find(|it| it["name"] == "activedescendant").expect("named");
    assert_eq!(named["value"]["relatedNodes"][0]["backendDOMNodeId"], first["backendDOMNodeId"]);
    node(&browser, "status", "");
}

/// A node of the accessibility tree.
#[track_caller]
pub fn node(browser: &Browser, role: &str, name: &str) -> Value {
    browser.chromium("Accessibility.enable", &json!({}));
    let tree = browser.chromium("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("a tree").clone();
    let found = nodes.iter().find(|node| {
        node["ignored"] == false && node["role"]["value"] == role && node["name"]["value"] == name
    });
    found.unwrap_or_else(|| panic!("no {role} {name:?} in {nodes:#?}")).clone()
}

pub fn property(node: &Value, name: &str) -> Value {
    let properties = node["properties"].as_array().expect("properties");
    let found = properties.iter().find(|property| property["name"] == name);
    found.map(|property| property["value"]["value"].clone()).unwrap_or_default()
}

#[needs::chromium]
#[test]
fn list_stays_within_the_window_of_a_phone_and_works_in_a_dialog() {
    let browser = Browser::start();
    let shop = Shop::open();
    let form = "<dialog><form><input id=code data-daicho=postal-code><input id=city data-daicho=address>\
                </form></dialog>";
    shop.show(&browser, form);
    browser.set_width(320);
    browser.script("document.querySelector('dialog').showModal()");
    open_choices(&browser, "4980000");
    let inside = browser.script(
        "const list = document.querySelector('.daicho-list').getBoundingClientRect(); \
         return list.left >= 0 && list.right <= innerWidth && list.bottom <= innerHeight \
           && document.documentElement.scrollWidth <= innerWidth",
    );
    assert_eq!(inside, true);
    browser.picture("forms-dialog-320");
    browser.click(&format!("{LIST} > li"));
    browser.until("an address", || value(&browser, "#city") == "愛知県弥富市");
    // Escape closes the list but not the dialog.
    retype(&browser, "#code", "9500102");
    browser.wait_for(LIST);
    press(&browser, &ESCAPE.to_string());
    assert!(!browser.has(LIST) && browser.has("dialog[open]"));
}
