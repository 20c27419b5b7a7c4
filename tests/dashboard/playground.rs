//! The playground: results while typing, the request that returns them, and malformed input.

use super::browser::Browser;
use super::site::{OPERATOR, Site};

#[needs::chromium]
#[test]
fn results_refresh_while_typing() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    browser.fill("input[name=text]", "東京都千代田区千代田1-1");
    browser.wait_for_text("#found table", "1000001");
    let parts = browser.text("#found .parts");
    assert!(parts.contains("千代田区") && parts.contains("1-1"), "{parts}");
    let why = browser.text("#found .explain");
    assert!(why.contains("as written"), "{why}");
    assert!(browser.text("#found").contains("matched to the lot number"));
    browser.picture("playground-address");
    // A town of two wards: both are listed.
    browser.fill("input[name=text]", "細山1-1");
    browser.wait_for_text("#found .candidates", "新潟市江南区細山");
    browser.picture("playground-candidates");
    // Parts that the text leaves out, and an old name, are marked.
    browser.fill("input[name=text]", "千代田区千代田1-1");
    browser.wait_for_text("#found .explain", "filled in");
    assert!(browser.has("#found .explain .badge") && !browser.has("#found tr.corrected"));
    browser.fill("input[name=text]", "静岡県浜松市中区富塚町1-1");
    browser.wait_for_text("#found .explain", "old name");
    assert!(browser.has("#found tr.corrected"));
    browser.picture("playground-correction");
    browser.fill("input[name=text]", "東京都千代田区千代田1-1");
    browser.wait_for_text("#found table", "1000001");
    let programs = browser.text("#found");
    for part in
        ["curl", "--data-urlencode 't=東京都千代田区千代田1-1'", "\"postal_code\": \"1000001\""]
    {
        assert!(programs.contains(part), "{part} is not in {programs}");
    }
    let shown = browser.text("#found .request");
    assert!(shown.contains("GET /v1/postalcode/?t=東京都千代田区千代田1-1&limit=20"), "{shown}");
    assert!(browser.has("#found .request .badge.good") && shown.contains("200 OK"), "{shown}");
    let copied =
        browser.script("return document.querySelector('#found .request code').dataset.text");
    let url = site.url("/v1/postalcode/?t=%E6%9D%B1");
    assert!(copied.as_str().is_some_and(|copied| copied.starts_with(&url)), "{copied}");
    // The address bar contains the text, so that the page can be bookmarked and shared.
    assert!(browser.address().contains("text=%E6%9D%B1"), "{}", browser.address());
    browser.fill("input[name=text]", "〒１００－０００１");
    browser.wait_for_text("#found .request", "/v1/postalcode/1000001");
    browser.fill("input[name=text]", "0001");
    browser.wait_for_text("#found .request", "/v1/bank/0001");
    browser.wait_for_text("#found table", "0001");
    browser.fill("input[name=text]", "9999999");
    browser.wait_for_text("#found .notice", "No such postal code");
    assert_eq!(browser.text("#found .badge.warm"), "404 Not Found");
    browser.picture("playground-nothing");
    // A text that is not an address is searched as a company name.
    browser.fill("input[name=text]", "株式会社台帳");
    browser.wait_for_text("#found table", "6010001999901");
    assert!(browser.text("#found .request").contains("/v1/houjinbangou?q="));
    assert_eq!(browser.text("#found-status"), browser.text("#found .count"));
    browser.picture("playground-company");
    // The button copies.
    browser.click("#found [data-copy]");
    browser.wait_for_text("#found [data-copy]", "Copied");
    // Typed markup is shown as text.
    browser.fill("input[name=text]", "<img src=x onerror=alert(1)>");
    browser.wait_for_text("#found", "<img");
    assert!(browser.text("#found .request").contains("%3Cimg"));
    assert!(!browser.has("#found img"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[needs::chromium]
#[test]
fn examples_paging_and_mistyped_towns_work() {
    let browser = Browser::start();
    let site = Site::start();
    site.sign_in(&browser, "", OPERATOR);
    assert!(!browser.text("main").contains("your plan"), "the operator has no plan");
    browser.picture("playground-start");
    let examples = browser.script("return document.querySelectorAll('.examples a').length");
    let examples = examples.as_u64().expect("a number");
    assert!(examples >= 7, "{examples}");
    for at in 1..=examples {
        browser.go(&site.url("/dashboard/playground"));
        browser.follow(&format!(".examples a:nth-of-type({at})"));
        let badge = browser.text("#found .badge");
        assert_eq!(badge, "200 OK", "{}", browser.text("#found .request"));
    }
    // Paging through the results.
    let tokyo = "%E6%9D%B1%E4%BA%AC%E9%83%BD";
    for (asked, first, second) in [
        (format!("kind=query&text={tokyo}"), "1–20 / 34", "21–34 / 34"),
        (format!("text=/v1/postalcode/?q={tokyo}%26limit=5"), "1–5 / 34", "6–10 / 34"),
    ] {
        browser.go(&site.url(&format!("/dashboard/playground?{asked}")));
        assert!(browser.text("#found .pages").contains(first), "{}", browser.text("#found .pages"));
        assert!(!browser.has("#found a[rel=prev]"));
        browser.follow("#found a[rel=next]");
        assert!(
            browser.text("#found .pages").contains(second),
            "{}",
            browser.text("#found .pages")
        );
        browser.picture("playground-page");
        browser.follow("#found a[rel=prev]");
        assert!(browser.text("#found .pages").contains(first), "{}", browser.text("#found .pages"));
    }
    // The paging links are below the records and above the explanation of the address.
    browser.go(&site.url(&format!("/dashboard/playground?kind=address&text={tokyo}")));
    let order = "const [pages, explain] = ['.pages', '.explain'].map((it) => document.querySelector(`#found ${it}`)); \
                 return !!(pages.compareDocumentPosition(explain) & Node.DOCUMENT_POSITION_FOLLOWING)";
    assert_eq!(browser.script(order), true);
    // Records of a kind without a list of columns, and a response without records.
    browser.go(&site.url("/dashboard/playground"));
    browser.fill("input[name=text]", "/v1/holidays?year=2026");
    browser.wait_for_text("#found table", "元日");
    browser.fill("input[name=text]", "/v1/whoami");
    browser.wait_for_text("#found .request", "/v1/whoami");
    assert!(!browser.has("#found .count") && !browser.has("#found table"));
    // The request is shown without escapes that are not needed.
    browser.fill("input[name=text]", "/v1/postalcode/?q=city:千代田区");
    browser.wait_for_text("#found .request", "GET /v1/postalcode/?q=city:千代田区");
    // An unknown town, and the suggested one.
    browser.fill("input[name=text]", "東京都千代田区千代山1-1");
    browser.wait_for_text("#found .notice", "千代田区 has no town 千代山.");
    assert!(browser.text("#found tr.corrected").contains("unknown town"));
    browser.picture("playground-mistyped");
    browser.follow("#found .notice a");
    assert!(browser.text("#found").contains("matched to the lot number"));
    assert!(!browser.has("#found .notice"), "{}", browser.text("#found"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn playground_works_without_script_and_names_the_plan_needed() {
    let site = Site::start();
    let operator = site.session("", OPERATOR);
    let page = site.get("/dashboard/playground?text=1000001&kind=guess", &operator.cookie);
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("<td>1000001</td>") && text.contains("<!doctype html>"), "{text}");
    let part = site.get("/dashboard/playground?text=1000001&fragment=1", &operator.cookie).text();
    assert!(part.contains("<td>1000001</td>") && !part.contains("<html"), "{part}");
    // The request is shown as it is sent, with a misspelt parameter that has no effect.
    let target = "text=%2Fv1%2Fpostalcode%2F1000001%3Fverison%3D2026-05-29";
    let page = site.get(&format!("/dashboard/playground?{target}"), &operator.cookie).text();
    assert!(page.contains("GET /v1/postalcode/1000001?verison=2026-05-29"), "{page}");
    assert!(
        page.contains("unknown parameter verison has no effect, the nearest is version"),
        "{page}"
    );
    // The account demo has the plan standard: corporate numbers are not in it.
    let fields = [
        ("token", operator.token.as_str()),
        ("action", "password"),
        ("password", "demo's password"),
    ];
    site.post("/dashboard/account/1/settings", &operator.cookie, &fields);
    let demo = site.session("demo", "demo's password");
    let page = site.get("/dashboard/playground?text=7000012050002", &demo.cookie);
    assert!(page.text().contains("expected the plan premium or above"), "{}", page.text());
    assert!(page.text().contains("daicho account set demo --plan premium"), "{}", page.text());
    assert!(page.text().contains("your plan") && !page.text().contains("kind=corporation\""));
    let page = site.get("/dashboard/playground?text=7000012050002", &operator.cookie);
    assert!(!page.text().contains("expected the plan"), "{}", page.text());
}

#[test]
fn malformed_texts_get_a_page() {
    let site = Site::start();
    let operator = site.session("", OPERATOR);
    for query in [
        "text=%FF",
        "text=%",
        "text=a&text=b",
        "kind=nothing&text=x",
        "text=%00",
        "text=..%2F..%2Fmetrics&kind=postal",
        "text=%3Fx&kind=bank",
        "text=%2Fv1%2F..%2Fmetrics",
        "text=%2Fmetrics&kind=target",
        "text=%2Fv1%2F%25%25%3F%25%3D&kind=target",
        "text=%E3%81%82&kind=target",
        "text=%22&kind=query",
    ] {
        let page = site.get(&format!("/dashboard/playground?{query}"), &operator.cookie);
        assert_eq!(page.status, 200, "{query}: {}", page.text());
        assert!(!page.text().contains("daicho_http_requests"), "{query} left the API");
    }
    let long = "x".repeat(5000);
    let page = site.get(&format!("/dashboard/playground?text={long}"), &operator.cookie);
    assert_eq!(page.status, 200);
    let longer = "x".repeat(40_000);
    let page = site.get(&format!("/dashboard/playground?text={longer}"), &operator.cookie);
    assert_eq!(page.status, 413);
}
