//! Pages written for another script with the classes of `h-adr` work when only the `<script>` tag is replaced.

use super::shop::{Shop, focus, press, retype, value, wait_for_value};
use crate::dashboard::browser::Browser;

/// An `h-adr` block with the country Japan, which the other scripts require.
fn block(inside: &str) -> String {
    format!("<form class=h-adr><span class=p-country-name hidden>Japan</span>{inside}</form>")
}

const ONE_CODE: &str = "<input class='code p-postal-code' size=8 maxlength=8>";
const SPLIT_CODE: &str = "<input class='code p-postal-code' size=3 maxlength=3>\
                          <input class='last p-postal-code' size=4 maxlength=4>";

#[needs::chromium]
#[test]
fn every_layout_of_fields_is_filled() {
    let browser = Browser::start();
    let shop = Shop::open();
    let layouts: [(&str, &[(&str, &str)]); 5] = [
        (
            "<input class='a p-region p-locality p-street-address p-extended-address'>",
            &[(".a", "東京都千代田区千代田")],
        ),
        (
            "<input class='a p-region' readonly>\
             <input class='b p-locality p-street-address p-extended-address'>",
            &[(".a", "東京都"), (".b", "千代田区千代田")],
        ),
        (
            "<input class='a p-region' readonly><input class='b p-locality' readonly>\
             <input class='c p-street-address p-extended-address'>",
            &[(".a", "東京都"), (".b", "千代田区"), (".c", "千代田")],
        ),
        (
            "<input class='a p-region'><input class='b p-locality'><input class='c p-street-address'>\
             <input class='d p-extended-address'>",
            &[(".a", "東京都"), (".b", "千代田区"), (".c", "千代田"), (".d", "")],
        ),
        // Nested elements, and one part in two fields.
        (
            "<div><p><input class='a p-region-id'><label><input class='b p-locality'></label></p></div>\
             <input class='c p-locality'>",
            &[(".a", "13"), (".b", "千代田区"), (".c", "千代田区")],
        ),
    ];
    for (fields, expected) in layouts {
        for code in [ONE_CODE, SPLIT_CODE] {
            shop.show(&browser, &block(&format!("<div>{code}</div>{fields}")));
            focus(&browser, ".code");
            press(&browser, if code == ONE_CODE { "100-0001" } else { "100" });
            if code == SPLIT_CODE {
                focus(&browser, ".last");
                press(&browser, "0001");
            }
            for (selector, text) in expected {
                wait_for_value(&browser, selector, text);
            }
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn a_prefecture_is_selected_by_name_or_number() {
    let browser = Browser::start();
    let shop = Shop::open();
    for (class, options, expected) in [
        ("p-region", "<option value=''>選択<option>東京都<option>沖縄県", "沖縄県"),
        ("p-region", "<option value=''>選択<option value=13>東京<option value=47>沖縄", "47"),
        ("p-region", "<option value=JP-13>Tokyo<option value=JP-47>Okinawa", "JP-47"),
        (
            "p-region-id",
            "<option value=''>選択<option value=13>東京都<option value=47>沖縄県",
            "47",
        ),
        // No option is the prefecture, so the field stays as it is.
        ("p-region", "<option value=''>選択<option value=a>関東", ""),
    ] {
        let select = format!("<select class='region {class}'>{options}</select>");
        let town = "<input class='town p-street-address'>";
        shop.show(&browser, &block(&format!("{ONE_CODE}{select}{town}")));
        focus(&browser, ".code");
        press(&browser, "9000001");
        wait_for_value(&browser, ".town", "港町");
        assert_eq!(value(&browser, ".region"), expected, "{options}");
    }
    // Hokkaido has one digit, not 01.
    let select = "<select class='region p-region-id'><option><option value=1>北海道</select>";
    shop.show(&browser, &block(&format!("{ONE_CODE}{select}")));
    focus(&browser, ".code");
    press(&browser, "0600000");
    wait_for_value(&browser, ".region", "1");
}

#[needs::chromium]
#[test]
fn a_block_of_another_country_is_not_filled() {
    let browser = Browser::start();
    let shop = Shop::open();
    shop.show(
        &browser,
        "<div class=h-adr><select class=p-country-name><option value=US>アメリカ<option value=JP>日本</select>
         <input class='code p-postal-code'><input class='city p-locality'></div>",
    );
    focus(&browser, ".code");
    press(&browser, "1000001");
    focus(&browser, "select");
    press(&browser, "日");
    assert_eq!(value(&browser, "select"), "JP");
    assert_eq!(value(&browser, ".city"), "");
    retype(&browser, ".code", "1060032");
    wait_for_value(&browser, ".city", "港区");
    // Without a country, the block is for Japan.
    shop.show(
        &browser,
        "<div class=h-adr><input class='code p-postal-code'><input class='city p-locality'></div>",
    );
    focus(&browser, ".code");
    press(&browser, "1000001");
    wait_for_value(&browser, ".city", "千代田区");
}

#[needs::chromium]
#[test]
fn the_lot_of_a_large_business_goes_into_the_street_only() {
    let browser = Browser::start();
    let shop = Shop::open();
    let fields = "<input class='c p-street-address'><input class='d p-extended-address'>";
    shop.show(&browser, &block(&format!("{ONE_CODE}{fields}")));
    focus(&browser, ".code");
    press(&browser, "1008111");
    browser.until("a street", || !value(&browser, ".c").is_empty());
    assert_eq!(value(&browser, ".c"), "千代田１－１");
    assert_eq!(value(&browser, ".d"), "");
}

/// The page in the instructions of yubinbango, but for the address of the script.
fn page_of_yubinbango(script: &str) -> [String; 2] {
    let tag = format!("<script src=\"{script}\" charset=\"UTF-8\"></script>");
    let form = "<form class=\"h-adr\">
          <span class=\"p-country-name\" style=\"display:none;\">Japan</span>
          〒<input type=\"text\" class=\"p-postal-code\" size=\"8\" maxlength=\"8\"><br>
          <input type=\"text\" class=\"p-region p-locality p-street-address p-extended-address\" /><br>
        </form>";
    [tag, form.to_owned()]
}

#[needs::chromium]
#[test]
fn an_unchanged_page_of_yubinbango_is_filled() {
    let browser = Browser::start();
    let open = Shop::open_with(&["--compat", "yubinbango", "--compat-account", "demo"]);
    let closed = Shop::open_with(&["--compat", "yubinbango"]);
    let with_key = format!("http://{}/{}", closed.served.address, closed.served.unbound);
    for (shop, base) in [(&open, format!("http://{}", open.served.address)), (&closed, with_key)] {
        let [tag, form] = page_of_yubinbango(&format!("{base}/yubinbango.js"));
        for (code, address) in
            [("1000001", "東京都千代田区千代田"), ("100-8111", "東京都千代田区千代田１－１")]
        {
            shop.show_page(&browser, &tag, &form);
            focus(&browser, ".p-postal-code");
            press(&browser, code);
            wait_for_value(&browser, ".p-region", address);
        }
    }
    // Before other scripts and at the end of the body, as other pages load it.
    let [tag, form] =
        page_of_yubinbango(&format!("http://{}/yubinbango.js?v=1", open.served.address));
    open.show_page(&browser, "", &[form, tag].concat());
    focus(&browser, ".p-postal-code");
    press(&browser, "1000001");
    wait_for_value(&browser, ".p-region", "東京都千代田区千代田");
    // The policy of the shop forbids the style in the page of the instructions, and nothing else there.
    let complaints = browser.complaints();
    let others: Vec<&String> =
        complaints.iter().filter(|it| !it.contains("inline style")).collect();
    assert_eq!(others, Vec::<&String>::new());
}

#[needs::chromium]
#[test]
fn a_page_of_yubinbango_without_a_key_needs_an_account_for_it() {
    let browser = Browser::start();
    let shop = Shop::open_with(&["--compat", "yubinbango"]);
    let [tag, form] = page_of_yubinbango(&format!("http://{}/yubinbango.js", shop.served.address));
    shop.show_page(&browser, &tag, &form);
    browser.script(
        "window.seen = []; document.addEventListener('daicho:error', ({ detail }) => \
         seen.push(detail.error.code))",
    );
    focus(&browser, ".p-postal-code");
    press(&browser, "1000001");
    browser
        .until("an error", || browser.script("return seen") == serde_json::json!(["missing_key"]));
    assert_eq!(value(&browser, ".p-region"), "");
}
