//! Suggestions of addresses, banks and branches while a person types.

use serde_json::json;

use super::shop::{DOWN, ENTER, Shop, TAB, focus, press, retype, said, value, wait_for_value};
use super::writing::{compose, settle};
use crate::dashboard::browser::Browser;

pub const LIST: &str = ".daicho-list:popover-open";

const ADDRESS: &str = "<form><label>住所検索 <input id=search data-daicho=search></label>
  <input id=code data-daicho=postal-code maxlength=8><input id=prefecture data-daicho=prefecture>
  <input id=city data-daicho=city><input id=town data-daicho='town search'>
  <input id=building data-daicho=building></form>";

/// Records the query of every request in `window.asked`.
pub const COUNT: &str = "window.asked = []; const real = fetch; window.fetch = (url, ...rest) => { \
                     asked.push(new URL(url).searchParams.get('q')); return real(url, ...rest); }";

/// The labels of the list's options, without their notes.
pub fn labels(browser: &Browser) -> Vec<String> {
    let texts = browser.script(
        "return [...document.querySelectorAll('.daicho-list:popover-open > li')].map((it) => \
         [...it.childNodes].filter((node) => node.nodeName !== 'SMALL').map((node) => node.textContent).join(''))",
    );
    serde_json::from_value(texts).expect("texts")
}

/// Waits for the option with this label and chooses it with the keyboard.
#[track_caller]
pub fn choose(browser: &Browser, label: &str) {
    browser.until(&format!("{label} in the list"), || labels(browser).iter().any(|it| it == label));
    let at = labels(browser).iter().position(|it| it == label).expect("there");
    press(browser, &format!("{}{ENTER}", DOWN.to_string().repeat(at + 1)));
}

#[needs::chromium]
#[test]
fn address_is_chosen_from_its_reading_and_fills_the_block() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    browser.script(COUNT);
    focus(&browser, "#search");
    settle(&browser, "あづま");
    choose(&browser, "茨城県つくば市吾妻");
    wait_for_value(&browser, "#town", "吾妻");
    assert_eq!(value(&browser, "#search"), "茨城県つくば市吾妻");
    assert_eq!(value(&browser, "#code"), "305-0031");
    assert_eq!(value(&browser, "#city"), "つくば市");
    assert!(said(&browser).contains("茨城県つくば市吾妻"));
    // A lot that the person adds starts no request, until the text before it changes.
    press(&browser, "1-1");
    assert_eq!(value(&browser, "#search"), "茨城県つくば市吾妻1-1");
    assert!(!browser.has(LIST));
    browser.script("document.activeElement.select()");
    settle(&browser, "千代田");
    choose(&browser, "東京都千代田区千代田");
    assert_eq!(browser.script("return asked"), json!(["あづま", "千代田"]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn a_field_of_a_part_gets_that_part_and_typed_fields_stay() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    retype(&browser, "#city", "わたしの市");
    focus(&browser, "#town");
    press(&browser, "chiyoda");
    choose(&browser, "東京都千代田区千代田");
    wait_for_value(&browser, "#town", "千代田");
    assert_eq!(value(&browser, "#city"), "わたしの市");
    assert_eq!(value(&browser, "#prefecture"), "東京都");
    assert_eq!(value(&browser, "#code"), "100-0001");
    assert!(said(&browser).contains("入力済みの欄はそのままにしました"));
}

#[needs::chromium]
#[test]
fn a_town_with_several_codes_is_followed_by_its_parts() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    focus(&browser, "#search");
    press(&browser, "ろっぽんぎ");
    choose(&browser, "東京都港区六本木");
    wait_for_value(&browser, "#town", "六本木");
    assert_eq!(value(&browser, "#code"), "", "the town has several codes");
    // A building's name after the town narrows the list.
    press(&browser, "台帳");
    browser.until("only buildings with the name", || {
        let labels = labels(&browser);
        !labels.is_empty() && labels.iter().all(|label| label.contains("台帳"))
    });
    choose(&browser, "東京都港区六本木台帳タワー（１階）");
    wait_for_value(&browser, "#building", "台帳タワー１階");
    assert_eq!(value(&browser, "#code"), "106-6801");
    assert_eq!(value(&browser, "#town"), "六本木");
}

#[needs::chromium]
#[test]
fn the_search_continues_after_a_municipality() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    focus(&browser, "#search");
    press(&browser, "つくば");
    choose(&browser, "茨城県つくば市");
    wait_for_value(&browser, "#city", "つくば市");
    press(&browser, "あ");
    choose(&browser, "茨城県つくば市吾妻");
    wait_for_value(&browser, "#code", "305-0031");
}

