//! Suggestions of corporations while a person types a name.

use serde_json::json;

use super::choices::{node, property};
use super::shop::{
    BACKSPACE, DOWN, ENTER, Shop, focus, press, retype, said, value, wait_for_value,
};
use super::suggest::{COUNT, LIST, choose, labels};
use super::writing::{compose, settle};
use crate::dashboard::browser::Browser;

const INVOICE: &str = "<form><label>取引先 <input id=name data-daicho=company></label>
  <input id=kana data-daicho=company-kana><input id=number data-daicho=corporate-number>
  <input id=code data-daicho=postal-code maxlength=8><input id=area data-daicho='prefecture city'>
  <input id=town data-daicho=town><input id=invoice data-daicho=invoice-number readonly></form>";

/// Records the path of every request in `window.paths`.
const PATHS: &str = "window.paths = []; const real = fetch; window.fetch = (url, ...rest) => { \
                     paths.push(new URL(url).pathname); return real(url, ...rest); }";

fn show(shop: &Shop, browser: &Browser) {
    shop.show_page(browser, &shop.tag_with(&shop.premium_key()), INVOICE);
}

#[needs::chromium]
#[test]
fn corporation_is_chosen_from_its_reading_and_fills_the_block() {
    let browser = Browser::start();
    let shop = Shop::open();
    show(&shop, &browser);
    browser.wait_for("#name[role=combobox][autocomplete=off]");
    browser.script(PATHS);
    focus(&browser, "#name");
    press(&browser, "daicho");
    choose(&browser, "株式会社台帳");
    wait_for_value(&browser, "#number", "6010001999901");
    assert_eq!(value(&browser, "#name"), "株式会社台帳");
    assert_eq!(value(&browser, "#kana"), "ダイチョウ");
    assert_eq!(value(&browser, "#code"), "100-0004");
    assert_eq!(value(&browser, "#area"), "東京都千代田区");
    assert_eq!(value(&browser, "#town"), "大手町１丁目２番３号台帳ビル４階");
    assert_eq!(
        value(&browser, "#invoice"),
        "T6010001999901",
        "from a look-up: suggestions have no invoice number"
    );
    assert!(said(&browser).contains("株式会社台帳"), "{}", said(&browser));
    // Text that the person adds after the name starts no request.
    press(&browser, "　経理部");
    assert_eq!(value(&browser, "#name"), "株式会社台帳　経理部");
    assert!(!browser.has(LIST));
    let asked = json!(["/v1/suggest/corporation", "/v1/houjinbangou/6010001999901"]);
    assert_eq!(browser.script("return paths"), asked);
    // Another corporation replaces the values of the first one.
    retype(&browser, "#name", "台帳北");
    choose(&browser, "株式会社台帳北海道");
    wait_for_value(&browser, "#number", "5430001999901");
    assert_eq!(value(&browser, "#area"), "東京都港区");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn typed_values_stay_when_a_corporation_is_chosen() {
    let browser = Browser::start();
    let shop = Shop::open();
    show(&shop, &browser);
    retype(&browser, "#town", "わたしの町一番");
    retype(&browser, "#name", "台帳存");
    choose(&browser, "株式会社台帳存続");
    wait_for_value(&browser, "#number", "1010001999906");
    assert_eq!(value(&browser, "#town"), "わたしの町一番");
    assert!(said(&browser).contains("入力済みの欄はそのままにしました"), "{}", said(&browser));
    // A typed name stays when a number is looked up.
    retype(&browser, "#name", "わたしの会社");
    retype(&browser, "#number", "6010001999901");
    wait_for_value(&browser, "#kana", "ダイチョウ");
    assert_eq!(value(&browser, "#name"), "わたしの会社");
}

#[needs::chromium]
#[test]
fn closed_corporations_are_last_and_marked_for_screen_readers() {
    let browser = Browser::start();
    let shop = Shop::open();
    show(&shop, &browser);
    let note = |label: &str| {
        let at = labels(&browser).iter().position(|it| it == label).expect("in the list");
        browser.script(&format!(
            "return document.querySelectorAll('{LIST} > li')[{at}].querySelector('small').textContent.trim()"
        ))
    };
    focus(&browser, "#name");
    press(&browser, "台帳合");
    browser.wait_for(&format!("{LIST} > li"));
    assert_eq!(labels(&browser).last().map(String::as_str), Some("台帳合併株式会社"));
    assert_eq!(note("台帳合併株式会社"), "東京都千代田区（閉鎖）");
    assert_eq!(note("台帳合名会社"), "東京都千代田区");
    press(&browser, &DOWN.to_string());
    let field = node(&browser, "combobox", "取引先");
    assert_eq!(property(&field, "expanded"), true);
    let first = labels(&browser).swap_remove(0);
    let chosen = node(&browser, "option", &format!("{first} 東京都千代田区"));
    assert_eq!(property(&chosen, "selected"), true);
    let closed = node(&browser, "option", "台帳合併株式会社 東京都千代田区（閉鎖）");
    assert_eq!(property(&closed, "selected"), false);
    browser.script("document.documentElement.lang = 'en'");
    retype(&browser, "#name", "台帳清");
    browser.until("the suggestions for the new text", || labels(&browser) == ["株式会社台帳清算"]);
    assert_eq!(note("株式会社台帳清算"), "東京都千代田区 (closed)");
    press(&browser, &format!("{DOWN}{ENTER}"));
    wait_for_value(&browser, "#number", "3010001999904");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn names_are_searched_during_composition_and_also_by_number() {
    let browser = Browser::start();
    let shop = Shop::open();
    show(&shop, &browser);
    browser.script(COUNT);
    focus(&browser, "#name");
    compose(&browser, "だいちょうｈ");
    browser.wait_for(&format!("{LIST} > li"));
    assert_eq!(browser.script("return asked"), json!(["だいちょう"]));
    settle(&browser, "台帳北");
    choose(&browser, "株式会社台帳北海道");
    wait_for_value(&browser, "#number", "5430001999901");
    // A whole corporate number in the name field finds its corporation.
    retype(&browser, "#name", "6010001999901");
    choose(&browser, "株式会社台帳");
    wait_for_value(&browser, "#name", "株式会社台帳");
    wait_for_value(&browser, "#number", "6010001999901");
    retype(&browser, "#name", "1");
    assert!(!browser.has(LIST));
    press(&browser, &format!("{BACKSPACE}存在しない会社の名前"));
    browser.until("the announcement that nothing was found", || {
        said(&browser) == "該当するものがありません。"
    });
    assert_eq!(value(&browser, "#number"), "6010001999901", "nothing was chosen");
}
