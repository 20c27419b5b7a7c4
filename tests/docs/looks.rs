//! Layout of the documentation pages in a browser.

use super::pages::paths;
use super::site::served;
use crate::dashboard::browser::Browser;

#[needs::chromium]
#[test]
fn every_page_fits_a_screen_and_a_phone() {
    let browser = Browser::start();
    let server = served();
    for width in [1200, 390] {
        browser.set_width(width);
        for path in paths() {
            browser.go(&format!("http://{}{path}", server.address));
            assert!(!browser.is_too_wide(), "{path} is wider than {width}");
            if width > 1000 {
                // A table that scrolls sideways hides its last column from a reader who does not look for it.
                let hidden = browser.script(
                    "return [...document.querySelectorAll('.table')].filter(it => it.scrollWidth > it.clientWidth) \
                     .map(it => it.innerText.slice(0, 60))",
                );
                assert_eq!(hidden, serde_json::json!([]), "{path}: wider than its column");
            }
            browser.picture(&format!("docs{}-{width}", path.replace('/', "-")));
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
