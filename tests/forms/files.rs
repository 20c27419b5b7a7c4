//! The script's files over HTTP: names, caching, headers that let other origins load them, size, integrity hashes.

use daicho::text::codes::ApiVersion;
use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256, Sha384};

use crate::support::{ServerProcess, ask};

const SCRIPTS: [&str; 2] = ["/js/daicho.js", "/js/daicho.mjs"];

/// The path with a hash of the content in the file name.
fn immutable(path: &str, text: &str) -> String {
    let (stem, ending) = path.rsplit_once('.').expect("an ending");
    format!("{stem}-{}.{ending}", &HEXLOWER.encode(&Sha256::digest(text))[..16])
}

#[test]
fn the_script_is_cached_briefly_by_name_and_forever_by_hash() {
    let server = ServerProcess::start();
    for path in SCRIPTS {
        let short = ask(server.address, &format!("GET {path}"));
        assert_eq!(short.status, 200);
        assert_eq!(short.header("content-type"), Some("text/javascript; charset=utf-8"));
        let caching = short.header("cache-control").expect("caching");
        assert_eq!(caching, "public, max-age=600, stale-while-revalidate=86400");
        let long = ask(server.address, &format!("GET {}", immutable(path, &short.text())));
        assert_eq!(long.status, 200, "{path}");
        assert_eq!(long.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(long.text(), short.text());
        for answer in [&short, &long] {
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
            assert_eq!(answer.header("cross-origin-resource-policy"), Some("cross-origin"));
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            assert_eq!(answer.header("vary"), Some("Accept-Encoding"));
        }
        let tag = short.header("etag").expect("a tag");
        let again = ask(server.address, &format!("GET {path}\nIf-None-Match: {tag}"));
        assert_eq!((again.status, again.text().as_str()), (304, ""));
        assert!(again.header("access-control-allow-origin").is_some());
    }
}

#[test]
fn source_maps_and_types_are_served_and_nothing_else() {
    let server = ServerProcess::start();
    for path in SCRIPTS {
        let text = ask(server.address, &format!("GET {path}")).text();
        let named = text.trim_end().rsplit_once("//# sourceMappingURL=").expect("named").1;
        assert_eq!(format!("/js/{named}"), format!("{path}.map"));
        let map = ask(server.address, &format!("GET {path}.map")).json();
        assert_eq!(map["version"], 3);
        let sources = map["sourcesContent"].as_array().expect("sources");
        assert!(sources.len() > 5 && sources.iter().all(|source| source.as_str().is_some()));
    }
    let types = ask(server.address, "GET /js/daicho.d.ts");
    assert!(types.text().contains("export function fill("));
    for path in ["/js", "/js/", "/js/other.js", "/js/daicho-0000000000000000.js", "/demo/x"] {
        ask(server.address, &format!("GET {path}")).expect_error(404, "no_such_endpoint", None);
    }
    let answer = ask(server.address, "POST /js/daicho.js");
    answer.expect_error(405, "method_not_allowed", None);
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
    let head = ask(server.address, "HEAD /js/daicho.js");
    assert!(head.status == 200 && head.text().is_empty());
}

#[test]
fn the_script_is_below_12_kb_in_each_compression() {
    let server = ServerProcess::start();
    for path in SCRIPTS {
        for coding in ["gzip", "zstd"] {
            let answer = ask(server.address, &format!("GET {path}\nAccept-Encoding: {coding}"));
            assert_eq!(answer.header("content-encoding"), Some(coding));
            assert!(answer.body.len() < 12_000, "{path}: {} bytes as {coding}", answer.body.len());
        }
    }
}

#[test]
fn the_documentation_and_the_demonstration_show_the_served_integrity_hash() {
    let server = ServerProcess::start();
    let text = ask(server.address, "GET /js/daicho.js").text();
    let integrity = format!("sha384-{}", BASE64.encode(&Sha384::digest(&text)));
    let name = immutable("/js/daicho.js", &text);
    for path in ["/docs/forms", "/docs/ja/forms", "/demo", "/demo/ja"] {
        let page = ask(server.address, &format!("GET {path}")).text();
        assert!(page.contains(&integrity) && page.contains(&name), "{path}: run `make js`");
    }
}

#[test]
fn the_script_requests_the_newest_api_version() {
    let server = ServerProcess::start();
    let text = ask(server.address, "GET /js/daicho.js").text();
    assert!(
        text.contains(ApiVersion::NEWEST.as_str()),
        "client.js: expected the newest API version in the header"
    );
}
