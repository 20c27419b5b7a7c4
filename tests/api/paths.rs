//! Unknown paths, methods that a path does not have, and `HEAD`.

use crate::support::{ServerProcess, ask};

#[test]
fn an_unknown_path_is_404_with_or_without_a_key() {
    let served = ServerProcess::start();
    for path in [
        "/v1",
        "/v1/",
        "/v1/batch",
        "/v1/batch/postalcode",
        "/v1/cities/",
        "/v2/whoami",
        "/v1/banks",
        "/v1/postalcode/1000001/x",
        "/v1//whoami",
        "/v1/whoami//",
        "/V1/whoami",
        "/v1/%77hoami",
        "/v1/../v1/whoami",
    ] {
        served.get(path).expect_error(404, "no_such_endpoint", None);
        ask(served.address, &format!("GET {path}")).expect_error(404, "no_such_endpoint", None);
    }
}

#[test]
fn another_method_is_405_and_lists_the_allowed_ones() {
    let served = ServerProcess::start();
    for path in ["/v1/postalcode/1000001", "/v1/whoami/", "/healthz", "/metrics"] {
        for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"] {
            let answer = ask(served.address, &format!("{method} {path}"));
            answer.expect_error(405, "method_not_allowed", None);
            assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"), "{method} {path}");
        }
    }
    for method in ["GET", "HEAD", "PUT", "DELETE"] {
        let answer = ask(served.address, &format!("{method} /v1/batch/postalcode/search"));
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST, OPTIONS")));
    }
    ask(served.address, "POST /nothing").expect_error(404, "no_such_endpoint", None);
}

#[test]
fn head_has_the_answer_of_get_without_the_body() {
    let served = ServerProcess::start();
    for path in ["/v1/postalcode/1000001", "/v1/cities/13/", "/v1/postalcode/x", "/healthz", "/x"] {
        let get = served.get(path);
        let key = &served.secret;
        let head = ask(served.address, &format!("HEAD {path}\nAuthorization: Token {key}"));
        assert_eq!(head.status, get.status, "{path}");
        let length = get.body.len().to_string();
        assert_eq!(head.header("content-length"), Some(length.as_str()), "{path}");
        for name in ["content-type", "etag", "cache-control", "api-version", "vary"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
    }
}
