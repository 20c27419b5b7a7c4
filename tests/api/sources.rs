//! `/v1/sources`, and `meta=1`, with which an answer names its sources.

use serde_json::Value;

use crate::support::{ServerProcess, ask};

/// The names of the datasets in an object with `sources`.
fn datasets(value: &Value) -> Vec<&str> {
    let sources = value["sources"].as_array().expect("a list");
    sources.iter().map(|source| source["dataset"].as_str().expect("a name")).collect()
}

#[test]
fn every_loaded_dataset_is_listed_with_its_terms() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/sources");
    assert_eq!(answer.status, 200);
    let body = answer.json();
    let expected = ["postal", "bank", "corporate", "invoice", "school", "holidays"];
    assert_eq!(datasets(&body), expected);
    for source in body["sources"].as_array().expect("a list") {
        let publications = source["publications"].as_array().expect("a list");
        assert!(!publications.is_empty(), "{source}");
        for publication in publications {
            for member in ["name", "publisher", "url", "licence", "credit"] {
                let text = publication[member].as_str().expect("a text");
                assert!(!text.is_empty(), "{publication}");
            }
            assert!(publication["url"].as_str().expect("a URL").starts_with("https://"));
        }
    }
    let postal = &body["sources"][0];
    assert_eq!(postal["version"], "2026-06-30");
    assert!(postal["age_days"].as_u64().expect("in the past") > 100);
    assert_eq!(
        (&postal["sample"], &postal["publications"][0]["publisher"]),
        (&true.into(), &"daicho".into())
    );
    // Answers say that the data are made up; a dataset's own answers name it alone.
    let marked = |path: &str| served.get(path).header("daicho-sample").map(str::to_owned);
    let expected = "the postal data are made up, for trials of the program";
    assert_eq!(marked("/v1/postalcode/1000001").as_deref(), Some(expected));
    assert_eq!(marked("/v1/postalcode/9999999").as_deref(), Some(expected));
    assert_eq!(marked("/v1/whoami"), None);
    let holidays = &body["sources"][5];
    assert!(holidays["version"].is_null() && holidays["age_days"].is_null());
    ask(served.address, "GET /v1/sources").expect_error(401, "missing_key", None);
    let empty = ServerProcess::with_snapshots(None, &[]);
    assert_eq!(datasets(&empty.get("/v1/sources").json()), ["holidays"]);
}

#[test]
fn an_answer_names_its_sources_where_the_request_asks() {
    let served = ServerProcess::start();
    for (path, expected) in [
        ("/v1/postalcode/1000001", &["postal"][..]),
        ("/v1/postalcode?q=千代田", &["postal"]),
        ("/v1/cities/13", &["postal"]),
        ("/v1/bank", &["bank"]),
        ("/v1/holidays?year=2026", &["holidays"]),
        ("/v1/businessdays/check?date=2026-11-27", &["holidays"]),
    ] {
        let join = if path.contains('?') { '&' } else { '?' };
        let plain = served.get(path);
        let answer = served.get(&format!("{path}{join}meta=1"));
        assert_eq!((plain.status, answer.status), (200, 200), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(answer.header("daicho-notice"), plain.header("daicho-notice"), "{path}");
        let mut body = answer.json();
        let meta = body.as_object_mut().expect("an object").remove("meta").expect("meta");
        assert_eq!(datasets(&meta), expected, "{path}");
        assert_eq!(body, plain.json(), "{path}");
        assert_eq!(served.get(&format!("{path}{join}meta=0")).text(), plain.text());
    }
}

#[test]
fn a_named_version_is_the_edition_and_a_known_tag_does_not_hide_the_sources() {
    let served = ServerProcess::start();
    let path = "/v1/postalcode/1000001?meta=1";
    let meta = |body: Value| body["meta"]["sources"][0]["version"].clone();
    assert_eq!(meta(served.get(&format!("{path}&version=2026-05-29")).json()), "2026-05-29");
    assert_eq!(meta(served.get(path).json()), "2026-06-30");
    let tag = served.get("/v1/postalcode/1000001");
    let tag = tag.header("etag").expect("a tag");
    let answer = served.get_with(path, &format!("If-None-Match: {tag}"));
    assert_eq!((answer.status, meta(answer.json())), (200, "2026-06-30".into()));
    // An answer that is kept compressed.
    let answer = served.get_with("/v1/bank?meta=1", "Accept-Encoding: gzip");
    assert_eq!(datasets(&answer.json()["meta"]), ["bank"]);
}

#[test]
fn batches_and_posted_searches_name_their_sources_and_errors_do_not() {
    let served = ServerProcess::start();
    let batch = served.post(
        "/v1/batch/postalcode/search?meta=1",
        r#"{"queries":[{"t":"東京都千代田区千代田1-1"}]}"#,
    );
    assert_eq!(batch.status, 200, "{}", batch.text());
    assert_eq!(datasets(&batch.json()["meta"]), ["postal"]);
    let found = served.post("/v1/postalcode", r#"{"q":"千代田","meta":"1"}"#);
    assert_eq!(found.status, 200, "{}", found.text());
    assert_eq!(datasets(&found.json()["meta"]), ["postal"]);
    let wrong = served.get("/v1/postalcode/1000001?meta=yes");
    wrong.expect_error(400, "invalid_parameter", Some("meta"));
    let missing = served.get("/v1/postalcode/0000000?meta=1");
    assert!(missing.status == 404 && missing.json().get("meta").is_none());
    // An endpoint without data does not know the parameter.
    let answer = served.get("/v1/whoami?meta=1");
    let notice = answer.header("daicho-notice").expect("a notice");
    assert!(answer.status == 200 && notice.contains("meta"), "{notice}");
}
