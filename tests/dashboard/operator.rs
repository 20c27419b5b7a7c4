//! The operator's pages, in a browser: signing in, accounts, data versions and metrics.

use daicho::account::store::{IfMissing, Store, StoreLocation};

use super::browser::Browser;
use super::site::{OPERATOR, Site};
use crate::support::{ask, wait_until};

#[needs::chromium]
#[test]
fn operator_signs_in_and_out() {
    let browser = Browser::start();
    let site = Site::start();
    browser.go(&site.url("/dashboard"));
    assert!(browser.address().ends_with("/dashboard/login"));
    browser.picture("login");
    assert_eq!(browser.script("return document.activeElement.name"), "name", "ready to type");
    // A wrong password and an unknown name get the same message.
    site.sign_in(&browser, "", "not the password");
    let wrong = browser.text("[role=alert]");
    site.sign_in(&browser, "nobody", OPERATOR);
    assert_eq!(browser.text("[role=alert]"), wrong);
    browser.picture("login-wrong");
    site.sign_in(&browser, "", OPERATOR);
    assert!(browser.address().ends_with("/dashboard/playground"), "{}", browser.address());
    assert_eq!(browser.text("nav [aria-current]"), "Playground");
    // Scripts cannot read the cookie.
    assert_eq!(browser.script("return document.cookie"), "");
    browser.follow(".who form button");
    assert!(browser.address().ends_with("/dashboard/login"));
    browser.go(&site.url("/dashboard/accounts"));
    assert!(browser.address().ends_with("/dashboard/login"), "the session has ended");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn accounts_are_created_and_changed() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    browser.follow("nav a[href$='/accounts']");
    browser.fill("main input[name=name]", "株式会社<例>");
    browser.click("main option[value=premium]");
    browser.click("input[name=batch]");
    browser.fill("main input[name=password]", "a good password");
    browser.follow("main form button");
    assert!(browser.text("[role=status]").contains("株式会社<例>"), "escaped, and shown whole");
    browser.picture("accounts");
    // The same name again is refused, and the form keeps what was typed.
    browser.fill("main input[name=name]", "株式会社<例>");
    browser.follow("main form button");
    assert!(browser.text("[role=alert]").contains("exists"));
    let kept = browser.script("return document.querySelector('main input[name=name]').value");
    assert_eq!(kept, "株式会社<例>");
    // Its settings, as the operator sees them.
    browser.go(&site.url("/dashboard/accounts"));
    browser.follow("main tbody tr:last-child a");
    browser.follow(".tabs a[href$='/settings']");
    browser.click("option[value=enterprise]");
    browser.follow("main section:nth-of-type(1) button");
    assert!(browser.text("[role=status]").contains("Saved"));
    browser.picture("settings-operator");
    let chosen = browser.script("return document.querySelector('select[name=plan]').value");
    assert_eq!(chosen, "enterprise");
    // Removing the password needs a confirmation; saving does not.
    browser.fill("main input[name=password]", "another password");
    browser.follow("main .actions button:not([name])");
    assert!(browser.text("[role=status]").contains("The password was set"));
    browser.click("main button[name=remove]");
    browser.accept_question();
    browser.wait_for_text("[role=status]", "The password was removed");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn an_account_is_deleted_once_its_name_is_typed() {
    let browser = Browser::start();
    let site = Site::start();
    assert_eq!(site.served.get("/v1/whoami").status, 200);
    site.sign_in(&browser, "", OPERATOR);
    browser.go(&site.url("/dashboard/account/1/settings"));
    browser.follow("main a[href$='/delete']");
    assert!(browser.text("main .tiles").contains("API keys\n3"), "{}", browser.text("main .tiles"));
    browser.picture("delete");
    browser.fill("main input[name=name]", "dem");
    browser.follow("main button.danger");
    assert!(browser.text("[role=alert]").contains("Nothing was deleted"));
    assert_eq!(site.served.get("/v1/whoami").status, 200);
    browser.fill("main input[name=name]", "demo");
    browser.follow("main button.danger");
    assert!(browser.text("[role=status]").contains("The account demo was deleted."));
    assert!(!browser.text("main table").contains("demo"));
    wait_until("its keys to stop", || site.served.get("/v1/whoami").status == 401);
    let operator = site.session("", OPERATOR);
    assert_eq!(site.get("/dashboard/account/1/delete", &operator.cookie).status, 404);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn data_versions_are_listed_and_the_folder_is_reloaded() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    browser.follow("nav a[href$='/data']");
    let page = browser.text("main");
    // The sample is old, so its age is shown. The server's options turn that off for the postal data.
    for version in ["2026-06-30", "2026-05-29", "latest", "MB", "days old", "daicho update bank"] {
        assert!(page.contains(version), "{version} is not in {page}");
    }
    let reloads = || {
        let text = ask(site.served.address, "GET /metrics").text();
        let line =
            text.lines().find(|line| line.starts_with("daicho_reloads_total{result=\"ok\"}"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).expect("a count")
    };
    let before = reloads();
    browser.follow("main form button");
    assert!(browser.text("[role=status]").contains("being reloaded"));
    wait_until("a reload", || reloads() > before);
    browser.picture("data");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn metrics_refresh_without_reloading_the_page() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    browser.follow("nav a[href$='/figures']");
    browser.wait_for("svg[role=img]");
    for _ in 0..50 {
        assert_eq!(site.served.get("/v1/postalcode/1000001").status, 200);
        site.served.get("/v1/postalcode/0000000");
    }
    // The page is not loaded again.
    browser.wait_for_text("main table", "/v1/postalcode/{code}");
    browser.wait_for_text("main table", "100");
    browser.wait_for(".line.first[d*=L]");
    browser.picture("figures");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn the_operator_changes_the_own_password_and_ends_sessions() {
    let browser = Browser::start();
    let site = Site::start();
    let elsewhere = site.session("", OPERATOR);
    let of_demo = site.demo_session();
    site.sign_in(&browser, "", OPERATOR);
    browser.follow("a.name");
    assert_eq!(browser.text("h1"), "Sessions");
    let rows = browser.script("return document.querySelectorAll('tbody tr').length");
    assert_eq!(rows, 4, "the operator's three, and that of the account");
    assert!(browser.text("tbody").contains("127.0.0.1") && browser.text("tbody").contains("demo"));
    browser.picture("sessions");
    // Another person's session ends at once.
    assert_eq!(site.get("/dashboard/playground", &of_demo.cookie).status, 200);
    browser.follow("button[aria-label^='End demo']");
    assert!(browser.text("[role=status]").contains("The session was ended"));
    assert_eq!(site.get("/dashboard/playground", &of_demo.cookie).status, 303);
    // A wrong old password changes nothing.
    let chosen = "another 正しい馬";
    for (old, selector) in [("wrong password", "[role=alert]"), (OPERATOR, "[role=status]")] {
        browser.fill("main input[name=old]", old);
        browser.fill("main input[name=password]", chosen);
        browser.follow("main form.card button");
        assert!(browser.has(selector), "{old}");
    }
    assert_eq!(site.get("/dashboard/playground", &elsewhere.cookie).status, 303, "ended too");
    browser.go(&site.url("/dashboard/operations"));
    let log = browser.text("tbody");
    for expected in ["sessions end", "sessions password", "dashboard", "127.0.0.1"] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
    site.session("", chosen);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_chosen_password_stays_over_a_restart_until_another_one_is_given() {
    let mut site = Site::start();
    let session = site.session("", OPERATOR);
    let chosen = "another 正しい馬";
    let fields = [
        ("token", session.token.as_str()),
        ("action", "password"),
        ("old", OPERATOR),
        ("password", chosen),
    ];
    let answer = site.post("/dashboard/sessions", &session.cookie, &fields);
    assert_eq!(answer.status, 200, "{}", answer.text());
    site.served.crash();
    site.session("", chosen);
    let answer = site.post("/dashboard/login", "", &[("name", ""), ("password", OPERATOR)]);
    assert_eq!(answer.status, 403);
    site.give_password("a third 正しい馬");
    site.served.crash();
    site.session("", "a third 正しい馬");
}

#[test]
fn a_session_of_an_account_sees_and_ends_its_own_only() {
    let site = Site::start();
    let (operator, demo) = (site.session("", OPERATOR), site.demo_session());
    let page = site.get("/dashboard/sessions", &demo.cookie).text();
    assert_eq!(page.matches("<tr>").count(), 2, "its heading and one session: {page}");
    assert!(!page.contains("operator's password"), "{page}");
    for (action, session) in [("password", ""), ("end", "00"), ("end", &"ab".repeat(32)), ("", "")]
    {
        let fields = [("token", demo.token.as_str()), ("action", action), ("session", session)];
        let answer = site.post("/dashboard/sessions", &demo.cookie, &fields);
        assert_eq!(answer.status, 400, "{action}: {}", answer.text());
    }
    assert_eq!(site.get("/dashboard/playground", &operator.cookie).status, 200);
    for path in ["/dashboard/usage", "/dashboard/operations"] {
        assert_eq!(site.get(path, &demo.cookie).status, 404, "{path}");
    }
}

#[test]
fn an_expired_key_is_refused_with_its_end() {
    let site = Site::start();
    let session = site.session("", OPERATOR);
    let create = |expires: &str| {
        let fields = [
            ("token", session.token.as_str()),
            ("action", "create"),
            ("kind", "secret"),
            ("expires", expires),
        ];
        site.post("/dashboard/account/1/keys", &session.cookie, &fields)
    };
    for (wrong, expected) in [("2020-01-01", "found 2020-01-01"), ("soon", "such as 90d")] {
        let answer = create(wrong);
        assert!(answer.status == 400 && answer.text().contains(expected), "{}", answer.text());
    }
    let page = create("2099-12-31").text();
    assert!(page.contains("2100-01-01 00:00 JST"), "{page}");
    let key = page.split("id=\"made\">").nth(1).expect("a key").split('<').next().expect("its end");
    let head = format!("GET /v1/whoami\nAuthorization: Token {key}");
    wait_until("the key", || ask(site.served.address, &head).status == 200);
    let place = StoreLocation::parse(site.served.state().as_os_str()).expect("a state");
    let mut store = Store::open(&place, IfMissing::Refuse).expect("a store");
    let moved = "UPDATE api_key SET expires_at = 1000000000 WHERE expires_at IS NOT NULL";
    store.change_rights(|tx| tx.execute(moved, &[])).expect("writable");
    wait_until("its end", || ask(site.served.address, &head).status == 401);
    let answer = ask(site.served.address, &head);
    answer.expect_error(401, "invalid_key", None);
    assert!(answer.text().contains("expired at 2001-09-09"), "{}", answer.text());
    let usage = site.get("/dashboard/usage", &session.cookie).text();
    assert!(usage.contains("/dashboard/account/1/usage"), "{usage}");
}
