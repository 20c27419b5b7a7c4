//! The site that a client addressed: its host, and whether the client uses HTTPS.

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName};
use hyper::http::request::Parts;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The requested host, which HTTP/2 has in the target and HTTP/1 in a header.
pub fn host(head: &Parts) -> Option<&str> {
    let authority = head.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| head.headers.get(HOST)?.to_str().ok())
}

/// Whether `X-Forwarded-Proto` says that the client uses HTTPS. Any peer can send it, so it must decide only what
/// concerns that client.
pub fn is_forwarded_https(headers: &HeaderMap) -> bool {
    headers
        .get(FORWARDED_PROTO)
        .is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// The origin of pages of this site, such as `https://daicho.example`, if the request names a host.
pub fn origin(head: &Parts) -> Option<String> {
    let scheme = if is_forwarded_https(&head.headers) { "https" } else { "http" };
    host(head).map(|host| format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    #[test]
    fn the_origin_is_that_of_the_client() {
        #[track_caller]
        fn check(target: &str, headers: &[(&str, &str)], expected: Option<&str>) {
            let mut request = Request::builder().uri(target);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (head, ()) = request.body(()).expect("a request").into_parts();
            assert_eq!(origin(&head).as_deref(), expected, "{target} {headers:?}");
        }
        let host = ("host", "daicho.example:8080");
        check("/demo", &[], None);
        check("/demo", &[host], Some("http://daicho.example:8080"));
        check(
            "/demo",
            &[host, ("x-forwarded-proto", "HTTPS")],
            Some("https://daicho.example:8080"),
        );
        check("/demo", &[host, ("x-forwarded-proto", "http")], Some("http://daicho.example:8080"));
        // HTTP/2 has the host in the target.
        check("http://a.example/demo", &[], Some("http://a.example"));
        let proxied = [("x-forwarded-proto", "https")];
        check("http://a.example/demo", &proxied, Some("https://a.example"));
    }
}
