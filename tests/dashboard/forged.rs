//! Requests that no page of the dashboard sends: forged and broken forms, guessed passwords, large
//! bodies. Also the security headers of every page, and pages while the store is unreachable.

use super::site::{OPERATOR, Site, get, send};
use crate::support::{Client, ask};

#[test]
fn form_needs_its_sessions_token_and_this_sites_origin() {
    let site = Site::start();
    let (one, other) = (site.session("", OPERATOR), site.session("", OPERATOR));
    let path = "/dashboard/accounts";
    let post = |token: &str, headers: &str| {
        let body = format!("token={token}&name=made&plan=standard");
        send(site.served.address, path, &one.cookie, headers, body.as_bytes()).status
    };
    for token in ["", "x", &other.token] {
        assert_eq!(post(token, ""), 403, "{token}");
    }
    let here = format!("Origin: http://{}", site.served.address);
    for headers in ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        assert_eq!(post(&one.token, headers), 403, "{headers}");
    }
    let names = || get(site.served.address, path, &one.cookie).text();
    assert!(!names().contains(">made<"), "no account was created");
    assert_eq!(post(&one.token, &here), 200);
    assert!(names().contains(">made<"));
    // A sign-in from another site's form is refused too.
    let body = format!("name=&password={}", "x".repeat(12));
    let elsewhere = "Origin: https://evil.example";
    let answer = send(site.served.address, "/dashboard/login", "", elsewhere, body.as_bytes());
    assert_eq!(answer.status, 403);
}

#[test]
fn broken_forms_and_wrong_methods_are_refused() {
    let site = Site::start();
    let session = site.session("", OPERATOR);
    let post = |path: &str, body: &[u8]| send(site.served.address, path, &session.cookie, "", body);
    assert_eq!(post("/dashboard/accounts", b"name=%ff").status, 400);
    assert_eq!(post("/dashboard/accounts", b"name=%").status, 400);
    assert_eq!(post("/dashboard/accounts", &b"a=1&".repeat(100)).status, 400);
    assert_eq!(post("/dashboard/accounts", &vec![b'a'; 65 * 1024]).status, 413);
    let answer = post("/dashboard/figures", b"");
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")));
    let answer = get(site.served.address, "/dashboard/logout", &session.cookie);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    let answer = ask(site.served.address, "DELETE /dashboard/accounts");
    assert_eq!(answer.status, 405);
    let token = ("token", session.token.as_str());
    for (path, fields) in [
        ("/dashboard/accounts", vec![("name", ""), ("plan", "standard")]),
        ("/dashboard/accounts", vec![("name", "a\nb"), ("plan", "standard")]),
        ("/dashboard/accounts", vec![("name", "a"), ("plan", "gold")]),
        ("/dashboard/accounts", vec![("name", "a"), ("plan", "standard"), ("password", "short")]),
        ("/dashboard/account/1/keys", vec![]),
        ("/dashboard/account/1/keys", vec![("action", "create"), ("kind", "other")]),
        ("/dashboard/account/1/keys", vec![("action", "disable"), ("key", "x")]),
        ("/dashboard/account/1/keys", vec![("action", "disable"), ("key", "99")]),
        ("/dashboard/account/1/keys", vec![("action", "enable"), ("key", "1")]),
        ("/dashboard/account/1/keys", vec![("action", "save"), ("key", "99")]),
        ("/dashboard/account/1/keys", vec![("action", "save"), ("key", "1"), ("origins", "")]),
        ("/dashboard/account/1/keys", vec![("action", "save"), ("key", "2"), ("origins", "*")]),
        ("/dashboard/account/1/keys", vec![("action", "save"), ("key", "1"), ("label", "a\nb")]),
        ("/dashboard/account/1/delete", vec![]),
        ("/dashboard/account/1/delete", vec![("name", "other")]),
        ("/dashboard/account/1/settings", vec![("action", "version"), ("version", "2022")]),
        ("/dashboard/account/1/settings", vec![("action", "plan"), ("plan", "")]),
        ("/dashboard/account/1/settings", vec![("action", "password"), ("password", "short")]),
        ("/dashboard/account/1/settings", vec![("action", "x")]),
        ("/dashboard/account/1/settings", vec![("action", "quota"), ("rate", "fast")]),
        ("/dashboard/account/1/settings", vec![("action", "quota"), ("rate", "9999999999")]),
        ("/dashboard/plans", vec![("plan", "gold")]),
        ("/dashboard/plans", vec![("plan", "standard"), ("rate", "-1")]),
        ("/dashboard/plans", vec![("plan", "standard"), ("burst", "1")]),
        ("/dashboard/account/4/webhook", vec![("action", "url"), ("url", "")]),
        ("/dashboard/account/4/webhook", vec![("action", "url"), ("url", "http://u:p@a.example/")]),
        ("/dashboard/account/4/webhook", vec![("action", "rotate")]),
        ("/dashboard/account/4/webhook", vec![("action", "test")]),
        ("/dashboard/account/4/webhook", vec![("action", "redeliver"), ("delivery", "x")]),
        ("/dashboard/account/4/webhook", vec![("action", "x")]),
        ("/dashboard/account/1/webhook", vec![("action", "test")]),
        ("/dashboard/account/4/watch", vec![("action", "add"), ("numbers", "")]),
        ("/dashboard/account/4/watch", vec![("action", "add"), ("numbers", "7000012050002")]),
        ("/dashboard/account/4/watch", vec![("action", "x"), ("numbers", "7000012050002")]),
    ] {
        let mut all = vec![token];
        all.extend(fields);
        let answer = site.post(path, &session.cookie, &all);
        assert_eq!(answer.status, 400, "{path} {all:?}: {}", answer.text());
        assert!(answer.text().contains("role=\"alert\""), "{path} {all:?}");
    }
    assert!(
        !get(site.served.address, "/dashboard/accounts", &session.cookie).text().contains(">a<")
    );
}

