//! The pages of an account, in a browser: its keys, settings and password, and the pages that it may
//! not open.

use super::browser::Browser;
use super::site::{DEMO, OPERATOR, Site};
use crate::support::{ask, wait_until};

/// Starts a server, sets the password of the account `demo` as the operator, and signs `demo` in.
fn demo(browser: &Browser) -> Site {
    let site = Site::start();
    site.demo_session();
    site.sign_in(browser, "demo", DEMO);
    assert!(browser.address().ends_with("/dashboard/playground"), "{}", browser.address());
    browser.follow("nav a[href$='/keys']");
    site
}

/// The status of a postal code request with this key and these further header lines.
fn status(site: &Site, key: &str, more: &str) -> u16 {
    let head = format!("GET /v1/postalcode/1000001\nAuthorization: Token {key}\n{more}");
    ask(site.served.address, head.trim_end()).status
}

#[needs::chromium]
#[test]
fn key_is_created_shown_once_used_and_revoked() {
    let browser = Browser::start();
    let site = demo(&browser);
    browser.picture("keys");
    // A secret key cannot have an origin; the refusal keeps what was typed.
    browser.fill("form.card textarea[name=origins]", "https://a.example");
    browser.follow("form.card button");
    assert!(browser.text("[role=alert]").contains("cannot have origins"));
    browser.fill("form.card textarea[name=origins]", "example.com");
    browser.click("input[value=public]");
    browser.follow("form.card button");
    assert!(browser.text("[role=alert]").contains("example.com"));
    browser.picture("keys-wrong");
    browser.fill("form.card textarea[name=origins]", "https://a.example\nhttp://localhost:3000");
    browser.fill("form.card input[name=label]", "checkout <page>");
    browser.follow("form.card button");
    let key = browser.text("#made");
    assert!(key.starts_with("dk_pub_") && key.len() == 46, "{key}");
    browser.picture("key-made");
    wait_until("the key works", || status(&site, &key, "Origin: https://a.example") == 200);
    assert_eq!(status(&site, &key, "Origin: https://b.example"), 403);
    // It is not shown again.
    browser.follow("nav a[href$='/keys']");
    assert!(
        !browser.script("return document.documentElement.outerHTML").to_string().contains(&key)
    );
    assert!(browser.text(".cards li:first-child").contains("checkout <page>"));
    // Another origin, and another label.
    browser.fill(".cards li:first-child textarea", "https://b.example");
    browser.fill(".cards li:first-child input[name=label]", "決済");
    browser.follow(".cards li:first-child > form button");
    assert!(browser.text("[role=status]").contains("Saved"));
    assert!(browser.text(".cards li:first-child b").contains("決済"));
    wait_until("the new origin counts", || status(&site, &key, "Origin: https://b.example") == 200);
    wait_until("its use is known", || {
        browser.go(&site.url("/dashboard/account/1/keys"));
        browser.text(".cards li:first-child").contains(":59 JST")
    });
    browser.picture("keys-used");
    // Disabled, and enabled again.
    browser.follow(".cards li:first-child .danger");
    assert!(browser.text("[role=status]").contains("was disabled"));
    wait_until("the key is refused", || status(&site, &key, "Origin: https://b.example") == 401);
    browser.picture("key-disabled");
    browser.follow("form.undo button");
    assert!(browser.text("[role=status]").contains("works again"));
    wait_until("the key works again", || status(&site, &key, "Origin: https://b.example") == 200);
    // The account cannot enable a key that the operator disabled.
    let operator = site.session("", OPERATOR);
    let keys = "/dashboard/account/1/keys";
    let page = site.get(keys, &operator.cookie).text();
    let id = page.split("name=\"key\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
    let fields =
        [("token", operator.token.as_str()), ("action", "disable"), ("key", id.expect("one"))];
    assert_eq!(site.post(keys, &operator.cookie, &fields).status, 200);
    browser.go(&site.url(keys));
    assert!(!browser.has("form.undo"), "the account cannot undo it");
    wait_until("the key is refused", || status(&site, &key, "Origin: https://b.example") == 401);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn account_cannot_open_pages_of_others_or_of_the_operator() {
    let browser = Browser::start();
    let site = demo(&browser);
    for path in [
        "/dashboard/accounts",
        "/dashboard/figures",
        "/dashboard/data",
        "/dashboard/plans",
        "/dashboard/account/2/keys",
        "/dashboard/account/2/settings",
        "/dashboard/account/999/keys",
        "/dashboard/account/1/delete",
        "/dashboard/nothing",
    ] {
        browser.go(&site.url(path));
        assert_eq!(browser.text("h1"), "Page not found", "{path}");
    }
    browser.picture("no-page");
    let session = site.session("demo", DEMO);
    for (path, fields) in [
        ("/dashboard/accounts", vec![("name", "mine"), ("plan", "enterprise")]),
        ("/dashboard/data", vec![]),
        ("/dashboard/account/2/keys", vec![("action", "create"), ("kind", "secret")]),
    ] {
        let mut all = vec![("token", session.token.as_str())];
        all.extend(fields);
        assert_eq!(site.post(path, &session.cookie, &all).status, 404, "{path}");
    }
    // Its own settings page has no field for the plan, and a forged form does not change the plan.
    let made_up = [("token", session.token.as_str()), ("action", "plan"), ("plan", "enterprise")];
    let answer = site.post("/dashboard/account/1/settings", &session.cookie, &made_up);
    assert_eq!(answer.status, 400);
    // It cannot revoke a key of another account either: keys 4 to 6 belong to others.
    for action in ["disable", "save", "enable"] {
        let other = [("token", session.token.as_str()), ("action", action), ("key", "4")];
        let answer = site.post("/dashboard/account/1/keys", &session.cookie, &other);
        assert_eq!(answer.status, 400, "{action}");
    }
    let deletion = [("token", session.token.as_str()), ("name", "demo")];
    assert_eq!(site.post("/dashboard/account/1/delete", &session.cookie, &deletion).status, 404);
    assert_eq!(status(&site, &site.served.old, ""), 200);
}

#[needs::chromium]
#[test]
fn account_changes_its_api_version_and_password() {
    let browser = Browser::start();
    let site = demo(&browser);
    browser.follow("nav a[href$='/settings']");
    browser.picture("settings");
    assert!(!browser.has("select[name=plan]"));
    browser.click("select[name=version] option:nth-of-type(7)");
    browser.follow("main section:nth-of-type(1) button");
    assert!(browser.text("[role=status]").contains("Saved"));
    wait_until("the API version counts", || {
        site.served.get("/v1/whoami").header("api-version") == Some("2022-09-01")
    });
    // The password cannot be changed without the old one.
    browser.fill("input[name=old]", "a guess at it");
    browser.fill("input[name=password]", "another good one");
    browser.follow("main section:nth-of-type(2) button");
    assert!(browser.text("[role=alert]").contains("current password is wrong"));
    let elsewhere = site.session("demo", DEMO);
    browser.fill("input[name=old]", DEMO);
    browser.fill("input[name=password]", "another good one");
    browser.follow("main section:nth-of-type(2) button");
    assert!(browser.text("[role=status]").contains("password was set"));
    // This session stays valid; the other one has ended.
    browser.follow("nav a[href$='/keys']");
    assert_eq!(site.get("/dashboard/account/1/keys", &elsewhere.cookie).status, 303);
    browser.follow(".who form button");
    site.sign_in(&browser, "demo", DEMO);
    assert!(browser.has("[role=alert]"), "the old password is refused");
    site.sign_in(&browser, "demo", "another good one");
    browser.wait_for("nav a[href$='/keys']");
}
