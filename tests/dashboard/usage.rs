//! The pages of quotas and of an account's usage, in a browser.

use super::browser::Browser;
use super::site::{OPERATOR, Site};
use crate::support::wait_until;

#[needs::chromium]
#[test]
fn usage_is_shown_by_day() {
    let browser = Browser::start();
    let mut site = Site::start();
    for _ in 0..30 {
        site.served.get("/v1/postalcode/1000001");
    }
    site.served.get("/v1/postalcode/0000000");
    let session = site.session("", OPERATOR);
    wait_until("the requests are in the store", || {
        let page = site.get("/dashboard/account/1/usage", &session.cookie).text();
        page.contains("<dt>This month</dt><dd>31</dd>")
    });
    site.sign_in(&browser, "", OPERATOR);
    browser.go(&site.url("/dashboard/account/1/usage"));
    browser.wait_for("svg rect.first");
    browser.wait_for("svg rect.third");
    browser.click("main summary");
    assert!(browser.text("main table").contains("31"));
    // The counts by endpoint and status are kept when the server restarts.
    wait_until("the figures are in the store", || {
        let page = site.get("/dashboard/account/1/usage", &session.cookie).text();
        page.contains(">200</span></td><td class=\"number\">30</td>")
            && page.contains(">404</span></td><td class=\"number\">1</td>")
    });
    site.served.crash();
    browser.go(&site.url("/dashboard/account/1/usage"));
    let figures = browser.text("main h2 + .scroll");
    assert!(figures.contains("/v1/postalcode/{code} 200 30"), "{figures}");
    browser.wait_for_text("main", "Responses by endpoint and status");
    browser.picture("usage");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn quotas_of_plans_and_accounts_hold_and_are_lifted() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    browser.follow("nav a[href$='/plans']");
    browser.fill("section:nth-of-type(1) input[name=monthly]", "2");
    browser.fill("section:nth-of-type(1) input[name=burst]", "5");
    browser.follow("section:nth-of-type(1) button");
    assert!(browser.text("[role=alert]").contains("needs requests per second"));
    browser.fill("section:nth-of-type(1) input[name=monthly]", "2");
    browser.follow("section:nth-of-type(1) button");
    assert!(browser.text("[role=status]").contains("Saved"));
    browser.picture("plans");
    wait_until("the plan's quota holds", || site.served.get("/v1/whoami").status == 429);
    // Lifts the quota of this account.
    browser.go(&site.url("/dashboard/account/1/settings"));
    browser.fill("input[name=monthly]", "many");
    browser.follow("main section:nth-of-type(2) button");
    assert!(browser.text("[role=alert]").contains("many"));
    browser.fill("input[name=monthly]", "0");
    browser.follow("main section:nth-of-type(2) button");
    assert!(browser.text("main section:nth-of-type(2)").contains("no limit"));
    wait_until("it is lifted", || site.served.get("/v1/whoami").status == 200);
    browser.picture("settings-quota");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
