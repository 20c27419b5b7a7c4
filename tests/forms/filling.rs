//! Which fields the script fills, and which values of a person or a page it keeps.

use serde_json::json;

use super::shop::{DOWN, Shop, UP, focus, press, retype, said, value, wait_for_value};
use crate::dashboard::browser::Browser;

const FORM: &str = "<form>
  <input id=code data-daicho=postal-code>
  <input id=prefecture data-daicho=prefecture>
  <input id=city data-daicho=city>
  <input id=town data-daicho=town>
  <input id=building data-daicho=building>
  <input id=kana data-daicho=address-kana>
</form>";

#[needs::chromium]
#[test]
fn a_code_fills_the_parts_and_edited_fields_keep_their_text() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#code");
    press(&browser, "100-0001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(value(&browser, "#code"), "100-0001", "the code stays as it was typed");
    assert_eq!(value(&browser, "#prefecture"), "東京都");
    assert_eq!(value(&browser, "#city"), "千代田区");
    assert_eq!(value(&browser, "#building"), "");
    assert_eq!(value(&browser, "#kana"), "トウキョウトチヨダクチヨダ");
    // Another code replaces what the script wrote, and keeps what the person has added behind it.
    retype(&browser, "#town", "千代田1-1");
    retype(&browser, "#code", "1066801");
    wait_for_value(&browser, "#city", "港区");
    assert_eq!(value(&browser, "#town"), "六本木1-1");
    assert_eq!(value(&browser, "#building"), "台帳タワー１階");
    assert_eq!(value(&browser, "#kana"), "トウキョウトミナトクロッポンギ");
    assert!(
        said(&browser).contains("追記された部分はそのまま残しました: 1-1"),
        "{}",
        said(&browser)
    );
    // A field that the person has emptied is filled again.
    retype(&browser, "#town", "");
    retype(&browser, "#code", "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(value(&browser, "#building"), "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn an_unknown_code_removes_filled_values_and_an_incomplete_one_does_not() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(
        "window.seen = []; document.addEventListener('daicho:none', (event) => seen.push(event.detail.code))",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    press(&browser, "\u{e003}");
    assert_eq!(value(&browser, "#code"), "100000");
    assert_eq!(value(&browser, "#town"), "千代田");
    retype(&browser, "#city", "千代田区です");
    retype(&browser, "#code", "9999999");
    wait_for_value(&browser, "#town", "");
    assert_eq!(value(&browser, "#prefecture"), "");
    assert_eq!(value(&browser, "#city"), "です");
    assert_eq!(browser.script("return seen"), json!(["9999999"]));
    assert_eq!(said(&browser), "該当するものがありません。");
}

#[needs::chromium]
#[test]
fn values_of_the_page_stay_and_readonly_fields_follow_the_code() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(
        &browser,
        "<form><input id=code data-daicho=postal-code>
         <input id=prefecture data-daicho=prefecture value=大阪府 readonly>
         <input id=city data-daicho=city value=大阪市>
         <select id=first data-daicho=prefecture><option>北海道<option>東京都</select>
         <select id=given data-daicho=prefecture><option>東京都<option selected>大阪府</select>
         <select id=touched data-daicho=prefecture><option>大阪府<option>東京都</select>
         <textarea id=town data-daicho=town></textarea><output id=out data-daicho=address></output></form>",
    );
    focus(&browser, "#touched");
    press(&browser, &format!("{DOWN}{UP}"));
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(value(&browser, "#prefecture"), "東京都");
    assert_eq!(value(&browser, "#city"), "大阪市");
    assert_eq!(value(&browser, "#first"), "東京都", "the first option is only the default");
    assert_eq!(value(&browser, "#given"), "大阪府");
    assert_eq!(value(&browser, "#touched"), "大阪府", "a person chose the first option again");
    assert_eq!(value(&browser, "#out"), "東京都千代田区千代田");
}

#[needs::chromium]
#[test]
fn each_block_fills_its_own_fields_even_if_it_is_added_later() {
    let browser = Browser::start();
    let shop = Shop::open();
    let block = |name: &str| {
        format!(
            "<div id={name} data-daicho-block><input class=code data-daicho=postal-code>\
             <input class=address data-daicho=address></div>"
        )
    };
    let body = format!("<form>{}{}</form><main></main>", block("one"), block("two"));
    shop.show(&browser, &body);
    focus(&browser, "#two .code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#two .address", "東京都千代田区千代田");
    assert_eq!(value(&browser, "#one .address"), "");
    focus(&browser, "#one .code");
    press(&browser, "1060032");
    wait_for_value(&browser, "#one .address", "東京都港区六本木");
    assert_eq!(value(&browser, "#two .address"), "東京都千代田区千代田");
    let add = "const block = document.querySelector('#one').cloneNode(true); block.id = 'three'; \
               for (const field of block.querySelectorAll('input')) field.value = ''; \
               document.querySelector('main').append(block)";
    browser.script(add);
    focus(&browser, "#three .code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#three .address", "東京都千代田区千代田");
    assert_eq!(value(&browser, "#one .address"), "東京都港区六本木");
}

#[needs::chromium]
#[test]
fn frameworks_get_events_for_filled_fields() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    // Frameworks replace the setter of `value` to track it, and ignore an event if the tracked value has not changed.
    browser.script(
        "const field = document.querySelector('#town'); window.known = field.value; window.events = [];
         const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
         Object.defineProperty(field, 'value', { configurable: true, get() { return own.get.call(this); },
           set(text) { known = text; own.set.call(this, text); } });
         for (const type of ['input', 'change'])
           document.body.addEventListener(type, (event) => {
             if (event.target !== field || field.value === known) return;
             if (type === 'change') known = field.value;
             events.push([type, field.value]); });",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(browser.script("return events"), json!([["input", "千代田"], ["change", "千代田"]]));
}

#[needs::chromium]
#[test]
fn a_corporate_number_fills_name_and_address() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show_page(
        &browser,
        &shop.tag_with(&shop.premium_key()),
        "<form><input id=number data-daicho=corporate-number><input id=name data-daicho=company>
         <input id=kana data-daicho=company-kana><input id=code data-daicho=postal-code maxlength=8>
         <input id=address data-daicho=address><input id=invoice data-daicho=invoice-number></form>",
    );
    focus(&browser, "#number");
    press(&browser, "6010001999901");
    wait_for_value(&browser, "#name", "株式会社台帳");
    assert_eq!(value(&browser, "#kana"), "ダイチョウ");
    assert_eq!(value(&browser, "#code"), "100-0004");
    assert_eq!(value(&browser, "#address"), "東京都千代田区大手町１丁目２番３号台帳ビル４階");
    assert_eq!(value(&browser, "#invoice"), "T6010001999901");
    assert!(!said(&browser).contains("そのまま"), "{}", said(&browser));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