#[test]
fn repeated_guesses_must_wait_and_do_not_reveal_names() {
    let site = Site::start();
    let guess = |name: &str| {
        let fields = [("name", name), ("password", "a wrong guess")];
        site.post("/dashboard/login", "", &fields)
    };
    let notice = |name: &str| {
        let text = guess(name).text();
        let text = text.split("role=\"alert\">").nth(1).expect("a notice").to_owned();
        text.split("</p>").next().expect("its end").to_owned()
    };
    assert_eq!(notice("demo"), notice("nobody"));
    assert_eq!(notice("nobody"), notice("a\u{1}b"));
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(guess("demo").status);
    }
    assert_eq!(statuses, [403, 403, 403, 403, 429, 429]);
    let waits = guess("demo");
    let seconds: u64 = waits.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=2).contains(&seconds), "{seconds}");
    // The wait applies to this name only: another account and the operator need not wait.
    assert_eq!(guess("old").status, 403);
    let right = [("name", ""), ("password", OPERATOR)];
    assert_eq!(site.post("/dashboard/login", "", &right).status, 303);
    // The number of names tried from one address is limited.
    let mut last = 0;
    for number in 0..30 {
        last = guess(&format!("name {number}")).status;
    }
    assert_eq!(last, 429);
}

#[test]
fn every_page_has_security_headers_and_loads_nothing_from_elsewhere() {
    let site = Site::start();
    let session = site.session("", OPERATOR);
    for path in [
        "/dashboard/login",
        "/dashboard/figures",
        "/dashboard/accounts",
        "/dashboard/data",
        "/dashboard/playground?text=1000001",
        "/dashboard/account/1/keys",
        "/dashboard/account/1/settings",
        "/dashboard/account/1/usage",
        "/dashboard/account/4/webhook",
        "/dashboard/account/4/watch",
        "/dashboard/plans",
        "/dashboard/style.css",
        "/dashboard/script.js",
        "/dashboard/icon.svg",
        "/dashboard/nothing",
    ] {
        let cookie = if path.ends_with("login") { "" } else { &session.cookie };
        let answer = site.get(path, cookie);
        let header = |name: &str| answer.header(name).unwrap_or_default().to_owned();
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("x-frame-options"), "DENY", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        let text = answer.text();
        for inline in [" style=", " onclick=", "<style", "javascript:"] {
            assert!(!text.contains(inline), "{path} has {inline}");
        }
        let outside = text.match_indices("http").filter(|(at, _)| {
            ["src=\"", "href=\"", "action=\"", "url("]
                .iter()
                .any(|mark| text[..*at].ends_with(mark))
        });
        assert_eq!(outside.count(), 0, "{path} loads from elsewhere");
        assert!(answer.body.len() < 64 * 1024, "{path} has {} bytes", answer.body.len());
    }
}

#[test]
fn unavailable_store_is_reported_and_look_ups_still_work() {
    let site = Site::start();
    let session = site.session("", OPERATOR);
    let (state, aside) = (site.served.state(), site.served.folder.path().join("aside.db"));
    std::fs::rename(&state, &aside).expect("moved");
    let page = site.get("/dashboard/accounts", &session.cookie);
    assert_eq!((page.status, page.header("retry-after")), (503, Some("5")), "{}", page.text());
    assert!(page.text().contains("keeps serving look-ups"), "{}", page.text());
    let fields = [("token", session.token.as_str()), ("name", "made"), ("plan", "standard")];
    assert_eq!(site.post("/dashboard/accounts", &session.cookie, &fields).status, 503);
    let right = [("name", ""), ("password", OPERATOR)];
    assert_eq!(site.post("/dashboard/login", "", &right).status, 503);
    assert_eq!(site.served.get("/v1/postalcode/1000001").status, 200);
    std::fs::rename(&aside, &state).expect("moved back");
    let page = site.get("/dashboard/accounts", &session.cookie);
    assert_eq!(page.status, 200, "the session is still valid");
    assert!(!page.text().contains(">made<"));
}

#[test]
fn large_bodies_are_refused_before_signing_in() {
    let site = Site::start();
    for path in ["/dashboard/login", "/dashboard/account/4/watch", "/dashboard/accounts"] {
        let answer = send(site.served.address, path, "", "", &vec![b'a'; 5000]);
        assert_eq!(answer.status, 413, "{path}");
    }
    let answer = send(site.served.address, "/dashboard/accounts", "", "", b"name=a");
    assert_eq!(answer.status, 403);
}

#[test]
fn session_begun_with_https_needs_https() {
    let site = Site::start();
    let fields = format!("name=&password={}", OPERATOR.replace(' ', "+").replace('\'', "%27"));
    let https = "X-Forwarded-Proto: https";
    let address = site.served.address;
    let answer = send(address, "/dashboard/login", "", https, fields.as_bytes());
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    for part in ["__Host-daicho=", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/;"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let value = cookie.split(';').next().expect("a value");
    let page = "/dashboard/figures";
    let head = format!("GET {page}\nCookie: {value}");
    assert_eq!(ask(address, &head).status, 303, "the session is refused without HTTPS");
    assert_eq!(ask(address, &format!("{head}\n{https}")).status, 200);
    // The response to HEAD has no body.
    let mut client = Client::connect(address);
    client.send("HEAD /dashboard/login HTTP/1.1\nHost: x");
    assert_eq!(client.receive_any(false).expect("an answer").status, 200);
}
