//! Suggestions while a person types: banks and branches.

use super::browser::Browser;
use super::shop::{DOWN, ENTER, Shop, TAB, focus, press, retype, said, value, wait_for_value};

const LIST: &str = ".daicho-list:popover-open";

/// The choices of the list, without their notes.
fn labels(browser: &Browser) -> Vec<String> {
    let texts = browser.script(
        "return [...document.querySelectorAll('.daicho-list:popover-open > li')].map((it) => \
         [...it.childNodes].filter((node) => node.nodeName !== 'SMALL').map((node) => node.textContent).join(''))",
    );
    serde_json::from_value(texts).expect("texts")
}

/// Chooses what has this label with the keyboard, once it is there.
#[track_caller]
fn choose(browser: &Browser, label: &str) {
    browser.until(&format!("{label} in the list"), || labels(browser).iter().any(|it| it == label));
    let at = labels(browser).iter().position(|it| it == label).expect("there");
    press(browser, &format!("{}{ENTER}", DOWN.to_string().repeat(at + 1)));
}

const BANK: &str =
    "<form><input id=bank data-daicho=bank><input id=bank-code data-daicho=bank-code>
  <input id=branch data-daicho=branch><input id=branch-code data-daicho=branch-code>
  <input id=kana data-daicho=branch-kana></form>";

#[test]
fn bank_and_branch_are_chosen_by_reading() {
    let Some(browser) = Browser::start() else { return };
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
    // Another bank takes the branch with it.
    retype(&browser, "#bank", "0036");
    browser.wait_for(&format!("{LIST} > li"));
    press(&browser, &format!("{DOWN}{TAB}"));
    wait_for_value(&browser, "#bank-code", "0036");
    assert_eq!(value(&browser, "#branch"), "");
    assert_eq!(value(&browser, "#branch-code"), "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn codes_of_bank_and_branch_are_read() {
    let Some(browser) = Browser::start() else { return };
    let shop = Shop::open();
    shop.show(&browser, BANK);
    // Without a bank there is no branch.
    focus(&browser, "#branch-code");
    press(&browser, "001");
    browser.until("a word of it", || said(&browser) == "該当するものがありません。");
    focus(&browser, "#bank-code");
    press(&browser, "0001");
    wait_for_value(&browser, "#bank", "台帳銀行");
    retype(&browser, "#branch-code", "001");
    wait_for_value(&browser, "#branch", "本店営業部");
    // Three branches share a code.
    retype(&browser, "#branch-code", "010");
    browser.wait_for(LIST);
    assert_eq!(labels(&browser).len(), 3);
    let second = labels(&browser).swap_remove(1);
    choose(&browser, &second);
    wait_for_value(&browser, "#branch", &second);
}
