//! Cross-origin requests: preflights and the headers that let a page read answers.

use crate::support::{SHOP, ServerProcess, ask};

const ALLOW_ORIGIN: &str = "access-control-allow-origin";

fn preflight(served: &ServerProcess, path: &str, origin: &str) -> crate::support::Answer {
    ask(
        served.address,
        &format!(
            "OPTIONS {path}\nOrigin: {origin}\nAccess-Control-Request-Method: GET\n\
             Access-Control-Request-Headers: authorization"
        ),
    )
}

#[test]
fn a_preflight_needs_no_key_for_a_registered_origin() {
    let served = ServerProcess::start();
    for origin in [SHOP, "http://localhost:3000", "http://127.0.0.1:8000"] {
        let answer = preflight(&served, "/v1/postalcode/1000001", origin);
        assert_eq!(answer.status, 204, "{origin}");
        assert_eq!(answer.header(ALLOW_ORIGIN), Some(origin));
        let allowed = "Authorization, Content-Type, KenAll-API-Version, API-Version";
        assert_eq!(answer.header("access-control-allow-headers"), Some(allowed));
        assert!(answer.header("access-control-allow-methods").expect("methods").contains("GET"));
        assert_eq!(answer.header("access-control-max-age"), Some("86400"));
        assert!(answer.header("vary").expect("vary").contains("Origin"));
    }
}

#[test]
fn a_preflight_from_another_origin_is_not_allowed() {
    let served = ServerProcess::start();
    for origin in ["https://other.example", "null", "https://shop.example.evil.example", ""] {
        let answer = preflight(&served, "/v1/postalcode/1000001", origin);
        assert_eq!(answer.status, 204, "{origin}");
        assert_eq!(answer.header(ALLOW_ORIGIN), None, "{origin}");
        assert_eq!(answer.header("access-control-allow-headers"), None);
        assert!(answer.header("vary").expect("vary").contains("Origin"));
    }
    preflight(&served, "/v1/nothing", "null").expect_error(404, "no_such_endpoint", None);
}

#[test]
fn a_page_can_read_the_404_of_an_unknown_path() {
    let served = ServerProcess::start();
    for path in ["/v1/nothing", "/v1/postalcode/1000001/x", "/nothing"] {
        let answer = preflight(&served, path, SHOP);
        assert_eq!((answer.status, answer.header(ALLOW_ORIGIN)), (204, Some(SHOP)), "{path}");
        assert!(answer.header("access-control-allow-headers").is_some());
        assert_eq!(answer.header("allow"), None, "an unknown path has no methods");
        let head = format!("GET {path}\nAuthorization: Token {}\nOrigin: {SHOP}", served.public);
        let answer = ask(served.address, &head);
        answer.expect_error(404, "no_such_endpoint", None);
        assert_eq!(answer.header(ALLOW_ORIGIN), Some(SHOP));
    }
    // Without Access-Control-Request-Method it is no preflight, and the unknown path is 404.
    let plain = ask(served.address, &format!("OPTIONS /v1/nothing\nOrigin: {SHOP}"));
    plain.expect_error(404, "no_such_endpoint", None);
}

#[test]
fn options_without_an_origin_lists_the_methods() {
    let served = ServerProcess::start();
    let answer = ask(served.address, "OPTIONS /v1/whoami");
    assert_eq!((answer.status, answer.header("allow")), (204, Some("GET, HEAD, OPTIONS")));
    assert_eq!(answer.header("access-control-allow-methods"), None);
}

#[test]
fn a_page_of_a_registered_origin_can_read_answers_and_errors() {
    let served = ServerProcess::start();
    let (public, unbound) = (&served.public, &served.unbound);
    for (path, key, origin, status, readable) in [
        ("/v1/postalcode/1000001", public, SHOP, 200, true),
        ("/v1/postalcode/1", public, SHOP, 400, true),
        ("/v1/nothing", public, SHOP, 404, true),
        ("/v1/postalcode/1000001", unbound, "http://localhost", 200, true),
        ("/v1/postalcode/1000001", public, "http://localhost", 403, true),
        ("/v1/postalcode/1000001", public, "https://other.example", 403, false),
    ] {
        let head = format!("GET {path}\nAuthorization: Token {key}\nOrigin: {origin}");
        let answer = ask(served.address, &head);
        assert_eq!(answer.status, status, "{path} {origin}");
        assert_eq!(answer.header(ALLOW_ORIGIN), readable.then_some(origin), "{path} {origin}");
        let exposed = answer.header("access-control-expose-headers");
        let exposes = |name| exposed.is_some_and(|names| names.contains(name));
        assert_eq!((exposes("ETag"), exposes("Daicho-Notice")), (readable, readable));
    }
    let answer = ask(served.address, &format!("GET /v1/whoami\nOrigin: {SHOP}"));
    answer.expect_error(401, "missing_key", None);
    assert_eq!(answer.header(ALLOW_ORIGIN), Some(SHOP), "a page can read that its key is missing");
    assert_eq!(served.get("/v1/whoami").header(ALLOW_ORIGIN), None);
}
