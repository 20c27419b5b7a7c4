//! Entity tags, `Cache-Control`, conditional requests and compression.

use std::io::Read;

use crate::support::{Answer, Client, NEWEST, ServerProcess, ask};

const CODE: &str = "/v1/postalcode/1000001";

#[track_caller]
fn tag(answer: &Answer) -> String {
    assert_eq!(answer.status, 200);
    answer.header("etag").expect("a tag").to_owned()
}

#[test]
fn a_pinned_version_is_immutable_and_the_latest_is_revalidated() {
    let served = ServerProcess::start();
    for path in [CODE, "/v1/postalcode/updates/", "/v1/cities/13"] {
        let latest = served.get(path);
        assert_eq!(latest.header("cache-control"), Some("private, no-cache"), "{path}");
        let pinned = served.get(&format!("{path}?version=2026-06-30"));
        let forever = "private, max-age=31536000, immutable";
        assert_eq!(pinned.header("cache-control"), Some(forever), "{path}");
        assert_eq!(tag(&latest), tag(&pinned), "the same data have one tag");
    }
    let versions = served.get("/v1/postalcode/versions/");
    assert_eq!(versions.header("cache-control"), Some("private, no-cache"));
    tag(&versions);
    assert_eq!(served.get("/v1/whoami").header("cache-control"), Some("no-store"));
}

#[test]
fn a_tag_differs_by_data_version_and_api_version() {
    let served = ServerProcess::start();
    let mut tags = Vec::new();
    for query in ["version=2026-06-30", "version=2026-05-29", "version=2022-06-30"] {
        for api in ["2022-09-01", "2025-01-01", NEWEST] {
            let target = format!("{CODE}?{query}&api_version={api}");
            tags.push(tag(&served.get(&target)));
        }
    }
    let count = tags.len();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), count, "{tags:?}");
}

#[test]
fn a_matching_tag_gives_304() {
    let served = ServerProcess::start();
    let known = tag(&served.get(CODE));
    let strong = known.trim_start_matches("W/");
    for (values, status) in [
        (known.clone(), 304),
        (strong.to_owned(), 304),
        (format!("\"x\", {known}"), 304),
        (format!("\"x\"\nIf-None-Match: {known}"), 304),
        ("*".to_owned(), 304),
        ("\"x\"".to_owned(), 200),
        (strong.trim_matches('"').to_owned(), 200),
    ] {
        let answer = served.get_with(CODE, &format!("If-None-Match: {values}"));
        assert_eq!(answer.status, status, "{values}");
        assert_eq!(answer.header("etag"), Some(known.as_str()));
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        assert!(answer.header("vary").is_some() && answer.header("api-version").is_some());
        if status == 304 {
            assert_eq!(answer.header("content-type"), None);
        }
    }
    // An unknown code is 404, even if the client sends a matching tag.
    let answer = served.get_with("/v1/postalcode/9999999", &format!("If-None-Match: {known}, *"));
    assert_eq!(answer.status, 404);
    let other_shape = format!("If-None-Match: {known}\nAPI-Version: 2022-09-01");
    assert_eq!(served.get_with(CODE, &other_shape).status, 200);
    let head =
        format!("HEAD {CODE}\nAuthorization: Token {}\nIf-None-Match: {known}", served.secret);
    assert_eq!(ask(served.address, &head).status, 304);
}

#[test]
fn a_304_leaves_the_connection_usable() {
    let served = ServerProcess::start();
    let known = tag(&served.get(CODE));
    let mut client = Client::connect(served.address);
    let key = &served.secret;
    for _ in 0..3 {
        client.send(&format!(
            "GET {CODE} HTTP/1.1\nHost: x\nAuthorization: Token {key}\nIf-None-Match: {known}"
        ));
        assert_eq!(client.receive().status, 304);
    }
}

#[test]
fn a_long_answer_has_the_encoding_that_the_client_prefers() {
    let served = ServerProcess::start();
    let long = "/v1/postalcode/updates/?version=2026-06-30";
    let plain = served.get(long);
    assert_eq!(plain.header("content-encoding"), None);
    assert!(plain.body.len() > 4096, "{}", plain.body.len());
    let unpack = |answer: &Answer| -> Vec<u8> {
        match answer.header("content-encoding") {
            Some("zstd") => {
                zstd::bulk::decompress(&answer.body, 10 * plain.body.len()).expect("zstd")
            }
            Some("gzip") => {
                let mut body = Vec::new();
                let mut decoder = flate2::read::GzDecoder::new(&*answer.body);
                decoder.read_to_end(&mut body).expect("gzip");
                body
            }
            None => answer.body.clone(),
            Some(other) => panic!("{other}"),
        }
    };
    for (accepted, expected) in [
        ("gzip", Some("gzip")),
        ("zstd", Some("zstd")),
        ("gzip, deflate, br, zstd", Some("zstd")),
        ("gzip;q=0.9, zstd;q=0.5", Some("gzip")),
        ("gzip;q=0", None),
        ("br", None),
        ("identity", None),
    ] {
        let answer = served.get_with(long, &format!("Accept-Encoding: {accepted}"));
        assert_eq!((answer.status, answer.header("content-encoding")), (200, expected));
        assert_eq!(unpack(&answer), plain.body, "{accepted}");
        assert!(expected.is_none() || answer.body.len() * 4 < plain.body.len());
        assert_eq!(answer.header("etag"), plain.header("etag"));
        assert!(answer.header("vary").expect("vary").contains("Accept-Encoding"));
    }
    let short = served.get_with(CODE, "Accept-Encoding: gzip, zstd");
    assert_eq!(short.header("content-encoding"), None, "a short answer is not compressed");
}
