//! Layout of the documentation pages in a browser. Skipped with a message if Chromium is not installed.

use super::browser::Browser;
use super::pages::PAGES;
use super::site::served;

#[test]
fn every_page_fits_a_screen_and_a_phone() {
    let Some(browser) = Browser::start() else { return };
    let server = served();
    for width in [1200, 390] {
        browser.set_width(width);
        for path in PAGES {
            browser.go(&format!("http://{}{path}", server.address));
            let too_wide = browser.script(
                "return document.documentElement.scrollWidth > document.documentElement.clientWidth",
            );
            assert_eq!(too_wide, false, "{path} is wider than {width} px");
            // Readers overlook the last column of a table that scrolls sideways.
            let hidden = browser.script(
                "return [...document.querySelectorAll('.table')].filter(it => it.scrollWidth > it.clientWidth) \
                 .map(it => it.innerText.slice(0, 60))",
            );
            if width > 1000 {
                assert_eq!(hidden, serde_json::json!([]), "{path}: tables wider than their column");
            }
            browser.picture(&format!("docs{}-{width}", path.replace('/', "-")));
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