#[needs::chromium]
#[test]
fn composed_text_is_searched_without_its_unfinished_letters() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    browser.script(COUNT);
    focus(&browser, "#search");
    compose(&browser, "ｃ");
    compose(&browser, "ち");
    compose(&browser, "ちｙ");
    compose(&browser, "ちよ");
    compose(&browser, "ちよｄ");
    browser.wait_for(&format!("{LIST} > li"));
    let letters = "return asked.filter((text) => /[a-zａ-ｚ]/i.test(text))";
    assert_eq!(
        browser.script(letters),
        json!([]),
        "no request has Latin letters that the next key turns into kana"
    );
    settle(&browser, "千代田");
    browser.until("千代田", || browser.script("return asked").to_string().contains("千代田"));
    choose(&browser, "東京都千代田区千代田");
    wait_for_value(&browser, "#code", "100-0001");
}

#[needs::chromium]
#[test]
fn the_next_key_cancels_older_requests() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, ADDRESS);
    // The first request gets no answer, until it is cancelled.
    browser.script(
        "window.ended = []; window.sent = 0; const real = fetch; let first = true;
         window.fetch = (url, options) => {
           sent += 1;
           options.signal.addEventListener('abort', () => ended.push(new URL(url).searchParams.get('q')));
           if (!first) return real(url, options);
           first = false;
           return new Promise((go, fail) => options.signal.addEventListener('abort', () => fail(new Error('ended'))));
         };
         window.errors = 0; document.addEventListener('daicho:error', () => { errors += 1; });",
    );
    focus(&browser, "#search");
    press(&browser, "あ");
    browser.until("a request", || browser.script("return sent") == json!(1));
    press(&browser, "づま");
    choose(&browser, "茨城県つくば市吾妻");
    assert_eq!(browser.script("return [ended[0], errors]"), json!(["あ", 0]));
}

#[needs::chromium]
#[test]
fn h_adr_streets_have_suggestions_if_the_tag_asks_for_them() {
    let browser = Browser::start();
    let shop = Shop::open();
    let body = "<form class=h-adr><input class='code p-postal-code'><input class='region p-region'>\
                <input class='rest p-locality p-street-address p-extended-address'></form>";
    shop.show(&browser, body);
    browser.wait_for(".code[role=combobox]");
    assert!(!browser.has(".rest[role]"));
    let tag = shop.tag().replace(" defer", " data-suggest defer");
    shop.show_page(&browser, &tag, body);
    browser.wait_for(".rest[role=combobox][autocomplete=off]");
    focus(&browser, ".rest");
    press(&browser, "あづま");
    choose(&browser, "茨城県つくば市吾妻");
    wait_for_value(&browser, ".rest", "つくば市吾妻");
    assert_eq!(value(&browser, ".region"), "茨城県");
    assert_eq!(value(&browser, ".code"), "3050031");
}

const BANK: &str =
    "<form><input id=bank data-daicho=bank><input id=bank-code data-daicho=bank-code>
  <input id=branch data-daicho=branch><input id=branch-code data-daicho=branch-code>
  <input id=kana data-daicho=branch-kana></form>";

#[needs::chromium]
#[test]
fn bank_and_branch_are_chosen_by_reading() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, BANK);
    focus(&browser, "#bank");
    press(&browser, "だいちよう");
    choose(&browser, "台帳銀行");
    wait_for_value(&browser, "#bank-code", "0001");
    focus(&browser, "#branch");
    press(&browser, "ほんてん");
    choose(&browser, "本店営業部");
    wait_for_value(&browser, "#branch-code", "001");
    assert_eq!(value(&browser, "#kana"), "ホンテン");
    // Another bank empties the branch.
    retype(&browser, "#bank", "0036");
    browser.wait_for(&format!("{LIST} > li"));
    press(&browser, &format!("{DOWN}{TAB}"));
    wait_for_value(&browser, "#bank-code", "0036");
    assert_eq!(value(&browser, "#branch"), "");
    assert_eq!(value(&browser, "#branch-code"), "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn codes_of_bank_and_branch_fill_the_names() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(&browser, BANK);
    // Without a bank, a branch code finds nothing.
    focus(&browser, "#branch-code");
    press(&browser, "001");
    browser.until("the announcement that nothing was found", || {
        said(&browser) == "該当するものがありません。"
    });
    focus(&browser, "#bank-code");
    press(&browser, "0001");
    wait_for_value(&browser, "#bank", "台帳銀行");
    retype(&browser, "#branch-code", "001");
    wait_for_value(&browser, "#branch", "本店営業部");
    // Three branches have the same code.
    retype(&browser, "#branch-code", "010");
    browser.wait_for(LIST);
    assert_eq!(labels(&browser).len(), 3);
    let second = labels(&browser).swap_remove(1);
    choose(&browser, &second);
    wait_for_value(&browser, "#branch", &second);
}
