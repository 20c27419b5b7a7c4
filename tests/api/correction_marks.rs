//! Which corrections of the operator an answer names: suggestions of addresses, results of batches, searches of invoice
//! issuers. Suggestions of another day. And which data with corrections a command compiles.

use std::sync::Arc;

use daicho::dataset::bank::BankData;
use daicho::dataset::correction::{Corrections, Days, Extent};
use daicho::dataset::{Catalog, corrected_files};
use daicho::snapshot::{Dataset, Versions};
use daicho::text::codes::DataVersion;
use serde_json::{Value, json};

use crate::corrections::{BRANCH_HEADER, FUTURE, PAST, banks, daicho, folder, text};
use crate::support::{Answer, ServerProcess, ask, encoded, post};

const NUMBER: &str = "6010001999901";

/// Rows about towns. The reason of each says what it does.
fn towns() -> String {
    format!(
        "action,postal_code,city_code,town,new_town,town_kana,new_postal_code,valid_from,valid_to,reason,author\n\
         change,1000001,13101,千代田,空色町,ソライロチョウ,,{PAST},,renamed,ops\n\
         add,1009999,13101,新台帳町,,シンダイチョウマチ,,{PAST},,new,ops\n\
         abolish,9503104,15101,東栄町,,,,{PAST},,one code less,ops\n\
         change,1000301,,,,,1000302,{PAST},,another code,ops\n\
         change,1020083,13101,麹町,未来町,ミライチョウ,,{FUTURE},,to come,ops\n"
    )
}

fn aliases() -> String {
    format!(
        "action,corporate_number,alias,valid_from,valid_to,reason,author\n\
         alias,{NUMBER},DCJ,,,as people say,ops\n"
    )
}

/// The reasons of the corrections in a `meta`; none without the member.
fn reasons(object: &Value) -> Vec<&str> {
    let rows = object["meta"]["corrections"].as_array();
    rows.into_iter().flatten().map(|row| row["reason"].as_str().expect("a text")).collect()
}

fn post_premium(served: &ServerProcess, target: &str, body: &Value) -> Answer {
    post(served.address, target, &served.premium_batch, body.to_string().as_bytes())
}

