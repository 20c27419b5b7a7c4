//! The header `Daicho-Notice` for parameters without effect.

use crate::support::{ServerProcess, ask, post};

const VERISON: &str = "unknown parameter verison has no effect, the nearest is version";

#[test]
fn an_unknown_parameter_is_named_and_changes_nothing_else() {
    let served = ServerProcess::start();
    for path in [
        "/v1/postalcode/1000001",
        "/v1/postalcode/versions",
        "/v1/cities/13",
        "/v1/bank",
        "/v1/bank/0001/branches",
        "/v1/download/postalcode/latest/kenall.json.xz",
    ] {
        let plain = served.get(path);
        assert_eq!((plain.status, plain.header("daicho-notice")), (200, None), "{path}");
        let misspelt = served.get(&format!("{path}?verison=2026-05-29"));
        assert_eq!((misspelt.status, &misspelt.body), (200, &plain.body), "{path}");
        let expected = match path {
            "/v1/postalcode/versions" | "/v1/download/postalcode/latest/kenall.json.xz" => {
                "unknown parameter verison has no effect"
            }
            _ => VERISON,
        };
        assert_eq!(misspelt.header("daicho-notice"), Some(expected), "{path}");
        assert_eq!(misspelt.header("etag"), plain.header("etag"), "{path}");
        let head = format!("HEAD {path}?verison=x\nAuthorization: Token {}", served.secret);
        assert_eq!(ask(served.address, &head).header("daicho-notice"), Some(expected));
        if let Some(tag) = plain.header("etag") {
            let tag = format!("If-None-Match: {tag}");
            let known = served.get_with(&format!("{path}?verison=x"), &tag);
            assert_eq!((known.status, known.header("daicho-notice")), (304, Some(expected)));
        }
    }
}

#[test]
fn errors_and_batches_have_the_notice() {
    let served = ServerProcess::start();
    let wrong = served.get("/v1/postalcode/1?verison=x");
    wrong.expect_error(400, "invalid_postal_code", Some("postal_code"));
    assert_eq!(wrong.header("daicho-notice"), Some(VERISON));
    let target = "/v1/batch/postalcode/search?verison=x";
    let batch = post(served.address, target, &served.batch, br#"{"queries":[]}"#);
    assert_eq!((batch.status, batch.header("daicho-notice")), (200, Some(VERISON)));
    let search = served.get("/v1/postalcode/?q=%E5%8D%83%E4%BB%A3%E7%94%B0&limt=1&Offset=2");
    let expected = "unknown parameter limt has no effect, the nearest is limit; \
                    unknown parameter Offset has no effect, the nearest is offset";
    assert_eq!((search.status, search.header("daicho-notice")), (200, Some(expected)));
    // Without a key, unknown parameters are not reported.
    let nobody = ask(served.address, "GET /v1/whoami?x=y");
    nobody.expect_error(401, "missing_key", None);
    assert_eq!(nobody.header("daicho-notice"), None);
}

#[test]
fn the_notice_is_short_ascii_for_any_input() {
    let served = ServerProcess::start();
    let long = format!("/v1/whoami?{}", "x%E7%89%88".repeat(700));
    for target in
        ["/v1/whoami?%0D%0AX-Evil:1=1", "/v1/whoami?\u{7248}=1", "/v1/whoami?%00&%ff", &long]
    {
        let answer = served.get(target);
        assert_eq!((answer.status, answer.header("x-evil")), (200, None), "{target}");
        let notice = answer.header("daicho-notice").expect("a notice");
        assert!(notice.is_ascii() && notice.len() < 1000, "{notice}");
    }
}
