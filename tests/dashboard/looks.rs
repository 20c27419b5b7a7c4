//! The layout and accessibility of pages, in both languages, in light and dark, and at the width of a
//! desktop and of a phone.

use super::browser::Browser;
use super::site::{OPERATOR, Site};

/// The pages that show data with the sample.
const PAGES: [(&str, &str); 13] = [
    ("figures", "/dashboard/figures"),
    ("accounts", "/dashboard/accounts"),
    ("data", "/dashboard/data"),
    ("usage-of-all", "/dashboard/usage"),
    ("operations", "/dashboard/operations"),
    ("sessions", "/dashboard/sessions"),
    ("keys", "/dashboard/account/1/keys"),
    ("settings", "/dashboard/account/1/settings"),
    ("usage", "/dashboard/account/1/usage"),
    ("plans", "/dashboard/plans"),
    ("webhook", "/dashboard/account/4/webhook"),
    ("watch", "/dashboard/account/4/watch"),
    (
        "playground",
        "/dashboard/playground?text=%E6%9D%B1%E4%BA%AC%E9%83%BD%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA",
    ),
];

#[needs::chromium]
#[test]
fn every_page_fits_and_is_readable_in_both_languages_and_schemes() {
    let browser = Browser::start();
    let site = Site::start();
    for width in [1200, 390] {
        browser.set_width(width);
        browser.go(&site.url("/dashboard/login"));
        assert_eq!(browser.script("return document.activeElement.name"), "name");
        let header = browser.script("return document.querySelector('header').offsetHeight");
        assert!(header.as_u64() < Some(70), "a header of {header} at {width}");
        browser.picture(&format!("look-login-{width}"));
    }
    browser.set_width(1200);
    site.sign_in(&browser, "", OPERATOR);
    for (language, code) in [("ja", "日本語"), ("en", "English")] {
        browser.set_width(1200);
        let other = format!("a.language[hreflang={language}]");
        if browser.has(&other) {
            assert_eq!(browser.text(&other), code);
            browser.follow(&other);
        }
        for (scheme, width) in [("light", 1200), ("dark", 1200), ("light", 390), ("dark", 390)] {
            browser.set_scheme(scheme);
            browser.set_width(width);
            for (name, path) in PAGES {
                browser.go(&site.url(path));
                assert_eq!(browser.script("return document.documentElement.lang"), language);
                assert!(!browser.is_too_wide(), "{name} is wider than {width}");
                let header = browser.script("return document.querySelector('header').offsetHeight");
                let lines = if width < 640 { 70 } else { 130 };
                assert!(header.as_u64() < Some(lines), "{name}: a header of {header} at {width}");
                readable(&browser, name, scheme);
                browser.picture(&format!("look-{name}-{language}-{scheme}-{width}"));
            }
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Asserts what users of screen readers and keyboards need: names, landmarks, font sizes and contrast.
#[track_caller]
fn readable(browser: &Browser, name: &str, scheme: &str) {
    let unnamed = browser.script(
        "return [...document.querySelectorAll('input:not([type=hidden],[hidden]),select,textarea,button,a')]\
         .filter(it => !(it.labels && it.labels.length) && !it.getAttribute('aria-label') \
         && !it.textContent.trim()).map(it => it.outerHTML)",
    );
    assert_eq!(unnamed, serde_json::json!([]), "{name}: elements without a name");
    for landmark in ["header", "nav[aria-label]", "main h1", "footer", "a.skip"] {
        assert!(browser.has(landmark), "{name} has no {landmark}");
    }
    assert_eq!(browser.press_tab(), "skip", "{name}: the first tab stop skips to the content");
    let small = browser.script(
        "return [...document.querySelectorAll('.chart text')].filter(it => it.checkVisibility() \
         && it.getBoundingClientRect().height < 9).map(it => it.textContent)",
    );
    assert_eq!(small, serde_json::json!([]), "{name}: text too small");
    // The contrast of text and background, as WCAG 2 defines it, must be at least 4.5 to 1.
    let faint = browser.script(CONTRAST);
    assert_eq!(faint, serde_json::json!([]), "{name}, {scheme}: contrast too low");
}

const CONTRAST: &str = "
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ground = (it) => {
  for (; it; it = it.parentElement) {
    const colour = parse(getComputedStyle(it).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const faint = new Set();
for (const it of document.querySelectorAll('body *')) {
  const own = [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !it.checkVisibility() || it.closest('svg')) continue;
  const [a, b] = [light(parse(getComputedStyle(it).color)), light(ground(it))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) faint.add(`${it.tagName}.${it.className}: ${ratio.toFixed(2)}`);
}
return [...faint];";

#[test]
fn chosen_language_overrides_that_of_the_browser() {
    let site = Site::start();
    let page = |headers: &str| {
        let head = format!("GET /dashboard/login\n{headers}");
        crate::support::ask(site.served.address, head.trim_end())
    };
    assert!(page("Accept-Language: ja,en;q=0.5").text().contains("lang=\"ja\""));
    assert!(page("").text().contains("lang=\"en\""));
    let chosen = crate::support::ask(site.served.address, "GET /dashboard/login?language=ja");
    let cookie = chosen.header("set-cookie").expect("remembered").to_owned();
    assert!(chosen.text().contains("lang=\"ja\""));
    let cookie = cookie.split(';').next().expect("a value");
    assert!(page(&format!("Cookie: {cookie}")).text().contains("lang=\"ja\""));
    let nothing = crate::support::ask(site.served.address, "GET /dashboard/login?language=xx");
    assert!(nothing.header("set-cookie").is_none() && nothing.text().contains("lang=\"en\""));
}
