//! The words of fields beyond the parts of an address: readings in other letters, the name of a large business, and the
//! options of prefectures.

use super::shop::{Shop, focus, press, retype, value, wait_for_value};
use crate::dashboard::browser::Browser;

#[needs::chromium]
#[test]
fn readings_are_filled_in_hiragana_and_half_width_kana() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show_page(
        &browser,
        &shop.tag_with(&shop.premium_key()),
        "<form><input id=code data-daicho=postal-code><input id=hiragana data-daicho=address-hiragana>
         <input id=half data-daicho=address-half-kana><input id=town data-daicho=town-hiragana>
         <input id=number data-daicho=corporate-number><input id=company data-daicho=company-half-kana>
         <input id=bank-code data-daicho=bank-code><input id=bank data-daicho=bank-hiragana></form>",
    );
    focus(&browser, "#code");
    press(&browser, "1000001");
    wait_for_value(&browser, "#town", "ちよだ");
    assert_eq!(value(&browser, "#hiragana"), "とうきょうとちよだくちよだ");
    assert_eq!(value(&browser, "#half"), "ﾄｳｷｮｳﾄﾁﾖﾀﾞｸﾁﾖﾀﾞ");
    retype(&browser, "#code", "9999999");
    wait_for_value(&browser, "#hiragana", "");
    focus(&browser, "#number");
    press(&browser, "6010001999901");
    wait_for_value(&browser, "#company", "ﾀﾞｲﾁｮｳ");
    focus(&browser, "#bank-code");
    press(&browser, "0001");
    wait_for_value(&browser, "#bank", "だいちよう");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn the_name_of_a_large_business_is_a_word() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(
        &browser,
        "<form><input id=code data-daicho=postal-code><input id=town data-daicho=town>
         <input id=business data-daicho=business><input id=kana data-daicho=business-kana></form>",
    );
    focus(&browser, "#code");
    press(&browser, "1008111");
    wait_for_value(&browser, "#business", "宮内庁");
    assert_eq!(value(&browser, "#town"), "千代田１－１");
    assert!(!value(&browser, "#kana").is_empty());
    // The code of an area has none. Three businesses share the last code, so the person chooses.
    retype(&browser, "#code", "1000001");
    wait_for_value(&browser, "#business", "");
    retype(&browser, "#code", "1008798");
    browser.wait_for(".daicho-list:popover-open > li:nth-child(3)");
}

#[needs::chromium]
#[test]
fn options_of_prefectures_may_be_in_roman_letters_and_codes_of_jis() {
    let browser = Browser::start();
    let shop = Shop::open();
    for (options, expected) in [
        ("<option value=''>-<option value=JP13>東 京<option value=JP47>沖 縄", "JP47"),
        ("<option value=''>-<option>Tokyo<option>Okinawa", "Okinawa"),
        ("<option value=''>-<option>TOKYO<option>OKINAWA PREFECTURE", "OKINAWA PREFECTURE"),
        ("<option value=''>-<option value=13>Okinawa-ken<option value=47>Tōkyō", "13"),
    ] {
        shop.show(
            &browser,
            &format!(
                "<form class=h-adr><input class='code p-postal-code'><select class='region p-region'>{options}\
                 </select></form>"
            ),
        );
        focus(&browser, ".code");
        press(&browser, "9000001");
        wait_for_value(&browser, ".region", expected);
    }
}
