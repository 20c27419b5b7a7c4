//! What the script replaces and keeps when a code changes: the text that a person has added stays behind the new one, and
//! the page shows what was kept. What came with a code goes with it.

use serde_json::json;

use super::shop::{ENTER, Shop, focus, press, retype, said, value, wait_for_value};
use super::suggest::{LIST, choose, labels};
use crate::dashboard::browser::Browser;

const FORM: &str =
    "<form><input id=code data-daicho=postal-code><input id=prefecture data-daicho=prefecture>
  <input id=city data-daicho=city><input id=town data-daicho=town><button>送信</button></form>";

/// The text of the note that the page shows, or an empty one.
pub fn noted(browser: &Browser) -> String {
    let script = "const note = document.querySelector('.daicho-note:popover-open'); \
                  const box = note && note.getBoundingClientRect(); \
                  return box && box.width && box.top >= 0 ? note.textContent : ''";
    browser.script(script).as_str().expect("a text").to_owned()
}

#[track_caller]
pub fn wait_for_note(browser: &Browser, part: &str) {
    browser.until(&format!("a note with {part:?}"), || noted(browser).contains(part));
    assert_eq!(said(browser), noted(browser), "screen readers get the same text");
}

#[needs::chromium]
#[test]
fn added_text_stays_behind_the_new_town_and_is_shown() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(
        "window.kept = []; document.addEventListener('daicho:fill', ({ detail }) => \
         kept.push(detail.kept.map((field) => field.id)))",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(noted(&browser), "", "nothing was kept yet");
    focus(&browser, "#town");
    browser.script("document.activeElement.setSelectionRange(99, 99)");
    press(&browser, "1-1 皇居");
    retype(&browser, "#code", "1060032");
    wait_for_value(&browser, "#town", "六本木1-1 皇居");
    assert_eq!(value(&browser, "#city"), "港区");
    wait_for_note(&browser, "1-1 皇居");
    // The same code again changes nothing, and an unknown one takes only the text of the script.
    retype(&browser, "#code", "1060032");
    browser.until("the note of the code before to go", || noted(&browser).is_empty());
    assert_eq!(value(&browser, "#town"), "六本木1-1 皇居");
    retype(&browser, "#code", "9999999");
    wait_for_value(&browser, "#town", "1-1 皇居");
    retype(&browser, "#code", "1000001");
    wait_for_value(&browser, "#town", "千代田1-1 皇居");
    // A text that does not begin with that of the script is the person's own.
    retype(&browser, "#town", "わたしの町");
    retype(&browser, "#code", "1060032");
    wait_for_value(&browser, "#city", "港区");
    assert_eq!(value(&browser, "#town"), "わたしの町");
    wait_for_note(&browser, "わたしの町");
    let kept = browser.script("return kept.filter((ids) => ids.length)");
    assert!(
        kept.as_array().is_some_and(|all| all.iter().all(|ids| *ids == json!(["town"]))),
        "{kept}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn added_text_stays_when_a_place_is_chosen_from_the_list() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#city", "千代田区");
    focus(&browser, "#city");
    browser.script("document.activeElement.setSelectionRange(99, 99)");
    press(&browser, "（仮）");
    retype(&browser, "#code", "9500102");
    browser.wait_for(LIST);
    assert_eq!(value(&browser, "#city"), "（仮）", "the places differ in the city");
    choose(&browser, "新潟県新潟市江南区細山");
    wait_for_value(&browser, "#city", "新潟市江南区（仮）");
    wait_for_note(&browser, "（仮）");
}

#[needs::chromium]
#[test]
fn enter_in_an_open_list_chooses_the_first_place() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#code");
    press(&browser, "4980000");
    browser.wait_for(LIST);
    press(&browser, &ENTER.to_string());
    wait_for_value(&browser, "#city", "弥富市");
    assert_eq!(value(&browser, "#prefecture"), "愛知県");
    assert!(!browser.has(LIST) && !browser.address().contains('?'), "the form is not submitted");
    shop.show(
        &browser,
        "<form><input id=search data-daicho=search><input id=town data-daicho=town></form>",
    );
    focus(&browser, "#search");
    press(&browser, "あづま");
    browser.until("the suggestion", || labels(&browser) == ["茨城県つくば市吾妻"]);
    press(&browser, &ENTER.to_string());
    wait_for_value(&browser, "#town", "吾妻");
}

#[needs::chromium]
#[test]
fn a_code_with_too_many_digits_clears_and_says_so() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    browser.script(
        "window.seen = []; document.addEventListener('daicho:none', (event) => seen.push(event.detail.code))",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "千代田");
    press(&browser, "1");
    wait_for_value(&browser, "#town", "");
    assert_eq!(
        (value(&browser, "#code"), value(&browser, "#prefecture")),
        ("10000011".into(), String::new())
    );
    wait_for_note(&browser, "7桁");
    assert_eq!(browser.script("return seen"), json!(["10000011"]));
    press(&browser, "\u{e003}");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(noted(&browser), "");
}

#[needs::chromium]
#[test]
fn an_unknown_code_is_shown_until_it_is_corrected() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, FORM);
    focus(&browser, "#code");
    press(&browser, "9999999");
    wait_for_note(&browser, "該当するものがありません");
    focus(&browser, "#town");
    assert!(!noted(&browser).is_empty(), "leaving the field does not hide the note");
    retype(&browser, "#code", "1000001");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(noted(&browser), "");
}

#[needs::chromium]
#[test]
fn the_postal_code_of_a_corporation_goes_with_it() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show_page(
        &browser,
        &shop.tag_with(&shop.premium_key()),
        "<form><input id=name data-daicho=company><input id=number data-daicho=corporate-number>
         <input id=code data-daicho=postal-code><input id=address data-daicho=address></form>",
    );
    let all = |expected: [&str; 4]| {
        for (field, text) in ["#name", "#code", "#address"].iter().zip(&expected[1..]) {
            wait_for_value(&browser, field, text);
        }
        assert_eq!(value(&browser, "#number"), expected[0]);
    };
    let first = [
        "6010001999901",
        "株式会社台帳",
        "1000004",
        "東京都千代田区大手町１丁目２番３号台帳ビル４階",
    ];
    focus(&browser, "#number");
    press(&browser, "6010001999901");
    all(first);
    retype(&browser, "#number", "9999999999999");
    all(["9999999999999", "", "", ""]);
    // Also after a choice from the list, and with a postal code that the person has changed.
    retype(&browser, "#number", "");
    focus(&browser, "#name");
    press(&browser, "daicho");
    choose(&browser, "株式会社台帳");
    all(first);
    retype(&browser, "#number", "9999999999999");
    all(["9999999999999", "", "", ""]);
    retype(&browser, "#number", "6010001999901");
    all(first);
    retype(&browser, "#code", "1060032");
    wait_for_value(&browser, "#address", "東京都港区六本木");
    retype(&browser, "#number", "9999999999999");
    wait_for_value(&browser, "#name", "");
    assert_eq!(value(&browser, "#code"), "1060032");
}