#[test]
fn the_towns_near_a_location_name_the_corrections_that_changed_them() {
    let folder = folder(&[("postal.csv", &towns())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let renamed = served.get("/v1/reverse?lat=35.68&lon=139.75&limit=1&meta=1").json();
    assert_eq!(renamed["data"][0]["address"], "東京都千代田区空色町");
    assert_eq!(renamed["data"][0]["postal_codes"], json!(["1000001"]));
    assert_eq!(reasons(&renamed), ["renamed"]);
    let other = served.get("/v1/reverse?lat=35.682&lon=139.767&limit=1&meta=1").json();
    assert_eq!(reasons(&other), <[&str; 0]>::default());
    let queries = json!([{"lat": 35.68, "lon": 139.75}, {"lat": 35.682, "lon": 139.767}]);
    let body = json!({"queries": queries});
    let batch = post_premium(&served, "/v1/batch/reverse?meta=1", &body).json();
    let marks: Vec<Vec<&str>> =
        batch["records"].as_array().expect("a list").iter().map(reasons).collect();
    assert_eq!(marks, [vec!["renamed"], vec![]]);
}

#[test]
fn suggestions_of_addresses_name_the_corrections_that_changed_them() {
    let folder = folder(&[("postal.csv", &towns())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    #[track_caller]
    fn check(served: &ServerProcess, query: &str, first: &str, expected: &[&str]) {
        let path = format!("/v1/suggest/address?{query}");
        let answer = served.get(&format!("{path}&meta=1"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        let mut body = answer.json();
        assert_eq!(body["data"][0]["text"], first, "{query}: {body}");
        assert_eq!(reasons(&body), expected, "{query}: {body}");
        body.as_object_mut().expect("an object").remove("meta");
        assert_eq!(body, served.get(&path).json(), "{query}");
    }
    let q = |text: &str| format!("limit=1&q={}", encoded(text));
    check(&served, &q("千代田区空色"), "東京都千代田区空色町", &["renamed"]);
    check(&served, "limit=1&q=1000001", "東京都千代田区空色町", &["renamed"]);
    check(&served, &q("新台帳"), "東京都千代田区新台帳町", &["new"]);
    // The town has one code less, and none of its records was corrected.
    check(&served, &q("東栄町"), "新潟県新潟市北区東栄町", &["one code less"]);
    check(&served, &q("丸の内"), "東京都千代田区丸の内", &[]);
    // What is to come has no effect today.
    check(&served, &q("麹町"), "東京都千代田区麹町", &[]);
    // The codes of a municipality are other ones; names of its towns do not matter.
    check(&served, &q("利島"), "東京都利島村", &["another code"]);
    check(&served, &q("千代田区"), "東京都千代田区", &["new"]);
    check(&served, &q("新潟市"), "新潟県新潟市", &["one code less"]);
    check(&served, &q("東京都"), "東京都", &["new", "another code"]);
    check(&served, &q("那覇"), "沖縄県那覇市", &[]);
    let several = served.get(&format!("/v1/suggest/address?meta=1&q={}", encoded("千代田区")));
    assert_eq!(reasons(&several.json()), ["renamed", "new"], "{}", several.text());
    // A named version is as it was published.
    let query = format!("version=2026-06-30&{}", q("東栄町"));
    check(&served, &query, "新潟県新潟市北区東栄町", &[]);
    let wrong = served.get(&format!("/v1/suggest/address?meta=2&{}", q("東栄町")));
    wrong.expect_error(400, "invalid_parameter", Some("meta"));
}

#[test]
fn each_result_of_an_address_batch_names_its_corrections() {
    const PATH: &str = "/v1/batch/postalcode/search";
    let folder = folder(&[("postal.csv", &towns())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let queries = [
        ("東京都千代田区空色町1-1", &["renamed"][..]),
        ("東京都千代田区丸の内1-1", &[]),
        ("東京都千代田区新台帳町2-3", &["new"]),
        ("新潟県新潟市北区東栄町1", &["one code less"]),
        ("東京都利島村1", &["another code"]),
        ("", &[]),
        ("東京都千代田区空色町2", &["renamed"]),
        ("東京都千代田区麹町1-1", &[]),
    ];
    let sent = queries.map(|(t, _)| json!({ "t": t }));
    let body = json!({ "default_limit": 3, "queries": sent }).to_string();
    let plain = served.post(PATH, &body).json();
    assert!(!plain.to_string().contains("\"meta\""), "{plain}");
    let answer = served.post(&format!("{PATH}?meta=1"), &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let mut marked = answer.json();
    let records = marked["records"].as_array().expect("a list").clone();
    for ((t, expected), record) in queries.iter().zip(&records) {
        assert_eq!(reasons(record), *expected, "{t}: {record}");
        assert_eq!(record.get("meta").is_some(), !expected.is_empty(), "{t}: {record}");
    }
    let row = &records[0]["meta"]["corrections"][0];
    let expected = json!({
        "file": "postal.csv", "action": "change", "record": "1000001 13101 千代田",
        "valid_from": PAST, "valid_to": null, "reason": "renamed", "author": "ops",
    });
    assert_eq!(row, &expected);
    // The batch names each row once, in the order of the file, and the sources as before.
    assert_eq!(reasons(&marked), ["renamed", "new", "one code less", "another code"]);
    assert_eq!(marked["meta"]["sources"][0]["dataset"], "postal");
    // Beside the marks the answers are the same.
    marked.as_object_mut().expect("an object").remove("meta");
    for record in marked["records"].as_array_mut().expect("a list") {
        record.as_object_mut().expect("an object").remove("meta");
    }
    assert_eq!(marked, plain);
    let published = served.post(&format!("{PATH}?meta=1&version=2026-06-30"), &body).json();
    assert_eq!(published.to_string().matches("\"meta\"").count(), 1, "{published}");
    for wrong in ["meta=yes", "meta=1&meta=1"] {
        let answer = served.post(&format!("{PATH}?{wrong}"), &body);
        answer.expect_error(400, "invalid_parameter", Some("meta"));
    }
    let wrong = served.post(&format!("{PATH}?meta=1"), r#"{"queries":[{"t":1}]}"#);
    wrong.expect_error(400, "invalid_body", Some("queries[0].t"));
    assert!(wrong.json().get("meta").is_none());
}

#[test]
fn a_long_batch_is_marked_over_all_its_pieces() {
    let folder = folder(&[("postal.csv", &towns())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let sent = vec![json!({ "t": "東京都千代田区空色町1-1" }); 1_000];
    let body = json!({ "queries": sent }).to_string();
    let answer = served.post("/v1/batch/postalcode/search?meta=1", &body).json();
    let records = answer["records"].as_array().expect("a list");
    assert_eq!(records.len(), 1_000);
    assert!(records.iter().all(|record| reasons(record) == ["renamed"]));
    assert_eq!(reasons(&answer), ["renamed"]);
}

#[test]
fn results_that_an_alias_found_name_it() {
    let folder = folder(&[("corporate.csv", &aliases())]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let search =
        json!({ "mode": "loose", "queries": [{ "q": "DCJ", "id": "a" }, { "q": "台帳" }] });
    let found = post_premium(&served, "/v1/batch/houjinbangou/search?meta=1", &search).json();
    let records = &found["records"];
    assert_eq!(records[0]["data"][0]["corporate_number"], NUMBER, "{found}");
    assert_eq!((reasons(&records[0]), &records[0]["id"]), (vec!["as people say"], &"a".into()));
    assert_eq!((reasons(&records[1]), reasons(&found)), (vec![], vec!["as people say"]));

    let names = json!({ "queries": [{ "name": "株式会社台帳" }, { "name": "DCJ" }] });
    let found = post_premium(&served, "/v1/batch/match/corporation?meta=1", &names).json();
    let records = &found["records"];
    assert_eq!(records[1]["match"]["candidates"][0]["corporate_number"], NUMBER, "{found}");
    assert_eq!((reasons(&records[0]), reasons(&records[1])), (vec![], vec!["as people say"]));

    // Issuers are searched for in the register of corporations.
    let numbers = json!({ "queries": [{ "number": format!("T{NUMBER}") }] });
    let found = post_premium(&served, "/v1/batch/invoice/search?meta=1", &numbers).json();
    assert!(reasons(&found).is_empty() && found["meta"]["sources"].is_array(), "{found}");
    let ask_premium = |target: &str| {
        let key = &served.premium;
        ask(served.address, &format!("GET {target}\nAuthorization: Token {key}\n")).json()
    };
    let found = ask_premium("/v1/invoice?q=DCJ&mode=loose&meta=1");
    assert_eq!(found["data"][0]["matched"], "alias", "{found}");
    assert_eq!(reasons(&found), ["as people say"]);
    let found = ask_premium(&format!("/v1/invoice?q={}&mode=loose&meta=1", encoded("台帳")));
    assert!(reasons(&found).is_empty(), "{found}");
}

#[test]
fn suggestions_of_banks_and_branches_take_a_day() {
    let branches = format!("{BRANCH_HEADER}add,1901,500,,新町,シンマチ,{FUTURE},,to open,ops\n");
    let folder = folder(&[("bank.csv", &banks()), ("branch.csv", &branches)]);
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    #[track_caller]
    fn check(served: &ServerProcess, path: &str, q: &str, day: &str, expected: &[&str]) {
        let answer = served.get(&format!("{path}q={}{day}&meta=1", encoded(q)));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let body = answer.json();
        let found = body["data"].as_array().expect("a list").iter();
        let names: Vec<&str> = found.map(|it| it["name"].as_str().expect("a name")).collect();
        assert_eq!(names, expected, "{q}{day}");
        let is_marked = !reasons(&body).is_empty();
        assert_eq!(is_marked, !expected.is_empty() && !day.ends_with("2019-12-31"), "{body}");
        // A suggestion is the same in every API version, and the day counts in each.
        let old = served.get(&format!("{path}q={}{day}&api_version=2022-09-01", encoded(q)));
        assert_eq!(old.json()["data"], body["data"], "{q}{day}");
    }
    let bank = "/v1/suggest/bank?";
    check(&served, bank, "改称", "", &[]);
    check(&served, bank, "改称", &format!("&date={FUTURE}"), &["改称"]);
    check(&served, bank, "新設", &format!("&date={FUTURE}"), &[]);
    check(&served, bank, "新設", "", &["新設"]);
    check(&served, bank, "新設", "&date=", &["新設"]);
    check(&served, bank, "新設", "&date=2019-12-31", &[]);
    check(&served, bank, "1901", "&date=2019-12-31", &["見本信金"]);
    let branch = "/v1/suggest/branch?bank=1901&";
    let before = format!("{branch}q={}&date=2019-12-31", encoded("新町"));
    assert_eq!(served.get(&before).json()["data"], json!([]));
    served.get(&before.replace("2019-12-31", FUTURE)).expect_error(
        404,
        "no_such_bank",
        Some("bank"),
    );
    for path in [bank, branch] {
        for wrong in ["2026-02-30", "20260803", "tomorrow"] {
            let answer = served.get(&format!("{path}q=a&date={wrong}"));
            answer.expect_error(400, "invalid_date", Some("date"));
        }
        let both = served.get(&format!("{path}q=a&date={PAST}&version=2026-05-25"));
        both.expect_error(400, "invalid_parameter", Some("date"));
        let twice = served.get(&format!("{path}q=a&date={PAST}&date={PAST}"));
        twice.expect_error(400, "invalid_parameter", Some("date"));
    }
}

#[test]
fn only_the_data_that_a_request_needs_are_compiled() {
    let folder = folder(&[("bank.csv", &banks()), ("postal.csv", &towns())]);
    let files = corrected_files().map(|(_, file)| file);
    let corrections = Corrections::open(&folder.path().join("corrections"), files);
    let corrections = corrections.expect("sound files");
    let day = |text: &str| DataVersion::parse(text).expect("a day");
    let today = day("2026-11-27");
    let open = |extent: Extent<'_>| {
        let catalog = Catalog::scan(folder.path(), None).expect("a folder");
        catalog.with_corrections(extent, &corrections, today, None).expect("sound data")
    };
    fn is_as_published<D: Dataset>(versions: &Versions<D>) -> bool {
        let (latest, published) = (versions.latest(), versions.published());
        Arc::ptr_eq(latest.expect("a version"), published.expect("a version"))
    }
    let kinds = &[BankData::KIND][..];
    let needed = open(Extent { kinds, days: Days::Named(&[today]) });
    assert!(!is_as_published(needed.bank()) && is_as_published(needed.postal()));
    assert_eq!((needed.bank().editions().len(), needed.postal().editions().len()), (1, 0));
    let days = &[today, day(FUTURE), day("2019-12-31"), day("2998-01-01")];
    let needed = open(Extent { kinds, days: Days::Named(days) });
    assert_eq!(needed.bank().editions().len(), 3, "each once");
    // What the rows do is known without the data.
    let needed = open(Extent { kinds, days: Days::Named(&[]) });
    assert!(is_as_published(needed.bank()) && needed.bank().editions().is_empty());
    assert_eq!(needed.laid.rows(BankData::KIND, None).len(), 3);
    // A server is ready for the next day, too.
    let served = open(Extent::SERVED);
    assert_eq!((served.bank().editions().len(), served.postal().editions().len()), (3, 2));
}

#[test]
fn commands_answer_as_the_server_does() {
    let files = [("bank.csv", banks()), ("postal.csv", towns()), ("corporate.csv", aliases())];
    let folder = folder(&files.each_ref().map(|(name, rows)| (*name, rows.as_str())));
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    for path in [
        "/v1/bank/0001?meta=1".to_owned(),
        "/v1/bank/0001?version=2026-05-25&meta=1".to_owned(),
        format!("/v1/bank/0555?date={FUTURE}&meta=1"),
        format!("/v1/suggest/bank?date={FUTURE}&q={}", encoded("改称")),
        "/v1/postalcode/1000001?meta=1".to_owned(),
        "/v1/postalcode/1000001?version=2026-06-30&meta=1".to_owned(),
        format!("/v1/suggest/address?meta=1&q={}", encoded("空色")),
        "/v1/houjinbangou?q=DCJ&mode=loose&meta=1".to_owned(),
        "/v1/invoice?q=DCJ&mode=loose&meta=1".to_owned(),
        "/v1/invoice?q=DCJ&mode=loose&meta=1&version=2026-08-04".to_owned(),
        "/v1/match/corporation?name=DCJ&meta=1".to_owned(),
        "/v1/sources".to_owned(),
    ] {
        let key = &served.premium;
        let answer = ask(served.address, &format!("GET {path}\nAuthorization: Token {key}\n"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let printed = text(&daicho(folder.path(), &["get", &path]).stdout);
        assert_eq!(printed.trim_end(), answer.text(), "{path}");
    }
    let wrong = daicho(folder.path(), &["get", "/v1/suggest/bank?q=a&date=2026-02-30"]);
    let message = text(&wrong.stderr);
    assert!(wrong.status.code() == Some(1) && message.contains("2026-02-30"), "{message}");
    let gone = daicho(folder.path(), &["lookup", "bank", "1901"]);
    assert_eq!(gone.status.code(), Some(1), "{}", text(&gone.stdout));
    let new = daicho(folder.path(), &["lookup", "postal", "1009999"]);
    assert!(text(&new.stdout).contains("新台帳町"), "{}", text(&new.stderr));
}
